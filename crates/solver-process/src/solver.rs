//! A peer behind the solver trait: requests, answers, and what makes an answer unusable.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use delassus_core::parameter::{Map, Value};
use delassus_core::{
    Choice, Claim, Fidelity, ImpulseSolver, LawKind, PeerAnswer, PeerClock, PeerFacts,
    PeerIdentity, Problem, Progress, SolveError, SolverDescriptor, SolverFacts, Start, Support,
    Unsupported, WorkUnit, interrupt,
};
use delassus_problems::{NamedProblem, snapshot_bytes};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::child::Peer;
use crate::frame::{FrameArray, PeerMessage};
use crate::hello::{DeclaredSolver, Hello, support};
use crate::pool;
use crate::program::PeerProgram;

/// Time beyond its limit that a peer has to answer \[s\].
const GRACE: f64 = 5.0;
/// Iterations that a peer gets whose iterations have no meaning \[-\].
const DIRECT: u64 = 1_000_000;
/// Bytes of an answer's arrays in addition to four numbers per row \[B\].
const SPARE: u64 = 64 << 10;
/// Bytes of a message of a peer that are kept \[B\].
const MOST_MESSAGE: usize = 2000;
/// Residuals of an answer that are kept \[-\].
const MOST_RESIDUALS: usize = 16;

/// What a user sets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SolverSettings {
    /// Tolerance of the peer, in its unit.
    pub(crate) tolerance: f64,
    /// Time of one solve \[s\].
    pub(crate) seconds: f64,
    /// Parameters of the peer.
    pub(crate) parameters: Map,
}

/// A solver in a process of its own.
///
/// Where the peer cannot go on from where it stopped, each call of `iterate` asks it to solve from
/// the start again, with a higher limit of iterations: a ladder.
#[derive(Debug)]
pub struct ProcessSolver {
    descriptor: SolverDescriptor,
    program: Arc<PeerProgram>,
    identity: PeerIdentity,
    solver: String,
    laws: BTreeMap<LawKind, Support>,
    chunks: bool,
    takes_compliance: bool,
    settings: SolverSettings,
    peer: Option<Peer>,
    task: Option<PeerTask>,
}

/// A problem that a peer has or will get.
#[derive(Debug)]
struct PeerTask {
    bytes: Vec<u8>,
    digest: [u8; 32],
    /// True if the running process has it.
    sent: bool,
    /// `None` for a cold start.
    start: Option<Vec<f64>>,
    impulses: Vec<f64>,
    /// Iterations done \[-\].
    done: u64,
    finished: bool,
    /// Where the solve ended by itself: iterations, and the limit that they were asked with.
    end: Option<(u64, u64)>,
    /// Time of the peer so far \[s\].
    seconds: f64,
    answer: Option<PeerAnswer>,
}

impl ProcessSolver {
    pub(crate) fn new(
        descriptor: SolverDescriptor,
        program: Arc<PeerProgram>,
        hello: Arc<Hello>,
        declared: &DeclaredSolver,
        settings: SolverSettings,
    ) -> Self {
        let laws = declared
            .laws
            .iter()
            .filter_map(|(law, words)| Some((LawKind::from_name(law).ok()?, support(words))));
        Self {
            descriptor,
            program,
            identity: PeerIdentity {
                peer: hello.peer.clone(),
                version: hello.version.clone(),
                hash: hello.hash.clone(),
            },
            solver: declared.name.clone(),
            laws: laws.collect(),
            chunks: declared.chunks,
            takes_compliance: declared.compliance != "none",
            settings,
            peer: None,
            task: None,
        }
    }

    /// The declared laws of the blocks, without the forms that they share.
    fn check_kinds(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        let mut reasons = Vec::new();
        for (index, block) in problem.blocks().iter().enumerate() {
            let law = block.law.kind();
            match self.laws.get(&law) {
                Some(Support::Exact) => {}
                Some(Support::Approximate(reason)) if reasons.contains(reason) => {}
                Some(Support::Approximate(reason)) => reasons.push(*reason),
                None => {
                    return Err(Unsupported::Law {
                        solver: self.descriptor.id,
                        block: index,
                        law,
                    });
                }
            }
        }
        Ok(match reasons.is_empty() {
            true => Fidelity::Exact,
            false => Fidelity::Approximate(reasons),
        })
    }

