//! Workers that are no worker: shells that end, fall silent, or are ended.

use std::cell::RefCell;
use std::collections::VecDeque;

use delassus_core::Status;

use super::*;

const LIMITS: CellLimits = CellLimits {
    seconds: 60.0,
    cpu_seconds: None,
    bytes: 1 << 40,
};
const ASK: WorkerRequest = WorkerRequest::Pass(0);
/// What a worker says when it is ready.
const READY: &str = "echo '\"ready\"'";

/// A worker that does what a shell script says.
fn worker(script: &str) -> Worker {
    let isolation = Isolation {
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        always: true,
    };
    Worker::start(&isolation, &LIMITS).unwrap()
}

/// What a run hears of it, with the lines that it says; a minute is too long for any of them.
fn heard(worker: &mut Worker) -> (WorkerReply, Vec<String>) {
    let lines = RefCell::new(Vec::new());
    let hear = |line: &str| lines.borrow_mut().push(line.to_owned());
    let until = Instant::now() + Duration::from_secs(60);
    let heard = worker.hear(Some(until), &LIMITS, &AtomicBool::new(false), &hear);
    (heard, lines.into_inner())
}

#[track_caller]
fn is_outside(heard: WorkerReply, words: &str) {
    match heard {
        WorkerReply::Outside(reason) => assert!(reason.contains(words), "{reason}"),
        WorkerReply::Ended(verdict) => panic!("{verdict:?}"),
        WorkerReply::Reply(reply) => panic!("{reply:?}"),
        WorkerReply::Cancelled => panic!("cancelled"),
    }
}

#[track_caller]
fn is_crashed(heard: WorkerReply, words: &str) {
    match heard {
        WorkerReply::Ended(verdict) => {
            assert_eq!(verdict.status, Status::Crashed);
            assert!(verdict.message.contains(words), "{}", verdict.message);
        }
        WorkerReply::Outside(reason) => panic!("{reason}"),
        WorkerReply::Reply(reply) => panic!("{reply:?}"),
        WorkerReply::Cancelled => panic!("cancelled"),
    }
}

/// True if this process ignores SIGHUP; then its children do so too.
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 1)
}

#[test]
fn signals_of_others_are_told_from_those_of_the_cell() {
    for (signal, name) in [("TERM", "SIGTERM"), ("HUP", "SIGHUP"), ("KILL", "SIGKILL")] {
        if signal == "HUP" && ignores_hangups() {
            let reason = "the tests run under nohup, which ignores SIGHUP in what they start";
            delassus_skips::skip("signals_of_others_are_told_from_those_of_the_cell", reason);
            continue;
        }
        let mut worker = worker(&format!("kill -{signal} $$"));
        is_outside(heard(&mut worker).0, name);
    }
    for (signal, name) in [("SEGV", "SIGSEGV"), ("ABRT", "SIGABRT"), ("FPE", "SIGFPE")] {
        let mut worker = worker(&format!("kill -{signal} $$"));
        is_crashed(heard(&mut worker).0, name);
    }
    is_crashed(heard(&mut worker("exit 3")).0, "exit status: 3");
}

#[test]
fn a_worker_that_cannot_be_asked_is_not_waited_for() {
    let mut worker = worker(&format!("exec 0<&-; {READY}; exec sleep 600"));
    assert!(matches!(
        heard(&mut worker).0,
        WorkerReply::Reply(Reply::Ready)
    ));
    let begun = Instant::now();
    let cancel = AtomicBool::new(false);
    let until = begun.checked_add(Duration::from_secs(60));
    let answer = worker.ask(&ASK, until, &LIMITS, &cancel, &|_| {});
    is_outside(answer, "cannot be asked");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_worker_that_has_ended_before_it_is_asked_has_its_own_verdict() {
    let mut worker = worker(&format!("{READY}; exit 7"));
    assert!(matches!(
        heard(&mut worker).0,
        WorkerReply::Reply(Reply::Ready)
    ));
    let _ = worker.child.wait();
    let cancel = AtomicBool::new(false);
    let answer = worker.ask(&ASK, None, &LIMITS, &cancel, &|_| {});
    is_crashed(answer, "exit status: 7");
}

/// A pipe that brings what the system brings: bytes or errors, and then its end.
struct Pipe(VecDeque<Result<&'static [u8], io::ErrorKind>>);

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.pop_front() {
            Some(Ok(bytes)) => {
                buffer[..bytes.len()].copy_from_slice(bytes);
                Ok(bytes.len())
            }
            Some(Err(kind)) => Err(kind.into()),
            None => Ok(0),
        }
    }
}

