//! Walls of a thousand to a million contact points: iterations by gather and by atomics, and what
//! comes before and after.

use std::error::Error;
use std::time::Instant;

use delassus_core::{ImpulseSolver, MemoryLimit, Problem, SolveError, Solver, Start};
use delassus_problems::generators::{BoxProblem, Generator, Wall};
use delassus_solver_gpu::gpu_async_jacobi::{
    Accumulation, GpuAsyncJacobi, GpuAsyncJacobiParameters,
};
use delassus_solver_gpu::gpu_coloured_pgs::{Fused, GpuColouredPgs, GpuColouredPgsParameters};
use delassus_solver_gpu::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use delassus_solver_gpu::staging::transfers;
use delassus_solver_gpu::{Device, ManifoldLayout, Variant};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::PackThreads;
use delassus_solver_jacobi::parameters::{JacobiParameters, StepParameters};
use delassus_solver_jacobi::rule::{FactorRule, LocalSweep, Splitting};

use crate::awake::wake;
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
        sweep: LocalSweep::Points,
        ..StepParameters::default()
    }
}

/// A solver, and its time on the device.
enum Timed {
    Gather(GpuJacobi),
    Atomic(GpuAsyncJacobi),
    Coloured(GpuColouredPgs),
}

impl Timed {
    fn solver(&mut self) -> &mut dyn ImpulseSolver {
        match self {
            Self::Gather(solver) => solver,
            Self::Atomic(solver) => solver,
            Self::Coloured(solver) => solver,
        }
    }

    fn seconds(&self) -> Option<f64> {
        match self {
            Self::Gather(solver) => solver.prepared().ok()?.seconds().ok().flatten(),
            Self::Atomic(solver) => solver.prepared().ok()?.seconds().ok().flatten(),
            Self::Coloured(solver) => solver.prepared().ok()?.seconds().ok().flatten(),
        }
    }
}

/// The solver with momentum and the default step, in so many threads per workgroup, or in as many
/// as it chooses.
fn gather(variant: Variant, workgroup: u32) -> Result<GpuJacobi, Box<dyn Error>> {
    let mut parameters = GpuJacobiParameters {
        variant,
        ..GpuJacobiParameters::default()
    };
    parameters.device.workgroup = workgroup;
    Ok(GpuJacobi::new(parameters)?)
}

/// The same with manifolds in tiles, with or without momentum, in two dispatches per iteration or
/// in one.
fn tiles(
    step: StepParameters,
    momentum: bool,
    variant: Variant,
) -> Result<GpuJacobi, Box<dyn Error>> {
    let jacobi = JacobiParameters {
        step,
        ..JacobiParameters::default()
    };
    let plain = JacobiParameters {
        acceleration: Acceleration::None,
        guard: false,
        ..jacobi
    };
    let parameters = GpuJacobiParameters {
        jacobi: if momentum { jacobi } else { plain },
        variant,
        layout: ManifoldLayout::Tiles,
        ..GpuJacobiParameters::default()
    };
    Ok(GpuJacobi::new(parameters)?)
}

/// The same without momentum.
fn plain(step: StepParameters, workgroup: u32) -> Result<GpuJacobi, Box<dyn Error>> {
    let mut parameters = GpuJacobiParameters {
        jacobi: JacobiParameters {
            step,
            acceleration: Acceleration::None,
            guard: false,
        },
        variant: Variant::Dispatches,
        ..GpuJacobiParameters::default()
    };
    parameters.device.workgroup = workgroup;
    Ok(GpuJacobi::new(parameters)?)
}

fn atomic(accumulation: Accumulation, workgroup: u32) -> Result<GpuAsyncJacobi, Box<dyn Error>> {
    let mut parameters = GpuAsyncJacobiParameters {
        accumulation,
        step: split(),
        ..GpuAsyncJacobiParameters::default()
    };
    parameters.device.workgroup = workgroup;
    Ok(GpuAsyncJacobi::new(parameters)?)
}

fn coloured(fused: Fused, workgroup: u32) -> Result<GpuColouredPgs, Box<dyn Error>> {
    let mut parameters = GpuColouredPgsParameters {
        fused,
        ..GpuColouredPgsParameters::default()
    };
    parameters.device.workgroup = workgroup;
    Ok(GpuColouredPgs::new(parameters)?)
}

