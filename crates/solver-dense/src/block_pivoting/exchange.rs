//! Exchanges of rows until the proximal problem around a centre is solved.

use delassus_core::SolveError;

use super::{BlockPivoting, BoxData, Ending, LAST_SHIFT, RowState};
use crate::linear;
use crate::shifted;

/// Impulses that miss a bound by less than this fraction of the largest are on it \[-\].
const ZERO_IMPULSE: f64 = 1e-13;
/// Whole exchanges that may fail to lower the count of violated rows before single ones
/// \[Judice1994\].
const PATIENCE: u32 = 5;

impl BlockPivoting {
    /// Exchanges violated rows until the proximal problem around the centre is solved (B.2).
    pub(super) fn exchange(&mut self, data: BoxData<'_>, max_factorizations: u64) -> Ending {
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        loop {
            if !self.factored {
                if self.factorizations == max_factorizations {
                    return Ending::Cycles;
                }
                self.factorizations += 1;
                self.total += 1;
                self.free.clear();
                let states = self.states.iter().enumerate();
                let free = states.filter(|(_, state)| **state == RowState::Free);
                self.free.extend(free.map(|(i, _)| i));
                let done = self.factor.factorize(data.matrix, &self.free, self.shift);
                match done {
                    Ok(()) => {}
                    Err(SolveError::Interrupted) => return Ending::Interrupted,
                    Err(_) => return Ending::Indefinite,
                }
                self.factored = true;
            }
            if self.solve_free(data).is_err() {
                return Ending::Interrupted;
            }
            let violated = self.count_violated(data);
            if violated == 0 {
                return Ending::Solved;
            }
            if violated < fewest {
                (fewest, patience) = (violated, PATIENCE);
            } else if patience == 0 && self.shift < LAST_SHIFT {
                return Ending::Cycles;
            } else {
                patience = patience.saturating_sub(1);
            }
            self.move_violated(data, patience > 0);
            self.factored = false;
        }
    }

    /// y_F ← the solution of the proximal problem with the other rows on their bounds (B.1).
    pub(super) fn solve_free(&mut self, data: BoxData<'_>) -> Result<(), SolveError> {
        shifted::velocities(data.matrix, &self.y, data.c, &mut self.w)?;
        for (x, i) in self.x.iter_mut().zip(&self.free) {
            *x = self.w[*i] + self.shift * (self.y[*i] - self.centre[*i]);
        }
        let size = self.free.len();
        self.factor.solve(&mut self.x[..size])?;
        for (x, i) in self.x.iter().zip(&self.free) {
            self.y[*i] -= x;
        }
        let tiny = ZERO_IMPULSE * linear::max_magnitude(&self.y);
        for i in &self.free {
            let (l, u) = (data.lower[*i], data.upper[*i]);
            if self.y[*i] < l && self.y[*i] >= l - tiny {
                self.y[*i] = l;
            } else if self.y[*i] > u && self.y[*i] <= u + tiny {
                self.y[*i] = u;
            }
        }
        shifted::velocities(data.matrix, &self.y, data.c, &mut self.w)?;
        self.row_updates += 2 * self.y.len() as u64;
        Ok(())
    }

    /// Where row `i` has to go, if its condition in the proximal problem is violated.
    fn goes_to(&self, data: BoxData<'_>, i: usize, zero: f64) -> Option<RowState> {
        let y = self.y[i];
        let w = self.w[i] + self.shift * (y - self.centre[i]);
        match self.states[i] {
            RowState::Free if y < data.lower[i] => Some(RowState::Lower),
            RowState::Free if y > data.upper[i] => Some(RowState::Upper),
            RowState::Lower if w < -zero => Some(RowState::Free),
            RowState::Upper if w > zero => Some(RowState::Free),
            _ => None,
        }
    }

    pub(super) fn count_violated(&self, data: BoxData<'_>) -> usize {
        let zero = self.limit(data);
        let rows = 0..self.y.len();
        rows.filter(|i| self.goes_to(data, *i, zero).is_some())
            .count()
    }

    /// Moves every violated row, or the one of the largest index alone, which ends for P-matrices
    /// \[Murty1974\].
    fn move_violated(&mut self, data: BoxData<'_>, whole: bool) {
        let zero = self.limit(data);
        for i in (0..self.y.len()).rev() {
            let Some(state) = self.goes_to(data, i, zero) else {
                continue;
            };
            self.states[i] = state;
            if whole {
                continue;
            }
            break;
        }
        self.stand_on_bounds(data);
    }
}
