//! `gpu-worlds`: `gpu-jacobi` over many small worlds, one workgroup each, all of them in one
//! dispatch.
//!
//! The worlds of a problem are what no impulse couples. Each gets a workgroup that keeps its
//! velocities in its own memory and waits for no other, with a step, a momentum and restarts of
//! its own (K.7): bit for bit what `gpu-jacobi` gives that world alone. One submission runs the
//! iterations of all, so that a launch is paid once and not once per world. Worlds that differ in
//! friction, masses, velocities and bias alone are packed and uploaded once, with the numbers of
//! each world beside (K.49); all others are packed one by one. With `steps = "device"` a kernel
//! computes the steps of worlds with masses of their own (K.54), which changes their last bits.
//!
//! Budget per iteration: that of `gpu-jacobi` over all rows, no dispatch and three barriers.
//! Nearest siblings: `gpu-jacobi` takes the whole problem at once. `per-world(jacobi-f32)` makes
//! the same operations in the same order on the processor; a driver may fuse or round them
//! otherwise, as software Vulkan does, so the two agree to rounding and not to the bit.
//!
//! Limitations: f32; 511 bodies per world; all worlds run equally many iterations, so the slowest
//! decides. A refresh packs and uploads anew. Problems without bodies are refused. Theory:
//! docs/theory/16-gpu.md, docs/theory/15-jacobi.md. Source: \[Tonge2012\], \[Nesterov1983\],
//! \[ODonoghue2015\], \[Wang2015\].

use std::sync::Arc;

use delassus_core::{
    Checked, DeviceError, Island, Method, ParameterError, Parameters, Precision, Prepared, Problem,
    Progress, SolveError, SolverDescriptor, SolverFacts, StateCoverage, Unsupported,
};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::parameters::{self, JacobiParameters};
use delassus_solver_jacobi::worlds::{WorldParameters, WorldSteps, WorldTemplate};

use crate::device::Device;
use crate::dispatches::DispatchSettings;
use crate::history::HistoryEntry;
use crate::prepared::{self, DeviceParameters};
use crate::resident::Resident;
use crate::tiles::ManifoldLayout;

/// Parameters of [`GpuWorlds`]: those of `jacobi-f32`, and the device's.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct GpuWorldsParameters {
    /// Those of the twin.
    #[parameter(flatten)]
    pub jacobi: JacobiParameters,
    /// Where steps are computed of worlds of one structure that differ in masses.
    pub steps: WorldSteps,
    /// The device.
    #[parameter(flatten)]
    pub device: DeviceParameters,
}

impl GpuWorldsParameters {
    fn settings(&self) -> DispatchSettings {
        DispatchSettings {
            acceleration: self.jacobi.acceleration,
            guard: self.jacobi.guard,
            residuals: false,
            workgroup: self.device.workgroup,
            submission: self.device.submission,
            layout: ManifoldLayout::Manifolds,
            fused: false,
        }
    }
}

/// Mass-split projected Jacobi with momentum in every world, on a device (K.7).
pub type GpuWorlds = Checked<GpuWorldsMethod>;

/// The method of [`GpuWorlds`].
#[derive(Debug)]
pub struct GpuWorldsMethod {
    parameters: GpuWorldsParameters,
}

/// Worlds on a device.
#[derive(Debug)]
pub struct WorldsOnDevice {
    acceleration: Acceleration,
    worlds: Vec<Island>,
    resident: Resident,
    rows: usize,
    /// v_f of all bodies \[m/s, rad/s\]: what no block touches keeps it.
    free_velocity: Vec<f64>,
}

impl WorldsOnDevice {
    /// Number of worlds \[-\].
    pub fn len(&self) -> usize {
        self.worlds.len()
    }

    /// True if there is no world.
    pub fn is_empty(&self) -> bool {
        self.worlds.is_empty()
    }

    /// True if all worlds have one structure, which was packed and uploaded once (K.49).
    pub fn shares_structure(&self) -> bool {
        self.resident.worlds().is_some()
    }

    /// The residual of every iteration of a world.
    ///
    /// # Errors
    /// No such world, a failed device.
    pub fn read_history(&self, world: usize) -> Result<Vec<HistoryEntry>, SolveError> {
        if world >= self.len() {
            return Err(SolveError::Length {
                what: "the worlds",
                found: self.len(),
                expected: world + 1,
            });
        }
        Ok(self.resident.read_history(world)?)
    }

    /// Time that the last `iterate` took on the device \[s\]; `None` on devices without time
    /// stamps.
    ///
    /// # Errors
    /// A failed device.
    pub fn seconds(&self) -> Result<Option<f64>, DeviceError> {
        self.resident.seconds()
    }

