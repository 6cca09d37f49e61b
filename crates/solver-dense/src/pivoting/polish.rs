//! After the last pivot: exact residuals, impulses on their bounds, and short impulses where rows
//! are redundant.

use delassus_core::{SolveError, interrupt};

use super::drive::Event;
use super::{Pivoting, RowPlace, ZERO_DIRECTION, accepts};
use crate::cholesky::Pivot;

/// The same limit after the final polish, where rounding of all rows has added up \[-\].
const ACCEPTED: f64 = 2e-14;
/// Passes of the final polish before the factor is declared useless.
const POLISH_PASSES: usize = 20;
/// Passes over the dependent rows that shorten the impulses.
const SHORTEN_PASSES: usize = 2;
/// Exchanges of one dependent row per pass.
const MAX_EXCHANGES: usize = 4;
/// A member of C is exchanged if its component in a null direction exceeds this \[-\]; 1 could go
/// on forever.
const EXCHANGE: f64 = 2.0;

impl Pivoting {
    /// Polishes, and drives what is violated afterwards, until nothing is.
    pub(super) fn settle_all(&mut self, max_pivots: u64) -> Result<(), SolveError> {
        while let Some(row) = self.polish()? {
            self.drive(row, max_pivots)?;
        }
        Ok(())
    }

    /// Corrects the free impulses, moves those beyond a bound onto it, and names a row that is
    /// violated afterwards.
    ///
    /// # Errors
    /// The factor has lost its accuracy and rebuilding it does not help.
    fn polish(&mut self) -> Result<Option<usize>, SolveError> {
        for pass in 0..POLISH_PASSES {
            if pass == POLISH_PASSES / 2 {
                self.rebuild()?;
            }
            self.refine()?;
            while self.clamp_free()? {
                self.refine()?;
            }
            let free = self.factor.members().iter();
            let drift = free.fold(0.0, |max: f64, i| max.max(self.w[*i].abs()));
            let limit = self.limit(ACCEPTED);
            if drift <= limit {
                return Ok((0..self.rows()).find(|i| self.violates(*i, limit)));
            }
        }
        Err(SolveError::Factorization {
            reason: "the factor of the free rows has lost its accuracy; try a larger pivot_tolerance",
        })
    }

    /// Moves the free rows whose impulses lie outside their bounds onto them; true if there are
    /// any.
    fn clamp_free(&mut self) -> Result<bool, SolveError> {
        let mut moved = false;
        for position in (0..self.factor.members().len()).rev() {
            let row = self.factor.members()[position];
            if self.y[row] < self.lower[row] {
                self.exchange(row, Event::ToLower)?;
            } else if self.y[row] > self.upper[row] {
                self.exchange(row, Event::ToUpper)?;
            } else {
                continue;
            }
            moved = true;
        }
        Ok(moved)
    }

    /// Shortens y along the null directions of the rows at rest, within the bounds (D.12).
    ///
    /// No velocity changes; impulses that a nearly singular C has blown up come down, and with them
    /// the rounding in Sy. Rows at rest (w = 0) are members of C or dependent on it, whatever bound
    /// they stand on.
    pub(super) fn shorten(&mut self) -> Result<(), SolveError> {
        let zero = self.limit(ACCEPTED);
        for _ in 0..SHORTEN_PASSES {
            for row in 0..self.rows() {
                let outside = matches!(
                    self.place[row],
                    RowPlace::Dependent | RowPlace::Lower | RowPlace::Upper
                );
                if !outside || self.w[row].abs() > zero {
                    continue;
                }
                interrupt::afford(self.pivot_cost())?;
                let pivot = self.direction(row);
                if accepts(pivot, self.tolerance) {
                    self.factor.append(row, &self.half, pivot.schur);
                    self.place[row] = RowPlace::Free;
                } else {
                    let dependent = self.exchange_dominant(row)?;
                    let pivot = self.direction(dependent);
                    self.slide_to_shortest(dependent, pivot);
                }
            }
        }
        self.generation += 1;
        self.refine()
    }

    /// Lets the dependent `row` replace the member of C with the largest component in its null
    /// direction, while that conditions C better; returns the row that is dependent in the end.
    fn exchange_dominant(&mut self, mut row: usize) -> Result<usize, SolveError> {
        for _ in 0..MAX_EXCHANGES {
            self.direction(row);
            let Some(position) = self.dominant_member() else {
                break;
            };
            let leaving = self.factor.members()[position];
            self.factor.remove(position)?;
            let entering = self.direction(row);
            // the exchange multiplies det S_CC by x² > 1, so only rounding can refuse the entering
            // row
            let replaced = accepts(entering, self.tolerance);
            let member = if replaced { row } else { leaving };
            let pivot = self.direction(member);
            if accepts(pivot, self.tolerance) {
                self.factor.append(member, &self.half, pivot.schur);
                self.place[member] = RowPlace::Free;
            }
            if !replaced {
                break;
            }
            self.place[leaving] = RowPlace::Dependent;
            row = leaving;
        }
        Ok(row)
    }

    fn direction(&mut self, row: usize) -> Pivot {
        self.factor
            .direction(&self.matrix, row, &mut self.x, &mut self.half)
    }

    /// The member of C with the largest component in x, if that exceeds [`EXCHANGE`].
    fn dominant_member(&self) -> Option<usize> {
        let members = self.factor.members().len();
        let mut best = None;
        let mut largest = EXCHANGE;
        for position in 0..members {
            if self.x[position].abs() > largest {
                largest = self.x[position].abs();
                best = Some(position);
            }
        }
        best
    }

    /// y += t (−x, 1) with the t that minimizes ‖y‖ within the bounds (D.12).
    fn slide_to_shortest(&mut self, row: usize, pivot: Pivot) {
        let noise = ZERO_DIRECTION * pivot.length_squared.sqrt();
        let (mut low, mut high) = (self.lower[row] - self.y[row], self.upper[row] - self.y[row]);
        let mut product = self.y[row];
        for (x, member) in self.x.iter().zip(self.factor.members()) {
            product -= x * self.y[*member];
            let (down, up) = (
                self.lower[*member] - self.y[*member],
                self.upper[*member] - self.y[*member],
            );
            if *x > noise {
                low = low.max(-up / x);
                high = high.min(-down / x);
            } else if *x < -noise {
                low = low.max(-down / x);
                high = high.min(-up / x);
            }
        }
        let step = (-product / pivot.length_squared)
            .max(low.min(0.0))
            .min(high.max(0.0));
        self.y[row] += step;
        for (x, member) in self.x.iter().zip(self.factor.members()) {
            self.y[*member] -= step * x;
        }
        self.settle(row);
    }
}

#[cfg(test)]
mod tests;