    fn failed(&self, reason: impl Into<String>) -> SolveError {
        SolveError::Process {
            program: self.program.name.clone(),
            reason: reason.into(),
        }
    }

    /// Sends a request to a running process; one that does not answer is gone.
    fn ask(
        &mut self,
        frame: PeerMessage,
        allowed: u64,
        seconds: f64,
    ) -> Result<PeerMessage, SolveError> {
        let mut peer = match self.peer.take() {
            Some(peer) => peer,
            None => pool::take(&self.program).map_err(|fault| self.failed(fault))?,
        };
        let clock = Instant::now();
        match peer.ask(frame, allowed, seconds) {
            Ok(answer) => {
                self.peer = Some(peer);
                Ok(answer)
            }
            Err(fault) => {
                pool::failed(&self.program);
                // it has had the time of the caller and the grace, and was ended
                if clock.elapsed().as_secs_f64() >= seconds && interrupt::requested() {
                    return Err(SolveError::Interrupted);
                }
                if let Some(task) = &mut self.task {
                    task.sent = false;
                }
                Err(self.failed(fault))
            }
        }
    }

    /// Gives the problem to a process that does not have it.
    fn send_problem(&mut self) -> Result<(), SolveError> {
        let task = self.task.as_mut().ok_or(SolveError::NotPrepared)?;
        if task.sent && self.peer.is_some() {
            return Ok(());
        }
        let frame = PeerMessage {
            head: head(json!({
                "op": "prepare",
                "solver": self.solver,
                "parameters": self.settings.parameters,
            })),
            arrays: vec![FrameArray::of_bytes("problem", task.bytes.clone())],
        };
        let left = interrupt::left();
        let limit = self.settings.seconds.min(left);
        let answer = self.ask(frame, SPARE, limit + GRACE)?;
        if let Some(error) = answer.head.get("error") {
            return Err(self.failed(text(error)));
        }
        if answer
            .head
            .get("claimed")
            .is_some_and(|c| c == "unsupported")
        {
            return Err(SolveError::Unsupported(Unsupported::Process {
                solver: self.descriptor.id,
                reason: answer.head.get("message").map_or_else(String::new, text),
            }));
        }
        if let Some(task) = &mut self.task {
            task.sent = true;
        }
        Ok(())
    }

    /// Asks for a solve with this limit, or for so many more iterations.
    fn request(
        &mut self,
        iterations: u64,
        goes_on: bool,
    ) -> Result<(PeerMessage, f64), SolveError> {
        let seconds = self.settings.seconds.min(interrupt::left());
        if seconds <= 0.0 {
            return Err(SolveError::Interrupted);
        }
        let task = self.task.as_ref().ok_or(SolveError::NotPrepared)?;
        let rows = task.impulses.len() as u64;
        let mut arrays = Vec::new();
        let ask = match goes_on {
            true => json!({ "op": "chunk", "iterations": iterations, "max_seconds": seconds }),
            false => {
                let given = task.start.as_deref();
                arrays.extend(given.map(|start| FrameArray::of_numbers("start", start)));
                json!({
                    "op": "solve",
                    "tolerance": self.settings.tolerance,
                    "max_iterations": iterations,
                    "max_seconds": seconds,
                    "start": if given.is_some() { "given" } else { "cold" },
                })
            }
        };
        let frame = PeerMessage {
            head: head(ask),
            arrays,
        };
        let answer = self.ask(frame, 32 * rows + SPARE, seconds + GRACE)?;
        Ok((answer, seconds))
    }

