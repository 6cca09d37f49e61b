//! `gpu-async-jacobi`: Jacobi by atomic additions to the velocities, as a baseline for the ordered
//! gather.
//!
//! One thread per manifold or joint makes its step and adds what it changes to the velocities of
//! its bodies. The tutorial kernel of \[PeriDyno2021\] does this in floating point, in one launch:
//! threads read velocities that others are adding to, and sums depend on who comes first (J.17).
//! Three accumulations can be chosen:
//!
//! - `cas`: a loop of compare-and-exchange on the bits, which every device has; asynchronous, never
//!   twice the same;
//! - `float`: the device's own addition, where the adapter has it; asynchronous, never twice the
//!   same;
//! - `fixed-point`: whole numbers of 2^−bits m/s (K.9). Sums of integers have no order, and
//!   velocities are computed from them in a second dispatch, so nothing is read that is being
//!   written: the same bits in every run.
//!
//! A contribution above its share of the fixed-point range could overflow the sum; it is an error
//! (K.10).
//!
//! Budget per iteration: one pass over all rows and six atomic additions per piece and body; one
//! dispatch, or two. Nearest siblings: `gpu-jacobi` gathers in order; `async-jacobi` emulates the
//! scheduler on the processor.
//!
//! Limitations: f32; the default step is the tutorial's, safe for contacts with few rows only
//! (J.9); a patch counts as many times as it has points. Fixed point resolves 2^−bits of a velocity
//! and no less. Problems without bodies are refused. Theory: docs/theory/16-gpu.md,
//! docs/theory/15-jacobi.md. Source: \[PeriDyno2021\]; chaotic relaxation is \[Chazan1969\].

use std::sync::Arc;

use delassus_core::{
    Checked, Determinism, DeviceError, Method, ParameterError, Parameters, Precision, Problem,
    SolveError, SolverDescriptor, Unsupported,
};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::PackThreads;
use delassus_solver_jacobi::parameters::{JacobiParameters, StepParameters};
use delassus_solver_jacobi::rule::{FactorRule, LocalSweep};

pub use crate::asynchronous::Accumulation;
use crate::asynchronous::{AsyncSettings, Asynchronous};
use crate::device::Device;
use crate::prepared::{self, DeviceParameters};

/// Parameters of [`GpuAsyncJacobi`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct GpuAsyncJacobiParameters {
    /// How threads add to a velocity.
    pub accumulation: Accumulation,
    /// The step; that of the tutorial if nothing else is said.
    #[parameter(flatten, default = StepParameters {
        rule: FactorRule::Count,
        sweep: LocalSweep::Points,
        ..StepParameters::default()
    })]
    pub step: StepParameters,
    /// A fixed-point unit is 2^-bits. In m/s and rad/s.
    #[parameter(default = 20, unit = "-", range = "[0, 30]")]
    pub bits: u32,
    /// The device.
    #[parameter(flatten)]
    pub device: DeviceParameters,
}

impl GpuAsyncJacobiParameters {
    /// The step, as parameters of the order-free solvers.
    fn steps(&self) -> JacobiParameters {
        JacobiParameters {
            step: self.step,
            acceleration: Acceleration::None,
            guard: false,
        }
    }
}

/// Jacobi by atomic additions, on a device (J.17, K.9).
pub type GpuAsyncJacobi = Checked<GpuAsyncJacobiMethod>;

/// The method of [`GpuAsyncJacobi`].
#[derive(Debug)]
pub struct GpuAsyncJacobiMethod {
    parameters: GpuAsyncJacobiParameters,
}

impl GpuAsyncJacobiMethod {
    fn open(&self) -> Result<Arc<Device>, Unsupported> {
        let solver = Self::DESCRIPTOR.id;
        let device = prepared::open(solver, &self.parameters.device.adapter)?;
        if self.parameters.accumulation == Accumulation::Float && !device.has_float_atomics() {
            let name = &device.report().name;
            let reason =
                format!("{name} cannot add to f32 memory atomically (accumulation = float)");
            let device = DeviceError::NoAdapter { reason };
            return Err(Unsupported::Device { solver, device });
        }
        Ok(device)
    }
}

impl Method for GpuAsyncJacobiMethod {
    type Parameters = GpuAsyncJacobiParameters;
    type Prepared = Asynchronous;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "gpu-async-jacobi",
        aliases: &["gpu-atomic-jacobi"],
        name: "Asynchronous Jacobi on the GPU",
        summary: "Jacobi by atomic additions to velocities that other threads read; does not repeat, except in fixed point.",
        citations: &["PeriDyno2021", "Chazan1969"],
        theory: &["J.9", "J.17", "K.9", "K.10"],
        precision: Precision::F32,
        cost: "m",
        forms: delassus_solver_jacobi::async_jacobi::FORMS,
        determinism: Determinism::None,
        supports_inactive_rows: true,
        needs_bodies: true,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: GpuAsyncJacobiParameters) -> Result<Self, ParameterError> {
        Ok(Self { parameters })
    }

    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        let _ = problem;
        self.open().map(|_| ())
    }

    fn device(&self) -> Option<Result<String, DeviceError>> {
        prepared::identity(&self.parameters.device.adapter)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Asynchronous, SolveError> {
        let pack = self.parameters.steps().pack_on(PackThreads::All, problem)?;
        let settings = AsyncSettings {
            accumulation: self.parameters.accumulation,
            bits: self.parameters.bits,
            workgroup: self.parameters.device.threads(),
            submission: self.parameters.device.submission,
        };
        Ok(Asynchronous::new(self.open()?, settings, pack, &impulses)?)
    }
}
