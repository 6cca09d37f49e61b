//! Exact solutions of one contact, the other contacts fixed: W r + q = w with r and w under a law.
//!
//! `q` is w without the contact's own impulses. Each solver is a pure function of (W, q), up to the guess that its root
//! finder starts from; `None` says that the local problem has no solution it can find, which needs a W that is not
//! positive definite.

pub(crate) mod boxes;
pub(crate) mod circle;
pub(crate) mod convex;
pub(crate) mod coulomb;

/// W = A_cc + R_cc of one contact: normal first, one or two tangents.
///
/// With one tangent the second one is left out of `tt` by `dim`, not by zeros.
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

    /// w = W r + q.
    #[inline(always)]
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests' judge"))]
    pub(crate) fn velocity(&self, r: [f64; 3], q: [f64; 3]) -> [f64; 3] {
        let mut w = q;
        for i in 0..3 {
            w[i] += self.w[i][0] * r[0] + self.w[i][1] * r[1] + self.w[i][2] * r[2];
        }
        w
    }
}
