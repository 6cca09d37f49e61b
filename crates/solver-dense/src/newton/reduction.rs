//! The part of a Newton step that has to be factorized (Y.3).
//!
//! A row whose equation is y_i = constant (an open contact, a bound that holds) gives its part of
//! the step without any algebra, so the matrix is that of the other rows.

use super::maps::Entry;

/// Place of an unknown that is not factorized.
pub(super) const GIVEN: usize = usize::MAX;

/// Which unknowns are factorized, in ascending order.
#[derive(Debug)]
pub(super) struct Reduction {
    pub(super) kept: Vec<usize>,
    /// Place of each unknown in `kept`, or [`GIVEN`].
    pub(super) place: Vec<usize>,
}

impl Reduction {
    pub(super) fn new(size: usize) -> Self {
        Self {
            kept: Vec::with_capacity(size),
            place: vec![GIVEN; size],
        }
    }

    /// Sorts the unknowns by the entries of their rows.
    pub(super) fn find(&mut self, entries: &[Entry]) {
        self.place.fill(GIVEN);
        for e in entries {
            let identity = if e.row == e.column { 1.0 } else { 0.0 };
            if e.q != 0.0 || e.p != identity {
                self.place[e.row] = 0;
            }
        }
        self.kept.clear();
        for (unknown, place) in self.place.iter_mut().enumerate() {
            if *place != GIVEN {
                *place = self.kept.len();
                self.kept.push(unknown);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_say_nothing_but_y_are_given() {
        let entry = |row, column, p, q| Entry { row, column, p, q };
        let mut reduction = Reduction::new(4);
        reduction.find(&[
            entry(0, 0, 1.0, 0.0),
            entry(1, 1, 0.0, 1.0),
            entry(2, 2, 1.0, 0.0),
            entry(2, 1, -0.3, 0.0),
            entry(3, 3, 1.0, 0.0),
            entry(3, 2, 0.0, 0.0),
        ]);
        assert_eq!(reduction.kept, [1, 2]);
        assert_eq!(reduction.place, [GIVEN, 0, 1, GIVEN]);
    }
}
