//! The parameters of Soft Step with Jacobi iterations, as data.

use delassus_core::{Parameters, Softness};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::rule::{FactorRule, LocalSweep, Splitting, StepRule};

use crate::stepping::frame::FrameSchedule;

/// Parameters of every scheme around the kernels; names and defaults are those of the preset
/// `soft-step` and of `jacobi`.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct SoftStepParameters {
    /// Substeps per frame.
    #[parameter(default = 4, unit = "-", range = "[1, 100000]")]
    pub substeps: u32,
    /// Jacobi iterations with bias per substep.
    #[parameter(default = 10, unit = "-", range = "[1, 100000]")]
    pub iterations: u32,
    /// Jacobi iterations without bias per substep.
    #[parameter(default = 5, unit = "-", range = "[1, 100000]")]
    pub relax_iterations: u32,
    /// Step rule.
    #[parameter(default = FactorRule::MassSplit)]
    pub rule: FactorRule,
    /// What mass splitting counts.
    #[parameter(default = Splitting::Blocks)]
    pub splitting: Splitting,
    /// What the rows of a manifold or joint see.
    #[parameter(default = LocalSweep::Block)]
    pub sweep: LocalSweep,
    /// Relaxation.
    #[parameter(default = 1.0, unit = "-", range = "(0, 2)")]
    pub omega: f64,
    /// What is added to the plain step.
    #[parameter(default = Acceleration::Nesterov)]
    pub acceleration: Acceleration,
    /// True makes plain steps while the residual is much larger than it has been.
    #[parameter(default = true)]
    pub guard: bool,
    /// Overlap of contacts left alone.
    #[parameter(default = 0.0, unit = "m", range = ">= 0")]
    pub slop: f64,
    /// Largest velocity that pushes overlaps out, before the mass scale (T.24).
    #[parameter(default = 3.0, unit = "m/s", range = "> 0")]
    pub max_push_speed: f64,
    /// Stiffness of contacts.
    #[parameter(default = 30.0, unit = "Hz", range = "> 0")]
    pub contact_hertz: f64,
    /// Their damping ratio.
    #[parameter(default = 10.0, unit = "-", range = ">= 0")]
    pub contact_damping_ratio: f64,
    /// Bound of contact_hertz times the substep.
    #[parameter(default = 0.125, unit = "-", range = "> 0")]
    pub contact_hertz_limit: f64,
    /// Factor on contact_hertz where one body is not dynamic.
    #[parameter(default = 2.0, unit = "-", range = "> 0")]
    pub static_hertz_factor: f64,
    /// Stiffness of rigid joints.
    #[parameter(default = 60.0, unit = "Hz", range = "> 0")]
    pub joint_hertz: f64,
    /// Their damping ratio.
    #[parameter(default = 2.0, unit = "-", range = ">= 0")]
    pub joint_damping_ratio: f64,
    /// Bound of joint_hertz times the substep.
    #[parameter(default = 0.25, unit = "-", range = "> 0")]
    pub joint_hertz_limit: f64,
    /// Approach speed below which contacts do not bounce.
    #[parameter(default = 1.0, unit = "m/s", range = ">= 0")]
    pub restitution_threshold: f64,
    /// Contacts farther apart at the start of a frame are left out.
    #[parameter(default = 0.02, unit = "m", range = ">= 0")]
    pub speculative_margin: f64,
    /// True adds the gyroscopic torque implicitly (T.6), which loses momentum and energy: half of
    /// the momentum of a rod of 1 m by 2 cm at 30 rad/s along its axis and 6 across in 0.1 s at 60
    /// steps per second. This scheme has no option that keeps them.
    #[parameter(default = true)]
    pub gyroscopic: bool,
}

impl SoftStepParameters {
    /// The step rule of the iterations.
    pub fn step_rule(&self) -> StepRule {
        StepRule {
            rule: self.rule,
            splitting: self.splitting,
            sweep: self.sweep,
            omega: self.omega,
        }
    }

    /// How much work a frame is, with contacts that may bounce or without.
    pub fn schedule(&self, may_bounce: bool) -> FrameSchedule {
        FrameSchedule {
            substeps: self.substeps,
            sweeps: self.iterations,
            relax_sweeps: self.relax_iterations,
            restitution_sweeps: if may_bounce {
                self.iterations.max(self.relax_iterations)
            } else {
                0
            },
            acceleration: self.acceleration,
            guarded: self.guard,
        }
    }

    /// The spring of a contact; `fixed` if one of its bodies is not dynamic.
    pub fn contact_spring(&self, fixed: bool, h: f64) -> Softness {
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
