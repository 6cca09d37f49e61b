//! What a run has done so far, and the values of its observables.

use std::collections::VecDeque;

use delassus_core::Problem;
use delassus_dynamics::{Energy, Momentum, Probe, RowUnit, Stage, StepReport, StepView, World};
use delassus_metrics::Evaluator;

use super::measure::{self, Extremes};
use super::places::Places;
use delassus_records::observable::{Observable, Quantity};

/// Seconds that jitter looks back (R.7) \[s\].
const JITTER_WINDOW: f64 = 2.0;

/// Watches a run from its first state on.
#[derive(Debug)]
pub(super) struct Observer<'a> {
    observables: &'a [Observable],
    start: (Energy, Momentum),
    places: Places,
    /// Sum of the reports of all frames.
    total: StepReport,
    /// Work units of all frames; the sum in the report has 32 bits.
    sweeps: u64,
    /// Row updates of the last frame.
    frame_updates: u64,
    frames: u64,
    /// Time and mean squares of the speeds, frame by frame, as far back as jitter looks.
    recent: VecDeque<(f64, [f64; 2])>,
    capture: FrameRecorder,
}

/// Keeps the last problems of a frame with their answers.
#[derive(Debug, Default)]
struct FrameRecorder {
    /// Stages that an observable asks for: solved, relaxed.
    asked: [bool; 2],
    /// True in frames that are sampled.
    open: bool,
    solved: Option<(Problem, Vec<f64>)>,
    relaxed: Option<(Problem, Vec<f64>)>,
}

impl Probe for FrameRecorder {
    fn wants(&self, stage: Stage) -> bool {
        let asked = match stage {
            Stage::Solved => self.asked[0],
            Stage::Relaxed => self.asked[1],
            _ => false,
        };
        self.open && asked
    }

    fn at(&mut self, stage: Stage, view: &StepView<'_>) {
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

impl<'a> Observer<'a> {
    pub(super) fn new(world: &World, observables: &'a [Observable]) -> Self {
        let asks = |quantity| observables.contains(&Observable::Quantity(quantity));
        let mut observer = Self {
            observables,
            start: (world.energy(), world.momentum()),
            places: Places::new(world),
            total: StepReport::default(),
            sweeps: 0,
            frame_updates: 0,
            frames: 0,
            recent: VecDeque::new(),
            capture: FrameRecorder {
                asked: [
                    asks(Quantity::NaturalMap),
                    asks(Quantity::RelaxedNaturalMap),
                ],
                ..FrameRecorder::default()
            },
        };
        observer.remember(world);
        observer
    }

    /// The probe of the next frame; `sampled` if values are read after it.
    pub(super) fn probe(&mut self, sampled: bool) -> &mut dyn Probe {
        self.capture.open = sampled;
        (self.capture.solved, self.capture.relaxed) = (None, None);
        &mut self.capture
    }

    /// Takes note of a frame.
    pub(super) fn record(&mut self, world: &World, report: &StepReport) {
        self.sweeps += u64::from(report.progress.sweeps);
        self.total.add(report);
        self.frame_updates = report.progress.row_updates;
        self.frames += 1;
        self.remember(world);
    }

    fn remember(&mut self, world: &World) {
        let now = world.time();
        let Some(squares) = measure::mean_squares(world) else {
            return;
        };
        self.recent.push_back((now, squares));
        // half a microsecond against the rounding of summed steps
        let old = |(time, _): &(f64, _)| now - time > JITTER_WINDOW + 5e-7;
        while self.recent.front().is_some_and(old) {
            self.recent.pop_front();
        }
    }

    /// One value per observable; `None` where it does not apply or is not finite.
    pub(super) fn values(&self, world: &World) -> Vec<Option<f64>> {
        let facts = Readings {
            lengths: measure::drift(world, RowUnit::Length),
            angles: measure::drift(world, RowUnit::Angle),
            overlap: measure::penetration(world),
            energy: world.energy(),
            momentum: world.momentum(),
        };
        let value = |observable: &Observable| match observable {
            Observable::Quantity(quantity) => self.quantity(*quantity, world, &facts),
            other => measure::component(world, other),
        };
        let values = self.observables.iter().map(value);
        values.map(|v| v.filter(|v| v.is_finite())).collect()
    }

    fn quantity(&self, quantity: Quantity, world: &World, facts: &Readings) -> Option<f64> {
        let (energy, momentum) = &self.start;
        let total = &self.total;
        let outside = total.drive_work + total.applied_work;
        let gained = facts.energy.total() - energy.total() - outside;
        let max = |spread: Option<Extremes>| spread.map(|spread| spread.max);
        let mean = |spread: Option<Extremes>| spread.map(|spread| spread.mean);
        match quantity {
            Quantity::DriftMax => max(facts.lengths),
            Quantity::DriftRms => mean(facts.lengths),
            Quantity::DriftAngleMax => max(facts.angles),
            Quantity::DriftAngleRms => mean(facts.angles),
            Quantity::PenetrationMax => max(facts.overlap),
            Quantity::PenetrationMean => mean(facts.overlap),
            Quantity::Kinetic => Some(facts.energy.kinetic),
            Quantity::Potential => Some(facts.energy.potential),
            Quantity::Spring => Some(facts.energy.spring),
            Quantity::Energy => Some(facts.energy.total()),
            Quantity::EnergyError => Some(gained),
            Quantity::Dissipated => Some(-gained),
            Quantity::DriveWork => Some(total.drive_work),
            Quantity::AppliedWork => Some(total.applied_work),
            Quantity::MomentumError => {
                let gained = facts.momentum.linear - momentum.linear;
                Some((gained - total.external.linear).norm())
            }
            Quantity::AngularMomentumError => {
                let gained = facts.momentum.angular - momentum.angular;
                Some((gained - total.external.angular).norm())
            }
            Quantity::CentreOfMassShift => self.places.centre_of_mass_shift(world),
            Quantity::Motion => self.places.motion(world),
            Quantity::Jitter => self.jitter(0),
            Quantity::SpinJitter => self.jitter(1),
            Quantity::NaturalMap => natural_map(&self.capture.solved),
            Quantity::RelaxedNaturalMap => natural_map(&self.capture.relaxed),
            Quantity::Rows => (self.frames > 0).then(|| real(total.rows as u64)),
            Quantity::RowUpdates => (self.frames > 0).then(|| real(self.frame_updates)),
        }
    }

    /// Root of the mean square over the bodies and the window (R.7).
    fn jitter(&self, part: usize) -> Option<f64> {
        let sum: f64 = self.recent.iter().map(|(_, squares)| squares[part]).sum();
        (!self.recent.is_empty()).then(|| (sum / real(self.recent.len() as u64)).sqrt())
    }

    pub(super) fn sweeps(&self) -> u64 {
        self.sweeps
    }

    pub(super) fn row_updates(&self) -> u64 {
        self.total.progress.row_updates
    }

    pub(super) fn frames(&self) -> u64 {
        self.frames
    }
}

/// What several observables are read from.
struct Readings {
    lengths: Option<Extremes>,
    angles: Option<Extremes>,
    overlap: Option<Extremes>,
    energy: Energy,
    momentum: Momentum,
}

/// Residual of an answer (M.4); `None` without one, or where the numbers are out of range.
fn natural_map(kept: &Option<(Problem, Vec<f64>)>) -> Option<f64> {
    let (problem, impulses) = kept.as_ref()?;
    let residuals = Evaluator::new(problem).ok()?.evaluate(impulses).ok()?;
    Some(residuals.natural_map)
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn real(count: u64) -> f64 {
    count as f64
}
