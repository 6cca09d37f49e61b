//! What is noted while a frame runs, and of the energy that it gains.

use delassus_core::Problem;
use delassus_dynamics::{Probe, Stage, StepReport, StepView, World};
use delassus_metrics::Evaluator;

use crate::measure;

/// A gain below this share of the energies that are exchanged is rounding \[-\] (R.47).
const ROUNDING: f64 = 1e-12;

/// Energy that comes from nowhere, frame by frame (R.27), (R.47).
#[derive(Debug)]
pub(super) struct Gains {
    /// Energy of the last frame and the sum of the magnitudes that it is made of \[J\].
    pub(super) energy: f64,
    pub(super) magnitude: f64,
    /// Sum over the frames that gain \[J\].
    pub(super) injected: f64,
    /// Frames that gain more than rounding \[-\].
    pub(super) frames: u64,
}

impl Gains {
    pub(super) fn new(world: &World) -> Self {
        let energy = world.energy();
        Self {
            energy: energy.total(),
            magnitude: measure::energy_magnitude(world, &energy),
            injected: 0.0,
            frames: 0,
        }
    }

    /// Takes a frame in.
    pub(super) fn add(&mut self, world: &World, report: &StepReport) {
        let energy = world.energy();
        let (now, magnitude) = (energy.total(), measure::energy_magnitude(world, &energy));
        let gained = (now - self.energy) - (report.drive_work + report.applied_work);
        self.injected += gained.max(0.0);
        let works = report.drive_work.abs() + report.applied_work.abs();
        let exchanged = self.magnitude + magnitude + works;
        if gained > ROUNDING * exchanged {
            self.frames += 1;
        }
        (self.energy, self.magnitude) = (now, magnitude);
    }
}

/// Keeps the last problems of a frame with their answers.
#[derive(Debug, Default)]
pub(super) struct FrameRecorder {
    /// Stages that an observable needs: solved, relaxed.
    pub(super) asked: [bool; 2],
    /// True in frames that are sampled.
    pub(super) open: bool,
    /// True in frames whose last solve is asked for by who watches.
    pub(super) watched: bool,
    pub(super) solved: Option<(Problem, Vec<f64>)>,
    pub(super) relaxed: Option<(Problem, Vec<f64>)>,
    /// True in frames whose solves are judged here and not by the scheme.
    pub(super) judges: bool,
    /// The largest natural map of the solves of the frame.
    pub(super) worst: Option<f64>,
}

impl Probe for FrameRecorder {
    fn wants(&self, stage: Stage) -> bool {
        let asked = match stage {
            Stage::Solved => self.asked[0],
            Stage::Relaxed => self.asked[1],
            _ => false,
        };
        let solve = matches!(stage, Stage::Solved | Stage::Relaxed);
        let judged = self.judges && (solve || stage == Stage::Restituted);
        (self.open && (asked || judged)) || (self.watched && solve)
    }

    fn at(&mut self, stage: Stage, view: &StepView<'_>) {
        if let (true, Some(problem)) = (self.open && self.judges, view.problem) {
            let residual = residual(problem, view.impulses);
            self.worst = match (self.worst, residual) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            };
        }
        let kept = view
            .problem
            .map(|problem| (problem.clone(), view.impulses.to_vec()));
        match stage {
            Stage::Solved => self.solved = kept,
            Stage::Relaxed => self.relaxed = kept,
            _ => {}
        }
    }
}

pub(super) fn residual(problem: &Problem, impulses: &[f64]) -> Option<f64> {
    Evaluator::new(problem).ok()?.natural_map(impulses).ok()
}
