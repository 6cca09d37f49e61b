//! The natural map at which `auto` and `pgs` end under the same limits on the time, for the table
//! of docs/performance/2026-11-29-auto.md. Both are solved so many times in turn; the medians are
//! shown.
//!
//!     cargo run --release -p delassus-solver-auto --example limits -- 0.05,0.2,1 3 FRAME.dls
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use delassus_core::{ImpulseSolver, Problem, SolveError, Solver, Start, interrupt};
use delassus_metrics::Evaluator;
use delassus_problems::read_file;
use delassus_solver_auto::Auto;
use delassus_solver_auto::auto::AutoParameters;
use delassus_solver_si::Pgs;

type Failure = Box<dyn std::error::Error>;

/// A frame that both solve to this residual says nothing \[-\].
const SOLVED: f64 = 1e-8;

/// How a solve ended.
#[derive(Debug, Clone, Copy)]
struct End {
    residual: f64,
    /// Sweeps of `pgs`, on a second thread if the solver is `auto` \[-\].
    sweeps: f64,
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let limits = arguments.next().unwrap_or_default();
    let limits: Result<Vec<f64>, _> = limits.split(',').map(str::parse).collect();
    let (limits, passes) = (limits?, arguments.next().unwrap_or_default().parse()?);
    println!(
        "| frame | limit [s] | `auto` | one thread | `pgs` | over | sweeps of `pgs` | share |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let (mut above, mut all) = ([0; 2], 0);
    for path in arguments {
        let problem = read_file(Path::new(&path))?.problem;
        let name = Path::new(&path).file_stem().unwrap_or_default();
        for limit in &limits {
            let [auto, alone, pgs] = medians(&problem, *limit, passes)?;
            if auto.residual <= SOLVED {
                continue;
            }
            all += 1;
            for (count, auto) in above.iter_mut().zip([auto, alone]) {
                *count += i32::from(auto.residual > pgs.residual);
            }
            println!(
                "| {} | {limit} | {:.1e} | {:.1e} | {:.1e} | {:.2} | {:.0} | {:.2} |",
                name.to_string_lossy(),
                auto.residual,
                alone.residual,
                pgs.residual,
                auto.residual / pgs.residual,
                pgs.sweeps,
                auto.sweeps / pgs.sweeps,
            );
        }
    }
    println!("{above:?} of {all} above `pgs`, with two threads and with one");
    Ok(())
}

/// How `auto` with two threads and with one, and `pgs` end, by the medians of so many passes.
fn medians(problem: &Problem, limit: f64, passes: usize) -> Result<[End; 3], Failure> {
    let mut ends = [const { Vec::new() }; 3];
    for _ in 0..passes.max(1) {
        for (ends, threads) in ends.iter_mut().zip([2, 1]) {
            let mut auto = Auto::new(AutoParameters {
                threads,
                ..AutoParameters::default()
            })?;
            ends.push(end(&mut auto, problem, limit)?);
        }
        ends[2].push(end(&mut Pgs::new(Default::default())?, problem, limit)?);
    }
    Ok(ends.map(|ends| End {
        residual: median(ends.iter().map(|end| end.residual)),
        sweeps: median(ends.iter().map(|end| end.sweeps)),
    }))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// How a solve ends that a limit ends, preparation included.
fn end(solver: &mut dyn ImpulseSolver, problem: &Problem, limit: f64) -> Result<End, Failure> {
    let clock = Instant::now();
    let left: interrupt::Left = Arc::new(move || limit - clock.elapsed().as_secs_f64());
    let outcome = interrupt::within(left, || {
        solver.prepare(problem, Start::Cold)?;
        solver.iterate(problem, u32::MAX)
    });
    let own = match outcome {
        Ok(progress) => progress.sweeps,
        Err(SolveError::Interrupted) => 0,
        Err(error) => return Err(error.into()),
    };
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses)?;
    let decisions = solver.facts().decisions;
    let sweeps = match decisions.is_empty() {
        true => f64::from(own),
        false => decisions
            .iter()
            .find_map(|line| sweeps_of(line))
            .unwrap_or(0.0),
    };
    Ok(End {
        residual: Evaluator::new(problem)?.deciding_natural_map(&impulses)?,
        sweeps,
    })
}

/// The sweeps of the second thread, if the line is about it.
fn sweeps_of(line: &str) -> Option<f64> {
    let (_, rest) = line.split_once("on a second thread | stops after ")?;
    rest.split_once(' ')?.0.parse().ok()
}
