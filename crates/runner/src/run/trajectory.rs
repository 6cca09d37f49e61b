//! One cell over time: the scheme built, the scene stepped, every failure a status.

use std::sync::atomic::AtomicBool;

use delassus_core::Status;

use crate::matrix::{Cell, Matrix, Task, observables};
use crate::record::{Moment, Outcome, Sample};
use crate::registry::Registry;
use crate::simulate::{Observable, Simulation, Trajectory, simulate};

/// Runs one cell.
pub(super) fn run(
    matrix: &Matrix,
    cell: &Cell,
    registry: &Registry,
    cancel: &AtomicBool,
) -> Outcome {
    let failed = |reason: &str| Outcome::without_samples(Status::Failed, reason);
    if let Some(reason) = &cell.skip {
        return Outcome::without_samples(Status::Unsupported, reason.clone());
    }
    let (
        Task::Simulate {
            scene,
            scheme,
            solver,
        },
        Some(plan),
    ) = (cell.task, &matrix.spec.trajectory)
    else {
        return failed("the cell solves a problem and steps no scene");
    };
    let settings = &plan.simulate;
    let names = observables(settings, &matrix.scenes[scene], &matrix.scenes);
    let observables: Result<Vec<Observable>, _> =
        names.into_iter().map(Observable::parse).collect();
    let observables = match observables {
        Ok(observables) => observables,
        Err(unknown) => return failed(&unknown.to_string()),
    };
    let scheme = &matrix.schemes[scheme];
    let solver = solver.map(|index| &matrix.solvers[index]);
    let simulation = Simulation {
        world: &matrix.scenes[scene].world,
        scheme: &|| scheme.build(solver, registry),
        legs: &scheme.legs,
        every: scheme.every,
        observables: &observables,
        repetitions: settings.repetitions,
        max_seconds: None,
    };
    outcome(simulate(&simulation, cancel))
}

/// The run in the form that records have.
fn outcome(run: Trajectory) -> Outcome {
    let samples = run.samples.into_iter().map(|sample| Sample {
        sweeps: sample.sweeps,
        row_updates: sample.row_updates,
        moment: Some(Moment {
            frame: sample.frame,
            time: sample.time,
        }),
        values: sample.values,
    });
    Outcome {
        status: run.status,
        message: run.message,
        approximations: run.approximations,
        metrics: run.observables,
        samples: samples.collect(),
        sweeps: run.sweeps,
        row_updates: run.row_updates,
        // a scheme prepares within its steps
        prepare_seconds: vec![0.0; run.pass_seconds.len()],
        iterate_seconds: run.pass_seconds,
        impulse_hash: run.state_hash,
        worst_block: None,
        reference: None,
        solutions: None,
        timing: None,
    }
}
