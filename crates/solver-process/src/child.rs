//! One running peer: its pipes, its deadline, its limits, its end.

use std::collections::VecDeque;
use std::io::{BufReader, BufWriter, Read};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::frame::{FrameError, PeerMessage};
use crate::hello::check_protocol;
use crate::last_words::last_words;
use crate::limits::{self, Life};
use crate::peer_file;
use crate::program::PeerProgram;

/// Bytes of standard error that are kept \[B\].
const KEPT: usize = 64 << 10;
/// Bytes of standard error that a message is made of \[B\].
const QUOTED: usize = 4 << 10;
/// Characters of standard error in a message \[-\].
const SHOWN: usize = 400;
/// Time for standard error to be read to its end after a fault.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Time to end after the last request \[s\].
const FAREWELL: f64 = 1.0;
/// Variables that a peer gets from outside, in addition to those whose name begins with
/// `DELASSUS_`.
const PASSED: [&str; 10] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TZ",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
];
/// Variables that it gets from here: that it is a peer, one thread per library, equal hashes.
const SET: [(&str, &str); 11] = [
    ("DELASSUS_PEER", "1"),
    ("OMP_NUM_THREADS", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
    ("MKL_NUM_THREADS", "1"),
    ("BLIS_NUM_THREADS", "1"),
    ("VECLIB_MAXIMUM_THREADS", "1"),
    ("NUMEXPR_NUM_THREADS", "1"),
    ("NUMBA_NUM_THREADS", "1"),
    ("PYTHONHASHSEED", "0"),
    ("PYTHONUNBUFFERED", "1"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
];

/// A request, and what its answer may be.
struct Job {
    frame: PeerMessage,
    /// Bytes of all arrays of the answer \[B\].
    allowed: u64,
}

/// A program that runs, and answers one request after the other.
#[derive(Debug)]
pub struct Peer {
    process: Child,
    jobs: Option<Sender<Job>>,
    answers: Receiver<Result<PeerMessage, FrameError>>,
    errors: Arc<Mutex<VecDeque<u8>>>,
    /// Seconds that it was asked to work \[s\].
    pub(crate) worked: f64,
    requests: u64,
}

impl Peer {
    /// Starts a program and reads its hello.
    ///
    /// # Errors
    /// What is wrong, with the last words of the program.
    pub(crate) fn start(program: &PeerProgram) -> Result<(Self, PeerMessage), String> {
        let mut command = command(program);
        let started = limits::start(&mut command, program.address_space);
        let mut process =
            started.map_err(|error| format!("{} cannot be started: {error}", program.words[0]))?;
        let (stdin, stdout) = (process.stdin.take(), process.stdout.take());
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            limits::end_group(&mut process);
            return Err("its pipes are not there".to_owned());
        };
        let errors = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(stderr) = process.stderr.take() {
            let errors = Arc::clone(&errors);
            thread::spawn(move || keep_errors(stderr, &errors));
        }
        let (jobs, own_jobs) = channel();
        let (own_answers, answers) = channel();
        thread::spawn(move || serve_jobs(stdin, stdout, &own_jobs, &own_answers));
        let mut peer = Self {
            process,
            jobs: Some(jobs),
            answers,
            errors,
            worked: 0.0,
            requests: 0,
        };
        let frame = peer.wait(program.hello_seconds, "no hello")?;
        check_protocol(&frame).map_err(|fault| peer.with_words(fault))?;
        Ok((peer, frame))
    }

    /// Sends a request and waits for its answer, whose arrays have at most `allowed` bytes. After
    /// an error the process has ended.
    ///
    /// # Errors
    /// What went wrong, with the last words of the process.
    pub fn ask(
        &mut self,
        mut frame: PeerMessage,
        allowed: u64,
        seconds: f64,
    ) -> Result<PeerMessage, String> {
        self.requests += 1;
        let id = self.requests;
        frame.head.insert("id".to_owned(), id.into());
        let sent = match &self.jobs {
            Some(jobs) => jobs.send(Job { frame, allowed }).is_ok(),
            None => false,
        };
        if !sent {
            return Err(self.with_words("the process has ended".to_owned()));
        }
        let clock = Instant::now();
        let answer = self.wait(seconds, "no answer");
        self.worked += clock.elapsed().as_secs_f64();
        let answer = answer?;
        let found = answer.head.get("id").and_then(serde_json::Value::as_u64);
        // an error may come from a peer that could not read the id
        if found != Some(id) && !answer.head.contains_key("error") {
            self.end_now();
            return Err(format!(
                "it answered to another request than the one with id {id}"
            ));
        }
        Ok(answer)
    }

    /// The next message.
    fn wait(&mut self, seconds: f64, missing: &str) -> Result<PeerMessage, String> {
        let limit = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let fault = match self.answers.recv_timeout(limit) {
            Ok(Ok(frame)) => return Ok(frame),
            Ok(Err(FrameError::End | FrameError::Pipe(_)))
            | Err(RecvTimeoutError::Disconnected) => self.death(),
            Ok(Err(error)) => error.to_string(),
            Err(RecvTimeoutError::Timeout) => format!("{missing} within {seconds:.3} s"),
        };
        self.end_now();
        Err(self.with_words(fault))
    }

    /// How the process died; waits a moment if the pipe has been closed already.
    fn death(&mut self) -> String {
        let clock = Instant::now();
        while limits::life(&mut self.process) == Life::Running {
            if clock.elapsed().as_secs_f64() >= FAREWELL {
                return "the process closed its output".to_owned();
            }
            thread::sleep(Duration::from_millis(5));
        }
        // before anyone waits for it: its group may live on
        limits::end_group(&mut self.process);
        match self.process.try_wait() {
            Ok(Some(status)) => format!("the process died ({status})"),
            _ => "the process closed its output".to_owned(),
        }
    }

    /// Ends the process group at once.
    pub fn end_now(&mut self) {
        self.jobs = None;
        limits::end_group(&mut self.process);
    }

    /// A fault with the last words of the process.
    fn with_words(&self, fault: String) -> String {
        // what was written before a death may still be in the pipe, and its reader has a count
        let clock = Instant::now();
        while Arc::strong_count(&self.errors) > 1 && clock.elapsed() < LAST_WORDS {
            thread::sleep(Duration::from_millis(5));
        }
        let kept = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let from = kept.len().saturating_sub(QUOTED);
        let bytes: Vec<u8> = kept.iter().skip(from).copied().collect();
        let words = last_words(&String::from_utf8_lossy(&bytes));
        let longer = words.chars().count().saturating_sub(SHOWN);
        let shown: String = words.chars().skip(longer).collect();
        match shown.is_empty() {
            true => fault,
            false => format!("{fault}; it said: {shown}"),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        if let Some(jobs) = self.jobs.take() {
            let mut frame = PeerMessage::default();
            frame.head.insert("op".to_owned(), "quit".into());
            frame
                .head
                .insert("id".to_owned(), (self.requests + 1).into());
            let _ = jobs.send(Job { frame, allowed: 0 });
            drop(jobs);
            let clock = Instant::now();
            while clock.elapsed().as_secs_f64() < FAREWELL {
                match limits::life(&mut self.process) {
                    Life::Running => thread::sleep(Duration::from_millis(5)),
                    _ => break,
                }
            }
        }
        limits::end_group(&mut self.process);
    }
}

/// The command with its environment, pipes and group.
fn command(program: &PeerProgram) -> Command {
    let mut command = Command::new(&program.words[0]);
    command.args(&program.words[1..]).env_clear();
    let kept = std::env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        PASSED.contains(&&*name) || name.starts_with("DELASSUS_")
    });
    command.envs(kept).envs(SET);
    if let Some(path) = python_path() {
        command.env("PYTHONPATH", path);
    }
    if let Some(folder) = &program.folder {
        command.current_dir(folder);
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The modules next to the peers, then those of the user.
fn python_path() -> Option<std::ffi::OsString> {
    let own = peer_file::roots()
        .into_iter()
        .map(|root| root.join("python"));
    let given = std::env::var_os("PYTHONPATH");
    let given: Vec<_> = given
        .iter()
        .flat_map(|p| std::env::split_paths(p))
        .collect();
    let all = own.filter(|folder| folder.is_dir()).chain(given);
    std::env::join_paths(all)
        .ok()
        .filter(|path| !path.is_empty())
}

/// Reads the hello, then writes requests and reads their answers until nobody asks.
fn serve_jobs(
    stdin: ChildStdin,
    stdout: ChildStdout,
    jobs: &Receiver<Job>,
    answers: &Sender<Result<PeerMessage, FrameError>>,
) {
    let mut input = BufReader::new(stdout);
    let mut output = BufWriter::new(stdin);
    let hello = PeerMessage::read(&mut input, 0);
    let mut open = hello.is_ok();
    open &= answers.send(hello).is_ok();
    while open {
        let Ok(job) = jobs.recv() else {
            return;
        };
        let quits = job.frame.head.get("op").is_some_and(|op| op == "quit");
        let answer = match job.frame.write(&mut output) {
            Ok(()) if quits => return,
            Ok(()) => PeerMessage::read(&mut input, job.allowed),
            Err(error) => Err(error),
        };
        open = answer.is_ok();
        open &= answers.send(answer).is_ok();
    }
}

/// Keeps the end of what a process writes to standard error.
fn keep_errors(mut from: ChildStderr, kept: &Mutex<VecDeque<u8>>) {
    let mut part = [0; 4096];
    while let Ok(read) = from.read(&mut part) {
        if read == 0 {
            return;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&part[..read]);
        let more = kept.len().saturating_sub(KEPT);
        kept.drain(..more);
    }
}
