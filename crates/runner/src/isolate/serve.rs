//! The side of the worker: reads what it shall work on, works on one cell after the other or on
//! several in turns, answers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use delassus_core::MemoryLimit;
use rustix::process::{
    Resource, Rlimit, Signal, getpgrp, getpid, getrlimit, kill_process, kill_process_group,
    setrlimit,
};
use rustix::time::{ClockId, clock_gettime};
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::CellLimits;
use super::descendants::{adopt_orphans, end_descendants};
use super::protocol::{CellName, CellReply, Reply, Setup, WorkerRequest};
use crate::key;
use crate::matrix::{self, Begun, CellMatrix, CellRun, MatrixCell, Workbench};
use crate::record::CellRecord;
use crate::registry::Registry;
use crate::spec;
use crate::store;

/// How often a worker looks at its processor time.
const LOOK: Duration = Duration::from_millis(20);

/// Why a worker does not come about.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Its pipes cannot be had, or break.
    #[error("the worker process lost its connection to `delassus run`: {0}")]
    Io(#[from] io::Error),
    /// Nobody told it what to work on.
    #[error("only `delassus run` starts a worker; use `delassus run --isolate`")]
    Alone,
}

/// Works on the cells that the run on standard input asks for. Ends, at once and without a word,
/// with that run.
///
/// # Errors
/// Standard input that is none of a run, pipes that break.
pub fn serve(registry: &Registry) -> Result<(), ServeError> {
    let (mut asks, mut reply) = pipes()?;
    let setup: Setup = match next(&mut asks)? {
        Some(setup) => setup,
        None => return Err(ServeError::Alone),
    };
    adopt_orphans();
    let asks = match listen(asks) {
        Ok(asks) => asks,
        Err(error) => return Ok(no_thread(&error).write(&mut reply)?),
    };
    key::adopt_build_id(&setup.build);
    let file = Path::new(&setup.file);
    let spec = spec::of_text(file, setup.text, registry);
    let matrix = match spec.and_then(|spec| matrix::expand(spec, registry)) {
        Ok(matrix) => matrix,
        Err(error) => {
            let reason = format!("the spec has become invalid: {}", error.on_one_line());
            let refused = Reply::Refused(reason);
            return Ok(refused.write(&mut reply)?);
        }
    };
    let watch = match Watch::start(&setup.limits) {
        Ok(watch) => watch,
        Err(error) => return Ok(no_thread(&error).write(&mut reply)?),
    };
    if let Err(error) = restrict(setup.limits.bytes) {
        let reason = format!("the memory of a process cannot be limited here: {error}");
        return Ok(Reply::Refused(reason).write(&mut reply)?);
    }
    let ready = Reply::Ready.write(&mut reply);
    ready.unwrap_or_else(|error| give_up(&error));
    let never = AtomicBool::new(false);
    let workbench = Workbench {
        registry,
        solvers: &matrix.solvers,
        memory: MemoryLimit::new(setup.memory),
        cancel: &never,
    };
    let mut desk = Desk {
        matrix: &matrix,
        workbench,
        watch,
        limits: setup.limits,
        open: BTreeMap::new(),
    };
    for ask in asks {
        let answer = desk.answer(ask)?;
        let told = answer.write(&mut reply);
        told.unwrap_or_else(|error| give_up(&error));
    }
    Ok(())
}

/// What a worker answers for which the system starts no thread.
fn no_thread(error: &io::Error) -> Reply {
    Reply::Short(format!("the system starts no thread for it: {error}"))
}

/// The pipes of the run. From now on solvers read nothing, and what they print on standard output
/// goes to standard error.
fn pipes() -> io::Result<(BufReader<File>, File)> {
    let asks = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let reply = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((BufReader::new(asks), reply))
}

