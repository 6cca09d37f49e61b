//! The range of the scaled Delassus matrix of the rows that are solved for (M.33).

use delassus_core::Problem;

use crate::group::Group;
use crate::scale::is_symmetric;
use crate::set::dot;

/// Problems of more rows have no basis \[-\]: it takes rows² numbers and rows³ products.
pub(crate) const MAX_ROWS: usize = 1000;

/// What is left of a diagonal entry, relative to the largest, below this is rounding: the row
/// depends on others \[-\]. The tolerance of ranks (D.3).
const DEPENDENT: f64 = 1e-10;

/// An orthonormal basis of the range of D^−½ A D^−½.
#[derive(Debug, Clone)]
pub(crate) struct RangeBasis {
    vectors: Vec<Vec<f64>>,
}

impl RangeBasis {
    /// The basis of the rows of `groups`, with √d_i of every row: Cholesky with complete pivoting,
    /// whose columns are made orthogonal as they come. `None` for an unsymmetric matrix, or where A
    /// is not positive semi-definite.
    pub(crate) fn of(problem: &Problem, groups: &[Group<'_>], root_scales: &[f64]) -> Option<Self> {
        if !is_symmetric(problem) {
            return None;
        }
        let rows = problem.rows();
        let mut solved = vec![false; rows];
        for group in groups {
            solved[group.rows.clone()].fill(true);
        }
        let of_row = |row: usize| {
            let scale = root_scales[row] * root_scales[row];
            if solved[row] {
                problem.diagonal()[row] / scale
            } else {
                0.0
            }
        };
        let mut rest: Vec<f64> = (0..rows).map(of_row).collect();
        let largest = rest.iter().copied().fold(0.0, f64::max);
        let (mut columns, mut vectors): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        let mut unit = vec![0.0; rows];
        while let Some(pivot) = (0..rows).max_by(|i, j| rest[*i].total_cmp(&rest[*j])) {
            if rest[pivot] <= DEPENDENT * largest || columns.len() == rows {
                break;
            }
            let mut column = vec![0.0; rows];
            unit[pivot] = 1.0;
            problem.apply_delassus(&unit, &mut column);
            unit[pivot] = 0.0;
            for row in 0..rows {
                let scale = root_scales[row] * root_scales[pivot];
                column[row] = if solved[row] {
                    column[row] / scale
                } else {
                    0.0
                };
            }
            for known in &columns {
                subtract(known[pivot], known, &mut column);
            }
            let root = rest[pivot].sqrt();
            for (row, value) in column.iter_mut().enumerate() {
                *value /= root;
                rest[row] -= *value * *value;
            }
            // an indefinite matrix leaves what no square can
            if rest.iter().any(|d| *d < -DEPENDENT * largest) {
                return None;
            }
            rest[pivot] = 0.0;
            vectors.extend(orthonormal(&column, &vectors));
            columns.push(column);
        }
        Some(Self { vectors })
    }

    /// Components of x along the basis: their length is that of the projection.
    pub(crate) fn coordinates(&self, x: &[f64]) -> Vec<f64> {
        self.vectors.iter().map(|vector| dot(vector, x)).collect()
    }
}

/// The part of a column orthogonal to the basis, with length one; twice, since once leaves rounding
/// that is not orthogonal.
fn orthonormal(column: &[f64], basis: &[Vec<f64>]) -> Option<Vec<f64>> {
    let mut rest = column.to_vec();
    for _ in 0..2 {
        for vector in basis {
            subtract(dot(vector, &rest), vector, &mut rest);
        }
        let length = dot(&rest, &rest).sqrt();
        if length < f64::MIN_POSITIVE {
            return None;
        }
        rest.iter_mut().for_each(|x| *x /= length);
    }
    Some(rest)
}

fn subtract(factor: f64, x: &[f64], out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out -= factor * x;
    }
}
