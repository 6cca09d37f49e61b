//! What a run has done so far, and the values of its observables.

mod frame;

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::convert::Infallible;

use delassus_core::Problem;
use delassus_dynamics::{Energy, Momentum, Probe, RowUnit, SolveCounts, StepReport, World};

use super::contacts::Contacts;
use super::measure::{self, Extremes, real};
use super::places::Places;
use super::resolve::numbers;
use super::trail::Trail;
use delassus_records::observable::{Observable, Quantity};
use delassus_records::record::Depths;
use frame::{FrameRecorder, Gains, residual};

/// The last solve of a frame.
#[derive(Debug, Clone, Copy)]
pub struct LastSolve<'a> {
    /// The frozen problem; its bodies are those of the world.
    pub problem: &'a Problem,
    /// The answer, one per row \[N·s | N·m·s\].
    pub impulses: &'a [f64],
}

/// Seconds that jitter looks back (R.7) \[s\].
const JITTER_WINDOW: f64 = 2.0;

/// Watches a run from its first state on.
#[derive(Debug)]
pub(super) struct Observer {
    /// Bodies and joints by their numbers.
    observables: Vec<Observable>,
    start: (Energy, Momentum),
    places: Places,
    /// Sum of the reports of all frames.
    total: StepReport,
    /// Work units of all frames; the sum in the report has 32 bits.
    sweeps: u64,
    /// Work units and row updates of the last frame.
    frame_work: [u64; 2],
    frames: u64,
    /// Time and mean squares of the speeds, frame by frame, as far back as jitter looks.
    recent: VecDeque<(f64, [f64; 2])>,
    /// What frames have gained from nowhere, where that is asked for.
    gains: Option<Gains>,
    /// Places of the bodies, where their creep is asked for.
    trail: Option<Trail>,
    /// Since when every body rests \[s\].
    rest: Option<f64>,
    /// Pairs of bodies whose contact forces are asked for.
    pairs: Vec<[usize; 2]>,
    /// How the solves since the sample before ended.
    recent_solves: Option<SolveCounts>,
    /// Overlaps of the samples so far, where one of them is asked for.
    depths: Option<Depths>,
    /// Set for a scheme that says only how the bodies move: whether anything but gravity may work
    /// on them.
    has_unknown_work: Option<bool>,
    capture: FrameRecorder,
}

impl Observer {
    pub(super) fn new(world: &World, observables: Vec<Observable>) -> Self {
        let asks = |quantity| observables.contains(&Observable::Quantity(quantity));
        let mut observer = Self {
            start: (world.energy(), world.momentum()),
            places: Places::new(world),
            total: StepReport::default(),
            sweeps: 0,
            frame_work: [0; 2],
            frames: 0,
            recent: VecDeque::new(),
            gains: (asks(Quantity::EnergyInjected) || asks(Quantity::EnergyGains))
                .then(|| Gains::new(world)),
            trail: asks(Quantity::Creep).then(Trail::default),
            rest: None,
            pairs: pairs(&observables),
            recent_solves: None,
            depths: observables.iter().any(is_of_overlaps).then(Depths::default),
            has_unknown_work: None,
            capture: FrameRecorder {
                asked: [
                    asks(Quantity::NaturalMap),
                    asks(Quantity::RelaxedNaturalMap),
                ],
                judges: asks(Quantity::SolveResidual),
                ..FrameRecorder::default()
            },
            observables,
        };
        observer.remember(world);
        observer
    }

    /// Leaves out what a scheme does not report that says only how the bodies move.
    pub(super) fn without_impulses(&mut self, world: &World) {
        self.has_unknown_work = Some(measure::has_work(world));
    }

    /// The probe of the next frame; `sampled` if values are read after it, `watched` if its last
    /// solve is.
    pub(super) fn probe(&mut self, sampled: bool, watched: bool) -> &mut dyn Probe {
        (self.capture.open, self.capture.watched) = (sampled, watched);
        (self.capture.solved, self.capture.relaxed) = (None, None);
        self.capture.worst = None;
        &mut self.capture
    }

