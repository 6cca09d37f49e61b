//! The laws that every registered solver, every kind of constraint and every scheme must obey, one
//! function each.
//!
//! A law takes a way to make the solver and a [`Case`], and returns a [`Verdict`]. The numbers are
//! those of the design: 1 chunks, 2 warm start, 3 the oracle's residual, 4 convergence, 5
//! repetition, 6 allocation, 7 scaling, 8 refusal, 9 momentum, 10 friction, 11 recurrence, 12
//! sharing, 13 restart, 14 rewriting, 15 immobile rows, 16 maps. A law that does not apply says
//! why; a caller that sees nothing but that has tested nothing. A solver or scheme whose device is
//! missing gets the verdict [`Verdict::Unavailable`] from every law.

mod cases;
pub mod constraints;
mod friction;
mod immobile;
mod laws;
mod limits;
mod recurrence;
mod refusal;
mod repeated;
mod restart;
mod rewriting;
mod schemes;
mod sharing;
mod turned;

pub use cases::{Case, cases, coupled_joints, law_cases};
pub use delassus_skips::{device_or_skip, skip, skip_device};
pub use friction::{FrictionCase, friction, friction_cases, friction_on};
pub use immobile::immobile;
pub use laws::{
    allocation, chunks, convergence, endurance, momentum, oracle_residual, repetition, scaling,
    warm_start,
};
pub use limits::scheme_passive_limits;
pub use recurrence::recurrence;
pub use refusal::refusal;
pub use repeated::{Maker, Makers, allocations, repeated_allocation, repeated_bits};
pub use restart::{restart, restart_allocation, unit_map};
pub use rewriting::{Rewriting, rewriting};
pub use schemes::{
    MakeScheme, MakeSchemeWith, scheme_bad_steps, scheme_contact_rest, scheme_failing_solver,
    scheme_momentum, scheme_repetition, scheme_rest, scheme_step_change,
};
pub use sharing::sharing;
pub use turned::scheme_rotation;

use delassus_core::{DeviceError, ImpulseSolver};

/// True where `DELASSUS_TESTS=whole` asks tests for every case of every law: where one is like the
/// next, and solvers or devices are slow, they meet a share of them otherwise.
pub fn whole() -> bool {
    std::env::var("DELASSUS_TESTS").is_ok_and(|value| value == "whole")
}

/// Makes a fresh solver with its default parameters.
pub type Make<'a> = &'a dyn Fn() -> Box<dyn ImpulseSolver>;

/// What a law found.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The solver obeys the law on this case.
    Holds,
    /// The law says nothing about this pair, for the stated reason.
    NotApplicable(String),
    /// This machine lacks the device of the solver or scheme, for the stated reason. Callers print
    /// it with [`skip_device`], and count it neither as held nor as broken.
    Unavailable(String),
    /// The solver breaks the law.
    Violated(String),
}

/// A call that must succeed and fails breaks the law.
impl<E: std::error::Error> From<E> for Verdict {
    fn from(error: E) -> Self {
        Self::Violated(error.to_string())
    }
}

/// Fails with [`Verdict::Unavailable`] if the `device` method of a solver or scheme returned an
/// error.
fn available(device: Option<Result<String, DeviceError>>) -> Result<(), Verdict> {
    match device {
        Some(Err(error)) => Err(Verdict::Unavailable(error.to_string())),
        Some(Ok(_)) | None => Ok(()),
    }
}

/// The value of a result; its error ends the law with a verdict.
macro_rules! attempt {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(error) => return $crate::Verdict::from(error),
        }
    };
}
pub(crate) use attempt;

/// Turns a broken expectation into a verdict.
macro_rules! require {
    ($condition:expr, $($message:tt)*) => {
        let holds: bool = $condition;
        if !holds {
            return $crate::Verdict::Violated(format!($($message)*));
        }
    };
}
pub(crate) use require;

#[cfg(test)]
mod tests;
