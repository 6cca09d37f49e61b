//! The table of `docs/scenes.md`: which kinds of joints `wide-pgs` solves in lanes, and which
//! frames it integrates.

use std::sync::{Arc, Mutex};

use delassus_core::{
    FrameSolver, ImpulseSolver, Problem, Progress, SolveError, SolverDescriptor, SolverUpdate,
    Start,
};
use delassus_dynamics::constraints::{ConstraintKind, constraint_kinds};
use delassus_dynamics::{Body, ExampleRng, Inertia, Joint, Scheme, VelocityScheme, WorldParts};
use delassus_solver_wide::{BlockPath, VectorLevel, WidePgs};
use nalgebra::Vector3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::frame_integration::{self, DT};
use super::tolerance::preset;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenes.md");
const HEAD: &str = "| kind | rows | sweep of `wide-pgs` | frame |\n|---|---|---|---|\n";

/// What the solver is asked to do.
#[derive(Debug, Default)]
struct Asked {
    /// Of the last problem.
    paths: Vec<BlockPath>,
    /// Sweeps that were not part of a frame.
    sweeps: u32,
}

/// The wide solver, watched.
struct Watched {
    solver: WidePgs,
    asked: Arc<Mutex<Asked>>,
}

impl ImpulseSolver for Watched {
    fn descriptor(&self) -> &SolverDescriptor {
        self.solver.descriptor()
    }
    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.asked.lock().unwrap().paths = BlockPath::of_blocks(problem).unwrap();
        self.solver.prepare(problem, start)
    }
    fn update(&mut self, problem: &Problem, update: SolverUpdate<'_>) -> Result<(), SolveError> {
        self.solver.update(problem, update)
    }
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.asked.lock().unwrap().sweeps += sweeps;
        self.solver.iterate(problem, sweeps)
    }
    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        self.solver.read_impulses(out)
    }
    fn read_velocities(&mut self, problem: &Problem, out: &mut [f64]) -> Result<(), SolveError> {
        self.solver.read_velocities(problem, out)
    }
    fn as_frame_solver(&mut self) -> Option<&mut dyn FrameSolver> {
        self.solver.as_frame_solver()
    }
}

/// A frame of Soft Step with one joint between round bodies that move: how its blocks are solved,
/// and whether the solver integrates the frame. `None` if the joint has no rows in this state.
fn asked(kind: &ConstraintKind, seed: u64) -> Option<(Vec<BlockPath>, bool)> {
    let mut source = Pcg64Mcg::seed_from_u64(seed);
    let (constraint, poses) = (kind.example)(&mut ExampleRng(&mut || source.random::<f64>()));
    let mut parts = WorldParts::default();
    // the bodies of an example are numbered in its order
    let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    for pose in &poses {
        let body = Body::dynamic(inertia, pose.position.to_vector());
        parts.body(body.turned(pose.orientation));
    }
    parts.joint(Joint::new(constraint));
    let mut world = parts.build().unwrap();
    let asked = Arc::new(Mutex::new(Asked::default()));
    let solver = Watched {
        solver: frame_integration::wide(1, VectorLevel::Auto),
        asked: Arc::clone(&asked),
    };
    let mut scheme = VelocityScheme::new(preset("soft-step"), Box::new(solver)).unwrap();
    scheme.step(&mut world, DT, &mut ()).unwrap();
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    (!asked.paths.is_empty()).then_some((asked.paths, asked.sweeps == 0))
}

fn row(kind: &ConstraintKind) -> String {
    let found: Vec<_> = (0..20).filter_map(|seed| asked(kind, seed)).collect();
    let id = kind.descriptor.id;
    assert!(!found.is_empty(), "{id} never has rows");
    let mut names: Vec<&str> = Vec::new();
    for path in found.iter().flat_map(|(paths, _)| paths) {
        let name = match path {
            BlockPath::Contact => panic!("{id} is taken for a contact"),
            BlockPath::Joint => "lanes, by arms",
            BlockPath::Rows => "lanes, by rows",
            BlockPath::Alone => "one by one",
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let frame = match found.iter().filter(|(_, frame)| *frame).count() {
        0 => "substep by substep",
        count if count == found.len() => "by the solver",
        count => panic!("{id}: {count} of {} frames", found.len()),
    };
    let rows = kind.descriptor.units.len();
    format!("| `{id}` | {rows} | {} | {frame} |\n", names.join("; "))
}

#[test]
fn the_page_lists_the_path_of_every_kind_of_joint() {
    let rows: String = constraint_kinds().iter().map(row).collect();
    let page = std::fs::read_to_string(PAGE).unwrap();
    let start = page.find(HEAD).expect("the table of joints") + HEAD.len();
    let end = page[start..]
        .find("\n\n")
        .map_or(page.len(), |end| start + end + 1);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let updated = [&page[..start], &rows, &page[end..]].concat();
        return std::fs::write(PAGE, updated).unwrap();
    }
    assert_eq!(page[start..end], rows, "UPDATE_GOLDEN=1 writes the table");
}
