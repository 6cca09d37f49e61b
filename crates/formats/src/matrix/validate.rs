//! Whether the numbers of a matrix fit its size.

use super::{Blocks, Compressed, MatrixEntries, StoredMatrix, Triplets};
use crate::error::MatrixError;

impl StoredMatrix {
    /// Fails unless counts, indices and values are those of a matrix of this size.
    ///
    /// # Errors
    /// Lengths that contradict each other, indices out of range, pointers that fall, numbers that
    /// are not finite.
    pub fn validate(&self) -> Result<(), MatrixError> {
        match &self.storage {
            MatrixEntries::Dense(values) => {
                let expected = self.rows.saturating_mul(self.columns);
                length("values", values.len(), expected)?;
            }
            MatrixEntries::Blocks(blocks) => blocks.validate(self.rows, self.columns)?,
            MatrixEntries::Triplets(triplets) => triplets.validate(self.rows, self.columns)?,
            MatrixEntries::HalfTriplets(triplets) => {
                triplets.validate(self.rows, self.columns)?;
                triplets.validate_half(self.rows, self.columns)?;
            }
            MatrixEntries::Columns(columns) => columns.validate(self.columns, self.rows)?,
            MatrixEntries::Rows(rows) => rows.validate(self.rows, self.columns)?,
        }
        match self.values().iter().position(|value| !value.is_finite()) {
            Some(index) => Err(MatrixError::NonFinite { index }),
            None => Ok(()),
        }
    }
}

impl Triplets {
    fn validate(&self, rows: usize, columns: usize) -> Result<(), MatrixError> {
        length("rows", self.rows.len(), self.values.len())?;
        length("columns", self.columns.len(), self.values.len())?;
        below("row", &self.rows, rows)?;
        below("column", &self.columns, columns)
    }

    /// Fails unless all entries lie in one triangle of a square.
    fn validate_half(&self, rows: usize, columns: usize) -> Result<(), MatrixError> {
        length("columns of a symmetric matrix", columns, rows)?;
        let mut places = self.rows.iter().zip(&self.columns);
        let below = places.clone().any(|(row, column)| row > column);
        let above = places.any(|(row, column)| row < column);
        if below && above {
            return Err(MatrixError::BothTriangles);
        }
        Ok(())
    }
}

impl Compressed {
    fn validate(&self, majors: usize, minors: usize) -> Result<(), MatrixError> {
        let pointers = majors.saturating_add(1);
        length("pointers", self.pointers.len(), pointers)?;
        length("indices", self.indices.len(), self.values.len())?;
        pointed(&self.pointers, self.values.len())?;
        below("index", &self.indices, minors)
    }
}

impl Blocks {
    fn validate(&self, rows: usize, columns: usize) -> Result<(), MatrixError> {
        ends("block row ends", &self.row_ends, rows)?;
        ends("block column ends", &self.column_ends, columns)?;
        if self.columns.is_empty() && self.pointers.is_empty() {
            return length("values", self.values.len(), 0);
        }
        if self.pointers.len() > self.row_ends.len() + 1 {
            return length("pointers", self.pointers.len(), self.row_ends.len() + 1);
        }
        pointed(&self.pointers, self.columns.len())?;
        below("block column", &self.columns, self.column_ends.len())?;
        let mut sizes = self.places().map(|place| place[1].checked_mul(place[3]));
        let count = sizes.try_fold(0usize, |sum, size| sum.checked_add(size?));
        length("values", self.values.len(), count.unwrap_or(usize::MAX))
    }
}

fn length(what: &'static str, found: usize, expected: usize) -> Result<(), MatrixError> {
    if found == expected {
        return Ok(());
    }
    Err(MatrixError::Length {
        what,
        found,
        expected,
    })
}

fn below(what: &'static str, indices: &[u32], limit: usize) -> Result<(), MatrixError> {
    match indices.iter().find(|index| **index as usize >= limit) {
        Some(index) => Err(MatrixError::Index {
            what,
            index: *index as usize,
            limit,
        }),
        None => Ok(()),
    }
}

/// Strictly growing up to `last`; a matrix without blocks may have no ends.
fn ends(what: &'static str, ends: &[u32], last: usize) -> Result<(), MatrixError> {
    let mut previous = 0;
    for end in ends {
        if *end <= previous {
            return Err(MatrixError::Order { what });
        }
        previous = *end;
    }
    if ends.is_empty() {
        return Ok(());
    }
    length(what, previous as usize, last)
}

/// From zero to `count` without falling.
fn pointed(pointers: &[u32], count: usize) -> Result<(), MatrixError> {
    let what = "pointers";
    if !pointers.is_sorted() {
        return Err(MatrixError::Order { what });
    }
    let (first, last) = (pointers.first(), pointers.last());
    length("first pointer", first.map_or(0, |p| *p as usize), 0)?;
    length("last pointer", last.map_or(0, |p| *p as usize), count)
}
