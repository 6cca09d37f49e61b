//! The problem that is left for contacts when joints are eliminated.

use std::collections::{BTreeMap, BTreeSet};

use delassus_core::{
    Block, BlockSparse, CoupledCompliance, MatrixRows, Operator, Problem, ProblemError,
    ProblemParts,
};

use super::couplings::Couplings;
use super::joints::{Joints, Places};

/// Share of A_ii that a row keeps at least \[-\]: joints can take all freedom from a row, and rounding is left then.
const LEAST_DIAGONAL: f64 = 1e-10;

/// Contacts, bounds and held blocks with Â = A_cc − A_cj A_jj⁻¹ A_jc and b̂ = b_c − A_cj A_jj⁻¹ b_j (G.38).
pub(super) fn reduced(
    problem: &Problem,
    couplings: &Couplings,
    places: &Places,
    joints: &mut Joints,
) -> Result<Problem, ProblemError> {
    let kept: Vec<usize> = (0..places.other.len())
        .filter(|block| places.other[*block].is_some())
        .collect();
    let mut number = vec![0; places.other.len()];
    let mut blocks = Vec::with_capacity(kept.len());
    for (place, block) in kept.iter().enumerate() {
        number[*block] = place;
        blocks.push(Block {
            first_row: places.other[*block].unwrap_or(0),
            ..problem.blocks()[*block].clone()
        });
    }
    let dims: Vec<usize> = blocks.iter().map(|block| block.dim).collect();
    let mut upper = BTreeMap::new();
    for ((c, d), values) in couplings {
        let (c, d) = (*c as usize, *d as usize);
        if places.other[c].is_some() && places.other[d].is_some() {
            upper.insert((number[c], number[d]), values.clone());
        }
    }
    let diagonal: Vec<f64> = kept_rows(problem, &kept)
        .map(|row| problem.diagonal()[row])
        .collect();
    let velocity = eliminate(&blocks, &mut upper, joints);
    let free_velocity = kept_rows(problem, &kept)
        .zip(velocity)
        .map(|(row, change)| problem.b()[row] - change)
        .collect();
    keep_diagonals(&blocks, &diagonal, &mut upper);
    Problem::new(ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus: BlockSparse::from_blocks(&dims, mirrored(&dims, upper))?,
            free_velocity,
        }),
        bias: vec![0.0; diagonal.len()],
        compliance: kept_rows(problem, &kept)
            .map(|row| problem.compliance()[row])
            .collect(),
        coupled_compliance: coupled(problem, &kept),
        activity: kept
            .iter()
            .map(|block| problem.activity()[*block])
            .collect(),
        step: problem.step(),
        blocks,
    })
}

fn kept_rows<'p>(problem: &'p Problem, kept: &'p [usize]) -> impl Iterator<Item = usize> + 'p {
    kept.iter()
        .flat_map(|block| problem.blocks()[*block].rows())
}

fn coupled(problem: &Problem, kept: &[usize]) -> CoupledCompliance {
    let mut coupled = CoupledCompliance::new();
    for (place, block) in kept.iter().enumerate() {
        if let Some(lower) = problem.coupled_compliance().of(*block) {
            coupled.push(place, lower);
        }
    }
    coupled
}

/// Subtracts A_cj A_jj⁻¹ A_jc from the upper blocks; returns A_cj A_jj⁻¹ b_j.
fn eliminate(
    blocks: &[Block],
    upper: &mut BTreeMap<(usize, usize), Vec<f64>>,
    joints: &mut Joints,
) -> Vec<f64> {
    // blocks that an island of joints couples
    let mut coupled: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut islands_of = vec![BTreeSet::new(); blocks.len()];
    for (place, block) in blocks.iter().enumerate() {
        for (row, _) in block.rows().flat_map(|row| &joints.links[row]) {
            let island = joints.islands[*row];
            coupled.entry(island).or_default().insert(place);
            islands_of[place].insert(island);
        }
    }
    let n = joints.rows.len();
    let (mut y, mut x) = (vec![0.0; n], vec![0.0; n]);
    for (c, block) in blocks.iter().enumerate() {
        let others = islands_of[c]
            .iter()
            .filter_map(|island| coupled.get(island));
        let others: BTreeSet<usize> = others.flat_map(|set| set.range(c..)).copied().collect();
        if others.is_empty() {
            continue;
        }
        for (i, row) in block.rows().enumerate() {
            y.fill(0.0);
            joints.links[row]
                .iter()
                .for_each(|(joint, value)| y[*joint] += value);
            joints.inverse_times(&y, &mut x);
            for d in &others {
                let dim = blocks[*d].dim;
                let entry = upper.entry((c, *d));
                let values = entry.or_insert_with(|| vec![0.0; block.dim * dim]);
                for (j, column) in blocks[*d].rows().enumerate() {
                    values[i * dim + j] -= along(&joints.links[column], &x);
                }
            }
        }
    }
    let b = joints.b().to_vec();
    joints.inverse_times(&b, &mut x);
    joints.links.iter().map(|links| along(links, &x)).collect()
}

fn along(links: &[(usize, f64)], x: &[f64]) -> f64 {
    links.iter().map(|(row, value)| value * x[*row]).sum()
}

/// Rows that joints leave no freedom keep a little.
fn keep_diagonals(
    blocks: &[Block],
    diagonal: &[f64],
    upper: &mut BTreeMap<(usize, usize), Vec<f64>>,
) {
    for (place, block) in blocks.iter().enumerate() {
        let entry = upper.entry((place, place));
        let values = entry.or_insert_with(|| vec![0.0; block.dim * block.dim]);
        for (local, row) in block.rows().enumerate() {
            let own = &mut values[local * block.dim + local];
            *own = own.max(LEAST_DIAGONAL * diagonal[row]);
        }
    }
}

/// All blocks of a symmetric matrix from its upper ones.
fn mirrored(
    dims: &[usize],
    upper: BTreeMap<(usize, usize), Vec<f64>>,
) -> Vec<(usize, usize, Vec<f64>)> {
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
    blocks
}
