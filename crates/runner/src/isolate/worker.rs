//! A worker as its run sees it: a process that is started, asked, heard, and ended.

use std::io::{self, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::control_group::ControlGroup;
use super::descendants::own_children;
use super::protocol::{Reply, Setup, WorkerRequest};
use super::verdict::{Circumstances, Ending, Tail, Verdict, starvations};
use super::{CellLimits, Isolation};

/// What hears the lines that solvers print.
pub(crate) type Hear<'h> = &'h dyn Fn(&str);

/// How often a run that waits for a worker looks whether the user has stopped it.
pub(super) const LOOK: Duration = Duration::from_millis(20);
/// How long a worker whose answers have ended may take to end itself, and its last words to come
/// through.
const GRACE: Duration = Duration::from_millis(300);
/// A run that has not looked for so long was stopped itself, by a scheduler or a terminal; its
/// workers were as well.
const STOPPED: Duration = Duration::from_secs(1);
/// How often the talk of a worker is tried to be read before it is given up \[-\].
const READS: u32 = 100;
/// Answers and pieces of talk that may wait to be heard \[-\].
const WAITING: usize = 16;

/// What the pipes of a worker bring.
enum Event {
    Reply(io::Result<Option<Reply>>),
    Said(Vec<u8>),
    Silent,
}

/// What came of waiting for a worker.
pub(super) enum WorkerReply {
    Reply(Reply),
    Ended(Verdict),
    /// Others ended it, or its pipe: the words say how.
    Outside(String),
    Cancelled,
}

impl From<Ending> for WorkerReply {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Own(verdict) => Self::Ended(verdict),
            Ending::Outside(reason) => Self::Outside(reason),
        }
    }
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
    /// What it and all that it starts are in, where this process may make one.
    group: Option<ControlGroup>,
    /// How long the run was stopped while it waited for the last answer.
    pub(super) stopped: Duration,
}

impl Worker {
    /// Starts the program, which waits for its setup.
    ///
    /// # Errors
    /// The system starts no process, or no thread that hears it.
    pub(super) fn start(isolation: &Isolation, limits: &CellLimits) -> io::Result<Self> {
        let mut command = Command::new(&isolation.program);
        command.args(&isolation.arguments);
        // the last words are for the record: a trace would push them out, and says where the
        // program was built
        command.env("RUST_BACKTRACE", "0");
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is for the run, which ends its workers; and what a solver starts ends with its
        // worker
        command.process_group(0);
        let (sender, events) = sync_channel(WAITING);
        let mut child = {
            let mut children = own_children();
            children.adopt_orphans();
            let child = command.spawn()?;
            children.add(child.id());
            child
        };
        let group = ControlGroup::new(limits.bytes).ok();
        let mut worker = Self {
            input: child.stdin.take(),
            group: group.filter(|group| group.add(child.id()).is_ok()),
            child,
            events,
            tail: Tail::default(),
            line: Vec::new(),
            used: false,
            starved: starvations(),
            gone: false,
            stopped: Duration::ZERO,
        };
        worker.listen(sender)?;
        Ok(worker)
    }

    /// Hears both pipes on threads of their own.
    fn listen(&mut self, sender: SyncSender<Event>) -> io::Result<()> {
        if let Some(answers) = self.child.stdout.take() {
            let sender = sender.clone();
            let hear = move || pass_replies(BufReader::new(answers), &sender);
            thread::Builder::new().spawn(hear)?;
        }
        if let Some(talk) = self.child.stderr.take() {
            thread::Builder::new().spawn(move || relay_output(talk, &sender))?;
        }
        Ok(())
    }

    /// Sends a line.
    fn send(&mut self, line: &impl serde::Serialize) -> io::Result<()> {
        let Some(input) = &mut self.input else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        input.write_all(&bytes).and_then(|()| input.flush())
    }

    /// Tells it what it works on, and waits until it is ready.
    pub(super) fn set_up(
        &mut self,
        setup: &Setup,
        cancel: &AtomicBool,
        hear: Hear<'_>,
    ) -> WorkerReply {
        self.exchange(setup, None, &setup.limits, cancel, hear)
    }

    /// Asks, and waits for the answer until this time.
    pub(super) fn ask(
        &mut self,
        ask: &WorkerRequest,
        until: Option<Instant>,
        limits: &CellLimits,
        cancel: &AtomicBool,
        hear: Hear<'_>,
    ) -> WorkerReply {
        if ask.begins() {
            self.tail.clear();
        }
        self.starved = starvations();
        self.exchange(ask, until, limits, cancel, hear)
    }

