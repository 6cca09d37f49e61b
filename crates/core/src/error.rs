//! Errors: what is wrong, where, what to do.

mod problem;
mod refusal;

use thiserror::Error;

use crate::numbers::shortened;

pub use problem::{CouplingFault, ProblemError};
pub use refusal::{DeviceError, Unsupported};

/// Why a solver stopped. Not converging is a [`crate::Status`], not an error.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The problem is refused.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// `iterate`, `update` or a reading function was called before `prepare`.
    #[error("prepare the solver first")]
    NotPrepared,
    /// A slice or the problem has another size than the prepared problem.
    #[error("{what} has {found} entries, the prepared problem {expected}")]
    Length {
        /// Name of the slice or of the part of the problem.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The expected length.
        expected: usize,
    },
    /// A warm start contains NaN or infinity.
    #[error("warm start: the impulse of row {row} is not finite")]
    WarmStart {
        /// The row.
        row: usize,
    },
    /// The iterate became NaN or infinite.
    #[error("the impulse of row {row} became non-finite")]
    NonFinite {
        /// First such row.
        row: usize,
    },
    /// A body velocity became NaN or infinite before any impulse did.
    #[error("a body velocity became non-finite")]
    NonFiniteVelocity,
    /// The solver computed another problem from its iterate, and this problem is not valid, because
    /// a number exceeds the range of f64.
    #[error("a problem derived from the prepared one is not valid: {0}")]
    Derived(Box<ProblemError>),
    /// The factorization of a matrix failed in a direct method.
    #[error("the matrix cannot be factorized: {reason}")]
    Factorization {
        /// What went wrong, and what to try.
        reason: &'static str,
    },
    /// The method found no solution, and did not prove that none exists.
    #[error("no solution reached: {reason}")]
    Unreached {
        /// The state in which the method ended, and what to try.
        reason: &'static str,
    },
    /// The problem has no solution.
    #[error("no solution: {reason}")]
    Infeasible {
        /// The proof that there is no solution.
        reason: &'static str,
    },
    /// The method ended on a ray, which may or may not prove that there is no solution.
    #[error(transparent)]
    Ray(#[from] Ray),
    /// The caller's limit stopped the solve ([`crate::interrupt`]). The solver keeps the impulses
    /// of the last completed part.
    #[error("the limit of the caller was reached")]
    Interrupted,
    /// Body velocities were requested for a problem without bodies.
    #[error("the problem is given by its matrix and has no bodies")]
    NoBodies,
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A solver in a separate process gave no usable answer.
    #[error("{program}: {reason}")]
    Process {
        /// The program.
        program: String,
        /// What went wrong, with the last message of the process.
        reason: String,
    },
}

impl SolveError {
    /// True if an impulse, a velocity, or a number of a problem that the solver derived is not
    /// finite.
    pub fn is_non_finite(&self) -> bool {
        match self {
            Self::NonFinite { .. } | Self::NonFiniteVelocity => true,
            Self::Derived(error) => matches!(**error, ProblemError::NonFinite { .. }),
            _ => false,
        }
    }

    /// Checks the size of a slice or problem.
    ///
    /// # Errors
    /// [`Self::Length`], unless `found` is `expected`.
    pub fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        Err(Self::Length {
            what,
            found,
            expected,
        })
    }
}

impl From<ProblemError> for SolveError {
    fn from(error: ProblemError) -> Self {
        Self::Derived(Box::new(error))
    }
}

/// A direction d along which the impulses of a method grew without bound.
///
/// The direction proves that there is no solution (B.4) if
/// - d is nonzero only in rows whose impulse may grow without bound,
/// - Ad increases no velocity that must be complementary to an impulse, and
/// - bᵀd < 0.
///
/// Then every admissible λ has dᵀw = dᵀAλ + dᵀb ≤ dᵀb < 0, but a solution needs dᵀw ≥ 0 (Farkas).
#[derive(Debug, Clone, PartialEq)]
pub struct Ray {
    /// d, one per row, of unit length in the scaled rows (D.2) \[N·s\].
    pub direction: Vec<f64>,
    /// Largest violation of the second condition by Ad, divided by the length of d, in the scaled
    /// rows \[-\]. In a proof it is rounding error.
    pub defect: f64,
    /// bᵀd divided by the lengths of b and d, in the scaled rows \[-\]; negative in a proof.
    pub work: f64,
}

impl Ray {
    /// Largest defect of a proof, as a fraction of its work \[-\].
    const ROUNDING: f64 = 1e-6;

    /// Creates a ray from its fields.
    pub fn new(direction: Vec<f64>, defect: f64, work: f64) -> Self {
        Self {
            direction,
            defect,
            work,
        }
    }

    /// True if the ray proves that there is no solution; false if it proves nothing.
    pub fn is_proof(&self) -> bool {
        self.work < 0.0 && self.defect <= Self::ROUNDING * -self.work
    }
}

impl std::error::Error for Ray {}

/// Writes the result and the numbers that prove it.
impl std::fmt::Display for Ray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (defect, work) = (self.defect, self.work);
        let row = |(largest, at): (f64, usize), (i, x): (usize, &f64)| {
            if x.abs() > largest {
                (x.abs(), i)
            } else {
                (largest, at)
            }
        };
        let (_, largest) = self.direction.iter().enumerate().fold((0.0, 0), row);
        if self.is_proof() {
            write!(
                f,
                "no solution: impulses that grow along a ray (most on row {largest}) raise no velocity (defect \
                 {defect:.1e}) and b does negative work on them ({work:.1e}): the rows contradict each other"
            )
        } else {
            write!(
                f,
                "no solution reached: the pivoting ended on a ray (most on row {largest}), which proves nothing here \
                 (defect {defect:.1e}, work {work:.1e}); take enumeration for small problems, or an iterative solver"
            )
        }
    }
}

/// A solver parameter is out of its range.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{parameter} = {} is out of range: {expected}", shortened(.value))]
pub struct ParameterError {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// The value given.
    pub value: String,
    /// What is allowed.
    pub expected: &'static str,
}
