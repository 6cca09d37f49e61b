//! Dantzig's principal pivoting: rows with fixed bounds, one at a time, by a growing and shrinking factor.
//!
//! Rows without bounds are factorized first. Every other row d is driven: its impulse moves until its velocity is
//! zero or it meets a bound, while the rows settled before keep their conditions (D.7). The step ends where a free
//! impulse meets a bound or a settled velocity changes sign (D.8); the row changes sides and the drive goes on.
//! A final polish corrects the free impulses with the exact residual and drives again what is violated.
//!
//! Budget: O(m²) per pivot, typically one to three pivots a row, so O(m³) in all; memory 16 m² bytes
//! (24 m² while preparing).
//! Differs from [`crate::DenseDirect`] by the bounds, from [`crate::Enumeration`] by finding one solution in
//! polynomial time where a convex problem has many, from [`crate::DensePgs`] by ending after finitely many steps.
//!
//! Departures from \[Baraff1994\]: no friction heuristic (bounds that depend on impulses are refused); bounds on both
//! sides; redundant rows. Where a singular A_CC is commonly met by a small added compliance, here a row whose pivot
//! vanishes (D.9) is *dependent*: it changes no velocity that C does not, so it either keeps its impulse (its
//! velocity is zero already) or moves along the null direction until a bound frees a pivot. Nothing is regularized,
//! so velocities are those of the problem itself.
//!
//! # Limitations
//! A + R must be symmetric positive semi-definite; bounds fixed. Impulses of redundant rows depend on the row order.
//! Ties are broken by the smallest index, which is finite for P-matrices \[Murty1974\]; a degenerate singular problem
//! that cycled would stop at `max_pivots_per_row` with an error. A set of active rows that is regular but for a part
//! in 1e12 may be taken for redundant, and its problem for a contradictory one. The start matters to held rows only.
//!
//! Theory: docs/theory/04-dense.md (D.6–D.12). Source: \[Cottle1968\], \[Baraff1994\], \[Cottle1992\] ch. 4.

use delassus_core::{
    Checked, LawKind, Method, ParameterError, Parameters, Prepared, Problem, Progress, Refresh,
    SolveError, SolverDescriptor, Support, Unsupported, WorkUnit,
};

use crate::assembly::{self, DenseDelassus, MAX_ROWS};
use crate::bounds;
use crate::linear;
use crate::pivoting::Pivoting;
use crate::state::{State, solve_once};

/// Factor on `pivot_tolerance` in the second attempt, before rows are declared contradictory \[-\].
const SECOND_LOOK: f64 = 1e-2;

/// Parameters of [`Dantzig`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct DantzigParameters {
    /// A row is dependent if the Rayleigh quotient of its pivot is not above this.
    ///
    /// (D.9). Rounding leaves about 1e-15 in the pivot of a redundant row; a larger tolerance gives up weak rows.
    #[parameter(default = 1e-12, unit = "-", range = "(0, 0.01]")]
    pub pivot_tolerance: f64,
    /// Pivots allowed per row before the solve is declared to cycle.
    #[parameter(default = 200, unit = "-", range = ">= 1")]
    pub max_pivots_per_row: u32,
}

/// Incremental principal pivoting for rows with fixed bounds (D.6–D.12).
pub type Dantzig = Checked<DantzigMethod>;

/// The method of [`Dantzig`].
#[derive(Debug)]
pub struct DantzigMethod {
    parameters: DantzigParameters,
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
}

impl Method for DantzigMethod {
    type Parameters = DantzigParameters;
    type Prepared = Pivots;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "dantzig",
        aliases: &["cottle-dantzig", "principal-pivoting"],
        name: "Dantzig pivoting",
        summary: "Incremental principal pivoting for rows with fixed bounds, redundant rows included; unlike \
                  enumeration it follows one path, and unlike dense-pgs it ends.",
        citations: &["Cottle1968", "Baraff1994", "Cottle1992", "Murty1974"],
        theory: &["D.2", "D.6", "D.7", "D.8", "D.9", "D.10", "D.11", "D.12"],
        laws: &[
            (LawKind::Equality, Support::Exact),
            (LawKind::Bounds, Support::Exact),
            (LawKind::Frictionless, Support::Exact),
            (LawKind::FixedBox, Support::Exact),
        ],
        work_unit: WorkUnit::Solve,
        holds_rows: true,
        coupled_compliance: true,
        needs_positive_diagonal: false,
        max_asymmetry: 1e-12,
        max_rows: MAX_ROWS,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError> {
        Ok(Self { parameters })
    }

    fn memory(&self, problem: &Problem) -> u64 {
        // A, its factor and what pivoting works on
        assembly::memory(problem, 4)
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Pivots, SolveError> {
        let state = State::new(problem, impulses);
        let (d, pivoting) = scaled(problem)?;
        let bounds = vec![0.0; d.len()];
        Ok(Pivots {
            parameters: self.parameters,
            state,
            d,
            lower: bounds.clone(),
            upper: bounds,
            pivoting,
        })
    }
}

impl Prepared for Pivots {
    fn refresh(&mut self, problem: &Problem, what: Refresh) -> Result<bool, SolveError> {
        self.state.update(problem);
        if what.compliance {
            (self.d, self.pivoting) = scaled(problem)?;
        }
        Ok(true)
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        solve_once(sweeps, self.state.solved, || {
            self.solve(problem)?;
            // a pivot updates the velocity of every row
            Ok(self.pivoting.pivots * problem.rows() as u64)
        })
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        self.state.read(out)
    }

    fn is_finite(&self) -> bool {
        self.state.is_finite()
    }
}

fn scaled(problem: &Problem) -> Result<(Vec<f64>, Pivoting), SolveError> {
    let matrix = DenseDelassus::assemble_with_compliance(problem)?;
    let d = matrix.scaling();
    let pivoting = Pivoting::new(matrix.scaled(&d));
    Ok((d, pivoting))
}

impl Pivots {
    fn solve(&mut self, problem: &Problem) -> Result<(), SolveError> {
        let Self {
            parameters,
            state,
            d,
            lower,
            upper,
            pivoting,
        } = self;
        let tolerance = parameters.pivot_tolerance;
        let max_pivots = (problem.rows() as u64 + 1) * u64::from(parameters.max_pivots_per_row);
        if let Some(row) = bounds::write(problem, &state.impulses, lower, upper) {
            let block = problem.block_of_row(row);
            return Err(SolveError::Unsupported(Unsupported::Law {
                solver: DantzigMethod::DESCRIPTOR.id,
                block,
                law: problem.blocks()[block].law.kind(),
            }));
        }
        for i in 0..d.len() {
            pivoting.c[i] = d[i] * state.b[i];
            pivoting.lower[i] = lower[i] / d[i];
            pivoting.upper[i] = upper[i] / d[i];
        }
        let mut outcome = pivoting.solve(tolerance, max_pivots);
        if matches!(outcome, Err(SolveError::Infeasible { .. })) {
            // a weak but real direction that was taken for a dependent one also looks like a contradiction
            outcome = pivoting.solve(SECOND_LOOK * tolerance, max_pivots);
        }
        outcome?;
        for row in &state.active {
            let (i, y) = (*row, pivoting.y[*row]);
            // a bound is returned as it was given, not as scaling and unscaling leave it
            state.impulses[i] = if y <= pivoting.lower[i] {
                lower[i]
            } else if y >= pivoting.upper[i] {
                upper[i]
            } else {
                linear::project(y * d[i], lower[i], upper[i])
            };
        }
        state.solved = true;
        Ok(())
    }
}
