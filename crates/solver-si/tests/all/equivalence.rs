//! The same answer by different ways: chunks, forms, orders, refreshes, inactive rows; and
//! refusals.

use delassus_core::{
    Activity, Changes, Friction, ImpulseSolver, Law, MassProperties, Problem, ProblemBuilder,
    SolveError, Solver, SolverUpdate, Start, Unsupported,
};
use delassus_problems::generators::{OperatorForm, Planted};
use delassus_problems::{Generator, to_matrix};
use delassus_solver_si::block_gs::BlockGsParameters;
use delassus_solver_si::psor::PsorParameters;
use delassus_solver_si::{BlockGs, Order, Pgs, Psor};
use nalgebra::Vector3;

use crate::laws::one_block;
use crate::support::{
    ORDERS, all, block_gs, continue_sweeps, convergent, largest_difference, pgs, psor, refreshed,
    residual, run, velocity,
};

/// Every law once or more, redundant blocks, a soft and a rigid part.
fn mixed(form: OperatorForm, compliance: f64) -> Problem {
    let planted = Planted {
        bodies: 8,
        equality: 2,
        gears: 1,
        bounds: 3,
        frictionless: 1,
        fixed_box: 1,
        pyramid: 1,
        disc: 1,
        coulomb: 2,
        convex_cone: 1,
        patch: 1,
        redundant: 1,
        compliance,
        friction: 0.4,
        form,
        ..Planted::default()
    };
    planted.generate().expect("valid parameters").problem
}

