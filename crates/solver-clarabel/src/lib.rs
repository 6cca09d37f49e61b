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
//! ones. `iterate` allocates: the library takes the problem as a whole. Inactive rows are refused.
//!
//! An indefinite matrix makes the program nonconvex, and a certificate of infeasibility then proves
//! nothing. Where the library finds no solution, the matrix is factorized with a small shift; if
//! this fails, the solve ends as unsupported.
//!
//! The library can be stopped between iterations only. A solve under a limit is not begun where the
//! setup and the first iteration would exceed it, and stops where the next iteration would.
//!
//! Theory: docs/theory/04-dense.md (D.6), docs/theory/01-problem.md (P.7).

mod program;

use clarabel::solver::{DefaultSolver, IPSolver, SolverStatus};
use delassus_core::{
    Checked, LawForm, Method, ParameterError, Parameters, Prepared, Problem, Progress, SolveError,
    SolverDescriptor, SolverVisitor, Support, Unsupported, WorkUnit, interrupt,
};
use delassus_solver_dense::assembly::DenseDelassus;

use program::Program;

/// Shows the solver of this crate to `visitor`.
pub fn visit_solvers<V: SolverVisitor>(visitor: &mut V) {
    visitor.visit::<Clarabel>();
}

/// Most rows \[-\]: the factor of the dense matrix takes 100 MB there.
const MAX_ROWS: usize = 1500;

/// Smallest eigenvalue of the scaled matrix, without sign, that makes it indefinite \[-\]: printed
/// digits make matrices slightly indefinite.
const INDEFINITE: f64 = 1e-9;

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
pub type Clarabel = Checked<ClarabelParameters>;

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

impl Method for ClarabelParameters {
    type Parameters = Self;
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
        Ok(parameters)
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
            parameters: *self,
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
            let iterations = self.solve(problem)?;
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
    fn solve(&mut self, problem: &Problem) -> Result<u32, SolveError> {
        let program = &self.program;
        interrupt::afford(program.multiplications())?;
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
        if let Some(left) = interrupt::limit() {
            let mut before = left();
            solver.set_termination_callback(move |_| {
                let now = left();
                let (step, stop) = (before - now, now <= 0.0);
                before = now;
                // a flag takes no time
                stop || (now.is_finite() && step > now)
            });
        }
        solver.solve();
        // one for the start, and one per iteration
        self.factored += u64::from(solver.solution.iterations) + 1;
        let solution = &solver.solution;
        match solution.status {
            SolverStatus::CallbackTerminated => return Err(SolveError::Interrupted),
            SolverStatus::Solved | SolverStatus::AlmostSolved => {}
            ended => self.explain(ended, problem)?,
        }
        let values = solution.x.iter().zip(&program.scaling);
        for (impulse, (y, d)) in self.impulses.iter_mut().zip(values) {
            *impulse = y * d;
        }
        self.solved = true;
        Ok(solution.iterations)
    }

    /// Why the library has no solution; no error where its last iterate may be of use.
    fn explain(&self, ended: SolverStatus, problem: &Problem) -> Result<(), SolveError> {
        let matrix = DenseDelassus::assemble_with_compliance(problem)?;
        if !matrix.is_semidefinite(INDEFINITE)? {
            return Err(SolveError::Unsupported(Unsupported::Indefinite {
                solver: ClarabelParameters::DESCRIPTOR.id,
                advice: "take auto, or lemke if no contact has a cone",
            }));
        }
        match ended {
            SolverStatus::PrimalInfeasible
            | SolverStatus::DualInfeasible
            | SolverStatus::AlmostPrimalInfeasible
            | SolverStatus::AlmostDualInfeasible => Err(SolveError::Infeasible {
                reason: "Clarabel has a certificate that the rows contradict each other",
            }),
            SolverStatus::Unsolved | SolverStatus::NumericalError => {
                Err(SolveError::Factorization {
                    reason: "Clarabel ended with a numerical error",
                })
            }
            // how good the last iterate is, the residual says
            _ => Ok(()),
        }
    }
}
