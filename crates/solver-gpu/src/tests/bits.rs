//! Claim 1: one adapter, the same bits over repeats, workgroup sizes and submissions.

use crate::prepared::DeviceParameters;
use delassus_core::{Changes, ImpulseSolver, Operator, Problem, SolverUpdate};

use super::common::{bits, everything, grid, prepared, problem, settings};
use crate::gpu_jacobi::GpuJacobiParameters;
use crate::testing::device_or_skip;
use crate::tiles::ManifoldLayout;

const SWEEPS: u32 = 37;

#[test]
fn repeats_workgroups_and_submissions_change_no_bit() {
    if device_or_skip("repeats_workgroups_and_submissions").is_none() {
        return;
    }
    for problem in [grid(), problem(&everything(3))] {
        for parameters in settings() {
            let run = |parameters: GpuJacobiParameters| {
                let mut solver = prepared(parameters, &problem);
                solver.iterate(&problem, SWEEPS).expect("iterations");
                bits(&mut solver, &problem)
            };
            let expected = run(parameters.clone());
            assert_eq!(expected.2.len(), 3 * SWEEPS as usize);
            assert_eq!(run(parameters.clone()), expected, "repeat");
            for workgroup in [32, 128, 256] {
                let parameters = GpuJacobiParameters {
                    device: DeviceParameters {
                        workgroup,
                        ..parameters.device.clone()
                    },
                    ..parameters.clone()
                };
                assert_eq!(run(parameters), expected, "workgroup {workgroup}");
            }
            for submission in [1, 7] {
                let parameters = GpuJacobiParameters {
                    device: DeviceParameters {
                        submission,
                        ..parameters.device.clone()
                    },
                    ..parameters.clone()
                };
                assert_eq!(run(parameters), expected, "submission {submission}");
            }
        }
    }
}

#[test]
fn a_solve_in_pieces_is_the_solve_in_one() {
    if device_or_skip("a_solve_in_pieces").is_none() {
        return;
    }
    let problem = grid();
    for parameters in settings() {
        let mut whole = prepared(parameters.clone(), &problem);
        whole.iterate(&problem, 20).expect("iterations");
        let mut pieces = prepared(parameters, &problem);
        for part in [1, 0, 6, 13] {
            pieces.iterate(&problem, part).expect("iterations");
        }
        assert_eq!(bits(&mut whole, &problem), bits(&mut pieces, &problem));
    }
}

#[test]
fn the_history_outgrows_its_first_buffer() {
    if device_or_skip("the_history_outgrows").is_none() {
        return;
    }
    let problem = problem(&everything(3));
    let parameters = GpuJacobiParameters::default();
    let mut whole = prepared(parameters.clone(), &problem);
    whole.iterate(&problem, 1500).expect("iterations");
    let mut pieces = prepared(parameters, &problem);
    pieces.iterate(&problem, 1000).expect("iterations");
    pieces.iterate(&problem, 500).expect("iterations");
    assert_eq!(
        whole
            .prepared()
            .expect("prepared")
            .read_history()
            .expect("a history")
            .len(),
        1500
    );
    assert_eq!(bits(&mut whole, &problem), bits(&mut pieces, &problem));
}

#[test]
fn a_refresh_is_a_warm_start() {
    if device_or_skip("a_refresh_is_a_warm_start").is_none() {
        return;
    }
    let mut problem = problem(&everything(5));
    for parameters in settings() {
        for sweeps in [10, 11] {
            let mut solver = prepared(parameters.clone(), &problem);
            solver.iterate(&problem, sweeps).expect("iterations");
            let mut impulses = vec![0.0; problem.rows()];
            solver.read_impulses(&mut impulses).expect("impulses");
            let bias: Vec<f64> = problem.bias().iter().map(|b| b + 0.01).collect();
            problem.set_bias(&bias).expect("finite");
            solver
                .update(&problem, SolverUpdate::Numbers(Changes::ALL))
                .expect("a refresh");
            let mut fresh = prepared(parameters.clone(), &problem);
            let start = delassus_core::Start::Warm(&impulses);
            fresh.prepare(&problem, start).expect("a warm start");
            assert_eq!(bits(&mut solver, &problem), bits(&mut fresh, &problem));
            solver.iterate(&problem, 5).expect("iterations");
            fresh.iterate(&problem, 5).expect("iterations");
            assert_eq!(bits(&mut solver, &problem), bits(&mut fresh, &problem));
        }
    }
}

#[test]
fn layouts_of_manifolds_change_no_bit() {
    if device_or_skip("layouts_of_manifolds_change_no_bit").is_none() {
        return;
    }
    // manifolds of one to four points, with extras, beside row blocks; a tile that is not full
    // and bodies that move along two axes only, whose masses are not packed
    let mut parts = grid().into_parts();
    if let Operator::Bodies(bodies) = &mut parts.operator {
        for mass in bodies.mass.iter_mut().skip(1).step_by(3) {
            mass.inverse_mass.y *= 0.5;
        }
    }
    let slow = Problem::new(parts).expect("valid");
    for problem in [
        grid(),
        slow,
        problem(&everything(3)),
        problem(&everything(11)),
    ] {
        for parameters in settings() {
            let run = |layout: ManifoldLayout| {
                let parameters = GpuJacobiParameters {
                    layout,
                    ..parameters.clone()
                };
                let mut solver = prepared(parameters, &problem);
                solver.iterate(&problem, SWEEPS).expect("iterations");
                let mut found = vec![bits(&mut solver, &problem)];
                // new numbers in the buffers that are there
                let (mut rows, mut changed) = (problem.bias().to_vec(), problem.clone());
                for (row, bias) in rows.iter_mut().enumerate() {
                    *bias += 1e-3 * (row % 7) as f64;
                }
                changed.set_bias(&rows).expect("finite");
                let update = SolverUpdate::Numbers(Changes::ALL);
                solver.update(&changed, update).expect("taken");
                solver.iterate(&changed, 5).expect("iterations");
                found.push(bits(&mut solver, &changed));
                found
            };
            assert_eq!(run(ManifoldLayout::Tiles), run(ManifoldLayout::Manifolds));
        }
    }
}
