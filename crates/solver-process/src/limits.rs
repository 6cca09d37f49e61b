//! The group and the limits of a peer's process.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

#[cfg(unix)]
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
#[cfg(target_os = "linux")]
use rustix::process::{Resource, Rlimit, prlimit};

/// Processor time of a process \[s\]. A peer is replaced before it can come near by honest work.
#[cfg(target_os = "linux")]
const CPU_SECONDS: u64 = 3600;
/// Size of a file that it writes \[B\].
#[cfg(target_os = "linux")]
const FILE_BYTES: u64 = 64 << 20;

/// Processes that lead the groups of running peers.
static LEADERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// The process leads a group of its own, which ends as a whole.
fn own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// True once a program has been started.
static STARTED: AtomicBool = AtomicBool::new(false);
/// What is done before that.
static BEFORE: OnceLock<fn()> = OnceLock::new();

/// Says once per process what is done before the first program starts.
pub fn before_first(prepare: fn()) {
    // later ones change nothing
    let _ = BEFORE.set(prepare);
}

/// Starts a process, which leads a group of its own and has limits.
pub(crate) fn start(command: &mut Command, address_space: u64) -> io::Result<Child> {
    own_group(command);
    if !STARTED.swap(true, Ordering::Relaxed)
        && let Some(prepare) = BEFORE.get()
    {
        prepare();
    }
    // whoever asks for the running ones meanwhile waits for this one
    let mut leaders = leaders();
    let process = command.spawn()?;
    leaders.insert(process.id());
    set(&process, address_space);
    Ok(process)
}

/// Limits a process that has just started. Only Linux can limit another process.
fn set(process: &Child, address_space: u64) {
    #[cfg(target_os = "linux")]
    {
        let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw);
        for (resource, limit) in [
            (Resource::Cpu, CPU_SECONDS),
            (Resource::As, address_space),
            (Resource::Fsize, FILE_BYTES),
            (Resource::Core, 0),
        ] {
            // a limit from outside may be lower, and nobody can raise that
            let limit = Rlimit {
                current: Some(limit),
                maximum: Some(limit),
            };
            let _ = prlimit(pid, resource, limit);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (process, address_space);
}

/// How far a process has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// It runs.
    Running,
    /// It has ended, and its number is still its own: nobody has waited for it.
    Ended,
    /// It was waited for: its number may be that of another process.
    Gone,
}

/// Looks at a process without waiting for it.
#[cfg(unix)]
pub(crate) fn life(process: &mut Child) -> Life {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(Pid::from_child(process)), options) {
        Ok(None) => Life::Running,
        Ok(Some(_)) => Life::Ended,
        Err(_) => Life::Gone,
    }
}

/// Looks at a process.
#[cfg(not(unix))]
pub(crate) fn life(process: &mut Child) -> Life {
    match process.try_wait() {
        Ok(None) => Life::Running,
        _ => Life::Gone,
    }
}

/// Ends the group of a process, also where the process itself has ended and left others behind, and
/// waits for the process.
pub(crate) fn end_group(process: &mut Child) {
    if life(process) != Life::Gone {
        kill(process.id());
        let _ = process.kill();
        let _ = process.wait();
    }
    leaders().remove(&process.id());
}

/// Ends the groups of all peers at once: what a program calls before it exits while they work.
pub fn kill_all() {
    leaders().iter().copied().for_each(kill);
}

/// The processes of the programs that run now.
pub fn running() -> BTreeSet<u32> {
    leaders().clone()
}

/// True if this process has started a program.
pub fn has_started() -> bool {
    STARTED.load(Ordering::Relaxed)
}

fn leaders() -> std::sync::MutexGuard<'static, BTreeSet<u32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the group that a process leads.
fn kill(leader: u32) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = leader;
}
