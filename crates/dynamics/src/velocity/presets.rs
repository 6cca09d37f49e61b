//! The named methods of the literature: values of the parameters.

use super::parameters::{
    AnchorMode, BouncingContacts, FrictionPasses, Gyroscopic, LimitRows, OpenRows, PositionTime,
    PushLimit, RelaxPoses, Restitution, Stabilization, VelocityParameters, WarmRows, WarmStart,
};
use crate::body::StaticBodies;
use crate::contact::ContactPlace;
use crate::joint::SoftnessCoupling;
use crate::order::ConstraintOrder;

/// A named set of parameters of the velocity-level scheme.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Identifier.
    pub id: &'static str,
    /// Other names of the same method.
    pub aliases: &'static [&'static str],
    /// One sentence: what it does and how it differs from its nearest sibling.
    pub summary: &'static str,
    /// Keys of `docs/references.bib`.
    pub citations: &'static [&'static str],
    /// The parameters.
    pub parameters: fn() -> VelocityParameters,
}

/// Every preset, in the order of the documentation.
pub fn presets() -> &'static [Preset] {
    PRESETS
}

const PRESETS: &[Preset] = &[
    Preset {
        id: "pgs-baumgarte",
        aliases: &["baumgarte"],
        summary: "one velocity solve per frame, 20 % of every position error as bias velocity",
        citations: &["Baumgarte1972", "Catto2005"],
        parameters: || VelocityParameters::default(),
    },
    Preset {
        id: "pgs-slop",
        aliases: &[],
        summary: "pgs-baumgarte that leaves 5 mm of overlap alone and pushes out at 4 m/s at most",
        citations: &["Catto2006", "Catto2024"],
        parameters: || VelocityParameters {
            contact_place: ContactPlace::Middle,
            slop: 0.005,
            max_push_speed: Some(4.0),
            limit_rows: LimitRows::Joints,
            warm_start: WarmStart::On,
            speculative_margin: Some(0.02),
            ..VelocityParameters::default()
        },
    },
    Preset {
        id: "box2d-lite",
        aliases: &[],
        summary: "pgs-baumgarte that leaves 1 cm of overlap alone, sees no contact before it touches, and visits contacts first",
        citations: &["Catto2006", "Catto2009lite"],
        parameters: || VelocityParameters {
            contact_place: ContactPlace::Middle,
            slop: 0.01,
            speculative_margin: Some(0.0),
            warm_start: WarmStart::On,
            order: ConstraintOrder::ContactsFirst,
            ..VelocityParameters::default()
        },
    },
    Preset {
        id: "pgs-ngs",
        aliases: &[],
        summary: "velocity solve without bias over contacts that touch, then passes of nonlinear Gauss-Seidel over the positions",
        citations: &["Catto2014", "Catto2024"],
        parameters: || VelocityParameters {
            contact_place: ContactPlace::Middle,
            stabilization: Stabilization::None,
            slop: 0.005,
            position_sweeps: 4,
            warm_start: WarmStart::On,
            speculative_margin: Some(0.0),
            ..VelocityParameters::default()
        },
    },
    Preset {
        id: "box2d-2.4",
        aliases: &["box2d-2"],
        summary: "pgs-ngs that bounces by bias and stops its position passes early",
        citations: &["Catto2014", "Catto2020"],
        parameters: || VelocityParameters {
            contact_place: ContactPlace::Middle,
            stabilization: Stabilization::None,
            sweeps: 8,
            slop: 0.005,
            position_sweeps: 3,
            position_order: ConstraintOrder::ContactsFirst,
            position_tolerance: Some(0.015),
            position_joint_tolerance: Some(0.005),
            speculative_margin: Some(0.0),
            restitution: Restitution::BiasAfterForces,
            ..VelocityParameters::default()
        },
    },
    Preset {
        id: "tgs-ngs",
        aliases: &[],
        summary: "pgs-ngs in substeps of one sweep and one position pass each, with contacts that may touch soon",
        citations: &["Catto2024"],
        parameters: || VelocityParameters {
            contact_place: ContactPlace::Middle,
            stabilization: Stabilization::None,
            substeps: 4,
            sweeps: 1,
            slop: 0.005,
            position_sweeps: 1,
            position_time: PositionTime::Substep,
            warm_start: WarmStart::On,
            speculative_margin: Some(0.02),
            ..VelocityParameters::default()
        },
    },
    Preset {
        id: "tgs-sticky",
        aliases: &[],
        summary: "substeps of one sweep from zero, 80 % of an overlap and 50 % of a slip as bias velocity, then a relax solve",
        citations: &["Catto2024"],
        parameters: || VelocityParameters {
            contact_place: ContactPlace::Middle,
            substeps: 4,
            sweeps: 1,
            relax_sweeps: 1,
            beta: 0.8,
            friction_beta: 0.5,
            max_push_speed: Some(4.0),
            warm_start: WarmStart::Off,
            speculative_margin: Some(0.02),
            ..VelocityParameters::default()
        },
    },
    Preset {
        id: "pgs-soft",
        aliases: &["soft-pgs"],
        summary: "rigid rows as stiff damped springs, one step per frame, then a relax solve without them",
        citations: &["Catto2011", "Catto2024"],
        parameters: || VelocityParameters {
            contact_place: ContactPlace::Middle,
            stabilization: Stabilization::Soft,
            sweeps: 4,
            relax_sweeps: 2,
            max_push_speed: Some(2.0),
            joint_coupling: SoftnessCoupling::Block,
            limit_rows: LimitRows::Joints,
            anchors: AnchorMode::FixedContacts,
            relax_separations: RelaxPoses::Kept,
            warm_start: WarmStart::On,
            contact_hertz_limit: 1.0 / 3.0,
            joint_hertz_limit: 0.5,
            joint_damping_ratio: 10.0,
            speculative_margin: Some(0.02),
            ..VelocityParameters::default()
        },
    },
    Preset {
        id: "tgs-soft",
        aliases: &["tgs"],
        summary: "pgs-soft in substeps of one sweep each, with lever arms that follow the bodies",
        citations: &["Macklin2019", "Catto2024"],
        parameters: || VelocityParameters {
            joint_hertz_limit: 0.125,
            joint_damping_ratio: 10.0,
            max_push_speed: Some(4.0),
            ..substepped()
        },
    },
    Preset {
        id: "solver2d-soft-step",
        aliases: &[],
        summary: "tgs-soft with the frame's lever arms at contacts and a slower push",
        citations: &["Catto2024"],
        parameters: || VelocityParameters {
            anchors: AnchorMode::FixedContacts,
            joint_damping_ratio: 10.0,
            max_push_speed: Some(2.0),
            ..substepped()
        },
    },
    Preset {
        id: "box2d-3.0",
        aliases: &[],
        summary: "solver2d-soft-step with a faster push, less damped joints, and open contacts as soft as closed ones",
        citations: &["Catto2024", "Catto2025"],
        parameters: || VelocityParameters {
            anchors: AnchorMode::FixedContacts,
            joint_hertz_limit: 0.125,
            open_rows: OpenRows::SoftContacts,
            static_bodies: StaticBodies::Static,
            max_push_speed: Some(3.0),
            ..substepped()
        },
    },
    Preset {
        id: "soft-step",
        aliases: &["box2d-3", "box2d-3.2"],
        summary: "box2d-3.0 with friction in the relax pass only, softer contacts, and a bound on the scaled push",
        citations: &["Catto2024", "Catto2025"],
        parameters: soft_step,
    },
    Preset {
        id: "box3d",
        aliases: &[],
        summary: "soft-step with half the damping at contacts with bodies that do not move",
        citations: &["Catto2026"],
        parameters: || VelocityParameters {
            static_damping_factor: 0.5,
            gyroscopic: Gyroscopic::Implicit,
            ..soft_step()
        },
    },
    Preset {
        id: "rapier",
        aliases: &["rapier-0.36"],
        summary: "soft-step with unscaled push, nearly rigid joints that start from zero and relax along their old lever arms, and restitution at any speed of a first touch",
        citations: &["Rapier2026"],
        parameters: || VelocityParameters {
            push_limit: PushLimit::Bias,
            contact_hertz_limit: NO_LIMIT,
            joint_hertz: 1e6,
            joint_damping_ratio: 1.0,
            joint_hertz_limit: NO_LIMIT,
            limit_rows: LimitRows::BoundedJoints,
            relax_arms: RelaxPoses::Kept,
            bouncing_contacts: BouncingContacts::New,
            restitution_threshold: 0.0,
            warm_rows: WarmRows::Contacts,
            gyroscopic: Gyroscopic::Rescaled,
            ..soft_step()
        },
    },
    Preset {
        id: "bepu-2",
        aliases: &["bepu"],
        summary: "substeps of one sweep over springs of 30 Hz, open contacts as soft as closed ones, no relax pass",
        citations: &["Nordby2024"],
        parameters: || VelocityParameters {
            contact_place: ContactPlace::Middle,
            stabilization: Stabilization::Soft,
            substeps: 8,
            sweeps: 1,
            contact_damping_ratio: 1.0,
            contact_hertz_limit: NO_LIMIT,
            static_hertz_factor: 1.0,
            anchors: AnchorMode::FixedContacts,
            open_rows: OpenRows::Soft,
            joint_hertz: 30.0,
            joint_damping_ratio: 1.0,
            joint_hertz_limit: NO_LIMIT,
            max_push_speed: Some(2.0),
            joint_coupling: SoftnessCoupling::Block,
            limit_rows: LimitRows::Joints,
            warm_start: WarmStart::On,
            speculative_margin: Some(0.1),
            gyroscopic: Gyroscopic::None,
            ..VelocityParameters::default()
        },
    },
    Preset {
        id: "mujoco-euler",
        aliases: &[],
        summary: "one solve per frame with MuJoCo's default softness in all rigid rows; the step of its Euler integrator for free bodies",
        citations: &["Todorov2014"],
        parameters: || VelocityParameters {
            contact_place: ContactPlace::Middle,
            stabilization: Stabilization::Impedance,
            sweeps: 100,
            gyroscopic: Gyroscopic::Explicit,
            speculative_margin: Some(0.0),
            warm_start: WarmStart::On,
            ..VelocityParameters::default()
        },
    },
    Preset {
        id: "split-impulse",
        aliases: &["pseudo-velocities"],
        summary: "position errors drive a second velocity field that moves the poses and is then dropped",
        citations: &["Cline2003", "Catto2006"],
        parameters: || VelocityParameters {
            stabilization: Stabilization::SplitImpulse,
            slop: 0.005,
            speculative_margin: Some(0.02),
            ..VelocityParameters::default()
        },
    },
    Preset {
        id: "tau-damping",
        aliases: &[],
        summary: "control: tau and damping of an early engine, which rescale the bias and soften nothing",
        citations: &["Coumans2006"],
        parameters: || VelocityParameters {
            stabilization: Stabilization::TauDamping,
            beta: 0.3,
            damping: 1.0,
            warm_start: WarmStart::Off,
            ..VelocityParameters::default()
        },
    },
];

/// A bound on a frequency times the substep that no frequency in use meets \[-\].
const NO_LIMIT: f64 = 1e9;

/// What the substepping presets share: 4 substeps of one sweep with bias and one without.
fn substepped() -> VelocityParameters {
    VelocityParameters {
        contact_place: ContactPlace::Middle,
        stabilization: Stabilization::Soft,
        substeps: 4,
        sweeps: 1,
        relax_sweeps: 1,
        joint_coupling: SoftnessCoupling::Block,
        limit_rows: LimitRows::Joints,
        warm_start: WarmStart::On,
        speculative_margin: Some(0.02),
        ..VelocityParameters::default()
    }
}

/// The recipe that Box2D 3.2, Box3D and Rapier share.
fn soft_step() -> VelocityParameters {
    VelocityParameters {
        anchors: AnchorMode::FixedContacts,
        friction: FrictionPasses::RelaxOnly,
        contact_hertz_limit: 0.125,
        max_push_speed: Some(3.0),
        push_limit: PushLimit::Scaled,
        static_bodies: StaticBodies::Static,
        ..substepped()
    }
}
