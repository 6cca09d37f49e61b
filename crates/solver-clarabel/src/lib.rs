//! Convex problems by Clarabel \[Goulart2024\]: a primal–dual interior point of other authors,
//! behind the solver trait.
//!
//! [`Clarabel`] states the problem as a cone program in scaled impulses and hands it over. Nothing
//! of the solvers of this workspace takes part, so an answer that agrees with theirs checks the
//! laws' convex half: joints, bounds, contacts without friction, with a fixed box, and the convex
//! cone.
//!
//! Budget: the matrix is dense, so an iteration factorizes it in O(m³); some 10 to 25 iterations.
//! Impulses of redundant rows tend to the analytic centre of the solutions. Differs from `ipm` by
//! who wrote it.
//!
//! # Limitations
//! The matrix must be symmetric positive semi-definite. Its own static regularization bounds the
//! accuracy: the residual, evaluated outside, is 1e-12 on small problems and 1e-6 on redundant
//! ones. `iterate` allocates: the library takes the problem as a whole. Held rows are refused.
//!
//! Theory: docs/theory/04-dense.md (D.6), docs/theory/01-problem.md (P.7).

mod program;

use clarabel::solver::{DefaultSolver, IPSolver, SolverStatus};
use delassus_core::{
    Checked, LawForm, Method, ParameterError, Parameters, Prepared, Problem, Progress, SolveError,
    SolverDescriptor, SolverVisitor, Support, WorkUnit,
};

use program::Program;

/// Shows the solver of this crate to `visitor`.
pub fn visit_solvers<V: SolverVisitor>(visitor: &mut V) {
    visitor.visit::<Clarabel>();
}

/// Most rows \[-\]: the factor of the dense matrix takes 100 MB there.
const MAX_ROWS: usize = 1500;

/// Parameters of [`Clarabel`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct ClarabelParameters {
    /// Tolerance of the duality gap and of the constraints, relative and absolute.
    ///
    /// Where it is not met the library ends with its last iterate, which on redundant rows is worse
    /// than that of a larger one.
    #[parameter(default = 1e-10, unit = "-", range = "(0, 0.01]")]
    pub tolerance: f64,
    /// Interior-point iterations at most.
    #[parameter(default = 200, unit = "-", range = ">= 1")]
    pub max_iterations: u32,
}

/// Clarabel as a solver of frozen problems.
pub type Clarabel = Checked<ClarabelMethod>;

/// The method of [`Clarabel`].
#[derive(Debug)]
pub struct ClarabelMethod {
    parameters: ClarabelParameters,
}

/// The cone program of a problem, and its solution.
#[derive(Debug)]
pub struct ConeProgram {
    program: Program,
    parameters: ClarabelParameters,
    impulses: Vec<f64>,
    solved: bool,
    /// Factorizations so far \[-\].
    factored: u64,
}

impl Method for ClarabelMethod {
    type Parameters = ClarabelParameters;
    type Prepared = ConeProgram;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "clarabel",
        aliases: &[],
        name: "Clarabel",
        summary: "The third-party interior-point solver Clarabel on the dense matrix, for cross-checking the convex laws.",
        citations: &["Goulart2024"],
        theory: &["D.6", "P.7"],
        cost: "m³",
        forms: &[
            (LawForm::Free, Support::Exact),
            (LawForm::Interval, Support::Exact),
            (LawForm::Normal, Support::Exact),
            (LawForm::FixedIntervals, Support::Exact),
            (LawForm::Cone, Support::Exact),
        ],
        work_unit: WorkUnit::Solve,
        coupled_compliance: true,
        needs_positive_diagonal: false,
        max_asymmetry: 1e-12,
        max_rows: MAX_ROWS,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError> {
        Ok(Self { parameters })
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        // the matrix, its triangle with indices, and the factor of the whole system
        let rows = problem.rows() as u64;
        rows.saturating_mul(rows).saturating_mul(60)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<ConeProgram, SolveError> {
        Ok(ConeProgram {
            program: Program::of(problem)?,
            parameters: self.parameters,
            impulses,
            solved: false,
            factored: 0,
        })
    }
}

impl Prepared for ConeProgram {
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        if sweeps == 0 {
            return Ok(Progress::default());
        }
        let mut progress = Progress {
            finished: true,
            ..Progress::default()
        };
        // the library has no program without unknowns
        if !self.solved && !self.impulses.is_empty() {
            let iterations = self.solve()?;
            progress.sweeps = 1;
            progress.row_updates = u64::from(iterations) * problem.rows() as u64;
        }
        Ok(progress)
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        out.copy_from_slice(&self.impulses);
        Ok(())
    }

    fn factorizations(&self) -> Option<u64> {
        Some(self.factored)
    }
}

impl ConeProgram {
    /// Hands the program over; returns the iterations.
    fn solve(&mut self) -> Result<u32, SolveError> {
        let program = &self.program;
        let refused = SolveError::Factorization {
            reason: "Clarabel refuses the program",
        };
        let solver = DefaultSolver::new(
            &program.objective,
            &program.linear,
            &program.constraints,
            &program.right,
            &program.cones,
            program::settings(self.parameters.tolerance, self.parameters.max_iterations),
        );
        let mut solver = solver.map_err(|_| refused)?;
        solver.solve();
        // one for the start, and one per iteration
        self.factored += u64::from(solver.solution.iterations) + 1;
        let solution = &solver.solution;
        match solution.status {
            SolverStatus::PrimalInfeasible
            | SolverStatus::DualInfeasible
            | SolverStatus::AlmostPrimalInfeasible
            | SolverStatus::AlmostDualInfeasible => {
                return Err(SolveError::Infeasible {
                    reason: "Clarabel has a certificate that the rows contradict each other",
                });
            }
            SolverStatus::Unsolved | SolverStatus::NumericalError => {
                return Err(SolveError::Factorization {
                    reason: "Clarabel ended with a numerical error",
                });
            }
            // how good the last iterate is, the residual says
            _ => {}
        }
        for ((impulse, y), d) in self
            .impulses
            .iter_mut()
            .zip(&solution.x)
            .zip(&program.scaling)
        {
            *impulse = y * d;
        }
        self.solved = true;
        Ok(solution.iterations)
    }
}
