//! Runs one cell: a traced pass that judges, and untraced passes that only take time.
//!
//! The traced pass iterates in chunks and evaluates metrics between them; it decides when the solve
//! ends, at sweeps that do not depend on the samples (docs/theory/02-metrics.md, "When a solve
//! ends"). The untraced passes repeat exactly that number of sweeps, with nothing but the clock
//! around them and, a few times per second, a look at the flag that cancels. Both must end with the
//! same bits, or the cell is reported as broken. Solvers that declare no determinism are exempt.

use std::sync::atomic::{AtomicBool, Ordering};

use delassus_core::{
    Determinism, Fidelity, ImpulseSolver, PeerFacts, Problem, SolverFacts, Start, Status,
    depends_on_time,
};
use delassus_metrics::{Evaluator, ulp};
use delassus_records::guard::caught;
use sha2::{Digest, Sha256};

use crate::judge::{Judge, JudgeError};
use crate::key;
use crate::record::{HIDDEN, Outcome, Payload, PeerReport, Solve, WorstBlock};

mod options;
mod pass_end;
mod redundancy;
mod repeat;
mod spread;
mod task;
mod trace;

pub(crate) use options::SolveControl;
pub use options::{Options, SampleSchedule, StopRule};
pub(crate) use pass_end::{PassEnd, guarded};
pub(crate) use task::{Limits, PassTimes, SolveTask};
use trace::TracedPass;
pub(crate) use trace::cycle;

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
    let mut task = SolveTask {
        solver,
        problem,
        start,
    };
    let control = SolveControl { options, cancel };
    let (mut outcome, impulses) = judged(task.reborrow(), judge, control);
    for _ in 0..repetitions(&outcome, options) {
        timed_pass(&mut task, cancel, &impulses, &mut outcome);
    }
    spread(&mut task, judge, control, &impulses, &mut outcome);
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
    mut task: SolveTask<'_>,
    judge: &mut Judge<'_>,
    control: SolveControl<'_>,
) -> (Outcome, Vec<f64>) {
    let approximations = match accepted(&task, judge) {
        Ok(approximations) => approximations,
        Err(refused) => return (*refused, Vec::new()),
    };
    let stop = &control.options.stop;
    let before = facts(task.solver).factorizations;
    let (end, trace) = TracedPass::new(task.reborrow(), &mut *judge, control).run();
    let facts = facts(task.solver);
    let repeatable = is_answer(end.status);
    // another program has a clock of its own, without pipes around it
    let answered = facts.peer.as_ref().and_then(|peer| peer.answer.as_ref());
    let iterate = answered.map_or(trace.iterate_seconds, |answer| answer.seconds);
    let is_only_pass = repeatable && trace.leaves_no_room(end.status, stop);
    let mut outcome = Outcome {
        status: end.status,
        message: end.reason,
        approximations,
        metrics: judge.names().to_vec(),
        samples: trace.samples.into(),
        sweeps: trace.sweeps,
        row_updates: trace.row_updates,
        factorizations: since(before, facts.factorizations),
        prepare_seconds: Vec::new(),
        iterate_seconds: Vec::new(),
        impulse_hash: String::new(),
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
        peer: facts.peer.and_then(peer_report),
        worlds: Vec::new(),
    };
    if repeatable {
        let (impulses, tolerance) = (&trace.impulses, stop.tolerance);
        outcome.impulse_hash = hash(impulses);
        solve.worst_block = note_worst_block(&mut outcome, judge, impulses, tolerance);
        note_disc_form(&mut outcome, judge, impulses, tolerance);
    }
    outcome.payload = Payload::Solve(solve);
    if is_only_pass {
        outcome.prepare_seconds.push(trace.prepare_seconds);
        outcome.iterate_seconds.push(iterate);
    }
    (outcome, trace.impulses)
}

fn peer_report(peer: PeerFacts) -> Option<PeerReport> {
    Some(PeerReport {
        restarted: peer.restarts,
        answer: peer.answer?,
    })
}

