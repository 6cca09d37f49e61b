//! Seconds to a natural map of 1e-2, 1e-4, 1e-6 and 1e-8, preparation included, of wide sweeps, of
//! Newton steps, and of Newton steps after so many wide sweeps: whether a solver in two phases
//! would pay (docs/theory/27-primal-newton.md, "After wide sweeps").
//!
//!     cargo run --release -p delassus-solver-auto --example levels -- wall '{"base": 20, "law": "coulomb"}'
//!
//! In place of a generator and its parameters: files, and `warm` before them for the start that
//! they come with.
use std::path::Path;
use std::time::Instant;

use delassus_core::{ImpulseSolver, Parameters, Problem, Solver, Start};
use delassus_metrics::Evaluator;
use delassus_problems::{generate, read_file};
use delassus_solver_newton::ProxNewton;
use delassus_solver_wide::WidePgs;
use serde_json::{Map, Value};

type Failure = Box<dyn std::error::Error>;

/// Natural maps \[-\].
const LEVELS: [f64; 4] = [1e-2, 1e-4, 1e-6, 1e-8];
/// Solves of which the fastest counts.
const REPEATS: u32 = 5;
/// Seconds that a solve may take.
const LIMIT: f64 = 0.5;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().ok_or("a generator or files")?;
    let warm = name == "warm";
    if warm || name.contains('.') {
        for path in arguments.iter().skip(usize::from(warm)) {
            let named = read_file(Path::new(path))?;
            let start = named.warm_start.as_deref().filter(|_| warm);
            table(path, &named.problem, start)?;
        }
        return Ok(());
    }
    let text = arguments.get(1).map_or("{}", String::as_str);
    let given: Map<String, Value> = serde_json::from_str(text)?;
    table(
        &format!("{name} {text}"),
        &generate(name, &given)?.problem,
        None,
    )
}

/// Solvers that follow each other, with the sweeps of all but the last.
struct Candidate {
    label: String,
    sweeps: u32,
    newton: Option<Map<String, Value>>,
}

fn candidates() -> Vec<Candidate> {
    let newton = |text: &str| serde_json::from_str(text).ok();
    let mut list = vec![
        Candidate {
            label: "wide-pgs".to_owned(),
            sweeps: u32::MAX,
            newton: None,
        },
        Candidate {
            label: "prox-newton".to_owned(),
            sweeps: 0,
            newton: newton("{}"),
        },
        Candidate {
            label: "natural".to_owned(),
            sweeps: 0,
            newton: newton(r#"{"convex_start": false}"#),
        },
    ];
    for sweeps in [20, 80] {
        list.push(Candidate {
            label: format!("natural, {sweeps} scalar sweeps"),
            sweeps: 0,
            newton: newton(&format!(
                r#"{{"convex_start": false, "start_sweeps": {sweeps}}}"#
            )),
        });
    }
    for sweeps in [5, 20, 80, 320] {
        list.push(Candidate {
            label: format!("{sweeps} wide, prox-newton"),
            sweeps,
            newton: newton("{}"),
        });
        list.push(Candidate {
            label: format!("{sweeps} wide, natural"),
            sweeps,
            newton: newton(r#"{"convex_start": false, "start_sweeps": 0}"#),
        });
    }
    list
}

fn table(name: &str, problem: &Problem, start: Option<&[f64]>) -> Result<(), Failure> {
    println!("{name}: {} rows", problem.rows());
    for candidate in candidates() {
        let mut least = [f64::INFINITY; 4];
        let mut end = (0.0, 0);
        for _ in 0..REPEATS {
            let (times, last) = solve(&candidate, problem, start)?;
            for (least, time) in least.iter_mut().zip(times) {
                *least = least.min(time);
            }
            end = last;
        }
        let cells: Vec<String> = least.iter().map(|t| format!("{:10.3}", 1e3 * t)).collect();
        println!(
            "{:28} {} ms; {:.1e} after {}",
            candidate.label,
            cells.join(" "),
            end.0,
            end.1
        );
    }
    Ok(())
}

fn solve(
    candidate: &Candidate,
    problem: &Problem,
    start: Option<&[f64]>,
) -> Result<([f64; 4], (f64, u32)), Failure> {
    let mut evaluator = Evaluator::new(problem)?;
    let mut impulses = start.map_or_else(|| vec![0.0; problem.rows()], <[f64]>::to_vec);
    let mut times = [f64::INFINITY; 4];
    let (mut spent, mut done, mut map) = (0.0, 0, f64::INFINITY);
    let mut judge = |impulses: &[f64], spent: f64| -> Result<f64, Failure> {
        let map = evaluator.natural_map(impulses)?;
        for (time, level) in times.iter_mut().zip(LEVELS) {
            if map <= level && time.is_infinite() {
                *time = spent;
            }
        }
        Ok(map)
    };
    if candidate.sweeps > 0 {
        let mut wide = WidePgs::new(Default::default())?;
        let begin = Instant::now();
        wide.prepare(problem, Start::Warm(&impulses))?;
        spent += begin.elapsed().as_secs_f64();
        let mut next = 1;
        while done < candidate.sweeps && spent < LIMIT && map > LEVELS[3] {
            let chunk = (next - done).min(candidate.sweeps - done);
            let begin = Instant::now();
            wide.iterate(problem, chunk)?;
            spent += begin.elapsed().as_secs_f64();
            done += chunk;
            next = done + 1 + done / 5;
            wide.read_impulses(&mut impulses)?;
            map = judge(&impulses, spent)?;
        }
    }
    if let Some(given) = &candidate.newton {
        let mut newton = ProxNewton::new(Parameters::from_map(given)?)?;
        let begin = Instant::now();
        newton.prepare(problem, Start::Warm(&impulses))?;
        spent += begin.elapsed().as_secs_f64();
        while spent < LIMIT && map > LEVELS[3] {
            let begin = Instant::now();
            let progress = newton.iterate(problem, 1)?;
            spent += begin.elapsed().as_secs_f64();
            done += 1;
            newton.read_impulses(&mut impulses)?;
            map = judge(&impulses, spent)?;
            if progress.finished {
                break;
            }
        }
    }
    Ok((times, (map, done)))
}
