//! Checks a results folder from its own files: every residual again from the stored impulses, every
//! hash again.
//!
//! No solver runs. The problems come from frozen copies in the folder, if there are some, or from
//! the text of the spec that the run kept; the metrics see problem and impulses alone. What a
//! record says of problem, method and status is made again from spec, problem and impulses, and so
//! are tables, figures and the page.

mod check;
mod entries;
mod evidence;
mod experiment;
mod files;
mod judge;
mod origin;
mod redundant;
mod start;
mod status;
mod subjects;
mod texts;
mod versions;
mod views;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use delassus_records::build::Build;

use crate::error::RunError;
use crate::folder::Folder;
use crate::own_spec;
use crate::registry::Registry;
use crate::saved;
use crate::spec;
use crate::store::{self, CELLS};
use check::Check;

pub use crate::folder::Vouched;
pub(crate) use subjects::Subjects;
pub use versions::Versions;

/// Something that is not as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the folder.
    pub file: String,
    /// Problem and solver, or scene and method, if it is about a cell.
    pub cell: Option<(String, String)>,
    /// What is wrong with it.
    pub what: String,
}

/// What was checked, and what was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Cells of the run \[-\].
    pub cells: usize,
    /// Cells whose residuals were evaluated again \[-\].
    pub judged: usize,
    /// Cells without impulses to judge: times, motion, and what never came to an answer \[-\].
    pub hashed: usize,
    /// Cells without a record: the run has not done them \[-\].
    pub missing: usize,
    /// Residuals that were evaluated again \[-\].
    pub values: usize,
    /// Residuals that were not: they need a reference, velocities of the solver's own, or the way
    /// to the answer \[-\].
    pub left: usize,
    /// Cells whose key was computed again \[-\].
    pub keys: usize,
    /// Files whose hash was computed again \[-\].
    pub files: usize,
    /// Files that were made again from the records \[-\].
    pub made: usize,
    /// What vouches for the records.
    pub vouched: Vouched,
    /// What differs from the records.
    pub findings: Vec<Finding>,
    /// What could not be checked, and why.
    pub unchecked: Vec<Finding>,
    /// Keys of cells whose ending nothing in their records shows: only running them again does.
    pub unshown: Vec<String>,
    /// Tables, figures and pages that another program drew, and this one draws otherwise.
    pub redrawn: Vec<Finding>,
    /// The program that has run the cells and this one, where they are two.
    pub versions: Option<Versions>,
    /// What is no mismatch and deserves a word: files that no list names, entries of other
    /// programs.
    pub notes: Vec<Finding>,
    /// Set if the user stopped the check.
    pub cancelled: bool,
}

/// Checks the results folder `dir`, and makes its tables, figures and page again, with the spec
/// that the user names or the one that the folder does. Setting `cancel` ends it at the next cell.
/// `build` is what this program was built from.
///
/// # Errors
/// Not a results folder; one that is damaged; a spec of another experiment; tables that cannot be
/// written for comparison.
pub fn verify(
    dir: &Path,
    spec: Option<&Path>,
    registry: &Registry,
    build: &Build,
    cancel: &AtomicBool,
) -> Result<VerifyReport, RunError> {
    let mut verdict = VerifyReport::default();
    let mut folder = Folder::open(dir)?;
    folder.saved.name_spec(spec);
    if let Some(file) = &folder.saved.named {
        let named = spec::read(file, registry)?;
        own_spec::require(dir, &folder.saved, &named, registry)?;
    }
    verdict.vouched = folder.vouched;
    let manifest = saved::manifest(dir).ok();
    verdict.versions = manifest.and_then(|manifest| Versions::of(&manifest, build));
    for (file, what) in &folder.flaws {
        verdict.find(file, what.clone());
    }
    if let Some(spec) = saved::unread_spec(dir, &folder.saved) {
        verdict.note(store::EXPERIMENT, saved::not_read(&spec));
    }
    experiment::origin(dir, &folder, registry, &mut verdict);
    files::check(dir, &folder.saved, &mut verdict)?;
    experiment::check_spec(dir, &folder.saved, &mut verdict);
    let mut matrix = saved::matrix_as_run(dir, &folder.saved, registry);
    if let Ok(matrix) = &mut matrix {
        for what in matrix.take_recorded(dir, &folder.saved.cells) {
            verdict.leave(CELLS, what);
        }
    }
    match &matrix {
        Ok(matrix) => experiment::check(dir, &folder.saved, matrix, &mut verdict),
        Err(error) => verdict.leave(
            store::EXPERIMENT,
            format!(
                "the spec cannot be read here, so no key was computed again: {}",
                error.on_one_line()
            ),
        ),
    }
    let own = matrix.as_ref().ok();
    let check = Check::new((dir, &folder), own, (registry, build), verdict);
    let mut verdict = check.run(cancel);
    if verdict.cancelled {
        return Ok(verdict);
    }
    if verdict.findings.is_empty() {
        views::check(dir, &folder, matrix.ok(), registry, build, &mut verdict)?;
    }
    Ok(verdict)
}

impl VerifyReport {
    /// Adds what is wrong with a file.
    fn find(&mut self, file: &str, what: impl Into<String>) {
        self.findings.push(about(file, what));
    }

    /// Adds what deserves a word of a file.
    fn note(&mut self, file: &str, what: impl Into<String>) {
        self.notes.push(about(file, what));
    }

    /// Adds what cannot be checked of a file.
    fn leave(&mut self, file: &str, what: impl Into<String>) {
        self.unchecked.push(about(file, what));
    }
}

fn about(file: &str, what: impl Into<String>) -> Finding {
    Finding {
        file: file.to_owned(),
        cell: None,
        what: what.into(),
    }
}
