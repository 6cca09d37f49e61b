//! How much memory this machine has for one problem, and what judging one takes.

use std::fs;

use delassus_core::{Block, Factor, MemoryLimit, Problem};
use delassus_metrics::{Evaluator, Metric};

/// Three quarters of what the process may have: the machine's memory, its control group's, or its
/// address space, whichever is least; the rest is for records, figures and the program itself.
/// Where nobody says, [`MemoryLimit::default`].
pub fn limit() -> MemoryLimit {
    let bytes = [
        machine(&read("/proc/meminfo")),
        group(&read("/sys/fs/cgroup/memory.max")),
        own_address_space(),
    ];
    let least = bytes.into_iter().flatten().min();
    least.map_or_else(MemoryLimit::default, |bytes| {
        MemoryLimit::new(bytes / 4 * 3)
    })
}

/// Address space that this process may have \[B\]; `None` for no limit, or where the system does
/// not say.
pub(crate) fn own_address_space() -> Option<u64> {
    address_space(&read("/proc/self/limits"))
}

/// The same without what this process has taken already, where its address space is limited \[B\].
pub fn free() -> u64 {
    let all = limit().bytes();
    let Some(space) = own_address_space() else {
        return all;
    };
    let taken = taken(&read("/proc/self/status")).unwrap_or(0);
    all.min(space.saturating_sub(taken) / 4 * 3)
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// `MemTotal:  24017208 kB`
fn machine(text: &str) -> Option<u64> {
    in_kilobytes(text, "MemTotal:")
}

/// `VmSize:     5200 kB`
fn taken(text: &str) -> Option<u64> {
    in_kilobytes(text, "VmSize:")
}

fn in_kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// A number of bytes, or `max`.
fn group(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// `Max address space  2147483648  unlimited  bytes`: the soft limit.
fn address_space(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Vectors that a run keeps in addition to a problem: impulses at its start, of its passes and of a
/// reference, and the state of a solver twice; velocities, and those in the state \[-\].
const OF_ROWS: u64 = 6;
const OF_BODIES: u64 = 3;

/// Bytes that judging a run by these metrics takes in addition to the problem \[B\]: an evaluator,
/// the vectors of the run, and the largest block whose tangents the metrics look at.
pub fn of_metrics(problem: &Problem, names: &[impl AsRef<str>]) -> u64 {
    let coupled = |block: &Block| {
        let factors = block.law.factors(block.dim);
        factors.iter().any(Factor::has_friction)
    };
    let square = problem.largest_square_memory(coupled);
    let metrics = names.iter().filter_map(|name| Metric::by_id(name.as_ref()));
    let bodies = problem.bodies().map_or(0, |bodies| bodies.len()) as u64;
    let vectors = OF_ROWS * problem.rows() as u64 + 6 * OF_BODIES * bodies;
    let evaluator = Evaluator::memory(problem, metrics);
    square
        .saturating_add(evaluator)
        .saturating_add(size_of::<f64>() as u64 * vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let text = "MemTotal:       24017208 kB\nMemFree: 1 kB\n";
        assert_eq!(machine(text), Some(24_017_208 * 1024));
        assert_eq!(taken("VmPeak:\t 7 kB\nVmSize:\t 5 kB\n"), Some(5 * 1024));
        assert_eq!(group("2147483648\n"), Some(2 << 30));
        assert_eq!(group("max\n"), None);
        let line = "Limit   Soft Limit  Hard Limit  Units\nMax address space         2097152000           unlimited            bytes\n";
        assert_eq!(address_space(line), Some(2_097_152_000));
        let line = "Max address space         unlimited            unlimited            bytes\n";
        assert_eq!(address_space(line), None);
        assert!(limit().bytes() > 100 << 20, "{}", limit());
        assert!(free() <= limit().bytes());
    }
}
