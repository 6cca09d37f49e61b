//! One error for programs that use `?`.

use delassus_core::{EntryError, FieldError, ProblemError, SolveError, Unsupported};
use delassus_dynamics::{EditError, SchemeError, StepError};
use delassus_metrics::MetricError;

/// The error of every call of this library. It says what is wrong, where, and what to do. If a
/// solve does not converge, this is not an error but a [`Status`](delassus_core::Status).
///
/// ```
/// use delassus::prelude::*;
///
/// let mut world = World::default();
/// let weightless = Body::dynamic(Inertia::point(0.0), Vector3::zeros());
/// let error = delassus::Error::from(world.add_body(weightless).unwrap_err());
/// assert!(error.to_string().starts_with("body.inertia.mass = 0: a dynamic body has a mass > 0"));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no solver or scheme with the name, or a parameter is wrong.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The name of a scheme where a solver is needed, or of a solver where a scheme is needed.
    #[error("unknown {wanted} {name:?}; it is a {kind}: {}", how(.kind, .name))]
    OtherKind {
        /// The name given.
        name: String,
        /// What it names: "solver" or "scheme".
        kind: &'static str,
        /// What is needed.
        wanted: &'static str,
    },
    /// A field has a value that is not allowed.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A body, shape, joint or contact cannot be added to the world, changed or removed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A scheme cannot be built, or cannot advance the world.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The parts do not form a valid problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The solver refuses the problem.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The solver failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The residual of the impulses cannot be computed.
    #[error(transparent)]
    Metric(#[from] MetricError),
}

impl Error {
    /// The error about a name that `find` may know as the other kind.
    pub(crate) fn of_name<T>(
        error: EntryError,
        wanted: &'static str,
        find: impl Fn(&str) -> Result<T, EntryError>,
    ) -> Self {
        match error {
            EntryError::UnknownId { id: name, .. } if find(&name).is_ok() => {
                let kind = if wanted == "solver" {
                    "scheme"
                } else {
                    "solver"
                };
                Self::OtherKind { name, kind, wanted }
            }
            error => Self::Entry(error),
        }
    }
}

/// How a name is used, by what it names.
fn how(kind: &str, name: &str) -> String {
    match kind {
        "solver" => format!("delassus::scheme(\"soft-step\", {name:?}) steps with it"),
        _ => format!("delassus::scheme({name:?}, …) builds it"),
    }
}
