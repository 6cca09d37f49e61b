//! The hashes of the files that a report, or a bundle, lists.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use delassus_records::disk;

use super::report::VerifyReport;
use crate::error::RunError;
use crate::outputs::{self, LIST};
use crate::passing;
use crate::saved::{BUNDLE, Saved};
use crate::store::CELLS;
use crate::unlisted;

/// Compares every listed file with its hash, and names those that no list does.
///
/// # Errors
/// A folder that cannot be looked into.
pub(super) fn check(dir: &Path, saved: &Saved, verdict: &mut VerifyReport) -> Result<(), RunError> {
    match outputs::listed(dir) {
        Ok(list) if list.under_way.is_some() => verdict.leave(LIST, UNFINISHED),
        Ok(list) => {
            let files = list.files.iter();
            let files = files.map(|(name, (bytes, sha256))| (&**name, Some(*bytes), &**sha256));
            compare(dir, files, LIST, verdict);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            verdict.leave(LIST, format!("{error}; {UNFINISHED}"));
        }
        // a flaw of a folder that has a root, which has been named
        Err(_) if verdict.findings.iter().any(|found| found.file == LIST) => {}
        Err(error) => verdict.find(LIST, error.to_string()),
    }
    if let Some(list) = passing::listed(dir) {
        match list {
            Ok(list) => {
                let files = list.iter();
                let files = files.map(|(name, sha256)| (&**name, None, &**sha256));
                compare(dir, files, BUNDLE, verdict);
            }
            Err(what) => verdict.find(BUNDLE, what),
        }
    }
    if passing::lost_list(dir, saved) {
        let what =
            "is missing, and the spec lies where that of a bundle does: unpack the archive again";
        verdict.find(BUNDLE, what);
    }
    let unlisted = unlisted::unlisted(dir, Some(saved))?;
    for file in unlisted.among_cells {
        verdict.find(
            &file,
            "is among the cells, and no run leaves such a file there",
        );
    }
    for file in unlisted.elsewhere {
        verdict.note(
            &file,
            "no list of the folder names it, so that nothing was compared",
        );
    }
    if unlisted.strays > 0 {
        let what = format!(
            "has {} files of cells that this experiment does not have: other programs or earlier specs left them",
            unlisted.strays
        );
        verdict.note(CELLS, what);
    }
    Ok(())
}

/// What is said of a folder whose change has not ended.
const UNFINISHED: &str = "the run has not come to its end, so that nothing says which cells and files there were; run the experiment again";

/// Compares files with their hashes and, where the list `by` has them, their lengths \[B\].
fn compare<'l>(
    dir: &Path,
    list: impl Iterator<Item = (&'l str, Option<u64>, &'l str)>,
    by: &str,
    verdict: &mut VerifyReport,
) {
    let earlier = verdict.findings.iter();
    let earlier: BTreeSet<(String, String)> = earlier
        .map(|found| (found.file.clone(), found.what.clone()))
        .collect();
    for (name, bytes, sha256) in list {
        let finding = match outputs::is_inside(name) {
            false => Some("its name leads out of the folder".to_owned()),
            true => match disk::hash_in(dir, name) {
                // the limit is that of who checks
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    verdict.leave(name, format!("cannot be read: {error}"));
                    continue;
                }
                Err(error) => Some(format!("cannot be read: {error}")),
                Ok((length, found)) if found != sha256 || bytes.is_some_and(|b| b != length) => {
                    Some(format!("has changed since {by} was written"))
                }
                Ok(_) => None,
            },
        };
        verdict.files += 1;
        if let Some(what) = finding
            && !earlier.contains(&(name.to_owned(), what.clone()))
        {
            verdict.find(name, what);
        }
    }
}
