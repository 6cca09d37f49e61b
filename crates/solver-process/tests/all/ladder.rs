//! Limits that rise, starts, chunks: how often `iterate` is called does not matter.

use delassus_core::parameter::Value;
use delassus_core::{ImpulseSolver, MassProperties, Problem, ProblemBuilder, SolverUpdate, Start};
use nalgebra::Vector3;

use super::{built, coulomb, problem};

/// The impulses after these calls of `iterate`, and the iterations of all of them.
fn after(solver: &mut dyn ImpulseSolver, problem: &Problem, calls: &[u32]) -> (Vec<u64>, u32) {
    let mut sweeps = 0;
    for call in calls {
        sweeps += solver.iterate(problem, *call).unwrap().sweeps;
    }
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).unwrap();
    (impulses.iter().map(|x| x.to_bits()).collect(), sweeps)
}

#[test]
fn a_ladder_passes_through_the_iterates_of_one_solve() {
    let problem = problem(coulomb);
    for mode in ["", "chunks"] {
        let mut solver = built(mode, &[("tolerance", Value::from(0.0))]);
        assert_eq!(solver.descriptor().restarts, mode.is_empty());
        let start = vec![0.3, 0.01, -0.02, 0.5, 0.0, 0.1];
        for start in [Start::Cold, Start::Warm(&start)] {
            solver.prepare(&problem, start).unwrap();
            let pieces = after(solver.as_mut(), &problem, &[1, 2, 4]);
            solver.prepare(&problem, start).unwrap();
            let whole = after(solver.as_mut(), &problem, &[7]);
            assert_eq!(pieces, whole, "{mode:?}");
            assert_eq!(pieces.1, 7);
        }
    }
}

#[test]
fn a_solve_that_ends_by_itself_ends_again_at_the_same_bits() {
    let problem = problem(coulomb);
    let mut solver = built("", &[("tolerance", Value::from(1e-9))]);
    solver.prepare(&problem, Start::Cold).unwrap();
    let (bits, sweeps) = after(solver.as_mut(), &problem, &[3, 1000]);
    assert!(sweeps > 3 && sweeps < 1000, "{sweeps}");
    let more = solver.iterate(&problem, 5).unwrap();
    assert!(more.finished && more.sweeps == 0);
    solver.prepare(&problem, Start::Cold).unwrap();
    assert_eq!(after(solver.as_mut(), &problem, &[sweeps]), (bits, sweeps));
    let peer = solver.facts().peer.unwrap();
    assert_eq!(peer.answer.unwrap().iterations, u64::from(sweeps));
    assert!(peer.restarts);
}

#[test]
fn another_start_and_other_numbers_are_sent() {
    let mut problem = problem(coulomb);
    let mut solver = built("", &[("tolerance", Value::from(1e-14))]);
    solver.prepare(&problem, Start::Cold).unwrap();
    let (solution, _) = after(solver.as_mut(), &problem, &[100_000]);
    let near: Vec<f64> = solution.iter().map(|bits| f64::from_bits(*bits)).collect();
    let update = SolverUpdate::Impulses(&near);
    solver.update(&problem, update).unwrap();
    let (_, sweeps) = after(solver.as_mut(), &problem, &[100]);
    assert!(sweeps <= 2, "{sweeps} sweeps from the solution");
    problem.set_bias(&[0.5; 6]).unwrap();
    solver.prepare(&problem, Start::Cold).unwrap();
    let (other, _) = after(solver.as_mut(), &problem, &[100_000]);
    assert_ne!(other, solution);
}

#[test]
fn parameters_reach_the_peer_and_wrong_ones_are_refused() {
    let problem = problem(coulomb);
    let bits = |omega: f64| {
        let mut solver = built("", &[("omega", Value::from(omega))]);
        solver.prepare(&problem, Start::Cold).unwrap();
        after(solver.as_mut(), &problem, &[1]).0
    };
    assert_ne!(bits(0.5), bits(1.0));
    assert_eq!(bits(1.0), bits(1.0));
}

#[test]
fn a_problem_without_rows_is_solved_without_its_peer() {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::repeat(0.5));
    builder.body(mass, [0.0, -1.5, 0.25, 0.0, 0.0, 0.75]);
    let free = builder.build().unwrap();
    for mode in ["", "chunks"] {
        let mut solver = built(mode, &[]);
        solver.prepare(&free, Start::Cold).unwrap();
        let progress = solver.iterate(&free, 5).unwrap();
        assert!(progress.finished && progress.sweeps == 0, "{mode:?}");
        solver.read_impulses(&mut []).unwrap();
        let mut velocities = [0.0; 6];
        solver.read_velocities(&free, &mut velocities).unwrap();
        assert_eq!(velocities, [0.0, -1.5, 0.25, 0.0, 0.0, 0.75]);
        // the peer was not asked, so it has claimed nothing
        assert!(solver.facts().peer.unwrap().answer.is_none());
        // and it goes on with a problem that has rows
        let problem = problem(coulomb);
        solver.prepare(&problem, Start::Cold).unwrap();
        assert!(after(solver.as_mut(), &problem, &[3]).1 > 0);
    }
}
