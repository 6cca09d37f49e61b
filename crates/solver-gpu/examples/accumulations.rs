//! The four ways to add up velocities: an ordered gather, and atomic additions by compare and
//! exchange, in fixed point and in floating point. Prints a table of times and of what repeats.
//!
//! ```text
//! cargo run --release -p delassus-solver-gpu --example accumulations [-- LARGEST]
//! ```
//!
//! `LARGEST` is the number of contact points to stop at, 40 000 without it. `DELASSUS_ADAPTER`
//! chooses the adapter. All four make the same step (masses split by points, no momentum), so that
//! they differ in the sum alone.

use std::error::Error;
use std::time::Instant;

use delassus_core::{Friction, ImpulseSolver, Law, Problem, ProblemBuilder, Solver, Start};
use delassus_metrics::Evaluator;
use delassus_problems::generators::{BoxProblem, Generator, Wall};
use delassus_solver_gpu::gpu_async_jacobi::{
    Accumulation, GpuAsyncJacobi, GpuAsyncJacobiParameters,
};
use delassus_solver_gpu::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use delassus_solver_gpu::{Device, Variant};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::parameters::{JacobiParameters, StepParameters};
use delassus_solver_jacobi::rule::{FactorRule, LocalSweep, Splitting};

/// Iterations of a run \[-\].
const SWEEPS: u32 = 50;
/// Runs, of which the fastest counts \[-\]: what disturbs a machine only adds time.
const RUNS: usize = 7;

/// Bodies that all hit one plate: every contact adds to the same six numbers.
fn hub(contacts: usize) -> Result<Problem, Box<dyn Error>> {
    // a box of the wall, and its mass
    let wall = BoxProblem::<Wall>::default().generate()?.problem;
    let bodies = wall.bodies().ok_or("a wall of bodies")?;
    let light = bodies.mass.iter().find(|m| !m.is_immovable());
    let light = *light.ok_or("a box that moves")?;
    let mut heavy = light;
    heavy.inverse_mass /= contacts as f64;
    heavy.inverse_inertia /= contacts as f64;
    let mut builder = ProblemBuilder::new();
    let plate = builder.body(heavy, [0.0; 6]);
    for contact in 0..contacts {
        // spread evenly by two irrational steps
        let at = |step: f64| (contact as f64 * step).fract() - 0.5;
        let below = [at(0.754_877_666), 0.0, at(0.569_840_291)];
        let above = [0.0, -0.5, 0.0];
        let body = builder.body(light, [0.1, -1.0 + at(0.618_034), 0.0, 0.0, 0.0, 0.0]);
        let directions = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
        let rows = directions.map(|n| [row(n, below, -1.0), row(n, above, 1.0)]);
        let law = Law::Contact(Friction::Disc { mu: 0.3 });
        builder.block(law, &[plate, body], &rows);
    }
    Ok(builder.build()?)
}

/// Jacobian of one direction at an arm.
fn row(n: [f64; 3], r: [f64; 3], sign: f64) -> [f64; 6] {
    [
        sign * n[0],
        sign * n[1],
        sign * n[2],
        sign * (r[1] * n[2] - r[2] * n[1]),
        sign * (r[2] * n[0] - r[0] * n[2]),
        sign * (r[0] * n[1] - r[1] * n[0]),
    ]
}

/// A solver whose last iterations can be timed on the device.
trait Timed: ImpulseSolver {
    fn device_seconds(&self) -> Option<f64>;
}

impl Timed for GpuJacobi {
    fn device_seconds(&self) -> Option<f64> {
        self.prepared().ok()?.seconds().ok().flatten()
    }
}

impl Timed for GpuAsyncJacobi {
    fn device_seconds(&self) -> Option<f64> {
        self.prepared().ok()?.seconds().ok().flatten()
    }
}

