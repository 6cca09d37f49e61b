//! Microseconds of `auto` and of the methods that it combines, preparation included: the
//! measurements behind the turns and costs of docs/theory/28-auto.md (U.42), (U.44). A pass that is
//! judged finds the units of work, and passes without a judge are timed. Paths are those from the
//! root of the project.
//!
//!     delassus export convex-pile --frame 60 --scheme pgs-slop --out pile.dls
//!     cargo bench -p delassus-bench --bench race -- 1e-8 pile.dls
use std::path::Path;
use std::time::Instant;

use delassus_bench::passes::{SolverMaker, make, pass, units};
use delassus_core::Problem;
use delassus_problems::read_file;
use delassus_solver_auto::Auto;
use delassus_solver_dense::{AlartCurnier, Lemke};
use delassus_solver_newton::ProxNewton;
use delassus_solver_si::{BlockGs, ChebyshevPgs, Nncg, Pgs, Psor, SymmetricPgs};

type Failure = Box<dyn std::error::Error>;

/// Seconds that a solve may take.
const LIMIT: f64 = 2.0;
/// Passes of which the fastest counts are repeated for so long \[s\].
const REPEATED: f64 = 0.3;

/// The solvers with their names.
const SOLVERS: [(&str, SolverMaker); 10] = [
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
    // cargo adds a flag of its own
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let tolerance = words.next().and_then(|word| word.parse().ok());
    let Some(tolerance) = tolerance else {
        println!("race: name a tolerance and problem files");
        return Ok(());
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for path in words {
        let problem = read_file(root.join(&path))?.problem;
        let mut cells = Vec::new();
        for (name, make) in SOLVERS {
            if make()?.check(&problem).is_ok()
                && let Some(units) = units(make, &problem, tolerance, LIMIT)
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
                cell.pass(&problem);
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
    make: SolverMaker,
    /// Units of work that it needs \[-\].
    units: u32,
    /// The least time so far \[µs\].
    microseconds: f64,
}

impl Cell {
    /// One solve that nobody judges. Passes of all solvers alternate, so that other work of the
    /// machine slows none of them more than the others.
    fn pass(&mut self, problem: &Problem) {
        if let Some(seconds) = pass(self.make, problem, self.units) {
            self.microseconds = self.microseconds.min(1e6 * seconds);
        }
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
