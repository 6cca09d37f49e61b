//! The parameters of the velocity-level scheme.

use delassus_core::{Choice, Parameters};

use super::stop::SolveStop;
use crate::assembly::Selection;
use crate::body::StaticBodies;
use crate::contact::ContactPlace;
use crate::joint::SoftnessCoupling;
use crate::order::ConstraintOrder;
use crate::world::World;

/// How position errors of rigid rows turn into velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Stabilization {
    /// They do not: joints drift.
    None,
    /// b = β C/h (T.10).
    Baumgarte,
    /// Every rigid row becomes a stiff, damped spring (S.8).
    Soft,
    /// b = β C/h in a second velocity field that moves the poses and is then dropped (T.13).
    SplitImpulse,
    /// b = (β/damping) C/h: the fixed point of the "tau" and "damping" iteration of Bullet 1.5
    /// (S.10).
    TauDamping,
    /// Every rigid row has MuJoCo's default impedance (S.25).
    Impedance,
}

/// What the largest push speed bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum PushLimit {
    /// The bias velocity itself (T.24).
    Bias,
    /// The bias velocity times the mass scale of the row: what the row gives to the bodies in one
    /// update (T.25).
    Scaled,
}

/// How soft rows are while they are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum OpenRows {
    /// Not at all: the gap may close within the step and no more (T.11).
    Rigid,
    /// Contacts as when they are closed, limits not at all.
    SoftContacts,
    /// As when they are closed.
    Soft,
}

/// What works off the errors of closed limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum LimitRows {
    /// What does at contacts between bodies that move: their stiffness, slop and largest push.
    Contacts,
    /// What does at joints: their stiffness, no slop and no largest push.
    Joints,
    /// The same, not faster than the largest push.
    BoundedJoints,
}

/// Which constraints start from impulses of the last substep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum WarmRows {
    /// All of them.
    All,
    /// Contacts; joints start from zero whenever their rows are frozen.
    Contacts,
}

/// When the position passes come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum PositionTime {
    /// At the end of a frame.
    Frame,
    /// At the end of every substep.
    Substep,
}

/// Which solves of a substep include friction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum FrictionPasses {
    /// All of them.
    Both,
    /// The relax pass; the solve with bias keeps the friction impulses of the start.
    RelaxOnly,
}

/// Whether the Jacobians follow the bodies within a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AnchorMode {
    /// Lever arms of the start of the frame for all substeps; position errors are always current.
    Fixed,
    /// Those of contacts alone: joints are frozen again in each substep.
    FixedContacts,
    /// Everything is frozen again in each substep.
    Rotated,
}

/// Of which poses something is in the relax pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum RelaxPoses {
    /// Those of the solve with bias.
    Kept,
    /// Those that the solve with bias has moved the bodies to.
    Moved,
}

/// What a solve starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum WarmStart {
    /// Zero.
    Off,
    /// The impulses of the last substep.
    On,
    /// The impulses of the last substep times h_new/h_old (T.9).
    Scaled,
}

/// Which contacts may bounce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum BouncingContacts {
    /// All that hit.
    All,
    /// Those that did not push in the frame before, and those that lose no speed (e = 1).
    New,
}

/// How contacts bounce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Restitution {
    /// In a solve of their own at the end of the frame (T.14).
    LastPass,
    /// As bias of every solve: the larger of the push and e times the approach velocity (T.23).
    Bias,
    /// The same with the approach velocity that forces have changed already.
    BiasAfterForces,
}

/// Treatment of the gyroscopic torque ω × Iω.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Gyroscopic {
    /// Free rotation (T.51): keeps the angular momentum to rounding and the energy to second order,
    /// at any step. Where impulses turn a body so far in a substep that its energy would rise by
    /// more than 10 %, which takes a thin body (T.62), its momentum turns with it (T.63): the
    /// length of the momentum and the energy are kept, the direction of the momentum is not.
    Momentum,
    /// Left out: a free body keeps its angular velocity instead of its angular momentum.
    None,
    /// Explicit Euler (T.5): gains energy, and diverges where h times the angular velocity is not
    /// small.
    Explicit,
    /// Explicit Euler with the length of the momentum in the body's axes kept (T.53): bounded, its
    /// direction drifts.
    Rescaled,
    /// Implicit Euler, one Newton step in the body's axes (T.6): loses momentum, and loses or gains
    /// energy. A rod of 1 m by 2 cm at 30 rad/s along its axis and 6 across keeps 51 % of
    /// its momentum and 27 % of its energy for 0.1 s at 60 steps per second.
    Implicit,
}

