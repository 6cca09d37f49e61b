//! Processes that a test waits for and sends signals to. No test sleeps until something has
//! probably happened: it waits for what shows that it has.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::Ran;

/// Long enough for any machine; a program that hangs fails the test instead of stopping it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);
/// How often a test looks.
const LOOK: Duration = Duration::from_millis(5);

/// Waits until `found` gives something.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{what} does not come");
        sleep(LOOK);
    }
}

/// Starts a program whose output is kept.
pub(crate) fn started(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// What a program leaves at its end.
#[track_caller]
pub(crate) fn ended(mut child: Child) -> Ran {
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().expect("a child");
            panic!("the program does not stop");
        }
        sleep(LOOK);
    }
    Ran::from(child.wait_with_output().expect("its output"))
}

/// The number of a live process's parent.
fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (!["Z", "X"].contains(&state)).then_some(parent)
}

#[cfg(target_os = "linux")]
pub(crate) fn lives(process: u32) -> bool {
    parent(process).is_some()
}

/// The processes below one, the nearest first.
pub(crate) fn below(process: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let all: Vec<(u32, u32)> = numbers.filter_map(|id| Some((id, parent(id)?))).collect();
    let mut found = vec![process];
    let mut next = 0;
    while next < found.len() {
        let children = all.iter().filter(|(_, parent)| *parent == found[next]);
        found.extend(children.map(|(id, _)| *id).collect::<Vec<_>>());
        next += 1;
    }
    found.split_off(1)
}

/// Sends a signal to processes in this order; those that have ended are none.
pub(crate) fn send(name: &str, processes: &[u32]) {
    let numbers: Vec<String> = processes.iter().map(ToString::to_string).collect();
    let kill = format!("for p in {}; do kill {name} $p; done", numbers.join(" "));
    // the shell has kill built in; the program belongs to a package that a small installation lacks
    let mut shell = Command::new("sh");
    let sent = shell.args(["-c", &kill]).stderr(Stdio::null()).status();
    sent.expect("a shell starts");
}
