//! The solves of Soft Step: friction inactive, then relaxed, with another softness, and
//! nothing packed anew.

use delassus_core::{Activity, Changes, ImpulseSolver, Problem, SolverUpdate, Start};
use delassus_solver_wide::VectorLevel;
use delassus_solver_wide::wide_pgs::Layout;

use crate::support::{continue_sweeps, largest_difference, run};
use crate::sweeps::{bits, coloured, problems, wide};

/// The biased problem: friction is inactive, normals are soft and push.
fn biased(problem: &Problem) -> Problem {
    let mut biased = problem.clone();
    let mut bias = problem.bias().to_vec();
    let mut compliance = problem.compliance().to_vec();
    for block in problem.blocks() {
        let normals = block.first_row..block.first_row + block.law.normals(block.dim);
        for row in normals {
            bias[row] -= 0.01 + 0.001 * (row % 5) as f64;
            compliance[row] += 0.03 * (row % 3) as f64;
        }
    }
    biased.set_bias(&bias).expect("finite");
    biased.set_compliance(&compliance).expect("positive");
    biased.set_all_activity(Activity::NormalsOnly);
    biased
}

/// Everything but the free velocities.
const NUMBERS: Changes = Changes {
    bias: true,
    compliance: true,
    free_velocity: false,
    activity: true,
};

/// Three sweeps, two substeps of one biased and one relaxed sweep; the impulses after each sweep.
fn substeps(solver: &mut dyn ImpulseSolver, problem: &Problem) -> Vec<Vec<f64>> {
    let biased = biased(problem);
    let mut all = vec![run(solver, problem, Start::Cold, 3)];
    for _ in 0..2 {
        solver
            .update(&biased, SolverUpdate::Numbers(Changes::ALL))
            .expect("prepared");
        all.push(continue_sweeps(solver, &biased, 1));
        solver
            .update(problem, SolverUpdate::Numbers(NUMBERS))
            .expect("prepared");
        all.push(continue_sweeps(solver, problem, 1));
    }
    all
}

#[test]
fn held_friction_keeps_its_impulses() {
    for (name, problem) in problems() {
        let mut solver = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
        let all = substeps(&mut solver, &problem);
        for (before, after) in [(0, 1), (2, 3)] {
            let mut moved = 0;
            for block in problem.blocks() {
                let rows = block.rows();
                let normals = rows.start + block.law.normals(block.dim);
                let friction = normals..rows.end;
                let [old, new] = [before, after].map(|at| bits(&all[at][friction.clone()]));
                assert_eq!(old, new, "{name}");
                let normals = rows.start..normals;
                let [old, new] = [before, after].map(|at| bits(&all[at][normals.clone()]));
                moved += usize::from(old != new);
            }
            assert!(moved > 0, "{name}: the normals are solved");
        }
    }
}

#[test]
fn substeps_are_the_same_at_every_width_and_number_of_threads() {
    for (name, problem) in problems() {
        let mut scalar = wide(Layout::Recompute, VectorLevel::Scalar, 1, 64);
        let expected = substeps(&mut scalar, &problem);
        for threads in [1, 3] {
            for level in VectorLevel::available() {
                let mut solver = wide(Layout::Recompute, level, threads, 64);
                let found = substeps(&mut solver, &problem);
                for (expected, found) in expected.iter().zip(&found) {
                    assert_eq!(bits(expected), bits(found), "{name}, {level:?}, {threads}");
                }
            }
        }
    }
}

#[test]
fn substeps_are_those_of_the_coloured_solver() {
    for (name, problem) in problems() {
        // other orders within a block, or sweeps that rounding sends apart
        if name.starts_with("everything") || name.starts_with("joint") {
            continue;
        }
        let mut solver = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
        let found = substeps(&mut solver, &problem);
        let expected = substeps(&mut coloured(64), &problem);
        for (sweep, (expected, found)) in expected.iter().zip(&found).enumerate() {
            let size = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let miss = largest_difference(expected, found);
            assert!(miss <= 5e-5 * size, "{name}, {sweep}: {miss:e} of {size}");
        }
    }
}

#[test]
fn a_held_problem_is_packed_as_it_is_refreshed() {
    for (name, problem) in problems() {
        let biased = biased(&problem);
        let mut solver = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
        let start = run(&mut solver, &problem, Start::Cold, 3);
        solver
            .update(&biased, SolverUpdate::Numbers(Changes::ALL))
            .expect("prepared");
        let found = continue_sweeps(&mut solver, &biased, 2);
        let mut fresh = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
        let expected = run(&mut fresh, &biased, Start::Warm(&start), 2);
        assert_eq!(bits(&expected), bits(&found), "{name}");
    }
}