/// What the solver solves in place of the problem; the outcome of a refusal, by the solver or by a
/// criterion that has no value here.
fn accepted(task: &SolveTask<'_>, judge: &mut Judge<'_>) -> Result<Vec<String>, Box<Outcome>> {
    let approximations = accept(task.solver, task.problem)?;
    if let Err(error @ JudgeError::NotApplicable { .. }) = judge.check_criteria() {
        let refused = Outcome::without_samples(Status::Unsupported, error.to_string());
        return Err(Box::new(refused));
    }
    Ok(approximations)
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
    task: &mut SolveTask<'_>,
    judge: &mut Judge<'_>,
    control: SolveControl<'_>,
    impulses: &[f64],
    outcome: &mut Outcome,
) {
    if judge.wants_rank() && !outcome.samples.is_empty() {
        redundancy::add(task.problem, judge, outcome);
    }
    if outcome.status == Status::Solved && judge.wants_spread() {
        spread::add(task, judge, control, impulses, outcome);
    }
}

/// True for a status that a solve ends with by itself, with impulses: untraced passes come to it
/// again.
pub(crate) fn is_answer(status: Status) -> bool {
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
    let worst = WorstBlock {
        block,
        residual,
        hidden,
    };
    if hidden {
        outcome.message = Some(hidden_block(&worst));
    }
    Some(worst)
}

/// What is said of a solve that is one as a whole, and not in one block.
pub(crate) fn hidden_block(worst: &WorstBlock) -> String {
    let WorstBlock {
        block, residual, ..
    } = worst;
    format!("solved as a whole, but block {block} is not: natural_map_block {residual:.1e}")
}

/// Says so where the published natural map would pass and its disc form does not (M.39).
fn note_disc_form(outcome: &mut Outcome, judge: &mut Judge<'_>, impulses: &[f64], tolerance: f64) {
    let evaluator = judge.evaluator();
    if let Some(note) = disc_form(outcome.status, evaluator, impulses, tolerance) {
        outcome.note(&note);
    }
}

/// What is said of impulses whose published natural map passes and whose disc form does not.
pub(crate) fn disc_form(
    status: Status,
    evaluator: &mut Evaluator<'_>,
    impulses: &[f64],
    tolerance: f64,
) -> Option<String> {
    let published = evaluator.natural_map(impulses).ok()?;
    let decides = evaluator.deciding_natural_map(impulses).ok()?;
    let differ = status != Status::Solved && published <= tolerance && decides > tolerance;
    differ.then(|| format!("natural_map_disc {decides:.1e}, which natural_map does not show"))
}

/// What the solver solves in place of the problem, empty if it solves the problem itself; the
/// outcome of a refusal.
pub(crate) fn accept(
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

/// Repeats the solve once without judging it, adds its times to the outcome, and checks that it
/// ends with the bits of the traced pass. Nothing happens to a solve that has no such end.
pub(crate) fn timed_pass(
    task: &mut SolveTask<'_>,
    cancel: &AtomicBool,
    traced: &[f64],
    outcome: &mut Outcome,
) {
    if !is_answer(outcome.status) {
        return;
    }
    match guarded(|| repeat_pass(task, outcome.sweeps, cancel, traced)) {
        Ok(times) => {
            outcome.prepare_seconds.push(times.prepare);
            outcome.iterate_seconds.push(times.iterate);
        }
        Err(end) => {
            outcome.status = end.status;
            outcome.message = end.reason;
        }
    }
}

/// True if another pass may end with other bits than the one that has just ended.
pub(crate) fn varies(solver: &dyn ImpulseSolver) -> bool {
    solver.descriptor().determinism == Determinism::None
        || depends_on_time(&facts(solver).decisions)
}

/// Times of an untraced pass that ends with the bits of the traced pass, unless these may vary.
fn repeat_pass(
    task: &mut SolveTask<'_>,
    sweeps: u64,
    cancel: &AtomicBool,
    traced: &[f64],
) -> Result<PassTimes, PassEnd> {
    let mut impulses = vec![0.0; task.problem.rows()];
    let varies = varies(task.solver);
    let times = task.pass(sweeps, cancel, &mut impulses)?;
    if cancel.load(Ordering::Relaxed) {
        return Err(PassEnd::plain(Status::Cancelled));
    }
    let mut pairs = impulses.iter().zip(traced);
    if !varies && !pairs.all(|(a, b)| a.to_bits() == b.to_bits()) {
        let apart = ulp::largest(&impulses, traced);
        let reason = format!(
            "the untraced pass ended with other impulses than the traced pass, up to {apart} ulp apart"
        );
        return Err(PassEnd::because(Status::Broken, reason));
    }
    Ok(times)
}

/// SHA-256 of the impulses' little-endian bytes, hexadecimal.
pub fn hash(impulses: &[f64]) -> String {
    let mut hasher = Sha256::new();
    for x in impulses {
        hasher.update(x.to_le_bytes());
    }
    key::hex(&hasher.finalize())
}