/// Parameters of [`super::VelocityScheme`].
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check_unsolved")]
pub struct VelocityParameters {
    /// Substeps per frame.
    #[parameter(default = 1, unit = "-", range = "[1, 1000000]")]
    pub substeps: u32,
    /// Biased work units per substep.
    #[parameter(default = 10, unit = "-", range = "[1, 1000000]")]
    pub sweeps: u32,
    /// Unbiased work units per substep. 0 leaves them out.
    #[parameter(default = 0, unit = "-", range = "[0, 1000000]")]
    pub relax_sweeps: u32,
    /// How position errors of rigid rows turn into velocities.
    #[parameter(default = Stabilization::Baumgarte)]
    pub stabilization: Stabilization,
    /// Share of the error removed per substep.
    #[parameter(default = 0.2, unit = "-", range = "[0, 2]")]
    pub beta: f64,
    /// Overlap of contacts and limits left alone.
    #[parameter(default = 0.0, unit = "m | rad", range = ">= 0")]
    pub slop: f64,
    /// Error of joints left alone.
    #[parameter(default = 0.0, unit = "m | rad", range = ">= 0")]
    pub joint_slop: f64,
    /// Largest velocity that pushes overlaps out. There is none without it.
    #[parameter(default = None, unit = "m/s | rad/s", range = "> 0")]
    pub max_push_speed: Option<f64>,
    /// What the largest push speed bounds.
    #[parameter(default = PushLimit::Bias)]
    pub push_limit: PushLimit,
    /// The damping of tau-damping.
    #[parameter(default = 1.0, unit = "-", range = "(0, 2)")]
    pub damping: f64,
    /// Stiffness of soft contacts and limits.
    #[parameter(default = 30.0, unit = "Hz", range = "> 0")]
    pub contact_hertz: f64,
    /// Their damping ratio.
    #[parameter(default = 10.0, unit = "-", range = ">= 0")]
    pub contact_damping_ratio: f64,
    /// Bound of contact_hertz times the substep.
    #[parameter(default = 0.25, unit = "-", range = "> 0")]
    pub contact_hertz_limit: f64,
    /// Factor on contact_hertz where one body is static.
    #[parameter(default = 2.0, unit = "-", range = "> 0")]
    pub static_hertz_factor: f64,
    /// Factor on contact_damping_ratio where one body is static.
    #[parameter(default = 1.0, unit = "-", range = ">= 0")]
    pub static_damping_factor: f64,
    /// Which bodies are static for these factors.
    #[parameter(default = StaticBodies::NotDynamic)]
    pub static_bodies: StaticBodies,
    /// How soft contacts and limits are while they are open.
    #[parameter(default = OpenRows::Rigid)]
    pub open_rows: OpenRows,
    /// What works off the errors of closed limits.
    #[parameter(default = LimitRows::Contacts)]
    pub limit_rows: LimitRows,
    /// Stiffness of soft joints.
    #[parameter(default = 60.0, unit = "Hz", range = "> 0")]
    pub joint_hertz: f64,
    /// Their damping ratio.
    #[parameter(default = 2.0, unit = "-", range = ">= 0")]
    pub joint_damping_ratio: f64,
    /// Bound of joint_hertz times the substep.
    #[parameter(default = 0.25, unit = "-", range = "> 0")]
    pub joint_hertz_limit: f64,
    /// What their stiffness is that of, where the solver lets rows share compliance. Elsewhere each
    /// row is alone.
    #[parameter(default = SoftnessCoupling::Rows)]
    pub joint_coupling: SoftnessCoupling,
    /// Most position passes. Nonlinear Gauss-Seidel (T.12); 0 leaves them out.
    #[parameter(default = 0, unit = "-", range = "[0, 1000000]")]
    pub position_sweeps: u32,
    /// Share of an overlap that a position pass removes. Joints are solved in full.
    #[parameter(default = 0.2, unit = "-", range = "[0, 1]")]
    pub position_beta: f64,
    /// Largest correction of a contact or limit in a position pass.
    #[parameter(default = 0.2, unit = "m | rad", range = "> 0")]
    pub position_max_correction: f64,
    /// When the position passes come.
    #[parameter(default = PositionTime::Frame)]
    pub position_time: PositionTime,
    /// Which constraints a position pass visits first.
    #[parameter(default = ConstraintOrder::JointsFirst)]
    pub position_order: ConstraintOrder,
    /// Overlap of contacts and limits that needs no further pass. All passes are made without it.
    #[parameter(default = None, unit = "m | rad", range = ">= 0")]
    pub position_tolerance: Option<f64>,
    /// Error of joints that needs no further pass. That of contacts without it.
    #[parameter(default = None, unit = "m | rad", range = ">= 0")]
    pub position_joint_tolerance: Option<f64>,
    /// Share of the slip of sticking contacts removed per substep (T.26). 0 means
    /// friction without stored anchors.
    #[parameter(default = 0.0, unit = "-", range = "[0, 1]")]
    pub friction_beta: f64,
    /// Compliance of friction rows: a contact that sticks creeps at this times its tangential force
    /// (S.31). Friction of patches and of contacts that resist rolling stays rigid.
    #[parameter(default = 0.0, unit = "m/(N·s)", range = ">= 0")]
    pub friction_cfm: f64,
    /// Which constraints come first in the problem.
    #[parameter(default = ConstraintOrder::JointsFirst)]
    pub order: ConstraintOrder,
    /// Which solves include friction.
    #[parameter(default = FrictionPasses::Both)]
    pub friction: FrictionPasses,
    /// Whether the Jacobians follow the bodies within a frame.
    #[parameter(default = AnchorMode::Rotated)]
    pub anchors: AnchorMode,
    /// Lever arms of the relax pass, where the Jacobians follow the bodies.
    #[parameter(default = RelaxPoses::Moved)]
    pub relax_arms: RelaxPoses,
    /// Separations of contacts in the relax pass.
    #[parameter(default = RelaxPoses::Moved)]
    pub relax_separations: RelaxPoses,
    /// Where in the gap between two surfaces the impulses of a contact act (T.44).
    #[parameter(default = ContactPlace::Surface)]
    pub contact_place: ContactPlace,
    /// What a solve starts from.
    #[parameter(default = WarmStart::Scaled)]
    pub warm_start: WarmStart,
    /// Which constraints start from it.
    #[parameter(default = WarmRows::All)]
    pub warm_rows: WarmRows,
    /// How contacts bounce.
    #[parameter(default = Restitution::LastPass)]
    pub restitution: Restitution,
    /// Which contacts may bounce.
    #[parameter(default = BouncingContacts::All)]
    pub bouncing_contacts: BouncingContacts,
    /// Approach speed below which contacts do not bounce.
    #[parameter(default = 1.0, unit = "m/s", range = ">= 0")]
    pub restitution_threshold: f64,
    /// Gyroscopic torque.
    #[parameter(default = Gyroscopic::Momentum)]
    pub gyroscopic: Gyroscopic,
    /// Contacts farther apart are left out. All are kept without it.
    #[parameter(default = None, unit = "m", range = ">= 0")]
    pub speculative_margin: Option<f64>,
    /// When the solves end.
    #[parameter(flatten)]
    pub stop: SolveStop,
}

