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

use delassus_core::parameter::require;
use delassus_core::{
    Fidelity, ImpulseSolver, Memory, ParameterError, Parameters, PowerScale, Precision, Problem,
    Progress, Refresh, SolveError, Solver, SolverDescriptor, Start, Unsupported,
};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::parameters::{self, JacobiParameters};

use crate::engine::Settings;
use crate::history::HistoryEntry;
use crate::prepared::{self, DeviceParameters, Prepared, solve_by_prepared};
use crate::variant::{Running, Variant};

/// Parameters of [`GpuJacobi`]: those of `jacobi-f32`, and the device's.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct GpuJacobiParameters {
    /// Those of the twin.
    #[parameter(flatten)]
    pub jacobi: JacobiParameters,
    /// True: the history has the natural residual of every iteration, for two more dispatches each. It changes no bit of
    /// the answer.
    pub residuals: bool,
    /// Dispatches over the device, or one workgroup. It changes no bit of the answer.
    pub variant: Variant,
    /// The device.
    #[parameter(flatten)]
    pub device: DeviceParameters,
}

impl GpuJacobiParameters {
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            acceleration: self.jacobi.acceleration,
            guard: self.jacobi.guard,
            residuals: self.residuals,
            workgroup: self.device.workgroup,
            submission: self.device.submission,
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        let fits = !self.residuals || self.variant != Variant::Resident;
        let expected = "false with variant = \"resident\", whose kernel has no room for them";
        require(fits, "residuals", self.residuals, expected)
    }
}

/// Mass-split projected Jacobi with momentum, on a device (K.1–K.4).
#[derive(Debug)]
pub struct GpuJacobi {
    parameters: GpuJacobiParameters,
    prepared: Prepared<Running>,
}

impl GpuJacobi {
    /// The residual of every iteration since `prepare` or `refresh`, as the device wrote it down.
    ///
    /// # Errors
    /// Not prepared, or a failed device.
    pub fn read_history(&self) -> Result<Vec<HistoryEntry>, SolveError> {
        Ok(self.prepared.get()?.read_history()?)
    }

    /// Time that the last `iterate` took on the device \[s\]; `None` on devices without time stamps.
    ///
    /// # Errors
    /// Not prepared, or a failed device.
    pub fn device_seconds(&self) -> Result<Option<f64>, SolveError> {
        self.prepared.seconds()
    }

    /// True if one workgroup runs all iterations.
    ///
    /// # Errors
    /// Not prepared.
    pub fn is_resident(&self) -> Result<bool, SolveError> {
        Ok(self.prepared.get()?.is_resident())
    }

    /// Manifolds, contact points and row blocks on the device: what `prepare` was given.
    ///
    /// # Errors
    /// Not prepared.
    pub fn counts(&self) -> Result<DeviceCounts, SolveError> {
        let pack = self.prepared.get()?.pack();
        Ok(DeviceCounts {
            manifolds: pack.manifolds.len(),
            points: pack.manifolds.points(),
            blocks: pack.units.blocks(),
            rows: pack.rows(),
        })
    }
}

#[cfg(test)]
impl GpuJacobi {
    pub(crate) fn snapshot(&self) -> Result<crate::engine::Snapshot, SolveError> {
        match self.prepared.get()? {
            Running::Dispatches(engine) => Ok(engine.snapshot()?),
            Running::Resident(_) => Err(SolveError::NotPrepared),
        }
    }

    pub(crate) fn rule(&self) -> Result<delassus_solver_jacobi::rule::StepRule, SolveError> {
        Ok(self.prepared.get()?.pack().rule())
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
        ..SolverDescriptor::BASE
    };

    fn new(parameters: GpuJacobiParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self {
            parameters,
            prepared: Prepared::NONE,
        })
    }
}

impl ImpulseSolver for GpuJacobi {
    solve_by_prepared!();

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        let fidelity = prepared::check(&Self::DESCRIPTOR, problem)?;
        prepared::open(Self::DESCRIPTOR.id, &self.parameters.device.adapter)?;
        Ok(fidelity)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.prepared = Prepared::NONE;
        self.check(problem)?;
        let scale = PowerScale::of(Self::DESCRIPTOR.id, problem)?;
        let problem = scale.apply(Self::DESCRIPTOR.id, problem)?;
        let problem = problem.as_ref();
        let impulses = scale.start(start, problem.rows())?;
        let parameters = &self.parameters;
        let pack = parameters.jacobi.pack(problem)?;
        let device = prepared::open(Self::DESCRIPTOR.id, &parameters.device.adapter)?;
        let settings = parameters.settings();
        let engine = Running::new(parameters.variant, device, settings, pack, impulses)?;
        self.prepared = Prepared::new(problem, engine, scale);
        Ok(())
    }

    fn refresh(&mut self, problem: &Problem, what: Refresh) -> Result<(), SolveError> {
        self.prepared.of(problem)?;
        self.check(problem)?;
        let twin = self.parameters.jacobi;
        let scale = PowerScale::of(Self::DESCRIPTOR.id, problem)?;
        if scale != self.prepared.scale() {
            let mut impulses = vec![0.0; problem.rows()];
            self.prepared.read_impulses(&mut impulses)?;
            return self.prepare(problem, Start::Warm(&impulses));
        }
        let engine = self.prepared.of(problem)?;
        let scaled = scale.apply(Self::DESCRIPTOR.id, problem)?;
        let fits = engine.refresh(scaled.as_ref(), |pack, problem| {
            let fits = pack.refresh(problem, what)?;
            if fits && (what.compliance || what.activity) {
                twin.relax(problem, pack)?;
            }
            Ok(fits)
        })?;
        if fits {
            return Ok(());
        }
        // the layout changes, the impulses stay
        let mut impulses = vec![0.0; problem.rows()];
        self.prepared.read_impulses(&mut impulses)?;
        self.prepare(problem, Start::Warm(&impulses))
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.prepared.iterate(problem, sweeps)
    }

    fn state(&mut self, out: &mut Vec<u64>) -> Result<Option<Memory>, SolveError> {
        let memory = match self.parameters.jacobi.acceleration {
            Acceleration::None => Memory::Whole,
            // t is left out as in the twin
            Acceleration::Nesterov => Memory::Resting(2),
            // the weights stay on the device
            Acceleration::Chebyshev => return Ok(None),
        };
        self.prepared.state(out)?;
        Ok(Some(memory))
    }
}
