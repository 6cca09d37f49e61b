//! The knobs of Soft Step with Jacobi iterations, as data.

use delassus_core::parameter::{non_negative, positive, require};
use delassus_core::{ParameterDoc, ParameterError, Softness};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::rule::{Rule, Splitting, StepRule, Sweep};

use crate::stepping::frame::Schedule;

/// What every scheme around the kernels is told; names and defaults are those of the preset `soft-step` and of `jacobi`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftStepParameters {
    /// Substeps per frame \[-\].
    pub substeps: u32,
    /// Iterations of the solve with bias, per substep \[-\].
    pub iterations: u32,
    /// Iterations of the solve without bias, per substep \[-\].
    pub relax_iterations: u32,
    /// Step rule.
    pub rule: Rule,
    /// What mass splitting counts.
    pub splitting: Splitting,
    /// Which velocities the rows of a piece see.
    pub sweep: Sweep,
    /// Relaxation ω \[-\].
    pub omega: f64,
    /// What is added to the plain step.
    pub acceleration: Acceleration,
    /// Plain steps while the residual is much larger than it has been.
    pub guard: bool,
    /// Overlap of contacts that is left alone \[m\].
    pub slop: f64,
    /// Largest velocity that pushes an overlap out \[m/s\].
    pub max_push_speed: f64,
    /// Stiffness of contacts \[Hz\].
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
    /// Approach speed below which contacts do not bounce \[m/s\].
    pub restitution_threshold: f64,
    /// Contacts farther apart than this at the start of a frame are left out \[m\].
    pub speculative_margin: f64,
    /// True if bodies feel the gyroscopic torque.
    pub gyroscopic: bool,
}

impl SoftStepParameters {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        substeps: 4,
        iterations: 10,
        relax_iterations: 5,
        rule: Rule::MassSplit,
        splitting: Splitting::Blocks,
        sweep: Sweep::Block,
        omega: 1.0,
        acceleration: Acceleration::Nesterov,
        guard: true,
        slop: 0.005,
        max_push_speed: 3.0,
        contact_hertz: 30.0,
        contact_damping_ratio: 10.0,
        contact_hertz_limit: 0.125,
        static_hertz_factor: 2.0,
        joint_hertz: 60.0,
        joint_damping_ratio: 2.0,
        joint_hertz_limit: 0.25,
        restitution_threshold: 1.0,
        speculative_margin: 0.02,
        gyroscopic: true,
    };

    /// Refuses numbers out of their ranges.
    ///
    /// # Errors
    /// The first of them.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let counts = [
            ("substeps", self.substeps),
            ("iterations", self.iterations),
            ("relax_iterations", self.relax_iterations),
        ];
        for (parameter, value) in counts {
            let fits = (1..=MAX_COUNT).contains(&value);
            require(fits, parameter, value, "must be in [1, 100000]")?;
        }
        let omega = self.omega > 0.0 && self.omega < 2.0;
        require(omega, "omega", self.omega, "0 < omega < 2 [-]")?;
        positive("max_push_speed", self.max_push_speed)?;
        positive("contact_hertz", self.contact_hertz)?;
        positive("contact_hertz_limit", self.contact_hertz_limit)?;
        positive("static_hertz_factor", self.static_hertz_factor)?;
        positive("joint_hertz", self.joint_hertz)?;
        positive("joint_hertz_limit", self.joint_hertz_limit)?;
        non_negative("slop", self.slop)?;
        non_negative("contact_damping_ratio", self.contact_damping_ratio)?;
        non_negative("joint_damping_ratio", self.joint_damping_ratio)?;
        non_negative("restitution_threshold", self.restitution_threshold)?;
        non_negative("speculative_margin", self.speculative_margin)
    }

    pub(crate) fn step_rule(&self) -> StepRule {
        StepRule {
            rule: self.rule,
            splitting: self.splitting,
            sweep: self.sweep,
            omega: self.omega,
        }
    }

    /// How much work a frame is, with contacts that may bounce or without.
    pub(crate) fn schedule(&self, bounces: bool) -> Schedule {
        Schedule {
            substeps: self.substeps,
            sweeps: self.iterations,
            relax_sweeps: self.relax_iterations,
            bounce_sweeps: if bounces {
                self.iterations.max(self.relax_iterations)
            } else {
                0
            },
            acceleration: self.acceleration,
            guarded: self.guard,
        }
    }

    /// The spring of a contact; `fixed` if one of its bodies is not dynamic.
    pub(crate) fn contact_spring(&self, fixed: bool, h: f64) -> Softness {
        let hertz = self.contact_hertz.min(self.contact_hertz_limit / h);
        let factor = if fixed { self.static_hertz_factor } else { 1.0 };
        Softness::Frequency {
            hertz: factor * hertz,
            damping_ratio: self.contact_damping_ratio,
        }
    }

    /// The spring of a rigid joint.
    pub(crate) fn joint_spring(&self, h: f64) -> Softness {
        Softness::Frequency {
            hertz: self.joint_hertz.min(self.joint_hertz_limit / h),
            damping_ratio: self.joint_damping_ratio,
        }
    }
}

