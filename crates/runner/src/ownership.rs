//! Which results folders were made here, and not copied or unpacked from elsewhere.
//!
//! A folder may be somebody else's: what it says of a spec outside of it is then nobody's wish. A
//! run, whose spec the user has named, leaves a file with the number and the time of birth that the
//! system gave the folder. No archive can carry these: a copy has others, and a folder that is
//! moved within its file system keeps them. The file also has a hash of what the run said of its
//! name and its spec: in a folder that was made here these cannot be changed without it.

use std::fs::{self, Metadata};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::UNIX_EPOCH;

use delassus_records::disk;

use crate::key;
use crate::store;

/// The file that a run leaves in the folder.
pub(crate) const FILE: &str = ".made-here";

/// Hash of what the system alone gives a folder, with a line end.
fn identity(dir: &Path) -> io::Result<String> {
    let facts = fs::metadata(dir)?;
    let born = facts.created().ok();
    let born = born.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    match (number(&facts), born) {
        (None, None) => Err(io::ErrorKind::Unsupported.into()),
        known => Ok(key::of_text(&format!("{known:?}")) + "\n"),
    }
}

#[cfg(unix)]
fn number(facts: &Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::ino(facts))
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> Option<u64> {
    None
}

/// Bytes of a mark: two hashes, each with a line end \[B\].
const LENGTH: u64 = 130;

/// The content of the mark, of which one byte more than a mark has is enough.
fn read(dir: &Path) -> io::Result<Vec<u8>> {
    let mut said = Vec::new();
    let file = disk::open_in(dir, FILE)?;
    file.take(LENGTH + 1).read_to_end(&mut said)?;
    Ok(said)
}

/// True for a folder that a run has made or taken over where it is.
pub(crate) fn is_own(dir: &Path) -> bool {
    check(dir).unwrap_or(false)
}

/// The same, where a file that cannot be read must not be taken for none.
///
/// # Errors
/// The file is there and cannot be read.
pub(crate) fn check(dir: &Path) -> io::Result<bool> {
    let said = match read(dir) {
        Ok(said) => said,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    Ok(identity(dir).is_ok_and(|own| said.starts_with(own.as_bytes())))
}

/// What is wrong with the file, if it is there and not two hashes, as a run leaves it.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn fault(dir: &Path) -> io::Result<Option<&'static str>> {
    let said = match read(dir) {
        Ok(said) => said,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&said);
    let hashes = text
        .strip_suffix('\n')
        .and_then(|text| text.split_once('\n'));
    let is_whole = hashes.is_some_and(|(folder, origin)| is_hash(folder) && is_hash(origin));
    Ok((!is_whole).then_some("is not the mark that a run leaves: two hashes, one a line"))
}

/// True for a hash in hexadecimal digits.
fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What a run said of its origin when it made this folder; `None` for a folder that was not made
/// here, and for one of an older program.
pub(crate) fn origin(dir: &Path) -> Option<String> {
    let said = String::from_utf8(read(dir).ok()?).ok()?;
    let origin = said.strip_prefix(&identity(dir).ok()?)?.trim_end();
    (!origin.is_empty()).then(|| origin.to_owned())
}

/// Says in a folder that it was made here, by a run of this `origin`, unless it does.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn claim(dir: &Path, origin: &str) -> io::Result<()> {
    // where a system tells no folders apart, none is its own
    let Ok(own) = identity(dir) else {
        return Ok(());
    };
    let content = format!("{own}{origin}\n");
    match read(dir).is_ok_and(|said| said == content.as_bytes()) {
        true => Ok(()),
        false => store::write_atomic(&dir.join(FILE), content.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_folder_is_its_runs_and_a_copy_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let [first, moved, copy] = ["first", "moved", "copy"].map(|name| folder.path().join(name));
        fs::create_dir(&first).unwrap();
        assert!(!is_own(&first));
        claim(&first, "run").unwrap();
        assert!(is_own(&first));
        assert_eq!(origin(&first).as_deref(), Some("run"));
        fs::rename(&first, &moved).unwrap();
        assert!(is_own(&moved));
        fs::create_dir(&copy).unwrap();
        fs::copy(moved.join(FILE), copy.join(FILE)).unwrap();
        assert!(!is_own(&copy));
        assert_eq!(origin(&copy), None);
        claim(&copy, "merge").unwrap();
        assert!(is_own(&copy) && is_own(&moved));
        // an older program says nothing of the run
        let older = identity(&copy).unwrap();
        fs::write(copy.join(FILE), older).unwrap();
        assert!(is_own(&copy));
        assert_eq!(origin(&copy), None);
    }
}
