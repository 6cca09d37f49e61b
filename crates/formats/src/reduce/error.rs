//! Why a global problem has no Delassus form.

use delassus_core::MemoryError;
use thiserror::Error;

use crate::error::ProblemFieldError;

/// Why a global problem has no Delassus form.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ReduceError {
    /// Parts that do not fit each other.
    #[error(transparent)]
    Field(#[from] ProblemFieldError),
    /// M has no inverse.
    #[error("the mass matrix M is singular, so there is no W = H^T M^-1 H")]
    Singular,
    /// Numbers that overflow, or an M so close to singular that its inverse is noise.
    #[error(
        "the mass matrix M cannot be inverted: the residual of its solves is {residual:.1e}; it is close to singular or badly scaled"
    )]
    Inaccurate {
        /// Largest ‖M x − h‖ / (‖M‖ ‖x‖ + ‖h‖) \[-\].
        residual: f64,
    },
    /// The Delassus form has one V for both directions.
    #[error(
        "the mass matrix M is not symmetric, and the problem has bilateral rows: the local form, which has one V for H^T M^-1 G and G^T M^-1 H, cannot hold it"
    )]
    Unsymmetric,
    /// The factor or W would take more memory than they may.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}
