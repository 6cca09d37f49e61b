//! Microseconds of `auto` and of the methods that it combines, preparation included: the
//! measurements behind the turns and costs of docs/theory/28-auto.md (U.42), (U.44). A pass that is
//! judged finds the units of work, and passes without a judge are timed.
//!
//!     delassus export convex-pile --frame 60 --scheme pgs-slop --out pile.dls
//!     cargo run --release -p delassus-solver-auto --example race -- 1e-8 pile.dls
use std::path::Path;
use std::time::Instant;

use delassus_core::{ImpulseSolver, ParameterError, Problem, Solver, Start};
use delassus_metrics::Evaluator;
use delassus_problems::read_file;
use delassus_solver_auto::Auto;
use delassus_solver_dense::{AlartCurnier, Lemke};
use delassus_solver_newton::ProxNewton;
use delassus_solver_si::{BlockGs, ChebyshevPgs, Nncg, Pgs, Psor, SymmetricPgs};

type Failure = Box<dyn std::error::Error>;
type Made = Result<Box<dyn ImpulseSolver>, ParameterError>;

/// Seconds that a solve may take.
const LIMIT: f64 = 2.0;
/// Passes of which the fastest counts are repeated for so long \[s\].
const REPEATED: f64 = 0.3;

fn make<S: Solver + 'static>() -> Made {
    Ok(Box::new(S::new(S::Parameters::default())?))
}

/// A solver, and what makes it.
type Named = (&'static str, fn() -> Made);

const SOLVERS: [Named; 10] = [
    ("auto", make::<Auto>),
    ("nncg", make::<Nncg>),
    ("chebyshev-pgs", make::<ChebyshevPgs>),
    ("block-gs", make::<BlockGs>),
    ("pgs", make::<Pgs>),
    ("psor", make::<Psor>),
    ("symmetric-pgs", make::<SymmetricPgs>),
    ("lemke", make::<Lemke>),
    ("prox-newton", make::<ProxNewton>),
    ("alart-curnier", make::<AlartCurnier>),
];

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let tolerance: f64 = arguments.next().unwrap_or_default().parse()?;
    for path in arguments {
        let problem = read_file(Path::new(&path))?.problem;
        let mut cells = Vec::new();
        for (name, make) in SOLVERS {
            if make()?.check(&problem).is_ok()
                && let Some(units) = units(make()?.as_mut(), &problem, tolerance)
            {
                cells.push(Cell {
                    name,
                    make,
                    units,
                    microseconds: f64::INFINITY,
                });
            }
        }
        let clock = Instant::now();
        let mut rounds = 0;
        while rounds < 3 || clock.elapsed().as_secs_f64() < REPEATED {
            for cell in &mut cells {
                cell.pass(&problem)?;
            }
            rounds += 1;
        }
        println!("{path}: {} rows: {}", problem.rows(), line(cells));
    }
    Ok(())
}

/// A solver that arrives.
struct Cell {
    name: &'static str,
    make: fn() -> Made,
    /// Units of work that it needs \[-\].
    units: u64,
    /// The least time so far \[µs\].
    microseconds: f64,
}

impl Cell {
    /// One solve that nobody judges. Passes of all solvers alternate, so that other work of the
    /// machine slows none of them more than the others.
    fn pass(&mut self, problem: &Problem) -> Result<(), Failure> {
        let mut solver = (self.make)()?;
        let clock = Instant::now();
        solver.prepare(problem, Start::Cold)?;
        solver.iterate(problem, u32::try_from(self.units)?)?;
        let microseconds = 1e6 * clock.elapsed().as_secs_f64();
        self.microseconds = self.microseconds.min(microseconds);
        Ok(())
    }
}

/// `auto`, what it needs in times of the fastest of the others, and the others by their time.
fn line(mut cells: Vec<Cell>) -> String {
    cells.sort_by(|a, b| a.microseconds.total_cmp(&b.microseconds));
    let text = |cell: &Cell| format!("{} {:.1} ({})", cell.name, cell.microseconds, cell.units);
    let (auto, others): (Vec<_>, Vec<_>) = cells.into_iter().partition(|cell| cell.name == "auto");
    let ratio = match (auto.first(), others.first()) {
        (Some(auto), Some(other)) => format!("{:.1} times", auto.microseconds / other.microseconds),
        _ => "-".to_owned(),
    };
    let texts: Vec<String> = auto.iter().chain(&others).map(text).collect();
    format!("{ratio}: {}", texts.join(", "))
}

/// Units of work to `tolerance`; none where the solver does not arrive within the limit.
fn units(solver: &mut dyn ImpulseSolver, problem: &Problem, tolerance: f64) -> Option<u64> {
    let mut evaluator = Evaluator::new(problem).ok()?;
    let mut impulses = vec![0.0; problem.rows()];
    let clock = Instant::now();
    solver.prepare(problem, Start::Cold).ok()?;
    let mut units = 0;
    loop {
        solver.read_impulses(&mut impulses).ok()?;
        let map = evaluator.deciding_natural_map(&impulses).ok()?;
        if map <= tolerance {
            return Some(u64::from(units));
        }
        let chunk = 1 + units / 20;
        let progress = solver.iterate(problem, chunk).ok()?;
        units += chunk;
        if (progress.finished && progress.sweeps == 0) || clock.elapsed().as_secs_f64() > LIMIT {
            return None;
        }
    }
}
