//! Diagonal blocks with split masses, and the steps that follow from them.

use delassus_core::{BodyRows, Friction, Law, Problem};

/// D = Σ_b c_b K_b + R/ω of one block, row-major (J.4); `factors` holds c_b, which contain 1/ω.
pub(crate) fn split_block(
    problem: &Problem,
    bodies: &BodyRows,
    block: usize,
    (factors, omega): (&[f64], f64),
    out: &mut Vec<f64>,
) {
    let entry = &problem.blocks()[block];
    let dim = entry.dim;
    out.clear();
    out.resize(dim * dim, 0.0);
    let touched = bodies.bodies_of(block);
    for (side, (body, factor)) in touched.iter().zip(factors).enumerate() {
        let mass = &bodies.mass[*body as usize];
        for j in 0..dim {
            let moved = mass.times(&bodies.row(block, j)[side]);
            for i in 0..=j {
                let row = &bodies.row(block, i)[side];
                let share: f64 = row.iter().zip(&moved).map(|(a, b)| a * b).sum();
                out[i * dim + j] += factor * share;
            }
        }
    }
    for j in 0..dim {
        for i in 0..j {
            out[j * dim + i] = out[i * dim + j];
        }
        out[j * dim + j] += problem.compliance()[entry.first_row + j] / omega;
    }
}

/// Step of every row of a block \[kg\]: 1/D_ii, and one step for rows whose set couples them (J.7).
pub(crate) fn steps(law: &Law, own: &[f64], dim: usize, out: &mut [f64]) {
    for row in 0..dim {
        out[row] = inverse(own[row * dim + row]);
    }
    let coupled = match law {
        Law::Contact(Friction::Disc { .. } | Friction::Coulomb { .. }) => 1..dim,
        Law::Contact(Friction::ConvexCone { .. }) => 0..dim,
        Law::Patch(patch) => patch.levers.len()..patch.levers.len() + 2,
        _ => return,
    };
    if coupled.len() > 1 {
        let step = inverse(largest_eigenvalue_bound(own, dim, coupled.clone()));
        out[coupled].fill(step);
    }
}

fn inverse(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

/// An upper bound of λ_max of some rows and columns of a symmetric block: m + s √(k − 1), where m is the mean and s the
/// spread of the k eigenvalues, both known from traces \[Wolkowicz1980\]. Exact for k = 2.
fn largest_eigenvalue_bound(own: &[f64], dim: usize, rows: std::ops::Range<usize>) -> f64 {
    let k = rows.len() as f64;
    let (mut trace, mut square) = (0.0, 0.0);
    for i in rows.clone() {
        trace += own[i * dim + i];
        square += rows
            .clone()
            .map(|j| own[i * dim + j] * own[i * dim + j])
            .sum::<f64>();
    }
    let mean = trace / k;
    // rounding can make the difference negative
    let variance = (square / k - mean * mean).max(0.0);
    mean + (variance * (k - 1.0)).sqrt()
}
