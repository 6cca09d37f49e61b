//! The knobs of the velocity-level scheme, as data.

use delassus_core::{ParameterDoc, ParameterError};
use serde::{Deserialize, Serialize};

/// How position errors of rigid rows turn into velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stabilization {
    /// They do not: joints drift.
    None,
    /// b = β C/h (T.10).
    Baumgarte,
    /// Every rigid row becomes a stiff, damped spring (S.8).
    Soft,
    /// b = β C/h in a second velocity field that moves the poses and is then dropped (T.13).
    SplitImpulse,
    /// b = (β/damping) C/h: the fixed point of the "tau" and "damping" iteration of Bullet 1.5 (S.10).
    TauDamping,
}

/// Which solves of a substep include friction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionPasses {
    /// All of them.
    Both,
    /// The relax pass; the solve with bias keeps the friction impulses of the start.
    RelaxOnly,
}

/// Whether the Jacobians follow the bodies within a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnchorMode {
    /// Lever arms of the start of the frame for all substeps; position errors are always current.
    Fixed,
    /// Those of contacts alone: joints are frozen again in each substep.
    FixedContacts,
    /// Everything is frozen again in each substep.
    Rotated,
}

/// What a solve starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarmStart {
    /// Zero.
    Off,
    /// The impulses of the last substep.
    On,
    /// The impulses of the last substep times h_new/h_old (T.9).
    Scaled,
}

/// Treatment of the gyroscopic torque ω × Iω.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gyroscopic {
    /// Left out: a free body keeps its angular velocity instead of its angular momentum.
    None,
    /// Explicit Euler (T.5): gains energy.
    Explicit,
    /// Implicit Euler, one Newton step in the body's axes (T.6): loses energy.
    Implicit,
}

/// Parameters of [`super::VelocityScheme`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VelocityParameters {
    /// Substeps per frame \[-\].
    pub substeps: u32,
    /// Work units of the solve with bias, per substep \[-\].
    pub sweeps: u32,
    /// Work units of the solve without bias, per substep \[-\]; 0 leaves it out.
    pub relax_sweeps: u32,
    /// Stabilisation of rigid rows.
    pub stabilization: Stabilization,
    /// Share β of the error removed per substep \[-\].
    pub beta: f64,
    /// Overlap of contacts and limits that is left alone \[m | rad\].
    pub slop: f64,
    /// Error of joints that is left alone \[m | rad\].
    pub joint_slop: f64,
    /// Largest velocity that pushes an overlap of contacts and limits out \[m/s | rad/s\].
    pub max_push_speed: Option<f64>,
    /// The "damping" of tau-damping \[-\].
    pub damping: f64,
    /// Stiffness of rigid contacts and limits \[Hz\].
    pub contact_hertz: f64,
    /// Their damping ratio \[-\].
    pub contact_damping_ratio: f64,
    /// Bound of contact_hertz · h \[-\].
    pub contact_hertz_limit: f64,
    /// Factor on contact_hertz where one body is not dynamic \[-\].
    pub static_hertz_factor: f64,
    /// Stiffness of rigid joints \[Hz\].
    pub joint_hertz: f64,
    /// Their damping ratio \[-\].
    pub joint_damping_ratio: f64,
    /// Bound of joint_hertz · h \[-\].
    pub joint_hertz_limit: f64,
    /// Position passes at the end of the frame \[-\] (nonlinear Gauss-Seidel, T.12); 0 leaves them out.
    pub position_sweeps: u32,
    /// Share of a contact's overlap that a position pass removes \[-\]; joints are solved in full.
    pub position_beta: f64,
    /// Largest correction of a row in one pass \[m | rad\].
    pub position_max_correction: f64,
    /// Friction in which solves.
    pub friction: FrictionPasses,
    /// Jacobians within a frame.
    pub anchors: AnchorMode,
    /// What solves start from.
    pub warm_start: WarmStart,
    /// Approach speed below which contacts do not bounce \[m/s\].
    pub restitution_threshold: f64,
    /// Gyroscopic torque.
    pub gyroscopic: Gyroscopic,
    /// Contacts farther apart than this are left out \[m\]; nothing is left out without it.
    pub speculative_margin: Option<f64>,
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
    /// Largest correction of a row in one pass \[m | rad\].
    pub(super) max_correction: f64,
}

impl Default for VelocityParameters {
    fn default() -> Self {
        Self {
            substeps: 1,
            sweeps: 10,
            relax_sweeps: 0,
            stabilization: Stabilization::Baumgarte,
            beta: 0.2,
            slop: 0.0,
            joint_slop: 0.0,
            max_push_speed: None,
            damping: 1.0,
            contact_hertz: 30.0,
            contact_damping_ratio: 10.0,
            contact_hertz_limit: 0.25,
            static_hertz_factor: 2.0,
            joint_hertz: 60.0,
            joint_damping_ratio: 2.0,
            joint_hertz_limit: 0.25,
            position_sweeps: 0,
            position_beta: 0.2,
            position_max_correction: 0.2,
            friction: FrictionPasses::Both,
            anchors: AnchorMode::Rotated,
            warm_start: WarmStart::Scaled,
            restitution_threshold: 1.0,
            gyroscopic: Gyroscopic::Implicit,
            speculative_margin: None,
        }
    }
}

