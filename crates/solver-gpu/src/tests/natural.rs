//! The natural residual that the device writes down, against f64 on the device's own iterate
//! (K.31).

use crate::prepared::DeviceParameters;
use delassus_core::{ChangedNumbers, ImpulseSolver, Problem, Solver, SolverUpdate};
use delassus_solver_jacobi::kernels::residual;
use delassus_solver_jacobi::pack::{Iterate, Pack};

use super::common::{everything, grid, prepared, problem, scenes, settings, stars};
use crate::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use crate::testing::device_or_skip;
use crate::variant::Variant;

fn with_residuals(parameters: GpuJacobiParameters) -> GpuJacobiParameters {
    GpuJacobiParameters {
        residuals: true,
        ..parameters
    }
}

fn naturals(solver: &GpuJacobi) -> Vec<f64> {
    let history = solver
        .prepared()
        .expect("prepared")
        .read_history()
        .expect("a history");
    let natural = |entry: &crate::HistoryEntry| entry.natural.expect("asked for");
    history.iter().map(natural).collect()
}

fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |largest, x| largest.max(x.abs()))
}

/// The residual of what the solver holds, in f64, and what f32 may be off.
fn exact(solver: &mut GpuJacobi, problem: &Problem) -> (f64, f64) {
    let pack =
        Pack::<f64>::new(problem, solver.prepared().expect("prepared").rule()).expect("bodies");
    let bodies = problem.bodies().expect("bodies");
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("impulses");
    let mut velocities = vec![0.0; 6 * bodies.len()];
    let read = solver.read_velocities(problem, &mut velocities);
    read.expect("velocities");
    let mut state = Iterate::new(&pack);
    state.load(&pack, &impulses);
    let (quads, _) = velocities.as_chunks::<3>();
    for (to, [x, y, z]) in state.settled.iter_mut().zip(quads) {
        *to = [*x, *y, *z, 0.0];
    }
    let residual = residual::run(&pack, &state, &mut Vec::new());
    let mut steps = vec![0.0; problem.rows()];
    pack.read_steps(&mut steps);
    // λ/s of a row and the products of J v round in their last places; a projection doubles that at
    // most, and a step is a rounded number
    let pushes = impulses.iter().zip(&steps);
    let pushes = largest(pushes.filter(|(_, s)| **s > 0.0).map(|(x, s)| x / s));
    let entries = largest(bodies.jacobian.iter().flatten().copied());
    let products = 12.0 * entries * largest(velocities.iter().copied());
    let scale = pushes + products + largest(problem.bias().iter().copied());
    (residual, 4.0 * f64::from(f32::EPSILON) * scale)
}

#[test]
fn the_device_writes_down_the_natural_residual() {
    if device_or_skip("the_device_writes_down_the_natural_residual").is_none() {
        return;
    }
    let mut scenes = scenes();
    scenes.push(("grid".into(), grid()));
    scenes.push(("stars".into(), stars(&[100, 20])));
    for (name, problem) in scenes {
        for parameters in settings() {
            let mut solver = prepared(with_residuals(parameters), &problem);
            for sweeps in [1, 2, 18] {
                solver.iterate(&problem, sweeps).expect("iterations");
                let (expected, error) = exact(&mut solver, &problem);
                let natural = naturals(&solver);
                let found = natural.last().copied().expect("iterations");
                assert!(
                    (found - expected).abs() <= error,
                    "{name}: {found} for {expected}, {error:e}"
                );
                // a bound that says something
                assert!(error < 0.02 * natural[0], "{name}: {error:e}");
            }
        }
    }
}

#[test]
fn residuals_have_the_same_bits_in_every_run_and_change_none() {
    if device_or_skip("residuals_have_the_same_bits").is_none() {
        return;
    }
    let problem = problem(&everything(4));
    for parameters in settings() {
        let run = |residuals, workgroup, submission| {
            let parameters = GpuJacobiParameters {
                residuals,
                variant: Variant::Dispatches,
                device: DeviceParameters {
                    workgroup,
                    submission,
                    ..parameters.device.clone()
                },
                ..parameters.clone()
            };
            let mut solver = prepared(parameters, &problem);
            solver.iterate(&problem, 7).expect("iterations");
            solver.iterate(&problem, 14).expect("iterations");
            let bits = super::common::bits(&mut solver, &problem);
            let history = solver
                .prepared()
                .expect("prepared")
                .read_history()
                .expect("a history");
            let natural: Vec<_> = history
                .iter()
                .map(|e| e.natural.map(f64::to_bits))
                .collect();
            (
                bits,
                natural,
                solver.facts().traffic.expect("prepared").total(),
            )
        };
        let expected = run(true, 64, 256);
        for (workgroup, submission) in [(64, 256), (32, 3), (128, 1), (256, 256)] {
            assert_eq!(run(true, workgroup, submission), expected);
        }
        let without = run(false, 64, 256);
        assert_eq!(without.0, expected.0);
        assert_eq!(without.1, [None; 21]);
        assert!(without.2 < expected.2);
    }
}

/// A maximum keeps what was there: a refresh must forget it. A long solve outgrows the first
/// buffer.
#[test]
fn residuals_start_anew_and_outgrow_their_buffer() {
    if device_or_skip("residuals_start_anew").is_none() {
        return;
    }
    let problem = grid();
    let parameters = with_residuals(GpuJacobiParameters::default());
    let mut solver = prepared(parameters.clone(), &problem);
    solver.iterate(&problem, 1030).expect("iterations");
    let long = naturals(&solver);
    assert_eq!(long.len(), 1030);
    assert!(long[1029] < 0.1 * long[0], "{} {}", long[0], long[1029]);
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("impulses");
    solver
        .update(&problem, SolverUpdate::Numbers(ChangedNumbers::ALL))
        .expect("a refresh");
    assert_eq!(naturals(&solver), Vec::<f64>::new());
    solver.iterate(&problem, 5).expect("iterations");
    let mut fresh = prepared(parameters, &problem);
    let start = delassus_core::Start::Warm(&impulses);
    fresh.prepare(&problem, start).expect("a warm start");
    fresh.iterate(&problem, 5).expect("iterations");
    assert_eq!(naturals(&solver), naturals(&fresh));
}

#[test]
fn one_workgroup_keeps_no_residuals() {
    let parameters = GpuJacobiParameters {
        residuals: true,
        variant: Variant::Resident,
        ..GpuJacobiParameters::default()
    };
    let error = GpuJacobi::new(parameters.clone()).expect_err("refused");
    assert_eq!(error.parameter, "residuals");
    assert!(crate::GpuBatch::new(parameters).is_err());
    if device_or_skip("one_workgroup_keeps_no_residuals").is_none() {
        return;
    }
    let solver = prepared(with_residuals(GpuJacobiParameters::default()), &grid());
    assert!(!solver.prepared().expect("prepared").is_resident());
}
