//! The lock of a results folder: one run at a time, or several parts of one run.
//!
//! The system holds the lock for the open file and lets go of it with the process, however that
//! ends. The file stays, with the number of the process that held it last.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use crate::disk;

/// Name of the file that is locked.
pub const FILE: &str = ".lock";

/// How often a lock that somebody has is asked for again, and after how long: a worker that its run
/// had just begun to start when it was killed holds the files of the run until it is another
/// program.
const RETRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    /// Open files hold the locks.
    files: Vec<File>,
    /// Why there is no lock, where the file system knows none.
    pub missing: Option<String>,
}

/// Why a lock is not to be had.
#[derive(Debug)]
pub enum LockRefusal {
    /// Another process holds it; its number, where it can be read.
    Busy(Option<u32>),
    /// The file cannot be made.
    Io(io::Error),
}

/// What a lock is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockPurpose<'w> {
    /// Everything: nobody else may be there.
    Whole,
    /// One part of the cells, by its name: other parts may run, the same part may not.
    Part(&'w str),
}

impl Lock {
    /// Takes the lock of the folder `dir`, which is made if need be.
    ///
    /// A file system without locks gives one that locks nothing, and says so.
    ///
    /// # Errors
    /// Another process has it; the file cannot be made.
    pub fn take(dir: &Path, want: LockPurpose<'_>) -> Result<Self, LockRefusal> {
        disk::folder(dir).map_err(LockRefusal::Io)?;
        let mut lock = Self {
            files: Vec::new(),
            missing: None,
        };
        match want {
            LockPurpose::Whole => lock.add(&dir.join(FILE), File::try_lock)?,
            LockPurpose::Part(name) => {
                // the part first: of two equal parts the second finds the first
                lock.add(&dir.join(format!("{FILE}-{name}")), File::try_lock)?;
                lock.add(&dir.join(FILE), File::try_lock_shared)?;
            }
        }
        Ok(lock)
    }

    /// Takes the whole lock of a folder that cannot be written, by the file that is there; `None`
    /// if there is none.
    ///
    /// # Errors
    /// Another process has it; a file in its place that is no regular one.
    pub fn of_reader(dir: &Path) -> Result<Option<Self>, LockRefusal> {
        let file = match disk::open_in(dir, FILE) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            // a process that may not read it cannot decide
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
            Err(error) => return Err(LockRefusal::Io(named(&dir.join(FILE), error))),
        };
        let mut lock = Self {
            files: Vec::new(),
            missing: None,
        };
        lock.hold(file, File::try_lock)?;
        Ok(Some(lock))
    }

    /// Fails if something other than a file has the name of the lock of the folder `dir`.
    ///
    /// # Errors
    /// What stands there.
    pub fn check(dir: &Path) -> io::Result<()> {
        match disk::open_in(dir, FILE) {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                Err(named(&dir.join(FILE), error))
            }
            _ => Ok(()),
        }
    }

    /// Takes the lock of one file, which is made if need be.
    ///
    /// # Errors
    /// As [`Lock::take`].
    pub fn of_file(path: &Path) -> Result<Self, LockRefusal> {
        let mut lock = Self {
            files: Vec::new(),
            missing: None,
        };
        lock.add(path, File::try_lock)?;
        Ok(lock)
    }

    fn add(
        &mut self,
        path: &Path,
        lock: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> Result<(), LockRefusal> {
        let file = disk::open(path).map_err(|error| LockRefusal::Io(named(path, error)))?;
        self.hold(file, lock)
    }

    /// Locks an open file.
    fn hold(
        &mut self,
        mut file: File,
        lock: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> Result<(), LockRefusal> {
        let mut outcome = lock(&file);
        for _ in 0..RETRIES {
            if !matches!(outcome, Err(TryLockError::WouldBlock)) {
                break;
            }
            sleep(PAUSE);
            outcome = lock(&file);
        }
        match outcome {
            Ok(()) => {
                // some systems refuse to write to a file that is locked for several, and no reader
                // can
                let _ = sign(&mut file);
                self.files.push(file);
                Ok(())
            }
            Err(TryLockError::WouldBlock) => Err(LockRefusal::Busy(signature(&mut file))),
            Err(TryLockError::Error(error)) => {
                self.missing = Some(error.to_string());
                Ok(())
            }
        }
    }
}

/// The error of what stands in the place of a lock, with its name and what to do.
fn named(path: &Path, error: io::Error) -> io::Error {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let text = match error.kind() {
        io::ErrorKind::InvalidInput => {
            format!("{name} {error}; move it away, and run the command again")
        }
        _ => return error,
    };
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

/// Writes the number of this process, unless the file has another name too: it may then be a file
/// from elsewhere, which a link has brought into the folder.
fn sign(file: &mut File) -> io::Result<()> {
    if has_other_names(file)? {
        return Ok(());
    }
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

#[cfg(unix)]
fn has_other_names(file: &File) -> io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) > 1)
}

