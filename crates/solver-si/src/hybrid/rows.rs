//! Rows of a sparse matrix, of which each keeps its entries in the order in which they came.

/// Entries (column, value) of the rows of a matrix.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    /// Entries as they came, with their rows.
    loose: Vec<(usize, (usize, f64))>,
    /// The same row after row; and the first of each row, and their number.
    entries: Vec<(usize, f64)>,
    first: Vec<usize>,
}

impl Rows {
    /// Takes all rows out; the memory stays.
    pub(super) fn clear(&mut self) {
        self.loose.clear();
        self.settle(0);
    }

    /// Adds an entry, which is in its row after [`Self::settle`].
    pub(super) fn push(&mut self, row: usize, column: usize, value: f64) {
        self.loose.push((row, (column, value)));
    }

    /// Makes so many rows of the entries that were added.
    pub(super) fn settle(&mut self, rows: usize) {
        self.first.clear();
        self.first.resize(rows + 1, 0);
        for (row, _) in &self.loose {
            self.first[row + 1] += 1;
        }
        for row in 0..rows {
            self.first[row + 1] += self.first[row];
        }
        self.entries.clear();
        self.entries.resize(self.loose.len(), (0, 0.0));
        for (row, entry) in &self.loose {
            let next = &mut self.first[*row];
            self.entries[*next] = *entry;
            *next += 1;
        }
        // each first is the end of its row now, the first of the next one
        self.first.rotate_right(1);
        self.first[0] = 0;
    }

    /// Number of rows \[-\].
    pub(super) fn len(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// The entries of a row.
    pub(super) fn row(&self, row: usize) -> &[(usize, f64)] {
        &self.entries[self.first[row]..self.first[row + 1]]
    }

    /// All rows.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[(usize, f64)]> {
        (0..self.len()).map(|row| self.row(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_in_their_order() {
        let mut rows = Rows::default();
        for (row, column) in [(2, 5), (0, 1), (2, 3), (0, 0), (2, 4)] {
            rows.push(row, column, column as f64);
        }
        rows.settle(4);
        let columns = |row: usize| rows.row(row).iter().map(|(column, _)| *column);
        assert!(columns(0).eq([1, 0]));
        assert!(columns(2).eq([5, 3, 4]));
        assert_eq!((rows.row(1).len(), rows.row(3).len()), (0, 0));
        assert_eq!(rows.iter().count(), 4);
        rows.clear();
        assert_eq!(rows.len(), 0);
    }
}
