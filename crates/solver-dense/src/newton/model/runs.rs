//! Which entries of a matrix are not zero, row by row: products skip the rest.

use std::ops::Range;

use crate::linear;

/// Zeros between two entries that are multiplied all the same: starting a new run costs as much.
const GAP: usize = 4;

/// Runs of columns per row, in ascending order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Runs {
    first: Vec<usize>,
    runs: Vec<Range<usize>>,
}

impl Runs {
    /// The runs of a square matrix, row-major.
    pub(crate) fn of(matrix: &[f64], size: usize) -> Self {
        let mut found = Self {
            first: vec![0],
            runs: Vec::new(),
        };
        for row in matrix.chunks_exact(size.max(1)) {
            let first = found.runs.len();
            for (column, _) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                match found.runs[first..].last_mut() {
                    Some(run) if column < run.end + GAP => run.end = column + 1,
                    _ => found.runs.push(column..column + 1),
                }
            }
            found.first.push(found.runs.len());
        }
        found
    }

    /// The runs of row `i`.
    #[inline]
    pub(crate) fn of_row(&self, i: usize) -> &[Range<usize>] {
        &self.runs[self.first[i]..self.first[i + 1]]
    }

    /// rowᵀy of row `i`, whose entries are `row`.
    #[inline]
    pub(crate) fn dot(&self, i: usize, row: &[f64], y: &[f64]) -> f64 {
        let runs = self.of_row(i).iter();
        runs.map(|run| linear::dot(&row[run.clone()], &y[run.clone()]))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_every_entry_and_join_over_small_gaps() {
        let mut row = [0.0; 12];
        (row[1], row[4], row[9]) = (1.0, 2.0, 3.0);
        let mut matrix = vec![0.0; 144];
        matrix[12..24].copy_from_slice(&row);
        let runs = Runs::of(&matrix, 12);
        assert_eq!(runs.of_row(0), []);
        assert_eq!(runs.of_row(1), [1..5, 9..10]);
        let y: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(runs.dot(1, &row, &y), 1.0 + 8.0 + 27.0);
    }

    #[test]
    fn no_rows_have_no_runs() {
        assert_eq!(Runs::of(&[], 0).first, [0]);
    }
}
