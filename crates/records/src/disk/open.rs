//! Opening the files of a results folder, which may be somebody else's: regular files alone,
//! without a link in their path, up to a size.

use std::fs::File;
use std::io::{self, Error, ErrorKind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use delassus_core::Bytes;
use delassus_core::file_kind::irregular;

/// Size up to which a file is read, unless [`allow`] says otherwise \[B\].
pub const MOST_BYTES: u64 = 512 << 20;

static MOST: AtomicU64 = AtomicU64::new(MOST_BYTES);
/// True where [`MOST`] follows from the memory.
static IS_OF_MEMORY: AtomicBool = AtomicBool::new(false);
/// Size up to which there is memory for a file as a whole \[B\].
static MEMORY: AtomicU64 = AtomicU64::new(u64::MAX);
/// Size of the largest file that this process has written \[B\].
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// From now on, files of up to `bytes` are read \[B\].
pub fn allow(bytes: u64) {
    MOST.store(bytes, Ordering::Relaxed);
    IS_OF_MEMORY.store(false, Ordering::Relaxed);
}

/// From now on, files of up to `bytes` are read, as there is no memory for more \[B\].
pub fn allow_for_memory(bytes: u64) {
    allow(bytes);
    IS_OF_MEMORY.store(true, Ordering::Relaxed);
}

/// From now on, a larger file is not read as a whole, whatever [`allow`] says: there is no memory
/// for what it would be made into \[B\].
pub fn limit_memory(bytes: u64) {
    MEMORY.store(bytes, Ordering::Relaxed);
}

/// From now on, files as large as one of `bytes` that this process has written are read: a run
/// reads its own records \[B\].
pub(super) fn wrote(bytes: u64) {
    WRITTEN.fetch_max(bytes, Ordering::Relaxed);
}

/// The size up to which a file is read now \[B\].
pub(super) fn allowed() -> u64 {
    let written = WRITTEN.load(Ordering::Relaxed);
    MOST.load(Ordering::Relaxed).max(written)
}

/// Fails if a file of `bytes` is more than may be read.
pub(super) fn admit(bytes: u64) -> io::Result<()> {
    let most = allowed();
    if bytes <= most {
        return Ok(());
    }
    let advice = match IS_OF_MEMORY.load(Ordering::Relaxed) {
        true => ", as the memory is limited; give the process more, or raise it: --max-file",
        false => "; raise it: --max-file",
    };
    let text = format!(
        "has {}, and at most {} of a file are read{advice}",
        Bytes(bytes),
        Bytes(most)
    );
    Err(Error::new(ErrorKind::FileTooLarge, text))
}

/// Fails if a file of `bytes` is more than may be read, or than there is memory for.
pub(super) fn admit_whole(bytes: u64) -> io::Result<()> {
    admit(bytes)?;
    let written = WRITTEN.load(Ordering::Relaxed);
    match bytes <= MEMORY.load(Ordering::Relaxed).max(written) {
        true => Ok(()),
        false => Err(no_memory(bytes)),
    }
}

/// The error about a file of `bytes` for which there is no memory.
pub(super) fn no_memory(bytes: u64) -> Error {
    let text = format!(
        "has {}, and there is not enough memory for it; give the process more",
        Bytes(bytes)
    );
    Error::new(ErrorKind::OutOfMemory, text)
}

/// True for a name with `/` of a file inside a folder: relative, without `..`, `.`, empty parts,
/// other separators or colons.
pub fn is_inside(name: &str) -> bool {
    let plain = |part: &str| !matches!(part, "" | "." | "..");
    !name.contains(['\\', ':', '\0']) && name.split('/').all(plain)
}

/// Opens a file that the user has named: links are followed.
pub(super) fn named(path: &Path) -> io::Result<File> {
    regular(system::open(path, true)?)
}

/// Opens a file that is no link itself.
pub(super) fn unlinked(path: &Path) -> io::Result<File> {
    regular(system::open(path, false)?)
}

/// Opens the file `name`, with `/`, of the folder `dir`: no part of the name is a link.
pub(super) fn inside(dir: &Path, name: &str) -> io::Result<File> {
    if !is_inside(name) {
        return Err(refused("its name leads out of the folder"));
    }
    regular(system::inside(dir, name)?)
}

/// Fails if a folder on the way from `dir` to the file `name` is a link: what is written would land
/// elsewhere.
pub(super) fn check_way(dir: &Path, name: &str) -> io::Result<()> {
    let mut path = dir.to_owned();
    let (way, _) = name.rsplit_once('/').unwrap_or(("", name));
    for part in way.split('/').filter(|part| !part.is_empty()) {
        path.push(part);
        if path.is_symlink() {
            let text = format!("{part} is a link, and links in a results folder are not followed");
            return Err(refused(&text));
        }
    }
    Ok(())
}

fn refused(text: &str) -> Error {
    Error::new(ErrorKind::InvalidInput, text)
}

/// What a pipe or a device holds has no end, and what a folder holds is no text.
pub(super) fn regular(file: File) -> io::Result<File> {
    match irregular(&file.metadata()?) {
        None => Ok(file),
        Some(kind) => Err(refused_kind(kind)),
    }
}

/// The error about what is no file.
fn refused_kind(kind: &str) -> Error {
    refused(&format!("is {kind}, not a file"))
}

const LINK: &str = "is a link, and links in a results folder are not followed";

#[cfg(unix)]
mod system {
    use std::fs::{self, File, OpenOptions};
    use std::io;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};

    use delassus_core::file_kind::irregular;

    use crate::disk::open::{LINK, refused, refused_kind};

    /// Nobody at the other end of a pipe is no reason to wait, and a terminal that is opened is not
    /// taken over.
    const PLAIN: OFlags = OFlags::RDONLY
        .union(OFlags::CLOEXEC)
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY);

    pub(super) fn open(path: &Path, follow: bool) -> io::Result<File> {
        let flags = match follow {
            true => PLAIN,
            false => PLAIN | OFlags::NOFOLLOW,
        };
        let opened = openat(CWD, path, flags, Mode::empty());
        opened.map(File::from).map_err(|error| match follow {
            false if path.is_symlink() => refused(LINK),
            _ => error.into(),
        })
    }

    pub(super) fn inside(dir: &Path, name: &str) -> io::Result<File> {
        let folder = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        let dir = match dir == Path::new("") {
            true => Path::new("."),
            false => dir,
        };
        let mut at = openat(CWD, dir, folder, Mode::empty())?;
        let (way, file) = name.rsplit_once('/').unwrap_or(("", name));
        let way = way.split('/').filter(|part| !part.is_empty());
        let steps = way.map(|part| (part, folder)).chain([(file, PLAIN)]);
        for (part, flags) in steps {
            let opened = openat(&at, part, flags | OFlags::NOFOLLOW, Mode::empty());
            at = opened.map_err(|error| {
                let facts = statat(&at, part, AtFlags::SYMLINK_NOFOLLOW);
                let kind = facts.map(|facts| FileType::from_raw_mode(facts.st_mode));
                match kind {
                    Ok(FileType::Symlink) => refused(LINK),
                    // the system opens none
                    Ok(FileType::Socket) => refused("is a socket, not a file"),
                    _ => error.into(),
                }
            })?;
        }
        Ok(File::from(at))
    }

    pub(super) fn lockable(path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits();
        let opened = options.custom_flags(flags.cast_signed()).open(path);
        opened.map_err(|error| match fs::symlink_metadata(path) {
            Ok(facts) if facts.is_symlink() => refused(LINK),
            // the system says that it is one, or that nobody is at its other end
            Ok(facts) => irregular(&facts).map_or(error, refused_kind),
            _ => error,
        })
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::path::Path;

    use crate::disk::open::{LINK, check_way, refused};

    pub(super) fn open(path: &Path, follow: bool) -> io::Result<File> {
        match !follow && path.is_symlink() {
            true => Err(refused(LINK)),
            false => File::open(path),
        }
    }

    pub(super) fn inside(dir: &Path, name: &str) -> io::Result<File> {
        check_way(dir, name)?;
        open(&dir.join(name), false)
    }

    pub(super) fn lockable(path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        match path.is_symlink() {
            true => Err(refused(LINK)),
            false => options.open(path),
        }
    }
}

/// Opens a file for a lock, which is made if need be.
pub(super) fn lockable(path: &Path) -> io::Result<File> {
    system::lockable(path)
}
