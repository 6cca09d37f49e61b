//! Rigid-body constraint solvers behind one interface, as a library.
//!
//! A **frozen problem** is the constraint problem of one time step. [`Problem::builder`] collects
//! bodies, joints and contacts, and [`solve()`] takes the name of any solver:
//!
//! ```
//! use delassus::prelude::*;
//!
//! fn main() -> Result<(), delassus::Error> {
//!     let mut step = Problem::builder();
//!     step.gravity(Vector3::new(0.0, -9.81, 0.0))?;
//!     let ground = step.body(Body::fixed(Vector3::zeros()))?;
//!     let stone = step.body(Body::dynamic(Inertia::point(2.0), Vector3::zeros()))?;
//!     step.contact(ground, stone, Vector3::zeros(), Vector3::y(), 0.5)?;
//!     let solved = solve(&step.build(0.01)?, "pgs", 1e-8)?;
//!     // the contact carries the weight of the stone for the whole step
//!     assert!(solved.is_solved() && (solved.impulses[0] - 2.0 * 9.81 * 0.01).abs() < 1e-9);
//!     Ok(())
//! }
//! ```
//!
//! A **world** has bodies, shapes and joints. A [`scheme`](fn@scheme) advances it by one frame (a
//! time step) per call. Between frames, bodies, shapes and joints can be added and removed:
//!
//! ```
//! use delassus::prelude::*;
//!
//! fn main() -> Result<(), delassus::Error> {
//!     let mut world = World::new(Vector3::new(0.0, -9.81, 0.0))?;
//!     let ground = world.add_body(Body::fixed(Vector3::zeros()))?;
//!     world.add_shape(ground, HalfSpace::default())?;
//!     let ball = Sphere::new(0.1);
//!     let body = world.add_body(Body::dynamic(ball.solid(1.0)?, Vector3::y()))?;
//!     world.add_shape(body, ball)?;
//!     let mut scheme = scheme("soft-step", "pgs")?;
//!     for _ in 0..60 {
//!         world.step(&mut scheme, 1.0 / 60.0)?;
//!     }
//!     assert!((world.body(body)?.position.to_vector().y - 0.1).abs() < 0.01);
//!     Ok(())
//! }
//! ```
//!
//! Everything that these programs need is in the [`prelude`]. It re-exports parts of the crates
//! [`core`] (problems, laws, the solver traits), [`dynamics`] (worlds, joints, schemes),
//! [`metrics`] (residuals) and [`registry`] (every solver and scheme, with its parameters). To
//! write a solver, implement [`Method`](core::Method); the [`Factor`](core::Factor)s of a law have
//! the projections that it needs. `docs/library.md` has an example of each task.
//!
//! [`Problem::builder`]: BuildProblem::builder

mod builder;
mod error;
pub mod prelude;
mod solve;

pub use builder::{BuildProblem, StepBuilder};
pub use error::Error;
pub use solve::{ResidualPoint, SolveLimits, SolveOutcome, solve, solve_with};

pub use delassus_core as core;
pub use delassus_dynamics as dynamics;
pub use delassus_metrics as metrics;
pub use delassus_registry as registry;
pub use nalgebra;

use delassus_core::ImpulseSolver;
use delassus_core::parameter::Map;
use delassus_dynamics::Scheme;

/// Returns the solver `name` with its default parameters. The name is an identifier, an alias, or a
/// composition such as `best-so-far(pgs)`. To build solvers with other parameters, use
/// [`registry::Registry`].
///
/// ```
/// let pgs = delassus::solver("pgs")?;
/// assert_eq!(pgs.descriptor().id, "pgs");
/// let error = delassus::solver("blok-gs").err().unwrap();
/// assert_eq!(error.to_string(), "unknown solver \"blok-gs\"; did you mean \"block-gs\"?");
/// let error = delassus::solver("xpbd").err().unwrap();
/// assert!(error.to_string().starts_with("unknown solver \"xpbd\"; it is a scheme:"), "{error}");
/// # Ok::<(), delassus::Error>(())
/// ```
///
/// # Errors
/// [`Error::Entry`] with the closest name, [`Error::OtherKind`] for the name of a scheme.
pub fn solver(name: &str) -> Result<Box<dyn ImpulseSolver>, Error> {
    let registry = registry::Registry::standard();
    let entry = registry.find(name);
    let entry = entry.map_err(|error| Error::of_name(error, "solver", registry::scheme))?;
    Ok(entry.build(&Map::new())?)
}

/// Returns the scheme or preset `name` with its default parameters, using the solver `solver`. Pass
/// `None` if the scheme has a built-in solver. To build schemes with other parameters, or with your
/// own solver, use [`registry::scheme`].
///
/// ```
/// let soft_step = delassus::scheme("soft-step", "block-gs")?;
/// assert_eq!(soft_step.descriptor().id, "velocity");
/// let xpbd = delassus::scheme("xpbd", None)?;
/// assert_eq!(xpbd.descriptor().id, "xpbd");
/// let error = delassus::scheme("pgs", None).err().unwrap();
/// assert!(error.to_string().starts_with("unknown scheme \"pgs\"; it is a solver:"), "{error}");
/// # Ok::<(), delassus::Error>(())
/// ```
///
/// # Errors
/// [`Error::Entry`] with the closest name, [`Error::OtherKind`] for the name of a solver,
/// [`Error::Scheme`] if a solver is missing or not needed.
pub fn scheme<'n>(
    name: &str,
    solver: impl Into<Option<&'n str>>,
) -> Result<Box<dyn Scheme>, Error> {
    let entry = registry::scheme(name).map_err(|error| {
        let find = |name: &str| registry::Registry::standard().find(name);
        Error::of_name(error, "scheme", find)
    })?;
    let inner = solver.into().map(crate::solver).transpose()?;
    Ok(entry.build_with(&Map::new(), inner)?)
}

/// The programs of the README, which are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The programs of the page about the library, which are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Library;
