//! `gpu-jacobi`: `jacobi-f32` as compute shaders, two dispatches per iteration and no float atomics.
//!
//! One thread per manifold or joint makes the step of its rows from velocities that nobody changes meanwhile and writes
//! its impulses and one wrench per body; then one thread per body sums its wrenches in the order of their slots and
//! computes its velocity anew (K.1, K.2). Nothing is written by two threads and no sum depends on the number of
//! threads, so that the answer has the same bits in every run, with every workgroup size and however the commands
//! are submitted. Momentum, restart and guard are decided on the device, one iteration late (K.3); the residual
//! history is written there and read once.
//!
//! Budget per iteration: 164 bytes per contact point of manifolds of four (185 with momentum), three manifolds to a
//! body (K.4); two or three dispatches, which is what bounds small scenes.
//! Nearest sibling: `jacobi-f32`, its twin on the processor, with the same operations in the same order.
//!
//! Limitations: f32, with the floors of the twin; a driver may fuse or reorder operations, so that the bits are those of
//! one adapter. Problems without bodies are refused.
//! Theory: docs/theory/16-gpu.md, docs/theory/15-jacobi.md. Source: \[Tonge2012\], \[Nesterov1983\],
//! \[ODonoghue2015\], \[Wang2015\].

use std::sync::Arc;

use delassus_core::{
    DeviceError, Fidelity, ImpulseSolver, ParameterDoc, ParameterError, Precision, Problem,
    Progress, Refresh, SolveError, Solver, SolverDescriptor, Start, Traffic, Unsupported,
};
use delassus_solver_jacobi::pack::Pack;
use delassus_solver_jacobi::parameters::{self, JacobiParameters, Omega};
use delassus_solver_jacobi::rule::{Rule, Splitting, StepRule, Sweep};
use delassus_solver_jacobi::{Acceleration, spectrum};
use serde::{Deserialize, Serialize};

use crate::device::Device;
use crate::engine::Settings;
use crate::history::HistoryEntry;
use crate::variant::{Running, Variant};

/// Parameters of [`GpuJacobi`]: those of `jacobi-f32`, and the device's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GpuJacobiParameters {
    /// Step rule.
    pub rule: Rule,
    /// What mass splitting counts.
    pub splitting: Splitting,
    /// Which velocities the rows of a piece see.
    pub sweep: Sweep,
    /// Relaxation.
    pub omega: Omega,
    /// What is added to the plain step.
    pub acceleration: Acceleration,
    /// Plain steps while the residual is much larger than it has been.
    pub guard: bool,
    /// The history has the natural residual of every iteration.
    pub residuals: bool,
    /// Dispatches over the device, or one workgroup.
    pub variant: Variant,
    /// Threads of a workgroup \[-\]: 32, 64, 128 or 256.
    pub workgroup: u32,
    /// Iterations of one submission at most \[-\].
    pub submission: u32,
    /// Part of the name of the adapter; empty: the environment variable, otherwise the first.
    pub adapter: String,
}

impl Default for GpuJacobiParameters {
    fn default() -> Self {
        let JacobiParameters {
            rule,
            splitting,
            sweep,
            omega,
            acceleration,
            guard,
        } = JacobiParameters::default();
        Self {
            rule,
            splitting,
            sweep,
            omega,
            acceleration,
            guard,
            residuals: false,
            variant: Variant::default(),
            workgroup: 64,
            submission: 256,
            adapter: String::new(),
        }
    }
}

impl GpuJacobiParameters {
    /// The parameters of the twin.
    pub fn twin(&self) -> JacobiParameters {
        JacobiParameters {
            rule: self.rule,
            splitting: self.splitting,
            sweep: self.sweep,
            omega: self.omega,
            acceleration: self.acceleration,
            guard: self.guard,
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            acceleration: self.acceleration,
            guard: self.guard,
            residuals: self.residuals,
            workgroup: self.workgroup,
            submission: self.submission,
        }
    }

    pub(crate) fn step_rule(&self) -> StepRule {
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

    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        self.twin().check()?;
        if !matches!(self.workgroup, 32 | 64 | 128 | 256) {
            return Err(ParameterError {
                parameter: "workgroup",
                value: self.workgroup.to_string(),
                expected: "32, 64, 128 or 256 [-]",
            });
        }
        if self.residuals && self.variant == Variant::Resident {
            return Err(ParameterError {
                parameter: "residuals",
                value: "true".into(),
                expected: "false with variant = \"resident\", whose kernel has no room for them",
            });
        }
        if self.submission == 0 {
            return Err(ParameterError {
                parameter: "submission",
                value: "0".into(),
                expected: "submission >= 1 [-]",
            });
        }
        Ok(())
    }