fn solver(accumulation: Option<Accumulation>) -> Result<Box<dyn Timed>, Box<dyn Error>> {
    Ok(match accumulation {
        None => Box::new(GpuJacobi::new(GpuJacobiParameters {
            variant: Variant::Dispatches,
            jacobi: JacobiParameters {
                step: StepParameters {
                    rule: FactorRule::MassSplit,
                    splitting: Splitting::Rows,
                    sweep: LocalSweep::Points,
                    ..StepParameters::default()
                },
                acceleration: Acceleration::None,
                guard: false,
            },
            ..GpuJacobiParameters::default()
        })?),
        Some(accumulation) => Box::new(GpuAsyncJacobi::new(GpuAsyncJacobiParameters {
            accumulation,
            step: StepParameters {
                rule: FactorRule::MassSplit,
                splitting: Splitting::Rows,
                sweep: LocalSweep::Points,
                ..StepParameters::default()
            },
            ..GpuAsyncJacobiParameters::default()
        })?),
    })
}

/// Fastest iteration \[s\], spread of the impulses over the runs and residual at the end \[-\].
fn measure(solver: &mut dyn Timed, problem: &Problem) -> Result<[f64; 3], Box<dyn Error>> {
    let mut fastest = f64::INFINITY;
    let mut first = Vec::new();
    let (mut spread, mut largest) = (0.0_f64, f64::MIN_POSITIVE);
    let mut impulses = vec![0.0; problem.rows()];
    for _ in 0..RUNS {
        solver.prepare(problem, Start::Cold)?;
        let start = Instant::now();
        solver.iterate(problem, SWEEPS)?;
        let elapsed = start.elapsed().as_secs_f64();
        let seconds = solver.device_seconds().unwrap_or(elapsed);
        fastest = fastest.min(seconds / f64::from(SWEEPS));
        solver.read_impulses(&mut impulses)?;
        if first.is_empty() {
            first.clone_from(&impulses);
        }
        for (one, other) in first.iter().zip(&impulses) {
            spread = spread.max((one - other).abs());
            largest = largest.max(one.abs());
        }
    }
    let residual = Evaluator::new(problem)?.evaluate(&impulses)?.natural_map;
    Ok([fastest, spread / largest, residual])
}

fn table(name: &str, problem: &Problem, device: &Device) -> Result<(), Box<dyn Error>> {
    let bodies = problem.bodies().ok_or("a problem with bodies")?;
    let mut partners = vec![0_usize; bodies.len()];
    for block in 0..problem.blocks().len() {
        for body in bodies.bodies_of(block) {
            if !bodies.mass[*body as usize].is_immovable() {
                partners[*body as usize] += 1;
            }
        }
    }
    let most = partners.into_iter().max().unwrap_or(0);
    let points = problem.blocks().len();
    let all = [
        ("gather", None),
        ("compare and exchange", Some(Accumulation::Cas)),
        ("fixed point", Some(Accumulation::FixedPoint)),
        ("float", Some(Accumulation::Float)),
    ];
    for (label, accumulation) in all {
        let start = format!("| {name} | {points} | {most} | {label} |");
        if accumulation == Some(Accumulation::Float) && !device.has_float_atomics() {
            println!("{start} the adapter has none | | |");
            continue;
        }
        let mut solver = solver(accumulation)?;
        let [seconds, spread, residual] = measure(solver.as_mut(), problem)?;
        println!(
            "{start} {:.1} | {spread:.1e} | {residual:.2e} |",
            1e6 * seconds
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let largest: usize = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 40_000,
    };
    let device = Device::shared("")?;
    let report = device.report();
    let kind = if report.is_software {
        "software: times are those of the processor"
    } else {
        "hardware"
    };
    println!("{}, {} ({kind}).", report.name, report.driver);
    println!("{SWEEPS} iterations from a cold start, fastest of {RUNS} runs.\n");
    println!(
        "| problem | points | most on a body | accumulation | µs per iteration | spread | residual |"
    );
    println!("|---|---|---|---|---|---|---|");
    for base in [5, 16, 50, 100, 500] {
        if 4 * base * base <= largest {
            let wall = BoxProblem::from(Wall {
                base,
                ..Wall::default()
            });
            table("wall", &wall.generate()?.problem, &device)?;
        }
    }
    for contacts in [100, 1_000, 10_000, 1_000_000] {
        if contacts <= largest {
            table("hub", &hub(contacts)?, &device)?;
        }
    }
    Ok(())
}
