//! Judges impulses by the metrics that an experiment names.
//!
//! A metric is one of `delassus list metrics`, or a body velocity of the answer: `v[1].y` is the
//! linear velocity of body 1 along y \[m/s\], `w[0].z` its angular velocity \[rad/s\].

use delassus_core::{ImpulseSolver, Problem, SolveError};
use delassus_metrics::{
    ActiveSet, Evaluator, Forms, Metric, MetricError, MetricInput, Needs, TrustedSolution,
};
use delassus_records::trace::TraceQuantity;
use thiserror::Error;

mod column;
mod worlds;

pub use column::{RecordColumn, UnknownMetric, check_criteria};
pub(crate) use worlds::WorldsJudge;

/// What is evaluated at every sample of one problem.
#[derive(Debug)]
pub struct Judge<'p> {
    evaluator: Evaluator<'p>,
    names: Vec<String>,
    columns: Vec<RecordColumn>,
    criteria: Vec<RecordColumn>,
    /// Trusted solutions; errors are those against the nearest.
    references: Vec<TrustedSolution<'p>>,
    source: Option<String>,
    velocities: Vec<f64>,
    /// The active set at the sweeps that were judged last, where a column counts its changes.
    active: Option<ActiveSet>,
    /// Changes since the last sample \[-\].
    changes: usize,
    /// Orders of the blocks that a spread is of, the problem's own among them \[-\].
    orders: u32,
    /// The worlds of the problem, where it is worlds of one structure.
    worlds: Option<WorldsJudge>,
}

/// Orders of the blocks that a spread is of, where nobody says otherwise \[-\].
pub const ORDERS: u32 = 16;

/// One evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// One value per column; `None` where a metric does not apply.
    pub values: Vec<Option<f64>>,
    /// The largest criterion, of both forms of the residuals (M.39): what the tolerance is compared
    /// with. Never NaN.
    pub worst: f64,
}

