//! How a process ended that should have answered.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use delassus_core::Status;
use delassus_records::record::Limit;

use super::CellLimits;
use super::limits::words;

/// The last bytes of a standard error that are kept \[B\].
const TAIL: usize = 4096;
/// The last lines of it that a message has \[-\].
const LINES: usize = 4;
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

/// A line without control characters, and without the number of the thread that says it: that is another in every run.
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
    pub(super) limit: Option<Limit>,
}

impl Verdict {
    /// The run ended the process, as the cell took longer than it may.
    pub(super) fn late(limits: &CellLimits) -> Self {
        Self::at(Status::Timeout, Limit::Seconds(limits.seconds))
    }

    fn at(status: Status, limit: Limit) -> Self {
        Self {
            status,
            message: format!("ended at its limit of {}", words(limit)),
            limit: Some(limit),
        }
    }

    /// The process ended by itself or by the system; `starved` if that has ended processes for want of memory meanwhile.
    pub(super) fn of(exit: ExitStatus, tail: &Tail, limits: &CellLimits, starved: bool) -> Self {
        const KILL: i32 = 9;
        const ABORT: i32 = 6;
        const CPU: i32 = 24;
        let lines = tail.lines();
        let no_memory = || lines.iter().rev().take(2).any(|l| l.starts_with(NO_MEMORY));
        match (exit.signal(), limits.cpu_seconds) {
            (Some(CPU), Some(seconds)) => Self::at(Status::Timeout, Limit::CpuSeconds(seconds)),
            (Some(ABORT), _) if no_memory() => {
                Self::at(Status::OutOfMemory, Limit::Bytes(limits.bytes))
            }
            (Some(KILL), _) if starved => Self {
                message: "the system had no memory left and ended it".to_owned(),
                ..Self::at(Status::OutOfMemory, Limit::Bytes(limits.bytes))
            },
            (Some(_), _) => Self::crashed(format!("its process ended by {exit}"), tail),
            (None, _) => {
                let text = format!("its process left without an answer, {exit}");
                Self::crashed(text, tail)
            }
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

    fn verdict(raw: i32, said: &str, starved: bool) -> Verdict {
        let mut tail = Tail::default();
        tail.push(said.as_bytes());
        Verdict::of(ExitStatus::from_raw(raw), &tail, &LIMITS, starved)
    }

    #[test]
    fn every_end_has_its_name() {
        let full = "memory allocation of 64 bytes failed\n";
        for (raw, said, starved, status, words) in [
            (24, "", false, Status::Timeout, "3 s of processor time"),
            (6, full, false, Status::OutOfMemory, "1.0 MiB of memory"),
            (9, "", true, Status::OutOfMemory, "no memory left"),
            (9, "", false, Status::Crashed, "signal: 9 (SIGKILL)"),
            (6, "a bad day\n", false, Status::Crashed, "a bad day"),
            (11, full, false, Status::Crashed, "signal: 11 (SIGSEGV)"),
            (0, "", false, Status::Crashed, "exit status: 0"),
            (3 << 8, "x\ny\n", false, Status::Crashed, "it said: x / y"),
        ] {
            let verdict = verdict(raw, said, starved);
            assert_eq!(verdict.status, status, "{raw} {said}");
            assert!(verdict.message.contains(words), "{}", verdict.message);
        }
        // long ago is not the reason
        let before = format!("{full}one\ntwo\nthree\n");
        assert_eq!(verdict(6, &before, false).status, Status::Crashed);
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
