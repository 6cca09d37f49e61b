//! Walls of a thousand to a million contact points: iterations by gather and by atomics, and what comes before and after.

use std::error::Error;
use std::time::Instant;

use delassus_core::{ImpulseSolver, MemoryLimit, Problem, SolveError, Solver, Start};
use delassus_problems::generators::{BoxProblem, Generator, Wall};
use delassus_solver_gpu::gpu_async_jacobi::{
    Accumulation, GpuAsyncJacobi, GpuAsyncJacobiParameters,
};
use delassus_solver_gpu::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use delassus_solver_gpu::{Device, Variant};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::Threads;
use delassus_solver_jacobi::parameters::{JacobiParameters, StepParameters};
use delassus_solver_jacobi::rule::{FactorRule, Splitting, Sweep};

use crate::page::{Section, refused, row};
use crate::roofline::copy_bandwidth;

/// Walls of 4 n² contact points.
const BASES: [usize; 4] = [16, 50, 158, 500];
/// Runs, of which the fastest counts \[-\].
const RUNS: usize = 5;

fn wall(base: usize) -> Result<Problem, Box<dyn Error>> {
    let wall = BoxProblem::from(Wall {
        base,
        ..Wall::default()
    });
    Ok(wall.generate_within(MemoryLimit::NONE)?.problem)
}

/// One step for all: masses split by rows, so that ways to add differ in nothing but the sum.
fn split() -> StepParameters {
    StepParameters {
        rule: FactorRule::MassSplit,
        splitting: Splitting::Rows,
        sweep: Sweep::Points,
        ..StepParameters::default()
    }
}

/// A solver, and its time on the device.
enum Timed {
    Gather(GpuJacobi),
    Atomic(GpuAsyncJacobi),
}

impl Timed {
    fn solver(&mut self) -> &mut dyn ImpulseSolver {
        match self {
            Self::Gather(solver) => solver,
            Self::Atomic(solver) => solver,
        }
    }

    fn seconds(&self) -> Option<f64> {
        match self {
            Self::Gather(solver) => solver.prepared().ok()?.seconds().ok().flatten(),
            Self::Atomic(solver) => solver.prepared().ok()?.seconds().ok().flatten(),
        }
    }
}

/// The solvers of the table by name.
fn all(device: &Device) -> Result<Vec<(&'static str, Timed)>, Box<dyn Error>> {
    let dispatches = GpuJacobiParameters {
        variant: Variant::Dispatches,
        ..GpuJacobiParameters::default()
    };
    let plain = GpuJacobiParameters {
        jacobi: JacobiParameters {
            step: split(),
            acceleration: Acceleration::None,
            guard: false,
        },
        ..dispatches.clone()
    };
    let mut all = vec![
        (
            "gather, momentum",
            Timed::Gather(GpuJacobi::new(dispatches)?),
        ),
        ("gather", Timed::Gather(GpuJacobi::new(plain)?)),
    ];
    let mut ways = vec![
        ("compare and exchange", Accumulation::Cas),
        ("fixed point", Accumulation::FixedPoint),
    ];
    if device.has_float_atomics() {
        ways.push(("float atomics", Accumulation::Float));
    } else {
        println!(
            "The adapter adds to no f32 memory atomically: that column of the family is missing.\n"
        );
    }
    for (name, accumulation) in ways {
        let parameters = GpuAsyncJacobiParameters {
            accumulation,
            step: split(),
            ..GpuAsyncJacobiParameters::default()
        };
        all.push((name, Timed::Atomic(GpuAsyncJacobi::new(parameters)?)));
    }
    Ok(all)
}

/// Least seconds of an iteration.
fn per_iteration(timed: &mut Timed, problem: &Problem, iterations: u32) -> Result<f64, SolveError> {
    let mut fastest = f64::INFINITY;
    for _ in 0..RUNS {
        timed.solver().prepare(problem, Start::Cold)?;
        let start = Instant::now();
        timed.solver().iterate(problem, iterations)?;
        let elapsed = start.elapsed().as_secs_f64();
        fastest = fastest.min(timed.seconds().unwrap_or(elapsed) / f64::from(iterations));
    }
    Ok(fastest)
}