/// Why impulses cannot be judged.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum JudgeError {
    /// A name that is no metric.
    #[error(transparent)]
    UnknownMetric(#[from] UnknownMetric),
    /// Nothing to compare with the tolerance.
    #[error("no metric to compare with the tolerance")]
    NoCriterion,
    /// A criterion has no value on this problem, so that no impulses could meet it.
    #[error("{metric} cannot decide here: {reason}")]
    NotApplicable {
        /// The metric.
        metric: &'static str,
        /// What it needs.
        reason: String,
    },
    /// The metrics refuse the problem or the impulses.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// The solver cannot be read.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// Takes the value of a metric from the residuals in both forms.
type MetricForm =
    fn(&mut Evaluator<'_>, Metric, &Forms, &MetricInput<'_>) -> Result<Option<f64>, MetricError>;

/// What tables show.
const PUBLISHED: MetricForm =
    |evaluator, metric, forms, answer| evaluator.value(metric, &forms.published, answer);
/// What tolerances are compared with (M.39).
const DECIDING: MetricForm =
    |evaluator, metric, forms, answer| evaluator.deciding(metric, forms, answer);

impl<'p> Judge<'p> {
    /// Judges `problem` by `columns`; every one of `criteria` must be within the tolerance of a
    /// solve.
    ///
    /// # Errors
    /// Unknown names, no criterion, data so large that the energy scale overflows.
    pub fn new<S: AsRef<str>>(
        problem: &'p Problem,
        columns: &[S],
        criteria: &[S],
    ) -> Result<Self, JudgeError> {
        let parse = |names: &[S]| -> Result<Vec<RecordColumn>, UnknownMetric> {
            names
                .iter()
                .map(|n| RecordColumn::parse(n.as_ref()))
                .collect()
        };
        let criteria = parse(criteria)?;
        if criteria.is_empty() {
            return Err(JudgeError::NoCriterion);
        }
        let names = columns.iter().map(|n| n.as_ref().to_owned()).collect();
        Self::of(problem, names, parse(columns)?, criteria)
    }

    fn of(
        problem: &'p Problem,
        names: Vec<String>,
        columns: Vec<RecordColumn>,
        criteria: Vec<RecordColumn>,
    ) -> Result<Self, JudgeError> {
        let counted = columns.contains(&RecordColumn::Trace(TraceQuantity::StateChanges));
        Ok(Self {
            evaluator: Evaluator::new(problem)?,
            names,
            columns,
            criteria,
            references: Vec::new(),
            source: None,
            velocities: vec![0.0; problem.bodies().map_or(0, |b| 6 * b.len())],
            active: counted.then(ActiveSet::default),
            changes: 0,
            orders: ORDERS,
            worlds: None,
        })
    }

    /// Sets the number of orders that a spread is of, the problem's own among them \[-\]; 16
    /// otherwise.
    #[must_use]
    pub fn with_orders(mut self, orders: u32) -> Self {
        self.orders = orders;
        self
    }

    /// Judges the worlds of the problem as well.
    #[must_use]
    pub(crate) fn with_worlds(mut self, worlds: WorldsJudge) -> Self {
        self.worlds = Some(worlds);
        self
    }

    /// The judge of the worlds, if there is one.
    pub(crate) fn worlds(&mut self) -> Option<&mut WorldsJudge> {
        self.worlds.as_mut()
    }

    /// Orders of the blocks that a spread is of \[-\].
    pub(crate) fn orders(&self) -> u32 {
        self.orders
    }

    /// Judges another problem by the same criteria and by nothing else.
    ///
    /// # Errors
    /// Data so large that the energy scale overflows.
    pub(crate) fn by_the_same_criteria<'q>(
        &self,
        problem: &'q Problem,
        references: impl IntoIterator<Item = &'q [f64]>,
    ) -> Result<Judge<'q>, JudgeError> {
        let judge = Judge::of(problem, Vec::new(), Vec::new(), self.criteria.clone())?;
        Ok(judge.with_references(references, String::new()))
    }

    /// Sets the reference of the velocity error, impulses \[N·s\], and where it comes from.
    #[must_use]
    pub fn with_reference(self, impulses: &'p [f64], source: impl Into<String>) -> Self {
        self.with_references([impulses], source)
    }

    /// Sets the references of a problem with several solutions, impulses \[N·s\], and where they
    /// come from. Errors are those against the nearest.
    #[must_use]
    pub fn with_references(
        mut self,
        impulses: impl IntoIterator<Item = &'p [f64]>,
        source: impl Into<String>,
    ) -> Self {
        let references = impulses.into_iter().map(TrustedSolution::Impulses);
        self.references = references.collect();
        self.source = Some(source.into());
        self
    }

    /// The trusted solutions, one impulse per row each \[N·s\].
    pub(crate) fn reference_impulses(&self) -> impl Iterator<Item = &'p [f64]> {
        self.references.iter().filter_map(|known| match known {
            TrustedSolution::Impulses(impulses) => Some(*impulses),
            TrustedSolution::Velocities(_) => None,
        })
    }

    /// True if a column is of several solves in other orders.
    pub(crate) fn wants_spread(&self) -> bool {
        use TraceQuantity::{ImpulseSpread, VelocitySpread};
        let mut columns = self.columns.iter();
        columns.any(|column| matches!(column, RecordColumn::Trace(ImpulseSpread | VelocitySpread)))
    }

    /// True if a column is of the singular values of the problem.
    pub(crate) fn wants_rank(&self) -> bool {
        let of = [TraceQuantity::Rank, TraceQuantity::Condition];
        of.iter()
            .any(|quantity| self.column_of(*quantity).is_some())
    }

    /// Place of a number of the trace among the columns.
    pub(crate) fn column_of(&self, quantity: TraceQuantity) -> Option<usize> {
        let wanted = RecordColumn::Trace(quantity);
        self.columns.iter().position(|column| *column == wanted)
    }

    /// The evaluator of the problem.
    pub(crate) fn evaluator(&mut self) -> &mut Evaluator<'p> {
        &mut self.evaluator
    }

    /// Compares the active set with that of the last call, where a column counts its changes.
    ///
    /// # Errors
    /// Impulses that cannot be judged.
    pub(crate) fn note_states(&mut self, impulses: &[f64]) -> Result<(), JudgeError> {
        if let Some(active) = &mut self.active {
            self.changes += self.evaluator.state_changes(impulses, active)?;
        }
        Ok(())
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Where the reference comes from, if there is one.
    pub fn reference_source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// E_s of the problem \[J\] (M.3).
    pub fn energy_scale(&self) -> f64 {
        self.evaluator.energy_scale().joules
    }

    /// Refuses criteria that have no value on this problem, whatever the impulses are.
    ///
    /// # Errors
    /// The first such criterion, with what it needs.
    pub fn check_criteria(&mut self) -> Result<(), JudgeError> {
        let zeros = vec![0.0; self.evaluator.problem().rows()];
        let residuals = self.evaluator.evaluate(&zeros)?;
        let answer = MetricInput::new(&zeros);
        for column in &self.criteria {
            let RecordColumn::Metric(metric) = *column else {
                continue;
            };
            let (applies, needs) = match metric.doc().needs {
                Needs::Reference => (
                    !self.references.is_empty(),
                    "a reference solution, and there is none",
                ),
                Needs::Velocities => (
                    self.evaluator.problem().bodies().is_some(),
                    "bodies, and the problem is given by its matrix",
                ),
                Needs::Impulses => {
                    let value = self.evaluator.value(metric, &residuals, &answer)?;
                    (value.is_some(), metric.doc().applies)
                }
            };
            if !applies {
                return Err(JudgeError::NotApplicable {
                    metric: metric.id(),
                    reason: format!("it needs {needs}"),
                });
            }
        }
        Ok(())
    }

    /// The block that is farthest from its own solution, and how far \[-\] (M.25); `None` if all
    /// are there.
    ///
    /// # Errors
    /// Impulses that cannot be judged.
    pub fn worst_block(&mut self, impulses: &[f64]) -> Result<Option<(usize, f64)>, JudgeError> {
        Ok(self.evaluator.evaluate_forms(impulses)?.worst_own_block())
    }

    /// Evaluates every column; `solver` is asked for its velocities where a column needs them.
    ///
    /// # Errors
    /// Impulses that are not finite or beyond the range of residuals, a solver that cannot be read.
    pub fn evaluate(
        &mut self,
        impulses: &[f64],
        solver: &mut dyn ImpulseSolver,
    ) -> Result<Evaluation, JudgeError> {
        let forms = self.evaluator.evaluate_forms(impulses)?;
        let mut read = false;
        let mut values = Vec::with_capacity(self.columns.len());
        for index in 0..self.columns.len() {
            let column = self.columns[index];
            values.push(self.value(column, PUBLISHED, &forms, impulses, solver, &mut read)?);
        }
        let worst = self.largest(&forms, impulses, solver, &mut read)?;
        self.changes = 0;
        Ok(Evaluation { values, worst })
    }

    /// The largest criterion alone.
    ///
    /// # Errors
    /// Those of [`Self::evaluate`].
    pub fn worst(
        &mut self,
        impulses: &[f64],
        solver: &mut dyn ImpulseSolver,
    ) -> Result<f64, JudgeError> {
        let forms = self.evaluator.evaluate_forms(impulses)?;
        self.largest(&forms, impulses, solver, &mut false)
    }

    fn largest(
        &mut self,
        forms: &Forms,
        impulses: &[f64],
        solver: &mut dyn ImpulseSolver,
        read: &mut bool,
    ) -> Result<f64, JudgeError> {
        let mut worst = 0.0f64;
        for index in 0..self.criteria.len() {
            let column = self.criteria[index];
            let value = self.value(column, DECIDING, forms, impulses, solver, read)?;
            // a criterion that does not apply, or is not a number, is not met
            let value = value.filter(|v| !v.is_nan());
            worst = worst.max(value.unwrap_or(f64::INFINITY).abs());
        }
        Ok(worst)
    }

    fn value(
        &mut self,
        column: RecordColumn,
        form: MetricForm,
        forms: &Forms,
        impulses: &[f64],
        solver: &mut dyn ImpulseSolver,
        read: &mut bool,
    ) -> Result<Option<f64>, JudgeError> {
        let problem = self.evaluator.problem();
        let has_bodies = problem.bodies().is_some();
        let needs_velocities = match column {
            RecordColumn::Velocity { .. } => true,
            RecordColumn::Metric(metric) => metric.doc().needs == Needs::Velocities,
            RecordColumn::Trace(_) => false,
        };
        if needs_velocities && has_bodies && !*read {
            match solver.read_velocities(problem, &mut self.velocities) {
                // the time was up before it was prepared: the start is all that there is
                Err(SolveError::NotPrepared) => {
                    problem.body_velocities(impulses, &mut self.velocities)?;
                }
                outcome => outcome?,
            }
            *read = true;
        }
        Ok(match column {
            RecordColumn::Velocity { body, component } => {
                self.velocities.get(6 * body + component).copied()
            }
            RecordColumn::Metric(metric) => {
                let answer = MetricInput {
                    impulses,
                    velocities: has_bodies.then_some(&self.velocities),
                    reference: self.references.first().copied(),
                    others: self.references.get(1..).unwrap_or_default(),
                };
                form(&mut self.evaluator, metric, forms, &answer)?
            }
            RecordColumn::Trace(TraceQuantity::StateChanges) => {
                let changes = u32::try_from(self.changes).unwrap_or(u32::MAX);
                Some(f64::from(changes))
            }
            // of several solves: known when they have ended
            RecordColumn::Trace(_) => None,
        })
    }
}
