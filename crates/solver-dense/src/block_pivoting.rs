//! Block principal pivoting on a scaled box problem (B.1–B.3): what `bpp` is, and what `dantzig`
//! begins with.
//!
//! Legend: y scaled impulses, w scaled velocities Sy + c, F the free rows, z the centre of the
//! proximal step, ε the shift.

mod exchange;

use delassus_core::{SolveError, interrupt, projection};

use crate::assembly::DenseDelassus;
use crate::linear;
use crate::shifted::{self, ShiftedFactor};

/// Velocities below this fraction of the largest |c_i| count as zero \[-\].
const ZERO_VELOCITY: f64 = 1e-14;
/// Rounding in Sy, as a fraction of ‖y‖ \[-\]; |S_ij| ≤ 1.
const ROUNDING: f64 = 4e-15;
/// Gauss–Seidel sweeps that guess the first set.
const SWEEPS: usize = 3;
/// Proximal steps \[-\].
const MAX_STEPS: usize = 400;
/// ε after the first step whose exchanges do not settle, and factors on it \[-\].
const FIRST_SHIFT: f64 = 3e-2;
const DECAY: f64 = 0.1;
/// From this ε on exchanges go on one by one: S + εI is close to a multiple of the identity \[-\].
const LAST_SHIFT: f64 = 10.0;
/// Proximal steps in a row that may fail to halve the residual.
const STALLED: u32 = 4;

/// The side of its bounds that a row is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowState {
    /// In F: w = 0.
    Free,
    /// λ = l, w ≥ 0.
    Lower,
    /// λ = u, w ≤ 0.
    Upper,
    /// l = u: no condition on w.
    Fixed,
}

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every condition holds to rounding.
    Solved,
    /// The impulses grow along a direction that changes no velocity: no finite solution.
    Unbounded,
    /// The residual stays above rounding.
    Stalled,
    /// As many factors as allowed, and rows are still violated.
    Cycles,
    /// S + εI has no Cholesky factor.
    Indefinite,
    /// The time that is left does not suffice for the next part.
    Interrupted,
}

/// The data of a box problem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxData<'a> {
    /// S (D.2).
    pub(crate) matrix: &'a DenseDelassus,
    /// c (D.2).
    pub(crate) c: &'a [f64],
    /// Scaled bounds.
    pub(crate) lower: &'a [f64],
    /// Scaled bounds.
    pub(crate) upper: &'a [f64],
}

/// See the module documentation.
#[derive(Debug)]
pub(crate) struct BlockPivoting {
    /// ε of the last steps \[-\].
    smallest: f64,
    /// ε \[-\].
    shift: f64,
    /// Scaled impulses.
    pub(crate) y: Vec<f64>,
    /// Scaled velocities of y.
    pub(crate) w: Vec<f64>,
    centre: Vec<f64>,
    x: Vec<f64>,
    pub(crate) states: Vec<RowState>,
    settled: Vec<RowState>,
    free: Vec<usize>,
    factor: ShiftedFactor,
    factored: bool,
    /// Factorizations of this solve.
    pub(crate) factorizations: u64,
    /// Factorizations of all solves.
    pub(crate) total: u64,
    /// Rows times solves so far.
    pub(crate) row_updates: u64,
}

impl BlockPivoting {
    pub(crate) fn new(rows: usize, shift: f64) -> Self {
        let zeros = || vec![0.0; rows];
        Self {
            smallest: shift,
            shift,
            y: zeros(),
            w: zeros(),
            centre: zeros(),
            x: zeros(),
            states: vec![RowState::Fixed; rows],
            settled: vec![RowState::Fixed; rows],
            free: Vec::with_capacity(rows),
            factor: ShiftedFactor::new(rows),
            factored: false,
            factorizations: 0,
            total: 0,
            row_updates: 0,
        }
    }

    /// Solves from scratch, with at most `max_factorizations` factors.
    pub(crate) fn solve(&mut self, data: BoxData<'_>, max_factorizations: u64) -> Ending {
        self.forget();
        self.begin(data, max_factorizations, LAST_SHIFT)
    }