/// The table of iterations.
pub(crate) fn iterations(
    device: &Device,
    largest: usize,
    section: Section,
) -> Result<(), Box<dyn Error>> {
    let mut solvers = all(device)?;
    section.columns(
        "Walls of boxes with Coulomb friction. Share is the counted traffic over what a copy of as many bytes does.",
        &["points, sum", "µs per iteration", "ns per point", "B per point", "GB/s", "share of a copy"],
    );
    // the time of a row of the size before, of each solver
    let mut last = vec![0.2; solvers.len()];
    for base in BASES.into_iter().filter(|base| 4 * base * base <= largest) {
        let problem = wall(base)?;
        let points = 4 * base * base;
        let iterations = u32::try_from(10_000_000 / points)?.clamp(4, 64);
        for ((name, timed), last) in solvers.iter_mut().zip(&mut last) {
            let what = format!("{points}, {name}");
            if !section.fits(&what, 10.0 * *last) {
                continue;
            }
            let start = Instant::now();
            let seconds = match per_iteration(timed, &problem, iterations) {
                Ok(seconds) => seconds,
                Err(error) => {
                    refused(&what, error)?;
                    continue;
                }
            };
            let bytes = timed
                .solver()
                .traffic()
                .map_or(0, |traffic| traffic.total());
            let (rate, copy) = (bytes as f64 / seconds, copy_bandwidth(device, bytes)?);
            row(&[
                what,
                format!("{:.1}", 1e6 * seconds),
                format!("{:.2}", 1e9 * seconds / points as f64),
                (bytes / points as u64).to_string(),
                format!("{:.1}", rate / 1e9),
                format!("{:.2}", rate / copy),
            ]);
            *last = start.elapsed().as_secs_f64();
        }
    }
    Ok(())
}

/// The table of what comes before and after the iterations.
pub(crate) fn preparation(largest: usize, section: Section) -> Result<(), Box<dyn Error>> {
    section.columns(
        "Packing on the processor, the whole preparation (packing, buffers, upload, first velocities), 20 iterations with their wait, and the \
         readback of the impulses: gather with momentum.",
        &["points", "pack, ms", "prepare, ms", "20 iterations, ms", "read, ms"],
    );
    let parameters = GpuJacobiParameters {
        variant: Variant::Dispatches,
        ..GpuJacobiParameters::default()
    };
    let twin: JacobiParameters = parameters.jacobi;
    let mut solver = GpuJacobi::new(parameters)?;
    let mut last = 0.1;
    for base in BASES.into_iter().filter(|base| 4 * base * base <= largest) {
        let points = 4 * base * base;
        if !section.fits(&points.to_string(), 10.0 * last) {
            continue;
        }
        let start = Instant::now();
        let problem = wall(base)?;
        let mut impulses = vec![0.0; problem.rows()];
        let mut least = [f64::INFINITY; 4];
        for _ in 0..RUNS {
            let mut clock = Instant::now();
            let mut lap = || {
                let seconds = clock.elapsed().as_secs_f64();
                clock = Instant::now();
                1e3 * seconds
            };
            let pack = twin.pack_on::<f32>(Threads::All, &problem)?;
            let packed = lap();
            drop(pack);
            lap();
            if let Err(error) = solver.prepare(&problem, Start::Cold) {
                refused(&points.to_string(), error)?;
                return Ok(());
            }
            let prepared = lap();
            solver.iterate(&problem, 20)?;
            let iterated = lap();
            solver.read_impulses(&mut impulses)?;
            for (least, found) in least.iter_mut().zip([packed, prepared, iterated, lap()]) {
                *least = least.min(found);
            }
        }
        let [pack, prepare, iterate, read] = least.map(|ms| format!("{ms:.2}"));
        row(&[points.to_string(), pack, prepare, iterate, read]);
        last = start.elapsed().as_secs_f64();
    }
    Ok(())
}
