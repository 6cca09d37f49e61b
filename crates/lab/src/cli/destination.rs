//! Where a verb writes the one file that it makes: to standard output, or to a regular file that
//! appears whole.

use std::fs::{self, File};
use std::io::{self, Seek as _};
use std::path::{Path, PathBuf};

use delassus_records::regular::irregular;

use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::output::{Output, printable};
use crate::store::{write_atomic_with, write_durable};

/// Names of standard output.
const STANDARD: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Where one file goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Standard output.
    Standard,
    /// A regular file, or a name that nothing has yet.
    File(PathBuf),
}

impl Destination {
    /// The place that `path` names; of a link to a file, that file. `what` is the argument, for the
    /// error.
    ///
    /// # Errors
    /// A folder, a device, a pipe or a socket: a file would take its place, or could not.
    pub(crate) fn of(what: &str, path: &Path) -> Result<Self, Failure> {
        if is_standard(path) {
            return Ok(Self::Standard);
        }
        let refused = |kind: &str| {
            Failure::request(format!(
                "{what} {}: is {kind}; name a file, or - for standard output",
                printable(&path.to_string_lossy())
            ))
        };
        let there = match fs::symlink_metadata(path) {
            Ok(there) => there,
            // writing says what is wrong with any other name
            Err(_) => return Ok(Self::File(path.to_owned())),
        };
        if !there.is_symlink() {
            return match irregular(&there) {
                None => Ok(Self::File(path.to_owned())),
                Some(kind) => Err(refused(kind)),
            };
        }
        let target = fs::canonicalize(path).and_then(|target| Ok((fs::metadata(&target)?, target)));
        match target {
            Ok((there, target)) => match irregular(&there) {
                None => Ok(Self::File(target)),
                Some(kind) => Err(refused(&format!("a link to {kind}"))),
            },
            Err(_) => Err(refused("a link to nothing")),
        }
    }

    /// True if a file is there, which writing replaces.
    pub(crate) fn replaces(&self) -> bool {
        matches!(self, Self::File(path) if path.exists())
    }

    /// Says in one line what was written: on standard output, unless the content is there.
    ///
    /// # Errors
    /// A reader of standard output that has gone away.
    pub(crate) fn say(&self, line: &str, output: &mut Output) -> Result<(), Failure> {
        match self {
            Self::Standard => {
                print_diagnostic(line);
                Ok(())
            }
            Self::File(_) => output.line(line),
        }
    }

    /// Refuses the name of a file that does not end as files of its form do; standard output has no
    /// ending. `what` is the argument, `form` says what is written.
    ///
    /// # Errors
    /// No ending, or another one.
    pub(crate) fn require_ending(
        &self,
        what: &str,
        path: &Path,
        endings: &[&str],
        form: &str,
    ) -> Result<(), Failure> {
        if matches!(self, Self::Standard) || has_ending(path, endings) {
            return Ok(());
        }
        let allowed: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
        Err(Failure::request(format!(
            "{what} {}: {form}; end its name in {}",
            printable(&path.to_string_lossy()),
            allowed.join(" or ")
        )))
    }

    /// Refuses an object together with the content on standard output.
    ///
    /// # Errors
    /// Both were asked for.
    pub(crate) fn check(&self, json: bool) -> Result<(), Failure> {
        match (self, json) {
            (Self::Standard, true) => Err(Failure::request(
                "--json writes an object to standard output, where the file goes: leave one of them out",
            )),
            _ => Ok(()),
        }
    }

    /// Writes the content, whole or not at all where it is a file.
    ///
    /// # Errors
    /// What cannot be written, or a reader of standard output that has gone away.
    pub(crate) fn write(&self, bytes: &[u8], output: &mut Output) -> Result<(), Failure> {
        match self {
            Self::Standard => output.bytes(bytes),
            Self::File(path) => {
                write_durable(path, bytes).map_err(|error| Failure::unwritten(path, &error))
            }
        }
    }

    /// The same for what `fill` writes piece by piece; gives what it returns.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub(crate) fn write_with<T>(
        &self,
        fill: impl FnOnce(&mut File) -> io::Result<T>,
        output: &mut Output,
    ) -> Result<T, Failure> {
        let failed = |path: &Path, error| Failure::unwritten(path, &error);
        match self {
            Self::Standard => {
                let folder = std::env::temp_dir();
                let mut file = tempfile::tempfile().map_err(|error| failed(&folder, error))?;
                let filled = fill(&mut file).map_err(|error| failed(&folder, error))?;
                file.rewind().map_err(|error| failed(&folder, error))?;
                output.copy(&mut file)?;
                Ok(filled)
            }
            Self::File(path) => write_atomic_with(path, fill).map_err(|error| failed(path, error)),
        }
    }
}

/// True if the name of a file has one of these endings, in small or capital letters.
pub(crate) fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let own = path.extension().and_then(|ending| ending.to_str());
    own.is_some_and(|own| {
        endings
            .iter()
            .any(|ending| own.eq_ignore_ascii_case(ending))
    })
}

/// What stands under the name of a folder that is to be made, as "a pipe"; `None` for a folder, of
/// which a link may be the name, and where nothing stands.
pub(crate) fn in_place_of_folder(path: &Path) -> Option<&'static str> {
    let there = fs::symlink_metadata(path).ok()?;
    match fs::metadata(path) {
        Ok(target) if target.is_dir() => None,
        Ok(target) => Some(irregular(&target).unwrap_or("a file")),
        Err(_) if there.is_symlink() => Some("a link to nothing"),
        Err(_) => None,
    }
}

/// True if a path names standard output.
pub(crate) fn is_standard(path: &Path) -> bool {
    STANDARD.iter().any(|name| path == Path::new(name))
}
