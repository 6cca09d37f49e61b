//! Runs one cell: a traced pass that judges, and untraced passes that only take time.
//!
//! The traced pass iterates in chunks and evaluates metrics between them; it decides when the solve
//! ends, at sweeps that do not depend on the samples (docs/theory/02-metrics.md, "When a solve
//! ends"). The untraced passes repeat exactly that number of sweeps, with nothing but the clock
//! around them and, a few times per second, a look at the flag that cancels. Both must end with the
//! same bits, or the cell is reported as broken.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use delassus_core::{
    DeviceError, Fidelity, ImpulseSolver, Problem, SolveError, SolverFacts, Start, Status,
    interrupt,
};
use delassus_metrics::{MetricError, ulp};
use delassus_records::guard::caught;
use sha2::{Digest, Sha256};

use crate::judge::{Judge, JudgeError};
use crate::key;
use crate::record::{HIDDEN, Outcome, Payload, Solve, WorstBlock};

mod redundancy;
mod repeat;
mod spread;
mod trace;

use trace::{Trace, traced};

/// When a solve ends.
#[derive(Debug, Clone, PartialEq)]
pub struct StopRule {
    /// Every criterion must be at most this \[-\].
    pub tolerance: f64,
    /// Sweep limit \[-\].
    pub max_sweeps: u64,
    /// Limit on the time inside the traced pass's `prepare` and `iterate` \[s\]. Solvers ask in
    /// between, inside factorizations too, so that it holds within a fifth; it makes the outcome
    /// depend on the machine. A pass that nobody samples is made only if it fits into what is left.
    pub max_seconds: Option<f64>,
    /// Limit on the time of the whole traced pass, with everything that judges \[s\].
    pub max_wall: Option<f64>,
    /// The solve has diverged when the worst criterion exceeds this multiple of its start and of 1
    /// \[-\].
    pub divergence: f64,
}

impl Default for StopRule {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_sweeps: 10_000,
            max_seconds: None,
            max_wall: None,
            divergence: 1e12,
        }
    }
}

/// When the traced pass takes samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleSchedule {
    /// After every this many sweeps.
    Every(u64),
    /// After every sweep at first, then whenever the sweeps have grown by this ratio (> 1).
    Geometric(f64),
}

impl SampleSchedule {
    /// The number of sweeps of the sample after the one at `sweeps`.
    pub fn next(self, sweeps: u64) -> u64 {
        match self {
            Self::Every(step) => sweeps.saturating_add(step.max(1)),
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a schedule: the product is positive and rounding it moves a sample by one sweep"
            )]
            Self::Geometric(ratio) => (sweeps + 1).max((sweeps as f64 * ratio) as u64),
        }
    }
}

/// Everything about a cell's run that is not the problem or the solver.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// When the solve ends.
    pub stop: StopRule,
    /// When samples are taken.
    pub schedule: SampleSchedule,
    /// Passes that nobody samples \[-\]; their times are those of the record.
    pub repetitions: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            stop: StopRule::default(),
            schedule: SampleSchedule::Geometric(1.05),
            repetitions: 1,
        }
    }
}

/// Solves `problem` and returns the outcome with the final impulses \[N·s\].
///
/// `judge` evaluates the metrics; its criteria decide. Setting `cancel` ends the solve or its
/// timing within a second or one sweep with [`Status::Cancelled`]. No failure of the solver
/// escapes: every one is a status.
pub fn drive(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    start: Start<'_>,
    judge: &mut Judge<'_>,
    options: &Options,
    cancel: &AtomicBool,
) -> (Outcome, Vec<f64>) {
    let (mut outcome, impulses) = judged(solver, problem, start, judge, options, cancel);
    let repetitions = repetitions(&outcome, options);
    for _ in 0..repetitions {
        timed_pass((solver, problem, start), cancel, &impulses, &mut outcome);
    }
    let repeated = (solver, problem, start);
    spread(repeated, judge, (options, cancel), &impulses, &mut outcome);
    (outcome, impulses)
}

/// Passes that nobody samples: none where the traced pass has left its own times, for no other fits
/// into the limit \[-\].
pub(crate) fn repetitions(outcome: &Outcome, options: &Options) -> u32 {
    if outcome.iterate_seconds.is_empty() {
        options.repetitions
    } else {
        0
    }
}

