//! Diagonal blocks with split masses, and the steps that follow from them.

use delassus_core::{BodyRows, CoupledCompliance, Problem};

use super::law;

/// Rows of a block at most that share one step \[-\].
const COUPLED: usize = 3;

/// Step of every row of a block \[kg\]: 1/D_ii, and one step for rows whose set couples them (J.7).
///
/// D = Σ_b c_b K_b + R/ω (J.4); `factors` holds c_b, which contain 1/ω. Of D only the diagonal and
/// what couples rows is formed, so that a block may have any number of rows.
pub(crate) fn steps(
    problem: &Problem,
    bodies: &BodyRows,
    block: usize,
    factors: &[f64],
    omega: f64,
    out: &mut [f64],
) {
    let entry = &problem.blocks()[block];
    let groups = law::coupled(&entry.law, entry.dim);
    let mut own = [[[0.0; COUPLED]; COUPLED]; 2];
    let touched = bodies.bodies_of(block);
    let coupled = problem.coupled_compliance().of(block);
    for j in 0..entry.dim {
        // rows that need their entry with row j
        let group = groups.iter().position(|rows| rows.contains(&j));
        let first = group.map_or(j, |group| groups[group].start);
        let mut column = [0.0; COUPLED];
        for (side, (body, factor)) in touched.iter().zip(factors).enumerate() {
            let mass = &bodies.mass[*body as usize];
            let moved = mass.apply_inverse(&bodies.row(block, j)[side]);
            for (i, entry) in (first..=j).zip(&mut column) {
                let row = &bodies.row(block, i)[side];
                let share: f64 = row.iter().zip(&moved).map(|(a, b)| a * b).sum();
                *entry += factor * share;
            }
        }
        if let Some(lower) = coupled {
            let row = CoupledCompliance::packed_len(j);
            for (i, entry) in (first..j).zip(&mut column) {
                *entry += lower[row + i] / omega;
            }
        }
        column[j - first] += problem.compliance()[entry.first_row + j] / omega;
        out[j] = inverse(column[j - first]);
        if let Some(group) = group {
            for (i, entry) in (first..=j).zip(column) {
                own[group][i - first][j - first] = entry;
                own[group][j - first][i - first] = entry;
            }
        }
    }
    for (rows, own) in groups.into_iter().zip(&own) {
        if rows.len() > 1 {
            let step = inverse(largest_eigenvalue_bound(own, rows.len()));
            out[rows].fill(step);
        }
    }
}

#[inline(always)]
pub(super) fn inverse(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

/// An upper bound of λ_max of a symmetric k × k block: m + s √(k − 1), where m is the mean and s
/// the spread of the k eigenvalues, both known from traces \[Wolkowicz1980\]. Exact for k = 2.
#[inline(always)]
pub(super) fn largest_eigenvalue_bound(own: &[[f64; COUPLED]; COUPLED], size: usize) -> f64 {
    let k = size as f64;
    let (mut trace, mut square) = (0.0, 0.0);
    for (i, row) in own.iter().enumerate().take(size) {
        trace += row[i];
        square += row[..size].iter().map(|a| a * a).sum::<f64>();
    }
    let mean = trace / k;
    // rounding can make the difference negative
    let variance = (square / k - mean * mean).max(0.0);
    mean + (variance * (k - 1.0)).sqrt()
}
