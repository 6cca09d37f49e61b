//! Pairs of neighbours, and the motions that a pair shares: the prolongator (Z.18).

use nalgebra::{SMatrix, SymmetricEigen};

use super::factor::{self, Block};
use super::pattern::Pattern;

type Pair = SMatrix<f64, 12, 12>;

/// Iterations of the eigenvalues of a pair, which take about two each.
const EIGEN_ITERATIONS: usize = 1000;

/// Which nodes become one.
#[derive(Debug, Clone)]
pub(crate) struct Aggregates {
    /// The aggregate of every node.
    pub(crate) of: Vec<u32>,
    /// The block between the two nodes of every aggregate; none where a node stays alone, and the
    /// node it starts from.
    pub(crate) pairs: Vec<(usize, Option<usize>)>,
}

impl Aggregates {
    /// Greedy pairs, every node in turn with the free neighbour of the heaviest block; the first of
    /// equal ones.
    pub(crate) fn new(pattern: &Pattern, weights: &[f64]) -> Self {
        let count = pattern.len();
        let mut around: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
        for j in 0..count {
            for at in pattern.first[j] + 1..pattern.first[j + 1] {
                let i = pattern.rows[at] as usize;
                around[i].push((j, at));
                around[j].push((i, at));
            }
        }
        let mut of = vec![u32::MAX; count];
        let mut pairs: Vec<(usize, Option<usize>)> = Vec::with_capacity(count);
        for node in 0..count {
            if of[node] != u32::MAX {
                continue;
            }
            let free = around[node]
                .iter()
                .filter(|(other, _)| of[*other] == u32::MAX);
            let best = free.fold(
                None,
                |best: Option<(usize, usize)>, (other, at)| match best {
                    Some((_, known)) if weights[known] >= weights[*at] => best,
                    _ => Some((*other, *at)),
                },
            );
            let aggregate = super::pattern::place(pairs.len());
            of[node] = aggregate;
            if let Some((other, _)) = best {
                of[other] = aggregate;
            }
            pairs.push((node, best.map(|(_, at)| at)));
        }
        Self { of, pairs }
    }
}

/// The six motions of two nodes that strain the block between them least, of what strains the whole
/// matrix: columns per node.
///
/// None where numbers are not finite. `local` are the lower blocks (i, i), (i, j), (j, j) of the
/// pair by itself, `roots` the Cholesky factors of the diagonal blocks.
pub(crate) fn motions(local: [&Block; 3], roots: [&Block; 2]) -> Option<[Block; 2]> {
    let mut matrix = Pair::zeros();
    let between = scaled(local[1], roots[0], roots[1]);
    for (index, offset) in [(0, 0), (2, 6)] {
        let root = roots[offset / 6];
        let block = scaled(local[index], root, root);
        for (at, x) in block.iter().enumerate() {
            matrix[(offset + at % 6, offset + at / 6)] = *x;
        }
    }
    for (at, x) in between.iter().enumerate() {
        matrix[(at % 6, 6 + at / 6)] = *x;
        matrix[(6 + at / 6, at % 6)] = *x;
    }
    let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, EIGEN_ITERATIONS)?;
    let mut order = [0usize, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
    let of = |node: usize| {
        let mut out = [0.0; 36];
        for (column, from) in order.iter().take(6).enumerate() {
            let mut x = [0.0; 6];
            for (row, x) in x.iter_mut().enumerate() {
                *x = eigen.eigenvectors[(6 * node + row, *from)];
            }
            factor::backward(roots[node], &mut x);
            out[6 * column..6 * column + 6].copy_from_slice(&x);
        }
        out
    };
    Some([of(0), of(1)])
}

/// L⁻ᵀ, the motions of a node that stays alone.
pub(crate) fn alone(root: &Block) -> Block {
    let mut out = [0.0; 36];
    for column in 0..6 {
        let mut x = [0.0; 6];
        x[column] = 1.0;
        factor::backward(root, &mut x);
        out[6 * column..6 * column + 6].copy_from_slice(&x);
    }
    out
}

/// L⁻¹AR⁻ᵀ.
fn scaled(a: &Block, left: &Block, right: &Block) -> Block {
    let mut out = *a;
    for column in out.as_chunks_mut::<6>().0 {
        factor::forward(left, column);
    }
    factor::divide(&mut out, right);
    out
}