    /// The same, but ends with [`Ending::Cycles`] where the smallest shift does not do.
    pub(crate) fn solve_quickly(&mut self, data: BoxData<'_>, max_factorizations: u64) -> Ending {
        self.forget();
        self.begin(data, max_factorizations, self.smallest)
    }

    fn begin(&mut self, data: BoxData<'_>, max_factorizations: u64, largest_shift: f64) -> Ending {
        match self.guess(data) {
            Ok(()) => self.run(data, max_factorizations, largest_shift),
            Err(_) => Ending::Interrupted,
        }
    }

    /// Solves with new bounds or another c, quickly, from the last answer and with its factor if no
    /// row changes sides.
    pub(crate) fn resume(&mut self, data: BoxData<'_>, max_factorizations: u64) -> Ending {
        for i in 0..self.y.len() {
            let state = match self.states[i] {
                _ if data.lower[i] == data.upper[i] => RowState::Fixed,
                RowState::Fixed => RowState::Free,
                other => other,
            };
            if self.states[i] != state {
                (self.states[i], self.factored) = (state, false);
            }
        }
        self.stand_on_bounds(data);
        self.centre.copy_from_slice(&self.y);
        self.run(data, max_factorizations, self.smallest)
    }

    /// True if the conditions of `y` are violated by more than rounding, and time is left to see
    /// it.
    pub(crate) fn leaves_more_than_rounding(&mut self, data: BoxData<'_>, y: &[f64]) -> bool {
        if shifted::velocities(data.matrix, y, data.c, &mut self.w).is_err() {
            return false;
        }
        self.y.copy_from_slice(y);
        let limit = self.limit(data);
        (0..y.len()).any(|i| {
            let (l, u) = (data.lower[i], data.upper[i]);
            let below = self.w[i] < -limit && y[i] < u;
            let above = self.w[i] > limit && y[i] > l;
            l < u && (below || above)
        })
    }

    /// Drops the factor: the matrix is another one.
    pub(crate) fn forget(&mut self) {
        self.factored = false;
    }

    fn run(&mut self, data: BoxData<'_>, max_factorizations: u64, largest_shift: f64) -> Ending {
        self.factorizations = 0;
        self.row_updates = 0;
        if self.shift != self.smallest {
            self.set_shift(self.smallest);
        }
        self.stand_on_bounds(data);
        let (mut last, mut stalled) = (f64::INFINITY, 0);
        let mut decay = DECAY;
        self.settled.copy_from_slice(&self.states);
        for _ in 0..MAX_STEPS {
            let before = self.factorizations;
            match self.exchange(data, max_factorizations) {
                Ending::Solved => {}
                Ending::Cycles
                    if self.factorizations < max_factorizations && self.shift < largest_shift =>
                {
                    // a stronger step from the same centre: S + εI nearer to the identity, where
                    // exchanges settle
                    self.set_shift((self.shift / decay).max(FIRST_SHIFT));
                    decay = decay.sqrt();
                    self.restore(data);
                    continue;
                }
                other => return other,
            }
            self.centre.copy_from_slice(&self.y);
            if self.shift > self.smallest {
                let settled = self.factorizations - before <= 3;
                decay = if settled {
                    (decay * decay).max(DECAY)
                } else {
                    decay
                };
                self.set_shift((self.shift * decay).max(self.smallest));
                self.settled.copy_from_slice(&self.states);
                continue;
            }
            let limit = self.limit(data);
            let residual = self.residual(data);
            if residual <= limit {
                self.refine(data, residual);
                return Ending::Solved;
            }
            if residual.is_nan() || linear::norm(&self.y) > self.ceiling(data) {
                return Ending::Unbounded;
            }
            stalled = if residual <= 0.5 * last {
                0
            } else {
                stalled + 1
            };
            if stalled == STALLED {
                return Ending::Stalled;
            }
            last = residual.min(last);
        }
        Ending::Stalled
    }

    /// The last proximal step, which follows a ray where the impulses are unbounded.
    pub(crate) fn last_step(&mut self) -> &[f64] {
        for (x, (y, z)) in self.x.iter_mut().zip(self.y.iter().zip(&self.centre)) {
            *x = y - z;
        }
        &self.x
    }