/// The traced pass alone: the outcome without times unless the limit has no room for another pass,
/// and the final impulses \[N·s\].
pub(crate) fn judged(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    start: Start<'_>,
    judge: &mut Judge<'_>,
    options: &Options,
    cancel: &AtomicBool,
) -> (Outcome, Vec<f64>) {
    let approximations = match understood(solver, problem) {
        Ok(approximations) => approximations,
        Err(refused) => return (*refused, Vec::new()),
    };
    if let Err(error @ JudgeError::NotApplicable { .. }) = judge.check_criteria() {
        let refused = Outcome::without_samples(Status::Unsupported, error.to_string());
        return (refused, Vec::new());
    }
    let mut trace = Trace::new(problem.rows());
    let before = facts(solver).factorizations;
    let (status, message) =
        guarded(|| traced(solver, problem, start, judge, options, cancel, &mut trace));
    let facts = facts(solver);
    let repeatable = is_repeatable(status);
    let impulse_hash = repeatable.then(|| hash(&trace.impulses));
    let (prepare_seconds, seconds) = (trace.prepare_seconds, trace.seconds);
    let elapsed = trace.elapsed();
    let mut outcome = Outcome {
        status,
        message,
        approximations,
        metrics: judge.names().to_vec(),
        samples: trace.samples.into(),
        sweeps: trace.sweeps,
        row_updates: trace.row_updates,
        factorizations: since(before, facts.factorizations),
        prepare_seconds: Vec::new(),
        iterate_seconds: Vec::new(),
        impulse_hash: impulse_hash.unwrap_or_default(),
        limit: None,
        payload: Payload::default(),
    };
    let mut solve = Solve {
        worst_block: None,
        reference: judge.reference_source().map(str::to_owned),
        // a search that has not begun has found nothing, which is not the same as no solution
        solutions: facts
            .solutions
            .filter(|found| found.complete || !found.list.is_empty()),
        decisions: facts.decisions,
    };
    if repeatable {
        let (impulses, tolerance) = (&trace.impulses, options.stop.tolerance);
        solve.worst_block = note_worst_block(&mut outcome, judge, impulses, tolerance);
        note_disc_form(&mut outcome, judge, impulses, tolerance);
    }
    outcome.payload = Payload::Solve(solve);
    if repeatable && leaves_no_room(status, (seconds, elapsed), &options.stop) {
        outcome.prepare_seconds.push(prepare_seconds);
        outcome.iterate_seconds.push(seconds - prepare_seconds);
    }
    (outcome, trace.impulses)
}

/// True if a pass of so many seconds does not fit into a limit once more, after all that has
/// elapsed \[s\].
fn leaves_no_room(status: Status, (seconds, elapsed): (f64, f64), stop: &StopRule) -> bool {
    let solver = stop.max_seconds.map(|limit| limit - seconds);
    let wall = stop.max_wall.map(|limit| limit - elapsed);
    let mut left = solver.into_iter().chain(wall);
    status == Status::MaxTime || left.any(|left| seconds > left)
}

/// What the solver reports about its work; nothing if it panics.
pub(crate) fn facts(solver: &dyn ImpulseSolver) -> SolverFacts {
    caught(|| solver.facts()).unwrap_or_default()
}

/// Factorizations between two counts of a solver \[-\].
pub(crate) fn since(before: Option<u64>, now: Option<u64>) -> Option<u64> {
    Some(now?.saturating_sub(before.unwrap_or(0)))
}

