//! Vocabulary of Delassus: the frozen constraint problem, its laws, and the solver trait.
//!
//! One time step's velocity-level constraint problem is a [`Problem`]: an [`Operator`] (bodies and
//! Jacobians, or a block-sparse matrix), [`Block`]s of rows with a [`Law`] each, a bias and a
//! diagonal compliance. Every solver implements [`ImpulseSolver`] on it, most of them as a
//! [`Method`] in the outer layer [`Checked`]; no solver sees a metric, a clock or a log. This crate
//! does no I/O, starts no threads and reads no clock.
//!
//! Theory: `docs/theory/01-problem.md` (P.1–P.19).

// the derives name the crate from outside
extern crate self as delassus_core;

mod bodies;
mod builder;
mod checked;
mod choice;
mod contact_law;
mod coupled;
mod descriptor;
mod error;
mod field_error;
mod finite;
mod free_rotation;
pub mod interrupt;
mod jacobian;
mod law;
mod memory;
pub mod norm;
pub mod parameter;
pub mod place;
mod polygon;
mod problem;
pub mod projection;
pub mod registry;
pub mod rotation;
mod scaling;
mod softness;
mod solver;
mod sparse;
mod start;
mod status;
mod substeps;
pub mod suggest;

pub use bodies::{BodyRows, MassProperties, moves};
pub use builder::ProblemBuilder;
pub use checked::{Checked, Method, Prepared};
pub use choice::{Choice, ChoiceDoc, UnknownName};
pub use contact_law::ContactLaw;
pub use coupled::CoupledCompliance;
pub use delassus_parameters_derive::{Choice, Parameters};
pub use descriptor::{Determinism, Fidelity, Precision, SolverDescriptor, Support, WorkUnit};
pub use error::{
    CouplingFault, DeviceError, ParameterError, ProblemError, Ray, SolveError, Unsupported,
};
pub use field_error::FieldError;
pub use free_rotation::{FreeRotor, MeanSpin};
pub use jacobian::{ContactArms, ContactAxes, Jacobian, ManifoldGeometry, PointGeometry, relative};
pub use law::{
    AdmissibleSet, Block, Factor, FactorList, Factors, Friction, FrictionLaw, Law, LawDoc, LawKind,
    Patch, Radius, Rolling, SetShape, Tangents,
};
pub use memory::{Bytes, MemoryError, MemoryLimit};
pub use parameter::{ParameterDoc, Parameters, ParametersError};
pub use polygon::Polygon;
pub use problem::{
    Activity, MatrixRows, Operator, Problem, ProblemParts, Renewal, Renewed, StepScale, World,
};
pub use registry::{Category, CompositionFault, Described, Entry, EntryError};
pub use scaling::PowerScale;
pub use softness::{BetaGamma, SoftRow, SoftScales, Softness};
pub use solver::{
    ImpulseSolver, Memory, Progress, Refresh, Solution, Solutions, Solver, SolverVisitor, Traffic,
    counted,
};
pub use sparse::BlockSparse;
pub use start::Start;
pub use status::Status;
pub use substeps::{
    Carried, CarriedBody, CarriedSpring, Gyroscope, GyroscopicTorque, Halves, Substeps,
};
