//! The names that most programs need: `use delassus::prelude::*;`.
//!
//! ```
//! use delassus::prelude::*;
//!
//! // the projection of an impulse onto Coulomb's cone with μ = 0.5
//! let (law, mut impulse) = (Law::coulomb(0.5), [1.0, 3.0, 0.0]);
//! for factor in law.factors(3) {
//!     factor.project(&mut impulse);
//! }
//! assert!((impulse[1] - 0.5 * impulse[0]).abs() < 1e-15);
//! ```

pub use crate::{
    BuildProblem, ResidualPoint, SolveLimits, SolveOutcome, StepBuilder, scheme, solve, solve_with,
    solver,
};
pub use delassus_core::{
    AdmissibleSet, Block, Checked, ContactLaw, Factor, Friction, ImpulseSolver, Law, LawKind,
    Method, ParameterError, Parameters, Prepared, Problem, Progress, Softness, SolveError,
    SolverDescriptor, Start, Status, Support,
};
pub use delassus_dynamics::{
    Body, BodyHandle, BodyKey, BodyKind, Capsule, Collider, Cuboid, Cylinder, HalfSpace, Hull,
    Inertia, Joint, JointHandle, Material, Scheme, Shape, ShapeGeometry, Sphere, StepReport, World,
    WorldParts, constraints,
};
pub use delassus_metrics::{Evaluator, Metric, Residuals};
pub use delassus_registry::Registry;
pub use nalgebra::{self, UnitQuaternion, Vector3};
