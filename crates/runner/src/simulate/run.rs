//! One cell over time: the scheme built, the scene stepped, every failure a status.

use delassus_core::Status;

use super::{Trajectories, observables};
use crate::matrix::cell::{Cell, Workbench};
use crate::motion::{Observable, Simulation, Trajectory, simulate};
use crate::record::{Moment, Outcome, Sample};

impl Trajectories {
    /// Runs one cell.
    pub(crate) fn run(&self, cell: &Cell, workbench: &Workbench<'_>) -> Outcome {
        let scene = &self.scenes[cell.subject];
        let names = observables(&self.observables, scene, &self.scenes);
        let observables: Result<Vec<Observable>, _> =
            names.into_iter().map(Observable::parse).collect();
        let observables = match observables {
            Ok(observables) => observables,
            Err(unknown) => {
                return Outcome::without_samples(Status::Failed, unknown.to_string());
            }
        };
        let method = &self.methods[cell.method];
        let scheme = &self.schemes[method.scheme];
        let solver = method.solver.map(|index| &workbench.solvers[index]);
        let simulation = Simulation {
            world: &scene.world,
            scheme: &|| scheme.build(solver, workbench.registry),
            legs: &scheme.legs,
            every: scheme.every,
            observables: &observables,
            repetitions: self.repetitions,
            max_seconds: None,
        };
        outcome(simulate(&simulation, workbench.cancel))
    }
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
