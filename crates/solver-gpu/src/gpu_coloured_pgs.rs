//! `gpu-coloured-pgs`: projected Gauss–Seidel as compute shaders, one dispatch per colour.
//!
//! The tasks of a colour share no body that moves (W.1), so their threads sweep their rows side by
//! side and change velocities in place, like `wide-pgs` in lanes (K.8). What found no colour is
//! solved by one thread, one after the other, at the end of the sweep: exact, and slow where a body
//! has more partners than there are colours. Small scenes run *fused*: one workgroup makes all
//! sweeps in one dispatch, with a barrier after every colour. The order is fixed, so the bits are
//! the same in every run, at any workgroup size, fused or not.
//!
//! Budget per sweep: one pass over all rows and one dispatch per colour, or one barrier. Nearest
//! siblings: `coloured-pgs`, the same order in f64 on the processor; `gpu-jacobi` needs two or
//! three dispatches per iteration whatever the graph, and more iterations.
//!
//! Limitations: f32; velocities are added to, and computed anew every 64 sweeps, so that their
//! rounding does not grow (W.2). Blocks of more than four bodies are refused. Problems without
//! bodies are refused. Theory: docs/theory/16-gpu.md, docs/theory/14-wide.md. Source:
//! \[Catto2006\], \[Harada2011\], \[Welsh1967\].

use delassus_core::{
    Checked, DeviceError, Method, ParameterError, Parameters, Precision, Problem, SolveError,
    SolverDescriptor, Unsupported,
};
use delassus_solver_jacobi::kernels::coloured::{RULE, TaskOrder};
use delassus_solver_jacobi::pack::{MAX_SIDES, Pack, PackThreads};
use delassus_structure::{Colouring, ColouringCounts, Colours, Units};

pub use crate::coloured::Fused;
use crate::coloured::{Coloured, ColouredSettings};
use crate::prepared::{self, DeviceParameters};

/// Parameters of [`GpuColouredPgs`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct GpuColouredPgsParameters {
    /// Size of the colouring.
    #[parameter(flatten)]
    pub colours: Colours,
    /// One dispatch for all sweeps, or one per colour. It changes no bit of the answer.
    pub fused: Fused,
    /// The device.
    #[parameter(flatten)]
    pub device: DeviceParameters,
}

/// Projected Gauss–Seidel, colour by colour, on a device (K.8).
pub type GpuColouredPgs = Checked<GpuColouredPgsMethod>;

/// The method of [`GpuColouredPgs`].
#[derive(Debug)]
pub struct GpuColouredPgsMethod {
    parameters: GpuColouredPgsParameters,
    colouring: Colouring,
}

impl GpuColouredPgsMethod {
    /// What the last `prepare` coloured.
    pub fn colouring(&self) -> ColouringCounts {
        self.colouring.counts()
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

impl Method for GpuColouredPgsMethod {
    type Parameters = GpuColouredPgsParameters;
    type Prepared = Coloured;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "gpu-coloured-pgs",
        aliases: &["gpu-colored-pgs"],
        name: "Coloured projected Gauss-Seidel on the GPU",
        summary: "One dispatch per colour, velocities in place; the coloured-pgs solver in f32 as compute shaders.",
        citations: &["Catto2006", "Harada2011", "Welsh1967"],
        theory: &["K.8", "W.1", "W.2"],
        precision: Precision::F32,
        cost: "m",
        forms: SolverDescriptor::ALL_BUT_POLYGONS_AND_SEVERAL,
        supports_inactive_rows: true,
        needs_bodies: true,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: GpuColouredPgsParameters) -> Result<Self, ParameterError> {
        Ok(Self {
            colouring: Colouring::new(parameters.colours.colours),
            parameters,
        })
    }

    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        let solver = Self::DESCRIPTOR.id;
        check_sides(problem).map_err(|device| Unsupported::Device { solver, device })?;
        prepared::open(solver, &self.parameters.device.adapter).map(|_| ())
    }

    fn device(&self) -> Option<Result<String, DeviceError>> {
        prepared::identity(&self.parameters.device.adapter)
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Coloured, SolveError> {
        let (units, groups) = Units::new(problem);
        self.colouring.update(groups);
        let pack = Pack::on(PackThreads::All, problem, RULE)?;
        let order = TaskOrder::new(problem, &pack, &units, &self.colouring);
        let settings = ColouredSettings {
            fused: self.parameters.fused,
            workgroup: self.parameters.device.threads(),
            submission: self.parameters.device.submission,
        };
        let device = prepared::open(Self::DESCRIPTOR.id, &self.parameters.device.adapter)?;
        Ok(Coloured::new(device, settings, pack, &order, &impulses)?)
    }
}
