//! Many small worlds at once: one dispatch, against as many solvers on all threads of the processor.

use std::error::Error;
use std::time::Instant;

use delassus_core::registry::Entry;
use delassus_core::{ImpulseSolver, Problem, SolveError, Solver, Start};
use delassus_metrics::Evaluator;
use delassus_problems::generators::{Generator, ManyWorlds};
use delassus_solver_gpu::Device;
use delassus_solver_gpu::gpu_worlds::{GpuWorlds, GpuWorldsParameters};
use delassus_solver_si::WidePgs;
use delassus_solver_wrap::{PerWorld, WrapperEntry};
use serde_json::{Map, Value};

use crate::page::{Section, refused, row};

/// Iterations or sweeps of a run \[-\]: what a frame of a game makes.
const SWEEPS: u32 = 30;
/// Runs, of which the fastest counts \[-\].
const RUNS: usize = 5;

/// `per-world(wide-pgs)` on every thread.
fn processor() -> Result<Box<dyn ImpulseSolver>, Box<dyn Error>> {
    let entry = WrapperEntry::of::<PerWorld>().around(&Entry::of_solver::<WidePgs>());
    let threads = Map::from_iter([("per-world.threads".to_owned(), Value::from(0))]);
    Ok(entry.build(&threads)?)
}

/// The table of batches.
pub(crate) fn batches(
    device: &Device,
    largest: usize,
    section: Section,
) -> Result<(), Box<dyn Error>> {
    section.columns(
        "Walls of four to eight boxes at the bottom, with friction and masses of their own (`many-worlds`), 30 iterations from a cold start \
         without preparation and readback. The residual is the natural map of each world, judged in f64 outside.",
        &["worlds", "solver", "ms", "worlds per second", "M row updates per second", "worst residual", "median"],
    );
    let clock = if device.has_timestamps() {
        "gpu-worlds, device"
    } else {
        "gpu-worlds"
    };
    let mut last = 0.2;
    for worlds in [64, 256, 1024, 4096].into_iter().filter(|n| *n <= largest) {
        if !section.fits(&worlds.to_string(), 6.0 * last) {
            continue;
        }
        let start = Instant::now();
        let many = ManyWorlds {
            worlds,
            ..ManyWorlds::default()
        };
        let problem = many.generate()?.problem;
        let mut gpu = GpuWorlds::new(GpuWorldsParameters::default())?;
        let own = |gpu: &GpuWorlds| gpu.prepared().ok()?.seconds().ok().flatten();
        match fastest(&mut gpu, &problem, own) {
            Ok(seconds) => line(worlds, clock, seconds, &mut gpu, &problem)?,
            Err(error) => refused(&worlds.to_string(), error)?,
        }
        let mut each = processor()?;
        let seconds = fastest(&mut each, &problem, |_| None)?;
        line(
            worlds,
            "per-world(wide-pgs), all threads",
            seconds,
            &mut each,
            &problem,
        )?;
        last = start.elapsed().as_secs_f64();
    }
    Ok(())
}

/// Least seconds of a run, by the clock of the device where `own` has it.
fn fastest<S: ImpulseSolver>(
    solver: &mut S,
    problem: &Problem,
    own: impl Fn(&S) -> Option<f64>,
) -> Result<f64, SolveError> {
    let mut fastest = f64::INFINITY;
    for _ in 0..RUNS {
        solver.prepare(problem, Start::Cold)?;
        let start = Instant::now();
        solver.iterate(problem, SWEEPS)?;
        let elapsed = start.elapsed().as_secs_f64();
        fastest = fastest.min(own(solver).unwrap_or(elapsed));
    }
    Ok(fastest)
}

fn line(
    worlds: usize,
    name: &str,
    seconds: f64,
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
) -> Result<(), Box<dyn Error>> {
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses)?;
    let mut maps = Evaluator::new(problem)?.natural_map_of_worlds(&impulses)?;
    maps.sort_unstable_by(f64::total_cmp);
    let updates = f64::from(SWEEPS) * problem.rows() as f64;
    row(&[
        worlds.to_string(),
        name.to_owned(),
        format!("{:.2}", 1e3 * seconds),
        format!("{:.0}", worlds as f64 / seconds),
        format!("{:.1}", updates / seconds / 1e6),
        format!("{:.1e}", maps.last().copied().unwrap_or(0.0)),
        format!("{:.1e}", maps.get(maps.len() / 2).copied().unwrap_or(0.0)),
    ]);
    Ok(())
}
