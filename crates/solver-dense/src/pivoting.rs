//! The state of incremental principal pivoting on a scaled box problem: Dantzig's driver calls it
//! row by row.
//!
//! The `polish` module corrects and shortens the result.
//!
//! Legend: y scaled impulses, w scaled velocities Sy + c, C the rows in the factor (w = 0 there), d
//! the driven row.

mod drive;
mod polish;

use delassus_core::{SolveError, Unsupported, interrupt};

use crate::assembly::DenseDelassus;
use crate::block_pivoting::BoxData;
use crate::cholesky::{Pivot, UpdatableCholesky};
use crate::linear;

/// Velocities below this fraction of the largest |c_i| count as zero \[-\]: some twenty roundings.
const ZERO_VELOCITY: f64 = 4e-15;
/// Rounding in Sy, as a fraction of ‖y‖ \[-\]; |S_ij| ≤ 1.
const ROUNDING: f64 = 4e-15;
/// A dependent row is consistent if its velocity is below this fraction of max |c_i| + ‖y‖ \[-\]: a
/// tenth of the accuracy promised. Rounding is amplified by 1/√σ for the smallest eigenvalue σ of
/// S_CC, so nothing smaller will do.
const CONSISTENT: f64 = 1e-11;
/// Components of a direction below this fraction of its length are rounding \[-\].
const ZERO_DIRECTION: f64 = 1e-13;
/// A direction that changes velocities by more than this share of its length does change them
/// \[-\].
const CHANGED: f64 = 1e-3;
/// Pivots between two recomputations of w and of the free impulses.
const REFRESH_PERIOD: usize = 50;

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowPlace {
    /// Not driven yet: no condition holds.
    Pending,
    /// In C: w = 0 is maintained through the factor.
    Free,
    /// λ = l, w ≥ 0.
    Lower,
    /// λ = u, w ≤ 0.
    Upper,
    /// w = 0 follows from the rows of C; λ stays where it is.
    Dependent,
    /// l = u: no condition on w.
    Fixed,
}

/// See the module documentation.
#[derive(Debug)]
pub(crate) struct Pivoting {
    /// S (D.2).
    pub(crate) matrix: DenseDelassus,
    /// c (D.2).
    pub(crate) c: Vec<f64>,
    /// Scaled bounds.
    pub(crate) lower: Vec<f64>,
    /// Scaled bounds.
    pub(crate) upper: Vec<f64>,
    /// Scaled impulses.
    pub(crate) y: Vec<f64>,
    w: Vec<f64>,
    place: Vec<RowPlace>,
    factor: UpdatableCholesky,
    /// Factor generation in which a row was found dependent; a row stays so until C loses a member.
    rejected: Vec<u64>,
    generation: u64,
    /// Pivot steps so far.
    pub(crate) pivots: u64,
    /// Factorizations of whole sets of rows \[-\]; that a row enters or leaves is a pivot.
    pub(crate) factored: u64,
    since_refresh: usize,
    tolerance: f64,
    candidates: Vec<usize>,
    x: Vec<f64>,
    half: Vec<f64>,
    dw: Vec<f64>,
}

