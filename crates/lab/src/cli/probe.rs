//! Measurements of the machine that decide how far a timing can be trusted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Smallest step of the clock over 1000 steps \[s\].
pub(crate) fn clock_resolution() -> f64 {
    let mut smallest = f64::INFINITY;
    for _ in 0..1000 {
        let start = Instant::now();
        let mut elapsed = start.elapsed();
        while elapsed.is_zero() {
            elapsed = start.elapsed();
        }
        smallest = smallest.min(elapsed.as_secs_f64());
    }
    smallest
}

/// Total and available memory \[bytes\], where the system says.
pub(crate) fn memory() -> (Option<u64>, Option<u64>) {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let entry = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        kibibytes.checked_mul(1024)
    };
    (entry("MemTotal:"), entry("MemAvailable:"))
}

/// The frequency policy of the first core, where the system says.
pub(crate) fn governor() -> Option<String> {
    let path = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

/// Writes and removes a file in `folder`, or in the nearest folder above it that exists.
///
/// Returns the folder that was tried.
pub(crate) fn writable(folder: &Path) -> (PathBuf, io::Result<()>) {
    let existing = folder.ancestors().find(|path| path.exists());
    // the parent of a relative path's first part is the current folder
    let existing = existing.filter(|path| !path.as_os_str().is_empty());
    let tried = existing.unwrap_or(Path::new(".")).to_owned();
    if !tried.is_dir() {
        let error = io::Error::new(io::ErrorKind::NotADirectory, "is not a folder");
        return (tried, Err(error));
    }
    let result = tempfile::NamedTempFile::new_in(&tried).and_then(|mut file| {
        io::Write::write_all(&mut file, b"delassus doctor\n")?;
        file.as_file().sync_all()?;
        file.close()
    });
    (tried, result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_moves() {
        assert!(clock_resolution() > 0.0);
    }

    #[test]
    fn a_folder_to_be_made_is_tried_in_the_one_above() {
        let folder = tempfile::tempdir().unwrap();
        let (tried, result) = writable(&folder.path().join("a/b"));
        assert_eq!(tried, folder.path());
        assert!(result.is_ok());
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 0, "the probe leaves nothing behind");
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(writable(&file).1.is_err());
    }
}
