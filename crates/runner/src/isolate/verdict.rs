//! How a process ended that should have answered.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use delassus_core::{Bytes, Status};
use delassus_records::record::ResourceLimit;
use rustix::process::{Resource, Signal, getrlimit};

use super::CellLimits;
use super::limits::ended_at;

/// The last bytes of a standard error that are kept \[B\].
const TAIL: usize = 4096;
/// The last lines of it that a message has \[-\].
const LINES: usize = 4;
/// Signals that a process draws upon itself by what it does; every other one was sent to it.
const OWN: [Signal; 7] = [
    Signal::ILL,
    Signal::TRAP,
    Signal::ABORT,
    Signal::BUS,
    Signal::FPE,
    Signal::SEGV,
    Signal::SYS,
];
/// What the standard library says where an allocation fails, before it aborts.
const NO_MEMORY: &str = "memory allocation of ";

/// The end of what a process said.
#[derive(Debug, Default)]
pub(super) struct Tail(VecDeque<u8>);

impl Tail {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
        let surplus = self.0.len().saturating_sub(TAIL);
        self.0.drain(..surplus);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn lines(&self) -> Vec<String> {
        let bytes: Vec<u8> = self.0.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().map(plain).filter(|line| !line.is_empty());
        lines.collect()
    }

    /// True if the standard library has just said that an allocation failed.
    fn says_no_memory(&self) -> bool {
        let lines = self.lines();
        lines
            .iter()
            .rev()
            .take(2)
            .any(|line| line.starts_with(NO_MEMORY))
    }

    /// Its last lines as the end of a message; nothing if it is empty.
    fn words(&self) -> String {
        let lines = self.lines();
        match lines.as_slice() {
            [] => String::new(),
            lines => {
                let last = lines.len().saturating_sub(LINES);
                format!("; it said: {}", lines[last..].join(" / "))
            }
        }
    }
}

/// A line without control characters, and without the number of the thread that says it: that is
/// another in every run.
fn plain(line: &str) -> String {
    let line = line.replace(|c: char| c.is_control(), " ");
    let line = line.trim();
    let numbered = || {
        let (name, rest) = line.strip_prefix("thread '")?.split_once("' (")?;
        let (number, rest) = rest.split_once(')')?;
        let digits = number.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| format!("thread '{name}'{rest}"))
    };
    numbered().unwrap_or_else(|| line.to_owned())
}

/// What became of a cell whose process ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Verdict {
    pub(super) status: Status,
    pub(super) message: String,
    pub(super) limit: Option<ResourceLimit>,
}

impl Verdict {
    /// The run ended the process, as the cell took longer than it may.
    pub(super) fn late(limits: &CellLimits) -> Self {
        Self::at(Status::Timeout, ResourceLimit::Seconds(limits.seconds))
    }

    fn at(status: Status, limit: ResourceLimit) -> Self {
        Self {
            status,
            message: ended_at(limit),
            limit: Some(limit),
        }
    }

    /// The process went on without being able to answer, or answered what nobody understands.
    pub(super) fn crashed(text: String, tail: &Tail) -> Self {
        Self {
            status: Status::Crashed,
            message: text + &tail.words(),
            limit: None,
        }
    }
}

/// How a process ended that should have answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ending {
    /// By what its cell did.
    Own(Verdict),
    /// By what others did to it, in words: the cell is not to blame.
    Outside(String),
}

/// What the system knows of an end apart from the signal or the exit code.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Circumstances {
    /// The control group that was made for the process has met its limit of memory.
    pub(super) group_full: bool,
    /// The system has ended processes for want of memory meanwhile.
    pub(super) starved: bool,
    /// Processor time that the system grants a process \[s\], where it is limited.
    pub(super) cpu_seconds: Option<u64>,
    /// Length that the system grants a file \[B\], where it is limited.
    pub(super) file_bytes: Option<u64>,
}

impl Circumstances {
    /// Those of a worker, which inherits the limits of the run.
    pub(super) fn new(group_full: bool, starved: bool) -> Self {
        Self {
            group_full,
            starved,
            cpu_seconds: granted(Resource::Cpu),
            file_bytes: granted(Resource::Fsize),
        }
    }
}

/// What the system grants a process of a resource, where it is limited.
fn granted(resource: Resource) -> Option<u64> {
    let limit = getrlimit(resource);
    limit.current.or(limit.maximum)
}

impl Ending {
    /// The process ended by itself, by the system, or by somebody else.
    ///
    /// A signal that a process does not draw upon itself says nothing about its cell: a scheduler,
    /// a terminal that closes or a system without memory ends any process.
    pub(super) fn of(
        exit: ExitStatus,
        tail: &Tail,
        limits: &CellLimits,
        around: Circumstances,
    ) -> Self {
        let at = |status, limit| Self::Own(Verdict::at(status, limit));
        let full = || at(Status::OutOfMemory, ResourceLimit::Bytes(limits.bytes));
        let crashed = |text| Self::Own(Verdict::crashed(text, tail));
        #[expect(
            clippy::cast_precision_loss,
            reason = "seconds of a process, far below 2^53"
        )]
        let granted = around.cpu_seconds.map(|seconds| seconds as f64);
        let seconds = limits.cpu_seconds.or(granted);
        let Some(raw) = exit.signal() else {
            return crashed(format!("its process left without an answer, {exit}"));
        };
        match (Signal::from_named_raw(raw), seconds, around.file_bytes) {
            (Some(Signal::XCPU), Some(seconds), _) => {
                at(Status::Timeout, ResourceLimit::CpuSeconds(seconds))
            }
            (Some(Signal::XFSZ), _, Some(bytes)) => crashed(format!(
                "its process wrote a file of more than {}, a limit of the system (ulimit -f)",
                Bytes(bytes)
            )),
            (Some(Signal::ABORT), ..) if tail.says_no_memory() => full(),
            (Some(Signal::KILL), ..) if around.group_full => full(),
            (Some(signal), ..) if OWN.contains(&signal) => {
                crashed(format!("its process ended by {exit}"))
            }
            _ => Self::Outside(format!(
                "its process was ended from outside by {exit}{}",
                match around.starved {
                    true => ", while the system had no memory left",
                    false => "",
                }
            )),
        }
    }
}

