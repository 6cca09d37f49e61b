//! Seconds of `auto` and of the methods that it combines, each to a natural map of 1e-8, preparation
//! included: the measurements behind the turns and costs of docs/theory/28-auto.md (U.42), (U.44).
//!
//!     delassus export convex-pile --frame 60 --scheme pgs-slop --out pile.dls
//!     cargo run --release -p delassus-solver-auto --example race -- pile.dls
use std::path::Path;
use std::time::Instant;

use delassus_core::{ImpulseSolver, ParameterError, Problem, Solver, Start};
use delassus_metrics::Evaluator;
use delassus_problems::read_file;
use delassus_solver_auto::Auto;
use delassus_solver_dense::AlartCurnier;
use delassus_solver_newton::ProxNewton;
use delassus_solver_si::{BlockGs, ChebyshevPgs, Nncg, Pgs};

type Failure = Box<dyn std::error::Error>;
type Made = Result<Box<dyn ImpulseSolver>, ParameterError>;

/// Natural map that ends a solve \[-\].
const TOLERANCE: f64 = 1e-8;
/// Seconds that a solve may take.
const LIMIT: f64 = 3.0;
/// Solves of which the fastest counts, if they are short.
const REPEATS: u32 = 3;

fn make<S: Solver + 'static>() -> Made {
    Ok(Box::new(S::new(S::Parameters::default())?))
}

const SOLVERS: [(&str, fn() -> Made); 7] = [
    ("auto", make::<Auto>),
    ("nncg", make::<Nncg>),
    ("chebyshev-pgs", make::<ChebyshevPgs>),
    ("block-gs", make::<BlockGs>),
    ("pgs", make::<Pgs>),
    ("prox-newton", make::<ProxNewton>),
    ("alart-curnier", make::<AlartCurnier>),
];

fn main() -> Result<(), Failure> {
    let names: Vec<&str> = SOLVERS.iter().map(|(name, _)| *name).collect();
    println!("[ms]: {}", names.join(", "));
    for path in std::env::args().skip(1) {
        let problem = read_file(Path::new(&path))?.problem;
        let cells: Result<Vec<String>, Failure> = SOLVERS
            .iter()
            .map(|(_, make)| cell(*make, &problem))
            .collect();
        println!("{path}: {} rows: {}", problem.rows(), cells?.join(" | "));
    }
    Ok(())
}

/// The least time \[ms\], or how far the solver came.
fn cell(make: fn() -> Made, problem: &Problem) -> Result<String, Failure> {
    let mut least = f64::INFINITY;
    let mut map = 0.0;
    for _ in 0..REPEATS {
        let mut solver = make()?;
        let (seconds, end) = solve(solver.as_mut(), problem)?;
        (least, map) = (least.min(seconds), end);
        if seconds > 0.3 {
            break;
        }
    }
    Ok(if map <= TOLERANCE {
        format!("{:.2}", 1e3 * least)
    } else {
        format!("{map:.0e}")
    })
}

/// Seconds of work, and the natural map where it ended.
fn solve(solver: &mut dyn ImpulseSolver, problem: &Problem) -> Result<(f64, f64), Failure> {
    let mut evaluator = Evaluator::new(problem)?;
    let mut impulses = vec![0.0; problem.rows()];
    let clock = Instant::now();
    solver.prepare(problem, Start::Cold)?;
    let mut spent = clock.elapsed().as_secs_f64();
    let mut units = 0;
    loop {
        let clock = Instant::now();
        let chunk = 1 + units / 8;
        let progress = solver.iterate(problem, chunk)?;
        spent += clock.elapsed().as_secs_f64();
        units += chunk;
        solver.read_impulses(&mut impulses)?;
        let map = evaluator.deciding_natural_map(&impulses)?;
        if map <= TOLERANCE || progress.finished || spent > LIMIT {
            return Ok((spent, map));
        }
    }
}
