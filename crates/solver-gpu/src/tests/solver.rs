//! The solver's own promises: refusals, non-finite iterates, history, time.

use crate::prepared::DeviceParameters;
use delassus_core::{
    DeviceError, ImpulseSolver, Parameters, SolveError, Solver, Start, Unsupported,
};
use delassus_problems::generators::{BoxProblem, ContactLaw, Stack};
use delassus_solver_jacobi::parameters::{JacobiParameters, StepParameters};
use delassus_solver_jacobi::{Acceleration, JacobiF32};

use super::common::{divergent, grid, prepared, problem, settings, stack};
use crate::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use crate::testing::device_or_skip;
use crate::variant::Variant;

#[test]
fn without_its_adapter_the_solver_says_so() {
    let problem = stack(2, ContactLaw::Disc);
    let parameters = GpuJacobiParameters {
        device: DeviceParameters {
            adapter: "no adapter is called like this".into(),
            ..DeviceParameters::default()
        },
        ..GpuJacobiParameters::default()
    };
    let mut solver = GpuJacobi::new(parameters).expect("valid parameters");
    let missing = |error: &Unsupported| {
        matches!(
            error,
            Unsupported::Device {
                device: DeviceError::NoAdapter { .. },
                ..
            }
        )
    };
    assert!(solver.check(&problem).is_err_and(|e| missing(&e)));
    let prepared = solver.prepare(&problem, Start::Cold);
    assert!(matches!(prepared, Err(SolveError::Unsupported(e)) if missing(&e)));
    assert_eq!(solver.iterate(&problem, 1), Err(SolveError::NotPrepared));
}

#[test]
fn parameters_out_of_range_are_named() {
    let default = GpuJacobiParameters::default();
    let bad = [
        (
            "workgroup",
            GpuJacobiParameters {
                device: DeviceParameters {
                    workgroup: 48,
                    ..default.device.clone()
                },
                ..default.clone()
            },
        ),
        (
            "submission",
            GpuJacobiParameters {
                device: DeviceParameters {
                    submission: 0,
                    ..default.device.clone()
                },
                ..default.clone()
            },
        ),
        (
            "omega",
            GpuJacobiParameters {
                jacobi: JacobiParameters {
                    step: StepParameters {
                        omega: delassus_solver_jacobi::Omega::Value(2.0),
                        ..default.jacobi.step
                    },
                    ..default.jacobi
                },
                ..default
            },
        ),
    ];
    for (name, parameters) in bad {
        let error = GpuJacobi::new(parameters).expect_err("out of range");
        assert_eq!(error.parameter, name);
    }
}

#[test]
fn every_parameter_of_the_twin_is_one_of_the_solver() {
    let parameters = GpuJacobiParameters::docs().into_iter();
    let names: Vec<&str> = parameters.map(|p| p.name).collect();
    for twin in JacobiParameters::docs() {
        assert!(names.contains(&twin.name), "{}", twin.name);
    }
    assert_eq!(names.len(), JacobiParameters::docs().len() + 6);
}

#[test]
fn a_diverging_iterate_is_an_error() {
    if device_or_skip("a_diverging_iterate_is_an_error").is_none() {
        return;
    }
    let (problem, parameters) = divergent();
    let mut solver = prepared(parameters, &problem);
    let error = (0..40).find_map(|_| solver.iterate(&problem, 100).err());
    assert!(
        matches!(error, Some(SolveError::NonFinite { .. })),
        "{error:?}"
    );
    let mut impulses = vec![0.0; problem.rows()];
    assert!(solver.read_impulses(&mut impulses).is_err());
}

#[test]
fn the_history_is_that_of_the_residual() {
    if device_or_skip("the_history_is_that_of_the_residual").is_none() {
        return;
    }
    let problem = grid();
    for parameters in settings() {
        let mut solver = prepared(parameters, &problem);
        assert_eq!(
            solver.prepared().expect("prepared").read_history(),
            Ok(Vec::new())
        );
        solver.iterate(&problem, 300).expect("iterations");
        let history = solver
            .prepared()
            .expect("prepared")
            .read_history()
            .expect("a history");
        assert_eq!(history.len(), 300);
        let (first, last) = (history[0].residual, history[299].residual);
        assert!(first > 0.0 && last < 0.05 * first, "{first} {last}");
        if let Some(seconds) = solver
            .prepared()
            .expect("prepared")
            .seconds()
            .expect("a device")
        {
            assert!(seconds > 0.0 && seconds < 60.0, "{seconds}");
        }
    }
}

#[test]
fn momentum_and_guard_follow_the_twin() {
    if device_or_skip("momentum_and_guard_follow_the_twin").is_none() {
        return;
    }
    let problem = problem(&BoxProblem::from(Stack {
        n: 10,
        ..Stack::default()
    }));
    let parameters = GpuJacobiParameters::default();
    let mut twin = JacobiF32::new(parameters.jacobi).expect("valid parameters");
    twin.prepare(&problem, Start::Cold).expect("prepared");
    let mut solver = prepared(parameters, &problem);
    let (rows, mut largest) = (problem.rows(), 0.0_f64);
    for _ in 0..60 {
        twin.iterate(&problem, 1).expect("an iteration");
        solver.iterate(&problem, 1).expect("an iteration");
        let [mut a, mut b] = [vec![0.0; rows], vec![0.0; rows]];
        twin.read_impulses(&mut a).expect("impulses");
        solver.read_impulses(&mut b).expect("impulses");
        let scale = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let apart = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
        largest = largest.max(apart.fold(0.0, f64::max) / scale);
    }
    println!("largest difference {largest:e}");
    // rounding of sixty iterations; another restart or another momentum would differ by the size of
    // a step, 1e-2
    assert!(largest < 1e-3, "{largest:e}");
    let history = solver
        .prepared()
        .expect("prepared")
        .read_history()
        .expect("a history");
    assert!(history.iter().any(|e| e.beta > 0.3), "momentum never grew");
}

/// As in the test of the twin: with the sweep inside pieces the Chebyshev iteration needs the
/// guard.
#[test]
fn the_guard_holds_back_what_blows_up() {
    if device_or_skip("the_guard_holds_back_what_blows_up").is_none() {
        return;
    }
    let problem = stack(10, ContactLaw::Disc);
    for variant in [Variant::Dispatches, Variant::Resident] {
        let run = |guard| {
            let parameters = GpuJacobiParameters {
                variant,
                jacobi: JacobiParameters {
                    acceleration: Acceleration::Chebyshev,
                    guard,
                    ..JacobiParameters::default()
                },
                ..GpuJacobiParameters::default()
            };
            let mut solver = prepared(parameters, &problem);
            // what becomes infinite is an error
            let _ = solver.iterate(&problem, 300);
            solver.prepared().expect("prepared").read_history()
        };
        let guarded = run(true).expect("it stays finite");
        let (first, last) = (guarded[0].residual, guarded[299].residual);
        let held = guarded.iter().filter(|entry| entry.held).count();
        println!("{variant:?}: held back {held} times, residual from {first} to {last}");
        assert!(last < 0.2 * first, "{first} {last}");
        // not once, and not always
        assert!((2..290).contains(&held), "{held}");
        if let Ok(free) = run(false) {
            assert!(free.iter().all(|entry| !entry.held));
            let largest = free.iter().fold(0.0_f64, |m, e| m.max(e.residual));
            assert!(!largest.is_finite() || largest > 1e3 * first, "{largest}");
        }
    }
}
