//! The Delassus matrix of a problem with bodies.

use std::collections::BTreeMap;

use delassus_core::{
    BlockSparse, BodyRows, MatrixRows, MemoryLimit, Operator, Problem, ProblemError,
};

/// The same problem with A and J v_f given instead of bodies (P.2); a problem without bodies is
/// copied.
///
/// Block (c, d) is the sum of `J_c M⁻¹ J_dᵀ` over the bodies that both touch, and A is symmetric to
/// the bit.
///
/// # Errors
/// Entries of A that overflow; a matrix that takes more memory than [`MemoryLimit::default`].
pub fn to_matrix(problem: &Problem) -> Result<Problem, ProblemError> {
    to_matrix_within(problem, MemoryLimit::default())
}

/// The same within `limit`: a body that many blocks touch couples each of them with each other.
///
/// # Errors
/// Those of [`to_matrix`].
pub fn to_matrix_within(problem: &Problem, limit: MemoryLimit) -> Result<Problem, ProblemError> {
    if let Some(bodies) = problem.bodies() {
        limit.admit("the matrix of the problem", matrix_memory(problem, bodies))?;
    }
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

/// Bytes at the peak of assembling A, estimated \[B\].
fn matrix_memory(problem: &Problem, bodies: &BodyRows) -> u64 {
    let mut touching = vec![(0u64, 0u64); bodies.len()];
    for (index, block) in problem.blocks().iter().enumerate() {
        for body in bodies.bodies_of(index) {
            if !bodies.mass[*body as usize].is_immovable() {
                let (blocks, rows) = &mut touching[*body as usize];
                *blocks += 1;
                *rows += block.dim as u64;
            }
        }
    }
    let pairs = touching
        .iter()
        .map(|(blocks, rows)| pair_memory(*blocks, *rows));
    pairs.fold(0, u64::saturating_add)
}

/// Bytes of what a body couples that so many blocks with so many rows touch \[B\]: each pair of
/// blocks once in a tree and twice in lists, each number four times.
pub(crate) fn pair_memory(blocks: u64, rows: u64) -> u64 {
    let pairs = blocks.saturating_mul(blocks).saturating_mul(150);
    let numbers = rows.saturating_mul(rows).saturating_mul(24);
    pairs.saturating_add(numbers)
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
                    let moved = mass.apply_inverse(&bodies.row(*d, j)[*position_d]);
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
            // a few hundred products per row, each rounded once: far below 1e-12 of the largest
            // entry
            assert!((l - r).abs() <= 1e-12 * scale, "{l} {r}");
        }
        let Operator::Matrix(rows) = matrix.operator() else {
            unreachable!("to_matrix gives a matrix")
        };
        assert_eq!(rows.delassus.symmetry_defect(), 0.0);
    }
}
