//! Dantzig's principal pivoting: a guess by exchanges of whole sets, then one row at a time, by a
//! growing and shrinking factor.
//!
//! It begins as [`crate::Bpp`] does, with few exchanges; where their answer keeps every condition
//! to rounding, as on most piles, that is the answer. Otherwise the rows are taken one by one. Rows
//! without bounds are factorized first. Every other row d is driven: its impulse moves until its
//! velocity is zero or it meets a bound, while the rows settled before keep their conditions (D.7).
//! The step ends where a free impulse meets a bound or a settled velocity changes sign (D.8); the
//! row changes sides and the drive goes on. A final polish corrects the free impulses with the
//! exact residual and drives again what is violated.
//!
//! Pyramids (F2) have bounds ±μλ_n, which follow the normal impulses of the solve before until they
//! repeat to 1e-11 of the largest impulse (B.5): then all conditions of F2 hold together, to that.
//! Where friction is too strong, or rows are too weak, for the bounds to settle, the solve ends in
//! an error.
//!
//! Budget: three to eight Cholesky factorizations on piles at rest; O(m²) per pivot, typically one
//! to three pivots a row, so O(m³) in all; memory 32 m² bytes (40 m² while preparing). Differs from
//! [`crate::DenseDirect`] by the bounds, from [`crate::Enumeration`] by finding one solution in
//! polynomial time where a convex problem has many, from [`crate::DensePgs`] by ending after
//! finitely many steps.
//!
//! Departures from \[Baraff1994\]: no friction heuristic; bounds on both sides; redundant rows; the
//! guess. Where a singular A_CC is commonly met by a small added compliance, here a row whose pivot
//! vanishes (D.9) is *dependent*: it changes no velocity that C does not, so it either keeps its
//! impulse (its velocity is zero already) or moves along the null direction until a bound frees a
//! pivot. Nothing is regularized, so velocities are those of the problem itself.
//!
//! # Limitations
//! A + R must be symmetric positive semi-definite. Impulses of redundant rows depend on the row
//! order. Ties are broken by the smallest index, which is finite for P-matrices \[Murty1974\]; a
//! degenerate singular problem that cycled would stop at `max_pivots_per_row` with an error. A set
//! of active rows that is regular but for a part in 1e12 may be taken for redundant, and its
//! problem for a contradictory one. F2 on strongly coupled contacts may have solutions that the
//! bounds do not settle on. The start matters to inactive rows only.
//!
//! Theory: docs/theory/04-dense.md (D.6–D.12), docs/theory/21-pivoting.md (B.1–B.5). Source:
//! \[Cottle1968\], \[Baraff1994\], \[Cottle1992\] ch. 4.

use delassus_core::{
    Changes, Checked, Choice, LawKind, Method, ParameterError, Parameters, Prepared, Problem,
    Progress, SolveError, SolverDescriptor, WorkUnit,
};

use crate::assembly::{self, DENSE, DenseDelassus};
use crate::block_pivoting::{BlockPivoting, Ending};
use crate::bounds::{self, Coupled};
use crate::linear;
use crate::pivoting::Pivoting;
use crate::state::{State, read_state, solve_once};

/// Factor on `pivot_tolerance` in the second attempt, before rows are declared contradictory \[-\].
const SECOND_LOOK: f64 = 1e-2;

/// Shift and number of factors of the guess.
const GUESS_SHIFT: f64 = 1e-9;
const GUESS_FACTORS: u64 = 8;
/// Factors of the second opinion.
const OPINION_FACTORS: u64 = 200;
/// Problems with fewer rows are taken row by row from the start, which is as fast, and shortens
/// impulses exactly (D.12).
const GUESS_ROWS: usize = 64;
/// The shift where there are pyramids: redundant impulses repeat to rounding over the shift, and
/// the bounds with them.
const PYRAMID_SHIFT: f64 = 1e-4;
/// Bounds of F2 that change by less than this fraction of the largest impulse have settled \[-\].
const SETTLED: f64 = 1e-11;

/// How [`Dantzig`] begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Begin {
    /// Exchanges of whole sets of rows, and rows one by one only if those do not solve the problem;
    /// problems of less than 64 rows without pyramids begin row by row.
    #[default]
    Sets,
    /// Rows one by one, from an empty set.
    Rows,
}

