//! A row is driven until its condition holds: directions, the ratio test and what ends a step.

use delassus_core::{SolveError, interrupt};

use super::{
    Pivoting, REFRESH_PERIOD, RowPlace, ZERO_DIRECTION, ZERO_VELOCITY, accepts, check_sign,
};
use crate::cholesky::Pivot;
use crate::linear;

/// Steps that differ by less than this fraction are ties \[-\]; the smallest row index wins.
const TIE: f64 = 1e-12;

/// What ends a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// w_d reaches zero.
    Solved,
    /// A row reaches its lower bound.
    ToLower,
    /// A row reaches its upper bound.
    ToUpper,
    /// The velocity of a row outside C would change sign.
    Enter,
}

/// What ends a drive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blocking {
    /// Length of the drive until then, of the impulse \[N·s\].
    pub(super) step: f64,
    /// The row whose condition would break.
    pub(super) row: usize,
    pub(super) event: Event,
}

impl Pivoting {
    /// Drives row `d` until its condition holds, keeping those of the rows that hold already.
    pub(super) fn drive(&mut self, d: usize, max_pivots: u64) -> Result<(), SolveError> {
        if self.since_refresh >= REFRESH_PERIOD {
            self.refine()?;
        }
        self.place[d] = RowPlace::Pending;
        loop {
            if self.pivots >= max_pivots {
                return Err(SolveError::Unreached {
                    reason: "the pivoting cycles: the pivot limit is reached",
                });
            }
            interrupt::afford(self.pivot_cost())?;
            self.pivots += 1;
            self.since_refresh += 1;
            let zero = self.limit(ZERO_VELOCITY);
            if !self.violates(d, zero) {
                self.settle(d);
                return Ok(());
            }
            let sign = if self.w[d] < 0.0 { 1.0 } else { -1.0 };
            let pivot = self
                .factor
                .direction(&self.matrix, d, &mut self.x, &mut self.half);
            check_sign(pivot)?;
            let independent = accepts(pivot, self.tolerance);
            if !independent && self.w[d].abs() <= self.consistent() {
                self.place[d] = RowPlace::Dependent;
                return Ok(());
            }
            self.velocity_direction(d, sign);
            if !independent {
                self.check_null(pivot)?;
            }
            let Some(Blocking { step, row, event }) = self.ratio_test(d, sign, pivot, independent)
            else {
                return Err(SolveError::Infeasible {
                    reason: "an impulse grows without bound and changes no velocity: the rows contradict each other",
                });
            };
            self.advance(d, sign * step, step);
            if event == Event::Solved {
                self.w[d] = 0.0;
                self.factor.append(d, &self.half, pivot.schur);
                self.place[d] = RowPlace::Free;
                return Ok(());
            }
            self.exchange(row, event)?;
            if row == d {
                return Ok(());
            }
        }
    }

    /// Multiplications of a direction and of the velocities along it \[-\].
    pub(super) fn pivot_cost(&self) -> f64 {
        let members = self.factor.members().len();
        (members * (members + self.rows())) as f64
    }

    /// x ← −S_CC⁻¹ S_Cd sign, dw ← S (x, sign) (D.7).
    pub(super) fn velocity_direction(&mut self, d: usize, sign: f64) {
        self.dw.copy_from_slice(self.matrix.row(d));
        self.dw.iter_mut().for_each(|v| *v *= sign);
        for (x, member) in self.x.iter_mut().zip(self.factor.members()) {
            *x *= -sign;
            linear::add_scaled(*x, self.matrix.row(*member), &mut self.dw);
        }
    }

    /// The longest step that keeps every condition, and what ends it (D.8).
    pub(super) fn ratio_test(
        &self,
        d: usize,
        sign: f64,
        pivot: Pivot,
        independent: bool,
    ) -> Option<Blocking> {
        let noise = ZERO_DIRECTION * pivot.length_squared.sqrt();
        let mut best: Option<Blocking> = None;
        let mut offer = |step: f64, row: usize, event: Event| {
            let step = step.max(0.0);
            let better = match best {
                None => step < f64::INFINITY,
                Some(at) if step < at.step * (1.0 - TIE) => true,
                Some(at) => {
                    // ties: the end of the drive first, then the smallest index
                    let ends = at.row == d;
                    step <= at.step * (1.0 + TIE) && !ends && row < at.row
                }
            };
            if better {
                best = Some(Blocking { step, row, event });
            }
        };
        if independent {
            offer(self.w[d].abs() / pivot.schur, d, Event::Solved);
        }
        if sign > 0.0 {
            offer(self.upper[d] - self.y[d], d, Event::ToUpper);
        } else {
            offer(self.y[d] - self.lower[d], d, Event::ToLower);
        }
        for (x, member) in self.x.iter().zip(self.factor.members()) {
            let i = *member;
            if *x < -noise {
                offer((self.lower[i] - self.y[i]) / x, i, Event::ToLower);
            } else if *x > noise {
                offer((self.upper[i] - self.y[i]) / x, i, Event::ToUpper);
            }
        }
        for i in 0..self.rows() {
            let change = self.dw[i];
            if change.abs() <= noise || self.rejected[i] == self.generation {
                continue;
            }
            match self.place[i] {
                RowPlace::Lower if change < 0.0 => offer(self.w[i] / -change, i, Event::Enter),
                RowPlace::Upper if change > 0.0 => offer(-self.w[i] / change, i, Event::Enter),
                RowPlace::Dependent => offer(0.0, i, Event::Enter),
                _ => {}
            }
        }
        best
    }

    pub(super) fn advance(&mut self, d: usize, signed: f64, step: f64) {
        self.y[d] += signed;
        for (x, member) in self.x.iter().zip(self.factor.members()) {
            self.y[*member] += step * x;
        }
        linear::add_scaled(step, &self.dw, &mut self.w);
        for member in self.factor.members() {
            self.w[*member] = 0.0;
        }
    }

    /// Moves `row` into C or onto a bound.
    pub(super) fn exchange(&mut self, row: usize, event: Event) -> Result<(), SolveError> {
        match event {
            Event::Solved => {}
            Event::ToLower | Event::ToUpper => {
                let low = event == Event::ToLower;
                self.y[row] = if low {
                    self.lower[row]
                } else {
                    self.upper[row]
                };
                self.place[row] = if low {
                    RowPlace::Lower
                } else {
                    RowPlace::Upper
                };
                if let Some(position) = self.factor.members().iter().position(|i| *i == row) {
                    self.factor.remove(position)?;
                    self.generation += 1;
                }
            }
            Event::Enter => {
                if self.place[row] != RowPlace::Dependent {
                    self.w[row] = 0.0;
                }
                let pivot = self
                    .factor
                    .direction(&self.matrix, row, &mut self.x, &mut self.half);
                if accepts(pivot, self.tolerance) {
                    self.factor.append(row, &self.half, pivot.schur);
                    self.place[row] = RowPlace::Free;
                } else {
                    self.rejected[row] = self.generation;
                }
            }
        }
        Ok(())
    }
}