impl Pivoting {
    /// The scaled problem.
    pub(crate) fn data(&self) -> BoxData<'_> {
        BoxData {
            matrix: &self.matrix,
            c: &self.c,
            lower: &self.lower,
            upper: &self.upper,
        }
    }

    pub(crate) fn new(matrix: DenseDelassus) -> Self {
        let rows = matrix.rows();
        let zeros = || vec![0.0; rows];
        Self {
            factor: UpdatableCholesky::new(rows),
            matrix,
            c: zeros(),
            lower: zeros(),
            upper: zeros(),
            y: zeros(),
            w: zeros(),
            place: vec![RowPlace::Pending; rows],
            rejected: vec![0; rows],
            generation: 1,
            pivots: 0,
            factored: 0,
            since_refresh: 0,
            tolerance: 0.0,
            candidates: Vec::with_capacity(rows),
            x: zeros(),
            half: zeros(),
            dw: zeros(),
        }
    }

    fn rows(&self) -> usize {
        self.c.len()
    }

    /// Solves from scratch: the rows without bounds, then row by row, then the polish.
    pub(crate) fn solve(&mut self, tolerance: f64, max_pivots: u64) -> Result<(), SolveError> {
        self.tolerance = tolerance;
        // velocities at the start, and those of two refinements
        let rows = self.rows() as f64;
        interrupt::afford(6.0 * rows * rows)?;
        self.reset()?;
        self.solve_unbounded()?;
        self.drive_pending(max_pivots)?;
        self.settle_all(max_pivots)?;
        self.shorten()?;
        self.settle_all(max_pivots)
    }

    /// Starts over: every row at the admissible impulse next to zero, C empty.
    fn reset(&mut self) -> Result<(), SolveError> {
        self.pivots = 0;
        self.generation = 1;
        self.rejected.fill(0);
        for i in 0..self.rows() {
            let (l, u) = (self.lower[i], self.upper[i]);
            self.y[i] = 0.0f64.max(l).min(u);
            self.place[i] = if l == u {
                RowPlace::Fixed
            } else {
                RowPlace::Pending
            };
        }
        self.update_velocities()
    }

    /// Factorizes the rows without bounds together and solves for them.
    fn solve_unbounded(&mut self) -> Result<(), SolveError> {
        for i in 0..self.rows() {
            if self.lower[i] == f64::NEG_INFINITY && self.upper[i] == f64::INFINITY {
                self.place[i] = RowPlace::Free;
            }
        }
        self.rebuild()?;
        self.refine()?;
        self.refine()?;
        let limit = self.consistent();
        let contradicted =
            |i: &usize| self.place[*i] == RowPlace::Dependent && self.w[*i].abs() > limit;
        if let Some(d) = (0..self.rows()).find(contradicted) {
            let pivot = self
                .factor
                .direction(&self.matrix, d, &mut self.x, &mut self.half);
            self.velocity_direction(d, 1.0);
            self.check_null(pivot)?;
            return Err(SolveError::Infeasible {
                reason: "equality rows contradict each other",
            });
        }
        Ok(())
    }

    /// Fails if a direction along which a positive semi-definite matrix would change no velocity
    /// changes some: it is indefinite.
    fn check_null(&self, pivot: Pivot) -> Result<(), SolveError> {
        // |S_jv| ≤ √(vᵀSv S_jj), and vᵀSv is at most the tolerance times v²
        let bound = CHANGED.max(10.0 * self.tolerance.sqrt()) * pivot.length_squared.sqrt();
        if linear::max_magnitude(&self.dw) <= bound {
            return Ok(());
        }
        Err(indefinite())
    }

    /// Drives every row that no condition holds for yet, the largest velocity first.
    ///
    /// Any order ends; this one meets fewer nearly singular sets C on the way than the order of the
    /// rows.
    fn drive_pending(&mut self, max_pivots: u64) -> Result<(), SolveError> {
        loop {
            let zero = self.limit(ZERO_VELOCITY);
            let mut next = None;
            let mut largest = 0.0;
            for i in 0..self.rows() {
                let pending = self.place[i] == RowPlace::Pending && self.violates(i, zero);
                if pending && self.w[i].abs() > largest {
                    largest = self.w[i].abs();
                    next = Some(i);
                }
            }
            let Some(d) = next else {
                break;
            };
            self.drive(d, max_pivots)?;
        }
        for d in 0..self.rows() {
            if self.place[d] == RowPlace::Pending {
                self.settle(d);
            }
        }
        Ok(())
    }

    fn violates(&self, i: usize, zero: f64) -> bool {
        match self.place[i] {
            RowPlace::Fixed | RowPlace::Free => false,
            RowPlace::Dependent => self.w[i].abs() > zero.max(self.consistent()),
            RowPlace::Pending | RowPlace::Lower | RowPlace::Upper => {
                let below = self.w[i] < -zero && self.y[i] < self.upper[i];
                let above = self.w[i] > zero && self.y[i] > self.lower[i];
                below || above
            }
        }
    }

    /// Velocities of dependent rows below this are consistent with those of C \[√J\].
    fn consistent(&self) -> f64 {
        CONSISTENT * (linear::max_magnitude(&self.c) + linear::norm(&self.y))
    }

    /// Velocities below this are zero at the relative accuracy given \[√J\].
    fn limit(&self, relative: f64) -> f64 {
        relative * linear::max_magnitude(&self.c) + ROUNDING * linear::norm(&self.y)
    }

    /// Places a row whose condition holds without being driven.
    fn settle(&mut self, d: usize) {
        self.place[d] = if self.y[d] <= self.lower[d] {
            RowPlace::Lower
        } else if self.y[d] >= self.upper[d] {
            RowPlace::Upper
        } else {
            RowPlace::Dependent
        };
    }

    fn update_velocities(&mut self) -> Result<(), SolveError> {
        self.matrix.multiply(&self.y, &mut self.w)?;
        linear::add_scaled(1.0, &self.c, &mut self.w);
        self.since_refresh = 0;
        Ok(())
    }

    /// One Newton correction of the free impulses from a freshly computed w.
    fn refine(&mut self) -> Result<(), SolveError> {
        self.update_velocities()?;
        let size = self.factor.members().len();
        for (x, member) in self.x.iter_mut().zip(self.factor.members()) {
            *x = self.w[*member];
        }
        interrupt::afford((size * size) as f64)?;
        self.factor.solve(&mut self.x[..size]);
        for (x, member) in self.x.iter().zip(self.factor.members()) {
            self.y[*member] -= x;
        }
        self.update_velocities()
    }

    /// Factorizes the free rows again; those that are dependent after all leave C with their
    /// impulse.
    fn rebuild(&mut self) -> Result<(), SolveError> {
        self.generation += 1;
        self.candidates.clear();
        let free = (0..self.place.len()).filter(|i| self.place[*i] == RowPlace::Free);
        self.candidates.extend(free);
        let tolerance = self.tolerance;
        self.factored += 1;
        self.factor.factorize(
            &self.matrix,
            &mut self.candidates,
            &mut self.half,
            &mut self.x,
            |pivot| accepts(pivot, tolerance),
        )?;
        let members = self.factor.members().len();
        self.pivots += members as u64;
        for k in members..self.candidates.len() {
            interrupt::afford(self.pivot_cost())?;
            let row = self.candidates[k];
            let pivot = self
                .factor
                .direction(&self.matrix, row, &mut self.x, &mut self.half);
            check_sign(pivot)?;
            self.place[row] = RowPlace::Dependent;
        }
        Ok(())
    }
}

fn accepts(pivot: Pivot, tolerance: f64) -> bool {
    pivot.rayleigh() > tolerance
}

/// A Schur complement that is clearly negative betrays an indefinite matrix.
fn check_sign(pivot: Pivot) -> Result<(), SolveError> {
    // 1e-9: printed digits make matrices slightly indefinite; beyond it the method solves nothing
    if pivot.rayleigh() >= -1e-9 {
        return Ok(());
    }
    Err(indefinite())
}

fn indefinite() -> SolveError {
    SolveError::Unsupported(Unsupported::Indefinite {
        solver: "dantzig",
        advice: "take lemke, or enumeration for small problems",
    })
}

#[cfg(test)]
mod tests;
