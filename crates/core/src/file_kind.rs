//! Recognises paths that are not regular files (pipes, devices, sockets, folders) by their
//! metadata.

use std::fs::{self, File, Metadata};
use std::io::{self, Error, ErrorKind, Read as _};
use std::path::Path;

/// Returns the kind of file if it is not a regular file, for example "a device". Returns `None` for
/// a regular file or a symbolic link.
///
/// An entry of a file system that the system generates on reading (`/proc`, `/sys`) counts as
/// irregular: its length is not known, it may have no end, and reading it may block.
pub fn irregular(there: &Metadata) -> Option<&'static str> {
    let kind = there.file_type();
    if kind.is_symlink() {
        return None;
    }
    if kind.is_file() {
        return generated(there);
    }
    if kind.is_dir() {
        return Some("a folder");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    Some("no regular file")
}

/// Mount points of file systems that the system generates, and the name of an entry of each.
#[cfg(target_os = "linux")]
const GENERATED: [(&str, &str); 6] = [
    ("/proc", "an entry of /proc"),
    ("/sys", "an entry of /sys"),
    ("/sys/fs/cgroup", "an entry of /sys"),
    ("/sys/kernel/debug", "an entry of /sys"),
    ("/sys/kernel/security", "an entry of /sys"),
    ("/sys/kernel/tracing", "an entry of /sys"),
];

/// Returns the name of an entry of a generated file system.
#[cfg(target_os = "linux")]
fn generated(there: &Metadata) -> Option<&'static str> {
    use std::os::linux::fs::MetadataExt;
    use std::sync::OnceLock;

    static DEVICES: OnceLock<Vec<(u64, &str)>> = OnceLock::new();
    let devices = DEVICES.get_or_init(|| {
        let device = |path: &str| fs::metadata(path).map(|facts| facts.st_dev()).ok();
        let root = device("/");
        let own = |(path, name): (&str, &'static str)| Some((device(path)?, name));
        let all = GENERATED.into_iter().filter_map(own);
        // a place where nothing is mounted is a folder of the disk
        all.filter(|(device, _)| Some(*device) != root).collect()
    });
    let own = devices.iter().find(|(device, _)| *device == there.st_dev());
    own.map(|(_, name)| *name)
}

#[cfg(not(target_os = "linux"))]
fn generated(_: &Metadata) -> Option<&'static str> {
    None
}

/// Fails for a pipe, a device, a socket or an entry of a generated file system. Call it before
/// opening the path: opening a pipe without a writer blocks, and reading a device may never end. A
/// folder is accepted, because the system itself refuses to read it.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`], which says what the path names, and what to do.
pub fn check_readable(there: &Metadata) -> io::Result<()> {
    match irregular(there) {
        Some(kind) if !there.is_dir() => Err(Error::new(
            ErrorKind::InvalidInput,
            format!("it is {kind}, not a file; write its content to a file and name that"),
        )),
        _ => Ok(()),
    }
}

/// Reads a regular file that the user has named. If it is longer than `most` \[B\], the result has
/// `most` + 1 bytes, so that the caller can refuse it. Links are followed. A file whose length is
/// reported as zero is not read.
///
/// # Errors
/// The file cannot be read, or [`check_readable`] refuses it.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let facts = fs::metadata(path)?;
    check_readable(&facts)?;
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    if facts.is_dir() || facts.len() > 0 {
        let length = usize::try_from(facts.len().min(most)).unwrap_or(usize::MAX);
        bytes.try_reserve_exact(length)?;
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_makes_up_is_no_file() {
        for (path, kind) in [
            ("/proc/self/pagemap", "an entry of /proc"),
            ("/proc/kmsg", "an entry of /proc"),
            ("/proc/cpuinfo", "an entry of /proc"),
            (
                "/sys/kernel/mm/transparent_hugepage/enabled",
                "an entry of /sys",
            ),
        ] {
            let Ok(facts) = fs::metadata(path) else {
                continue;
            };
            assert_eq!(irregular(&facts), Some(kind), "{path}");
            let refused = read_at_most(Path::new(path), 10).map_err(|error| error.to_string());
            let words =
                format!("it is {kind}, not a file; write its content to a file and name that");
            assert_eq!(refused, Err(words), "{path}");
        }
        assert!(fs::metadata("/proc/cpuinfo").is_ok());
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder =
            std::env::temp_dir().join(format!("delassus-file-kind-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("file");
        for (content, expected) in [("", 0), ("four", 4), ("12345678", 5)] {
            fs::write(&path, content).unwrap();
            assert_eq!(read_at_most(&path, 4).unwrap().len(), expected);
        }
        assert!(read_at_most(&folder, 4).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
