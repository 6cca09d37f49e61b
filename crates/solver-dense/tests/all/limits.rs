//! Limits inside preparations and solves on matrices with long passes. Looks at the limit are
//! counted, so that no clock decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use delassus_core::interrupt::{Left, within};
use delassus_core::{Friction, ImpulseSolver, Law, Problem, SolveError, Solver, Start};
use delassus_solver_dense::{
    AlartCurnier, Bpp, Dantzig, DensePgs, FischerNewton, Ipm, JeanMoreau, Lemke, Pdas,
};

use crate::common::{matrix_problem, solve};

/// Rows of a matrix whose passes take several looks, and of one whose passes take none.
const LONG: usize = 1200;
const SHORT: usize = 240;
/// Looks of a pass over a long matrix at least: one per million entries.
const PASS: u32 = 2;
/// Looks after the one that ends a solve.
const MORE: u32 = 4;

/// A limit that ends at the look after so many, and the looks so far.
fn looks(count: u32) -> (Left, Arc<AtomicU32>) {
    let seen = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&seen);
    let left = move || f64::from(count) - f64::from(counter.fetch_add(1, Ordering::Relaxed));
    (Arc::new(left), seen)
}

/// A matrix without zeros, diagonally dominant, with one law in all blocks.
fn problem(rows: usize, law: &Law, dim: usize) -> Problem {
    let mut matrix = vec![0.0; rows * rows];
    for i in 0..rows {
        for j in 0..rows {
            let far = i.abs_diff(j) as f64;
            matrix[i * rows + j] = if i == j { 4.0 } else { 1.0 / (1.0 + far * far) };
        }
    }
    let q: Vec<f64> = (0..rows).map(|i| ((i * 7) % 5) as f64 - 2.5).collect();
    let blocks = vec![(law.clone(), dim); rows / dim];
    matrix_problem(&matrix, &q, blocks)
}

/// Looks of a preparation.
fn looks_of_preparation<S: Solver>(problem: &Problem) -> u32 {
    let (left, seen) = looks(u32::MAX);
    let mut solver = S::new(S::Parameters::default()).expect("valid defaults");
    let prepared = within(left, || solver.prepare(problem, Start::Cold));
    assert_eq!(prepared, Ok(()));
    seen.load(Ordering::Relaxed)
}

/// Looks of a preparation and of so many work units.
fn looks_of_solve<S: Solver>(problem: &Problem, units: u32, limit: u32) -> (u32, bool) {
    let (left, seen) = looks(limit);
    let outcome = within(left, || solve::<S>(problem, units));
    let interrupted = outcome == Err(SolveError::Interrupted);
    assert!(interrupted || outcome.is_ok(), "{outcome:?}");
    (seen.load(Ordering::Relaxed), interrupted)
}

/// A preparation of a long matrix looks in each of so many passes, and a solve ends within a few
/// looks of its limit, wherever that is.
fn assert_ends<S: Solver>(law: &Law, dim: usize, passes: u32) {
    let id = S::DESCRIPTOR.id;
    let long = problem(LONG, law, dim);
    let short = looks_of_preparation::<S>(&problem(SHORT, law, dim));
    let found = looks_of_preparation::<S>(&long);
    let least = short + PASS * passes;
    assert!(
        found >= least,
        "{id}: {found} looks, {short} of a short matrix"
    );
    let (all, _) = looks_of_solve::<S>(&long, 1, u32::MAX);
    for part in 0..8 {
        let limit = 1 + part * (all - 2) / 8;
        let (seen, interrupted) = looks_of_solve::<S>(&long, 1, limit);
        assert!(
            seen <= limit + MORE,
            "{id}: {seen} looks at a limit of {limit}"
        );
        assert!(interrupted, "{id}: a limit of {limit} of {all} looks");
    }
}

#[test]
fn pivoting_looks_at_the_limit_in_every_pass() {
    // compared with its transpose, copied, checked and scaled; the tableau is filled in some more
    assert_ends::<Bpp>(&Law::UNILATERAL, 6, 4);
    assert_ends::<Dantzig>(&Law::UNILATERAL, 6, 4);
    assert_ends::<Lemke>(&Law::UNILATERAL, 6, 7);
}

#[test]
fn newtons_methods_look_at_the_limit_in_every_pass() {
    assert_ends::<Pdas>(&Law::UNILATERAL, 6, 3);
    assert_ends::<Ipm>(&Law::UNILATERAL, 6, 3);
    assert_ends::<FischerNewton>(&Law::UNILATERAL, 6, 3);
    let coulomb = Law::Contact(Friction::Coulomb { mu: 0.5 });
    assert_ends::<AlartCurnier>(&coulomb, 3, 3);
    assert_ends::<JeanMoreau>(&coulomb, 3, 3);
    assert_ends::<DensePgs>(&coulomb, 3, 2);
}

#[test]
fn a_limit_between_sweeps_of_a_unit_changes_no_bit() {
    // the fourth unit makes eight sweeps; limits end it in each of them
    let coulomb = Law::Contact(Friction::Coulomb { mu: 0.5 });
    let problem = problem(60, &coulomb, 3);
    let all = solve::<JeanMoreau>(&problem, 5).expect("solved");
    for limit in 1..24 {
        let mut solver = JeanMoreau::new(Default::default()).expect("valid defaults");
        solver.prepare(&problem, Start::Cold).expect("prepared");
        let mut missing = 5;
        let (left, _) = looks(limit);
        let ended = within(left, || solver.iterate(&problem, missing));
        match ended {
            Ok(progress) => missing -= progress.sweeps,
            Err(error) => assert_eq!(error, SolveError::Interrupted),
        }
        solver.iterate(&problem, missing).expect("the rest");
        let mut found = vec![0.0; problem.rows()];
        solver.read_impulses(&mut found).expect("impulses");
        assert_eq!(found, all, "a limit of {limit} looks");
    }
}