/// The position passes of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PositionPasses {
    /// Passes \[-\].
    pub(super) sweeps: u32,
    /// Share of a contact's overlap that a pass removes \[-\].
    pub(super) beta: f64,
    /// Overlap that is left alone \[m | rad\].
    pub(super) slop: f64,
    /// Largest correction of a contact or limit in one pass \[m | rad\].
    pub(super) max_correction: f64,
    pub(super) order: ConstraintOrder,
    /// Errors of contacts and limits, and of joints, that need no further pass \[m | rad\].
    pub(super) tolerances: Option<[f64; 2]>,
}

impl VelocityParameters {
    /// What enters a problem.
    pub(super) fn selection(&self) -> Selection {
        Selection {
            margin: self.speculative_margin,
            order: self.order,
            place: self.contact_place,
            static_bodies: self.static_bodies,
        }
    }

    /// True if rows are frozen in every substep.
    pub(super) fn assembles_every_substep(&self, world: &World) -> bool {
        self.anchors == AnchorMode::Rotated || self.holds_contacts(world)
    }

    /// True if joints are frozen in every substep, and contacts keep the arms of the first.
    pub(super) fn holds_contacts(&self, world: &World) -> bool {
        self.anchors == AnchorMode::FixedContacts && !world.joints.is_empty()
    }

    /// True if some rows of the relax solve are frozen at the moved poses.
    pub(super) fn relaxes_at_moved_poses(&self, world: &World) -> bool {
        self.relax_sweeps > 0
            && self.relax_arms == RelaxPoses::Moved
            && self.assembles_every_substep(world)
    }

    /// True if the rows of the relax solve are those of the next substep, too.
    pub(super) fn keeps_relaxed_rows(&self, world: &World) -> bool {
        self.warm_rows == WarmRows::All
            && self.relaxes_at_moved_poses(world)
            && !self.corrects_in_substeps()
    }

    /// True if friction works off what contacts have slipped (T.26).
    pub(super) fn has_sticky_friction(&self) -> bool {
        self.friction_beta > 0.0
    }

    /// True if the solve with bias keeps the impulses of friction.
    pub(super) fn holds_friction(&self) -> bool {
        self.friction == FrictionPasses::RelaxOnly && self.relax_sweeps > 0
    }

    /// True if a solver may integrate whole frames, where their rows are contacts that stay.
    pub(super) fn allows_frame_integration(&self) -> bool {
        self.stabilization != Stabilization::SplitImpulse
            && self.stabilization != Stabilization::Impedance
            && self.warm_start != WarmStart::Off
            && !self.has_sticky_friction()
            && self.friction_cfm == 0.0
            && self.stop.tolerance.is_none()
            && !self.corrects_in_substeps()
            && self.relax_separations == RelaxPoses::Moved
    }

    /// True if position passes move the bodies at the end of every substep.
    pub(super) fn corrects_in_substeps(&self) -> bool {
        self.position_sweeps > 0 && self.position_time == PositionTime::Substep
    }

    /// The position passes of a frame.
    pub(super) fn position_passes(&self) -> PositionPasses {
        PositionPasses {
            sweeps: self.position_sweeps,
            beta: self.position_beta,
            slop: self.slop,
            max_correction: self.position_max_correction,
            order: self.position_order,
            tolerances: self.position_tolerance.map(|contacts| {
                let joints = self.position_joint_tolerance;
                [contacts, joints.unwrap_or(contacts)]
            }),
        }
    }
}
