//! Atomic additions: what repeats and what only converges, and the range of fixed point.

use crate::prepared::DeviceParameters;
use delassus_conformance::skip;
use delassus_core::{
    DeviceError, ImpulseSolver, Parameters, Problem, SolveError, Solver, Start, Unsupported,
};
use delassus_metrics::Evaluator;
use delassus_problems::generators::{BoxProblem, Boxes, ContactLaw, Pyramid};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::parameters::{JacobiParameters, StepParameters};
use delassus_solver_jacobi::rule::FactorRule;

use super::common::{everything, grid, prepared, problem, stack};
use crate::device::Device;
use crate::gpu_async_jacobi::{Accumulation, GpuAsyncJacobi, GpuAsyncJacobiParameters};
use crate::gpu_jacobi::GpuJacobiParameters;
use crate::testing::device_or_skip;

fn of(accumulation: Accumulation) -> GpuAsyncJacobiParameters {
    GpuAsyncJacobiParameters {
        accumulation,
        // safe whatever the graph (J.5)
        step: StepParameters {
            rule: FactorRule::MassSplit,
            ..GpuAsyncJacobiParameters::default().step
        },
        ..GpuAsyncJacobiParameters::default()
    }
}

fn solver(
    parameters: GpuAsyncJacobiParameters,
    problem: &Problem,
    start: Start<'_>,
) -> GpuAsyncJacobi {
    let mut solver = GpuAsyncJacobi::new(parameters).expect("valid parameters");
    let prepared = solver.prepare(problem, start);
    prepared.expect("a problem that the solver takes");
    solver
}

fn impulses(solver: &mut impl ImpulseSolver, problem: &Problem) -> Vec<f64> {
    let mut out = vec![0.0; problem.rows()];
    solver.read_impulses(&mut out).expect("impulses");
    out
}

fn velocities(solver: &mut impl ImpulseSolver, problem: &Problem) -> Vec<f64> {
    let mut out = vec![0.0; 6 * problem.bodies().expect("bodies").len()];
    let read = solver.read_velocities(problem, &mut out);
    read.expect("velocities");
    out
}

/// The accumulations that the adapter has.
fn available(device: &Device) -> Vec<Accumulation> {
    let mut all = vec![Accumulation::Cas, Accumulation::FixedPoint];
    if device.has_float_atomics() {
        all.push(Accumulation::Float);
    } else {
        skip(
            "accumulation = float",
            "the adapter has no atomic addition of f32",
        );
    }
    all
}

fn pile() -> Problem {
    problem(&BoxProblem::from(Pyramid {
        base: 3,
        boxes: Boxes {
            law: ContactLaw::Frictionless,
            ..Boxes::default()
        },
    }))
}

#[test]
fn every_accumulation_converges() {
    let Some(device) = device_or_skip("every_accumulation_converges") else {
        return;
    };
    for accumulation in available(&device) {
        let tutorial = GpuAsyncJacobiParameters {
            accumulation,
            ..GpuAsyncJacobiParameters::default()
        };
        for (parameters, problem) in [
            (of(accumulation), stack(3, ContactLaw::Disc)),
            (of(accumulation), pile()),
            (of(accumulation), stack(3, ContactLaw::Patch)),
            // a patch counts its points (J.9)
            (tutorial, stack(3, ContactLaw::Patch)),
        ] {
            let mut solver = solver(parameters, &problem, Start::Cold);
            solver.iterate(&problem, 6000).expect("iterations");
            let mut evaluator = Evaluator::new(&problem).expect("a scale");
            let found = impulses(&mut solver, &problem);
            let residual = evaluator.evaluate(&found).expect("a residual");
            // some ten contributions to a velocity of 0.1 m/s, each off by 2⁻²¹ m/s or half an ulp
            let natural = residual.natural_map;
            assert!(natural < 1e-4, "{accumulation:?}: {natural:e}");
        }
    }
}

#[test]
fn fixed_point_repeats_bit_for_bit() {
    if device_or_skip("fixed_point_repeats").is_none() {
        return;
    }
    for problem in [grid(), problem(&everything(3))] {
        let start: Vec<f64> = (0..problem.rows()).map(|r| 0.01 * (r % 7) as f64).collect();
        let run = |parameters: GpuAsyncJacobiParameters, pieces: &[u32]| {
            let mut solver = solver(parameters, &problem, Start::Warm(&start));
            for sweeps in pieces {
                solver.iterate(&problem, *sweeps).expect("iterations");
            }
            let bits = |all: Vec<f64>| all.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            (
                bits(impulses(&mut solver, &problem)),
                bits(velocities(&mut solver, &problem)),
            )
        };
        let parameters = of(Accumulation::FixedPoint);
        let expected = run(parameters.clone(), &[50]);
        for _ in 0..5 {
            assert_eq!(run(parameters.clone(), &[50]), expected);
        }
        assert_eq!(run(parameters.clone(), &[1, 0, 49]), expected, "pieces");
        for (workgroup, submission) in [(32, 7), (128, 1), (256, 50)] {
            let parameters = GpuAsyncJacobiParameters {
                device: DeviceParameters {
                    workgroup,
                    submission,
                    ..parameters.device.clone()
                },
                ..parameters.clone()
            };
            assert_eq!(run(parameters, &[50]), expected, "{workgroup} {submission}");
        }
    }
}

