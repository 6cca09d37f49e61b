//! How the methods end: quadratic last steps, steps that do not grow with the problem.

use delassus_core::{ImpulseSolver, Solver, Start};
use delassus_solver_newton::{ProxNewton, Sap};
use serde_json::json;

use crate::common::{made, residual};

/// Residuals after every sweep, until nothing changes.
fn trace<S: Solver<Parameters: Default>>(problem: &delassus_core::Problem) -> Vec<f64> {
    let mut solver = S::new(Default::default()).expect("valid defaults");
    solver.prepare(problem, Start::Cold).expect("accepted");
    let mut impulses = vec![0.0; problem.rows()];
    let mut found = Vec::new();
    for _ in 0..400 {
        let progress = solver.iterate(problem, 1).expect("runs");
        solver.read_impulses(&mut impulses).expect("prepared");
        found.push(residual(problem, &impulses));
        if progress.finished {
            break;
        }
    }
    found
}

/// The steepest fall of one step from below 1e-1: log of what is left over log of what was there.
fn order(residuals: &[f64]) -> f64 {
    let pairs = residuals
        .windows(2)
        .filter(|pair| pair[0] < 1e-1 && pair[0] > 1e-9);
    let orders = pairs.map(|pair| libm::log10(pair[1].max(1e-16)) / libm::log10(pair[0]));
    orders.fold(0.0, f64::max)
}

#[test]
fn the_last_steps_are_quadratic() {
    for seed in 0..5 {
        let cones = json!({
            "bodies": 15, "coulomb": 0, "convex_cone": 25, "compliance": 0.05, "seed": seed,
        });
        let residuals = trace::<Sap>(&made("planted", cones));
        assert!(order(&residuals) > 1.8, "sap, seed {seed}: {residuals:?}");
        assert!(residuals.len() < 30, "sap, seed {seed}: {residuals:?}");
        // the proximal term falls from step to step, so that these are faster than linear only
        let coulomb = json!({ "bodies": 15, "coulomb": 25, "friction": 0.25, "seed": seed });
        let residuals = trace::<ProxNewton>(&made("planted", coulomb));
        assert!(
            order(&residuals) > 1.3,
            "prox-newton, seed {seed}: {residuals:?}"
        );
    }
}

#[test]
fn steps_do_not_grow_with_a_pile() {
    for base in [4, 8, 16] {
        let problem = made("wall", json!({ "base": base }));
        let residuals = trace::<ProxNewton>(&problem);
        let steps = residuals.iter().position(|r| *r <= 1e-6).map(|at| at + 1);
        assert!(
            steps.is_some_and(|steps| steps <= 10),
            "base {base}: {residuals:?}"
        );
    }
}

#[test]
fn a_heavy_top_takes_few_steps() {
    let problem = made(
        "stack",
        json!({ "n": 10, "mass_ratio": 1000.0, "mass_order": "heavy-last" }),
    );
    let residuals = trace::<ProxNewton>(&problem);
    let steps = residuals.iter().position(|r| *r <= 1e-6).map(|at| at + 1);
    assert!(steps.is_some_and(|steps| steps <= 10), "{residuals:?}");
}

#[test]
fn a_solution_is_kept_as_a_start() {
    let problem = made("wall", json!({ "base": 6 }));
    let mut solver = ProxNewton::new(Default::default()).expect("valid defaults");
    solver.prepare(&problem, Start::Cold).expect("accepted");
    solver.iterate(&problem, 400).expect("runs");
    let mut solution = vec![0.0; problem.rows()];
    solver.read_impulses(&mut solution).expect("prepared");
    solver
        .prepare(&problem, Start::Warm(&solution))
        .expect("accepted");
    solver.iterate(&problem, 3).expect("runs");
    let mut again = vec![0.0; problem.rows()];
    solver.read_impulses(&mut again).expect("prepared");
    assert!(residual(&problem, &again) <= residual(&problem, &solution) * (1.0 + 1e-9) + 1e-14);
}
