//! Declared properties of a solver.

use crate::error::Unsupported;
use crate::law::LawKind;
use crate::problem::{Operator, Problem};
use crate::scaling::PowerScale;

/// Properties of a solver that tables, plots and tests use without running it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolverDescriptor {
    /// Identifier: file, type and id of a method agree (`block_gs.rs`, `BlockGs`, `"block-gs"`).
    pub id: &'static str,
    /// Other names of the same method in the literature.
    pub aliases: &'static [&'static str],
    /// Human-readable name.
    pub name: &'static str,
    /// One sentence: what the solver does, and how it differs from the most similar solver.
    pub summary: &'static str,
    /// Keys of `docs/references.bib`: where the method comes from.
    pub citations: &'static [&'static str],
    /// Equation numbers of `docs/theory` that the solver implements, as "G.1".
    pub theory: &'static [&'static str],
    /// Row updates of one unit of work, as a class:
    /// - "m": one pass over the m rows;
    /// - "m²": one pass over a dense matrix;
    /// - "m³": a few factorizations;
    /// - "m³ once": one factorization, in the first unit only;
    /// - "sparse factor": one factorization of a sparse matrix;
    /// - with a factor k: k sweeps, where k is a parameter.
    ///
    /// [`Self::NO_COST`] means that the cost is not stated.
    pub cost: &'static str,
    /// Arithmetic of the iteration.
    pub precision: Precision,
    /// The laws that the solver supports, each exactly or approximately.
    pub laws: &'static [(LawKind, Support)],
    /// What one unit of `iterate` is.
    pub work_unit: WorkUnit,
    /// True if one unit of work after a new start maps impulses to impulses, and the fixed points
    /// of this map are the solutions. False for a method whose units also depend on the units
    /// before them, such as a Newton method with a phase or a regularisation: repeated from new
    /// starts, such units may stop at impulses that solve nothing.
    pub unit_is_map: bool,
    /// What may change the bits of the result.
    pub determinism: Determinism,
    /// True if the solver can keep the impulses of some rows fixed ([`crate::Activity`]).
    pub holds_rows: bool,
    /// True if the method needs bodies: a problem given by its matrix is refused.
    pub needs_bodies: bool,
    /// True if the solver supports compliance that couples the rows of a block
    /// ([`crate::CoupledCompliance`]).
    pub coupled_compliance: bool,
    /// True if the method divides by A_ii + R_ii.
    pub needs_positive_diagonal: bool,
    /// Largest ‖A − Aᵀ‖_F / ‖A‖_F it accepts \[-\]; infinite if symmetry does not matter.
    pub max_asymmetry: f64,
    /// Largest number of rows it accepts.
    pub max_rows: usize,
}

/// Arithmetic of an iteration. Problems and metrics are always f64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 64-bit.
    F64,
    /// 32-bit; impulses are converted to f64 when they are read.
    F32,
}

/// How a solver solves a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Its fixed points are the solutions of the law.
    Exact,
    /// Its fixed points solve a different law, which the text names.
    Approximate(&'static str),
}

/// What one unit of [`crate::ImpulseSolver::iterate`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkUnit {
    /// One pass over all rows.
    Sweep,
    /// The whole solve: direct methods.
    Solve,
    /// A sweep, a step or a whole solve of the current method, for a solver that switches between
    /// methods. A method is prepared when it begins, so `iterate` allocates.
    Stage,
}

/// What may change the bits of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Determinism {
    /// Nothing: equal inputs give equal bits at any thread count, vector width and on any
    /// processor.
    Bitwise,
    /// The processor: a linear-algebra library chooses vector instructions for it, and these change
    /// the rounding of sums. On one processor, equal inputs give equal bits at any thread count.
    Processor,
    /// Scheduling: the method has no fixed order.
    None,
}

/// How faithfully a solver treats the problem it accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fidelity {
    /// The problem itself.
    Exact,
    /// An approximation of the problem; one reason per approximated law.
    Approximate(Vec<&'static str>),
}