fn pipe(events: &[Result<&'static [u8], io::ErrorKind>]) -> Pipe {
    Pipe(events.iter().copied().collect())
}

#[test]
fn an_error_of_the_pipe_does_not_blame_the_cell() {
    // as of a pipe: neither the end of a process, nor bytes that are no answer
    let broken = pipe(&[Err(io::ErrorKind::Interrupted), Err(io::ErrorKind::Other)]);
    let garbage = pipe(&[Ok(b"a solver prints\n")]);
    let mut worker = worker("exec sleep 600");
    for (pipe, outside) in [(broken, true), (garbage, false)] {
        let (sender, events) = sync_channel(WAITING);
        worker.events = events;
        pass_replies(BufReader::new(pipe), &sender);
        let (heard, _) = heard(&mut worker);
        match outside {
            true => is_outside(heard, "cannot be read"),
            false => is_crashed(heard, "cannot be read"),
        }
    }
}

#[test]
fn talk_is_heard_after_an_error_of_its_pipe() {
    let (sender, events) = sync_channel(WAITING);
    let errors = [Err(io::ErrorKind::Interrupted), Err(io::ErrorKind::Other)];
    relay_output(pipe(&[errors[0], errors[1], Ok(b"a word\n")]), &sender);
    let said = |event| matches!(event, Ok(Event::Said(bytes)) if bytes == b"a word\n");
    assert!(said(events.recv()));
    assert!(matches!(events.recv(), Ok(Event::Silent)));
    // and one that fails for ever is given up
    relay_output(pipe(&[errors[1]; 2 * READS as usize]), &sender);
    assert!(matches!(events.recv(), Ok(Event::Silent)));
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_worker_has_started_ends_with_it_in_whatever_session() {
    let folder = tempfile::tempdir().unwrap();
    for (end, mark) in [("kill -KILL $$", "killed"), ("exit 3", "exited")] {
        let mark = folder.path().join(mark);
        let mark = mark.display();
        let orphan = format!("setsid sh -c 'echo $$ >&2; echo > {mark}; exec sleep 600' &");
        let begun = format!("until [ -e {mark} ]; do sleep 0.01; done");
        let mut worker = worker(&format!("{orphan} {begun}; {end}"));
        let (_, lines) = heard(&mut worker);
        let number: u32 = lines[0].trim().parse().unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{end}: {stat}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_is_in_a_control_group_where_this_process_may_make_one() {
    use delassus_conformance::skip;

    let test = "a_worker_is_in_a_control_group_where_this_process_may_make_one";
    let worker = worker("exec sleep 600");
    let Some(group) = &worker.group else {
        let reason = match ControlGroup::new(LIMITS.bytes) {
            Err(error) => format!("no control group: {error}"),
            Ok(_) => panic!("a group can be made, and the worker is in none"),
        };
        skip(test, reason);
        return;
    };
    let of = format!("/proc/{}/cgroup", worker.child.id());
    let name = group.folder().file_name().unwrap().to_str().unwrap();
    assert!(std::fs::read_to_string(of).unwrap().contains(name));
    let folder = group.folder().to_owned();
    drop(worker);
    assert!(!folder.exists(), "the group goes with its worker");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_of_all_processes_of_a_cell_is_limited_together() {
    use delassus_conformance::skip;

    let test = "memory_of_all_processes_of_a_cell_is_limited_together";
    // the shell's child takes it, which the limit of one process does not see
    let script = "read line; head -c 400000000 /dev/zero | tail | wc -c >&2; exec sleep 600";
    let limits = CellLimits {
        bytes: 1 << 20,
        ..LIMITS
    };
    let isolation = Isolation {
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        always: true,
    };
    let mut worker = Worker::start(&isolation, &limits).unwrap();
    if !worker.group.as_ref().is_some_and(ControlGroup::is_limited) {
        skip(
            test,
            "the memory of control groups below this one is not limited here",
        );
        return;
    }
    let cancel = AtomicBool::new(false);
    let until = Instant::now().checked_add(Duration::from_secs(60));
    match worker.ask(&ASK, until, &limits, &cancel, &|_| {}) {
        WorkerReply::Ended(verdict) => assert_eq!(verdict.status, Status::OutOfMemory),
        _ => panic!("the group has met its limit"),
    }
}
