//! The side of the run: starts workers, asks them, and says what became of cells that took theirs down.

use std::io::{self, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use delassus_core::{MemoryLimit, Status};
use rustix::process::{Pid, Signal, kill_process_group};

use super::protocol::{Answer, Ask, Reply, Setup};
use super::verdict::{Tail, Verdict, starvations};
use super::{CellLimits, Isolation};
use crate::error::RunError;
use crate::key;
use crate::matrix::{CellMatrix, CellRun};
use crate::record::CellRecord;
use crate::store;

/// How often a run that waits for a worker looks whether the user has stopped it.
const LOOK: Duration = Duration::from_millis(20);
/// How long a worker whose answers have ended may take to end itself, and its last words to come through.
const GRACE: Duration = Duration::from_millis(300);
/// Answers and pieces of talk that may wait to be heard \[-\].
const WAITING: usize = 16;

/// What hears the lines that solvers print.
pub(crate) type Hear<'h> = &'h dyn Fn(&str);

/// What became of a cell.
pub(crate) enum Worked {
    /// It has ended by itself.
    Done(Box<CellRun>),
    /// Its process did, or was ended.
    Ended(Status, String, Option<crate::record::Limit>),
    /// The user stopped the run.
    Cancelled,
}

/// Where the cells of one thread are worked on: a worker that is started when it is needed.
pub(crate) struct Bench<'b> {
    isolation: &'b Isolation,
    matrix: &'b CellMatrix,
    memory: MemoryLimit,
    cancel: &'b AtomicBool,
    worker: Option<Worker>,
}

impl<'b> Bench<'b> {
    pub(crate) fn new(
        isolation: &'b Isolation,
        matrix: &'b CellMatrix,
        memory: MemoryLimit,
        cancel: &'b AtomicBool,
    ) -> Self {
        Self {
            isolation,
            matrix,
            memory,
            cancel,
            worker: None,
        }
    }

    /// Works on the cell of this index.
    ///
    /// A cell that takes down a worker which others have used before it is tried once more in a fresh one: what they left
    /// there is not its fault.
    ///
    /// # Errors
    /// [`RunError::Worker`] if no worker comes about, or if it means another cell.
    pub(crate) fn work(&mut self, index: usize, hear: Hear<'_>) -> Result<Worked, RunError> {
        loop {
            let mut worker = match self.worker.take() {
                Some(worker) => worker,
                None => match self.start(hear)? {
                    Some(worker) => worker,
                    None => return Ok(Worked::Cancelled),
                },
            };
            let ask = Ask {
                index,
                key: self.matrix.cells[index].key.clone(),
            };
            let limits = &self.matrix.limits;
            let heard = worker.ask(&ask, limits, self.cancel, hear);
            let used = worker.served > 0;
            match heard {
                Heard::Reply(Reply::Done(answer)) => {
                    worker.served += 1;
                    self.worker = Some(worker);
                    return read(answer).map(Worked::Done);
                }
                Heard::Reply(Reply::Refused(reason)) => return Err(RunError::Worker { reason }),
                Heard::Reply(Reply::Ready) => {
                    let reason = "it answers out of turn".to_owned();
                    return Err(RunError::Worker { reason });
                }
                Heard::Cancelled => return Ok(Worked::Cancelled),
                Heard::Ended(verdict) if used && verdict.status != Status::Timeout => {}
                Heard::Ended(Verdict {
                    status,
                    message,
                    limit,
                }) => return Ok(Worked::Ended(status, message, limit)),
            }
        }
    }

