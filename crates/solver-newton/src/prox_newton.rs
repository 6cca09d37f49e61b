//! Sparse proximal Newton for rigid problems of bodies, friction included.
//!
//! The proximal-point method \[Rockafellar1976\] makes problems without compliance regular, so that
//! Newton's method can eliminate the impulses and is left with a matrix of six rows per moving
//! body, however many rows there are and however many of them are redundant. The first steps solve
//! convex problems with a small proximal term, which piles at rest are (Z.6); what they do not
//! solve gets Newton's method on the natural map of the laws themselves (Z.8) \[Alart1991\], with
//! the rules of `alart-curnier`.
//!
//! Budget: one block-sparse factorization per sweep, Cholesky while nothing slides and LU
//! otherwise; memory that of the factor. With `linear = "cg"` the convex start has conjugate
//! gradients, preconditioned by block-Jacobi or aggregation over bodies (Z.16)–(Z.19); Newton's
//! method on the natural map, whose matrix is not symmetric where contacts slide, keeps its
//! factors. Differs from `alart-curnier` by that matrix, which is sparse where that of the impulses
//! is dense: O(n) for chains, O(n^1.5) for walls; from [`crate::Sap`] by needing no compliance.
//! Problems without bodies are given to the engine of `alart-curnier`.
//!
//! Departures from \[Alart1991\]: impulses in place of an augmented Lagrangian of displacements;
//! the convex start; one step 1/trace per disc, cone or row; the rules against cycles, and
//! restarts.
//!
//! # Limitations
//! No guarantee of convergence for Coulomb's law, which is not monotone. λ of redundant rows is not
//! canonical. Rows that contradict each other end without progress.
//!
//! Theory: docs/theory/27-primal-newton.md. Source: \[Alart1991\], \[Rockafellar1976\],
//! \[DeSaxce1998\].

use delassus_core::{
    Changes, Checked, Determinism, Method, ParameterError, Parameters, Prepared, Problem, Progress,
    SolveError, SolverDescriptor, StateCoverage, Unsupported,
};
use delassus_solver_dense::alart_curnier::AlartCurnierMethod;
use delassus_solver_dense::assembly::MAX_ROWS;
use delassus_solver_dense::newton::Newton;
use delassus_solver_dense::newton::coulomb::CoulombParameters;

use crate::linear::krylov::{Linear, LinearSettings, Preconditioner, Smoother};
use crate::proximal::{Proximal, Settings};
use crate::{limit, memory};

/// Proximal-point Newton method in the velocities (Z.9).
pub type ProxNewton = Checked<ProxNewtonMethod>;

/// Parameters of [`ProxNewton`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct ProxNewtonParameters {
    /// First proximal parameter, of the diagonal of A.
    #[parameter(default = 1e-3, unit = "-", range = "[1e-9, 10]")]
    pub proximal: f64,
    /// True for convex problems in the velocities as the first steps.
    #[parameter(default = true)]
    pub convex_start: bool,
    /// Proximal parameter of the convex start.
    #[parameter(default = 1e-7, unit = "-", range = "[1e-9, 10]")]
    pub start_proximal: f64,
    /// Sweeps of projected Gauss–Seidel before Newton's method on the natural map.
    #[parameter(default = 5, unit = "-", range = ">= 0")]
    pub start_sweeps: u32,
    /// Sweeps without progress before the method gives up.
    #[parameter(default = 1000, unit = "-", range = ">= 1")]
    pub patience: u32,
    /// How the Newton systems of the convex start are solved; later ones have factors.
    pub linear: Linear,
    /// Preconditioner of conjugate gradients.
    pub preconditioner: Preconditioner,
    /// Smoother of multigrid.
    pub smoother: Smoother,
    /// Residual that ends conjugate gradients, of the right-hand side.
    #[parameter(default = 1e-10, unit = "-", range = "[1e-15, 0.1]")]
    pub linear_tolerance: f64,
}

impl ProxNewtonParameters {
    fn linear(&self) -> LinearSettings {
        LinearSettings {
            linear: self.linear,
            preconditioner: self.preconditioner,
            smoother: self.smoother,
            tolerance: self.linear_tolerance,
        }
    }
}

/// The method of [`ProxNewton`].
#[derive(Debug)]
pub struct ProxNewtonMethod {
    parameters: ProxNewtonParameters,
    /// The method for problems without bodies.
    dense: AlartCurnierMethod,
}

