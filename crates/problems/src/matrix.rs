//! The Delassus matrix of a problem with bodies.

use std::collections::BTreeMap;

use delassus_core::{BlockSparse, BodyRows, MatrixRows, Operator, Problem, ProblemError};

/// The same problem with A and J v_f given instead of bodies (P.2); a problem without bodies is copied.
///
/// Block (c, d) is the sum of `J_c M⁻¹ J_dᵀ` over the bodies that both touch, and A is symmetric to the bit.
///
/// # Errors
/// Entries of A that overflow.
pub fn to_matrix(problem: &Problem) -> Result<Problem, ProblemError> {
    let mut parts = problem.clone().into_parts();
    if let Operator::Bodies(bodies) = &parts.operator {
        let dims: Vec<usize> = parts.blocks.iter().map(|b| b.dim).collect();
        let mut free_velocity = vec![0.0; problem.rows()];
        bodies.multiply(&parts.blocks, &bodies.free_velocity, &mut free_velocity);
        parts.operator = Operator::Matrix(MatrixRows {
            delassus: assemble(bodies, &dims)?,
            free_velocity,
        });
    }
    Problem::new(parts)
}

fn assemble(bodies: &BodyRows, dims: &[usize]) -> Result<BlockSparse, ProblemError> {
    // blocks that touch each body, with the position of the body among those of the block
    let mut touching: Vec<Vec<(usize, usize)>> = vec![Vec::new(); bodies.len()];
    for block in 0..dims.len() {
        for (position, body) in bodies.bodies_of(block).iter().enumerate() {
            touching[*body as usize].push((block, position));
        }
    }
    let mut upper: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for (body, touching) in touching.iter().enumerate() {
        let mass = &bodies.mass[body];
        if mass.is_immovable() {
            continue;
        }
        for (first, (c, position_c)) in touching.iter().enumerate() {
            for (d, position_d) in &touching[first..] {
                let entry = upper.entry((*c, *d));
                let values = entry.or_insert_with(|| vec![0.0; dims[*c] * dims[*d]]);
                for j in 0..dims[*d] {
                    let moved = mass.times(&bodies.row(*d, j)[*position_d]);
                    // the lower triangle of a diagonal block is mirrored below
                    let rows = if c == d { j + 1 } else { dims[*c] };
                    for i in 0..rows {
                        let row = &bodies.row(*c, i)[*position_c];
                        values[i * dims[*d] + j] +=
                            row.iter().zip(&moved).map(|(a, b)| a * b).sum::<f64>();
                    }
                }
            }
        }
    }
    let mut blocks = Vec::with_capacity(2 * upper.len());
    for ((c, d), mut values) in upper {
        let (rows, columns) = (dims[c], dims[d]);
        if c == d {
            for i in 0..rows {
                for j in 0..i {
                    values[i * columns + j] = values[j * columns + i];
                }
            }
        } else {
            let mirror = (0..rows * columns).map(|k| values[(k % rows) * columns + k / rows]);
            blocks.push((d, c, mirror.collect()));
        }
        blocks.push((c, d, values));
    }
    BlockSparse::from_blocks(dims, blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::{Generator, Planted};

    #[test]
    fn matrix_and_bodies_are_the_same_operator() {
        let planted = Planted {
            equality: 4,
            gears: 3,
            patch: 3,
            compliance: 0.1,
            ..Planted::default()
        };
        let bodies = planted.generate().unwrap().problem;
        let matrix = to_matrix(&bodies).unwrap();
        assert!(matrix.bodies().is_none());
        let x: Vec<f64> = (0..bodies.rows()).map(|i| 1.0 - (i % 7) as f64).collect();
        let (mut left, mut right) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        bodies.shifted_velocity(&x, &mut left);
        matrix.shifted_velocity(&x, &mut right);
        let scale = left.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
        for (l, r) in left.iter().zip(&right) {
            // a few hundred products per row, each rounded once: far below 1e-12 of the largest entry
            assert!((l - r).abs() <= 1e-12 * scale, "{l} {r}");
        }
        let Operator::Matrix(rows) = matrix.operator() else {
            unreachable!("to_matrix gives a matrix")
        };
        assert_eq!(rows.delassus.symmetry_defect(), 0.0);
    }
}