#[cfg(not(unix))]
fn has_other_names(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// The number of the process that has the lock; `None` where a locked file cannot be read.
fn signature(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    // a number has ten digits
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn busy(dir: &Path, want: LockPurpose<'_>) -> bool {
        match Lock::take(dir, want) {
            Ok(_) => false,
            Err(LockRefusal::Busy(process)) => {
                assert_eq!(process, Some(std::process::id()));
                true
            }
            Err(LockRefusal::Io(error)) => panic!("{error}"),
        }
    }

    #[test]
    fn the_whole_excludes_everything_and_a_part_itself() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("a/b");
        let (first, second) = (LockPurpose::Part("1-of-2"), LockPurpose::Part("2-of-2"));
        let whole = Lock::take(&dir, LockPurpose::Whole).unwrap();
        assert!(busy(&dir, LockPurpose::Whole) && busy(&dir, first));
        drop(whole);
        let part = Lock::take(&dir, first).unwrap();
        assert!(busy(&dir, LockPurpose::Whole) && busy(&dir, first) && !busy(&dir, second));
        drop(part);
        assert!(!busy(&dir, LockPurpose::Whole));
        assert!(
            Lock::take(&dir, LockPurpose::Whole)
                .unwrap()
                .missing
                .is_none()
        );
    }

    #[test]
    fn a_reader_is_told_of_a_lock_and_holds_one() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        assert!(Lock::of_reader(dir).unwrap().is_none());
        let held = Lock::take(dir, LockPurpose::Whole).unwrap();
        let number = std::process::id();
        assert!(matches!(Lock::of_reader(dir), Err(LockRefusal::Busy(Some(own))) if own == number));
        drop(held);
        let reader = Lock::of_reader(dir).unwrap();
        assert!(reader.is_some() && busy(dir, LockPurpose::Whole));
        drop(reader);
        fs::remove_file(dir.join(FILE)).unwrap();
        fs::create_dir(dir.join(FILE)).unwrap();
        assert!(matches!(Lock::of_reader(dir), Err(LockRefusal::Io(_))));
    }

    #[test]
    fn a_file_with_another_name_is_locked_and_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let [dir, own] = ["out", "own"].map(|name| folder.path().join(name));
        fs::create_dir(&dir).unwrap();
        fs::write(&own, "precious").unwrap();
        fs::hard_link(&own, dir.join(FILE)).unwrap();
        let held = Lock::take(&dir, LockPurpose::Whole).unwrap();
        assert!(matches!(
            Lock::take(&dir, LockPurpose::Whole),
            Err(LockRefusal::Busy(None))
        ));
        drop(held);
        assert_eq!(fs::read(&own).unwrap(), b"precious");
    }

    #[test]
    fn who_lets_go_in_a_moment_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().to_owned();
        let held = Lock::take(&dir, LockPurpose::Whole).unwrap();
        let ending = std::thread::spawn(move || {
            sleep(4 * PAUSE);
            drop(held);
        });
        assert!(!busy(&dir, LockPurpose::Whole));
        ending.join().unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_busy_one() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let refused = Lock::take(&folder.path().join("file/out"), LockPurpose::Whole);
        assert!(matches!(refused, Err(LockRefusal::Io(_))), "{refused:?}");
    }
}
