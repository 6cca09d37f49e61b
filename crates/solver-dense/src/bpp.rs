//! Block principal pivoting: all violated rows change sides at once, one Cholesky factor per
//! exchange.
//!
//! A set F of free rows is guessed by a few Gauss–Seidel sweeps. Then, again and again, the free
//! impulses are solved for with the others on their bounds, and every row whose condition is
//! violated changes sides (B.2). Where that stops lowering the count of violated rows for ten
//! exchanges, one row at a time moves, by Murty's rule, until the count is lower than ever; for
//! P-matrices this ends \[Judice1994\], \[Kostreva1978\]. Most piles need one to six factors.
//!
//! Budget: k³/3 for a set of k rows and 4 m² per exchange, at the rate of faer's blocked kernels;
//! memory 24 m² bytes (A, its scaled copy, the factor). Differs from [`crate::Dantzig`], which
//! begins the same way, by having no pivots to fall back on: it is short, and it is as fast as a
//! Cholesky factorization.
//!
//! Departures from \[Judice1994\]: bounds on both sides; rows without bounds; and redundant rows.
//! Pivoting on a set needs a regular S_FF, which four contacts of a face never have. Here every
//! exchange solves a proximal problem, S + εI with c − εz (B.1), whose matrix is positive definite
//! whatever the rank, and z follows the solution until the conditions of the problem itself hold to
//! rounding (B.3). Nothing is regularized in the answer: the steps in z end where Sy + c is what it
//! has to be, and among many impulses they end near the shortest.
//!
//! # Limitations
//! A + R must be symmetric positive semi-definite; bounds fixed. A set of active rows whose
//! smallest eigenvalue is far below ε converges slowly, and the answer is then what sixty steps
//! reach. The start matters to inactive rows only.
//!
//! Theory: docs/theory/21-pivoting.md (B.1–B.4). Source: \[Judice1994\], \[Kostreva1978\],
//! \[Rockafellar1976\].

use delassus_core::{
    Changes, Checked, Method, ParameterError, Parameters, Prepared, Problem, Progress, SolveError,
    SolverDescriptor, Unsupported, WorkUnit,
};

use crate::assembly::{self, DENSE};
use crate::block_pivoting::{BlockPivoting, Ending};
use crate::scaled::ScaledBox;
use crate::state::{read_state, solve_once};

/// Parameters of [`Bpp`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct BppParameters {
    /// Shift of the diagonal in a proximal step.
    ///
    /// (B.1). A larger one needs more steps on weak sets of rows, a smaller one leaves more
    /// rounding in redundant impulses.
    #[parameter(default = 1e-9, unit = "-", range = "[1e-12, 0.1]")]
    pub shift: f64,
    /// Factors allowed per solve before it is declared to cycle.
    #[parameter(default = 500, unit = "-", range = ">= 1")]
    pub max_factorizations: u32,
}

/// Block principal pivoting for rows with fixed bounds (B.1–B.4).
pub type Bpp = Checked<BppParameters>;

/// The scaled rows of a problem, and its solution.
#[derive(Debug)]
pub struct Exchanges {
    parameters: BppParameters,
    data: ScaledBox,
    pivoting: BlockPivoting,
}

impl Method for BppParameters {
    type Parameters = Self;
    type Prepared = Exchanges;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "bpp",
        aliases: &["block-principal-pivoting"],
        name: "Block principal pivoting",
        summary: "All violated rows change sides at once, one blocked Cholesky factor per exchange; unlike dantzig it \
                  takes no single pivots, and its impulses on redundant rows are short.",
        citations: &["Judice1994", "Kostreva1978", "Rockafellar1976", "Murty1974"],
        theory: &["D.2", "B.1", "B.2", "B.3", "B.4"],
        cost: "m³",
        forms: SolverDescriptor::FIXED_INTERVALS,
        work_unit: WorkUnit::Solve,
        max_asymmetry: 1e-12,
        ..DENSE
    };

    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        assembly::memory(problem, 3)
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Exchanges, SolveError> {
        Ok(Exchanges {
            parameters: *self,
            data: ScaledBox::new(problem, impulses)?,
            pivoting: BlockPivoting::new(problem.rows(), self.shift),
        })
    }
}

impl Prepared for Exchanges {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        self.data.update(problem, changed)?;
        Ok(true)
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        solve_once(sweeps, self.data.state.solved, || {
            self.solve(problem)?;
            Ok(self.pivoting.row_updates)
        })
    }

    read_state!(data.state);

    fn factorizations(&self) -> Option<u64> {
        Some(self.pivoting.total)
    }
}

impl Exchanges {
    fn solve(&mut self, problem: &Problem) -> Result<(), SolveError> {
        self.data.load(BppParameters::DESCRIPTOR.id, problem)?;
        let limit = u64::from(self.parameters.max_factorizations);
        match self.pivoting.solve(self.data.view(), limit) {
            // what rounding leaves is for the caller to judge
            Ending::Solved | Ending::Stalled => {}
            Ending::Unbounded => {
                let direction = self.pivoting.last_step();
                return Err(self.data.contradiction(direction));
            }
            Ending::Cycles => {
                return Err(SolveError::Unreached {
                    reason: "the exchanges cycle: max_factorizations is reached",
                });
            }
            Ending::Interrupted => return Err(SolveError::Interrupted),
            Ending::Indefinite => {
                return Err(SolveError::Unsupported(Unsupported::Indefinite {
                    solver: BppParameters::DESCRIPTOR.id,
                    advice: "take lemke, or enumeration for small problems",
                }));
            }
        }
        self.data.store(&self.pivoting.y);
        Ok(())
    }
}
