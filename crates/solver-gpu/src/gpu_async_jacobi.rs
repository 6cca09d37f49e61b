//! `gpu-async-jacobi`: Jacobi by atomic additions to the velocities, as a baseline for the ordered gather.
//!
//! One thread per manifold or joint makes its step and adds what it changes to the velocities of its bodies. The tutorial
//! kernel of \[PeriDyno2021\] does this in floating point, in one launch: threads read velocities that others are adding to,
//! and sums depend on who comes first (J.17). Three accumulations can be chosen:
//!
//! - `cas`: a loop of compare-and-exchange on the bits, which every device has; asynchronous, never twice the same;
//! - `float`: the device's own addition, where the adapter has it; asynchronous, never twice the same;
//! - `fixed-point`: whole numbers of 2^−bits m/s (K.9). Sums of integers have no order, and velocities are computed from
//!   them in a second dispatch, so nothing is read that is being written: the same bits in every run.
//!
//! A contribution above its share of the fixed-point range could overflow the sum; it is an error (K.10).
//!
//! Budget per iteration: one pass over all rows and six atomic additions per piece and body; one dispatch, or two.
//! Nearest siblings: `gpu-jacobi` gathers in order; `async-jacobi` emulates the scheduler on the processor.
//!
//! Limitations: f32; the default step is the tutorial's, safe for contacts with few rows only (J.9), so patches are refused. Fixed point resolves
//! 2^−bits of a velocity and no less. Problems without bodies are refused.
//! Theory: docs/theory/16-gpu.md, docs/theory/15-jacobi.md. Source: \[PeriDyno2021\]; chaotic relaxation is \[Chazan1969\].

use std::sync::Arc;

use delassus_core::{
    Determinism, DeviceError, Fidelity, ImpulseSolver, ParameterDoc, ParameterError, Precision,
    Problem, Progress, SolveError, Solver, SolverDescriptor, Start, Traffic, Unsupported,
};
use delassus_solver_jacobi::pack::Pack;
use delassus_solver_jacobi::parameters::{self, JacobiParameters, Omega};
use delassus_solver_jacobi::rule::{Rule, Splitting, StepRule, Sweep};
use delassus_solver_jacobi::{Acceleration, spectrum};
use serde::{Deserialize, Serialize};

use crate::asynchronous::{Asynchronous, Settings};
use crate::device::Device;

/// How threads add to a velocity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accumulation {
    /// Compare and exchange in a loop.
    #[default]
    Cas,
    /// Whole numbers of a small unit.
    FixedPoint,
    /// The device's addition of f32.
    Float,
}

/// Parameters of [`GpuAsyncJacobi`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GpuAsyncJacobiParameters {
    /// How threads add to a velocity.
    pub accumulation: Accumulation,
    /// Step rule.
    pub rule: Rule,
    /// What mass splitting counts.
    pub splitting: Splitting,
    /// Which velocities the rows of a piece see.
    pub sweep: Sweep,
    /// Relaxation.
    pub omega: Omega,
    /// A fixed-point unit is 2^−bits \[m/s, rad/s\]; 0 to 30.
    pub bits: u32,
    /// Threads of a workgroup \[-\]: 32, 64, 128 or 256.
    pub workgroup: u32,
    /// Iterations of one submission at most \[-\].
    pub submission: u32,
    /// Part of the name of the adapter; empty: the environment variable, otherwise the first.
    pub adapter: String,
}

impl Default for GpuAsyncJacobiParameters {
    fn default() -> Self {
        Self {
            accumulation: Accumulation::default(),
            rule: Rule::Count,
            splitting: Splitting::default(),
            sweep: Sweep::Points,
            omega: Omega::Value(1.0),
            bits: 20,
            workgroup: 64,
            submission: 256,
            adapter: String::new(),
        }
    }
}

impl GpuAsyncJacobiParameters {
    fn check(&self) -> Result<(), ParameterError> {
        let steps = JacobiParameters {
            rule: self.rule,
            splitting: self.splitting,
            sweep: self.sweep,
            omega: self.omega,
            acceleration: Acceleration::None,
            guard: false,
        };
        steps.check()?;
        let error = |parameter, value: u32, expected| {
            Err(ParameterError {
                parameter,
                value: value.to_string(),
                expected,
            })
        };
        if self.bits > 30 {
            return error("bits", self.bits, "0 <= bits <= 30 [-]");
        }
        if !matches!(self.workgroup, 32 | 64 | 128 | 256) {
            return error("workgroup", self.workgroup, "32, 64, 128 or 256 [-]");
        }
        if self.submission == 0 {
            return error("submission", 0, "submission >= 1 [-]");
        }
        Ok(())
    }

    fn step_rule(&self) -> StepRule {
        StepRule {
            rule: self.rule,
            splitting: self.splitting,
            sweep: self.sweep,
            omega: match self.omega {
                Omega::Value(omega) => omega,
                Omega::Named(_) => 1.0,
            },
        }
    }
}

/// Jacobi by atomic additions, on a device (J.17, K.9).
#[derive(Debug)]
pub struct GpuAsyncJacobi {
    parameters: GpuAsyncJacobiParameters,
    prepared: Option<Asynchronous>,
}

impl GpuAsyncJacobi {
    /// Time that the last `iterate` took on the device \[s\]; `None` on devices without time stamps.
    ///
    /// # Errors
    /// Not prepared, or a failed device.
    pub fn device_seconds(&self) -> Result<Option<f64>, SolveError> {
        Ok(self.prepared()?.seconds()?)
    }

    fn prepared(&self) -> Result<&Asynchronous, SolveError> {
        self.prepared.as_ref().ok_or(SolveError::NotPrepared)
    }

