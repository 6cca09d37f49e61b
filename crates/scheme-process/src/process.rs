//! A running engine: requests, answers, and what makes an answer unusable.

use std::sync::Arc;

use delassus_core::parameter::{Map, Value};
use delassus_core::{intern, interrupt};
use delassus_solver_process::{self as pool, FrameArray, Peer, PeerMessage, PeerProgram, long};
use serde_json::json;

use crate::hello::MOST_NOTES;
use crate::states::NUMBERS;

/// Time beyond its limit that an engine has to answer \[s\].
const GRACE: f64 = 5.0;
/// Bytes of an answer's arrays in addition to the states \[B\].
const SPARE: u64 = 64 << 10;
/// Bytes of a message of an engine that are kept \[B\].
const MOST_MESSAGE: usize = 2000;

/// Why an engine gave no answer.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It does not represent the scene.
    Refused(String),
    /// It failed: an error, an answer that cannot be used, or none.
    Failed(String),
}

/// A process of an engine, taken from those that wait when it is first asked.
#[derive(Debug)]
pub(crate) struct EngineProcess {
    program: Arc<PeerProgram>,
    peer: Option<Peer>,
}

/// The states after a frame.
pub(crate) struct FrameAnswer {
    /// 13 numbers per body.
    pub(crate) states: Vec<f64>,
    /// Time of the frame by the clock of the engine \[s\].
    pub(crate) seconds: f64,
}

impl EngineProcess {
    pub(crate) fn new(program: Arc<PeerProgram>) -> Self {
        Self {
            program,
            peer: None,
        }
    }

    /// True if a process is there that was asked before.
    pub(crate) fn is_running(&self) -> bool {
        self.peer.is_some()
    }

    /// Gives it a scene; returns in what the run departs from it.
    pub(crate) fn load(
        &mut self,
        scene: Vec<u8>,
        parameters: &Map,
        seconds: f64,
    ) -> Result<Vec<&'static str>, Fault> {
        let message = message(
            json!({ "op": "load", "parameters": parameters }),
            vec![FrameArray::of_bytes("scene", scene)],
        );
        let answer = self.ask(message, 0, seconds)?;
        if let Some(what) = answer.head.get("unsupported") {
            return Err(Fault::Refused(text(what)));
        }
        let empty = Value::Array(Vec::new());
        let listed = answer.head.get("departures").unwrap_or(&empty);
        let departures: Option<Vec<&str>> = listed
            .as_array()
            .map(Vec::as_slice)
            .and_then(|list| list.iter().map(Value::as_str).collect());
        match departures {
            Some(list) if list.len() <= MOST_NOTES && list.iter().all(|t| long(t).is_none()) => {
                Ok(list.into_iter().map(intern::text).collect())
            }
            _ => Err(Fault::Failed(
                "departures must be at most 32 texts of at most 200 bytes".to_owned(),
            )),
        }
    }

    /// Steps the scene by a frame of `dt` \[s\]; the answer has the states of so many bodies.
    pub(crate) fn step(
        &mut self,
        dt: f64,
        bodies: usize,
        seconds: f64,
    ) -> Result<FrameAnswer, Fault> {
        let answer = self.ask_step(dt, bodies, seconds)?;
        Ok(FrameAnswer {
            states: states_of(&answer, bodies).map_err(Fault::Failed)?,
            seconds: seconds_of(&answer, seconds).map_err(Fault::Failed)?,
        })
    }

    /// The answer to a frame of `dt` \[s\] of so many bodies, as it came.
    pub(crate) fn ask_step(
        &mut self,
        dt: f64,
        bodies: usize,
        seconds: f64,
    ) -> Result<PeerMessage, Fault> {
        let message = message(json!({ "op": "step", "dt": dt }), Vec::new());
        let expected = 8 * (NUMBERS * bodies) as u64;
        self.ask(message, expected + SPARE, seconds)
    }

    /// Asks for something that no protocol has; returns the answer.
    pub(crate) fn ask_unknown(&mut self, seconds: f64) -> Result<PeerMessage, Fault> {
        self.exchange(
            message(json!({ "op": "no-such-op" }), Vec::new()),
            0,
            seconds,
        )
    }

    /// Ends the process at once, as a death would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut peer) = self.peer.take() {
            peer.end_now();
        }
    }

    /// Sends a request; an answer that is an error is a failure.
    fn ask(
        &mut self,
        message: PeerMessage,
        allowed: u64,
        seconds: f64,
    ) -> Result<PeerMessage, Fault> {
        let answer = self.exchange(message, allowed, seconds)?;
        if let Some(error) = answer.head.get("error") {
            return Err(Fault::Failed(text(error)));
        }
        pool::answered(&self.program);
        Ok(answer)
    }

    fn exchange(
        &mut self,
        message: PeerMessage,
        allowed: u64,
        seconds: f64,
    ) -> Result<PeerMessage, Fault> {
        let mut peer = match self.peer.take() {
            Some(peer) => peer,
            None => pool::take(&self.program).map_err(Fault::Failed)?,
        };
        let limit = seconds.min(interrupt::left()) + GRACE;
        let answer = peer.ask(message, allowed, limit).map_err(|fault| {
            pool::failed(&self.program);
            Fault::Failed(fault)
        })?;
        self.peer = Some(peer);
        Ok(answer)
    }
}

/// The states of an answer.
pub(crate) fn states_of(answer: &PeerMessage, bodies: usize) -> Result<Vec<f64>, String> {
    let states = answer.array("states").and_then(FrameArray::numbers);
    let states = states.ok_or("its answer has no array states of f64")?;
    match states.len() == NUMBERS * bodies {
        true => Ok(states),
        false => Err(format!(
            "it gave {} numbers for {bodies} bodies, which have {NUMBERS} each",
            states.len()
        )),
    }
}

/// The time of the frame of an answer that came within `limit` \[s\].
pub(crate) fn seconds_of(answer: &PeerMessage, limit: f64) -> Result<f64, String> {
    // who has answered in time cannot have stepped for longer
    let most = limit + GRACE;
    let time = answer.head.get("step_s").unwrap_or(&Value::Null);
    let seconds = time.as_f64().filter(|time| (0.0..=most).contains(time));
    seconds.ok_or_else(|| {
        format!(
            "step_s must be a number from 0 to {most} (frame_seconds and {GRACE} s), found {time}"
        )
    })
}

/// Gives a process that answers back to those that wait.
impl Drop for EngineProcess {
    fn drop(&mut self) {
        if let Some(peer) = self.peer.take() {
            pool::give(&self.program, peer);
        }
    }
}

fn message(head: Value, arrays: Vec<FrameArray>) -> PeerMessage {
    let head = match head {
        Value::Object(head) => head,
        _ => Map::new(),
    };
    PeerMessage { head, arrays }
}

/// The words of an engine, cut to their length and without control characters.
fn text(value: &Value) -> String {
    let words = value.as_str().unwrap_or("(no words)");
    let kept = words.chars().filter(|letter| !letter.is_control());
    kept.take(MOST_MESSAGE).collect()
}
