//! One cell over time: the scheme built, the scene stepped, every failure a status.

use delassus_core::Status;

use super::calibrate::remark;
use super::replay_recording::ReplayRecording;
use super::{Simulations, VariedScene, observables};
use crate::matrix::cell::{MatrixCell, Workbench};
use crate::motion::{Observable, ObservedRun, Simulation, simulate, simulate_watched};
use crate::record::{Calibration, Outcome, Payload, SimulationRecord};

impl Simulations {
    /// Runs one cell.
    pub(crate) fn run(
        &self,
        cell: &MatrixCell,
        workbench: &Workbench<'_>,
    ) -> (Outcome, Option<Vec<u8>>) {
        let scene = &self.scenes[cell.subject];
        if let Some(varied) = &scene.varied {
            let found = self.search(cell, varied, workbench);
            return (self.outcome(cell, found, None), None);
        }
        let names = observables(&self.observables, scene, &self.scenes);
        let observables: Result<Vec<Observable>, _> =
            names.into_iter().map(Observable::parse).collect();
        let observables = match observables {
            Ok(observables) => observables,
            Err(unknown) => {
                let outcome = self.unstarted(cell, Status::Failed, unknown.to_string());
                return (outcome, None);
            }
        };
        let method = &self.methods[cell.method];
        let scheme = &self.schemes[method.scheme];
        let solver = method.solver.map(|index| &workbench.solvers[index]);
        let calibration = self
            .budget
            .map(|budget| self.calibrate(cell, budget, workbench));
        let calibration = match calibration.transpose() {
            Ok(calibration) => calibration,
            Err(unjudged) => return (self.outcome(cell, *unjudged, None), None),
        };
        let substeps = calibration.as_ref().map(|chosen| chosen.substeps);
        let timed = calibration.as_ref().and_then(Calibration::chosen);
        let timed = timed.map(|trial| trial.pass_seconds.clone());
        let timed = timed.filter(|passes| !passes.is_empty());
        let simulation = Simulation {
            world: &scene.world,
            scheme: &|| scheme.build_with(solver, workbench.registry, substeps),
            legs: &scheme.legs,
            every: scheme.every,
            observables: &observables,
            // the calibration has timed these frames; one pass shows that they repeat
            repetitions: timed.as_ref().map_or(self.repetitions, |_| 1),
            max_seconds: None,
        };
        let mut recording = cell
            .replay
            .map(|limits| ReplayRecording::new(&scene.world, limits));
        let mut run = match &mut recording {
            None => simulate(&simulation, workbench.cancel),
            Some(recording) => simulate_watched(&simulation, workbench.cancel, recording),
        };
        // the times that have chosen the substeps are those of the cell: no table has others
        if let (Some(timed), false) = (timed, run.pass_seconds.is_empty()) {
            run.pass_seconds = timed;
        }
        // a replay that cannot be packed is missing, and the next run says so
        let replay = recording.and_then(ReplayRecording::finish);
        (self.outcome(cell, run, calibration), replay)
    }

    /// Looks for a threshold with the scheme of a cell. Its runs are not timed: their number is a
    /// matter of the spec.
    fn search(
        &self,
        cell: &MatrixCell,
        varied: &VariedScene,
        workbench: &Workbench<'_>,
    ) -> ObservedRun {
        let method = &self.methods[cell.method];
        let scheme = &self.schemes[method.scheme];
        let solver = method.solver.map(|index| &workbench.solvers[index]);
        varied.search(&mut |world, observable| {
            let simulation = Simulation {
                world,
                scheme: &|| scheme.build(solver, workbench.registry),
                legs: &scheme.legs,
                every: u32::MAX,
                observables: std::slice::from_ref(observable),
                repetitions: 0,
                max_seconds: None,
            };
            simulate(&simulation, workbench.cancel)
        })
    }

    /// A cell that did not start.
    pub(crate) fn unstarted(
        &self,
        cell: &MatrixCell,
        status: Status,
        message: impl Into<String>,
    ) -> Outcome {
        self.outcome(cell, ObservedRun::without_samples(status, message), None)
    }

    /// The run in the form that records have.
    fn outcome(
        &self,
        cell: &MatrixCell,
        run: ObservedRun,
        calibration: Option<Calibration>,
    ) -> Outcome {
        let remark = calibration.as_ref().and_then(remark);
        let mut outcome = Outcome {
            status: run.status,
            message: run.message,
            approximations: run.approximations,
            metrics: run.observables,
            samples: run.samples.into(),
            sweeps: run.sweeps,
            row_updates: run.row_updates,
            factorizations: run.factorizations,
            // a scheme prepares within its steps
            prepare_seconds: vec![0.0; run.pass_seconds.len()],
            iterate_seconds: run.pass_seconds,
            impulse_hash: run.state_hash,
            limit: None,
            payload: Payload::Simulate(SimulationRecord {
                scheme: self.methods[cell.method].label.clone(),
                moments: run.moments,
                depths: run.depths,
                replay_hash: None,
                calibration,
            }),
        };
        if let Some(remark) = remark {
            outcome.note(&remark);
        }
        outcome
    }
}
