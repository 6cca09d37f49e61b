//! Temporary files and folders. They go when their values do, and when a signal ends the program
//! ([`abandon`]). What a killed program has left goes when the next file is written next to it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tempfile::{Builder, NamedTempFile, TempDir};

use super::{Operation, meet, open};
use crate::key;

/// A temporary file's name begins and ends so.
const PART: (&str, &str) = (".part-", ".tmp");

/// Letters and digits in a name: of the machine since its start, and of the file \[-\].
const OF_MACHINE: usize = 8;
const OF_FILE: usize = 6;

/// A file that another machine may be writing is left alone for so long after its last change.
const FOREIGN: Duration = Duration::from_secs(3600);

/// How often a file is made anew that another process took for a stale one \[-\].
const TRIES: usize = 8;

/// What is there now, by its path.
static HELD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Folders in which nothing stale is left.
static CLEANED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Set when the program ends.
static ABANDONED: AtomicBool = AtomicBool::new(false);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all temporary files and folders, as the program ends: no other thread makes or keeps one
/// from now on.
pub fn abandon() {
    if ABANDONED.swap(true, Ordering::Relaxed) {
        return;
    }
    let held = locked(&HELD);
    for path in held.iter() {
        // what stays does no harm
        let _ = match path.is_dir() {
            true => fs::remove_dir_all(path),
            false => fs::remove_file(path),
        };
    }
    // the others wait until the end
    mem::forget(held);
}

/// A path that [`abandon`] removes, until the value goes.
#[derive(Debug)]
struct Held(PathBuf);

impl Held {
    /// Makes something, and holds its path.
    fn make<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> io::Result<(T, Self)> {
        // nothing is there that is not held
        let mut held = locked(&HELD);
        let made = make()?;
        let path = path(&made).to_owned();
        held.insert(path.clone());
        Ok((made, Self(path)))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        locked(&HELD).remove(&self.0);
    }
}

/// A file that is being written under another name than its own.
#[derive(Debug)]
pub(crate) struct TemporaryFile {
    file: NamedTempFile,
    _held: Held,
    folders: NewFolders,
}

impl TemporaryFile {
    /// A new file in `folder`, which is made if need be, and goes again with a file that does not
    /// stay.
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        let folders = NewFolders::make(folder)?;
        meet(Operation::Create)?;
        clean(folder);
        let prefix = format!("{}{}-", PART.0, machine());
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(PART.1).rand_bytes(OF_FILE);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // as for any new file: the umask takes away what it takes away
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let make = || builder.tempfile_in(folder).map_err(without_name);
        for _ in 1..TRIES {
            let (file, held) = Held::make(make, NamedTempFile::path)?;
            if is_marked(file.as_file()) {
                return Ok(Self {
                    file,
                    _held: held,
                    folders,
                });
            }
        }
        let (file, _held) = Held::make(make, NamedTempFile::path)?;
        Ok(Self {
            file,
            _held,
            folders,
        })
    }

    pub(crate) fn file(&self) -> &File {
        self.file.as_file()
    }

    pub(crate) fn file_mut(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Gives the file the name `path`.
    pub(super) fn persist(self, path: &Path) -> io::Result<()> {
        let Self {
            file,
            _held,
            mut folders,
        } = self;
        file.persist(path).map_err(|error| error.error)?;
        folders.keep();
        Ok(())
    }

    /// Removes the file, and keeps its folder.
    pub(crate) fn close(self) -> io::Result<()> {
        let Self {
            file,
            _held,
            mut folders,
        } = self;
        file.close()?;
        folders.keep();
        Ok(())
    }
}

/// Folders that were made for a file, the innermost first. They go with the value, unless something
/// lies in them.
#[derive(Debug, Default)]
struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    /// Makes a folder with all that it lies in.
    fn make(folder: &Path) -> io::Result<Self> {
        let ways = folder.ancestors();
        let missing = ways.take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        let made = Self(missing.map(Path::to_owned).collect());
        super::folder(folder)?;
        Ok(made)
    }

    fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        // one that is not empty stays, and so does what it lies in
        let _ = self.0.iter().try_for_each(fs::remove_dir);
    }
}

/// A folder for files that are made to be compared, or read again.
#[derive(Debug)]
pub struct ScratchFolder {
    folder: TempDir,
    _held: Held,
}

impl ScratchFolder {
    /// A new folder among the temporary files of the system, for this user alone.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new() -> io::Result<Self> {
        #[cfg_attr(not(unix), allow(unused_mut, reason = "nothing to set elsewhere"))]
        let mut builder = Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o700));
        }
        let (folder, _held) = Held::make(|| builder.tempdir(), TempDir::path)?;
        Ok(Self { folder, _held })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The error about a temporary file without its name, which tells nobody anything.
fn without_name(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((reason, _)) => io::Error::new(error.kind(), reason.to_owned()),
        None => error,
    }
}

/// Marks a new file as in use, by a lock; false if somebody has removed it before.
#[cfg(unix)]
fn is_marked(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    // a file system without locks marks nothing, and nothing there is taken for stale
    let _ = file.lock();
    file.metadata().is_ok_and(|facts| facts.nlink() > 0)
}

