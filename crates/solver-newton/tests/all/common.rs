//! What the tests of this crate share.

use delassus_core::{Parameters, Problem, Solver, Start};
use delassus_metrics::Evaluator;
use delassus_problems::generate;
use serde_json::{Map, Value};

pub(crate) fn made(id: &str, parameters: Value) -> Problem {
    let parameters: Map<String, Value> = parameters.as_object().cloned().unwrap_or_default();
    generate(id, &parameters)
        .expect("parameters in range")
        .problem
}

pub(crate) fn solver<S: Solver>(parameters: Value) -> S {
    let parameters: Map<String, Value> = parameters.as_object().cloned().unwrap_or_default();
    let parameters = S::Parameters::from_map(&parameters).expect("known parameters");
    S::new(parameters).expect("valid parameters")
}

/// λ after so many sweeps at most, from zero, with default parameters.
pub(crate) fn solve<S: Solver<Parameters: Default>>(problem: &Problem, sweeps: u32) -> Vec<f64> {
    let mut solver = S::new(Default::default()).expect("valid defaults");
    solver.prepare(problem, Start::Cold).expect("accepted");
    solver.iterate(problem, sweeps).expect("runs");
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("prepared");
    impulses
}

pub(crate) fn residual(problem: &Problem, impulses: &[f64]) -> f64 {
    let mut evaluator = Evaluator::new(problem).expect("a scale");
    evaluator.natural_map(impulses).expect("finite")
}

pub(crate) fn velocities(problem: &Problem, impulses: &[f64]) -> Vec<f64> {
    let bodies = problem.bodies().expect("bodies");
    let mut velocities = vec![0.0; 6 * bodies.len()];
    problem
        .body_velocities(impulses, &mut velocities)
        .expect("bodies");
    velocities
}

/// Largest difference of two velocities, of the largest free one \[-\].
pub(crate) fn difference(problem: &Problem, a: &[f64], b: &[f64]) -> f64 {
    let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let bodies = problem.bodies().expect("bodies");
    let (a, b) = (velocities(problem, a), velocities(problem, b));
    let apart: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
    largest(&apart) / largest(&bodies.free_velocity)
}
