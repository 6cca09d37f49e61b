//! `gpu-jacobi`: `jacobi-f32` as compute shaders, two dispatches per iteration and no float
//! atomics.
//!
//! One thread per manifold or joint makes the step of its rows from velocities that no thread
//! changes meanwhile and writes its impulses and one wrench per body; then one thread per body sums
//! its wrenches in the order of their slots and computes its velocity anew (K.1, K.2). Nothing is
//! written by two threads and no sum depends on the number of threads, so that the answer has the
//! same bits in every run, with every workgroup size and however the commands are submitted.
//! Momentum, restart and guard are decided on the device, one iteration late (K.3); the residual
//! history is written there and read once.
//!
//! Budget per iteration: 164 bytes per contact point of manifolds of four (185 with momentum),
//! three manifolds to a body (K.4); two or three dispatches, which is what bounds small scenes.
//! With `variant = "fused"` one dispatch, and the same bits (K.52).
//! Nearest sibling: `jacobi-f32`, its twin on the processor, with the same operations in the same
//! order.
//!
//! Limitations: f32, with the floors of the twin; a driver may fuse or reorder operations, so that
//! the bits are those of one adapter. Problems without bodies are refused. Theory:
//! docs/theory/16-gpu.md, docs/theory/15-jacobi.md. Source: \[Tonge2012\], \[Nesterov1983\],
//! \[ODonoghue2015\], \[Wang2015\].

use delassus_core::parameter::require;
use delassus_core::{
    Changes, Checked, DeviceError, Method, ParameterError, Parameters, Precision, Prepared,
    Problem, Progress, SolveError, SolverDescriptor, SolverFacts, StateCoverage, Unsupported,
};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::{Pack, PackThreads};
use delassus_solver_jacobi::parameters::{self, JacobiParameters};

use crate::dispatches::DispatchSettings;
use crate::fused;
use crate::history::HistoryEntry;
use crate::prepared::{self, DeviceParameters};
use crate::tiles::ManifoldLayout;
use crate::variant::{Execution, Variant};

/// Parameters of [`GpuJacobi`]: those of `jacobi-f32`, and the device's.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct GpuJacobiParameters {
    /// Those of the twin.
    #[parameter(flatten)]
    pub jacobi: JacobiParameters,
    /// True: the history has the natural residual of every iteration, for two more dispatches each.
    /// It changes no bit of the answer.
    pub residuals: bool,
    /// Dispatches over the device, two per iteration or one, or one workgroup. It changes no bit of
    /// the answer.
    pub variant: Variant,
    /// How manifolds lie on the device where iterations are dispatched. It changes no bit of the
    /// answer.
    pub layout: ManifoldLayout,
    /// The device.
    #[parameter(flatten)]
    pub device: DeviceParameters,
}

impl GpuJacobiParameters {
    pub(crate) fn settings(&self) -> DispatchSettings {
        DispatchSettings {
            acceleration: self.jacobi.acceleration,
            guard: self.jacobi.guard,
            residuals: self.residuals,
            workgroup: self.device.workgroup,
            submission: self.device.submission,
            layout: self.layout,
            fused: self.variant == Variant::Fused,
        }
    }

    /// Refuses a problem that the variant does not solve.
    fn check_pack(&self, pack: &Pack<f32>) -> Result<(), Unsupported> {
        match self.variant {
            Variant::Fused => fused::check(GpuJacobiMethod::DESCRIPTOR.id, pack),
            _ => Ok(()),
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        let fits = !self.residuals || self.variant != Variant::Resident;
        let expected = "false with variant = \"resident\", whose kernel has no room for them";
        require(fits, "residuals", self.residuals, expected)?;
        let fused = self.variant == Variant::Fused;
        let expected = "false with variant = \"fused\", which stores no velocities to judge";
        require(
            !fused || !self.residuals,
            "residuals",
            self.residuals,
            expected,
        )?;
        let acceleration = self.jacobi.acceleration;
        let fits = !fused || acceleration != Acceleration::Chebyshev;
        let expected = "none or nesterov with variant = \"fused\": Chebyshev's weight depends on \
                        the sums of the iteration before, which end with the dispatch";
        require(fits, "acceleration", acceleration, expected)?;
        let fits = !self.residuals || self.layout == ManifoldLayout::Manifolds;
        let expected = "false with layout = \"tiles\", which the kernels of residuals do not read";
        require(fits, "residuals", self.residuals, expected)
    }
}

/// Mass-split projected Jacobi with momentum, on a device (K.1–K.4).
pub type GpuJacobi = Checked<GpuJacobiMethod>;

/// The method of [`GpuJacobi`].
#[derive(Debug)]
pub struct GpuJacobiMethod {
    parameters: GpuJacobiParameters,
}

/// A problem on a device, and what refreshes it.
#[derive(Debug)]
pub struct Iterations {
    twin: JacobiParameters,
    execution: Execution,
}

impl Iterations {
    /// The residual of every iteration since `prepare` or `update`, as the device wrote it down.
    ///
    /// # Errors
    /// A failed device.
    pub fn read_history(&self) -> Result<Vec<HistoryEntry>, DeviceError> {
        self.execution.read_history()
    }

