//! The forms of other programs' files, and how they store a matrix.

use crate::error::ProblemWriteError;

/// How a matrix is stored in a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixStorage {
    /// Every number, column by column.
    Dense,
    /// The blocks that are not zero, each column by column.
    BlockSparse,
}

/// A kind of problem that the field exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldForm {
    /// Friction in Delassus form, joints as bilateral rows.
    Local,
    /// Friction with mass matrix and Jacobian, joints as bilateral rows.
    Global,
    /// Unilateral rows.
    Lcp,
    /// Rows between bounds.
    Relay,
    /// Unilateral rows and equations.
    Mlcp,
}

impl FieldForm {
    /// What errors call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Local => "the local friction-contact form",
            Self::Global => "the global friction-contact form",
            Self::Lcp => "the LCP format",
            Self::Relay => "the relay format",
            Self::Mlcp => "the MLCP format",
        }
    }

    /// The problem does not fit the form.
    pub(super) fn refuse(self, reason: impl Into<String>) -> ProblemWriteError {
        ProblemWriteError::NotExpressible {
            format: self.name(),
            reason: reason.into(),
        }
    }
}
