//! Operations on the files of a results folder. All of them go through here, so that tests can make
//! each one fail.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::regular::check_replaceable;

use crate::key;

pub mod fault;
mod open;
mod operation;
mod temporary;

pub use open::{MOST_BYTES, allow, allow_for_memory, is_inside, limit_memory};
pub use operation::Operation;
pub use temporary::{ScratchFolder, abandon};
pub(crate) use temporary::{TemporaryFile, is_part};

/// Does nothing, unless a test makes the operation fail.
fn meet(operation: Operation) -> io::Result<()> {
    fault::meet(operation)
}

/// The bytes of a file that is no link.
///
/// # Errors
/// It cannot be read, is a link, a pipe or a device, or larger than what [`allow`] lets be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    meet(Operation::Read)?;
    whole(open::unlinked(path)?)
}

/// The bytes of the file `name`, with `/`, of the folder `dir`.
///
/// # Errors
/// As [`read`]; a name that leads out of the folder, or over a link.
pub fn read_in(dir: &Path, name: &str) -> io::Result<Vec<u8>> {
    whole(open_in(dir, name)?)
}

/// The bytes of a file that the user, or the user's own spec, has named: links are followed.
///
/// # Errors
/// It cannot be read, is a pipe or a device, or larger than what [`allow`] lets be read.
pub fn read_named(path: &Path) -> io::Result<Vec<u8>> {
    whole(open_named(path)?)
}

/// Opens a file that the user, or the user's own spec, has named: a regular one, of any size.
///
/// # Errors
/// It cannot be opened, or is a pipe or a device.
pub fn open_named(path: &Path) -> io::Result<File> {
    meet(Operation::Read)?;
    open::named(path)
}

/// Opens the file `name`, with `/`, of the folder `dir`, to be read in pieces: a regular one, of
/// any size.
///
/// # Errors
/// It cannot be opened, is a pipe or a device; a name that leads out of the folder, or over a link.
pub fn open_in(dir: &Path, name: &str) -> io::Result<File> {
    meet(Operation::Read)?;
    open::inside(dir, name)
}

/// Bytes \[B\] and hexadecimal SHA-256 of the file `name`, with `/`, of the folder `dir`, in
/// pieces.
///
/// # Errors
/// As [`read_in`].
pub fn hash_in(dir: &Path, name: &str) -> io::Result<(u64, String)> {
    let file = open_in(dir, name)?;
    let bytes = file.metadata()?.len();
    open::admit(bytes)?;
    Ok((bytes, key::of_reader(file)?))
}

/// Fails if the file `name` of the folder `dir` cannot be read, as [`read_in`] does, without
/// reading it.
///
/// # Errors
/// As [`read_in`].
pub fn check_in(dir: &Path, name: &str) -> io::Result<()> {
    let length = open_in(dir, name)?.metadata()?.len();
    open::admit_whole(length)?;
    room(length).map(drop)
}

/// The length \[B\] of the file `name` of the folder `dir`.
///
/// # Errors
/// As [`open_in`].
pub fn length_in(dir: &Path, name: &str) -> io::Result<u64> {
    Ok(open_in(dir, name)?.metadata()?.len())
}

/// The first and the last byte of the file `name` of the folder `dir`, of any size; `None` of an
/// empty one.
///
/// # Errors
/// As [`open_in`].
pub fn ends_of(dir: &Path, name: &str) -> io::Result<Option<[u8; 2]>> {
    let mut file = open_in(dir, name)?;
    if file.metadata()?.len() == 0 {
        return Ok(None);
    }
    let mut ends = [0; 2];
    file.read_exact(&mut ends[..1])?;
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut ends[1..])?;
    Ok(Some(ends))
}

/// True if the file `name` of the folder `dir` has so many bytes and this hash; one of another
/// length is not read.
///
/// # Errors
/// As [`read_in`].
pub fn is_as_listed(dir: &Path, name: &str, bytes: u64, sha256: &str) -> io::Result<bool> {
    let file = open_in(dir, name)?;
    if file.metadata()?.len() != bytes {
        return Ok(false);
    }
    open::admit(bytes)?;
    Ok(key::of_reader(file)? == sha256)
}

/// True if a file of `bytes` may be read as a whole.
pub fn is_admitted(bytes: u64) -> bool {
    open::admit_whole(bytes).is_ok()
}

/// Memory for so many bytes of a file.
///
/// # Errors
/// [`io::ErrorKind::OutOfMemory`].
fn room(length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let reserved = bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX));
    reserved.map_err(|_| open::no_memory(length))?;
    Ok(bytes)
}