impl Method for ProxNewtonMethod {
    type Parameters = ProxNewtonParameters;
    type Prepared = PreparedProxNewton;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "prox-newton",
        name: "Proximal Newton",
        summary: "Proximal-point method around Newton steps whose matrix is that of the bodies, six rows each; unlike alart-curnier it \
                  is sparse, and redundant rows cost nothing.",
        citations: &["Alart1991", "Rockafellar1976", "DeSaxce1998"],
        theory: &[
            "Z.1", "Z.2", "Z.3", "Z.4", "Z.5", "Z.6", "Z.7", "Z.8", "Z.9", "Z.10", "Z.11", "Z.12",
            "Z.15", "Z.16", "Z.17", "Z.18", "Z.19", "Z.20",
        ],
        cost: "sparse factor",
        forms: SolverDescriptor::ALL_BUT_POLYGONS,
        cone_rows: 6,
        // those of the dense method
        matrix_cone_rows: AlartCurnierMethod::DESCRIPTOR.cone_rows,
        needs_positive_diagonal: false,
        determinism: Determinism::Processor,
        // it goes through phases, and keeps its best iterate
        unit_is_map: false,
        ..SolverDescriptor::COMPLETE
    };

    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError> {
        let dense = AlartCurnierMethod::new(CoulombParameters {
            proximal: parameters.proximal,
            start_sweeps: parameters.start_sweeps,
            patience: parameters.patience,
            ..CoulombParameters::default()
        })?;
        Ok(Self { parameters, dense })
    }

    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        let (rows, limit) = (problem.rows(), MAX_ROWS);
        let solver = Self::DESCRIPTOR.id;
        if problem.bodies().is_none() && rows > limit {
            return Err(Unsupported::TooManyRows {
                solver,
                rows,
                limit,
            });
        }
        Ok(())
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        match problem.bodies() {
            Some(_) => {
                let extra = match self.parameters.linear {
                    Linear::Factor => 0,
                    Linear::Cg => memory::levels(problem),
                };
                memory::estimate(problem).saturating_add(extra)
            }
            None => self.dense.footprint(problem),
        }
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Self::Prepared, SolveError> {
        let own = &self.parameters;
        let settings = Settings {
            proximal: own.proximal,
            start: own.start_proximal,
            convex_start: own.convex_start,
            start_sweeps: own.start_sweeps,
            patience: own.patience,
            linear: own.linear(),
        };
        let Some(bodies) = problem.bodies() else {
            let prepared = self.dense.prepare(problem, impulses)?;
            return Ok(PreparedProxNewton::Matrix(Box::new(prepared)));
        };
        let proximal = Proximal::new(problem, bodies, impulses, settings);
        Ok(PreparedProxNewton::Bodies(Box::new(PrimalNewton(proximal))))
    }
}

/// Rows, factor and iterate of a problem of bodies.
#[derive(Debug)]
pub struct PrimalNewton(Proximal);

impl PrimalNewton {
    /// Residual of the returned impulses, before the first sweep infinite \[√J\].
    pub fn residual(&self) -> f64 {
        self.0.residual()
    }

    /// Proximal parameter of the current step \[-\].
    pub fn proximal(&self) -> f64 {
        self.0.sigma()
    }

    /// Iterations of conjugate gradients for the last system of the convex start; none where
    /// factors are used \[-\].
    pub fn linear_iterations(&self) -> Option<u32> {
        let krylov = self.0.primal.krylov.as_ref();
        krylov.map(|krylov| krylov.iterations)
    }
}

/// A prepared problem: in the velocities of its bodies, or in the impulses where there are none.
#[derive(Debug)]
pub enum PreparedProxNewton {
    /// Bodies.
    Bodies(Box<PrimalNewton>),
    /// A matrix.
    Matrix(Box<Newton>),
}

impl Prepared for PreparedProxNewton {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        match self {
            Self::Matrix(newton) => newton.update(problem, changed),
            Self::Bodies(_) if changed.activity || changed.compliance => Ok(false),
            Self::Bodies(newton) => {
                newton.0.refresh(problem);
                Ok(true)
            }
        }
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let proximal = match self {
            Self::Matrix(newton) => return newton.iterate(problem, sweeps),
            Self::Bodies(newton) => &mut newton.0,
        };
        limit::iterate(proximal, problem.rows(), sweeps)
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        match self {
            Self::Matrix(newton) => newton.impulses(out),
            Self::Bodies(proximal) => {
                out.copy_from_slice(&proximal.0.best);
                Ok(())
            }
        }
    }

    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        match self {
            Self::Matrix(newton) => newton.fingerprint(out),
            Self::Bodies(proximal) => {
                proximal.0.push_state(out);
                Ok(Some(StateCoverage::Complete))
            }
        }
    }

    fn factorizations(&self) -> Option<u64> {
        match self {
            Self::Matrix(newton) => newton.factorizations(),
            Self::Bodies(proximal) => Some(proximal.0.primal.factorizations()),
        }
    }
}