    /// A worker that has read the spec; `None` if the user stopped the run meanwhile.
    fn start(&self, hear: Hear<'_>) -> Result<Option<Worker>, RunError> {
        let spec = &self.matrix.spec;
        let setup = Setup {
            build: key::build_id().to_owned(),
            file: spec.file.clone(),
            text: spec.text.clone(),
            memory: self.memory.bytes(),
            limits: self.matrix.limits,
        };
        let failed = |reason: String| RunError::Worker { reason };
        let started = Worker::start(self.isolation, &setup);
        let mut worker = started.map_err(|error| failed(error.to_string()))?;
        match worker.hear(None, &self.matrix.limits, self.cancel, hear) {
            Heard::Reply(Reply::Ready) => Ok(Some(worker)),
            Heard::Reply(Reply::Refused(reason)) => Err(failed(reason)),
            Heard::Reply(Reply::Done(..)) => Err(failed("it answers out of turn".to_owned())),
            Heard::Ended(verdict) => Err(failed(verdict.message)),
            Heard::Cancelled => Ok(None),
        }
    }
}

/// What a worker has done, from its answer.
fn read(answer: Answer) -> Result<Box<CellRun>, RunError> {
    let failed = |reason: String| RunError::Worker { reason };
    let record: CellRecord = serde_json::from_slice(&answer.record)
        .map_err(|error| failed(format!("its answer is no record: {error}")))?;
    let impulses = match &answer.impulses {
        Some(bytes) => Some(
            store::impulses_of(bytes)
                .ok_or_else(|| failed("its impulses end within a number".to_owned()))?,
        ),
        None => None,
    };
    Ok(Box::new(CellRun {
        outcome: record.outcome,
        facts: record.facts,
        replay: answer.replay,
        impulses,
    }))
}

/// What the pipes of a worker bring.
enum Event {
    Reply(io::Result<Option<Reply>>),
    Said(Vec<u8>),
    Silent,
}

/// What came of waiting for a worker.
enum Heard {
    Reply(Reply),
    Ended(Verdict),
    Cancelled,
}

/// A process that works on cells.
struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    events: Receiver<Event>,
    tail: Tail,
    /// What it has said of a line that is not at its end.
    line: Vec<u8>,
    /// Cells that have ended well in it \[-\].
    served: usize,
    /// Processes that the system had ended for want of memory when the cell began \[-\].
    starved: u64,
    /// It has ended, and the system knows no more of it.
    gone: bool,
}

impl Worker {
    fn start(isolation: &Isolation, setup: &Setup) -> io::Result<Self> {
        let mut command = Command::new(&isolation.program);
        command.args(&isolation.arguments);
        // the last words are for the record: a trace would push them out, and says where the program was built
        command.env("RUST_BACKTRACE", "0");
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is for the run, which ends its workers; and what a solver starts ends with its worker
        command.process_group(0);
        let mut child = command.spawn()?;
        let (sender, events) = sync_channel(WAITING);
        if let (Some(answers), Some(talk)) = (child.stdout.take(), child.stderr.take()) {
            let own = sender.clone();
            thread::spawn(move || pass_replies(BufReader::new(answers), &own));
            thread::spawn(move || pass_talk(talk, &sender));
        }
        let mut worker = Self {
            input: child.stdin.take(),
            child,
            events,
            tail: Tail::default(),
            line: Vec::new(),
            served: 0,
            starved: starvations(),
            gone: false,
        };
        worker.send(setup);
        Ok(worker)
    }

    /// Sends a line. Where that fails the worker has ended, which its answers tell.
    fn send(&mut self, line: &impl serde::Serialize) {
        if let (Some(input), Ok(mut bytes)) = (&mut self.input, serde_json::to_vec(line)) {
            bytes.push(b'\n');
            let _ = input.write_all(&bytes).and_then(|()| input.flush());
        }
    }

    fn ask(
        &mut self,
        ask: &Ask,
        limits: &CellLimits,
        cancel: &AtomicBool,
        hear: Hear<'_>,
    ) -> Heard {
        self.tail.clear();
        self.starved = starvations();
        // a limit beyond what the clock counts is none
        let wait = Duration::try_from_secs_f64(limits.seconds).ok();
        let until = wait.and_then(|wait| Instant::now().checked_add(wait));
        self.send(ask);
        self.hear(until, limits, cancel, hear)
    }

