//! The page: its head, sections with a budget of time, and rows.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use delassus_core::{Choice, DeviceError, SolveError};
use delassus_solver_gpu::Device;

/// The lock file, for the versions of what was measured.
const LOCK: &str = include_str!("../../../../Cargo.lock");

/// What everybody needs to know before the first number.
pub(crate) fn head(device: &Device, largest: usize, seconds: f64) {
    let report = device.report();
    let kind = if report.is_software {
        "**software**: times are those of the processor and say nothing about a card"
    } else {
        report.kind.name()
    };
    let clock = if device.has_timestamps() {
        "time stamps of the device"
    } else {
        "the processor's, with the wait in it"
    };
    println!("# Measurements of a GPU\n");
    println!("| | |\n|---|---|");
    println!("| adapter | {} ({}), {kind} |", report.name, report.backend);
    println!("| driver | {} |", report.driver);
    println!("| clock of iterations and frames | {clock} |");
    println!(
        "| largest buffer, binding | {} MiB, {} MiB |",
        report.max_buffer_size >> 20,
        report.max_storage_binding >> 20
    );
    println!("| processor | {} |", processor());
    println!("| date (UTC), load before | {}, {} |", date(), load());
    println!(
        "| versions | delassus {}, wgpu {}, naga {}, {} |",
        env!("CARGO_PKG_VERSION"),
        version("wgpu"),
        version("naga"),
        compiler()
    );
    println!("| arguments | {largest} points at most, {seconds} s per section |");
}

/// The load at the end: what else ran meanwhile.
pub(crate) fn foot() {
    println!("\nLoad after: {}.", load());
}

/// A section with a table, and the time that it may take.
#[derive(Debug)]
pub(crate) struct Section {
    start: Instant,
    seconds: f64,
}

impl Section {
    pub(crate) fn begin(title: &str, seconds: f64) -> Self {
        println!("\n## {title}\n");
        eprintln!("{title} …");
        Self {
            start: Instant::now(),
            seconds,
        }
    }

    /// Says what the section shows, and the names of the columns.
    pub(crate) fn columns(&self, text: &str, names: &[&str]) {
        println!("{text}\n\n| {} |", names.join(" | "));
        println!("|{}", "---|".repeat(names.len()));
    }

    /// True if something that takes about `seconds` still fits; otherwise a row says so.
    pub(crate) fn fits(&self, what: &str, seconds: f64) -> bool {
        let left = self.seconds - self.start.elapsed().as_secs_f64();
        if seconds <= left {
            eprintln!("  {what}");
            return true;
        }
        let left = left.max(0.0);
        println!(
            "| {what} | left out: about {seconds:.0} s, and {left:.0} s of the section are left |"
        );
        false
    }
}

/// The row of something that the device does not hold; the error itself if it is another one.
pub(crate) fn refused(what: &str, error: SolveError) -> Result<(), SolveError> {
    match error {
        SolveError::Device(
            limit @ (DeviceError::Limit { .. } | DeviceError::OutOfMemory { .. }),
        ) => {
            println!("| {what} | left out: {limit} |");
            Ok(())
        }
        other => Err(other),
    }
}

/// A row.
pub(crate) fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}

/// Least seconds of several runs: what disturbs a machine only adds time.
pub(crate) fn least(runs: impl IntoIterator<Item = f64>) -> f64 {
    runs.into_iter().fold(f64::INFINITY, f64::min)
}

fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let three: Vec<&str> = text.split(' ').take(3).collect();
    if three.is_empty() || three[0].is_empty() {
        return "load unknown".to_owned();
    }
    format!("load {}", three.join(" "))
}

fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find(|line| line.starts_with("model name"));
    let name = name.and_then(|line| line.split_once(": "));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    format!(
        "{}, {threads} threads",
        name.map_or("unknown", |(_, name)| name)
    )
}

fn compiler() -> String {
    let ran = Command::new("rustc").arg("--version").output();
    let text = ran.map(|ran| String::from_utf8_lossy(&ran.stdout).trim().to_owned());
    text.unwrap_or_else(|_| "rustc unknown".to_owned())
}

fn version(package: &str) -> &'static str {
    let name = format!("name = \"{package}\"");
    let after = LOCK.split(&name).nth(1).unwrap_or_default();
    after.split('"').nth(1).unwrap_or("unknown")
}

/// The day and the minute, from the days since 1970 (Howard Hinnant's civil_from_days).
fn date() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since.unwrap_or(Duration::ZERO).as_secs();
    let (days, minutes) = (seconds / 86_400 + 719_468, seconds % 86_400 / 60);
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + 400 * era + u64::from(month <= 2);
    format!(
        "{year}-{month:02}-{day:02} {:02}:{:02}",
        minutes / 60,
        minutes % 60
    )
}