    /// The error of a world with the row of the whole problem.
    fn whole(&self, world: usize, error: SolveError) -> SolveError {
        match (error, self.worlds.get(world)) {
            (SolveError::NonFinite { row }, Some(world)) => SolveError::NonFinite {
                row: world.row(row),
            },
            (error, _) => error,
        }
    }
}

impl Method for GpuWorldsMethod {
    type Parameters = GpuWorldsParameters;
    type Prepared = WorldsOnDevice;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "gpu-worlds",
        aliases: &[],
        name: "Projected Jacobi on the GPU, world by world",
        summary: "The gpu-jacobi solver with a workgroup for every world of the problem, all in one dispatch.",
        citations: parameters::CITATIONS,
        theory: &["K.1", "K.2", "K.3", "K.7", "K.49", "K.54", "U.12"],
        precision: Precision::F32,
        cost: "m",
        forms: SolverDescriptor::ALL_BUT_POLYGONS_AND_SEVERAL,
        supports_inactive_rows: true,
        needs_bodies: true,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: GpuWorldsParameters) -> Result<Self, ParameterError> {
        Ok(Self { parameters })
    }

    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        let _ = problem;
        prepared::open(Self::DESCRIPTOR.id, &self.parameters.device.adapter).map(|_| ())
    }

    fn device(&self) -> Option<Result<String, DeviceError>> {
        prepared::identity(&self.parameters.device.adapter)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        // the worlds beside their packs
        problem.memory().saturating_mul(3)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<WorldsOnDevice, SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        let device = prepared::open(Self::DESCRIPTOR.id, &self.parameters.device.adapter)?;
        let worlds = parameters::islands(problem)?;
        let starts: Vec<Vec<f64>> = worlds
            .iter()
            .map(|world| {
                let mut own = Vec::new();
                world.gather(&impulses, &mut own);
                own
            })
            .collect();
        Ok(WorldsOnDevice {
            acceleration: self.parameters.jacobi.acceleration,
            resident: self.resident(device, &worlds, starts)?,
            worlds,
            rows: problem.rows(),
            free_velocity: bodies.free_velocity.clone(),
        })
    }
}

impl GpuWorldsMethod {
    /// Uploads worlds with their impulses, one per row \[N·s\]: a common structure once, other
    /// worlds each with all of its numbers.
    fn resident(
        &self,
        device: Arc<Device>,
        worlds: &[Island],
        starts: Vec<Vec<f64>>,
    ) -> Result<Resident, SolveError> {
        let (twin, settings) = (self.parameters.jacobi, self.parameters.settings());
        let problems: Vec<&Problem> = worlds.iter().map(|world| &world.problem).collect();
        // without a common structure each world is packed
        if let Some((template, values)) = one_structure(self.parameters.steps, twin, &problems) {
            let count = worlds.len();
            let made = Resident::of_worlds(device, settings, template, count, &starts, &values);
            return Ok(made?);
        }
        let packs = twin.pack_all(&problems)?;
        let packed = packs.into_iter().zip(starts).collect();
        Ok(Resident::new(device, settings, packed)?)
    }
}

/// The common structure of several worlds, and the values of each (K.49).
fn one_structure(
    steps: WorldSteps,
    twin: JacobiParameters,
    problems: &[&Problem],
) -> Option<(WorldTemplate, Vec<f32>)> {
    let [structure, _, ..] = problems else {
        return None;
    };
    let solver = GpuWorldsMethod::DESCRIPTOR.id;
    let worlds = WorldParameters::of_problems(problems).ok()?;
    let made = WorldTemplate::with_steps(steps, solver, twin, structure, &worlds);
    let template = made.ok()?;
    let values = template.values(solver, &worlds).ok()?;
    Some((template, values))
}

impl Prepared for WorldsOnDevice {
    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let outcome = self.resident.iterate(sweeps);
        outcome.map_err(|(world, error)| self.whole(world, error))?;
        let rows = self.resident.packs().iter().map(|pack| pack.active_rows());
        Ok(Progress::of_sweeps(sweeps, rows.sum()))
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        let read = self.resident.read_all_impulses(|world, own| {
            self.worlds[world].scatter(own, out);
        });
        read.map_err(|(world, error)| self.whole(world, error))
    }

    fn velocities(&self, out: &mut [f64]) -> Result<bool, SolveError> {
        out.copy_from_slice(&self.free_velocity);
        self.resident.read_all_velocities(|world, own| {
            self.worlds[world].scatter_velocities(own, out);
        })?;
        Ok(true)
    }

    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let sizes = [self.rows, self.free_velocity.len()];
        prepared::fingerprint(self, self.acceleration, sizes, out)
    }

    fn facts(&self) -> SolverFacts {
        SolverFacts {
            // one makes many iterations
            dispatches: Some(0),
            ..self.resident.traffic().into()
        }
    }
}
