//! How much memory this machine has for one problem, and what judging one takes.

use std::{fs, io};

use delassus_core::{Block, Bytes, Factor, MemoryLimit, Problem};
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

/// Size up to which a file is read as a whole where the address space of this process is limited:
/// what it is made into takes a few times as much \[B\].
pub fn of_file() -> Option<u64> {
    own_address_space().map(|_| free() / 4)
}

/// Memory of a cell in the lists of a folder, and of its record in addition to its text, of which a
/// part stays \[B\].
const OF_CELL: u64 = 2 << 10;
const OF_RECORD: u64 = 10 << 10;
const OF_TEXT: u64 = 4;

/// Fails if there is no memory for the lists of so many cells.
///
/// # Errors
/// [`io::ErrorKind::OutOfMemory`].
pub(crate) fn admit_cells(cells: usize) -> io::Result<()> {
    let bytes = OF_CELL.saturating_mul(cells as u64);
    admit(&format!("the list of its {cells} cells"), bytes, free())
}

/// Fails if there is no memory for records whose files have these lengths \[B\].
///
/// # Errors
/// [`io::ErrorKind::OutOfMemory`].
pub(crate) fn admit_records(lengths: impl Iterator<Item = u64>) -> io::Result<()> {
    let of_one = |(all, number): (u64, u64), length: u64| {
        let bytes = OF_RECORD + length / OF_TEXT;
        (all.saturating_add(bytes), number + 1)
    };
    let (bytes, number) = lengths.fold((0, 0), of_one);
    admit(&format!("its {number} records"), bytes, free())
}

fn admit(what: &str, bytes: u64, free: u64) -> io::Result<()> {
    if bytes <= free {
        return Ok(());
    }
    let text = format!(
        "{what} take about {}, and there is {}; give the process more memory",
        Bytes(bytes),
        Bytes(free)
    );
    Err(io::Error::new(io::ErrorKind::OutOfMemory, text))
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
    fn many_small_records_are_estimated_together() {
        assert!(admit_cells(1000).is_ok() && admit_records([2000; 1000].into_iter()).is_ok());
        let error = admit_records([u64::MAX; 2].into_iter()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        let said = admit("its 9 records", 3 << 20, 1 << 20).unwrap_err();
        assert_eq!(
            said.to_string(),
            "its 9 records take about 3.0 MiB, and there is 1.0 MiB; give the process more memory"
        );
    }

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
