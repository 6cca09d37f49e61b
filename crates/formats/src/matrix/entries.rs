//! The entries of a matrix, whatever its storage.

use super::{Blocks, Compressed, MatrixEntries, MatrixEntry, StoredMatrix, Triplets};

impl StoredMatrix {
    /// Every stored entry, explicit zeros included; both triangles of a matrix of which one is
    /// stored.
    ///
    /// Entries at the same place are to be added. The matrix must be valid
    /// ([`StoredMatrix::validate`]).
    pub fn entries(&self) -> Box<dyn Iterator<Item = MatrixEntry> + '_> {
        match &self.storage {
            MatrixEntries::Dense(values) => {
                let rows = self.rows.max(1);
                let places = values.iter().enumerate();
                Box::new(places.map(move |(k, value)| (k % rows, k / rows, *value)))
            }
            MatrixEntries::Blocks(blocks) => Box::new(blocks.entries()),
            MatrixEntries::Triplets(triplets) => Box::new(triplets.entries()),
            MatrixEntries::HalfTriplets(triplets) => {
                Box::new(triplets.entries().flat_map(|(row, column, value)| {
                    let mirrored = (row != column).then_some((column, row, value));
                    std::iter::once((row, column, value)).chain(mirrored)
                }))
            }
            MatrixEntries::Columns(columns) => {
                Box::new(columns.entries().map(|(j, i, x)| (i, j, x)))
            }
            MatrixEntries::Rows(rows) => Box::new(rows.entries()),
        }
    }
}

impl Triplets {
    fn entries(&self) -> impl Iterator<Item = MatrixEntry> + '_ {
        let places = self.rows.iter().zip(&self.columns);
        let entries = places.zip(&self.values);
        entries.map(|((row, column), value)| (*row as usize, *column as usize, *value))
    }
}

impl Compressed {
    /// Major index, minor index, value.
    fn entries(&self) -> impl Iterator<Item = MatrixEntry> + '_ {
        let majors = self.pointers.windows(2).enumerate();
        majors.flat_map(move |(major, pair)| {
            (pair[0] as usize..pair[1] as usize)
                .map(move |k| (major, self.indices[k] as usize, self.values[k]))
        })
    }
}

impl Blocks {
    /// The stored blocks: `(first row, rows, first column, columns, offset of the values)`.
    pub fn places(&self) -> impl Iterator<Item = [usize; 5]> + '_ {
        let mut offset = 0;
        let rows = self.pointers.windows(2).enumerate();
        let blocks = rows.flat_map(|(row, pair)| (pair[0]..pair[1]).map(move |k| (row, k)));
        blocks.map(move |(row, k)| {
            let (first, end) = range(&self.row_ends, row);
            let (left, right) = range(&self.column_ends, self.columns[k as usize] as usize);
            let place = [first, end - first, left, right - left, offset];
            offset += place[1] * place[3];
            place
        })
    }

    fn entries(&self) -> impl Iterator<Item = MatrixEntry> + '_ {
        self.places()
            .flat_map(move |[first, height, left, width, offset]| {
                (0..height * width).map(move |k| {
                    let (row, column) = (first + k % height, left + k / height);
                    (row, column, self.values[offset + k])
                })
            })
    }
}

/// First index of block `block` and the one past its last.
fn range(ends: &[u32], block: usize) -> (usize, usize) {
    let first = if block > 0 { ends[block - 1] } else { 0 };
    (first as usize, ends[block] as usize)
}
