//! Limits hold inside every solver: they are asked for between parts of a sweep, and nothing goes
//! on after them. Looks are counted, so that no clock decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use delassus_core::interrupt::{Left, within};
use delassus_core::{Determinism, ImpulseSolver, Problem, SolveError, Start};
use delassus_problems::{generate, to_matrix};
use delassus_registry::Registry;
use serde_json::{Map, Value, json};

/// Looks after the one that ends a solve: loops inside loops ask once each.
const MORE: u32 = 40;

/// A limit that ends at the look after so many, and the looks so far.
fn looks(count: u32) -> (Left, Arc<AtomicU32>) {
    let seen = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&seen);
    let left = move || f64::from(count) - f64::from(counter.fetch_add(1, Ordering::Relaxed));
    (Arc::new(left), seen)
}

fn problem(generator: &str, parameters: Value) -> Problem {
    let parameters = serde_json::from_value(parameters).expect("an object");
    generate(generator, &parameters).expect("a problem").problem
}

/// `auto` with one thread: what it makes of a second one at a limit depends on the time.
fn parameters(id: &str) -> Map<String, Value> {
    let threads = ("threads".to_owned(), Value::from(1));
    Map::from_iter(id.contains("auto").then_some(threads))
}

/// Prepares and iterates until the solver has finished, or until its limit; true if it was that.
fn is_ended(solver: &mut dyn ImpulseSolver, problem: &Problem) -> bool {
    match solver.prepare(problem, Start::Cold) {
        Err(SolveError::Interrupted) => return true,
        Err(_) => return false,
        Ok(()) => {}
    }
    let outcome = solver.iterate(problem, 1_000_000);
    let mut impulses = vec![f64::NAN; problem.rows()];
    let read = solver.read_impulses(&mut impulses);
    match outcome {
        Err(SolveError::Interrupted) => assert!(read.is_ok()),
        Err(_) => return false,
        Ok(progress) if progress.finished => return false,
        Ok(progress) => assert!(progress.sweeps < 1_000_000),
    }
    assert!(impulses.iter().all(|x| x.is_finite()));
    true
}

/// Sweeps and impulses of a solve that its limit has ended; `None` if it ended before its first
/// judgement, by itself, or with an error of its own.
fn cut_short(solver: &mut dyn ImpulseSolver, problem: &Problem) -> Option<(u32, Vec<f64>)> {
    solver.prepare(problem, Start::Cold).ok()?;
    let sweeps = match solver.iterate(problem, 1_000_000) {
        Ok(progress) if progress.finished => return None,
        Ok(progress) => progress.sweeps,
        Err(SolveError::Interrupted) => 0,
        Err(_) => return None,
    };
    let mut impulses = vec![f64::NAN; problem.rows()];
    solver.read_impulses(&mut impulses).expect("impulses");
    Some((sweeps, impulses))
}

/// The problems, and all solvers and wrappers that a limit may end.
fn cases() -> (Vec<Problem>, Vec<String>) {
    let problems = [
        ("stack", json!({ "n": 3, "law": "coulomb" })),
        ("stack", json!({ "n": 3, "law": "frictionless" })),
        ("stack", json!({ "n": 3, "law": "convex-cone" })),
        ("stack", json!({ "n": 3, "law": "pyramid" })),
        ("chain", json!({ "n": 12 })),
    ];
    let registry = Registry::standard();
    let ids = registry.entries().iter().map(|entry| entry.descriptor.id);
    let wrapped = [
        "best-so-far(pgs)",
        "anderson(block-gs)",
        "cone-from-convex(ipm)",
        "refined(nncg)",
        "per-world(auto)",
    ];
    let problems = problems.into_iter().map(|(id, set)| problem(id, set));
    (
        problems.collect(),
        ids.chain(wrapped).map(str::to_owned).collect(),
    )
}

#[test]
fn every_solver_ends_at_its_limit() {
    let (problems, ids) = cases();
    let registry = Registry::standard();
    let mut ended = 0;
    for id in &ids {
        for (index, problem) in problems.iter().enumerate() {
            for count in [1, 3, 10, 40] {
                let entry = registry.find(id).expect("a solver");
                let mut solver = entry.build(&parameters(id)).expect("defaults");
                if solver.check(problem).is_err() {
                    continue;
                }
                let (left, seen) = looks(count);
                let limited = within(left, || is_ended(solver.as_mut(), problem));
                let seen = seen.load(Ordering::Relaxed);
                assert!(
                    seen <= count + MORE,
                    "{id} on problem {index}: {seen} looks at a limit of {count}"
                );
                ended += u32::from(limited);
            }
        }
    }
    assert!(ended > 200, "{ended} solves were ended");
}