/// The next line; `None` at the end of the input, which a terminal may be: that is no run.
fn next<T: DeserializeOwned>(from: &mut impl BufRead) -> Result<Option<T>, ServeError> {
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(&line)
        .map(Some)
        .map_err(|_| ServeError::Alone)
}

/// Hears the run on a thread of its own: where it ends, the worker does, whatever its solver does.
fn listen(mut from: BufReader<File>) -> io::Result<Receiver<WorkerRequest>> {
    let (sender, receiver) = channel();
    let hear = move || {
        loop {
            match next(&mut from) {
                Ok(Some(ask)) => {
                    if sender.send(ask).is_err() {
                        break;
                    }
                }
                Err(ServeError::Io(error)) => give_up(&error),
                Ok(None) | Err(ServeError::Alone) => break,
            }
        }
        end_descendants();
        end(Signal::KILL);
    };
    thread::Builder::new().spawn(hear)?;
    Ok(receiver)
}

/// Ends this process as its pipe has failed: by abortion if a solver has closed it, and otherwise
/// as by somebody else, so that the run does not blame the cell.
fn give_up(error: &io::Error) -> ! {
    // nobody may hear it
    let _ = writeln!(io::stderr(), "the pipe of the run: {error}");
    if io_errno(error) != Some(rustix::io::Errno::BADF) {
        end_descendants();
        end(Signal::KILL);
    }
    std::process::abort()
}

fn io_errno(error: &io::Error) -> Option<rustix::io::Errno> {
    error
        .raw_os_error()
        .map(rustix::io::Errno::from_raw_os_error)
}

/// Ends this process, and its group with it, by a signal: what runs at an ordinary exit may hang in
/// a driver.
fn end(signal: Signal) {
    // the run has made it the first of a group; a process may signal itself, and its group
    let _ = match getpgrp() == getpid() {
        true => kill_process_group(getpid(), signal),
        false => kill_process(getpid(), signal),
    };
}

/// Limits the memory of this process, and leaves no image of it behind where it crashes.
fn restrict(bytes: u64) -> io::Result<()> {
    let only = |limit: u64| Rlimit {
        current: Some(limit),
        maximum: Some(limit),
    };
    setrlimit(Resource::Core, only(0))?;
    // at the soft limit of processor time the system says why it ends a process, at the hard one it
    // does not
    let cpu = getrlimit(Resource::Cpu);
    if let Some(most) = cpu.maximum.filter(|most| *most > 1) {
        let soft = cpu.current.unwrap_or(most).min(most - 1);
        let current = Some(soft);
        setrlimit(Resource::Cpu, Rlimit { current, ..cpu })?;
    }
    // drivers reserve address space that they never touch: where the system tells, what is written
    // to counts
    let resource = match cfg!(target_os = "linux") {
        true => Resource::Data,
        false => Resource::As,
    };
    let allowed = getrlimit(resource).maximum;
    let bytes = allowed.map_or(bytes, |allowed| allowed.min(bytes));
    Ok(setrlimit(resource, only(bytes))?)
}

/// Ends the process when a cell has taken more processor time than it may. The system's own limit
/// counts whole seconds.
struct Watch {
    /// Processor time of this process at which it ends \[ns\].
    until: Arc<AtomicU64>,
}

impl Watch {
    /// Watches from [`Self::begin`] on; without a limit there is no thread.
    fn start(limits: &CellLimits) -> io::Result<Self> {
        let until = Arc::new(AtomicU64::new(u64::MAX));
        if limits.cpu_seconds.is_some() {
            let until = Arc::clone(&until);
            thread::Builder::new().spawn(move || {
                loop {
                    thread::sleep(LOOK);
                    if used() > until.load(Ordering::Relaxed) {
                        end(Signal::XCPU);
                    }
                }
            })?;
        }
        Ok(Self { until })
    }

