//! Running peers by program: one process serves many problems, and its hello is read once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::child::Peer;
use crate::frame::PeerMessage;
use crate::hello::Hello;
use crate::left_out::leave_out;
use crate::program::PeerProgram;

/// Work after which a process is replaced, so that it stays below its limit of processor time
/// \[s\].
const WORK: f64 = 1800.0;
/// Deaths in a row after which a program is not started again \[-\].
const DEATHS: u32 = 16;

/// What is known of a program.
#[derive(Debug, Default)]
struct Known {
    hello: Option<Result<Arc<PeerMessage>, String>>,
    /// Processes that wait for a request.
    idle: Vec<Peer>,
    /// Processes in a row that died or had to be ended.
    deaths: u32,
}

static KNOWN: Mutex<BTreeMap<String, Known>> = Mutex::new(BTreeMap::new());

fn with<R>(program: &PeerProgram, work: impl FnOnce(&mut Known) -> R) -> R {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    work(all.entry(key(program)).or_default())
}

/// What identifies a program.
fn key(program: &PeerProgram) -> String {
    format!("{:?} in {:?}", program.words, program.folder)
}

/// The hello of a program with solvers, which is started for it the first time.
///
/// # Errors
/// Why there is none.
pub fn hello(program: &PeerProgram) -> Result<Arc<Hello>, String> {
    let message = greeting(program)?;
    Hello::of(&message).map(Arc::new)
}

/// The first message of a program, which is started for it the first time.
///
/// # Errors
/// Why there is none.
pub fn greeting(program: &PeerProgram) -> Result<Arc<PeerMessage>, String> {
    if let Some(known) = with(program, |known| known.hello.clone()) {
        return known;
    }
    let started = start(program);
    let (idle, hello) = match started {
        Ok((peer, hello)) => (Some(peer), Ok(Arc::new(hello))),
        Err(fault) => (None, Err(fault)),
    };
    with(program, |known| {
        known.idle.extend(idle);
        known.hello = Some(hello.clone());
    });
    hello
}

/// Starts a program. The time until its hello counts for no solve.
fn start(program: &PeerProgram) -> Result<(Peer, PeerMessage), String> {
    let clock = Instant::now();
    let started = Peer::start(program);
    leave_out(clock.elapsed().as_secs_f64());
    started
}

/// A running process of a program.
///
/// # Errors
/// It cannot be started, its hello has changed, or it died too often.
pub fn take(program: &PeerProgram) -> Result<Peer, String> {
    if let Some(idle) = with(program, |known| known.idle.pop()) {
        return Ok(idle);
    }
    let deaths = with(program, |known| known.deaths);
    if deaths >= DEATHS {
        return Err(format!(
            "it died {deaths} times in a row and is not started again"
        ));
    }
    let first = greeting(program)?;
    let (peer, again) = start(program).inspect_err(|_| failed(program))?;
    match again == *first {
        true => Ok(peer),
        false => Err("its hello is not the one of its first process".to_owned()),
    }
}

/// Takes back a process that answered.
pub fn give(program: &PeerProgram, peer: Peer) {
    if peer.worked < WORK {
        with(program, |known| known.idle.push(peer));
    }
}

/// Notes that a process answered.
pub fn answered(program: &PeerProgram) {
    with(program, |known| known.deaths = 0);
}

/// Notes that a process died or had to be ended.
pub fn failed(program: &PeerProgram) {
    with(program, |known| {
        known.deaths = known.deaths.saturating_add(1);
    });
}

/// Ends every process that waits: what a program calls before it ends.
pub fn end_all() {
    let idle: Vec<Peer> = {
        let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        all.values_mut()
            .flat_map(|known| known.idle.drain(..))
            .collect()
    };
    drop(idle);
}
