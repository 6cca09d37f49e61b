//! The types that all crates of Delassus share: the constraint problem, its laws, and the solver
//! trait.
//!
//! A [`Problem`] is the velocity-level constraint problem of one time step. It is frozen: it
//! contains all numbers that it depends on, and no solver changes them. It consists of an
//! [`Operator`] (bodies and Jacobians, or a block-sparse matrix), [`Block`]s of rows with one
//! [`Law`] each, a bias and a compliance.
//!
//! Every solver implements [`ImpulseSolver`]. Most authors implement [`Method`], and [`Checked`]
//! makes a solver of it by checking its inputs and results. No solver evaluates its own residual,
//! reads a clock or writes a log. This crate starts no threads and reads no clock. Only
//! [`file_kind`] reads files.
//!
//! Theory: `docs/theory/01-problem.md` (P.1–P.23). A label such as (P.1) in this crate is an
//! equation number in `docs/theory`; the letter selects the page.

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
mod extremes;
mod facts;
mod field_error;
pub mod file_kind;
mod finite;
mod frame_solver;
mod free_rotation;
pub mod intern;
pub mod interrupt;
mod jacobian;
mod law;
mod memory;
mod method;
pub mod norm;
pub mod numbers;
pub mod parameter;
mod peer;
mod polygon;
mod problem;
mod progress;
pub mod projection;
pub mod registry;
pub mod rotation;
mod scaling;
mod softness;
mod solver;
pub mod source_location;
mod sparse;
mod start;
mod status;
pub mod suggest;

pub use bodies::{BodyRows, MassProperties, moves};
pub use builder::ProblemBuilder;
pub use checked::{Checked, ProblemSize};
pub use choice::{Choice, ChoiceDoc, UnknownName};
pub use contact_law::{ContactLaw, ContactNumber};
pub use coupled::CoupledCompliance;
pub use delassus_parameters_derive::{Choice, Parameters};
pub use descriptor::{
    Determinism, Fidelity, OTHER_SCENE, Precision, SolverDescriptor, Support, WorkUnit,
};
pub use error::{
    CouplingFault, DeviceError, ParameterError, ProblemError, Ray, SolveError, Unsupported,
};
pub use facts::{
    DEPENDS_ON_TIME, Solution, Solutions, SolverFacts, Traffic, counted, depends_on_time,
};
pub use field_error::FieldError;
pub use frame_solver::{
    BodyDisplacement, FrameJoint, FrameMotion, FrameSetup, FrameSolver, FrameSpring, Gyroscope,
    GyroscopicTorque, HalfSteps, JointImpulse,
};
pub use free_rotation::{FreeRotor, MeanSpin};
pub use jacobian::{ContactArms, ContactAxes, Jacobian, ManifoldGeometry, PointGeometry, relative};
pub use law::{
    AdmissibleSet, Block, Factor, FactorList, Factors, Friction, FrictionRow, Law, LawDoc, LawForm,
    LawKind, Patch, Radius, RollingContact, ScaledKind, ScaledLaw, SetShape,
};
pub use memory::{Bytes, MemoryError, MemoryLimit};
pub use method::{Method, Prepared};
pub use parameter::{ParameterDoc, Parameters, ParametersError};
pub use peer::{
    Claim, ENGINE, ENGINE_COMMAND, PeerAnswer, PeerClock, PeerFacts, PeerIdentity, is_engine,
};
pub use polygon::Polygon;
pub use problem::{
    Activity, Island, MatrixRows, Operator, Problem, ProblemParts, Renewal, Renewed, RoundRows,
    StepScale,
};
pub use progress::Progress;
pub use registry::{Category, CompositionFault, Described, Entry, EntryError, ProcessFault};
pub use scaling::PowerScale;
pub use softness::{
    BetaGamma, DiagonalEstimate, Impedance, ImpedanceRow, SoftRow, SoftScales, Softness,
};
pub use solver::{
    Changes, ImpulseSolver, Solver, SolverUpdate, SolverVisitor, StateCoverage, check_within,
};
pub use sparse::BlockSparse;
pub use start::Start;
pub use status::Status;
