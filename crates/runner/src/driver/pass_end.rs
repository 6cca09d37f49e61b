//! How a pass ends: by a criterion, by a limit, or by a failure of the solver.

use delassus_core::{DeviceError, SolveError, Status};
use delassus_metrics::MetricError;
use delassus_records::guard::caught;

use crate::judge::JudgeError;

/// How a pass ended, with a reason where there is one.
#[derive(Debug)]
pub(crate) struct PassEnd {
    pub(crate) status: Status,
    pub(crate) reason: Option<String>,
}

impl PassEnd {
    /// An end that its status explains.
    pub(crate) fn plain(status: Status) -> Self {
        Self {
            status,
            reason: None,
        }
    }

    pub(crate) fn because(status: Status, reason: impl Into<String>) -> Self {
        Self {
            status,
            reason: Some(reason.into()),
        }
    }
}

impl From<JudgeError> for PassEnd {
    fn from(error: JudgeError) -> Self {
        Self::because(status_of(&error), error.to_string())
    }
}

impl From<SolveError> for PassEnd {
    fn from(error: SolveError) -> Self {
        JudgeError::from(error).into()
    }
}

/// Runs a pass or a part of it. Every failure of the solver ends the pass: an error, or a panic of
/// a solver that is not ours.
pub(crate) fn guarded<T, E: Into<PassEnd>>(
    run: impl FnOnce() -> Result<T, E>,
) -> Result<T, PassEnd> {
    caught(run)
        .map_err(|text| PassEnd::because(Status::Failed, format!("the solver panicked: {text}")))?
        .map_err(E::into)
}

fn status_of(error: &JudgeError) -> Status {
    match error {
        JudgeError::Solve(SolveError::Unsupported(_)) => Status::Unsupported,
        // too large for this device is no fault of the run
        JudgeError::Solve(SolveError::Device(DeviceError::Limit { .. })) => Status::Unsupported,
        JudgeError::Solve(SolveError::Device(DeviceError::Lost { .. })) => Status::DeviceLost,
        JudgeError::Solve(error) if error.is_non_finite() => Status::NonFinite,
        JudgeError::Solve(SolveError::Infeasible { .. }) => Status::Infeasible,
        JudgeError::Solve(SolveError::Ray(ray)) if ray.is_proof() => Status::Infeasible,
        JudgeError::Solve(SolveError::Ray(_) | SolveError::Unreached { .. }) => Status::Stagnated,
        JudgeError::Metric(MetricError::Overflow { .. }) => Status::Diverged,
        JudgeError::Metric(MetricError::NonFinite { .. }) => Status::NonFinite,
        _ => Status::Failed,
    }
}
