//! What a check of a results folder has found.

use serde::Serialize;

use crate::error::NOT_AS_LEFT;

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FsckReport {
    /// Cells of the experiment \[-\].
    pub cells: usize,
    /// Cells whose record, impulses and recorded motion are as the run left them \[-\].
    pub whole: usize,
    /// Cells without a file \[-\]: to do, or lost with their files.
    pub missing: usize,
    /// Whole cells in an older form \[-\], which is read as well.
    pub older: usize,
    /// Whole cells of other programs or specs \[-\], which nobody asks for.
    pub strays: usize,
    /// Temporary files that killed runs have left \[-\]; the next run removes them.
    pub left_over: usize,
    /// Files that no list and no record of the folder names: nothing vouches for them.
    pub unlisted: Vec<String>,
    /// Every file that is not what it should be, in the order of the names.
    pub damages: Vec<Damage>,
}

/// A file that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Damage {
    /// The file, named from the folder.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
    /// What is lost with it.
    pub lost: String,
    /// What to do.
    pub action: &'static str,
}

impl FsckReport {
    /// [`NOT_AS_LEFT`] if something is damaged, otherwise 0: a cell that is to do is no damage.
    pub fn exit_code(&self) -> u8 {
        match self.damages.is_empty() {
            true => 0,
            false => NOT_AS_LEFT,
        }
    }
}