    /// The relaxation that the problem asks for.
    pub(crate) fn relax(&self, problem: &Problem, pack: &mut Pack<f32>) -> Result<(), SolveError> {
        if matches!(self.omega, Omega::Named(_)) {
            let momentum = self.acceleration == Acceleration::Nesterov;
            let rule = spectrum::relaxation(problem, pack, momentum)?;
            pack.set_rule(problem, rule)?;
        }
        Ok(())
    }
}

/// Mass-split projected Jacobi with momentum, on a device (K.1–K.4).
#[derive(Debug)]
pub struct GpuJacobi {
    parameters: GpuJacobiParameters,
    engine: Option<Running>,
    blocks: usize,
}

impl GpuJacobi {
    /// The residual of every iteration since `prepare` or `refresh`, as the device wrote it down.
    ///
    /// # Errors
    /// Not prepared, or a failed device.
    pub fn read_history(&self) -> Result<Vec<HistoryEntry>, SolveError> {
        let engine = self.engine.as_ref().ok_or(SolveError::NotPrepared)?;
        Ok(engine.read_history()?)
    }

    /// Time that the last `iterate` took on the device \[s\]; `None` on devices without time stamps.
    ///
    /// # Errors
    /// Not prepared, or a failed device.
    pub fn device_seconds(&self) -> Result<Option<f64>, SolveError> {
        let engine = self.engine.as_ref().ok_or(SolveError::NotPrepared)?;
        Ok(engine.seconds()?)
    }

    /// True if one workgroup runs all iterations.
    ///
    /// # Errors
    /// Not prepared.
    pub fn is_resident(&self) -> Result<bool, SolveError> {
        let engine = self.engine.as_ref().ok_or(SolveError::NotPrepared)?;
        Ok(engine.is_resident())
    }

    /// Manifolds, contact points and row blocks on the device: what `prepare` was given.
    ///
    /// # Errors
    /// Not prepared.
    pub fn counts(&self) -> Result<DeviceCounts, SolveError> {
        let engine = self.engine.as_ref().ok_or(SolveError::NotPrepared)?;
        let pack = engine.pack();
        Ok(DeviceCounts {
            manifolds: pack.manifolds.len(),
            points: pack.manifolds.points(),
            blocks: pack.units.blocks(),
            rows: pack.rows(),
        })
    }

    fn engine(&self, problem: &Problem) -> Result<&Running, SolveError> {
        let engine = self.engine.as_ref().ok_or(SolveError::NotPrepared)?;
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        let pack = engine.pack();
        length("problem", problem.rows(), pack.rows())?;
        length("blocks", problem.blocks().len(), self.blocks)?;
        length("bodies", bodies.len(), pack.bodies.len() - 1)?;
        Ok(engine)
    }

    fn open(&self) -> Result<Arc<Device>, Unsupported> {
        let solver = Self::DESCRIPTOR.id;
        let device = Device::shared(&self.parameters.adapter);
        device.map_err(|device| Unsupported::Device { solver, device })
    }
}

#[cfg(test)]
impl GpuJacobi {
    pub(crate) fn snapshot(&self) -> Result<crate::engine::Snapshot, SolveError> {
        match self.engine.as_ref() {
            Some(Running::Dispatches(engine)) => Ok(engine.snapshot()?),
            _ => Err(SolveError::NotPrepared),
        }
    }

    pub(crate) fn rule(&self) -> Result<StepRule, SolveError> {
        let engine = self.engine.as_ref().ok_or(SolveError::NotPrepared)?;
        Ok(engine.pack().rule())
    }
}

