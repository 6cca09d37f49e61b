//! Worlds of bodies, joints and contacts, and the time-stepping schemes that advance them with any
//! solver.
//!
//! A [`World`] is plain data: bodies, joints (a [`constraints::AnyConstraint`] with its softness
//! and force limit) and contact manifolds. It is built from [`WorldParts`], or body by body from
//! [`World::new`], and changes between frames. A [`Scheme`] advances it by one frame. The
//! velocity-level scheme freezes the rows of a substep into a [`delassus_core::Problem`] and lets
//! any [`delassus_core::ImpulseSolver`] solve it; the named methods of the literature are presets
//! of it. XPBD, AVBD and penalty forces are schemes of their own.
//!
//! Theory: `docs/theory/07-constraints.md` to `11-position-level.md`, `20-penalty.md`.

mod assembly;
mod attach;
mod avbd;
mod backup;
mod body;
mod colliders;
mod constraint;
pub mod constraints;
mod contact;
mod contact_reuse;
mod contact_settings;
mod edit;
mod error;
mod frame;
mod handles;
mod joint;
mod keys;
mod motion;
mod neighbours;
mod order;
mod origin;
mod penalty;
mod position;
mod registry;
mod rim;
pub mod rotation;
mod scheme;
mod set;
mod signal;
mod slips;
mod spatial;
mod springs;
mod step_memory;
mod stopped_by;
mod stored_impulses;
mod touching;
mod turns;
mod velocity;
mod world;
mod xpbd;

pub use avbd::{Avbd, AvbdParameters, FrictionDirection, SpringPenalty};
pub use body::{Body, BodyKind, Pose, StaticBodies};
pub use constraint::{
    Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows, Track,
};
pub use contact::{ContactFrame, ContactPlace, ContactPoint, Manifold};
pub use contact_reuse::ContactVersion;
pub use contact_settings::{ContactEvents, ContactSettings, TangentMode};
pub use delassus_collide::{
    Capsule, Collider, CombineRule, Combining, Cuboid, Cylinder, HalfSpace, HeightField, Hull,
    Inertia, Material, Mesh, PolyhedronMethod, Shape, ShapeGeometry, Sphere,
};
pub use delassus_core::ContactLaw;
pub use error::{EditError, FieldError, SchemeError, StepError};
pub use frame::{BodyUpdate, Frame, FrameRow};
pub use handles::{BodyHandle, JointHandle};
pub use joint::{Joint, Reaction, SoftnessCoupling};
pub use keys::BodyKey;
pub use order::ConstraintOrder;
pub use penalty::{Integration, NormalForce, Penalty, PenaltyParameters};
pub use position::Position;
pub use registry::{SchemeEntry, Schemes, entry, scheme, schemes};
pub use scheme::{
    PositionScheme, Probe, Scheme, SchemeDescriptor, SolveCounts, Stage, StepReport, StepView,
};
pub use signal::Signal;
pub use stopped_by::StoppedBy;
pub use touching::{FoundContact, SolvedContact};
pub use velocity::{
    AnchorMode, BouncingContacts, FrictionPasses, Gyroscopic, LimitRows, OnUnsolved, OpenRows,
    PositionTime, Preset, PushLimit, RelaxPoses, Restitution, SolveStop, Stabilization,
    ToleranceKind, VelocityParameters, VelocityScheme, WarmRows, WarmStart, presets,
};
pub use world::{Energy, Momentum, World, WorldParts};
pub use xpbd::{StaticFriction, Xpbd, XpbdParameters};
