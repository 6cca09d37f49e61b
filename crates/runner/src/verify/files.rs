//! The hashes of the files that a report, or a bundle, lists.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use super::report::VerifyReport;
use crate::bundle_list;
use crate::damage::{self, NAME, RUN, UNPACK};
use crate::error::RunError;
use crate::folder::Folder;
use crate::outputs::{self, LIST};
use crate::run_metadata::{self, BUNDLE};
use crate::store::CELLS;
use crate::{strays, unfit, unlisted, unpacked};

/// Compares every listed file with its hash, and names those that no list does.
///
/// # Errors
/// A folder that cannot be looked into, a file that the system does not read.
pub(super) fn check(
    dir: &Path,
    folder: &Folder,
    verdict: &mut VerifyReport,
) -> Result<(), RunError> {
    let saved = &folder.saved;
    for key in saved.cells.iter().filter(|key| run_metadata::is_key(key)) {
        unfit::require_readable_cell(dir, key)?;
    }
    for (name, reason) in unfit::misplaced(dir) {
        verdict.find_with(name, reason, damage::advice(dir, name, RUN));
    }
    match outputs::listed(dir) {
        Ok(list) => {
            let is_cut = list.under_way.is_some();
            if is_cut {
                verdict.leave(LIST, UNFINISHED);
            }
            let files = list.files.iter();
            let files = files.map(|(name, (bytes, sha256))| (&**name, Some(*bytes), &**sha256));
            compare(dir, files, LIST, is_cut, verdict)?;
        }
        // a flaw of a folder that has a root, which has been named
        Err(_) if verdict.findings.iter().any(|found| found.file == LIST) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            verdict.leave(LIST, format!("{}; {UNFINISHED}", unfit::MISSING));
        }
        Err(error) if unfit::is_damage(&error) => verdict.find(LIST, unfit::reason(&error)),
        Err(error) => return Err(unfit::unread(dir, LIST, error)),
    }
    bundle(dir, verdict)?;
    let unlisted = unlisted::unlisted(dir, Some(saved))?;
    for file in unlisted.among_cells {
        verdict.find_with(
            &file,
            "lies among the cells, and no run leaves a file of this name there",
            NAME,
        );
    }
    for file in unlisted.elsewhere {
        verdict.note(
            &file,
            "is in no list of the folder, so it was compared with nothing",
        );
    }
    let foreign = strays::foreign(dir, folder)?;
    if foreign.cells > 0 {
        let number = foreign.cells;
        let are = if number == 1 { "is" } else { "are" };
        let what = format!(
            "{number} of its records {are} of cells that this experiment does not have: other programs or earlier specs left them"
        );
        verdict.note(CELLS, what);
    }
    verdict.find_strays(foreign);
    Ok(())
}

/// Compares the files of an unpacked bundle with its list.
///
/// # Errors
/// A file that the system does not read.
fn bundle(dir: &Path, verdict: &mut VerifyReport) -> Result<(), RunError> {
    unfit::require_readable(dir, BUNDLE)?;
    match bundle_list::listed(dir) {
        Some(Ok(list)) => {
            compare(dir, list.entries(), BUNDLE, false, verdict)?;
        }
        Some(Err(what)) => verdict.find(BUNDLE, what),
        None if unpacked::lost_list(dir) => verdict.find_with(BUNDLE, LOST, UNPACK),
        None => {}
    }
    Ok(())
}

/// What is said of a bundle without its list.
const LOST: &str = "is missing, although the spec lies where bundles have it";

/// What is said of a folder whose change has not ended.
const UNFINISHED: &str = "the run has not come to its end, so no list says which cells and files belong here; run the experiment again into this folder";

/// Compares files with their hashes and, where the list `by` has them, their lengths \[B\]; of a
/// folder whose change was cut short, only with what is a file.
///
/// # Errors
/// A file that the system does not read.
fn compare<'l>(
    dir: &Path,
    list: impl Iterator<Item = (&'l str, Option<u64>, &'l str)>,
    by: &str,
    is_cut: bool,
    verdict: &mut VerifyReport,
) -> Result<(), RunError> {
    let earlier = verdict.findings.iter();
    let earlier: BTreeSet<(String, String)> = earlier
        .map(|found| (found.file.clone(), found.what.clone()))
        .collect();
    let misplaced = unfit::misplaced(dir);
    for (name, bytes, sha256) in list {
        verdict.files += usize::from(!is_cut);
        // what stands in the place of its folder has been named
        if unfit::is_below(name, &misplaced) {
            continue;
        }
        if let Some(what) = unfit::listed(dir, name, by, bytes, sha256)?
            && !(is_cut && unfit::is_half_changed(&what))
            && !earlier.contains(&(name.to_owned(), what.clone()))
        {
            verdict.find(name, what);
        }
    }
    Ok(())
}
