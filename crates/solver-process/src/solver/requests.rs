//! Requests to a peer, what its answers say, and what makes an answer unusable.

use std::time::Instant;

use delassus_core::parameter::{Map, Value};
use delassus_core::{
    Choice, Claim, PeerAnswer, PeerClock, SolveError, Unsupported, WorkUnit, interrupt,
};
use serde_json::json;

use super::{GRACE, ProcessSolver};
use crate::frame::{FrameArray, PeerMessage};
use crate::pool;

/// Iterations that a peer gets whose iterations have no meaning \[-\].
const DIRECT: u64 = 1_000_000;
/// Bytes of an answer's arrays in addition to four numbers per row \[B\].
const SPARE: u64 = 64 << 10;
/// Bytes of a message of a peer that are kept \[B\].
const MOST_MESSAGE: usize = 2000;
/// Residuals of an answer that are kept \[-\].
const MOST_RESIDUALS: usize = 16;

impl ProcessSolver {
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
    pub(super) fn send_problem(&mut self) -> Result<(), SolveError> {
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
    pub(super) fn request(
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
    pub(super) fn read(
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
    pub(super) fn limit_from_start(&self, wanted: u64) -> u64 {
        // the request that gave these iterations gives them again
        let again = self.task.as_ref().and_then(|task| task.end);
        match again {
            _ if self.descriptor.work_unit == WorkUnit::Solve => DIRECT,
            Some((iterations, limit)) if iterations == wanted => limit,
            _ => wanted,
        }
    }

    /// What a claim without impulses means.
    pub(super) fn gave_up(&self, answer: &PeerAnswer) -> SolveError {
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