/// Largest impulse, to scale differences.
fn size(impulses: &[f64]) -> f64 {
    impulses.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

#[test]
fn iterating_in_chunks_changes_no_bit() {
    for form in [OperatorForm::Bodies, OperatorForm::Matrix] {
        let problem = mixed(form, 0.0);
        for order in ORDERS {
            for (mut whole, mut parts) in all(order).into_iter().zip(all(order)) {
                let at_once = run(whole.as_mut(), &problem, Start::Cold, 11);
                run(parts.as_mut(), &problem, Start::Cold, 4);
                continue_sweeps(parts.as_mut(), &problem, 0);
                continue_sweeps(parts.as_mut(), &problem, 1);
                let in_parts = continue_sweeps(parts.as_mut(), &problem, 6);
                let bits = |x: &[f64]| x.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                let id = whole.descriptor().id;
                assert_eq!(bits(&at_once), bits(&in_parts), "{id} {order:?}");
                // and a second solve with the same solver repeats the first
                let again = run(whole.as_mut(), &problem, Start::Cold, 11);
                assert_eq!(bits(&at_once), bits(&again), "{id} {order:?}");
            }
        }
    }
}

#[test]
fn bodies_and_their_matrix_give_the_same_iterates() {
    let problem = mixed(OperatorForm::Bodies, 0.02);
    let matrix = to_matrix(&problem).expect("finite");
    for order in ORDERS {
        for (mut one, mut other) in all(order).into_iter().zip(all(order)) {
            let a = run(one.as_mut(), &problem, Start::Cold, 8);
            let b = run(other.as_mut(), &matrix, Start::Cold, 8);
            // rounding of different sums, amplified by eight sweeps at most by the condition of the
            // local problems
            let difference = largest_difference(&a, &b) / size(&a);
            let id = one.descriptor().id;
            assert!(difference < 1e-11, "{id} {order:?}: {difference:e}");
        }
    }
}

#[test]
fn kept_velocities_are_those_of_the_impulses() {
    let problem = mixed(OperatorForm::Bodies, 0.0);
    let mut kept = vec![0.0; 6 * problem.bodies().expect("bodies").len()];
    let mut computed = kept.clone();
    for order in ORDERS {
        for mut solver in all(order) {
            let impulses = run(solver.as_mut(), &problem, Start::Cold, 50);
            solver.read_velocities(&problem, &mut kept).expect("bodies");
            problem
                .body_velocities(&impulses, &mut computed)
                .expect("bodies");
            // fifty sweeps of rounding
            let drift = largest_difference(&kept, &computed) / size(&computed);
            assert!(
                drift < 1e-13,
                "{} {order:?}: {drift:e}",
                solver.descriptor().id
            );
        }
    }
    let matrix = to_matrix(&problem).expect("finite");
    let mut solver = pgs(Order::Natural);
    run(&mut solver, &matrix, Start::Cold, 1);
    assert_eq!(
        solver.read_velocities(&matrix, &mut kept),
        Err(SolveError::NoBodies)
    );
}

#[test]
fn every_order_reaches_the_same_velocities() {
    // convex laws and compliance: one solution; a mild step for the simultaneous order, which needs
    // it
    let planted = Planted {
        bodies: 6,
        coulomb: 0,
        equality: 1,
        bounds: 3,
        frictionless: 3,
        convex_cone: 3,
        compliance: 0.5,
        ..Planted::default()
    };
    let problem = planted.generate().expect("valid parameters").problem;
    let expected = velocity(
        &problem,
        &run(&mut pgs(Order::Natural), &problem, Start::Cold, 20_000),
    );
    for order in ORDERS {
        let omega = if order == Order::Simultaneous {
            0.3
        } else {
            1.0
        };
        for solver in [
            &mut psor(omega, order) as &mut dyn ImpulseSolver,
            &mut block_gs(omega, order),
        ] {
            let w = velocity(&problem, &run(solver, &problem, Start::Cold, 20_000));
            let difference = largest_difference(&w, &expected);
            assert!(difference < 1e-12, "{order:?}: {difference:e}");
        }
    }
}

#[test]
fn relaxation_by_one_is_pgs() {
    for form in [OperatorForm::Bodies, OperatorForm::Matrix] {
        let problem = mixed(form, 0.0);
        let plain = run(&mut pgs(Order::Random), &problem, Start::Cold, 9);
        let relaxed = run(&mut psor(1.0, Order::Random), &problem, Start::Cold, 9);
        assert_eq!(plain, relaxed);
    }
}

#[test]
fn refresh_is_prepare_with_the_impulses_at_hand() {
    for form in [OperatorForm::Bodies, OperatorForm::Matrix] {
        let before = mixed(form, 0.02);
        let mut after = before.clone();
        let rows = before.rows();
        after.set_bias(&vec![0.3; rows]).expect("finite");
        after.set_compliance(&vec![0.07; rows]).expect("positive");
        let length = before.bodies().map_or(rows, |b| 6 * b.len());
        let velocity: Vec<f64> = (0..length).map(|i| 0.1 * (i % 7) as f64 - 0.2).collect();
        after.set_free_velocity(&velocity).expect("finite");
        for order in [Order::Natural, Order::Reversed, Order::Simultaneous] {
            for (mut kept, mut fresh) in all(order).into_iter().zip(all(order)) {
                let start = run(kept.as_mut(), &before, Start::Cold, 5);
                let a = refreshed(kept.as_mut(), &after, 3);
                let b = run(fresh.as_mut(), &after, Start::Warm(&start), 3);
                assert_eq!(a, b, "{} {order:?}", kept.descriptor().id);
            }
        }
    }
}

#[test]
fn held_rows_keep_their_impulses_and_act_on_the_others() {
    for form in [OperatorForm::Bodies, OperatorForm::Matrix] {
        let mut problem = mixed(form, 0.1);
        let activity: Vec<Activity> = (0..problem.blocks().len())
            .map(|i| match i % 4 {
                0 => Activity::Hold,
                1 => Activity::NormalsOnly,
                _ => Activity::Solve,
            })
            .collect();
        problem.set_activity(&activity).expect("one per block");
        let start: Vec<f64> = (0..problem.rows()).map(|i| 0.05 * (i % 5) as f64).collect();
        for mut solver in convergent(Order::Natural) {
            let found = run(solver.as_mut(), &problem, Start::Warm(&start), 5000);
            let mut free = 0;
            for (index, block) in problem.blocks().iter().enumerate() {
                let active = problem.active_dim(index);
                let held = block.first_row + active..block.first_row + block.dim;
                assert_eq!(found[held.clone()], start[held]);
                free += active;
            }
            // the residual judges the rows that are solved for; converged linearly to rounding
            let left = residual(&problem, &found);
            assert!(left < 1e-12, "{}: {left:e}", solver.descriptor().id);
            let progress = solver.iterate(&problem, 3).expect("prepared");
            assert_eq!(
                (progress.sweeps, progress.row_updates),
                (3, 3 * free as u64)
            );
        }
    }
}

#[test]
fn a_moving_immovable_body_pushes_through_its_velocity() {
    // a belt below a block: the packed rows leave the belt out, its velocity must stay in J v
    let mut builder = ProblemBuilder::new();
    let belt = builder.body(MassProperties::immovable(), [0.7, 0.2, 0.0, 0.0, 0.0, 0.1]);
    let mass = MassProperties::aligned(1.5, Vector3::new(0.2, 0.3, 0.25));
    let block = builder.body(mass, [0.0, -1.0, 0.1, 0.0, 0.0, 0.0]);
    let rows = [
        [
            [0.0, -1.0, 0.0, 0.0, 0.0, -0.3],
            [0.0, 1.0, 0.0, 0.0, 0.0, 0.3],
        ],
        [
            [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.5],
        ],
        [
            [0.0, 0.0, -1.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, -0.5, -0.3, 0.0],
        ],
    ];
    builder.block(
        Law::Contact(Friction::Coulomb { mu: 0.4 }),
        &[belt, block],
        &rows,
    );
    let problem = builder.build().expect("a valid problem");
    for mut solver in convergent(Order::Natural) {
        let found = run(solver.as_mut(), &problem, Start::Cold, 2000);
        assert!(found[0] > 0.0);
        assert!(residual(&problem, &found) < 1e-14);
    }
}

#[test]
fn wrong_calls_are_errors() {
    let problem = one_block(Law::UNILATERAL, &[1.0], &[-1.0]);
    let other = one_block(Law::Equality, &[1.0, 0.0, 0.0, 1.0], &[0.0, 0.0]);
    for mut solver in all(Order::Natural) {
        assert_eq!(solver.iterate(&problem, 1), Err(SolveError::NotPrepared));
        let refresh = solver.update(&problem, SolverUpdate::Numbers(Changes::ALL));
        assert_eq!(refresh, Err(SolveError::NotPrepared));
        assert_eq!(
            solver.read_impulses(&mut [0.0]),
            Err(SolveError::NotPrepared)
        );
        let short = solver.prepare(&problem, Start::Warm(&[]));
        assert!(matches!(short, Err(SolveError::Length { .. })));
        let nan = solver.prepare(&problem, Start::Warm(&[f64::NAN]));
        assert_eq!(nan, Err(SolveError::WarmStart { row: 0 }));
        solver.prepare(&problem, Start::Cold).expect("supported");
        assert!(matches!(
            solver.iterate(&other, 1),
            Err(SolveError::Length { .. })
        ));
        assert!(matches!(
            solver.read_impulses(&mut []),
            Err(SolveError::Length { .. })
        ));
    }
}

#[test]
fn a_diagonal_that_is_not_positive_is_refused() {
    let problem = one_block(Law::Equality, &[1.0, 0.0, 0.0, -1.0], &[0.0, 1.0]);
    for mut solver in all(Order::Natural) {
        let refused = solver.prepare(&problem, Start::Cold);
        assert!(matches!(
            refused,
            Err(SolveError::Unsupported(Unsupported::Diagonal {
                row: 1,
                ..
            }))
        ));
    }
}

#[test]
fn a_diverging_iterate_ends_as_an_error() {
    // indefinite: Gauss–Seidel grows by nine per sweep and overflows after 324 of them
    let law = Law::Bounds {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
    };
    let problem = one_block(law, &[1.0, 3.0, 3.0, 1.0], &[1.0, 0.0]);
    for mut solver in all(Order::Natural) {
        solver
            .prepare(&problem, Start::Cold)
            .expect("positive diagonal");
        let end = solver.iterate(&problem, 3000);
        assert!(matches!(end, Err(SolveError::NonFinite { .. })), "{end:?}");
        let read = solver.read_impulses(&mut [0.0; 2]);
        assert!(matches!(read, Err(SolveError::NonFinite { .. })));
    }
}

#[test]
fn parameters_are_checked() {
    for omega in [0.0, 2.0, -1.0, f64::NAN, f64::INFINITY] {
        let psor = Psor::new(PsorParameters {
            omega,
            ..PsorParameters::default()
        });
        assert_eq!(psor.expect_err("out of range").parameter, "omega");
        let block = BlockGs::new(BlockGsParameters {
            omega,
            ..BlockGsParameters::default()
        });
        assert_eq!(block.expect_err("out of range").parameter, "omega");
    }
    assert!(Pgs::new(Default::default()).is_ok());
}
