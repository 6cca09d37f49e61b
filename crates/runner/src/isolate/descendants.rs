//! Processes that solvers have started: they end with their worker, whatever group or session they
//! have moved to.
//!
//! A worker and its run take over the orphans below them (`PR_SET_CHILD_SUBREAPER`, Linux), so that
//! whatever a solver has started stays in the tree of the one that still lives. Elsewhere only the
//! worker's group of processes ends with it.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use delassus_registry::process as programs;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// How often processes are looked for that are still there \[-\]: one that starts others faster
/// than they are ended is left.
const ROUNDS: u32 = 200;
/// How long those that were told to end have until they are looked for again.
const PAUSE: Duration = Duration::from_millis(2);

/// Children of this process that are no orphans: workers, programs of solvers, and what was there
/// before the first of them.
#[derive(Debug)]
pub(crate) struct OwnChildren {
    adopting: bool,
    before: BTreeSet<u32>,
    workers: BTreeSet<u32>,
}

static OWN: Mutex<OwnChildren> = Mutex::new(OwnChildren {
    adopting: false,
    before: BTreeSet::new(),
    workers: BTreeSet::new(),
});

/// Takes over the orphans below this process from now on: what a solver starts, and the programs
/// of other solvers, end with it ([`end_started`]).
pub fn adopt() {
    own_children().adopt_orphans();
}

/// Ends everything below this process that was not there before [`adopt`], without which nothing
/// ends.
pub fn end_started() {
    let (adopting, before) = {
        let own = own_children();
        (own.adopting, own.before.clone())
    };
    if adopting {
        end_all(|all| below(id(), all, &before));
    }
}

/// The children of this process. While this is held, no worker starts and no orphan is ended.
pub(crate) fn own_children() -> MutexGuard<'static, OwnChildren> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OwnChildren {
    /// Takes over the orphans below this process from now on.
    pub(super) fn adopt_orphans(&mut self) {
        if !self.adopting {
            self.adopting = true;
            self.before = children_of(id(), &processes()).collect();
            adopt_orphans();
        }
    }

    pub(super) fn add(&mut self, child: u32) {
        self.workers.insert(child);
    }

    /// Forgets a worker that has ended, and ends what it has left.
    pub(super) fn remove(&mut self, child: u32) {
        self.workers.remove(&child);
        if !self.adopting {
            return;
        }
        end_all(|all| {
            // asked after the processes were listed: one that has just begun is among them
            let programs = programs::running();
            let known = [&self.before, &self.workers, &programs];
            let children = children_of(id(), all);
            let is_orphan = |child: &u32| !known.iter().any(|known| known.contains(child));
            children.filter(is_orphan).collect()
        });
    }
}

/// Takes over the orphans below this process, where the system can.
pub(super) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    // without it they are nobody's, as on other systems
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Ends all descendants of this process.
pub(super) fn end_descendants() {
    end_all(|all| below(id(), all, &BTreeSet::new()));
}

/// The processes below one, but for those children and what is below them.
fn below(parent: u32, all: &[Process], except: &BTreeSet<u32>) -> Vec<u32> {
    let children = children_of(parent, all);
    let mut found: Vec<u32> = children.filter(|child| !except.contains(child)).collect();
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        let below: Vec<u32> = children_of(parent, all).collect();
        found.extend(below);
        next += 1;
    }
    found
}

/// Ends what `choose` finds among all processes until it finds nothing.
fn end_all(choose: impl Fn(&[Process]) -> Vec<u32>) {
    for _ in 0..ROUNDS {
        let found = choose(&processes());
        if found.is_empty() {
            return;
        }
        for number in found {
            let Some(process) = i32::try_from(number).ok().and_then(Pid::from_raw) else {
                continue;
            };
            let _ = kill_process(process, Signal::KILL);
            // one that is no child of this process is its parent's to bury
            let _ = waitpid(Some(process), WaitOptions::NOHANG);
        }
        sleep(PAUSE);
    }
}

/// A process that has not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    id: u32,
    parent: u32,
}

fn id() -> u32 {
    std::process::id()
}

fn children_of(parent: u32, all: &[Process]) -> impl Iterator<Item = u32> + '_ {
    let children = all.iter().filter(move |process| process.parent == parent);
    children.map(|process| process.id)
}

/// All processes that this one sees; none where the system has no `/proc` of Linux.
fn processes() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = entries.filter_map(|entry| {
        let number = entry.file_name().to_str()?.parse().ok()?;
        process(number, &fs::read(entry.path().join("stat")).ok()?)
    });
    all.collect()
}

/// Reads a line `number (name) state parent …`, whose name may hold brackets and bytes of any kind.
fn process(id: u32, stat: &[u8]) -> Option<Process> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(&stat[end + 1..]).ok()?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // a zombie has ended, and waits to be buried
    (!["Z", "X"].contains(&state)).then_some(Process { id, parent })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_processes_do_not_mislead() {
        let read = |text: &str| process(7, text.as_bytes());
        let parent = |parent| Some(Process { id: 7, parent });
        assert_eq!(read("7 (sleep) S 5 7 7 0"), parent(5));
        assert_eq!(read("7 (a) S 1 (b) R 6 7 7 0"), parent(6));
        assert_eq!(process(7, b"7 (\xff) S 5 7"), parent(5));
        assert_eq!(read("7 (gone) Z 5 7 7 0"), None);
        assert_eq!(read(""), None);
    }
}
