//! Time to pack walls of boxes for a card, on the processor alone: no device is needed.
//!
//! ```text
//! cargo run --release -p delassus-scheme-gpu --example packing [-- BASE [RUNS]]
//! ```
//!
//! `BASE` is the base of the largest wall, which has 4 BASE² contact points, 300 without it. Each
//! row of the table is the least of `RUNS` runs, 15 without it, in which all ways take turns:
//! packing from the contact points that a problem gives, in new memory and in that of the packing
//! before, on one thread and on all; from rows, as problems have them that give no points; and
//! `wide-pgs`, whose kernels on the processor need as much per point.

use std::error::Error;
use std::time::Instant;

use delassus_core::{ImpulseSolver, MemoryLimit, Operator, Problem, Solver, Start};
use delassus_problems::generators::{BoxProblem, Generator, Wall};
use delassus_solver_jacobi::compiled::Compiled;
use delassus_solver_jacobi::pack::{Pack, PackThreads};
use delassus_solver_jacobi::rule::StepRule;
use delassus_solver_wide::WidePgs;

/// Base of the largest wall where the command line names none \[-\].
const BASE: usize = 300;
/// Runs where the command line names none \[-\].
const RUNS: usize = 15;

/// Names of the ways, in the order of [`Ways::run`].
const NAMES: [&str; 6] = [
    "points",
    "points, same memory",
    "points, all threads",
    "points, all threads, same memory",
    "rows",
    "`wide-pgs`, same memory",
];

/// The problems to pack, and the memory that is reused.
struct Ways {
    given: Problem,
    rows: Problem,
    again: [Pack<f32>; 2],
    wide: WidePgs,
}

impl Ways {
    fn new(base: usize) -> Result<Self, Box<dyn Error>> {
        let wall = BoxProblem::from(Wall {
            base,
            ..Wall::default()
        });
        let given = wall.generate_within(MemoryLimit::NONE)?.problem;
        let mut parts = given.clone().into_parts();
        if let Operator::Bodies(bodies) = &mut parts.operator {
            bodies.jacobian.edit(|_| {});
        }
        let rows = Problem::new(parts)?;
        let pack = |threads| f32::pack_on(threads, &given, StepRule::default());
        Ok(Self {
            again: [pack(PackThreads::One)?, pack(PackThreads::All)?],
            wide: WidePgs::new(Default::default())?,
            given,
            rows,
        })
    }

    /// Seconds of all ways.
    fn run(&mut self) -> Result<[f64; NAMES.len()], Box<dyn Error>> {
        let Self {
            given,
            rows,
            again: [one, all],
            wide,
        } = self;
        let rule = StepRule::default();
        Ok([
            timed(|| Ok(f32::pack_on(PackThreads::One, given, rule)?))?,
            timed(|| Ok(f32::pack_again(one, given, rule)?))?,
            timed(|| Ok(f32::pack_on(PackThreads::All, given, rule)?))?,
            timed(|| Ok(f32::pack_again(all, given, rule)?))?,
            timed(|| Ok(f32::pack_on(PackThreads::One, rows, rule)?))?,
            timed(|| Ok(wide.prepare(given, Start::Cold)?))?,
        ])
    }
}

/// Seconds of some work, without those that forget what it made.
fn timed<T>(work: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let start = Instant::now();
    let made = work()?;
    let seconds = start.elapsed().as_secs_f64();
    drop(made);
    Ok(seconds)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut given = std::env::args().skip(1);
    let largest = given.next().map_or(Ok(BASE), |text| text.parse())?;
    let runs = given.next().map_or(Ok(RUNS), |text| text.parse())?;
    println!(
        "| points | {} |",
        NAMES
            .map(|name| format!("{name} [ns per point]"))
            .join(" | ")
    );
    println!("|---|{}", "---|".repeat(NAMES.len()));
    for base in [20, 100, largest] {
        let mut ways = Ways::new(base)?;
        let mut least = [f64::INFINITY; NAMES.len()];
        for _ in 0..runs {
            for (least, seconds) in least.iter_mut().zip(ways.run()?) {
                *least = least.min(seconds);
            }
        }
        let points = 4 * base * base;
        let cells = least.map(|seconds| format!("{:.1}", 1e9 * seconds / points as f64));
        println!("| {points} | {} |", cells.join(" | "));
    }
    Ok(())
}
