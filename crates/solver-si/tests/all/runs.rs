//! Runs of a solver, for the tests of this crate and of `solver-wide`.

use delassus_core::{Changes, ImpulseSolver, MassProperties, Problem, SolverUpdate, Start};
use delassus_metrics::{Evaluator, Metric};
use nalgebra::{Matrix3, Vector3};

pub(crate) fn run(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    start: Start<'_>,
    sweeps: u32,
) -> Vec<f64> {
    solver.prepare(problem, start).expect("supported");
    continue_sweeps(solver, problem, sweeps)
}

pub(crate) fn continue_sweeps(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    sweeps: u32,
) -> Vec<f64> {
    solver.iterate(problem, sweeps).expect("prepared");
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("finite");
    impulses
}

pub(crate) fn refreshed(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    sweeps: u32,
) -> Vec<f64> {
    solver
        .update(problem, SolverUpdate::Numbers(Changes::ALL))
        .expect("prepared");
    continue_sweeps(solver, problem, sweeps)
}

/// The headline residual: natural map in energy units, relative.
pub(crate) fn residual(problem: &Problem, impulses: &[f64]) -> f64 {
    let mut evaluator = Evaluator::new(problem).expect("a scale");
    let residuals = evaluator.evaluate(impulses).expect("finite");
    residuals.get(Metric::NaturalMap).expect("always there")
}

pub(crate) fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    (a.iter().zip(b)).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
}

/// A point mass: only linear motion.
pub(crate) fn point(mass: f64) -> MassProperties {
    MassProperties {
        inverse_mass: Vector3::repeat(1.0 / mass),
        inverse_inertia: Matrix3::zeros(),
    }
}