    /// The last solve of the frame that was watched.
    pub(super) fn last_solve(&self) -> Option<LastSolve<'_>> {
        let FrameRecorder {
            watched,
            solved,
            relaxed,
            ..
        } = &self.capture;
        let kept = relaxed.as_ref().or(solved.as_ref());
        let (problem, impulses) = kept.filter(|_| *watched)?;
        Some(LastSolve { problem, impulses })
    }

    /// Takes note of a frame.
    pub(super) fn record(&mut self, world: &World, report: &StepReport) {
        self.sweeps += u64::from(report.progress.sweeps);
        self.total.add(report);
        self.frame_work = [
            u64::from(report.progress.sweeps),
            report.progress.row_updates,
        ];
        if let Some(gains) = &mut self.gains {
            gains.add(world, report);
        }
        if let Some(solves) = &report.solves {
            let judged = solves.residual.is_some();
            self.capture.judges &= !judged;
            self.recent_solves.get_or_insert_default().add(solves);
        }
        self.frames += 1;
        self.remember(world);
    }

    fn remember(&mut self, world: &World) {
        let now = world.time();
        let Some(squares) = measure::mean_squares(world) else {
            return;
        };
        if let Some(trail) = &mut self.trail {
            trail.record(world);
        }
        let rests = measure::rests(world) == Some(true);
        self.rest = rests.then(|| self.rest.unwrap_or(now));
        self.recent.push_back((now, squares));
        // half a microsecond against the rounding of summed steps
        let old = |(time, _): &(f64, _)| now - time > JITTER_WINDOW + 5e-7;
        while self.recent.front().is_some_and(old) {
            self.recent.pop_front();
        }
    }

    /// Begins the time to the next sample.
    pub(super) fn sampled(&mut self) {
        self.recent_solves = None;
    }

    /// Overlaps of all contact points of all samples, where one of their observables is asked for.
    pub(super) fn depths(&self) -> Option<Depths> {
        self.depths.clone()
    }

    /// One value per observable; `None` where it does not apply or is not finite. Overlaps are
    /// counted.
    pub(super) fn values(&mut self, world: &World) -> Vec<Option<f64>> {
        let (values, facts) = self.read(world);
        if let (Some(depths), Some(contacts)) = (&mut self.depths, facts.contacts.get()) {
            contacts.count(depths);
        }
        values
    }

    fn read(&self, world: &World) -> (Vec<Option<f64>>, Readings) {
        let facts = Readings {
            lengths: measure::drift(world, RowUnit::Length),
            angles: measure::drift(world, RowUnit::Angle),
            energy: world.energy(),
            momentum: world.momentum(),
            contacts: OnceCell::new(),
        };
        let value = |observable: &Observable| match observable {
            unknown if self.is_unknown(unknown) => None,
            Observable::Quantity(quantity) => self.quantity(*quantity, world, &facts),
            Observable::Contact {
                torque,
                bodies,
                axis,
            } => self
                .contacts(world, &facts)
                .of_pair(*torque, numbers(*bodies)?, *axis),
            other => measure::component(world, other),
        };
        let values = self.observables.iter().map(value);
        let values = values.map(|v| v.filter(|v| v.is_finite())).collect();
        (values, facts)
    }

    /// True if the scheme reports nothing that the observable is read off.
    fn is_unknown(&self, observable: &Observable) -> bool {
        let has_work = self.has_unknown_work;
        has_work.is_some_and(|has_work| measure::is_unknown(observable, has_work))
    }

    /// The contacts, read once for all observables of a sample.
    fn contacts<'f>(&self, world: &World, facts: &'f Readings) -> &'f Contacts {
        facts.contacts.get_or_init(|| {
            if self.frames > 0 || world.colliders().is_empty() {
                return Contacts::new(world, &self.pairs);
            }
            // a world finds its contacts when a frame begins: none has begun
            let mut seen = world.clone();
            let Ok(contacts) =
                seen.with_contacts(|seen| Ok::<_, Infallible>(Contacts::new(seen, &self.pairs)));
            contacts
        })
    }

    fn quantity(&self, quantity: Quantity, world: &World, facts: &Readings) -> Option<f64> {
        let total = &self.total;
        let max = |spread: Option<Extremes>| spread.map(|spread| spread.max);
        let mean = |spread: Option<Extremes>| spread.map(|spread| spread.mean);
        let stepped = self.frames > 0;
        match quantity {
            Quantity::DriftMax => max(facts.lengths),
            Quantity::DriftRms => mean(facts.lengths),
            Quantity::DriftAngleMax => max(facts.angles),
            Quantity::DriftAngleRms => mean(facts.angles),
            Quantity::Kinetic => Some(facts.energy.kinetic),
            Quantity::Potential => Some(facts.energy.potential),
            Quantity::Spring => Some(facts.energy.spring),
            Quantity::Energy => Some(facts.energy.total()),
            Quantity::EnergyError => Some(self.gained(facts)),
            Quantity::Dissipated => Some(-self.gained(facts)),
            Quantity::EnergyInjected => self.gains.as_ref().map(|gains| gains.injected),
            Quantity::EnergyGains => self.gains.as_ref().map(|gains| real(gains.frames)),
            Quantity::DriveWork => Some(total.drive_work),
            Quantity::AppliedWork => Some(total.applied_work),
            Quantity::MomentumError => Some(self.momentum_error(facts).linear.norm()),
            Quantity::AngularMomentumError => Some(self.momentum_error(facts).angular.norm()),
            Quantity::CentreOfMassShift => self.places.centre_of_mass_shift(world),
            Quantity::CourseChange => self.places.course_change(world),
            Quantity::Motion => self.places.motion(world),
            Quantity::Jitter => self.jitter(0),
            Quantity::SpinJitter => self.jitter(1),
            Quantity::Creep => self.trail.as_ref().and_then(Trail::creep),
            Quantity::SpeedMax => measure::largest(world).map(|[speed, _]| speed),
            Quantity::SpinMax => measure::largest(world).map(|[_, spin]| spin),
            Quantity::RestTime => self.rest.filter(|_| stepped),
            Quantity::Fallen => self.places.fallen(world).map(|n| real(n as u64)),
            Quantity::Toppled => self.places.toppled(world).map(|n| real(n as u64)),
            Quantity::NaturalMap => natural_map(&self.capture.solved),
            Quantity::RelaxedNaturalMap => natural_map(&self.capture.relaxed),
            Quantity::Rows => stepped.then(|| real(total.rows as u64)),
            Quantity::FrameSweeps => stepped.then(|| real(self.frame_work[0])),
            Quantity::RowUpdates => stepped.then(|| real(self.frame_work[1])),
            Quantity::SolveSweeps => self
                .recent_solves
                .map(|solves| f64::from(solves.most_sweeps)),
            Quantity::SolveResidual => {
                let own = self.recent_solves.and_then(|solves| solves.residual);
                own.or(self.capture.worst)
            }
            Quantity::StoppedByTolerance => total.solves.map(|s| f64::from(s.by_tolerance)),
            Quantity::StoppedByLimit => total.solves.map(|s| f64::from(s.by_limit)),
            Quantity::StoppedBySolver => total.solves.map(|s| f64::from(s.by_solver)),
            Quantity::StoppedByCount => total.solves.map(|s| f64::from(s.by_count)),
            Quantity::UnsolvedSolves => total.solves.map(|s| f64::from(s.unsolved)),
            Quantity::RepeatedSteps => total.solves.map(|s| f64::from(s.repeated)),
            Quantity::ContactsBegun => self.events(world).map(|[begun, _]| begun),
            Quantity::ContactsEnded => self.events(world).map(|[_, ended]| ended),
            of_contacts => self.contacts(world, facts).value(of_contacts),
        }
    }

    /// Energy that did not come from outside (R.4) \[J\].
    fn gained(&self, facts: &Readings) -> f64 {
        let outside = self.total.drive_work + self.total.applied_work;
        facts.energy.total() - self.start.0.total() - outside
    }

    /// Momentum that did not come from outside (R.5), (R.6).
    fn momentum_error(&self, facts: &Readings) -> Momentum {
        let (now, start, outside) = (&facts.momentum, &self.start.1, &self.total.external);
        Momentum {
            linear: (now.linear - start.linear) - outside.linear,
            angular: (now.angular - start.angular) - outside.angular,
        }
    }

    /// Pairs of colliders whose contact began and ended with the frame (R.22) \[-\].
    fn events(&self, world: &World) -> Option<[f64; 2]> {
        let events = world.contact_events();
        let counts = [&events.begun, &events.ended].map(|pairs| real(pairs.len() as u64));
        (self.frames > 0 && !world.colliders().is_empty()).then_some(counts)
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
    energy: Energy,
    momentum: Momentum,
    contacts: OnceCell<Contacts>,
}

/// True for what is read off the overlaps of contact points.
fn is_of_overlaps(observable: &Observable) -> bool {
    let Observable::Quantity(quantity) = observable else {
        return false;
    };
    quantity.is_of_overlaps()
}

/// The pairs of bodies whose contacts are asked for, once each.
fn pairs(observables: &[Observable]) -> Vec<[usize; 2]> {
    let pair = |observable: &Observable| match observable {
        Observable::Contact { bodies, .. } => numbers(*bodies),
        _ => None,
    };
    let mut pairs: Vec<[usize; 2]> = observables.iter().filter_map(pair).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Residual of an answer (M.4); `None` without one, or where the numbers are out of range.
fn natural_map(kept: &Option<(Problem, Vec<f64>)>) -> Option<f64> {
    let (problem, impulses) = kept.as_ref()?;
    residual(problem, impulses)
}
