//! Variables of a form, and the equations of free impulses.

/// What a variable and its complement have to satisfy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariableKind {
    /// x free, s = 0.
    Free,
    /// 0 ≤ x ⊥ s ≥ 0.
    Pair,
}

/// One variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Variable {
    pub(crate) kind: VariableKind,
    /// Its column of G: rows and factors; a slack has none.
    pub(super) rows: [(usize, f64); 2],
    /// What its complement is made of: the same, but for equations of free rows, which may belong
    /// to any of them.
    pub(super) velocities: [(usize, f64); 2],
    /// Number of entries of `rows` and `velocities`.
    pub(super) len: usize,
}

/// Which equation w_j = 0 a free impulse y_i belongs to, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Equation {
    /// i.
    pub(crate) impulse: usize,
    /// j.
    pub(crate) velocity: usize,
    /// Sign of the equation in a split pair: the one that makes M nearer to skew (B.9).
    pub(crate) sign: f64,
    /// True if y_i becomes a difference of two signed variables.
    pub(crate) split: bool,
}

impl Variable {
    pub(super) fn of_row(kind: VariableKind, row: usize, factor: f64) -> Self {
        Self::new(kind, [(row, factor), (0, 0.0)], 1)
    }

    pub(super) fn new(kind: VariableKind, rows: [(usize, f64); 2], len: usize) -> Self {
        Self {
            kind,
            rows,
            velocities: rows,
            len,
        }
    }

    pub(super) const SLACK: Self = Self {
        kind: VariableKind::Pair,
        rows: [(0, 0.0); 2],
        velocities: [(0, 0.0); 2],
        len: 0,
    };

    pub(crate) fn terms(&self) -> &[(usize, f64)] {
        &self.rows[..self.len]
    }
}
