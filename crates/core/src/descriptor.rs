//! Declared properties of a solver.

use crate::error::Unsupported;
use crate::law::{Law, LawForm, LawKind, ScaledKind};
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
    /// The forms of laws that the solver supports, each exactly or approximately.
    pub forms: &'static [(LawForm, Support)],
    /// Largest number of rows of a cone that the solver supports \[-\]: three, or up to six with
    /// torsion and rolling.
    pub cone_rows: usize,
    /// Largest number of rows of a cone in a problem given by its matrix, if smaller than
    /// [`Self::cone_rows`] \[-\].
    pub matrix_cone_rows: usize,
    /// Largest number of rows of a contact point with one coefficient of friction and a disc or
    /// cone \[-\]: three, or two if the solver supports only planar contacts. [`Self::check`] does
    /// not refuse points with more rows. The method refuses them, because it may support them while
    /// their friction is inactive.
    pub point_rows: usize,
    /// What one unit of `iterate` is.
    pub work_unit: WorkUnit,
    /// True if the first unit of work after a start is a map from impulses to impulses whose fixed
    /// points are the solutions. Wrappers that repeat this unit need such a map. False for a method
    /// whose units depend on earlier units, such as a Newton method with phases or a changing
    /// regularisation. Repeating its first unit may converge to impulses that are not a solution.
    pub unit_is_map: bool,
    /// True if every call of `iterate` solves again from the start, with a higher limit of units.
    /// To keep the total time low, a caller should raise the limit by a constant factor per call.
    pub restarts: bool,
    /// What may change the bits of the result.
    pub determinism: Determinism,
    /// True if the solver supports inactive rows, whose impulses stay fixed ([`crate::Activity`]).
    pub supports_inactive_rows: bool,
    /// True if the method needs bodies: a problem given by its matrix is refused.
    pub needs_bodies: bool,
    /// True if the solver supports compliance that couples the rows of a block
    /// ([`crate::CoupledCompliance`]).
    pub coupled_compliance: bool,
    /// True if the method divides by A_ii + R_ii.
    pub needs_positive_diagonal: bool,
    /// Largest ‖A − Aᵀ‖_F / ‖A‖_F that the solver accepts \[-\]; infinite if the solver does not
    /// need symmetry.
    pub max_asymmetry: f64,
    /// Largest number of rows that the solver accepts \[-\].
    pub max_rows: usize,
}

/// Floating-point type of an iteration. Problems and residuals are always f64.
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
    /// The fixed points of the solver are the solutions of the law.
    Exact,
    /// The fixed points of the solver are solutions of a different law, which the text describes.
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

/// What may change the bits of the impulses.
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

/// Prefix of a reason in [`Fidelity::Approximate`] if a scheme or engine simulates a scene other
/// than the requested one. Tables do not rank such a run.
pub const OTHER_SCENE: &str = "other scene: ";

/// Whether a solver solves the given problem or an approximation of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fidelity {
    /// The problem itself.
    Exact,
    /// An approximation of the problem, with one reason per approximated law.
    Approximate(Vec<&'static str>),
}

