//! Memory and time per contact point on walls from a thousand to ten million points.
//!
//! `cargo bench -p delassus-bench --bench scaling` prints a Markdown table. A number after `--` is
//! the largest number of points (100 000 without one), other words keep the solvers whose names
//! hold one of them. The walls are those of the bench `wide`. *Preparation* is the first `prepare`
//! from zero impulses, *iteration* the least time of a unit of work after it: a sweep, for
//! `prox-newton` a step. Memory is what `prepare` and these units allocate, at its peak, counted by
//! the allocator, compared with what the solver estimates. A problem takes the bytes of its own
//! column, and the generator the time of its own. Lines come when they are ready, smaller walls
//! first, so that a process that runs out of memory has printed the sizes that fit. Times are
//! processor time of one thread.

use delassus_bench::clock::{self, ThreadClock};
use delassus_core::{ImpulseSolver, MemoryLimit, Problem, Solver, Start};
use delassus_problems::generate_within;
use delassus_solver_descent::Apgd;
use delassus_solver_newton::ProxNewton;
use delassus_solver_wide::WidePgs;
use serde_json::json;

/// Bases of the walls: 1 024, 10 000, 99 856, 1 000 000, 2 999 824 and 9 998 244 points.
const BASES: [usize; 6] = [16, 50, 158, 500, 866, 1581];

/// Largest number of points unless a word says otherwise.
const LARGEST: usize = 100_000;

/// What a problem may take.
const MEMORY: MemoryLimit = MemoryLimit::new(16 << 30);

/// A solver by its name, and the units of work that are timed.
type Named = (&'static str, fn() -> Box<dyn ImpulseSolver>, u32);

const SOLVERS: [Named; 3] = [
    ("wide-pgs", make::<WidePgs>, 20),
    ("apgd", make::<Apgd>, 20),
    ("prox-newton", make::<ProxNewton>, 5),
];

fn make<S: Solver + 'static>() -> Box<dyn ImpulseSolver>
where
    S::Parameters: Default,
{
    Box::new(S::new(S::Parameters::default()).expect("the defaults"))
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut words: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let numbers: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    words.retain(|word| word.parse::<usize>().is_err());
    let largest = numbers.into_iter().max().unwrap_or(LARGEST);
    println!(
        "| solver | points | generator, ns per point | problem, B per point | memory, B per point | estimated | preparation, ns per point | iteration, ns per point |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for base in BASES.into_iter().filter(|base| 4 * base * base <= largest) {
        let clock = ThreadClock::start();
        let problem = wall(base);
        let made = clock.seconds();
        for (name, make, units) in SOLVERS {
            if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
                println!("| {name} {}", row(&problem, made, make, units));
            }
        }
    }
}

fn wall(base: usize) -> Problem {
    let parameters = json!({ "base": base, "law": "disc" });
    let parameters = parameters.as_object().cloned().unwrap_or_default();
    let made = generate_within("wall", &parameters, MEMORY);
    made.expect("in range").problem
}

/// The rest of a line; the generator took `made` seconds.
fn row(problem: &Problem, made: f64, make: fn() -> Box<dyn ImpulseSolver>, units: u32) -> String {
    let mut solver = make();
    let (mut preparation, mut iteration) = (0.0, f64::INFINITY);
    let counted = allocation_counter::measure(|| {
        preparation = clock::seconds(|| {
            solver.prepare(problem, Start::Cold).expect("accepted");
        });
        for _ in 0..units {
            let unit = clock::seconds(|| {
                solver.iterate(problem, 1).expect("runs");
            });
            iteration = iteration.min(unit);
        }
    });
    let points = problem.blocks().len() as f64;
    format!(
        "| {points} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} | {:.1} |",
        1e9 * made / points,
        problem.memory() as f64 / points,
        counted.bytes_max as f64 / points,
        solver.footprint(problem) as f64 / points,
        1e9 * preparation / points,
        1e9 * iteration / points,
    )
}
