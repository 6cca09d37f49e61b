//! Solvers in processes: honest, clumsy and hostile ones. The peer is a binary of this crate.

use delassus_core::parameter::{Map, Value};
use delassus_core::{
    Friction, ImpulseSolver, Law, MassProperties, Problem, ProblemBuilder, SolveError, Start,
};
use delassus_solver_process::{Commands, entry};
use nalgebra::Vector3;

mod checks;
mod hostile;
mod ladder;
mod names;

/// The name of the test peer in this mode.
fn name(mode: &str) -> String {
    format!("cmd:'{}' {mode}", env!("CARGO_BIN_EXE_delassus-test-peer"))
}

fn built(mode: &str, given: &[(&str, Value)]) -> Box<dyn ImpulseSolver> {
    let pairs = given
        .iter()
        .map(|(key, value)| ((*key).to_owned(), value.clone()));
    let given: Map = pairs.collect();
    let entry = entry(&name(mode), Commands::Start).expect("an entry");
    entry.build(&given).expect("a solver")
}

/// Solves in one piece.
fn solve(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    sweeps: u32,
) -> Result<Vec<f64>, SolveError> {
    solver.prepare(problem, Start::Cold)?;
    solver.iterate(problem, sweeps)?;
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses)?;
    Ok(impulses)
}

/// Two bodies with one contact each, μ = 0.4; the second also pushes the first, so that no sweep
/// solves it.
fn problem(law: fn(f64) -> Friction) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = |m: f64| MassProperties::aligned(m, Vector3::repeat(0.3 * m));
    let one = builder.body(mass(1.7), [0.9, -1.1, 0.2, 0.0, 0.0, 0.0]);
    let two = builder.body(mass(0.6), [0.05, -2.3, 0.0, 0.0, 0.0, 0.0]);
    let arm = [0.31, -0.4];
    let rows = |[x, y]: [f64; 2]| {
        [
            [0.0, 1.0, 0.0, 0.0, 0.0, x],
            [1.0, 0.0, 0.0, 0.0, 0.0, -y],
            [0.0, 0.0, 1.0, y, -x, 0.0],
        ]
    };
    builder.block(Law::Contact(law(0.4)), &[one], &rows(arm).map(|row| [row]));
    let turned = rows(arm).map(|row| row.map(|x| -x));
    let pairs = [0, 1, 2].map(|i| [rows(arm)[i], turned[i]]);
    builder.block(Law::Contact(law(0.4)), &[two, one], &pairs);
    builder.build().expect("a problem")
}

fn coulomb(mu: f64) -> Friction {
    Friction::Coulomb { mu }
}
