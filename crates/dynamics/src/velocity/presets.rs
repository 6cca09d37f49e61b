//! The named methods of the literature: values of the knobs.

use super::parameters::{AnchorMode, FrictionPasses, Stabilization, VelocityParameters, WarmStart};

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
        aliases: &["box2d-lite"],
        summary: "pgs-baumgarte that leaves 5 mm of overlap alone and pushes out at 4 m/s at most",
        citations: &["Catto2006"],
        parameters: || VelocityParameters {
            slop: 0.005,
            max_push_speed: Some(4.0),
            speculative_margin: Some(0.02),
            ..VelocityParameters::default()
        },
    },
    Preset {
        id: "pgs-ngs",
        aliases: &["box2d-2.4"],
        summary: "velocity solve without bias, then passes of nonlinear Gauss-Seidel over the positions",
        citations: &["Catto2014"],
        parameters: || VelocityParameters {
            stabilization: Stabilization::None,
            slop: 0.005,
            position_sweeps: 4,
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
            stabilization: Stabilization::Soft,
            sweeps: 4,
            relax_sweeps: 2,
            slop: 0.005,
            max_push_speed: Some(2.0),
            contact_hertz_limit: 1.0 / 3.0,
            joint_hertz_limit: 0.5,
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
            max_push_speed: Some(4.0),
            ..substepped()
        },
    },
    Preset {
        id: "soft-step",
        aliases: &["box2d-3", "box3d"],
        summary: "tgs-soft with the frame's lever arms at contacts and with friction in the relax pass only",
        citations: &["Catto2024"],
        parameters: || VelocityParameters {
            anchors: AnchorMode::FixedContacts,
            friction: FrictionPasses::RelaxOnly,
            contact_hertz_limit: 0.125,
            max_push_speed: Some(3.0),
            ..substepped()
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
        id: "bullet-1.5",
        aliases: &["tau-damping"],
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

/// What the substepping presets share: 4 substeps of one sweep with bias and one without.
fn substepped() -> VelocityParameters {
    VelocityParameters {
        stabilization: Stabilization::Soft,
        substeps: 4,
        sweeps: 1,
        relax_sweeps: 1,
        slop: 0.005,
        speculative_margin: Some(0.02),
        ..VelocityParameters::default()
    }
}
