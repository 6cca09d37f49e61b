//! Many small worlds at once: one dispatch, against as many solvers on all threads of the
//! processor.

use std::error::Error;
use std::time::Instant;

use delassus_core::registry::Entry;
use delassus_core::{ImpulseSolver, Problem, SolveError, Solver, Start};
use delassus_metrics::Evaluator;
use delassus_problems::generators::{Generator, ManyWorlds};
use delassus_solver_gpu::Device;
use delassus_solver_gpu::gpu_worlds::{GpuWorlds, GpuWorldsParameters};
use delassus_solver_wide::WidePgs;
use delassus_solver_wrap::{PerWorld, WrapperEntry};
use serde_json::{Map, Value};

use crate::awake::wake;
use crate::page::{Section, refused, row};

/// Iterations or sweeps of a run \[-\]: what a frame of a game makes.
const SWEEPS: u32 = 30;
/// Runs, of which the fastest counts \[-\].
const RUNS: usize = 5;
/// Natural maps that are waited for \[-\].
const TARGETS: [f64; 3] = [1e-2, 1e-3, 1e-4];

/// `per-world(wide-pgs)` on every thread.
fn processor() -> Result<Box<dyn ImpulseSolver>, Box<dyn Error>> {
    let entry = WrapperEntry::of::<PerWorld>().around(&Entry::of_solver::<WidePgs>());
    let threads = Map::from_iter([("per-world.threads".to_owned(), Value::from(0))]);
    Ok(entry.build(&threads)?)
}

/// A batch of so many worlds.
fn many(worlds: usize) -> Result<Problem, Box<dyn Error>> {
    let many = ManyWorlds {
        worlds,
        ..ManyWorlds::default()
    };
    Ok(many.generate()?.problem)
}

/// Time of the last `iterate` by the device's clock.
fn own(gpu: &GpuWorlds) -> Option<f64> {
    gpu.prepared().ok()?.seconds().ok().flatten()
}

/// The table of batches.
pub(crate) fn batches(
    device: &Device,
    largest: usize,
    section: Section,
) -> Result<(), Box<dyn Error>> {
    section.columns(
        "Walls of four to eight boxes at the bottom, with friction and masses of their own (`many-worlds`), 30 iterations from a cold start; \
         preparation and readback beside them. The residual is the natural map of each world, judged in f64 outside.",
        &[
            "worlds",
            "solver",
            "ms",
            "worlds per second",
            "M row updates per second",
            "prepare, ms",
            "read, ms",
            "worst residual",
            "median",
        ],
    );
    // software has no use for wide groups
    let groups: &[u32] = if device.report().is_software {
        &[64]
    } else {
        &[32, 64, 128]
    };
    let mut last = 0.2;
    for worlds in [64, 256, 1024, 4096].into_iter().filter(|n| *n <= largest) {
        if !section.fits(&worlds.to_string(), 6.0 * last) {
            continue;
        }
        let start = Instant::now();
        let problem = many(worlds)?;
        for group in groups {
            let mut parameters = GpuWorldsParameters::default();
            parameters.device.workgroup = *group;
            let mut gpu = GpuWorlds::new(parameters)?;
            let name = format!("gpu-worlds, {group} threads each");
            match fastest(device, &mut gpu, &problem, own) {
                Ok(seconds) => line((worlds, &name), seconds, &mut gpu, &problem)?,
                Err(error) => refused(&worlds.to_string(), error)?,
            }
        }
        let mut each = processor()?;
        let seconds = fastest(device, &mut each, &problem, |_| None)?;
        let name = "per-world(wide-pgs), all threads";
        line((worlds, name), seconds, &mut each, &problem)?;
        last = start.elapsed().as_secs_f64();
    }
    Ok(())
}

/// Least seconds of preparation, and of a run, by the clock of the device where `own` has it.
fn fastest<S: ImpulseSolver>(
    device: &Device,
    solver: &mut S,
    problem: &Problem,
    own: impl Fn(&S) -> Option<f64>,
) -> Result<[f64; 2], SolveError> {
    let mut fastest = [f64::INFINITY; 2];
    for _ in 0..RUNS {
        let start = Instant::now();
        solver.prepare(problem, Start::Cold)?;
        let prepared = start.elapsed().as_secs_f64();
        wake(device)?;
        let start = Instant::now();
        solver.iterate(problem, SWEEPS)?;
        let elapsed = start.elapsed().as_secs_f64();
        let found = [prepared, own(solver).unwrap_or(elapsed)];
        fastest = [fastest[0].min(found[0]), fastest[1].min(found[1])];
    }
    Ok(fastest)
}

