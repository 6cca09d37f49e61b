//! Limits inside products with a large matrix. Looks at the limit are counted, so that no clock
//! decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use delassus_core::interrupt::{Left, within};
use delassus_core::{ImpulseSolver, Law, Problem, SolveError, Solver, Start};
use delassus_solver_descent::{Apgd, Mprgp, ProjectedCg, ProjectedGradient, Spg};

use crate::common::Dense;

/// Rows of a matrix of which a product takes two looks, and of one of which it takes none.
const ROWS: usize = 1200;
const SHORT: usize = 240;

/// Looks after the one that ends a solve.
const MORE: u32 = 4;

/// Iterations of a solve.
const UNITS: u32 = 6;

/// A limit that ends at the look after so many, and the looks so far.
fn looks(count: u32) -> (Left, Arc<AtomicU32>) {
    let seen = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&seen);
    let left = move || f64::from(count) - f64::from(counter.fetch_add(1, Ordering::Relaxed));
    (Arc::new(left), seen)
}

/// A matrix without zeros.
fn problem(rows: usize) -> Problem {
    let matrix = Dense::new(rows, |i, j| {
        let far = i.abs_diff(j) as f64;
        if i == j { 4.0 } else { 1.0 / (1.0 + far * far) }
    });
    let b = (0..rows).map(|i| ((i * 7) % 5) as f64 - 2.5).collect();
    matrix.problem(&vec![(Law::Equality, 6); rows / 6], b)
}

fn impulses(solver: &mut impl ImpulseSolver) -> Vec<u64> {
    let mut out = vec![f64::NAN; ROWS];
    solver.read_impulses(&mut out).expect("impulses");
    out.into_iter().map(f64::to_bits).collect()
}

/// The impulses after 0, 1, 2, … iterations.
fn whole_iterations<S: Solver>(problem: &Problem) -> Vec<Vec<u64>> {
    let mut solver = S::new(S::Parameters::default()).expect("valid defaults");
    solver.prepare(problem, Start::Cold).expect("prepared");
    let mut all = vec![impulses(&mut solver)];
    for _ in 0..UNITS {
        solver.iterate(problem, 1).expect("an iteration");
        all.push(impulses(&mut solver));
    }
    all
}

/// Solves with a limit at this look; returns the solver, its iterations, and all looks.
fn solve<S: Solver>(problem: &Problem, count: u32) -> (S, Result<u32, SolveError>, u32) {
    let (left, seen) = looks(count);
    let mut solver = S::new(S::Parameters::default()).expect("valid defaults");
    let done = within(left, || {
        solver.prepare(problem, Start::Cold)?;
        match solver.iterate(problem, UNITS) {
            Err(SolveError::Interrupted) => Ok(0),
            done => Ok(done?.sweeps),
        }
    });
    (solver, done, seen.load(Ordering::Relaxed))
}

/// A limit at any look ends a solve within a few looks, with the impulses of whole iterations, from
/// which it goes on without a limit. Returns how often a limit ended the iterations.
fn ends<S: Solver>(problem: &Problem) -> u32 {
    let id = S::DESCRIPTOR.id;
    let whole = whole_iterations::<S>(problem);
    let (_, done, all) = solve::<S>(problem, u32::MAX);
    assert_eq!(done, Ok(UNITS), "{id}");
    let (_, _, short) = solve::<S>(&self::problem(SHORT), u32::MAX);
    assert!(
        all >= short + 2 * UNITS,
        "{id}: {all} looks, {short} of a short matrix"
    );
    let mut ended = 0;
    // the last looks are those of iterations
    for count in [1, all - 14, all - 11, all - 8, all - 5, all - 2] {
        let (mut solver, done, seen) = solve::<S>(problem, count);
        assert!(seen <= count + MORE, "{id}: {seen} looks of {count}");
        let done = match done {
            Err(SolveError::Interrupted) => continue,
            done => done.expect("a solve"),
        };
        assert!(done < UNITS, "{id}: {done}");
        ended += 1;
        assert_eq!(impulses(&mut solver), whole[done as usize], "{id}: {done}");
        let more = solver.iterate(problem, UNITS).expect("no limit");
        assert_eq!(more.sweeps, UNITS);
        let finite = |x: &u64| f64::from_bits(*x).is_finite();
        assert!(impulses(&mut solver).iter().all(finite), "{id}");
    }
    ended
}

#[test]
fn products_with_a_large_matrix_look_at_the_limit() {
    let problem = problem(ROWS);
    let ended = [
        ends::<ProjectedGradient>(&problem),
        ends::<Spg>(&problem),
        ends::<Apgd>(&problem),
        ends::<Mprgp>(&problem),
        ends::<ProjectedCg>(&problem),
    ];
    assert!(ended.iter().all(|ended| *ended > 2), "{ended:?}");
}