    /// Reads an answer that came within `most` \[s\]; the impulses where there are any.
    fn read(
        &self,
        frame: &PeerMessage,
        most: f64,
    ) -> Result<(PeerAnswer, Option<Vec<f64>>), SolveError> {
        if let Some(error) = frame.head.get("error") {
            return Err(self.failed(text(error)));
        }
        let answer = answer(frame, most).map_err(|fault| self.failed(fault))?;
        let unusable = matches!(answer.claimed, Claim::Failed | Claim::Unsupported);
        let Some(array) = frame.array("impulses") else {
            return match unusable {
                true => Ok((answer, None)),
                false => Err(self.failed("its answer has no array impulses")),
            };
        };
        let rows = self.task.as_ref().map_or(0, |task| task.impulses.len());
        let numbers = array
            .numbers()
            .ok_or_else(|| self.failed("its impulses are no f64"))?;
        if numbers.len() != rows {
            let found = numbers.len();
            return Err(self.failed(format!("it gave {found} impulses for {rows} rows")));
        }
        if let Some(row) = numbers.iter().position(|x| !x.is_finite()) {
            return Err(self.failed(format!("its impulse of row {row} is not finite")));
        }
        Ok((answer, Some(numbers)))
    }

    /// The limit of iterations that a peer gets to make `wanted` of them from the start.
    fn limit_from_start(&self, wanted: u64) -> u64 {
        // the request that gave these iterations gives them again
        let again = self.task.as_ref().and_then(|task| task.end);
        match again {
            _ if self.descriptor.work_unit == WorkUnit::Solve => DIRECT,
            Some((iterations, limit)) if iterations == wanted => limit,
            _ => wanted,
        }
    }

    /// What a claim without impulses means.
    fn gave_up(&self, answer: &PeerAnswer) -> SolveError {
        let words = answer
            .message
            .clone()
            .unwrap_or_else(|| "no reason".to_owned());
        match answer.claimed {
            Claim::Unsupported => SolveError::Unsupported(Unsupported::Process {
                solver: self.descriptor.id,
                reason: words,
            }),
            _ => self.failed(format!("it claims to have failed: {words}")),
        }
    }

    fn task(&mut self, problem: &Problem) -> Result<&mut PeerTask, SolveError> {
        let task = self.task.as_mut().ok_or(SolveError::NotPrepared)?;
        SolveError::check_length("the problem", problem.rows(), task.impulses.len())?;
        Ok(task)
    }
}

/// Gives a process that answers back to those that wait.
impl Drop for ProcessSolver {
    fn drop(&mut self) {
        if let Some(peer) = self.peer.take() {
            pool::give(&self.program, peer);
        }
    }
}