macro_rules! docs {
    ($($name:literal: $doc:literal),* $(,)?) => {
        &[$(ParameterDoc { name: $name, doc: $doc }),*]
    };
}

/// What each parameter is, in the order of the fields.
pub(super) const DOCS: &[ParameterDoc] = docs![
    "substeps": "substeps per frame [-]; >= 1",
    "sweeps": "biased work units per substep [-]; >= 1",
    "relax_sweeps": "unbiased work units per substep [-]; 0 leaves them out",
    "stabilization": "\"none\", \"baumgarte\", \"soft\", \"split-impulse\" or \"tau-damping\"",
    "beta": "share of the error removed per substep [-]; in [0, 2]",
    "slop": "overlap of contacts and limits left alone [m | rad]; >= 0",
    "joint_slop": "error of joints left alone [m | rad]; >= 0",
    "max_push_speed": "largest velocity that pushes overlaps out [m/s | rad/s]; > 0, none without it",
    "damping": "the damping of tau-damping [-]; in (0, 2)",
    "contact_hertz": "stiffness of soft contacts and limits [Hz]; > 0",
    "contact_damping_ratio": "their damping ratio [-]; >= 0",
    "contact_hertz_limit": "bound of contact_hertz times the substep [-]; > 0",
    "static_hertz_factor": "factor on contact_hertz where one body is not dynamic [-]; > 0",
    "joint_hertz": "stiffness of soft joints [Hz]; > 0",
    "joint_damping_ratio": "their damping ratio [-]; >= 0",
    "joint_hertz_limit": "bound of joint_hertz times the substep [-]; > 0",
    "position_sweeps": "position passes at the end of a frame [-]; 0 leaves them out",
    "position_beta": "share of an overlap that a position pass removes [-]; in [0, 1]",
    "position_max_correction": "largest correction of a row in a position pass [m | rad]; > 0",
    "friction": "\"both\" solves, or \"relax-only\"",
    "anchors": "lever arms of the frame's start for all substeps (\"fixed\"), for contacts only (\"fixed-contacts\"), or of each substep (\"rotated\")",
    "warm_start": "\"off\", \"on\", or \"scaled\" by h_new/h_old",
    "restitution_threshold": "approach speed below which contacts do not bounce [m/s]; >= 0",
    "gyroscopic": "\"none\", \"explicit\" or \"implicit\"",
    "speculative_margin": "contacts farther apart are left out [m]; >= 0, all are kept without it",
];

/// Largest number of substeps, sweeps or passes \[-\]: more is a typing error that would run for days.
const MAX_COUNT: u32 = 1_000_000;

impl VelocityParameters {
    /// The position passes of a frame.
    pub(super) fn position_passes(&self) -> PositionPasses {
        PositionPasses {
            sweeps: self.position_sweeps,
            beta: self.position_beta,
            slop: self.slop,
            max_correction: self.position_max_correction,
        }
    }

    /// Checks the numbers against their ranges.
    ///
    /// # Errors
    /// The first parameter out of its range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let counts = [
            ("substeps", self.substeps, 1),
            ("sweeps", self.sweeps, 1),
            ("relax_sweeps", self.relax_sweeps, 0),
            ("position_sweeps", self.position_sweeps, 0),
        ];
        for (parameter, value, least) in counts {
            let ok = (least..=MAX_COUNT).contains(&value);
            let expected = if least == 0 {
                "must be at most 1000000"
            } else {
                "must be in [1, 1000000]"
            };
            check(parameter, f64::from(value), ok, expected)?;
        }
        check(
            "beta",
            self.beta,
            (0.0..=2.0).contains(&self.beta),
            "must be in [0, 2]",
        )?;
        let damping = self.damping > 0.0 && self.damping < 2.0;
        check("damping", self.damping, damping, "must be in (0, 2)")?;
        let share = (0.0..=1.0).contains(&self.position_beta);
        check(
            "position_beta",
            self.position_beta,
            share,
            "must be in [0, 1]",
        )?;
        let positive = [
            ("max_push_speed", self.max_push_speed.unwrap_or(1.0)),
            ("contact_hertz", self.contact_hertz),
            ("contact_hertz_limit", self.contact_hertz_limit),
            ("static_hertz_factor", self.static_hertz_factor),
            ("joint_hertz", self.joint_hertz),
            ("joint_hertz_limit", self.joint_hertz_limit),
            ("position_max_correction", self.position_max_correction),
        ];
        for (parameter, value) in positive {
            check(parameter, value, value > 0.0, "must be finite and > 0")?;
        }
        let non_negative = [
            ("slop", self.slop),
            ("joint_slop", self.joint_slop),
            ("contact_damping_ratio", self.contact_damping_ratio),
            ("joint_damping_ratio", self.joint_damping_ratio),
            ("restitution_threshold", self.restitution_threshold),
            ("speculative_margin", self.speculative_margin.unwrap_or(0.0)),
        ];
        for (parameter, value) in non_negative {
            check(parameter, value, value >= 0.0, "must be finite and >= 0")?;
        }
        Ok(())
    }
}

/// Refuses a parameter unless `ok` and it is finite.
pub(crate) fn check(
    parameter: &'static str,
    value: f64,
    ok: bool,
    expected: &'static str,
) -> Result<(), ParameterError> {
    if ok && value.is_finite() {
        return Ok(());
    }
    Err(ParameterError {
        parameter,
        value: value.to_string(),
        expected,
    })
}