    /// Time that the last `iterate` took on the device \[s\]; `None` on devices without time
    /// stamps.
    ///
    /// # Errors
    /// A failed device.
    pub fn seconds(&self) -> Result<Option<f64>, DeviceError> {
        self.execution.seconds()
    }

    /// True if one workgroup runs all iterations.
    pub fn is_resident(&self) -> bool {
        self.execution.is_resident()
    }

    /// Manifolds, contact points and row blocks on the device: what `prepare` was given.
    pub fn counts(&self) -> DeviceCounts {
        let pack = self.execution.pack();
        DeviceCounts {
            manifolds: pack.manifolds.len(),
            points: pack.manifolds.points(),
            blocks: pack.units.blocks(),
            rows: pack.rows(),
        }
    }
}

#[cfg(test)]
impl Iterations {
    pub(crate) fn snapshot(&self) -> Result<crate::dispatches::Snapshot, SolveError> {
        match &self.execution {
            Execution::Dispatches(dispatches) => Ok(dispatches.snapshot()?),
            Execution::Resident(_) => Err(SolveError::NotPrepared),
        }
    }

    pub(crate) fn rule(&self) -> delassus_solver_jacobi::rule::StepRule {
        self.execution.pack().rule()
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

impl Method for GpuJacobiMethod {
    type Parameters = GpuJacobiParameters;
    type Prepared = Iterations;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "gpu-jacobi",
        aliases: &["gather-jacobi"],
        name: "Projected Jacobi on the GPU",
        summary: "The jacobi-f32 solver as compute shaders: ordered gathers instead of atomics, equal bits in every run.",
        citations: parameters::CITATIONS,
        theory: &["K.1", "K.2", "K.3", "K.4", "K.47", "K.52", "K.53"],
        precision: Precision::F32,
        cost: "m",
        forms: SolverDescriptor::ALL_BUT_POLYGONS_AND_SEVERAL,
        supports_inactive_rows: true,
        needs_bodies: true,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: GpuJacobiParameters) -> Result<Self, ParameterError> {
        Ok(Self { parameters })
    }

    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        let _ = problem;
        prepared::open(Self::DESCRIPTOR.id, &self.parameters.device.adapter).map(|_| ())
    }

    fn device(&self) -> Option<Result<String, DeviceError>> {
        prepared::identity(&self.parameters.device.adapter)
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Iterations, SolveError> {
        let parameters = &self.parameters;
        let twin = parameters.jacobi;
        let pack = twin.pack_on(PackThreads::All, problem)?;
        parameters.check_pack(&pack)?;
        let device = prepared::open(Self::DESCRIPTOR.id, &parameters.device.adapter)?;
        let settings = parameters.settings();
        let execution = Execution::new(parameters.variant, device, settings, pack, impulses)?;
        Ok(Iterations { twin, execution })
    }

    fn prepare_into(
        &mut self,
        prepared: &mut Iterations,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        let parameters = &self.parameters;
        let device = prepared::open(Self::DESCRIPTOR.id, &parameters.device.adapter)?;
        let (settings, twin) = (parameters.settings(), parameters.jacobi);
        let variant = parameters.variant;
        prepared
            .execution
            .repeat(variant, &device, settings, problem, impulses, |pack| {
                twin.repeat(pack, problem)?;
                Ok(parameters.check_pack(pack)?)
            })
    }
}

impl Prepared for Iterations {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        let twin = self.twin;
        self.execution.refresh(problem, |pack, problem| {
            let fits = pack.refresh(problem, changed)?;
            if fits && (changed.compliance || changed.activity) {
                twin.relax(problem, pack)?;
            }
            Ok(fits)
        })
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.execution.iterate(sweeps)?;
        let rows = self.execution.pack().active_rows();
        Ok(Progress::of_sweeps(sweeps, rows))
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        self.execution.read_impulses(out)
    }

    fn velocities(&self, out: &mut [f64]) -> Result<bool, SolveError> {
        self.execution.read_velocities(out)?;
        Ok(true)
    }

    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let pack = self.execution.pack();
        let sizes = [pack.rows(), 6 * (pack.bodies.len() - 1)];
        prepared::fingerprint(self, self.twin.acceleration, sizes, out)
    }

    fn facts(&self) -> SolverFacts {
        SolverFacts {
            dispatches: Some(self.execution.dispatches()),
            ..self.execution.traffic().into()
        }
    }
}
