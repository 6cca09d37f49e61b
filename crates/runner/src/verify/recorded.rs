//! A cell of the spec with the record that is compared with it.

use crate::matrix::CellMatrix;
use crate::matrix::cell::MatrixCell;
use crate::record::CellRecord;

/// A cell of the matrix and its record.
#[derive(Clone, Copy)]
pub(super) struct RecordedCell<'c> {
    pub(super) matrix: &'c CellMatrix,
    pub(super) cell: &'c MatrixCell,
    pub(super) record: &'c CellRecord,
    /// True if it ran on a machine like this one: the last bits of sums are then those of here.
    pub(super) is_of_here: bool,
}