    /// Begins with a cell that has taken `spent` of its time before \[ns\], and says what the clock
    /// shows \[ns\].
    fn begin(&self, limits: &CellLimits, spent: u64) -> u64 {
        let now = used();
        if let Some(seconds) = limits.cpu_seconds {
            let more = Duration::from_secs_f64(seconds).as_nanos();
            let until = u128::from(now).saturating_add(more);
            let until = u64::try_from(until).unwrap_or(u64::MAX);
            let until = until.saturating_sub(spent);
            self.until.store(until, Ordering::Relaxed);
        }
        now
    }

    /// What the clock shows after it \[ns\].
    fn end(&self) -> u64 {
        self.until.store(u64::MAX, Ordering::Relaxed);
        used()
    }
}

/// Processor time of this process \[ns\].
fn used() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let [seconds, rest] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

/// A cell between its passes.
struct Open<'m> {
    begun: Begun<'m>,
    /// Processor time that it has taken \[ns\].
    spent: u64,
}

/// What a worker works on, and what of it is begun.
struct Desk<'m> {
    matrix: &'m CellMatrix,
    workbench: Workbench<'m>,
    watch: Watch,
    limits: CellLimits,
    /// Cells that take turns, by their places.
    open: BTreeMap<usize, Open<'m>>,
}

impl<'m> Desk<'m> {
    /// Does what the run asks for.
    fn answer(&mut self, ask: WorkerRequest) -> io::Result<Reply> {
        let experiment = &self.matrix.experiment;
        match ask {
            WorkerRequest::Work(name) => {
                let Some(cell) = self.cell(&name) else {
                    return Ok(another());
                };
                self.watch.begin(&self.limits, 0);
                let run = experiment.run_guarded(cell, &self.workbench);
                self.watch.end();
                done(self.matrix, cell, run)
            }
            WorkerRequest::Begin(name) => {
                let Some(cell) = self.cell(&name) else {
                    return Ok(another());
                };
                let from = self.watch.begin(&self.limits, 0);
                let begun = experiment.begin_guarded(cell, &self.workbench);
                let spent = self.watch.end().saturating_sub(from);
                let rounds = begun.rounds();
                self.open.insert(name.index, Open { begun, spent });
                Ok(Reply::Begun(rounds))
            }
            WorkerRequest::Pass(index) => {
                let Some(open) = self.open.get_mut(&index) else {
                    return Ok(another());
                };
                let from = self.watch.begin(&self.limits, open.spent);
                open.begun.pass();
                open.spent += self.watch.end().saturating_sub(from);
                Ok(Reply::Passed)
            }
            WorkerRequest::Finish(index) => {
                let Some(Open { begun, spent }) = self.open.remove(&index) else {
                    return Ok(another());
                };
                let cell = &self.matrix.cells[index];
                self.watch.begin(&self.limits, spent);
                let run = experiment.finish_guarded(cell, begun);
                self.watch.end();
                done(self.matrix, cell, run)
            }
        }
    }

    /// The cell, if both sides mean the same one.
    fn cell(&self, name: &CellName) -> Option<&'m MatrixCell> {
        let cell = self.matrix.cells.get(name.index);
        cell.filter(|cell| cell.key == name.key)
    }
}

/// Run and worker do not mean the same cell.
fn another() -> Reply {
    let reason = "what it is made of has changed since the run began; run again";
    Reply::Refused(reason.to_owned())
}

/// What a cell came to, as the run reads it.
fn done(matrix: &CellMatrix, cell: &MatrixCell, mut run: CellRun) -> io::Result<Reply> {
    run.outcome.cut_texts();
    let record = CellRecord {
        key: cell.key.clone(),
        problem: matrix.experiment.subject(cell).clone(),
        solver: matrix.solver(cell),
        facts: run.facts,
        outcome: run.outcome,
        origin: None,
    };
    Ok(Reply::Done(CellReply {
        record: serde_json::to_vec(&record)?,
        replay: run.replay,
        impulses: run.impulses.as_deref().map(store::impulses_file),
    }))
}