/// The solvers of the table by name.
fn all(device: &Device) -> Result<Vec<(String, Timed)>, Box<dyn Error>> {
    let mut all = vec![
        (
            "gather, momentum, block sweep".to_owned(),
            Timed::Gather(gather(Variant::Dispatches, 0)?),
        ),
        (
            "gather, block sweep".to_owned(),
            Timed::Gather(plain(StepParameters::default(), 0)?),
        ),
        (
            "gather, points".to_owned(),
            Timed::Gather(plain(split(), 0)?),
        ),
    ];
    let step = StepParameters::default();
    for (name, step, momentum) in [
        ("momentum, block sweep", step, true),
        ("block sweep", step, false),
        ("points", split(), false),
    ] {
        for (way, variant) in [("tiles", Variant::Dispatches), ("fused", Variant::Fused)] {
            let solver = tiles(step, momentum, variant)?;
            all.push((format!("{way}, {name}"), Timed::Gather(solver)));
        }
    }
    let mut ways = vec![
        ("compare and exchange, points", Accumulation::Cas),
        ("fixed point, points", Accumulation::FixedPoint),
    ];
    if device.has_float_atomics() {
        ways.push(("float atomics, points", Accumulation::Float));
    } else {
        println!("The adapter adds to no f32 memory atomically: that row is missing.\n");
    }
    for (name, accumulation) in ways {
        all.push((name.to_owned(), Timed::Atomic(atomic(accumulation, 0)?)));
    }
    all.push((
        "colours, a dispatch each".to_owned(),
        Timed::Coloured(coloured(Fused::Off, 0)?),
    ));
    Ok(all)
}

/// Iterations of a run: enough for a clock, and for a card to leave its rest.
fn count(device: &Device, points: usize) -> Result<u32, Box<dyn Error>> {
    let (work, most) = if device.report().is_software {
        (10_000_000, 64)
    } else {
        (100_000_000, 1024)
    };
    Ok(u32::try_from(work / points.max(1))?.clamp(4, most))
}