#[test]
fn fixed_point_is_the_gather_up_to_its_unit() {
    if device_or_skip("fixed_point_is_the_gather").is_none() {
        return;
    }
    let problem = pile();
    let parameters = of(Accumulation::FixedPoint);
    let gather = GpuJacobiParameters {
        jacobi: JacobiParameters {
            step: StepParameters {
                rule: parameters.step.rule,
                sweep: parameters.step.sweep,
                ..StepParameters::default()
            },
            acceleration: Acceleration::None,
            ..JacobiParameters::default()
        },
        ..GpuJacobiParameters::default()
    };
    const SWEEPS: u32 = 40;
    let mut expected = prepared(gather, &problem);
    expected.iterate(&problem, SWEEPS).expect("iterations");
    let expected = velocities(&mut expected, &problem);
    let mut last = f64::INFINITY;
    for bits in [8, 14, 20] {
        let parameters = GpuAsyncJacobiParameters {
            bits,
            ..parameters.clone()
        };
        let mut solver = solver(parameters, &problem, Start::Cold);
        solver.iterate(&problem, SWEEPS).expect("iterations");
        let found = velocities(&mut solver, &problem);
        let distance = found.iter().zip(&expected);
        let distance = distance.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        // at most six pieces on a body, each off by half a unit, in every iteration; a step of
        // (J.5) enlarges no error in the norm of D, whose spread over a pile of equal boxes is
        // below ten
        let bound = 10.0 * 3.0 * f64::from(SWEEPS) * f64::from(1_u32 << bits).recip();
        assert!(distance <= bound, "{bits}: {distance:e} > {bound:e}");
        // and the unit is what it depends on
        assert!(distance < last, "{bits}: {distance:e}");
        last = distance;
    }
}

#[test]
fn what_leaves_the_range_is_an_error_and_no_answer() {
    if device_or_skip("what_leaves_the_range").is_none() {
        return;
    }
    let problem = stack(3, ContactLaw::Disc);
    // 2^30 units to a metre per second: a range of 2 m/s
    let parameters = GpuAsyncJacobiParameters {
        bits: 30,
        ..of(Accumulation::FixedPoint)
    };
    // an impulse that turns the lowest box round
    let start = vec![100.0; problem.rows()];
    let mut warm = GpuAsyncJacobi::new(parameters.clone()).expect("valid parameters");
    let refused = warm.prepare(&problem, Start::Warm(&start));
    assert!(is_overflow(refused.map(|()| 0)), "a start");
    // boxes that hit the ground at 100 m/s
    let mut parts = problem.into_parts();
    if let delassus_core::Operator::Bodies(bodies) = &mut parts.operator {
        for (body, mass) in bodies.mass.iter().enumerate() {
            if !mass.is_immovable() {
                for axis in 0..3 {
                    bodies.free_velocity[6 * body + axis] *= 1000.0;
                }
            }
        }
    }
    let fast = Problem::new(parts).expect("finite numbers");
    let mut solver = solver(parameters, &fast, Start::Cold);
    let outcome = (0..200).find_map(|_| solver.iterate(&fast, 1).err());
    let error = outcome.expect("an overflow");
    assert!(is_overflow::<()>(Err(error)), "an iteration");
    let mut out = vec![0.0; fast.rows()];
    assert_eq!(solver.read_impulses(&mut out), Err(SolveError::NotPrepared));
    // twenty bits have room for 2 km/s
    let mut wide = self::solver(of(Accumulation::FixedPoint), &fast, Start::Cold);
    wide.iterate(&fast, 200).expect("inside the range");
}

fn is_overflow<T>(result: Result<T, SolveError>) -> bool {
    matches!(
        result,
        Err(SolveError::Device(DeviceError::Limit { needed, allowed, .. })) if needed > allowed - 4000
    )
}

#[test]
fn an_adapter_without_the_addition_is_refused() {
    let Some(device) = device_or_skip("an_adapter_without_the_addition") else {
        return;
    };
    let problem = stack(2, ContactLaw::Disc);
    let mut solver = GpuAsyncJacobi::new(of(Accumulation::Float)).expect("valid parameters");
    let outcome = solver.prepare(&problem, Start::Cold);
    if device.has_float_atomics() {
        assert_eq!(outcome, Ok(()));
        return;
    }
    let refused = matches!(
        &outcome,
        Err(SolveError::Unsupported(Unsupported::Device { device: DeviceError::NoAdapter { reason }, .. }))
            if reason.contains("atomically")
    );
    assert!(refused, "{outcome:?}");
}

#[test]
fn parameters_out_of_range_are_named() {
    let default = GpuAsyncJacobiParameters::default();
    let bad = [
        (
            "bits",
            GpuAsyncJacobiParameters {
                bits: 31,
                ..default.clone()
            },
        ),
        (
            "workgroup",
            GpuAsyncJacobiParameters {
                device: DeviceParameters {
                    workgroup: 1,
                    ..default.device.clone()
                },
                ..default.clone()
            },
        ),
        (
            "submission",
            GpuAsyncJacobiParameters {
                device: DeviceParameters {
                    submission: 0,
                    ..default.device.clone()
                },
                ..default
            },
        ),
    ];
    for (name, parameters) in bad {
        let error = GpuAsyncJacobi::new(parameters).expect_err("out of range");
        assert_eq!(error.parameter, name);
    }
    assert_eq!(GpuAsyncJacobiParameters::docs().len(), 9);
}
