//! Runs one scene with one scheme: a traced pass that measures, and untraced passes that only take
//! time.
//!
//! The traced pass reads observables after frames; the untraced passes repeat the same frames with
//! no probe and nothing but the clock around them. Both must end with the same bits of the world's
//! state, or the run is reported as broken. The scheme is built anew for every pass, so that none
//! starts with what another left behind.
//!
//! Theory: `docs/theory/12-trajectories.md`.

mod contacts;
mod ending;
mod freeze;
mod measure;
mod observer;
mod places;
mod resolve;
mod setup;
mod start;
#[cfg(test)]
mod tests;
mod trace;
mod trail;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use delassus_core::Status;
use delassus_dynamics::{Scheme, SchemeError, World};
use delassus_metrics::series::Summary;
use delassus_records::record::{Depths, Moment, Sample, median, series};

pub use delassus_records::observable::{
    BodyPart, Observable, ObservableDoc, PROBES, Quantity, Subject, UnknownObservable,
};
pub use freeze::{Capture, FrozenSubstep, freeze};
pub use resolve::{has, resolved};
pub use setup::build_scheme;
pub use start::{RunStart, start};

use ending::{PassEnd, PassError, guarded, step_error};
pub use observer::LastSolve;
use trace::Trace;

/// A part of a run with one frame length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leg {
    /// Frame length \[s\].
    pub dt: f64,
    /// Number of frames \[-\].
    pub frames: u32,
}

/// Builds the scheme of a pass.
pub type SchemeBuilder<'a> = dyn Fn() -> Result<Box<dyn Scheme>, SchemeError> + 'a;

/// Everything that determines a run.
pub struct Simulation<'a> {
    /// The world at the start.
    pub world: &'a World,
    /// Builds the scheme.
    pub scheme: &'a SchemeBuilder<'a>,
    /// The frames, part after part.
    pub legs: &'a [Leg],
    /// Frames per sample \[-\]; the start and the last frame are sampled too.
    pub every: u32,
    /// What is read at every sample.
    pub observables: &'a [Observable],
    /// Untraced passes \[-\].
    pub repetitions: u32,
    /// Limit on the time inside the traced pass's steps \[s\]; makes the outcome depend on the
    /// machine.
    pub max_seconds: Option<f64>,
}

impl std::fmt::Debug for Simulation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation")
            .field("legs", &self.legs)
            .field("every", &self.every)
            .field("observables", &self.observables)
            .finish_non_exhaustive()
    }
}

/// What was observed of a run, and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedRun {
    /// How it ended; `Solved` means that it ran to its end.
    pub status: Status,
    /// Why, where the status does not say it all.
    pub message: Option<String>,
    /// What scheme and solver solve instead of what the scene asks for; empty if they are exact.
    pub approximations: Vec<String>,
    /// Identifiers of the observables in [`Sample::values`].
    pub observables: Vec<String>,
    /// Samples of the traced pass, in order; the first is the start.
    pub samples: Vec<Sample>,
    /// When they were taken, one each.
    pub moments: Vec<Moment>,
    /// Overlaps of all contact points of all samples, where one of their observables was asked for.
    pub depths: Option<Depths>,
    /// Frames that were stepped \[-\].
    pub frames: u64,
    /// Work units of the solver \[-\].
    pub sweeps: u64,
    /// Row updates \[-\].
    pub row_updates: u64,
    /// Matrices that the solver factorized \[-\], where it counts them.
    pub factorizations: Option<u64>,
    /// Seconds of all steps in each untraced pass \[s\].
    pub pass_seconds: Vec<f64>,
    /// Hash of the bits of the last state, hexadecimal; empty if there is none.
    pub state_hash: String,
}

impl ObservedRun {
    /// A run that did not start.
    pub fn without_samples(status: Status, message: impl Into<String>) -> Self {
        Self {
            status,
            message: Some(message.into()),
            approximations: Vec::new(),
            observables: Vec::new(),
            samples: Vec::new(),
            moments: Vec::new(),
            depths: None,
            frames: 0,
            sweeps: 0,
            row_updates: 0,
            factorizations: None,
            pass_seconds: Vec::new(),
            state_hash: String::new(),
        }
    }