/// Least seconds of an iteration, from one start on.
fn per_iteration(
    device: &Device,
    timed: &mut Timed,
    problem: &Problem,
    iterations: u32,
) -> Result<f64, SolveError> {
    let mut fastest = f64::INFINITY;
    timed.solver().prepare(problem, Start::Cold)?;
    wake(device)?;
    for _ in 0..RUNS {
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
        "Walls of boxes with Coulomb friction; tiles are gathers from manifolds in tiles of 32, and fused the same in one dispatch. Share is the counted traffic over what a copy of as many bytes does.",
        &["points, sum", "µs per iteration", "ns per point", "B per point", "GB/s", "share of a copy"],
    );
    // the time of a row of the size before, of each solver
    let mut last = vec![0.2; solvers.len()];
    for base in BASES.into_iter().filter(|base| 4 * base * base <= largest) {
        let problem = wall(base)?;
        let points = 4 * base * base;
        let iterations = count(device, points)?;
        for ((name, timed), last) in solvers.iter_mut().zip(&mut last) {
            let what = format!("{points}, {name}");
            if !section.fits(&what, 10.0 * *last) {
                continue;
            }
            let start = Instant::now();
            let seconds = match per_iteration(device, timed, &problem, iterations) {
                Ok(seconds) => seconds,
                Err(error) => {
                    refused(&what, error)?;
                    continue;
                }
            };
            let bytes = timed
                .solver()
                .facts()
                .traffic
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

/// The solvers of the table of workgroups by name; those of one workgroup where the wall fits into
/// it.
fn in_workgroups(
    device: &Device,
    small: bool,
    threads: u32,
) -> Result<Vec<(&'static str, Timed)>, Box<dyn Error>> {
    let step = StepParameters::default();
    let mut all = vec![
        (
            "gather, momentum, block sweep",
            Timed::Gather(gather(Variant::Dispatches, threads)?),
        ),
        ("gather, block sweep", Timed::Gather(plain(step, threads)?)),
        ("gather, points", Timed::Gather(plain(split(), threads)?)),
    ];
    if device.has_float_atomics() {
        let floats = atomic(Accumulation::Float, threads)?;
        all.push(("float atomics, points", Timed::Atomic(floats)));
    }
    all.push((
        "colours, a dispatch each",
        Timed::Coloured(coloured(Fused::Off, threads)?),
    ));
    if small {
        let resident = gather(Variant::Resident, threads)?;
        all.push(("gather, momentum, one workgroup", Timed::Gather(resident)));
        all.push((
            "colours, one workgroup",
            Timed::Coloured(coloured(Fused::On, threads)?),
        ));
    }
    Ok(all)
}

/// The table of workgroups, and of what makes no dispatch per iteration.
pub(crate) fn workgroups(
    device: &Device,
    largest: usize,
    section: Section,
) -> Result<(), Box<dyn Error>> {
    const THREADS: [u32; 4] = [32, 64, 128, 256];
    section.columns(
        "Iterations by the threads of a workgroup, µs; and of everything in one workgroup where the bodies of the wall fit.",
        &["points, sum", "32", "64", "128", "256"],
    );
    let mut last = 0.2;
    for base in BASES.into_iter().filter(|base| 4 * base * base <= largest) {
        let points = 4 * base * base;
        let problem = wall(base)?;
        let iterations = count(device, points)?;
        for index in 0..in_workgroups(device, base == BASES[0], 64)?.len() {
            let mut cells = Vec::new();
            let start = Instant::now();
            for threads in THREADS {
                let mut all = in_workgroups(device, base == BASES[0], threads)?;
                let (name, mut timed) = all.swap_remove(index);
                if cells.is_empty() {
                    cells.push(format!("{points}, {name}"));
                    if !section.fits(&cells[0], 10.0 * last) {
                        break;
                    }
                }
                cells.push(
                    match per_iteration(device, &mut timed, &problem, iterations) {
                        Ok(seconds) => format!("{:.1}", 1e6 * seconds),
                        Err(SolveError::Device(limit)) => limit.to_string(),
                        Err(other) => return Err(other.into()),
                    },
                );
            }
            if cells.len() > 1 {
                row(&cells);
                last = start.elapsed().as_secs_f64();
            }
        }
    }
    Ok(())
}

/// The table of what comes before and after the iterations.
pub(crate) fn preparation(
    device: &Device,
    largest: usize,
    section: Section,
) -> Result<(), Box<dyn Error>> {
    section.columns(
        "Packing on one thread and on all of the processor, the first preparation (packing on all, buffers, upload, first velocities) and one \
         in the memory of another problem of the same size, the bytes that it uploads, 20 iterations with their wait, and the readback of the \
         impulses: gather with momentum.",
        &[
            "points",
            "pack, 1 thread, ms",
            "pack, ms",
            "prepare, first, ms",
            "prepare, ms",
            "MB up",
            "20 iterations, ms",
            "read, ms",
        ],
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
        let mut least = [f64::INFINITY; 5];
        let start_first = Instant::now();
        if let Err(error) = solver.prepare(&problem, Start::Cold) {
            refused(&points.to_string(), error)?;
            return Ok(());
        }
        let first = 1e3 * start_first.elapsed().as_secs_f64();
        let mut uploaded = 0;
        for _ in 0..RUNS {
            let mut clock = Instant::now();
            let mut lap = || {
                let seconds = clock.elapsed().as_secs_f64();
                clock = Instant::now();
                1e3 * seconds
            };
            let pack = twin.pack_on::<f32>(PackThreads::One, &problem)?;
            let alone = lap();
            drop(pack);
            lap();
            let pack = twin.pack_on::<f32>(PackThreads::All, &problem)?;
            let packed = lap();
            drop(pack);
            lap();
            let before = transfers(device)?;
            solver.prepare(&problem, Start::Cold)?;
            let prepared = lap();
            uploaded = transfers(device)?.since(&before).bytes[0];
            wake(device)?;
            lap();
            solver.iterate(&problem, 20)?;
            let iterated = lap();
            solver.read_impulses(&mut impulses)?;
            let found = [alone, packed, prepared, iterated, lap()];
            for (least, found) in least.iter_mut().zip(found) {
                *least = least.min(found);
            }
        }
        let [alone, packed, prepared, iterated, read] = least;
        let milliseconds = |ms: f64| format!("{ms:.2}");
        row(&[
            points.to_string(),
            milliseconds(alone),
            milliseconds(packed),
            milliseconds(first),
            milliseconds(prepared),
            format!("{:.2}", uploaded as f64 / 1e6),
            milliseconds(iterated),
            milliseconds(read),
        ]);
        last = start.elapsed().as_secs_f64();
    }
    Ok(())
}