/// What lies on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceCounts {
    /// Contact manifolds \[-\].
    pub manifolds: usize,
    /// Their contact points \[-\].
    pub points: usize,
    /// Row blocks that are no contact points \[-\].
    pub blocks: usize,
    /// Rows of both \[-\].
    pub rows: usize,
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
    parameters::PARAMETERS[0],
    parameters::PARAMETERS[1],
    parameters::PARAMETERS[2],
    parameters::PARAMETERS[3],
    parameters::PARAMETERS[4],
    parameters::PARAMETERS[5],
    ParameterDoc {
        name: "residuals",
        doc: "true: the history has the natural residual of every iteration, for two more dispatches each; default false, which costs nothing; changes no bit of the answer",
    },
    ParameterDoc {
        name: "variant",
        doc: "\"auto\" (default; resident on hardware if it fits), \"dispatches\" (over the whole device), \"resident\" (all iterations in one workgroup, at most 511 bodies); changes no bit of the answer",
    },
    ParameterDoc {
        name: "workgroup",
        doc: "threads of a workgroup [-], 32, 64 (default), 128 or 256; changes no bit of the answer",
    },
    ParameterDoc {
        name: "submission",
        doc: "iterations of one submission [-], at least 1, default 256; changes no bit of the answer",
    },
    ParameterDoc {
        name: "adapter",
        doc: "part of the adapter's name, backend or driver; \"\" (default): the environment variable DELASSUS_ADAPTER, otherwise the first, hardware before software",
    },
];

impl Solver for GpuJacobi {
    type Parameters = GpuJacobiParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "gpu-jacobi",
        aliases: &["gather-jacobi"],
        name: "Projected Jacobi on the GPU",
        summary: "The jacobi-f32 solver as compute shaders: ordered gathers instead of atomics, equal bits in every run.",
        citations: parameters::CITATIONS,
        theory: &["K.1", "K.2", "K.3", "K.4"],
        precision: Precision::F32,
        laws: parameters::ALL_LAWS_EXACT,
        holds_rows: true,
        parameters: DOCS,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: GpuJacobiParameters) -> Result<Self, ParameterError> {
        parameters.check()?;
        Ok(Self {
            parameters,
            engine: None,
            blocks: 0,
        })
    }
}

impl ImpulseSolver for GpuJacobi {
    fn descriptor(&self) -> &SolverDescriptor {
        &Self::DESCRIPTOR
    }

    fn device(&self) -> Option<Result<String, DeviceError>> {
        let device = Device::shared(&self.parameters.adapter);
        Some(device.map(|device| device.report().identity()))
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        if problem.bodies().is_none() {
            return Err(Unsupported::Bodies {
                solver: Self::DESCRIPTOR.id,
            });
        }
        let fidelity = Self::DESCRIPTOR.check(problem)?;
        self.open()?;
        Ok(fidelity)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.engine = None;
        self.check(problem)?;
        let mut impulses = vec![0.0; problem.rows()];
        start.write(&mut impulses)?;
        let mut pack = Pack::new(problem, self.parameters.step_rule())?;
        self.parameters.relax(problem, &mut pack)?;
        let settings = self.parameters.settings();
        let variant = self.parameters.variant;
        let engine = Running::new(variant, self.open()?, settings, pack, impulses)?;
        self.blocks = problem.blocks().len();
        self.engine = Some(engine);
        Ok(())
    }

    fn refresh(&mut self, problem: &Problem, what: Refresh) -> Result<(), SolveError> {
        self.engine(problem)?;
        self.check(problem)?;
        let parameters = &self.parameters;
        let engine = self.engine.as_mut().ok_or(SolveError::NotPrepared)?;
        let fits = engine.refresh(problem, |pack, problem| {
            let fits = pack.refresh(problem, what)?;
            if fits && (what.compliance || what.activity) {
                parameters.relax(problem, pack)?;
            }
            Ok(fits)
        })?;
        if fits {
            return Ok(());
        }
        // the layout changes, the impulses stay
        let mut impulses = vec![0.0; problem.rows()];
        engine.read_impulses(&mut impulses)?;
        self.prepare(problem, Start::Warm(&impulses))
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.engine(problem)?;
        let engine = self.engine.as_mut().ok_or(SolveError::NotPrepared)?;
        engine.iterate(sweeps)?;
        Ok(Progress::of_sweeps(sweeps, engine.pack().active_rows()))
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        let engine = self.engine.as_ref().ok_or(SolveError::NotPrepared)?;
        length("impulses", out.len(), engine.pack().rows())?;
        engine.read_impulses(out)
    }

    fn read_velocities(&mut self, problem: &Problem, out: &mut [f64]) -> Result<(), SolveError> {
        let engine = self.engine(problem)?;
        length(
            "velocities",
            out.len(),
            6 * (engine.pack().bodies.len() - 1),
        )?;
        engine.read_velocities(out)
    }

    fn traffic(&self) -> Option<Traffic> {
        self.engine.as_ref().map(Running::traffic)
    }
}
