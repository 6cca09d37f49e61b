//! One workgroup does what the dispatches do, bit for bit; so does a batch of them.

use crate::prepared::DeviceParameters;
use delassus_core::{
    Changes, DeviceError, ImpulseSolver, Problem, SolveError, SolverUpdate, Start,
};
use delassus_problems::generators::ContactLaw;

use super::common::{
    bits, divergent, everything, grid, prepared, problem, scenes, settings, stack,
};
use crate::batch::GpuBatch;
use crate::gpu_jacobi::GpuJacobiParameters;
use crate::testing::device_or_skip;
use crate::variant::Variant;

const SWEEPS: u32 = 37;

fn with(parameters: &GpuJacobiParameters, variant: Variant) -> GpuJacobiParameters {
    GpuJacobiParameters {
        variant,
        ..parameters.clone()
    }
}

fn every_scene() -> Vec<(String, Problem)> {
    let mut all = scenes();
    all.push(("grid".into(), grid()));
    // more than 1024 pieces: three levels of sums
    all.push(("long stack".into(), stack(300, ContactLaw::Disc)));
    all
}

#[test]
fn a_workgroup_gives_the_bits_of_the_dispatches() {
    if device_or_skip("a_workgroup_gives_the_bits").is_none() {
        return;
    }
    for (name, problem) in every_scene() {
        for parameters in settings() {
            let run = |variant| {
                let mut solver = prepared(with(&parameters, variant), &problem);
                assert_eq!(
                    solver.prepared().expect("prepared").is_resident(),
                    variant == Variant::Resident
                );
                solver.iterate(&problem, SWEEPS).expect("iterations");
                bits(&mut solver, &problem)
            };
            assert_eq!(run(Variant::Resident), run(Variant::Dispatches), "{name}");
        }
    }
}

#[test]
fn workgroups_submissions_and_pieces_change_no_bit() {
    if device_or_skip("workgroups_submissions_and_pieces").is_none() {
        return;
    }
    let problem = problem(&everything(3));
    for parameters in settings() {
        let resident = with(&parameters, Variant::Resident);
        let run = |parameters: GpuJacobiParameters, pieces: &[u32]| {
            let mut solver = prepared(parameters, &problem);
            for sweeps in pieces {
                solver.iterate(&problem, *sweeps).expect("iterations");
            }
            bits(&mut solver, &problem)
        };
        let expected = run(resident.clone(), &[SWEEPS]);
        assert_eq!(run(resident.clone(), &[SWEEPS]), expected, "repeat");
        assert_eq!(run(resident.clone(), &[1, 0, 16, 20]), expected, "pieces");
        for workgroup in [32, 128, 256] {
            let parameters = GpuJacobiParameters {
                device: DeviceParameters {
                    workgroup,
                    ..resident.device.clone()
                },
                ..resident.clone()
            };
            assert_eq!(
                run(parameters, &[SWEEPS]),
                expected,
                "workgroup {workgroup}"
            );
        }
        for submission in [1, 7, SWEEPS] {
            let parameters = GpuJacobiParameters {
                device: DeviceParameters {
                    submission,
                    ..resident.device.clone()
                },
                ..resident.clone()
            };
            assert_eq!(
                run(parameters, &[SWEEPS]),
                expected,
                "submission {submission}"
            );
        }
    }
}

#[test]
fn a_refresh_and_a_long_history_are_those_of_the_dispatches() {
    if device_or_skip("a_refresh_and_a_long_history").is_none() {
        return;
    }
    let problem = problem(&everything(5));
    let bias: Vec<f64> = problem.bias().iter().map(|b| b + 0.01).collect();
    let mut changed = problem.clone();
    changed.set_bias(&bias).expect("finite");
    for sweeps in [10, 301] {
        let run = |variant| {
            let parameters = with(&GpuJacobiParameters::default(), variant);
            let mut solver = prepared(parameters, &problem);
            solver.iterate(&problem, sweeps).expect("iterations");
            let before = bits(&mut solver, &problem);
            solver
                .update(&changed, SolverUpdate::Numbers(Changes::ALL))
                .expect("a refresh");
            solver.iterate(&changed, 5).expect("iterations");
            (before, bits(&mut solver, &changed))
        };
        assert_eq!(run(Variant::Resident), run(Variant::Dispatches), "{sweeps}");
    }
}

#[test]
fn a_batch_gives_each_problem_what_it_gets_alone() {
    if device_or_skip("a_batch_gives_each_problem").is_none() {
        return;
    }
    let all = scenes().into_iter().step_by(3).map(|(_, p)| p);
    let problems: Vec<Problem> = all.chain([grid()]).collect();
    for parameters in settings() {
        let mut batch = GpuBatch::new(parameters.clone()).expect("valid parameters");
        batch.prepare(&problems).expect("problems that fit");
        assert_eq!(batch.len(), problems.len());
        for sweeps in [30, 7, 93] {
            batch.iterate(sweeps).expect("iterations");
        }
        for (index, problem) in problems.iter().enumerate() {
            let mut alone = prepared(with(&parameters, Variant::Resident), problem);
            alone.iterate(problem, 130).expect("iterations");
            let mut impulses = vec![0.0; problem.rows()];
            batch.read_impulses(index, &mut impulses).expect("impulses");
            let mut velocities = vec![0.0; 6 * problem.bodies().expect("bodies").len()];
            let read = batch.read_velocities(index, &mut velocities);
            read.expect("velocities");
            let history = batch.read_history(index).expect("a history");
            let of = |x: &f64| x.to_bits();
            let found = (
                impulses.iter().map(of).collect::<Vec<_>>(),
                velocities.iter().map(of).collect::<Vec<_>>(),
                history
                    .iter()
                    .flat_map(|e| [e.residual, e.uphill, e.beta].map(f64::to_bits))
                    .collect::<Vec<_>>(),
            );
            assert_eq!(found, bits(&mut alone, problem), "problem {index}");
        }
    }
}