fn line(
    (worlds, name): (usize, &str),
    [prepare, seconds]: [f64; 2],
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
) -> Result<(), Box<dyn Error>> {
    let mut impulses = vec![0.0; problem.rows()];
    let start = Instant::now();
    solver.read_impulses(&mut impulses)?;
    let read = start.elapsed().as_secs_f64();
    let [median, worst] = residuals(solver, &mut Evaluator::new(problem)?, problem)?;
    let updates = f64::from(SWEEPS) * problem.rows() as f64;
    row(&[
        worlds.to_string(),
        name.to_owned(),
        format!("{:.2}", 1e3 * seconds),
        format!("{:.0}", worlds as f64 / seconds),
        format!("{:.1}", updates / seconds / 1e6),
        format!("{:.2}", 1e3 * prepare),
        format!("{:.2}", 1e3 * read),
        format!("{worst:.1e}"),
        format!("{median:.1e}"),
    ]);
    Ok(())
}

/// Natural map of the median and of the worst world.
fn residuals(
    solver: &mut dyn ImpulseSolver,
    evaluator: &mut Evaluator<'_>,
    problem: &Problem,
) -> Result<[f64; 2], Box<dyn Error>> {
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses)?;
    let mut maps = evaluator.natural_map_of_worlds(&impulses)?;
    maps.sort_unstable_by(f64::total_cmp);
    let of = |place: usize| maps.get(place).copied().unwrap_or(0.0);
    Ok([of(maps.len() / 2), of(maps.len().saturating_sub(1))])
}

/// The table of the time that equal residuals take.
pub(crate) fn accuracy(
    device: &Device,
    largest: usize,
    section: Section,
) -> Result<(), Box<dyn Error>> {
    let names: Vec<String> = ["median", "worst"]
        .iter()
        .flat_map(|of| TARGETS.map(|target| format!("{of} to {target:.0e}: ms (sweeps)")))
        .collect();
    let mut columns = vec!["worlds", "solver"];
    columns.extend(names.iter().map(String::as_str));
    section.columns(
        "The same worlds from a cold start until the natural map of the median world, and of the worst, is small enough; looked at after 5 \
         sweeps and then each time after about √2 times as many, to 2560. Time of the sweeps alone.",
        &columns,
    );
    let most = if device.report().is_software {
        160
    } else {
        2560
    };
    let mut last = 0.5;
    for worlds in [64, 1024, 4096].into_iter().filter(|n| *n <= largest) {
        if !section.fits(&worlds.to_string(), 10.0 * last) {
            continue;
        }
        let start = Instant::now();
        let problem = many(worlds)?;
        let mut gpu = GpuWorlds::new(GpuWorldsParameters::default())?;
        match reached(device, &mut gpu, &problem, most, own) {
            Ok(cells) => accuracy_row(worlds, "gpu-worlds", &cells),
            Err(error) => match error.downcast::<SolveError>() {
                Ok(error) => refused(&worlds.to_string(), *error)?,
                Err(other) => return Err(other),
            },
        }
        let mut each = processor()?;
        let cells = reached(device, &mut each, &problem, most, |_| None)?;
        accuracy_row(worlds, "per-world(wide-pgs), all threads", &cells);
        last = start.elapsed().as_secs_f64();
    }
    Ok(())
}

fn accuracy_row(worlds: usize, name: &str, reached: &[Option<(f64, u32)>]) {
    let cells = reached.iter().map(|cell| {
        cell.map_or("not reached".to_owned(), |(seconds, sweeps)| {
            format!("{:.2} ({sweeps})", 1e3 * seconds)
        })
    });
    let mut row_of = vec![worlds.to_string(), name.to_owned()];
    row_of.extend(cells);
    row(&row_of);
}

/// Seconds and sweeps to targets, where they are reached.
type Reached = Vec<Option<(f64, u32)>>;

/// Those to every target, of the median first.
fn reached<S: ImpulseSolver>(
    device: &Device,
    solver: &mut S,
    problem: &Problem,
    most: u32,
    own: impl Fn(&S) -> Option<f64>,
) -> Result<Reached, Box<dyn Error>> {
    let mut evaluator = Evaluator::new(problem)?;
    let mut found = vec![None; 2 * TARGETS.len()];
    // the first run is not timed: kernels and threads come to life
    solver.prepare(problem, Start::Cold)?;
    solver.iterate(problem, SWEEPS)?;
    solver.prepare(problem, Start::Cold)?;
    // the square of the sweeps of the next look
    let (mut sweeps, mut seconds, mut square) = (0, 0.0, 25_u32);
    while sweeps < most && found.iter().any(Option::is_none) {
        let more = (4 * square).isqrt().div_ceil(2) - sweeps;
        wake(device)?;
        let start = Instant::now();
        solver.iterate(problem, more)?;
        let elapsed = start.elapsed().as_secs_f64();
        seconds += own(solver).unwrap_or(elapsed);
        sweeps += more;
        square *= 2;
        let reached = residuals(solver, &mut evaluator, problem)?;
        let wanted = reached
            .iter()
            .flat_map(|map| TARGETS.map(|target| *map <= target));
        for (found, wanted) in found.iter_mut().zip(wanted) {
            if wanted && found.is_none() {
                *found = Some((seconds, sweeps));
            }
        }
    }
    Ok(found)
}