    /// Waits for the next answer, and passes on what solvers say meanwhile.
    fn hear(
        &mut self,
        until: Option<Instant>,
        limits: &CellLimits,
        cancel: &AtomicBool,
        hear: Hear<'_>,
    ) -> Heard {
        loop {
            if cancel.load(Ordering::Relaxed) {
                return Heard::Cancelled;
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Heard::Ended(Verdict::late(limits));
            }
            let wait = left.map_or(LOOK, |left| left.min(LOOK));
            match self.events.recv_timeout(wait) {
                Ok(Event::Said(bytes)) => self.said(&bytes, hear),
                Ok(Event::Silent) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Event::Reply(Ok(Some(reply)))) => return Heard::Reply(reply),
                Ok(Event::Reply(Ok(None))) | Err(RecvTimeoutError::Disconnected) => {
                    return Heard::Ended(self.ended(limits, hear));
                }
                // an answer that is cut short tells of the end as well
                Ok(Event::Reply(Err(error))) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Heard::Ended(self.ended(limits, hear));
                }
                Ok(Event::Reply(Err(error))) => {
                    let text = format!("its answer cannot be read: {error}");
                    return Heard::Ended(Verdict::crashed(text, &self.tail));
                }
            }
        }
    }

    /// What became of a worker whose answers have ended.
    fn ended(&mut self, limits: &CellLimits, hear: Hear<'_>) -> Verdict {
        match self.last_words(hear) {
            Some(exit) => {
                let starved = starvations() > self.starved;
                Verdict::of(exit, &self.tail, limits, starved)
            }
            None => Verdict::crashed("its process has closed its pipes".to_owned(), &self.tail),
        }
    }

    /// Waits for the end of a process that is ending, and hears the rest of what it said; `None` if it does not end.
    fn last_words(&mut self, hear: Hear<'_>) -> Option<ExitStatus> {
        let until = Instant::now() + GRACE;
        let exit = loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(1)),
                Ok(exit) => break exit,
                Err(_) => break None,
            }
        };
        if exit.is_some() {
            self.kill_group();
            self.gone = true;
        }
        let until = Instant::now() + GRACE;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            match self.events.recv_timeout(left) {
                Ok(Event::Said(bytes)) => self.said(&bytes, hear),
                Ok(Event::Reply(_)) => {}
                Ok(Event::Silent) | Err(_) => break,
            }
        }
        exit
    }

    /// Keeps what a solver said, and passes on whole lines of it.
    fn said(&mut self, bytes: &[u8], hear: Hear<'_>) {
        self.tail.push(bytes);
        self.line.extend(bytes);
        let Some(end) = self.line.iter().rposition(|byte| *byte == b'\n') else {
            // nobody waits for the end of a line that has none
            if self.line.len() > 1 << 16 {
                self.line.clear();
            }
            return;
        };
        let rest = self.line.split_off(end + 1);
        let whole = std::mem::replace(&mut self.line, rest);
        String::from_utf8_lossy(&whole).lines().for_each(hear);
    }

    /// Ends what the process has started.
    fn kill_group(&self) {
        // it is the first of its group, as it was started
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // the number of one that is gone may be another's by now
        if !self.gone {
            self.kill_group();
            let _ = self.child.wait();
        }
    }
}

fn pass_replies(mut from: BufReader<impl Read>, to: &SyncSender<Event>) {
    loop {
        let reply = Reply::read(&mut from);
        let last = !matches!(reply, Ok(Some(_)));
        if to.send(Event::Reply(reply)).is_err() || last {
            return;
        }
    }
}

fn pass_talk(mut from: impl Read, to: &SyncSender<Event>) {
    let mut buffer = [0; 4096];
    loop {
        match from.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(length) => {
                if to.send(Event::Said(buffer[..length].to_vec())).is_err() {
                    return;
                }
            }
        }
    }
    // nobody may listen any more
    let _ = to.send(Event::Silent);
}