    /// One more step with the factor at hand, if it leaves less than `residual`.
    fn refine(&mut self, data: BoxData<'_>, residual: f64) {
        let solved = self.solve_free(data).is_ok();
        let keeps = solved && self.count_violated(data) == 0 && self.residual(data) <= residual;
        if !keeps {
            self.y.copy_from_slice(&self.centre);
        }
    }

    /// Back to the centre, and to the places that it was reached with.
    fn restore(&mut self, data: BoxData<'_>) {
        self.states.copy_from_slice(&self.settled);
        self.y.copy_from_slice(&self.centre);
        self.stand_on_bounds(data);
    }

    fn set_shift(&mut self, shift: f64) {
        self.shift = shift;
        self.factored = false;
    }

    /// Velocities below this are zero \[√J\].
    pub(crate) fn limit(&self, data: BoxData<'_>) -> f64 {
        ZERO_VELOCITY * linear::max_magnitude(data.c) + ROUNDING * linear::norm(&self.y)
    }

    /// Impulses beyond this are no answer: the unit diagonal of S asks for about |c|, weak sets for
    /// 1e6 times that.
    fn ceiling(&self, data: BoxData<'_>) -> f64 {
        let bounds = data.lower.iter().chain(data.upper);
        let bound = bounds.filter(|b| b.is_finite());
        let bound = bound.fold(0.0, |max: f64, b| max.max(b.abs()));
        let rows = data.c.len() as f64;
        1e-2 / self.smallest * (linear::norm(data.c) + bound * rows)
    }

    /// Places and impulses after a few Gauss–Seidel sweeps. What neither separates nor rests on a
    /// bound is free.
    fn guess(&mut self, data: BoxData<'_>) -> Result<(), SolveError> {
        let rows = self.y.len();
        for i in 0..rows {
            self.y[i] = 0.0f64.max(data.lower[i]).min(data.upper[i]);
        }
        // the steps go to a solution near the first centre: the shortest impulses
        self.centre.copy_from_slice(&self.y);
        for _ in 0..SWEEPS {
            interrupt::for_each(rows, rows, |i| {
                let row = data.matrix.row(i);
                if row[i] > 0.0 && data.lower[i] < data.upper[i] {
                    let w = linear::dot(row, &self.y) + data.c[i];
                    let moved = self.y[i] - w / row[i];
                    self.y[i] = projection::interval(moved, data.lower[i], data.upper[i]);
                }
            })?;
        }
        shifted::velocities(data.matrix, &self.y, data.c, &mut self.w)?;
        let zero = self.limit(data);
        for i in 0..rows {
            let (l, u) = (data.lower[i], data.upper[i]);
            self.states[i] = if l == u {
                RowState::Fixed
            } else if self.y[i] <= l && self.w[i] > zero {
                RowState::Lower
            } else if self.y[i] >= u && self.w[i] < -zero {
                RowState::Upper
            } else {
                RowState::Free
            };
        }
        Ok(())
    }

    fn stand_on_bounds(&mut self, data: BoxData<'_>) {
        // outside of F impulses stand on their bounds; in a single exchange others of F may be
        // beyond theirs
        for i in 0..self.y.len() {
            match self.states[i] {
                RowState::Lower => self.y[i] = data.lower[i],
                RowState::Upper => self.y[i] = data.upper[i],
                RowState::Fixed => self.y[i] = data.lower[i],
                RowState::Free => {}
            }
        }
    }

    /// The largest violation of the problem itself, without the shift \[√J\].
    fn residual(&self, data: BoxData<'_>) -> f64 {
        let mut worst: f64 = 0.0;
        for i in 0..self.y.len() {
            let w = self.w[i];
            let violation = match self.states[i] {
                RowState::Fixed => continue,
                RowState::Free if self.y[i] == data.lower[i] => -w,
                RowState::Free if self.y[i] == data.upper[i] => w,
                RowState::Free => w.abs(),
                RowState::Lower => -w,
                RowState::Upper => w,
            };
            if violation.is_nan() {
                return f64::NAN;
            }
            worst = worst.max(violation);
        }
        worst
    }
}
