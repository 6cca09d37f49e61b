//! Why a solve ended.

/// Why a solve of a frozen problem ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoppedBy {
    /// It had the number of sweeps that it was given.
    Count,
    /// The residual is within the tolerance.
    Tolerance,
    /// It had the largest number of sweeps, and the residual is above the tolerance.
    Limit,
    /// The solver cannot get any closer: direct methods.
    Solver,
}
