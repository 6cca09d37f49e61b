//! How a pass ends: every failure of a scheme or solver as a status.

use delassus_core::{DeviceError, ProblemError, SolveError, Status};
use delassus_dynamics::{SchemeError, StepError, StoppedBy, World};
use delassus_records::guard::caught;
use thiserror::Error;

/// Why a pass ended early.
#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum PassError {
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    #[error("frame {frame}, {time} s: {source}")]
    Step {
        frame: u64,
        time: f64,
        source: StepError,
    },
}

/// How a pass ended, with a reason where there is one.
pub(crate) type PassEnd = (Status, Option<String>);

/// The error of the frame of this index, counted from 0: so many frames came before it.
pub(crate) fn step_error(world: &World, frame: u64, source: StepError) -> PassError {
    PassError::Step {
        frame,
        time: world.time(),
        source,
    }
}

/// Turns every failure into a status: an error, or a panic of a scheme or solver that is not ours.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, PassError>) -> Result<T, PassEnd> {
    match caught(run) {
        Ok(outcome) => outcome.map_err(|error| (status_of(&error), Some(error.to_string()))),
        Err(text) => {
            let message = format!("the scheme or its solver panicked: {text}");
            Err((Status::Failed, Some(message)))
        }
    }
}

/// The status of a run that an error ended.
fn status_of(error: &PassError) -> Status {
    match error {
        PassError::Scheme(refusal) => refused(refusal),
        PassError::Step { frame, source, .. } => match source {
            // a field that the scheme took at the start and refuses now has run away: a spin, for
            // example
            StepError::Scheme(SchemeError::Field(_)) if *frame > 1 => Status::Diverged,
            StepError::NonFinite { .. } | StepError::Problem(ProblemError::NonFinite { .. }) => {
                Status::NonFinite
            }
            StepError::Scheme(refusal) => refused(refusal),
            StepError::Unsolved { by, .. } => match by {
                StoppedBy::Solver => Status::Stagnated,
                _ => Status::MaxSweeps,
            },
            StepError::Solve(SolveError::Unsupported(_)) => Status::Unsupported,
            StepError::Solve(SolveError::Device(DeviceError::Lost { .. })) => Status::DeviceLost,
            StepError::Solve(error) if error.is_non_finite() => Status::NonFinite,
            StepError::Solve(SolveError::Infeasible { .. }) => Status::Infeasible,
            StepError::Solve(SolveError::Ray(ray)) if ray.is_proof() => Status::Infeasible,
            StepError::Solve(SolveError::Ray(_) | SolveError::Unreached { .. }) => {
                Status::Stagnated
            }
            _ => Status::Failed,
        },
    }
}

/// A scheme that cannot treat something in the world refuses it; anything else is a failure.
fn refused(error: &SchemeError) -> Status {
    match error {
        SchemeError::Unsupported { .. }
        | SchemeError::Solver(_)
        | SchemeError::Field(_)
        | SchemeError::Engine { .. } => Status::Unsupported,
        SchemeError::Problem(ProblemError::NonFinite { .. }) => Status::NonFinite,
        _ => Status::Failed,
    }
}
