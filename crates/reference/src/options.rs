//! How far the search for a reference goes.

/// How far the search goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceOptions {
    /// Largest natural map of an answer, and largest difference in velocity of answers that agree
    /// \[-\] (M.5, M.21).
    pub tolerance: f64,
    /// Rows beyond which nothing is tried \[-\]: methods that factorize take O(rows³).
    pub max_rows: usize,
    /// Row updates of one method \[-\].
    pub max_row_updates: u64,
    /// Ask every method, also where two agree on a convex problem.
    pub thorough: bool,
}

impl Default for ReferenceOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            max_rows: 1500,
            max_row_updates: 200_000_000,
            thorough: false,
        }
    }
}

impl ReferenceOptions {
    /// A natural map that needs no refinement \[-\].
    pub(crate) fn goal(&self) -> f64 {
        1e-3 * self.tolerance
    }
}