#[test]
fn a_limit_leaves_the_impulses_of_whole_sweeps() {
    let (problems, mut ids) = cases();
    // inner solvers that make several sweeps in a unit, and that correct with another one
    for id in [
        "refined(wide-pgs)",
        "cone-from-convex(apgd)",
        "per-world(pgs)",
    ] {
        ids.push(id.to_owned());
    }
    let registry = Registry::standard();
    let (mut ended, mut wrong) = (0, Vec::new());
    for id in &ids {
        for (index, problem) in problems.iter().enumerate() {
            for count in [2, 3, 5, 9, 17, 40, 90] {
                let entry = registry.find(id).expect("a solver");
                let make = || entry.build(&parameters(id)).expect("defaults");
                let mut solver = make();
                let bitwise = solver.descriptor().determinism != Determinism::None;
                if solver.check(problem).is_err() || !bitwise {
                    continue;
                }
                let (left, _) = looks(count);
                let Some((sweeps, impulses)) = within(left, || cut_short(solver.as_mut(), problem))
                else {
                    continue;
                };
                ended += 1;
                let mut again = make();
                again.prepare(problem, Start::Cold).expect("prepared");
                if sweeps > 0 {
                    again.iterate(problem, sweeps).expect("sweeps");
                }
                let mut whole = vec![f64::NAN; problem.rows()];
                again.read_impulses(&mut whole).expect("impulses");
                let same = whole.iter().zip(&impulses);
                if !same.into_iter().all(|(a, b)| a.to_bits() == b.to_bits()) {
                    wrong.push(format!(
                        "{id} on problem {index}, {count} looks, {sweeps} sweeps"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "not the bits of whole sweeps: {wrong:#?}");
    assert!(ended > 300, "{ended} solves were ended");
}

#[test]
fn power_iterations_end_at_a_limit() {
    let problem = problem("stack", json!({ "n": 4, "law": "frictionless" }));
    let registry = Registry::standard();
    for id in ["spg", "mprgp", "projected-gradient", "projected-cg", "admm"] {
        for count in [1, 5, 17] {
            let entry = registry.find(id).expect("a solver");
            let mut solver = entry.build(&Map::new()).expect("defaults");
            let (left, seen) = looks(count);
            let prepared = within(left, || solver.prepare(&problem, Start::Cold));
            assert_eq!(prepared, Err(SolveError::Interrupted), "{id} at {count}");
            let seen = seen.load(Ordering::Relaxed);
            assert!(
                seen <= count + 2,
                "{id}: {seen} looks at a limit of {count}"
            );
        }
    }
}

#[test]
fn large_matrices_are_not_taken_over_where_time_is_short() {
    let bodies = problem("stack", json!({ "n": 12, "law": "coulomb" }));
    let problem = to_matrix(&bodies).expect("a matrix");
    let registry = Registry::standard();
    for id in ["admm", "hybrid"] {
        let prepare = |seconds: f64| {
            let entry = registry.find(id).expect("a solver");
            let mut solver = entry.build(&Map::new()).expect("defaults");
            within(Arc::new(move || seconds), || {
                solver.prepare(&problem, Start::Cold)
            })
        };
        assert_eq!(prepare(1e-6), Err(SolveError::Interrupted), "{id}");
        assert_eq!(prepare(10.0), Ok(()), "{id}");
    }
    // a sweep that looks at all blocks after each update is not begun
    let greedy = registry.find("greedy-pgs").expect("a solver");
    let mut greedy = greedy.build(&Map::new()).expect("defaults");
    greedy.prepare(&problem, Start::Cold).expect("prepared");
    let mut sweep =
        |seconds: f64| within(Arc::new(move || seconds), || greedy.iterate(&problem, 1));
    assert_eq!(sweep(1e-6), Err(SolveError::Interrupted));
    assert_eq!(sweep(10.0).expect("a sweep").sweeps, 1);
}
