//! What the solver trait provides, and the velocity in a workspace.

use delassus_core::{
    ChangedNumbers, ImpulseSolver, Law, MassProperties, Problem, ProblemBuilder, Progress,
    SolveError, SolverDescriptor, SolverUpdate, Start,
};
use nalgebra::Vector3;

/// Two unit masses on one line, tied to each other and to the ground, moving apart.
fn problem() -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(1.0, Vector3::repeat(1.0));
    let a = builder.body(mass, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let b = builder.body(mass, [3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let (minus, plus) = (
        [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    );
    builder.block(Law::Equality, &[a], &[[plus]]);
    builder.block(Law::Equality, &[a, b], &[[minus, plus]]);
    builder.compliance(&[0.5]);
    builder.build().expect("a valid problem")
}

/// Adds one to every impulse in a sweep; counts how often it was prepared.
#[derive(Default)]
struct Counter {
    impulses: Vec<f64>,
    prepared: usize,
}

impl ImpulseSolver for Counter {
    fn descriptor(&self) -> &SolverDescriptor {
        &SolverDescriptor::BASE
    }
    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.impulses.resize(problem.rows(), 0.0);
        self.prepared += 1;
        start.write(&mut self.impulses)
    }
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.impulses
            .iter_mut()
            .for_each(|x| *x += f64::from(sweeps));
        Ok(Progress::of_sweeps(sweeps, problem.rows()))
    }
    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        if self.impulses.is_empty() {
            return Err(SolveError::NotPrepared);
        }
        out.copy_from_slice(&self.impulses);
        Ok(())
    }
}

#[test]
fn the_provided_update_prepares_again() {
    let (problem, mut solver) = (problem(), Counter::default());
    let refused = solver.update(&problem, SolverUpdate::Numbers(ChangedNumbers::ALL));
    assert_eq!(refused, Err(SolveError::NotPrepared));
    solver
        .prepare(&problem, Start::Warm(&[1.0, 2.0]))
        .expect("prepared");
    let progress = solver.iterate(&problem, 3).expect("iterated");
    assert_eq!((progress.sweeps, progress.row_updates), (3, 6));
    assert!(!progress.finished);
    solver
        .update(&problem, SolverUpdate::Numbers(ChangedNumbers::ALL))
        .expect("refreshed");
    let mut impulses = [0.0; 2];
    solver.read_impulses(&mut impulses).expect("read");
    assert_eq!((impulses, solver.prepared), ([4.0, 5.0], 2));
    let replace = SolverUpdate::Impulses(&[7.0, -1.0]);
    solver.update(&problem, replace).expect("replaced");
    solver.read_impulses(&mut impulses).expect("read");
    assert_eq!((impulses, solver.prepared), ([7.0, -1.0], 3));
}

#[test]
fn the_velocity_in_a_workspace_is_the_velocity() {
    let problem = problem();
    let impulses = [0.25, -1.5];
    let (mut allocating, mut reusing) = ([0.0; 2], [9.0; 2]);
    problem.shifted_velocity(&impulses, &mut allocating);
    let mut momentum = vec![4.0; 3];
    for _ in 0..2 {
        problem
            .shifted_velocity_in(&mut momentum, &impulses, &mut reusing)
            .expect("the lengths fit");
        assert_eq!(reusing, allocating);
    }
    // by hand: J v_f = (1, 2), A = [[1, −1], [−1, 2]], R = diag(0, ½)
    assert_eq!(allocating, [0.25 + 1.5 + 1.0, -0.25 - 3.0 - 0.75 + 2.0]);
    let unprepared = problem.shifted_velocity_in(&mut momentum, &[], &mut reusing);
    assert_eq!(unprepared, Err(SolveError::NotPrepared));
    let long = problem.shifted_velocity_in(&mut momentum, &[0.0; 3], &mut reusing);
    assert!(matches!(
        long,
        Err(SolveError::Length {
            what: "impulses",
            ..
        })
    ));
    let short = problem.shifted_velocity_in(&mut momentum, &impulses, &mut [0.0]);
    assert!(matches!(
        short,
        Err(SolveError::Length {
            what: "velocities",
            ..
        })
    ));
}
