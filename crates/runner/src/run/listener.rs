//! What the caller of a run is told while it runs.

use crate::record::CellRecord;

/// Callbacks of a run. Every method has an empty default; `()` ignores all calls.
///
/// Cells run on several threads: methods take `&self`.
pub trait RunListener: Sync {
    /// Before the first cell: the cells of this run, and how many of them are kept from before.
    fn started(&self, cells: usize, kept: usize) {
        let _ = (cells, kept);
    }

    /// A cell begins.
    fn cell_started(&self, problem: &str, solver: &str) {
        let _ = (problem, solver);
    }

    /// A cell has ended and is kept.
    fn cell_finished(&self, record: &CellRecord) {
        let _ = record;
    }

    /// The cells are over; tables and report are being written.
    fn concluding(&self) {}

    /// Another process has the folder: returns true to wait for it. Called repeatedly.
    fn waits_for(&self, process: Option<u32>) -> bool {
        let _ = process;
        false
    }

    /// Something that the user should know.
    fn note(&self, text: &str) {
        let _ = text;
    }
}

impl RunListener for () {}
