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
    Checked, DeviceError, Method, ParameterDoc, ParameterError, Precision, Problem, SolveError,
    SolverDescriptor, Unsupported,
};
use delassus_solver_jacobi::kernels::coloured::{Order, RULE};
use delassus_solver_jacobi::pack::{MAX_SIDES, Pack};
use delassus_solver_jacobi::parameters;
use delassus_structure::{Colouring, ColouringCounts, MAX_COLOURS, Units};
use serde::{Deserialize, Serialize};

pub use crate::coloured::Fused;
use crate::coloured::{Coloured, Settings};
use crate::prepared::{self, ADAPTER, SUBMISSION, WORKGROUP, check_submission, check_workgroup};

/// Parameters of [`GpuColouredPgs`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GpuColouredPgsParameters {
    /// Most colours \[-\], 1 to 64; what finds none is solved by one thread after them.
    pub colours: usize,
    /// One dispatch for all sweeps, or one per colour.
    pub fused: Fused,
    /// Threads of a workgroup \[-\]: 32, 64, 128 or 256.
    pub workgroup: u32,
    /// Sweeps of one submission at most \[-\].
    pub submission: u32,
    /// Part of the name of the adapter; empty: the environment variable, otherwise the first.
    pub adapter: String,
}

impl Default for GpuColouredPgsParameters {
    fn default() -> Self {
        Self {
            colours: MAX_COLOURS,
            fused: Fused::default(),
            workgroup: 64,
            submission: 256,
            adapter: String::new(),
        }
    }
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

const DOCS: &[ParameterDoc] = &[
    ParameterDoc {
        name: "colours",
        doc: "most colours [-], 1 to 64, default 64; what finds none is solved by one thread after them",
    },
    ParameterDoc {
        name: "fused",
        doc: "\"auto\" (default; on for scenes of small colours), \"on\" (all sweeps in one dispatch of one workgroup), \"off\" (one dispatch per colour); changes no bit of the answer",
    },
    WORKGROUP,
    SUBMISSION,
    ADAPTER,
];

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
        laws: parameters::ALL_LAWS_EXACT,
        holds_rows: true,
        needs_bodies: true,
        parameters: DOCS,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: GpuColouredPgsParameters) -> Result<Self, ParameterError> {
        let colours = parameters.colours;
        if !(1..=MAX_COLOURS).contains(&colours) {
            return Err(ParameterError {
                parameter: "colours",
                value: colours.to_string(),
                expected: "1 <= colours <= 64 [-]",
            });
        }
        check_workgroup(parameters.workgroup)?;
        check_submission(parameters.submission)?;
        Ok(Self {
            colouring: Colouring::new(colours),
            parameters,
        })
    }

    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        let solver = Self::DESCRIPTOR.id;
        check_sides(problem).map_err(|device| Unsupported::Device { solver, device })?;
        prepared::open(solver, &self.parameters.adapter).map(|_| ())
    }

    fn device(&self) -> Option<Result<String, DeviceError>> {
        prepared::identity(&self.parameters.adapter)
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Coloured, SolveError> {
        let (units, groups) = Units::new(problem);
        self.colouring.update(groups);
        let pack = Pack::new(problem, RULE)?;
        let order = Order::new(problem, &pack, &units, &self.colouring);
        let settings = Settings {
            fused: self.parameters.fused,
            workgroup: self.parameters.workgroup,
            submission: self.parameters.submission,
        };
        let device = prepared::open(Self::DESCRIPTOR.id, &self.parameters.adapter)?;
        Ok(Coloured::new(device, settings, pack, &order, &impulses)?)
    }
}