    /// Sends a line and waits for the answer. Where the line cannot be sent there will be none.
    fn exchange(
        &mut self,
        line: &impl serde::Serialize,
        until: Option<Instant>,
        limits: &CellLimits,
        cancel: &AtomicBool,
        hear: Hear<'_>,
    ) -> WorkerReply {
        self.stopped = Duration::ZERO;
        match self.send(line) {
            Ok(()) => self.hear(until, limits, cancel, hear),
            Err(error) => {
                let reason = || format!("its process cannot be asked: {error}");
                let ending = self.ended(limits, hear);
                ending.unwrap_or_else(|| Ending::Outside(reason())).into()
            }
        }
    }

    /// Waits for the next answer, and passes on what solvers say meanwhile.
    fn hear(
        &mut self,
        mut until: Option<Instant>,
        limits: &CellLimits,
        cancel: &AtomicBool,
        hear: Hear<'_>,
    ) -> WorkerReply {
        let mut looked = Instant::now();
        let mut exited = false;
        loop {
            if cancel.load(Ordering::Relaxed) {
                return WorkerReply::Cancelled;
            }
            let away = std::mem::replace(&mut looked, Instant::now()).elapsed();
            if away > STOPPED {
                self.stopped += away;
                until = until.and_then(|until| until.checked_add(away));
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return WorkerReply::Ended(Verdict::late(limits));
            }
            let wait = left.map_or(LOOK, |left| left.min(LOOK));
            match self.events.recv_timeout(wait) {
                Ok(Event::Said(bytes)) => self.said(&bytes, hear),
                Ok(Event::Silent) => {}
                // what it has started may hold its pipe; its last answer may be on its way
                Err(RecvTimeoutError::Timeout) if exited => {
                    return self.after_answers(limits, hear).into();
                }
                Err(RecvTimeoutError::Timeout) => {
                    exited = matches!(self.child.try_wait(), Ok(Some(_)));
                }
                Ok(Event::Reply(Ok(Some(reply)))) => return WorkerReply::Reply(reply),
                Ok(Event::Reply(Ok(None))) | Err(RecvTimeoutError::Disconnected) => {
                    return self.after_answers(limits, hear).into();
                }
                Ok(Event::Reply(Err(error))) => {
                    return self.unread(&error, limits, hear).into();
                }
            }
        }
    }

    /// What became of a worker whose answers have ended.
    fn after_answers(&mut self, limits: &CellLimits, hear: Hear<'_>) -> Ending {
        self.ended(limits, hear).unwrap_or_else(|| {
            let text = "its process has closed its pipes".to_owned();
            Ending::Own(Verdict::crashed(text, &self.tail))
        })
    }

    /// What became of a worker whose answer cannot be read.
    fn unread(&mut self, error: &io::Error, limits: &CellLimits, hear: Hear<'_>) -> Ending {
        let text = format!("its answer cannot be read: {error}");
        match error.kind() {
            // an answer that is cut short tells of the end as well
            io::ErrorKind::UnexpectedEof => self.after_answers(limits, hear),
            io::ErrorKind::InvalidData => Ending::Own(Verdict::crashed(text, &self.tail)),
            // the pipe, not what came through it
            _ => Ending::Outside(text),
        }
    }

    /// How a worker ended; `None` if it lives.
    fn ended(&mut self, limits: &CellLimits, hear: Hear<'_>) -> Option<Ending> {
        let exit = self.last_words(hear)?;
        let group = self.group.as_ref();
        let group_full = group.is_some_and(ControlGroup::has_met_its_limit);
        let around = Circumstances::new(group_full, starvations() > self.starved);
        Some(Ending::of(exit, &self.tail, limits, around))
    }

    /// Waits for the end of a process that is ending, and hears the rest of what it said; `None` if
    /// it does not end.
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
            own_children().remove(self.child.id());
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
        if let Some(group) = &self.group {
            group.kill();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // the number of one that is gone may be another's by now
        if !self.gone {
            self.kill_group();
            let _ = self.child.wait();
            own_children().remove(self.child.id());
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

fn relay_output(mut from: impl Read, to: &SyncSender<Event>) {
    let mut buffer = [0; 4096];
    let mut failed = 0;
    while failed < READS {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => {
                failed = 0;
                if to.send(Event::Said(buffer[..length].to_vec())).is_err() {
                    return;
                }
            }
            // a pipe that nobody reads would fail the next print of a solver
            Err(_) => {
                failed += 1;
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
    // nobody may listen any more
    let _ = to.send(Event::Silent);
}

#[cfg(test)]
mod tests;