impl SolverDescriptor {
    /// All eleven laws with exact support, as a value of [`Self::laws`].
    pub const ALL_LAWS: &'static [(LawKind, Support)] = &[
        (LawKind::Equality, Support::Exact),
        (LawKind::Bounds, Support::Exact),
        (LawKind::Frictionless, Support::Exact),
        (LawKind::FixedBox, Support::Exact),
        (LawKind::Pyramid, Support::Exact),
        (LawKind::Disc, Support::Exact),
        (LawKind::Coulomb, Support::Exact),
        (LawKind::ConvexCone, Support::Exact),
        (LawKind::Patch, Support::Exact),
        (LawKind::Facets, Support::Exact),
        (LawKind::Rolling, Support::Exact),
    ];

    /// All laws but facets and rolling, exactly.
    pub const ALL_BUT_FACETS_AND_ROLLING: &'static [(LawKind, Support)] =
        Self::ALL_LAWS.split_at(9).0;

    /// All laws but patches, facets and rolling, exactly.
    pub const ALL_BUT_PATCHES: &'static [(LawKind, Support)] = Self::ALL_LAWS.split_at(8).0;

    /// Value of [`Self::cost`] if the cost is not stated.
    pub const NO_COST: &'static str = "-";

    /// Values for the fields that a descriptor does not set (`..SolverDescriptor::BASE`). They
    /// describe an f64 method that works in sweeps, which are maps, and is bitwise deterministic.
    /// It supports no law, cannot hold rows, supports only diagonal compliance, and divides by the
    /// diagonal.
    pub const BASE: Self = Self {
        id: "",
        aliases: &[],
        name: "",
        summary: "",
        citations: &[],
        theory: &[],
        cost: Self::NO_COST,
        precision: Precision::F64,
        laws: &[],
        work_unit: WorkUnit::Sweep,
        unit_is_map: true,
        determinism: Determinism::Bitwise,
        holds_rows: false,
        needs_bodies: false,
        coupled_compliance: false,
        needs_positive_diagonal: true,
        max_asymmetry: f64::INFINITY,
        max_rows: usize::MAX,
    };

    /// How the solver treats `law`; `None` if it does not.
    pub fn support(&self, law: LawKind) -> Option<Support> {
        let found = self.laws.iter().find(|(kind, _)| *kind == law);
        found.map(|(_, support)| *support)
    }

    /// Checks the problem against all declared properties. A solver with more restrictions adds its
    /// own checks.
    ///
    /// # Errors
    /// The first reason to refuse.
    pub fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        let mut reasons = Vec::new();
        self.admit(problem, &mut |reason| {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        })?;
        if self.precision == Precision::F32 {
            PowerScale::of(self.id, problem)?;
        }
        Ok(if reasons.is_empty() {
            Fidelity::Exact
        } else {
            Fidelity::Approximate(reasons)
        })
    }

    /// The same but for the range of f32, which takes a look at every number; `note` is told what
    /// of a block is solved instead.
    pub(crate) fn admit(
        &self,
        problem: &Problem,
        note: &mut dyn FnMut(&'static str),
    ) -> Result<(), Unsupported> {
        let solver = self.id;
        if self.needs_bodies && problem.bodies().is_none() {
            return Err(Unsupported::Bodies { solver });
        }
        if let (false, Some((block, _))) = (
            self.coupled_compliance,
            problem.coupled_compliance().iter().next(),
        ) {
            return Err(Unsupported::CoupledCompliance { solver, block });
        }
        let exact = |law: &LawKind| self.support(*law) == Some(Support::Exact);
        let plain =
            problem.laws().all(|law| exact(&law)) && (self.holds_rows || problem.all_active());
        let blocks = if plain { &[] } else { problem.blocks() };
        for (block, entry) in blocks.iter().enumerate() {
            let law = entry.law.kind();
            match self.support(law) {
                None => return Err(Unsupported::Law { solver, block, law }),
                Some(Support::Exact) => {}
                Some(Support::Approximate(reason)) => note(reason),
            }
            if !self.holds_rows && problem.active_dim(block) != entry.dim {
                return Err(Unsupported::Activity { solver, block });
            }
        }
        let rows = problem.rows();
        if rows > self.max_rows {
            let limit = self.max_rows;
            return Err(Unsupported::TooManyRows {
                solver,
                rows,
                limit,
            });
        }
        if self.needs_positive_diagonal && !problem.moves_every_row() {
            let effective = problem.diagonal().iter().zip(problem.compliance());
            for (row, (a, r)) in effective.enumerate() {
                let value = a + r;
                if value <= 0.0 {
                    return Err(Unsupported::Diagonal { solver, row, value });
                }
            }
        }
        if let (Operator::Matrix(matrix), true) =
            (problem.operator(), self.max_asymmetry.is_finite())
        {
            let defect = matrix.delassus.symmetry_defect();
            if defect > self.max_asymmetry {
                return Err(Unsupported::Unsymmetric { solver, defect });
            }
        }
        Ok(())
    }
}
