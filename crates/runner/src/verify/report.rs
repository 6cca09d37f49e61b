//! What a check has found.

use std::collections::BTreeSet;
use std::path::Path;

use super::versions::Versions;
use crate::damage::{self, NAME};
use crate::folder::RecordEvidence;
use crate::strays::Strays;

/// Something that is not as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the folder.
    pub file: String,
    /// Problem and solver, or scene and method, if it is about a cell.
    pub cell: Option<(String, String)>,
    /// What is wrong with it.
    pub what: String,
    /// What mends it, where another run does not.
    pub mend: Option<&'static str>,
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
    /// True for the folder that a bundle was unpacked into.
    pub is_bundle: bool,
    /// What vouches for the records.
    pub vouched: RecordEvidence,
    /// What differs from the records.
    pub findings: Vec<Finding>,
    /// What could not be checked, and why.
    pub unchecked: Vec<Finding>,
    /// Keys of the cells that have a record.
    pub records: Vec<String>,
    /// What in them only running the cells again shows, in words.
    pub only_rerun: BTreeSet<&'static str>,
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

impl VerifyReport {
    /// Adds what is wrong with a file.
    pub(super) fn find(&mut self, file: &str, what: impl Into<String>) {
        self.findings.push(about(file, what));
    }

    /// Adds what is wrong with a file that another run does not mend, and what does.
    pub(super) fn find_with(&mut self, file: &str, what: impl Into<String>, mend: &'static str) {
        self.findings.push(Finding {
            mend: Some(mend),
            ..about(file, what)
        });
    }

    /// Says what to do first where something that no run replaces stands in the place of a file; a
    /// bundle is unpacked again all the same.
    pub(super) fn advise(&mut self, dir: &Path) {
        let without = self
            .findings
            .iter_mut()
            .filter(|found| found.mend.is_none());
        for found in without.filter(|_| !self.is_bundle) {
            found.mend = damage::in_way(dir, &found.file);
        }
    }

    /// Adds what was found of files that no record of the experiment names.
    pub(super) fn find_strays(&mut self, strays: Strays) {
        for (file, what) in strays.faults {
            self.find_with(&file, what, NAME);
        }
        for (file, what) in strays.idle {
            self.note(&file, what);
        }
    }

    /// Adds what deserves a word of a file.
    pub(super) fn note(&mut self, file: &str, what: impl Into<String>) {
        self.notes.push(about(file, what));
    }

    /// Adds what cannot be checked of a file.
    pub(super) fn leave(&mut self, file: &str, what: impl Into<String>) {
        self.unchecked.push(about(file, what));
    }
}

/// A finding about a file, and no cell of it.
pub(super) fn about(file: &str, what: impl Into<String>) -> Finding {
    Finding {
        file: file.to_owned(),
        cell: None,
        what: what.into(),
        mend: None,
    }
}