    /// Position of an observable in the samples.
    pub fn column(&self, observable: &str) -> Option<usize> {
        self.observables.iter().position(|id| id == observable)
    }

    /// Times and values of an observable, without the samples where it has no value \[s\],
    /// \[unit\].
    pub fn series(&self, observable: &str) -> Option<(Vec<f64>, Vec<f64>)> {
        let column = self.column(observable)?;
        let samples = self.samples.iter();
        let values = samples.map(|sample| sample.values.get(column).copied().flatten());
        Some(series(values, &self.moments))
    }

    /// What the series of an observable comes to.
    pub fn summary(&self, observable: &str) -> Option<Summary> {
        let (times, values) = self.series(observable)?;
        Some(Summary::of(&times, &values))
    }

    /// Median over the untraced passes of the mean seconds per frame \[s\].
    pub fn step_seconds(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let frames = self.frames as f64;
        median(self.pass_seconds.clone()).map(|seconds| seconds / frames)
    }
}

/// A speed beyond which rigid bodies have no meaning, that of light \[m/s\].
const SPEED_LIMIT: f64 = 299_792_458.0;

/// Runs `simulation` and measures it.
///
/// Setting `cancel` ends the run after the frame with [`Status::Cancelled`]. No failure of the
/// scheme or its solver escapes: every one is a status.
pub fn simulate(simulation: &Simulation<'_>, cancel: &AtomicBool) -> ObservedRun {
    simulate_watched(simulation, cancel, &mut ())
}

/// Sees the world after every frame of the traced pass, counted from one.
pub trait Watch {
    /// True if the last solve of a frame is to be kept for [`Self::frame`].
    fn wants_solve(&self, frame: u64) -> bool;

    /// Looks at the world after a frame; `solve` is `None` where it was not asked for or the scheme
    /// freezes no problem.
    fn frame(&mut self, frame: u64, world: &World, solve: Option<LastSolve<'_>>);
}

/// Nobody looks.
impl Watch for () {
    fn wants_solve(&self, _: u64) -> bool {
        false
    }

