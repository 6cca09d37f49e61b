//! Exact solutions of one contact, the other contacts fixed: W r + q = w with r and w under a law.
//!
//! `q` is w without the contact's own impulses. Each solver is a pure function of (W, q), up to the
//! guess that its root finder starts from; `None` says that the local problem has no solution it
//! can find, which needs a W that is not positive definite.

pub(crate) mod bisection;
pub(crate) mod boxes;
pub(crate) mod circle;
pub(crate) mod convex;
pub(crate) mod coulomb;
pub(crate) mod facets;
pub(crate) mod root;

/// One contact with its law and everything of it that does not depend on q.
pub(crate) trait LocalSolver {
    /// The impulse of the local problem; `old` guides root finders only.
    fn solve(&self, q: [f64; 3], old: [f64; 3]) -> Option<[f64; 3]>;

    /// The nearest admissible impulse, or an admissible one whose normal part is the nearest.
    fn project(&self, impulse: [f64; 3]) -> [f64; 3];
}

/// W = A_cc + R_cc of one contact: normal first, one or two tangents.
///
/// With one tangent the last row and column are zero and unused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OwnMatrix {
    /// Rows of W, row-major; only the leading `dim` rows and columns count.
    pub(crate) w: [[f64; 3]; 3],
    /// 2 or 3.
    pub(crate) dim: usize,
}

impl OwnMatrix {
    /// From a row-major `dim × dim` slice, `dim` at most 3.
    pub(crate) fn new(own: &[f64], dim: usize) -> Self {
        let mut w = [[0.0; 3]; 3];
        for i in 0..dim {
            for j in 0..dim {
                w[i][j] = own[i * dim + j];
            }
        }
        Self { w, dim }
    }
}

#[cfg(test)]
mod tests;