/// Largest number of substeps or iterations \[-\]: more is a typing error that would run for days.
const MAX_COUNT: u32 = 100_000;

/// Declares the parameters of a scheme: [`SoftStepParameters`] and some of its own, flat, as serialized.
#[macro_export]
macro_rules! soft_step_parameters {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty = $value:expr,)* }) => {
        $crate::soft_step_parameters! {
            @all $(#[$doc])* $name
            {
                substeps: u32, iterations: u32, relax_iterations: u32,
                rule: delassus_solver_jacobi::rule::Rule,
                splitting: delassus_solver_jacobi::rule::Splitting,
                sweep: delassus_solver_jacobi::rule::Sweep,
                omega: f64,
                acceleration: delassus_solver_jacobi::Acceleration,
                guard: bool,
                slop: f64, max_push_speed: f64, contact_hertz: f64, contact_damping_ratio: f64,
                contact_hertz_limit: f64, static_hertz_factor: f64, joint_hertz: f64,
                joint_damping_ratio: f64, joint_hertz_limit: f64, restitution_threshold: f64,
                speculative_margin: f64,
                gyroscopic: bool,
            }
            { $($(#[$field_doc])* $field: $type = $value,)* }
        }
    };
    (@all $(#[$doc:meta])* $name:ident { $($shared:ident: $shared_type:ty,)* }
        { $($(#[$field_doc:meta])* $field:ident: $type:ty = $value:expr,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            $(#[doc = concat!("As `", stringify!($shared), "` of [`SoftStepParameters`](delassus_scheme_jacobi::SoftStepParameters).")]
            pub $shared: $shared_type,)*
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                let shared = $crate::SoftStepParameters::DEFAULT;
                Self { $($shared: shared.$shared,)* $($field: $value,)* }
            }
        }

        impl $name {
            /// The parameters that all such schemes share.
            pub fn shared(&self) -> $crate::SoftStepParameters {
                $crate::SoftStepParameters { $($shared: self.$shared,)* }
            }
        }
    };
}
/// What each parameter is, in the order of the fields, with those of a scheme behind them.
#[macro_export]
macro_rules! soft_step_docs {
    ($($name:literal: $doc:literal,)*) => {
        &[
            $crate::parameters::SHARED[0], $crate::parameters::SHARED[1],
            $crate::parameters::SHARED[2], $crate::parameters::SHARED[3],
            $crate::parameters::SHARED[4], $crate::parameters::SHARED[5],
            $crate::parameters::SHARED[6], $crate::parameters::SHARED[7],
            $crate::parameters::SHARED[8], $crate::parameters::SHARED[9],
            $crate::parameters::SHARED[10], $crate::parameters::SHARED[11],
            $crate::parameters::SHARED[12], $crate::parameters::SHARED[13],
            $crate::parameters::SHARED[14], $crate::parameters::SHARED[15],
            $crate::parameters::SHARED[16], $crate::parameters::SHARED[17],
            $crate::parameters::SHARED[18], $crate::parameters::SHARED[19],
            $crate::parameters::SHARED[20],
            $(delassus_core::ParameterDoc { name: $name, doc: $doc },)*
        ]
    };
}
macro_rules! shared_docs {
    ($($name:literal: $doc:literal),* $(,)?) => {
        &[$(ParameterDoc { name: $name, doc: $doc }),*]
    };
}

/// What the shared parameters are.
pub const SHARED: &[ParameterDoc] = shared_docs![
    "substeps": "substeps per frame [-]; >= 1",
    "iterations": "Jacobi iterations with bias per substep [-]; >= 1",
    "relax_iterations": "Jacobi iterations without bias per substep [-]; >= 1",
    "rule": "\"diagonal\", \"count\", \"max-count\" or \"mass-split\"",
    "splitting": "mass splitting counts \"rows\" or \"blocks\"",
    "sweep": "rows of a manifold or joint see the velocities of the start (\"points\") or of the rows before them (\"block\")",
    "omega": "relaxation [-]; in (0, 2)",
    "acceleration": "\"none\", \"chebyshev\" or \"nesterov\"",
    "guard": "true makes plain steps while the residual is much larger than it has been",
    "slop": "overlap of contacts left alone [m]; >= 0",
    "max_push_speed": "largest velocity that pushes overlaps out [m/s]; > 0",
    "contact_hertz": "stiffness of contacts [Hz]; > 0",
    "contact_damping_ratio": "their damping ratio [-]; >= 0",
    "contact_hertz_limit": "bound of contact_hertz times the substep [-]; > 0",
    "static_hertz_factor": "factor on contact_hertz where one body is not dynamic [-]; > 0",
    "joint_hertz": "stiffness of rigid joints [Hz]; > 0",
    "joint_damping_ratio": "their damping ratio [-]; >= 0",
    "joint_hertz_limit": "bound of joint_hertz times the substep [-]; > 0",
    "restitution_threshold": "approach speed below which contacts do not bounce [m/s]; >= 0",
    "speculative_margin": "contacts farther apart at the start of a frame are left out [m]; >= 0",
    "gyroscopic": "true adds the gyroscopic torque implicitly (T.6)",
];