impl ImpulseSolver for ProcessSolver {
    fn descriptor(&self) -> &SolverDescriptor {
        &self.descriptor
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        self.descriptor.check(problem)?;
        let soft = problem.compliance().iter().position(|r| *r > 0.0);
        if let (false, Some(row)) = (self.takes_compliance, soft) {
            return Err(Unsupported::Process {
                solver: self.descriptor.id,
                reason: format!("row {row} has compliance, which it does not support"),
            });
        }
        self.check_kinds(problem)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        interrupt::check()?;
        self.check(problem)?;
        let mut impulses = vec![0.0; problem.rows()];
        start.write(&mut impulses)?;
        let given = matches!(start, Start::Warm(_)).then(|| impulses.clone());
        let named = NamedProblem::new("problem", problem.clone(), "frozen");
        let bytes = snapshot_bytes(&named);
        let digest: [u8; 32] = Sha256::digest(&bytes).into();
        let same = self.task.take().filter(|task| task.digest == digest);
        let sent = same.as_ref().is_some_and(|task| task.sent);
        let same = same.filter(|task| task.start == given);
        self.task = Some(PeerTask {
            bytes,
            digest,
            sent,
            start: given,
            impulses,
            done: 0,
            // nothing is left to find; a step in free flight starts no program
            finished: problem.rows() == 0,
            end: same.and_then(|task| task.end),
            seconds: 0.0,
            answer: None,
        });
        if problem.rows() == 0 {
            return Ok(());
        }
        self.send_problem()
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let task = self.task(problem)?;
        if task.finished || sweeps == 0 {
            return Ok(Progress {
                finished: task.finished,
                ..Progress::default()
            });
        }
        let done = task.done;
        let is_direct = self.descriptor.work_unit == WorkUnit::Solve;
        let goes_on = self.chunks && done > 0;
        let wanted = done + u64::from(sweeps);
        let limit = match goes_on && !is_direct {
            true => u64::from(sweeps),
            false => self.limit_from_start(wanted),
        };
        if !goes_on {
            self.send_problem()?;
        }
        let (frame, seconds) = self.request(limit, goes_on)?;
        let (answer, impulses) = self.read(&frame, seconds + GRACE)?;
        let limited = interrupt::left() <= 0.0 || seconds < self.settings.seconds;
        if answer.claimed == Claim::Time && limited {
            return Err(SolveError::Interrupted);
        }
        let Some(impulses) = impulses else {
            return Err(self.gave_up(&answer));
        };
        pool::answered(&self.program);
        let finished = is_direct || answer.claimed != Claim::Limit;
        let rows = impulses.len() as u64;
        let task = self.task(problem)?;
        let total = match finished {
            _ if is_direct => done + 1,
            // some count one more than their limit, some none
            true => answer.iterations.clamp(done + 1, wanted),
            false => wanted,
        };
        if finished && !goes_on && !is_direct {
            task.end = Some((total, limit));
        }
        task.seconds = match goes_on {
            true => task.seconds + answer.seconds,
            false => answer.seconds,
        };
        task.answer = Some(PeerAnswer {
            seconds: task.seconds,
            ..answer
        });
        task.impulses = impulses;
        task.done = total;
        task.finished = finished;
        Ok(Progress {
            sweeps: u32::try_from(total - done).unwrap_or(sweeps),
            row_updates: (total - done).saturating_mul(rows),
            finished,
        })
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        let task = self.task.as_ref().ok_or(SolveError::NotPrepared)?;
        SolveError::check_length("the slice of impulses", out.len(), task.impulses.len())?;
        out.copy_from_slice(&task.impulses);
        Ok(())
    }

    fn facts(&self) -> SolverFacts {
        SolverFacts {
            peer: Some(PeerFacts {
                identity: self.identity.clone(),
                restarts: self.descriptor.restarts,
                answer: self.task.as_ref().and_then(|task| task.answer.clone()),
            }),
            ..SolverFacts::default()
        }
    }
}

fn head(value: Value) -> Map {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Words of a peer, of a length that fits into a record.
fn text(value: &Value) -> String {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let clean = text.chars().filter(|letter| !letter.is_control());
    let mut kept = String::new();
    for letter in clean {
        if kept.len() + letter.len_utf8() > MOST_MESSAGE {
            break;
        }
        kept.push(letter);
    }
    kept
}

/// What the JSON of an answer says that came within `most` \[s\].
fn answer(frame: &PeerMessage, most: f64) -> Result<PeerAnswer, String> {
    let get = |key: &str| frame.head.get(key).unwrap_or(&Value::Null);
    let claimed = get("claimed").as_str().unwrap_or_default();
    let claimed = Claim::from_name(claimed).map_err(|error| format!("its claim: {error}"))?;
    let clock = get("clock").as_str().unwrap_or_default();
    let clock = PeerClock::from_name(clock).map_err(|error| format!("its clock: {error}"))?;
    let seconds = get("solve_s");
    let seconds = seconds
        .as_f64()
        .filter(|s| (0.0..=most).contains(s))
        .ok_or_else(|| {
            format!("solve_s of its answer must be a number from 0 to {most}, the time that it had, found {seconds}")
        })?;
    let iterations = get("iterations").as_u64();
    let iterations = iterations.ok_or("iterations of its answer must be a whole number >= 0")?;
    let residuals = get("residuals").as_object();
    let residuals = residuals.into_iter().flatten().take(MOST_RESIDUALS);
    Ok(PeerAnswer {
        claimed,
        iterations,
        residuals: residuals
            .map(|(name, value)| (text(&json!(name)), value.as_f64()))
            .collect(),
        seconds,
        clock,
        message: frame
            .head
            .get("message")
            .filter(|m| m.is_string())
            .map(text),
    })
}