/// Parameters of [`Dantzig`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct DantzigParameters {
    /// A row is dependent if the Rayleigh quotient of its pivot is not above this.
    ///
    /// (D.9). Rounding leaves about 1e-15 in the pivot of a redundant row; a larger tolerance gives
    /// up weak rows.
    #[parameter(default = 1e-12, unit = "-", range = "(0, 0.01]")]
    pub pivot_tolerance: f64,
    /// Pivots allowed per row before the solve is declared to cycle.
    #[parameter(default = 200, unit = "-", range = ">= 1")]
    pub max_pivots_per_row: u32,
    /// How the active set is looked for first.
    #[parameter(default = Begin::Sets)]
    pub begin: Begin,
    /// Solves with new bounds that pyramids (F2) may take (B.5).
    #[parameter(default = 2000, unit = "-", range = ">= 1")]
    pub max_friction_passes: u32,
}

/// Incremental principal pivoting for rows with bounds (D.6–D.12).
pub type Dantzig = Checked<DantzigParameters>;

/// Where the solution of a box begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BoxStart {
    Cold,
    LastAnswer,
}

/// The scaled rows of a problem, and its solution.
#[derive(Debug)]
pub struct Pivots {
    parameters: DantzigParameters,
    state: State,
    /// Scaling (D.2).
    d: Vec<f64>,
    /// Bounds \[N·s\].
    lower: Vec<f64>,
    /// Bounds \[N·s\].
    upper: Vec<f64>,
    pivoting: Pivoting,
    guess: BlockPivoting,
    /// True while the guess's answer stands.
    guessed: bool,
    pyramids: Vec<Coupled>,
    row_updates: u64,
}

impl Method for DantzigParameters {
    type Parameters = Self;
    type Prepared = Pivots;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "dantzig",
        aliases: &["cottle-dantzig", "principal-pivoting"],
        name: "Dantzig pivoting",
        summary: "Exchanges of whole sets, then incremental principal pivoting, for bounds and friction pyramids, redundant rows included; \
                  unlike enumeration it follows one path, and unlike dense-pgs it ends.",
        citations: &["Cottle1968", "Baraff1994", "Cottle1992", "Murty1974"],
        theory: &[
            "D.2", "D.6", "D.7", "D.8", "D.9", "D.10", "D.11", "D.12", "B.1", "B.2", "B.3", "B.5",
        ],
        cost: "m³",
        forms: SolverDescriptor::ALL_INTERVALS,
        work_unit: WorkUnit::Solve,
        max_asymmetry: 1e-12,
        ..DENSE
    };

    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        // A, its scaled copy, two factors and what pivoting works on
        assembly::memory(problem, 5)
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Pivots, SolveError> {
        let state = State::new(problem, impulses);
        let (d, pivoting) = scaled(problem)?;
        let bounds = vec![0.0; d.len()];
        let pyramids = problem.laws().any(|law| law == LawKind::Pyramid);
        let shift = if pyramids { PYRAMID_SHIFT } else { GUESS_SHIFT };
        Ok(Pivots {
            parameters: *self,
            state,
            d,
            lower: bounds.clone(),
            upper: bounds,
            pivoting,
            guess: BlockPivoting::new(problem.rows(), shift),
            guessed: false,
            pyramids: Vec::with_capacity(problem.rows()),
            row_updates: 0,
        })
    }
}

impl Prepared for Pivots {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        self.state.update(problem);
        if changed.compliance {
            let factored = self.pivoting.factored;
            (self.d, self.pivoting) = scaled(problem)?;
            self.pivoting.factored = factored;
        }
        self.guess.forget();
        Ok(true)
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        solve_once(sweeps, self.state.solved, || {
            self.solve(problem)?;
            Ok(self.row_updates)
        })
    }

    read_state!(state);

    fn factorizations(&self) -> Option<u64> {
        Some(self.guess.total + self.pivoting.factored)
    }
}

fn scaled(problem: &Problem) -> Result<(Vec<f64>, Pivoting), SolveError> {
    let matrix = DenseDelassus::assemble_with_compliance(problem)?;
    let d = matrix.scaling();
    let pivoting = Pivoting::new(matrix.scaled(&d)?);
    Ok((d, pivoting))
}

/// True if a tolerance may have led the pivots there.
fn is_doubtful(error: &SolveError) -> bool {
    matches!(
        error,
        SolveError::Infeasible { .. } | SolveError::Unreached { .. }
    )
}

impl Pivots {
    fn solve(&mut self, problem: &Problem) -> Result<(), SolveError> {
        self.load(problem)?;
        self.row_updates = 0;
        self.solve_box(problem, BoxStart::Cold)?;
        let mut pass = 0;
        while self.follow_normals() > SETTLED {
            pass += 1;
            if pass > self.parameters.max_friction_passes {
                return Err(SolveError::Unreached {
                    reason: "the bounds of friction do not settle within max_friction_passes",
                });
            }
            self.solve_box(problem, BoxStart::LastAnswer)?;
        }
        self.store();
        Ok(())
    }