#[test]
fn a_warm_start_of_a_batch_is_that_of_the_solver() {
    if device_or_skip("a_warm_start_of_a_batch").is_none() {
        return;
    }
    let problems = [grid(), stack(5, ContactLaw::Coulomb)];
    let starts: Vec<Vec<f64>> = problems
        .iter()
        .map(|p| (0..p.rows()).map(|row| 0.01 * (row % 7) as f64).collect())
        .collect();
    let warm: Vec<Start<'_>> = starts.iter().map(|s| Start::Warm(s)).collect();
    let parameters = with(&GpuJacobiParameters::default(), Variant::Resident);
    let mut batch = GpuBatch::new(parameters.clone()).expect("valid parameters");
    batch
        .prepare_from(&problems, &warm)
        .expect("problems that fit");
    batch.iterate(9).expect("iterations");
    for (index, problem) in problems.iter().enumerate() {
        let mut alone = prepared(parameters.clone(), problem);
        alone.prepare(problem, warm[index]).expect("a warm start");
        alone.iterate(problem, 9).expect("iterations");
        let mut expected = vec![0.0; problem.rows()];
        alone.read_impulses(&mut expected).expect("impulses");
        let mut found = vec![0.0; problem.rows()];
        batch.read_impulses(index, &mut found).expect("impulses");
        assert_eq!(found, expected);
    }
}

#[test]
fn what_does_not_fit_is_refused_with_its_index() {
    if device_or_skip("what_does_not_fit").is_none() {
        return;
    }
    // with the ground 511 bodies fit, and the world beside them
    let fits = stack(510, ContactLaw::Frictionless);
    let bodies = fits.bodies().expect("bodies").len();
    let large = stack(510 + 512 - bodies, ContactLaw::Frictionless);
    let needed = large.bodies().expect("bodies").len() as u64;
    assert_eq!(needed, 512);
    let limit = DeviceError::Limit {
        what: "a workgroup's memory (bodies)",
        needed,
        allowed: 511,
    };
    let mut batch = GpuBatch::new(GpuJacobiParameters::default()).expect("valid parameters");
    let problems = [fits.clone(), grid(), large.clone()];
    let error = batch.prepare(&problems).expect_err("too many bodies");
    assert_eq!(error.problem, 2);
    assert_eq!(error.error, SolveError::Device(limit.clone()));
    let unprepared = batch.iterate(1).expect_err("nothing is prepared");
    assert_eq!(unprepared.error, SolveError::NotPrepared);
    batch.prepare(&problems[..2]).expect("both fit");
    batch.iterate(2).expect("iterations");
    assert!(batch.read_impulses(2, &mut []).is_err());
    assert!(batch.read_impulses(0, &mut [0.0]).is_err());

    let parameters = with(&GpuJacobiParameters::default(), Variant::Resident);
    let mut solver = delassus_core::Solver::new(parameters)
        .map(|s: crate::GpuJacobi| s)
        .expect("valid parameters");
    let refused = solver.prepare(&large, Start::Cold);
    assert_eq!(refused, Err(SolveError::Device(limit)));
    // left to choose, the solver takes dispatches
    let mut solver = prepared(GpuJacobiParameters::default(), &large);
    assert!(!solver.prepared().expect("prepared").is_resident());
    solver.iterate(&large, 2).expect("iterations");
}

#[test]
fn an_empty_batch_is_no_error() {
    if device_or_skip("an_empty_batch").is_none() {
        return;
    }
    let mut batch = GpuBatch::new(GpuJacobiParameters::default()).expect("valid parameters");
    batch.prepare(&[]).expect("nothing to refuse");
    assert!(batch.is_empty());
    assert_eq!(batch.iterate(3), Ok(()));
}

#[test]
fn the_problem_that_breaks_is_named() {
    if device_or_skip("the_problem_that_breaks").is_none() {
        return;
    }
    // contacts stay bounded
    let (bad, parameters) = divergent();
    let good = stack(4, ContactLaw::Frictionless);
    let mut batch = GpuBatch::new(parameters).expect("valid parameters");
    let problems = [good.clone(), bad, good];
    batch.prepare(&problems).expect("problems that fit");
    let error = (0..40).find_map(|_| batch.iterate(100).err());
    let error = error.expect("a divergent iterate");
    assert_eq!(error.problem, 1);
    assert!(
        matches!(error.error, SolveError::NonFinite { .. }),
        "{error}"
    );
    let mut impulses = vec![0.0; problems[0].rows()];
    batch.read_impulses(0, &mut impulses).expect("finite");
}