    fn frame(&mut self, _: u64, _: &World, _: Option<LastSolve<'_>>) {}
}

/// The same as [`simulate`] with someone who looks at every frame of the traced pass, outside of
/// its clock; the timed passes are not looked at.
pub fn simulate_watched(
    simulation: &Simulation<'_>,
    cancel: &AtomicBool,
    watch: &mut dyn Watch,
) -> ObservedRun {
    let observables = match resolve::all_resolved(simulation.world, simulation.observables) {
        Ok(observables) => observables,
        Err(missing) => return ObservedRun::without_samples(Status::Unsupported, missing),
    };
    let mut trace = Trace::new(simulation.world, observables);
    let end = guarded(|| traced(simulation, cancel, &mut trace, watch));
    let (mut status, mut message) = end.unwrap_or_else(|failure| failure);
    let frames = trace.observer.frames();
    let mut pass_seconds = Vec::new();
    let mut state_hash = String::new();
    let world = trace.world;
    if matches!(status, Status::Solved | Status::MaxTime | Status::Diverged) {
        let hash = world.state_hash();
        state_hash = format!("{hash:016x}");
        // a timed pass has a world of its own, and the estimate is of one at a time
        drop(world);
        let goal = TracedEnd { frames, hash };
        match guarded(|| timed(simulation, cancel, &goal, &mut pass_seconds)) {
            Ok(None) => {}
            Ok(Some(end)) | Err(end) => (status, message) = end,
        }
    }
    let ids = simulation.observables.iter();
    ObservedRun {
        status,
        message,
        approximations: trace.approximations,
        observables: ids.map(Observable::id).collect(),
        samples: trace.samples,
        moments: trace.moments,
        depths: trace.observer.depths(),
        frames,
        sweeps: trace.observer.sweeps(),
        row_updates: trace.observer.row_updates(),
        factorizations: trace.factorizations,
        pass_seconds,
        state_hash,
    }
}

/// The frame lengths of a run, one after the other \[s\].
fn frame_lengths(legs: &[Leg]) -> impl Iterator<Item = f64> + '_ {
    let frames = |leg: &Leg| std::iter::repeat_n(leg.dt, leg.frames as usize);
    legs.iter().flat_map(frames)
}

fn traced(
    simulation: &Simulation<'_>,
    cancel: &AtomicBool,
    trace: &mut Trace,
    watch: &mut dyn Watch,
) -> Result<PassEnd, PassError> {
    let mut scheme = (simulation.scheme)()?;
    let lacks = trace.begin(scheme.as_ref(), simulation.observables)?;
    let total: u64 = simulation
        .legs
        .iter()
        .map(|leg| u64::from(leg.frames))
        .sum();
    let every = u64::from(simulation.every.max(1));
    let mut seconds = 0.0;
    for dt in frame_lengths(simulation.legs) {
        if cancel.load(Ordering::Relaxed) {
            return Ok((Status::Cancelled, None));
        }
        let frame = trace.observer.frames() + 1;
        let sampled = frame.is_multiple_of(every) || frame == total;
        let clock = Instant::now();
        let report = scheme
            .step(
                &mut trace.world,
                dt,
                trace.observer.probe(sampled, watch.wants_solve(frame)),
            )
            .map_err(|source| step_error(&trace.world, frame - 1, source))?;
        seconds += clock.elapsed().as_secs_f64();
        trace.observer.record(&trace.world, &report);
        trace.factorizations = scheme.factorizations();
        watch.frame(frame, &trace.world, trace.observer.last_solve());
        if sampled {
            trace.sample();
        }
        let speed = measure::fastest(&trace.world);
        if speed > SPEED_LIMIT {
            let step = frame - 1;
            let message = format!("frame {step}: a body moves at {speed:.3e} m/s at its end");
            return Ok((Status::Diverged, Some(message)));
        }
        if simulation.max_seconds.is_some_and(|limit| seconds > limit) && frame < total {
            return Ok((Status::MaxTime, lacks));
        }
    }
    Ok((Status::Solved, lacks))
}

/// Where the traced pass ended: what every other pass has to reach.
struct TracedEnd {
    frames: u64,
    /// Hash of the state of its world.
    hash: u64,
}

/// Repeats the frames without probes and checks that they end with the same bits; `None` if all
/// passes do.
fn timed(
    simulation: &Simulation<'_>,
    cancel: &AtomicBool,
    goal: &TracedEnd,
    pass_seconds: &mut Vec<f64>,
) -> Result<Option<PassEnd>, PassError> {
    if goal.frames == 0 {
        return Ok(None);
    }
    for _ in 0..simulation.repetitions {
        let mut scheme = (simulation.scheme)()?;
        let mut world = simulation.world.clone();
        let mut own_seconds: Option<f64> = None;
        let clock = Instant::now();
        for (frame, dt) in (1..=goal.frames).zip(frame_lengths(simulation.legs)) {
            if cancel.load(Ordering::Relaxed) {
                return Ok(Some((Status::Cancelled, None)));
            }
            let report = scheme
                .step(&mut world, dt, &mut ())
                .map_err(|source| step_error(&world, frame - 1, source))?;
            if let Some(seconds) = report.seconds {
                *own_seconds.get_or_insert_default() += seconds;
            }
        }
        // the clock of an engine leaves out the pipes and the writing of its answers
        let seconds = own_seconds.unwrap_or_else(|| clock.elapsed().as_secs_f64());
        if world.state_hash() != goal.hash {
            let message = "the untraced pass ended in another state than the traced pass";
            return Ok(Some((Status::Broken, Some(message.to_owned()))));
        }
        pass_seconds.push(seconds);
    }
    Ok(None)
}