impl SolverDescriptor {
    /// All forms of laws with exact support, as a value of [`Self::forms`].
    pub const ALL_FORMS: &'static [(LawForm, Support)] = &[
        (LawForm::Free, Support::Exact),
        (LawForm::Interval, Support::Exact),
        (LawForm::Normal, Support::Exact),
        (LawForm::FixedIntervals, Support::Exact),
        (LawForm::Intervals, Support::Exact),
        (LawForm::Ball, Support::Exact),
        (LawForm::CoulombCone, Support::Exact),
        (LawForm::Cone, Support::Exact),
        (LawForm::SharedFriction, Support::Exact),
        (LawForm::SeveralFrictions, Support::Exact),
        (LawForm::Polygon, Support::Exact),
    ];

    /// All forms, each with `support`.
    pub const fn all_forms_with(support: Support) -> [(LawForm, Support); 11] {
        let mut forms = [(LawForm::Free, support); 11];
        let mut index = 0;
        while index < forms.len() {
            forms[index].0 = Self::ALL_FORMS[index].0;
            index += 1;
        }
        forms
    }

    /// All forms except polygons, with exact support.
    pub const ALL_BUT_POLYGONS: &'static [(LawForm, Support)] = Self::ALL_FORMS.split_at(10).0;

    /// All forms except polygons and [`LawForm::SeveralFrictions`], with exact support.
    pub const ALL_BUT_POLYGONS_AND_SEVERAL: &'static [(LawForm, Support)] =
        Self::ALL_FORMS.split_at(9).0;

    /// All forms except polygons, [`LawForm::SeveralFrictions`] and [`LawForm::SharedFriction`],
    /// with exact support.
    pub const ONE_SET_PER_CONTACT: &'static [(LawForm, Support)] = Self::ALL_FORMS.split_at(8).0;

    /// Bounds, and friction in intervals that are fixed or proportional to one normal impulse, with
    /// exact support.
    pub const ALL_INTERVALS: &'static [(LawForm, Support)] = Self::ALL_FORMS.split_at(5).0;

    /// Bounds, and friction in intervals of fixed size, with exact support.
    pub const FIXED_INTERVALS: &'static [(LawForm, Support)] = Self::ALL_FORMS.split_at(4).0;

    /// Bounds, and one ball or cone of friction per contact point, with exact support.
    pub const BALL_OR_CONE_PER_CONTACT: &'static [(LawForm, Support)] = &[
        (LawForm::Free, Support::Exact),
        (LawForm::Interval, Support::Exact),
        (LawForm::Normal, Support::Exact),
        (LawForm::FixedIntervals, Support::Exact),
        (LawForm::Ball, Support::Exact),
        (LawForm::CoulombCone, Support::Exact),
        (LawForm::Cone, Support::Exact),
    ];

    /// Value of [`Self::cost`] if the cost is not stated.
    pub const NO_COST: &'static str = "-";

    /// Values for the fields that a descriptor does not set (`..SolverDescriptor::BASE`). They
    /// describe an f64 method that works in sweeps, which are maps, and is bitwise deterministic.
    /// It supports no law, no inactive rows and only diagonal compliance, and it divides by the
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
        forms: &[],
        cone_rows: 3,
        matrix_cone_rows: usize::MAX,
        point_rows: 3,
        work_unit: WorkUnit::Sweep,
        unit_is_map: true,
        restarts: false,
        determinism: Determinism::Bitwise,
        supports_inactive_rows: false,
        needs_bodies: false,
        coupled_compliance: false,
        needs_positive_diagonal: true,
        max_asymmetry: f64::INFINITY,
        max_rows: usize::MAX,
    };

    /// [`Self::BASE`] with inactive rows, and compliance that couples rows.
    pub const COMPLETE: Self = Self {
        supports_inactive_rows: true,
        coupled_compliance: true,
        ..Self::BASE
    };

    /// How the solver supports `law`, on blocks with the smallest number of rows for which it does;
    /// `None` if it supports no such block.
    pub fn support(&self, law: LawKind) -> Option<Support> {
        let fits = |rows: &usize| self.support_over(law, *rows, true).is_some();
        let rows = match law.rows() {
            [] => 0,
            some => *some.iter().find(|rows| fits(rows))?,
        };
        self.support_over(law, rows, true)
    }

    /// How the solver supports `law` on blocks of `rows` rows; `None` if it does not. If
    /// `has_bodies` is false, the problem is given by its matrix.
    pub fn support_over(&self, law: LawKind, rows: usize, has_bodies: bool) -> Option<Support> {
        let form = law.form();
        let limit = match ScaledKind::of(law) {
            _ if self.needs_bodies && !has_bodies => return None,
            Some(_) if is_cone(law) => self.limit_of_cones(has_bodies),
            None if is_cone(law) || form == LawForm::Ball => self.point_rows,
            _ => usize::MAX,
        };
        let found = self.forms.iter().find(|(own, _)| *own == form);
        found.filter(|_| rows <= limit).map(|(_, support)| *support)
    }

    /// Most rows of the cone of a scaled law.
    fn limit_of_cones(&self, has_bodies: bool) -> usize {
        if has_bodies {
            self.cone_rows
        } else {
            self.cone_rows.min(self.matrix_cone_rows)
        }
    }

    /// The laws that the solver supports, in the order of the documentation.
    pub fn laws(&self) -> impl Iterator<Item = (LawKind, Support)> {
        let kinds = LawKind::ALL.iter();
        kinds.filter_map(|kind| Some((*kind, self.support(*kind)?)))
    }

    /// As [`Self::support_over`], for a law on a block of `dim` rows; an error that names the
    /// shape.
    fn support_on(
        &self,
        problem: &Problem,
        block: usize,
        law: &Law,
        dim: usize,
    ) -> Result<Support, Unsupported> {
        let (solver, limit) = (self.id, self.limit_of_cones(problem.bodies().is_some()));
        let is_scaled = matches!(law, Law::Scaled(_));
        let (law, rows) = (law.kind(), dim);
        match self.forms.iter().find(|(form, _)| *form == law.form()) {
            None => Err(Unsupported::Law { solver, block, law }),
            Some(_) if is_scaled && is_cone(law) && rows > limit => Err(Unsupported::ConeRows {
                solver,
                block,
                law,
                rows,
                limit,
            }),
            Some((_, support)) => Ok(*support),
        }
    }

    /// Checks that the solver supports the form of every law, and the number of rows of every cone.
    ///
    /// # Errors
    /// The first block with a law that the solver does not support.
    pub fn check_laws(&self, problem: &Problem) -> Result<(), Unsupported> {
        let mut blocks = problem.blocks().iter().enumerate();
        blocks.try_for_each(|(index, block)| {
            self.support_on(problem, index, &block.law, block.dim)
                .map(|_| ())
        })
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
            PowerScale::of(self.id, problem.round())?;
        }
        Ok(if reasons.is_empty() {
            Fidelity::Exact
        } else {
            Fidelity::Approximate(reasons)
        })
    }

    /// As [`Self::check`], without the check of the range of f32, which reads every number. Calls
    /// `note` for each approximated block.
    pub(crate) fn admit(
        &self,
        problem: &Problem,
        note: &mut dyn FnMut(&'static str),
    ) -> Result<(), Unsupported> {
        let solver = self.id;
        let given = problem;
        // what a method gets: bodies, rows and blocks are the same
        let problem = given.round();
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
        let known = |law: LawKind| exact(&law) && ScaledKind::of(law).is_none();
        let plain =
            given.laws().all(known) && (self.supports_inactive_rows || problem.all_active());
        let blocks = if plain { &[] } else { given.blocks() };
        for (block, entry) in blocks.iter().enumerate() {
            match self.support_on(problem, block, &entry.law, entry.dim)? {
                Support::Exact => {}
                Support::Approximate(reason) => note(reason),
            }
            if !self.supports_inactive_rows && problem.active_dim(block) != entry.dim {
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

fn is_cone(law: LawKind) -> bool {
    matches!(law.form(), LawForm::Cone | LawForm::CoulombCone)
}
