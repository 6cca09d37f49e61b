//! Which entries of a matrix are not zero, row by row: products skip the rest.

use std::ops::Range;

use crate::linear;

/// Zeros between two entries that are multiplied all the same: starting a new run costs as much.
const GAP: usize = 4;

/// Runs of columns per row, in ascending order.
#[derive(Debug, Clone)]
pub(crate) struct Runs {
    /// First run of each row, and the number of all runs.
    first: Vec<usize>,
    runs: Vec<Range<usize>>,
}

impl Runs {
    /// Those of no rows.
    pub(crate) fn new() -> Self {
        Self {
            first: vec![0],
            runs: Vec::new(),
        }
    }

    /// Adds the runs of the next row.
    pub(crate) fn push(&mut self, row: &[f64]) {
        let first = self.runs.len();
        for (column, _) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            match self.runs[first..].last_mut() {
                Some(run) if column < run.end + GAP => run.end = column + 1,
                _ => self.runs.push(column..column + 1),
            }
        }
        self.first.push(self.runs.len());
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
        let mut runs = Runs::new();
        runs.push(&[0.0; 12]);
        runs.push(&row);
        assert_eq!(runs.of_row(0), []);
        assert_eq!(runs.of_row(1), [1..5, 9..10]);
        let y: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(runs.dot(1, &row, &y), 1.0 + 8.0 + 27.0);
    }
}