/// What is known when the passes have ended: rank and condition, and the problem solved again in
/// other orders, where that is asked for.
pub(crate) fn spread(
    repeated: (&mut dyn ImpulseSolver, &Problem, Start<'_>),
    judge: &mut Judge<'_>,
    with: (&Options, &AtomicBool),
    impulses: &[f64],
    outcome: &mut Outcome,
) {
    if judge.wants_rank() && !outcome.samples.is_empty() {
        redundancy::add(repeated.1, judge, outcome);
    }
    if outcome.status == Status::Solved && judge.wants_spread() {
        spread::add(repeated, judge, with, impulses, outcome);
    }
}

/// True if the traced pass came to an end that untraced passes come to again.
fn is_repeatable(status: Status) -> bool {
    matches!(
        status,
        Status::Solved
            | Status::MaxSweeps
            | Status::MaxTime
            | Status::Stagnated
            | Status::Cycling(_)
            | Status::Diverged
    )
}

/// The worst block; the outcome says so where a solve is one as a whole only.
fn note_worst_block(
    outcome: &mut Outcome,
    judge: &mut Judge<'_>,
    impulses: &[f64],
    tolerance: f64,
) -> Option<WorstBlock> {
    // what cannot be judged has its status already
    let Ok(Some((block, residual))) = judge.worst_block(impulses) else {
        return None;
    };
    let hidden = outcome.status == Status::Solved && residual > HIDDEN * tolerance;
    if hidden {
        outcome.message = Some(format!(
            "solved as a whole, but block {block} is not: natural_map_block {residual:.1e}"
        ));
    }
    Some(WorstBlock {
        block,
        residual,
        hidden,
    })
}

/// Says so where the published natural map would pass and its disc form does not (M.39).
fn note_disc_form(outcome: &mut Outcome, judge: &mut Judge<'_>, impulses: &[f64], tolerance: f64) {
    let evaluator = judge.evaluator();
    let published = evaluator.natural_map(impulses);
    let decides = evaluator.deciding_natural_map(impulses);
    let (Ok(published), Ok(decides)) = (published, decides) else {
        return;
    };
    if outcome.status == Status::Solved || published > tolerance || decides <= tolerance {
        return;
    }
    let note = format!("natural_map_disc {decides:.1e}, which natural_map does not show");
    outcome.message = Some(match outcome.message.take() {
        Some(message) => format!("{message}; {note}"),
        None => note,
    });
}

/// What the solver solves in place of the problem, empty if it solves the problem itself; the
/// outcome of a refusal.
pub(crate) fn understood(
    solver: &dyn ImpulseSolver,
    problem: &Problem,
) -> Result<Vec<String>, Box<Outcome>> {
    match solver.check(problem) {
        Ok(Fidelity::Exact) => Ok(Vec::new()),
        Ok(Fidelity::Approximate(reasons)) => Ok(reasons.into_iter().map(str::to_owned).collect()),
        Err(refusal) => Err(Box::new(Outcome::without_samples(
            Status::Unsupported,
            refusal.to_string(),
        ))),
    }
}

/// Turns every failure of a solver into a status: an error, or a panic of a solver that is not
/// ours.
pub(crate) fn guarded(run: impl FnOnce() -> Result<End, JudgeError>) -> End {
    match caught(run) {
        Ok(Ok(end)) => end,
        Ok(Err(error)) => (status_of(&error), Some(error.to_string())),
        Err(text) => (Status::Failed, Some(format!("the solver panicked: {text}"))),
    }
}

/// How a pass ended, with a reason where there is one.
pub(crate) type End = (Status, Option<String>);

/// Repeats the solve once without judging it, adds its times to the outcome, and checks that it
/// ends with the bits of the traced pass. Nothing happens to a solve that has no such end.
pub(crate) fn timed_pass(
    (solver, problem, start): (&mut dyn ImpulseSolver, &Problem, Start<'_>),
    cancel: &AtomicBool,
    traced: &[f64],
    outcome: &mut Outcome,
) {
    if !is_repeatable(outcome.status) {
        return;
    }
    let (status, message) = guarded(|| time(solver, problem, start, cancel, traced, outcome));
    if status != Status::Solved {
        outcome.status = status;
        outcome.message = message;
    }
}

fn time(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    start: Start<'_>,
    cancel: &AtomicBool,
    traced: &[f64],
    outcome: &mut Outcome,
) -> Result<End, JudgeError> {
    let mut impulses = vec![0.0; problem.rows()];
    let sweeps = outcome.sweeps;
    let (prepare, iterate) = pass(solver, problem, start, sweeps, cancel, &mut impulses)?;
    if cancel.load(Ordering::Relaxed) {
        return Ok((Status::Cancelled, None));
    }
    let mut pairs = impulses.iter().zip(traced);
    if !pairs.all(|(a, b)| a.to_bits() == b.to_bits()) {
        let apart = ulp::largest(&impulses, traced);
        let message = format!(
            "the untraced pass ended with other impulses than the traced pass, up to {apart} ulp apart"
        );
        return Ok((Status::Broken, Some(message)));
    }
    outcome.prepare_seconds.push(prepare);
    outcome.iterate_seconds.push(iterate);
    // nothing to report: the caller keeps the traced pass's status
    Ok((Status::Solved, None))
}

pub(crate) fn pass(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    start: Start<'_>,
    sweeps: u64,
    cancel: &AtomicBool,
    impulses: &mut [f64],
) -> Result<(f64, f64), SolveError> {
    let clock = Instant::now();
    solver.prepare(problem, start)?;
    let prepare = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let limits = Limits {
        cancel,
        seconds: None,
    };
    iterate(solver, problem, sweeps, &limits)?;
    let iterate = clock.elapsed().as_secs_f64();
    solver.read_impulses(impulses)?;
    Ok((prepare, iterate))
}

/// Rows between two looks at the flag that cancels \[-\]: a quarter of a second at 15 ns each.
const ROWS_PER_LOOK: u64 = 1 << 24;

/// What several calls of `iterate` did together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WorkDone {
    pub(crate) sweeps: u64,
    pub(crate) row_updates: u64,
    seconds: f64,
    pub(crate) finished: bool,
    /// True if the limit ended a part, or left no room for the next one.
    interrupted: bool,
}

/// Runs `work` so that a solver ends when so many seconds are over, where there is such a limit.
pub(crate) fn limited<R>(seconds: Option<f64>, work: impl FnOnce() -> R) -> R {
    let Some(seconds) = seconds else {
        return work();
    };
    let clock = Instant::now();
    let left = move || seconds - clock.elapsed().as_secs_f64();
    interrupt::within(Arc::new(left), work)
}

/// What ends a long call before its last sweep.
pub(crate) struct Limits<'a> {
    pub(crate) cancel: &'a AtomicBool,
    /// Time that is left \[s\].
    pub(crate) seconds: Option<f64>,
}

