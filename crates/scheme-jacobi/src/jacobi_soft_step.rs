//! `jacobi-soft-step`: the frame of `gpu-soft-step` on the processor, operation by operation.
//!
//! Soft Step (T.1–T.4, T.7, T.15) with Jacobi iterations, whose bodies, errors and rows are told
//! from the start of the frame (K.20), in f32 or f64.
//!
//! Cost: per substep two warm starts and `iterations` + `relax_iterations` Jacobi iterations; a
//! pack per frame. Nearest siblings: `gpu-soft-step` makes the same on a device; `soft-step` with
//! the solver `jacobi` packs anew where joints turn and takes the step lengths from the present
//! inertia, this one from that of the frame's start.
//!
//! Limitations: of the joints those without a target that moves. A frame that may bounce relaxes
//! once more at its end, also if in the end nothing bounces (K.24). Where there is a slop, bodies
//! sink into it, and what few relaxed iterations leave of friction creeps (K.25). The push is
//! bounded before the mass scale (T.24), in `soft-step` after it. The relax pass keeps the lever
//! arms of the substep's start (`relax_arms = "kept"`), and rows of a joint are soft one by one: a
//! rod that swings by 1.2 rad loses 0.55 J of 3.1 J in ten seconds, with `soft-step` 0.02 J. Probes
//! see the end of the frame only: nothing is frozen on the host in between. A body that may turn
//! about two of three axes keeps the frame's inverse inertia within a frame. Theory:
//! docs/theory/16-gpu.md, docs/theory/10-time-stepping.md. Source: \[Catto2024\], \[Tonge2012\].

use delassus_core::{Choice, Fidelity, ParameterError, Parameters};
use delassus_dynamics::{
    PositionScheme, Probe, Scheme, SchemeDescriptor, SchemeError, StepError, StepReport, World,
};

use crate::parameters::SoftStepParameters;
use crate::stepping::frame;
use crate::{joints, soft_step};

/// The arithmetic of the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Scalar {
    /// That of the device.
    F32,
    /// Twice as many digits: what f32 costs is the difference.
    F64,
}

/// Parameters of [`JacobiSoftStep`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct JacobiSoftStepParameters {
    /// The frame.
    #[parameter(flatten)]
    pub frame: SoftStepParameters,
    /// Arithmetic of the frame.
    #[parameter(default = Scalar::F32)]
    pub scalar: Scalar,
}

/// Soft Step with Jacobi iterations on the processor (K.20–K.23).
#[derive(Debug, Clone)]
pub struct JacobiSoftStep {
    parameters: JacobiSoftStepParameters,
}

impl PositionScheme for JacobiSoftStep {
    type Parameters = JacobiSoftStepParameters;

    const DESCRIPTOR: SchemeDescriptor = SchemeDescriptor {
        id: "jacobi-soft-step",
        aliases: &["soft-step-twin"],
        name: "Soft Step with Jacobi iterations",
        summary: "the frame of gpu-soft-step on the processor, operation by operation",
        citations: &["Catto2024", "Tonge2012"],
        theory: &["K.20", "K.21", "K.22", "K.24", "K.25", "T.14", "T.15"],
        uses_solver: false,
        preset_of: None,
    };

    fn new(parameters: JacobiSoftStepParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self { parameters })
    }
}

impl Scheme for JacobiSoftStep {
    fn descriptor(&self) -> &SchemeDescriptor {
        &<Self as PositionScheme>::DESCRIPTOR
    }

    fn check(&self, world: &World) -> Result<Fidelity, SchemeError> {
        joints::check(world, <Self as PositionScheme>::DESCRIPTOR.id)?;
        Ok(Fidelity::Exact)
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        self.check(world)?;
        let p = &self.parameters.frame;
        match self.parameters.scalar {
            Scalar::F32 => soft_step::step::<f32>(world, dt, p, probe, |f| Ok(frame::run(f))),
            Scalar::F64 => soft_step::step::<f64>(world, dt, p, probe, |f| Ok(frame::run(f))),
        }
    }
}
