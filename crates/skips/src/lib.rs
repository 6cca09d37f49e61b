//! Visible skips: a test that cannot run on this machine writes one line that libtest does not
//! capture.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// The environment variable that makes a missing device a failure. Continuous integration sets it.
const REQUIRE: &str = "DELASSUS_REQUIRE_GPU";

/// Writes the line `skipped: <test>: <reason>` to the standard error of the process. A process
/// writes each line once.
///
/// libtest captures what the print macros write, so a plain `cargo test --workspace` would show
/// nothing.
pub fn skip(test: &str, reason: impl Display) {
    static WRITTEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let line = line(test, &reason);
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    if !written.contains(&line) {
        // a test does not fail because nobody reads its standard error
        let _ = std::io::stderr().write_all(line.as_bytes());
        written.insert(line);
    }
}

/// Skips a test, or a part of a test, because its device is missing.
///
/// # Panics
/// If the environment variable `DELASSUS_REQUIRE_GPU` is set.
pub fn skip_device(test: &str, reason: impl Display) {
    let required = std::env::var_os(REQUIRE).is_some();
    assert!(!required, "{test}: {reason} ({REQUIRE} is set)");
    skip(test, reason);
}

/// Returns the device, or skips the test with the error as the reason.
///
/// # Panics
/// If there is no device and the environment variable `DELASSUS_REQUIRE_GPU` is set.
pub fn device_or_skip<T, E: Display>(test: &str, device: Result<T, E>) -> Option<T> {
    device.map_err(|error| skip_device(test, error)).ok()
}

/// One line, whatever the reason contains: scripts count lines.
fn line(test: &str, reason: &dyn Display) -> String {
    let reason = reason.to_string();
    let words: Vec<&str> = reason.split_whitespace().collect();
    format!("skipped: {test}: {}\n", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_is_one_line() {
        let found = line("a_test", &"no adapter:\n  none\tat all\n");
        assert_eq!(found, "skipped: a_test: no adapter: none at all\n");
    }

    #[test]
    fn a_device_that_is_there_is_handed_on() {
        assert_eq!(device_or_skip("a_test", Ok::<u8, String>(7)), Some(7));
    }
}