/// Processes that this system has ended for want of memory \[-\], where it counts them.
pub(super) fn starvations() -> u64 {
    let counter = |text: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        line.and_then(|count| count.trim().parse::<u64>().ok())
    };
    let files = ["/proc/vmstat", "/sys/fs/cgroup/memory.events"];
    let counts = files.map(|file| fs::read_to_string(file).ok().as_deref().and_then(counter));
    counts.into_iter().flatten().fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: CellLimits = CellLimits {
        seconds: 2.0,
        cpu_seconds: Some(3.0),
        bytes: 1 << 20,
    };

    fn ending(raw: i32, said: &str, limits: &CellLimits, around: Circumstances) -> Ending {
        let mut tail = Tail::default();
        tail.push(said.as_bytes());
        Ending::of(ExitStatus::from_raw(raw), &tail, limits, around)
    }

    #[track_caller]
    fn own(raw: i32, said: &str, around: Circumstances, (status, words): (Status, &str)) {
        match ending(raw, said, &LIMITS, around) {
            Ending::Own(verdict) => {
                assert_eq!(verdict.status, status, "{raw} {said}");
                assert!(verdict.message.contains(words), "{}", verdict.message);
            }
            Ending::Outside(text) => panic!("{raw} {said}: {text}"),
        }
    }

    #[test]
    fn ends_of_the_cells_own_making_are_named() {
        let full = "memory allocation of 64 bytes failed\n";
        let none = Circumstances::default();
        for (raw, said, status, words) in [
            (24, "", Status::Timeout, "3 s of processor time"),
            (6, full, Status::OutOfMemory, "1.0 MiB of memory"),
            (6, "a bad day\n", Status::Crashed, "a bad day"),
            (11, full, Status::Crashed, "signal: 11 (SIGSEGV)"),
            (0, "", Status::Crashed, "exit status: 0"),
            (3 << 8, "x\ny\n", Status::Crashed, "it said: x / y"),
        ] {
            own(raw, said, none, (status, words));
        }
        for signal in OWN {
            own(signal.as_raw(), "", none, (Status::Crashed, "signal"));
        }
        // long ago is not the reason
        let before = format!("{full}one\ntwo\nthree\n");
        own(6, &before, none, (Status::Crashed, "three"));
        let group_full = Circumstances {
            group_full: true,
            ..none
        };
        own(9, "", group_full, (Status::OutOfMemory, "1.0 MiB"));
        let file_bytes = Some(4096);
        let limited = Circumstances { file_bytes, ..none };
        own(25, "", limited, (Status::Crashed, "4.0 KiB"));
    }

    #[test]
    fn signals_of_others_do_not_blame_the_cell() {
        let (none, unlimited) = (
            Circumstances::default(),
            CellLimits {
                cpu_seconds: None,
                ..LIMITS
            },
        );
        // hangup, interrupt, quit, kill, user 1, pipe, termination, processor time and length of a
        // file without a limit
        for raw in [1, 2, 3, 9, 10, 13, 15, 24, 25] {
            let ending = ending(raw, "a bad day\n", &unlimited, none);
            assert!(matches!(ending, Ending::Outside(_)), "{raw}: {ending:?}");
        }
        let starved = Circumstances {
            starved: true,
            ..none
        };
        match ending(9, "", &LIMITS, starved) {
            Ending::Outside(text) => assert!(text.ends_with("no memory left"), "{text}"),
            Ending::Own(verdict) => panic!("{verdict:?}"),
        }
        // processor time that the system limits
        let cpu_seconds = Some(7);
        let limited = Circumstances {
            cpu_seconds,
            ..none
        };
        match ending(24, "", &unlimited, limited) {
            Ending::Own(verdict) => assert_eq!(verdict.limit, Some(ResourceLimit::CpuSeconds(7.0))),
            Ending::Outside(text) => panic!("{text}"),
        }
    }

    #[test]
    fn the_last_lines_are_kept_and_are_the_same_in_every_run() {
        let mut tail = Tail::default();
        tail.push("x".repeat(3 * TAIL).as_bytes());
        tail.push(b"\nthread 'main' (4711) has overflowed\x1b its stack\r\n\nfatal\n");
        assert_eq!(tail.0.len(), TAIL);
        let lines = tail.lines();
        assert_eq!(lines[1], "thread 'main' has overflowed  its stack");
        assert_eq!(lines[2], "fatal");
        assert_eq!(
            plain("thread 'main' (unnamed) x"),
            "thread 'main' (unnamed) x"
        );
    }
}