/// Elsewhere a lock would keep readers out.
#[cfg(not(unix))]
fn is_marked(_: &File) -> bool {
    true
}

/// What tells this machine, since its start, from others: a lock of one says nothing on another.
fn machine() -> &'static str {
    static MACHINE: LazyLock<String> = LazyLock::new(|| {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        key::of_text(&id).chars().take(OF_MACHINE).collect()
    });
    &MACHINE
}

/// True for the name of a temporary file.
pub(crate) fn is_part(name: &str) -> bool {
    name.starts_with(PART.0) && name.ends_with(PART.1)
}

/// Removes what killed programs have left in `folder`, the first time that this process writes
/// there.
fn clean(folder: &Path) {
    if !cfg!(unix) || !locked(&CLEANED).insert(folder.to_owned()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_file = || entry.file_type().is_ok_and(|kind| kind.is_file());
        if name.to_str().is_some_and(is_own_name) && is_file() {
            remove_stale(&entry.path());
        }
    }
}

/// True for a name that [`TemporaryFile::new`] gives, and no other program.
fn is_own_name(name: &str) -> bool {
    let middle = name
        .strip_prefix(PART.0)
        .and_then(|rest| rest.strip_suffix(PART.1));
    let parts = middle.and_then(|middle| middle.split_once('-'));
    parts.is_some_and(|(machine, file)| {
        let is_hash = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        machine.len() == OF_MACHINE
            && machine.bytes().all(is_hash)
            && file.len() == OF_FILE
            && file.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Removes a temporary file that no process has open, as its lock tells. That of another machine,
/// whose locks may not be seen here, must be old.
fn remove_stale(path: &Path) {
    let Ok(file) = open::unlinked(path) else {
        return;
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_of_here = name[PART.0.len()..].starts_with(machine());
    let age = || file.metadata().ok()?.modified().ok()?.elapsed().ok();
    let is_old = || age().is_some_and(|age| age > FOREIGN);
    if (is_of_here || is_old()) && file.try_lock().is_ok() {
        // one that stays does no harm
        let _ = fs::remove_file(path);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::SystemTime;

    use super::*;

    fn names(folder: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        names.collect()
    }

    #[test]
    fn what_nobody_writes_any_more_goes_and_all_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let name = |machine: &str, file: &str| format!(".part-{machine}-{file}.tmp");
        let stale = name(machine(), "aBc012");
        let [foreign, old] = ["zzz999", "yyy888"].map(|file| name("00000000", file));
        let others = [
            ".part-x.tmp".to_owned(),
            ".part-notes.tmp".to_owned(),
            name(machine(), "aBc0123"),
            name("0000000g", "aBc012"),
            format!("{stale}.bak"),
            "mine".to_owned(),
        ];
        for name in others.iter().chain([&stale, &foreign, &old]) {
            fs::write(dir.join(name), "x").unwrap();
        }
        let before = SystemTime::now() - 2 * FOREIGN;
        let file = File::options().write(true).open(dir.join(&old)).unwrap();
        file.set_modified(before).unwrap();
        drop(file);
        let [link, inner] = ["link00", "fold00"].map(|file| name(machine(), file));
        symlink("mine", dir.join(&link)).unwrap();
        fs::create_dir(dir.join(&inner)).unwrap();
        // one that another process writes, which has its own lock
        let used = name(machine(), "inUse0");
        let writer = File::create(dir.join(&used)).unwrap();
        writer.lock().unwrap();

        let own = TemporaryFile::new(dir).unwrap();
        let own_name = own.file.path().file_name().unwrap();
        let own_name = own_name.to_str().unwrap().to_owned();
        assert!(is_own_name(&own_name), "{own_name}");
        let kept = others.into_iter().chain([foreign, link, inner, used]);
        let mut expected: BTreeSet<String> = kept.collect();
        expected.insert(own_name.clone());
        assert_eq!(names(dir), expected);
        // its own lock keeps it from others
        remove_stale(&dir.join(&own_name));
        assert!(dir.join(&own_name).exists());
        own.close().unwrap();
        expected.remove(&own_name);
        assert_eq!(names(dir), expected);
        assert!(!locked(&HELD).contains(&dir.join(own_name)));
    }

    #[test]
    fn folders_of_a_file_that_does_not_stay_go_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let inner = dir.join("a/b");
        drop(TemporaryFile::new(&inner).unwrap());
        assert_eq!(names(dir), BTreeSet::new());
        let file = TemporaryFile::new(&inner).unwrap();
        fs::write(dir.join("a/other"), "x").unwrap();
        drop(file);
        assert!(dir.join("a/other").exists() && !inner.exists());
        TemporaryFile::new(&inner).unwrap().close().unwrap();
        assert!(inner.exists());
        let file = TemporaryFile::new(&dir.join("c")).unwrap();
        file.persist(&dir.join("c/whole")).unwrap();
        assert!(dir.join("c/whole").is_file());
    }

    #[test]
    fn a_file_that_was_taken_for_a_stale_one_is_no_mark() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let file = File::create(&path).unwrap();
        assert!(is_marked(&file));
        let again = File::create(folder.path().join("again")).unwrap();
        fs::remove_file(folder.path().join("again")).unwrap();
        assert!(!is_marked(&again));
    }
}