    /// Scales b and the bounds; those of pyramids are zero.
    fn load(&mut self, problem: &Problem) -> Result<(), SolveError> {
        let (lower, upper) = (&mut self.lower, &mut self.upper);
        let solver = DantzigParameters::DESCRIPTOR.id;
        bounds::write_fixed(solver, problem, &self.state.impulses, [lower, upper])?;
        bounds::pyramids(problem, &mut self.pyramids);
        for (i, d) in self.d.iter().enumerate() {
            self.pivoting.c[i] = d * self.state.b[i];
            self.pivoting.lower[i] = self.lower[i] / d;
            self.pivoting.upper[i] = self.upper[i] / d;
        }
        Ok(())
    }

    /// Solves with the current bounds.
    fn solve_box(&mut self, problem: &Problem, start: BoxStart) -> Result<(), SolveError> {
        let rows = problem.rows() as u64;
        // what pyramids follow must not jump: the exchanges end near the shortest impulses,
        // whatever the bounds
        let sets = problem.rows() >= GUESS_ROWS || !self.pyramids.is_empty();
        if sets && self.parameters.begin == Begin::Sets && self.try_guess(start) {
            return Ok(());
        }
        let tolerance = self.parameters.pivot_tolerance;
        let max_pivots = (rows + 1) * u64::from(self.parameters.max_pivots_per_row);
        let mut outcome = self.pivoting.solve(tolerance, max_pivots);
        if outcome.as_ref().is_err_and(is_doubtful) {
            // a weak but real direction that was taken for a dependent one also looks like a
            // contradiction
            outcome = self.pivoting.solve(SECOND_LOOK * tolerance, max_pivots);
        }
        // a pivot updates the velocity of every row
        self.row_updates += self.pivoting.pivots * rows;
        if self.parameters.begin == Begin::Sets {
            return self.second_opinion(outcome);
        }
        outcome
    }

    /// Where the pivots leave more than rounding, or call rows contradictory, all the exchanges of
    /// `bpp` have a say: they tell weak rows from redundant ones by steps instead of a tolerance
    /// (B.3).
    fn second_opinion(&mut self, outcome: Result<(), SolveError>) -> Result<(), SolveError> {
        let data = self.pivoting.data();
        let doubtful = match &outcome {
            Ok(()) => self.guess.leaves_more_than_rounding(data, &self.pivoting.y),
            Err(error) => is_doubtful(error),
        };
        if doubtful && self.guess.solve(data, OPINION_FACTORS) == Ending::Solved {
            self.pivoting.y.copy_from_slice(&self.guess.y);
            self.row_updates += self.guess.row_updates;
            return Ok(());
        }
        outcome
    }

    fn try_guess(&mut self, start: BoxStart) -> bool {
        let data = self.pivoting.data();
        let ending = if start == BoxStart::LastAnswer && self.guessed {
            self.guess.resume(data, GUESS_FACTORS)
        } else {
            self.guess.solve_quickly(data, GUESS_FACTORS)
        };
        self.row_updates += self.guess.row_updates;
        self.guessed = ending == Ending::Solved;
        if self.guessed {
            self.pivoting.y.copy_from_slice(&self.guess.y);
        }
        self.guessed
    }

    /// Sets the bounds of pyramids by the normal impulses (B.5) and returns the largest change, as
    /// a fraction of the largest impulse.
    fn follow_normals(&mut self) -> f64 {
        let mut change: f64 = 0.0;
        let largest = linear::max_magnitude(&self.pivoting.y);
        for Coupled { row, normal, mu } in &self.pyramids {
            let impulse = (self.pivoting.y[*normal] * self.d[*normal]).max(0.0);
            let bound = mu * impulse;
            let scaled = bound / self.d[*row];
            change = change.max((scaled - self.pivoting.upper[*row]).abs());
            (self.lower[*row], self.upper[*row]) = (-bound, bound);
            (self.pivoting.lower[*row], self.pivoting.upper[*row]) = (-scaled, scaled);
        }
        if change > 0.0 { change / largest } else { 0.0 }
    }

    fn store(&mut self) {
        let pivoting = &self.pivoting;
        let bounds = [&self.lower[..], &self.upper];
        let scaled = [&pivoting.lower[..], &pivoting.upper];
        (self.state).write_scaled(&pivoting.y, &self.d, scaled, bounds);
        self.state.solved = true;
    }
}
