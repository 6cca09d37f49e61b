//! A worker as its run sees it: a process that is started, asked, heard, and ended.

use std::io::{self, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::protocol::{Ask, Reply, Setup};
use super::verdict::{Tail, Verdict, starvations};
use super::{CellLimits, Isolation};

/// What hears the lines that solvers print.
pub(crate) type Hear<'h> = &'h dyn Fn(&str);

/// How often a run that waits for a worker looks whether the user has stopped it.
const LOOK: Duration = Duration::from_millis(20);
/// How long a worker whose answers have ended may take to end itself, and its last words to come through.
const GRACE: Duration = Duration::from_millis(300);
/// Answers and pieces of talk that may wait to be heard \[-\].
const WAITING: usize = 16;

/// What the pipes of a worker bring.
enum Event {
    Reply(io::Result<Option<Reply>>),
    Said(Vec<u8>),
    Silent,
}

/// What came of waiting for a worker.
pub(super) enum Heard {
    Reply(Reply),
    Ended(Verdict),
    Cancelled,
}

/// A process that works on cells.
pub(super) struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    events: Receiver<Event>,
    tail: Tail,
    /// What it has said of a line that is not at its end.
    line: Vec<u8>,
    /// It has begun a cell: what later ones find there is not as it was.
    pub(super) used: bool,
    /// Processes that the system had ended for want of memory when the cell began \[-\].
    starved: u64,
    /// It has ended, and the system knows no more of it.
    gone: bool,
}

impl Worker {
    pub(super) fn start(isolation: &Isolation, setup: &Setup) -> io::Result<Self> {
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
            used: false,
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

    /// Asks, and waits for the answer until this time.
    pub(super) fn ask(
        &mut self,
        ask: &Ask,
        until: Option<Instant>,
        (limits, cancel): (&CellLimits, &AtomicBool),
        hear: Hear<'_>,
    ) -> Heard {
        if ask.begins() {
            self.tail.clear();
        }
        self.starved = starvations();
        self.send(ask);
        self.hear(until, limits, cancel, hear)
    }

    /// Waits for the next answer, and passes on what solvers say meanwhile.
    pub(super) fn hear(
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