    fn open(&self) -> Result<Arc<Device>, Unsupported> {
        let solver = Self::DESCRIPTOR.id;
        let unsupported = |device| Unsupported::Device { solver, device };
        let device = Device::shared(&self.parameters.adapter).map_err(unsupported)?;
        if self.parameters.accumulation == Accumulation::Float && !device.has_float_atomics() {
            let name = &device.report().name;
            let reason =
                format!("{name} cannot add to f32 memory atomically (accumulation = float)");
            return Err(unsupported(DeviceError::NoAdapter { reason }));
        }
        Ok(device)
    }

    fn fits(&self, problem: &Problem) -> Result<(), SolveError> {
        let pack = self.prepared()?.pack();
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        length("problem", problem.rows(), pack.rows())?;
        length("bodies", bodies.len(), pack.bodies.len() - 1)
    }
}

fn length(what: &'static str, found: usize, expected: usize) -> Result<(), SolveError> {
    if found == expected {
        return Ok(());
    }
    Err(SolveError::Length {
        what,
        found,
        expected,
    })
}

const DOCS: &[ParameterDoc] = &[
    ParameterDoc {
        name: "accumulation",
        doc: "\"cas\" (default; compare and exchange), \"fixed-point\" (whole numbers, the same bits in every run), \"float\" (the device's addition, where it has one)",
    },
    ParameterDoc {
        name: "rule",
        doc: "step rule: \"count\" (default; contact points of both bodies), \"max-count\", \"mass-split\", \"diagonal\"",
    },
    parameters::PARAMETERS[1],
    ParameterDoc {
        name: "sweep",
        doc: "what the rows of a manifold or joint see: \"points\" (default; the velocities of the start) or \"block\" (the changes before them)",
    },
    parameters::PARAMETERS[3],
    ParameterDoc {
        name: "bits",
        doc: "a fixed-point unit is 2^-bits [m/s, rad/s]; 0 to 30, default 20",
    },
    ParameterDoc {
        name: "workgroup",
        doc: "threads of a workgroup [-], 32, 64 (default), 128 or 256",
    },
    ParameterDoc {
        name: "submission",
        doc: "iterations of one submission [-], at least 1, default 256",
    },
    ParameterDoc {
        name: "adapter",
        doc: "part of the adapter's name, backend or driver; \"\" (default): the environment variable DELASSUS_ADAPTER, otherwise the first, hardware before software",
    },
];

impl Solver for GpuAsyncJacobi {
    type Parameters = GpuAsyncJacobiParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "gpu-async-jacobi",
        aliases: &["gpu-atomic-jacobi"],
        name: "Asynchronous Jacobi on the GPU",
        summary: "Jacobi by atomic additions to velocities that other threads read; does not repeat, except in fixed point.",
        citations: &["PeriDyno2021", "Chazan1969"],
        theory: &["J.9", "J.17", "K.9", "K.10"],
        precision: Precision::F32,
        laws: delassus_solver_jacobi::async_jacobi::LAWS,
        determinism: Determinism::None,
        holds_rows: true,
        parameters: DOCS,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: GpuAsyncJacobiParameters) -> Result<Self, ParameterError> {
        parameters.check()?;
        Ok(Self {
            parameters,
            prepared: None,
        })
    }
}

impl ImpulseSolver for GpuAsyncJacobi {
    fn descriptor(&self) -> &SolverDescriptor {
        &Self::DESCRIPTOR
    }

    fn device(&self) -> Option<Result<String, DeviceError>> {
        let device = Device::shared(&self.parameters.adapter);
        Some(device.map(|device| device.report().identity()))
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        let solver = Self::DESCRIPTOR.id;
        if problem.bodies().is_none() {
            return Err(Unsupported::Bodies { solver });
        }
        let fidelity = Self::DESCRIPTOR.check(problem)?;
        self.open()?;
        Ok(fidelity)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.prepared = None;
        self.check(problem)?;
        let mut impulses = vec![0.0; problem.rows()];
        start.write(&mut impulses)?;
        let mut pack = Pack::new(problem, self.parameters.step_rule())?;
        if matches!(self.parameters.omega, Omega::Named(_)) {
            let rule = spectrum::relaxation(problem, &mut pack, false)?;
            pack.set_rule(problem, rule)?;
        }
        let settings = Settings {
            accumulation: self.parameters.accumulation,
            bits: self.parameters.bits,
            workgroup: self.parameters.workgroup,
            submission: self.parameters.submission,
        };
        let prepared = Asynchronous::new(self.open()?, settings, pack, &impulses)?;
        self.prepared = Some(prepared);
        Ok(())
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.fits(problem)?;
        let prepared = self.prepared.as_mut().ok_or(SolveError::NotPrepared)?;
        if let Err(error) = prepared.iterate(sweeps) {
            // an overflow leaves velocities that no later iteration repairs
            self.prepared = None;
            return Err(error);
        }
        Ok(Progress::of_sweeps(sweeps, prepared.pack().active_rows()))
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        let prepared = self.prepared()?;
        length("impulses", out.len(), prepared.pack().rows())?;
        prepared.read_impulses(out)
    }

    fn read_velocities(&mut self, problem: &Problem, out: &mut [f64]) -> Result<(), SolveError> {
        self.fits(problem)?;
        let prepared = self.prepared()?;
        let expected = 6 * (prepared.pack().bodies.len() - 1);
        length("velocities", out.len(), expected)?;
        prepared.read_velocities(out)
    }

    fn traffic(&self) -> Option<Traffic> {
        self.prepared.as_ref().map(Asynchronous::traffic)
    }
}