/// All bytes of a file, if they are not too many.
fn whole(file: File) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    open::admit_whole(length)?;
    let mut bytes = room(length)?;
    // it may grow while it is read, and files that the system makes up have no length
    let most = open::allowed().saturating_add(1);
    file.take(most).read_to_end(&mut bytes)?;
    open::admit(bytes.len() as u64)?;
    Ok(bytes)
}

/// Fails where the file `name`, with `/`, written into the folder `dir` would land elsewhere, over
/// a link.
///
/// # Errors
/// A folder on the way is a link.
pub fn check_way(dir: &Path, name: &str) -> io::Result<()> {
    open::check_way(dir, name)
}

/// Removes a file.
///
/// # Errors
/// It stays.
pub fn remove(path: &Path) -> io::Result<()> {
    meet(Operation::Remove)?;
    fs::remove_file(path)
}

/// Makes a folder with all that it lies in.
///
/// # Errors
/// It cannot be made; where a file is in the way, the error says so and what to do.
pub fn folder(path: &Path) -> io::Result<()> {
    meet(Operation::Folder)?;
    fs::create_dir_all(path).map_err(|error| match error.kind() {
        kind @ (io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory) => {
            io::Error::new(kind, IN_THE_WAY)
        }
        _ => error,
    })
}

/// What is said where a folder cannot be made, as something else has its name.
pub const IN_THE_WAY: &str = "a file stands where a folder should be; name another folder";

/// Opens a file that is made if need be, for locks.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    meet(Operation::Create)?;
    open::regular(open::lockable(path)?)
}

/// Writes all bytes, in as many pieces as the system takes.
pub(crate) fn write(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    Pieces(file).write_all(bytes)
}

/// Forces a file to the disk, once: a system that reports an error may have thrown the bytes away,
/// and would report success when it is asked again.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    meet(Operation::Sync)?;
    file.sync_all()
}

/// Gives a temporary file its name.
pub(crate) fn persist(file: TemporaryFile, path: &Path) -> io::Result<()> {
    meet(Operation::Rename)?;
    check_replaceable(path)?;
    open::wrote(file.file().metadata()?.len());
    file.persist(path)
}

struct Pieces<'f>(&'f mut File);

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        meet(Operation::Write)?;
        self.0.write(fault::some_of(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    /// What reading the file of this name says.
    fn said(dir: &Path, name: &str) -> String {
        let read = read_in(dir, name).map(|bytes| format!("{} bytes", bytes.len()));
        read.unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn regular_files_alone_are_read_and_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        fs::create_dir_all(dir.join("inner/deep")).unwrap();
        fs::write(dir.join("inner/deep/file"), "text").unwrap();
        symlink("inner", dir.join("linked")).unwrap();
        symlink("inner/deep/file", dir.join("link")).unwrap();
        symlink("/dev/zero", dir.join("zero")).unwrap();
        let hole = File::create(dir.join("hole")).unwrap();
        hole.set_len(MOST_BYTES + 1).unwrap();
        let made = Command::new("mkfifo").arg(dir.join("pipe")).status();
        assert!(made.unwrap().success());
        let link = "is a link, and links in a results folder are not followed";
        for (name, expected) in [
            ("inner/deep/file", "4 bytes"),
            ("linked/deep/file", link),
            ("link", link),
            ("zero", link),
            ("pipe", "is a pipe, not a file"),
            ("inner", "is a folder, not a file"),
            ("../x", "its name leads out of the folder"),
            ("/etc/passwd", "its name leads out of the folder"),
        ] {
            assert_eq!(said(dir, name), expected, "{name}");
        }
        assert!(said(dir, "hole").ends_with("are read; raise it: --max-file"));
        assert_eq!(
            read_in(dir, "none").unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        // the folder itself may be a link, and so may what the user names
        assert_eq!(said(&dir.join("linked"), "deep/file"), "4 bytes");
        assert_eq!(read_named(&dir.join("link")).unwrap(), b"text");
        assert!(read_named(&dir.join("zero")).is_err() && read(&dir.join("link")).is_err());
        assert!(check_way(dir, "inner/deep/new").is_ok() && check_way(dir, "linked/new").is_err());
    }

    #[test]
    fn a_listed_file_has_its_length_and_its_hash() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        fs::write(dir.join("file"), "text").unwrap();
        let hash = key::of_bytes(b"text");
        assert_eq!(hash_in(dir, "file").unwrap(), (4, hash.clone()));
        assert!(is_as_listed(dir, "file", 4, &hash).unwrap());
        assert!(!is_as_listed(dir, "file", 5, &hash).unwrap());
        let other = key::of_bytes(b"next");
        assert!(!is_as_listed(dir, "file", 4, &other).unwrap());
    }
}
