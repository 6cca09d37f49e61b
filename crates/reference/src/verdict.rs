//! What is known of the solutions of a problem.

use thiserror::Error;

use delassus_solver_dense::assembly::Redundancy;

use crate::attempt::Attempt;
use crate::continuum::Continuum;

/// What came of looking for a reference.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceSearch {
    /// The reference, or why there is none.
    pub reference: Result<Certified, NoReference>,
    /// Every method that was asked, in order.
    pub attempts: Vec<Attempt>,
    /// Rank and null dimension of A (D.3): how many of the impulses the problem leaves open. `None`
    /// where it was not found.
    pub redundancy: Option<Redundancy>,
}

/// Certified solutions.
#[derive(Debug, Clone, PartialEq)]
pub struct Certified {
    /// Solutions whose velocities differ, that with the smallest residual first; never empty.
    pub solutions: Vec<CertifiedSolution>,
    /// Whether there are others.
    pub uniqueness: Uniqueness,
}

/// One certified solution.
#[derive(Debug, Clone, PartialEq)]
pub struct CertifiedSolution {
    /// λ, one per row \[N·s\]: one of many where rows are redundant.
    pub impulses: Vec<f64>,
    /// v⁺, 6 per body \[m/s, rad/s\]; of a problem without bodies w = (A + R)λ + b per row \[m/s |
    /// rad/s\].
    pub velocities: Vec<f64>,
    /// Natural map \[-\] (M.5).
    pub residual: f64,
    /// Largest difference of constraint velocities among the methods that agree \[-\] (M.21).
    pub agreement: f64,
    /// The methods that agree, the one that the impulses come from first.
    pub methods: Vec<&'static str>,
    /// What the certificate rests on.
    pub basis: Basis,
}

/// What a certificate rests on (F.1, F.2, F.5).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Basis {
    /// Methods of two families agree in velocity.
    TwoFamilies,
    /// One family has found it, and this method of another comes back to it from a point near it.
    Returned(&'static str),
    /// All active sets were looked at.
    Enumeration,
    /// The duality gap bounds the error in velocity by this \[-\] (M.24), in the units of the
    /// agreement.
    Gap(f64),
}

/// Whether a problem has other solutions than those listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uniqueness {
    /// The velocities of all solutions are the same: the problem is convex.
    Convex,
    /// All solutions are listed: every active set was looked at.
    Enumerated,
    /// Not known.
    Open,
}

/// Why there is no reference.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum NoReference {
    /// The problem is too large for methods that factorize.
    #[error("{rows} rows are more than the {limit} that references are computed for")]
    TooLarge {
        /// Rows of the problem \[-\].
        rows: usize,
        /// The limit \[-\].
        limit: usize,
    },
    /// There is no solution.
    #[error("{method} finds that there is no solution: {reason}")]
    Infeasible {
        /// The method that says so.
        method: &'static str,
        /// Its words.
        reason: String,
    },
    /// No method comes within the tolerance.
    #[error(
        "no method comes within {tolerance:.0e}: the best is {method} with a natural map of {residual:.1e}"
    )]
    Unreached {
        /// The method that came closest.
        method: &'static str,
        /// Its natural map \[-\].
        residual: f64,
        /// The tolerance \[-\].
        tolerance: f64,
    },
    /// No method treats the problem.
    #[error("no method treats the problem; {method}: {reason}")]
    Unsupported {
        /// The last one that was asked.
        method: &'static str,
        /// Why not.
        reason: String,
    },
    /// One family has an answer, and no other confirms it.
    #[error(
        "only {method} has an answer (natural map {residual:.1e}), and no other method confirms it"
    )]
    OneMethod {
        /// The method.
        method: &'static str,
        /// Its natural map \[-\].
        residual: f64,
    },
    /// Answers within the tolerance have different velocities, each known to one family only.
    #[error(
        "{first} and {second} each satisfy the laws within {tolerance:.0e}, and their velocities differ by {distance:.1e}"
    )]
    Disagree {
        /// A method.
        first: &'static str,
        /// A method of another family.
        second: &'static str,
        /// Difference of their constraint velocities \[-\] (M.21).
        distance: f64,
        /// The tolerance \[-\].
        tolerance: f64,
    },
    /// The velocities of the solutions are a family, of which no point is a reference (F.7, F.8).
    #[error(
        "the solutions are a family of dimension {}: velocities that differ by {:.1e} or more satisfy the laws within \
         {tolerance:.0e}, and none of them is the one to compare with; found from {method}",
        family.dimension, family.extent
    )]
    Family {
        /// The family.
        family: Continuum,
        /// The method that its first member comes from.
        method: &'static str,
        /// The tolerance \[-\].
        tolerance: f64,
    },
    /// The problem or its answers cannot be judged.
    #[error("the residual cannot be evaluated: {reason}")]
    Judge {
        /// Why not.
        reason: String,
    },
    /// The search was stopped.
    #[error("interrupted")]
    Interrupted,
}
