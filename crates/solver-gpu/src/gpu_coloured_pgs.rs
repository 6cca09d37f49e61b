//! `gpu-coloured-pgs`: projected Gauss–Seidel as compute shaders, one dispatch per colour.
//!
//! The tasks of a colour share no body that moves (W.1), so their threads sweep their rows side by side and change
//! velocities in place, like `wide-pgs` in lanes (K.8). What found no colour is solved by one thread, one after the
//! other, at the end of the sweep: exact, and slow where a body has more partners than there are colours. Small scenes
//! run *fused*: one workgroup makes all sweeps in one dispatch, with a barrier after every colour. The order is fixed, so
//! the bits are the same in every run, at any workgroup size, fused or not.
//!
//! Budget per sweep: one pass over all rows and one dispatch per colour, or one barrier.
//! Nearest siblings: `coloured-pgs`, the same order in f64 on the processor; `gpu-jacobi` needs two or three dispatches
//! per iteration whatever the graph, and more iterations.
//!
//! Limitations: f32; velocities are added to, and computed anew every 64 sweeps, so that their rounding does not grow
//! (W.2). Blocks of more than four bodies are refused. Problems without bodies are refused.
//! Theory: docs/theory/16-gpu.md, docs/theory/14-wide.md. Source: \[Catto2006\], \[Harada2011\], \[Welsh1967\].

use delassus_core::{
    DeviceError, Fidelity, ImpulseSolver, Memory, ParameterError, Parameters, PowerScale,
    Precision, Problem, Progress, SolveError, Solver, SolverDescriptor, Start, Unsupported,
};
use delassus_solver_jacobi::kernels::coloured::{Order, RULE};
use delassus_solver_jacobi::pack::{MAX_SIDES, Pack};
use delassus_solver_jacobi::parameters;
use delassus_structure::{Colouring, ColouringCounts, Colours, Units};

pub use crate::coloured::Fused;
use crate::coloured::{Coloured, Settings};
use crate::prepared::{self, DeviceParameters, Prepared, solve_by_prepared};

/// Parameters of [`GpuColouredPgs`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct GpuColouredPgsParameters {
    /// Size of the colouring.
    #[parameter(flatten)]
    pub colouring: Colours,
    /// One dispatch for all sweeps, or one per colour. It changes no bit of the answer.
    pub fused: Fused,
    /// The device.
    #[parameter(flatten)]
    pub device: DeviceParameters,
}

/// Projected Gauss–Seidel, colour by colour, on a device (K.8).
#[derive(Debug)]
pub struct GpuColouredPgs {
    parameters: GpuColouredPgsParameters,
    colouring: Colouring,
    prepared: Prepared<Coloured>,
}

impl GpuColouredPgs {
    /// What the last `prepare` coloured.
    pub fn colouring(&self) -> ColouringCounts {
        self.colouring.counts()
    }

    /// True if one workgroup makes all sweeps.
    ///
    /// # Errors
    /// Not prepared.
    pub fn is_fused(&self) -> Result<bool, SolveError> {
        Ok(self.prepared.get()?.is_fused())
    }

    /// Time that the last `iterate` took on the device \[s\]; `None` on devices without time stamps.
    ///
    /// # Errors
    /// Not prepared, or a failed device.
    pub fn device_seconds(&self) -> Result<Option<f64>, SolveError> {
        self.prepared.seconds()
    }
}

/// Blocks of more bodies than the kernel carries along.
fn check_sides(problem: &Problem) -> Result<(), DeviceError> {
    let bodies = problem.bodies();
    let blocks = 0..problem.blocks().len();
    let sides = bodies.map(|b| blocks.map(|block| b.bodies_of(block).len()).max());
    match sides.flatten() {
        Some(sides) if sides > MAX_SIDES => Err(DeviceError::Limit {
            what: "a thread (bodies of a block)",
            needed: sides as u64,
            allowed: MAX_SIDES as u64,
        }),
        _ => Ok(()),
    }
}

impl Solver for GpuColouredPgs {
    type Parameters = GpuColouredPgsParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "gpu-coloured-pgs",
        aliases: &["gpu-colored-pgs"],
        name: "Coloured projected Gauss-Seidel on the GPU",
        summary: "One dispatch per colour, velocities in place; the coloured-pgs solver in f32 as compute shaders.",
        citations: &["Catto2006", "Harada2011", "Welsh1967"],
        theory: &["K.8", "W.1", "W.2"],
        precision: Precision::F32,
        laws: parameters::ALL_LAWS_EXACT,
        holds_rows: true,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: GpuColouredPgsParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self {
            colouring: Colouring::new(parameters.colouring.colours),
            parameters,
            prepared: Prepared::NONE,
        })
    }
}

impl ImpulseSolver for GpuColouredPgs {
    solve_by_prepared!();

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        let solver = Self::DESCRIPTOR.id;
        let fidelity = prepared::check(&Self::DESCRIPTOR, problem)?;
        check_sides(problem).map_err(|device| Unsupported::Device { solver, device })?;
        prepared::open(solver, &self.parameters.device.adapter)?;
        Ok(fidelity)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.prepared = Prepared::NONE;
        self.check(problem)?;
        let scale = PowerScale::of(Self::DESCRIPTOR.id, problem)?;
        let problem = scale.apply(Self::DESCRIPTOR.id, problem)?;
        let problem = problem.as_ref();
        let impulses = scale.start(start, problem.rows())?;
        let (units, groups) = Units::new(problem);
        self.colouring.update(groups);
        let pack = Pack::new(problem, RULE)?;
        let order = Order::new(problem, &pack, &units, &self.colouring);
        let settings = Settings {
            fused: self.parameters.fused,
            workgroup: self.parameters.device.workgroup,
            submission: self.parameters.device.submission,
        };
        let device = prepared::open(Self::DESCRIPTOR.id, &self.parameters.device.adapter)?;
        let engine = Coloured::new(device, settings, (pack, &order), &impulses)?;
        self.prepared = Prepared::new(problem, engine, scale);
        Ok(())
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.prepared.iterate(problem, sweeps)
    }

    fn state(&mut self, out: &mut Vec<u64>) -> Result<Option<Memory>, SolveError> {
        self.prepared.state(out)?;
        out.push(self.prepared.get()?.phase().into());
        Ok(Some(Memory::Whole))
    }
}