/// Iterates `sweeps` times in long pieces; fewer if the method finishes, time is up or the user
/// cancels.
pub(crate) fn iterate(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    sweeps: u64,
    limits: &Limits<'_>,
) -> Result<WorkDone, SolveError> {
    let rows = problem.rows().max(1) as u64;
    let piece = (ROWS_PER_LOOK / rows).max(1);
    let mut work = WorkDone::default();
    let clock = Instant::now();
    let mut left = sweeps;
    while left > 0 && !work.finished {
        let chunk = u32::try_from(piece.min(left)).unwrap_or(u32::MAX);
        let remaining = limits.seconds.map(|limit| limit - work.seconds);
        let outcome = limited(remaining, || solver.iterate(problem, chunk));
        work.seconds = clock.elapsed().as_secs_f64();
        let late = limits.seconds.is_some_and(|limit| work.seconds >= limit);
        let progress = match outcome {
            Ok(progress) => progress,
            // what a solver says whose time is up is no answer
            Err(error) if late || error == SolveError::Interrupted => {
                work.interrupted = true;
                break;
            }
            Err(error) => return Err(error),
        };
        work.sweeps += u64::from(progress.sweeps);
        work.row_updates += progress.row_updates;
        work.finished = progress.finished;
        left -= u64::from(progress.sweeps.min(chunk));
        if progress.sweeps == 0 || late || limits.cancel.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(work)
}

fn status_of(error: &JudgeError) -> Status {
    match error {
        JudgeError::Solve(SolveError::Unsupported(_)) => Status::Unsupported,
        // too large for this device is no fault of the run
        JudgeError::Solve(SolveError::Device(DeviceError::Limit { .. })) => Status::Unsupported,
        JudgeError::Solve(SolveError::Device(DeviceError::Lost { .. })) => Status::DeviceLost,
        JudgeError::Solve(SolveError::NonFinite { .. }) => Status::NonFinite,
        JudgeError::Solve(SolveError::Infeasible { .. }) => Status::Infeasible,
        JudgeError::Solve(SolveError::Ray(ray)) if ray.is_proof() => Status::Infeasible,
        JudgeError::Solve(SolveError::Ray(_) | SolveError::Unreached { .. }) => Status::Stagnated,
        JudgeError::Metric(MetricError::Overflow { .. }) => Status::Diverged,
        JudgeError::Metric(MetricError::NonFinite { .. }) => Status::NonFinite,
        _ => Status::Failed,
    }
}

/// SHA-256 of the impulses' little-endian bytes, hexadecimal.
pub fn hash(impulses: &[f64]) -> String {
    let mut hasher = Sha256::new();
    for x in impulses {
        hasher.update(x.to_le_bytes());
    }
    key::hex(&hasher.finalize())
}
