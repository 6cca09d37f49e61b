//! What a metric is: its documentation and its computation.

use crate::error::MetricError;
use crate::evaluator::Evaluator;
use crate::terms::{Norms, Terms};

/// What a metric needs besides the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// The impulses.
    Impulses,
    /// The impulses and a trusted solution.
    Reference,
    /// The impulses and the body velocities that the solver reports.
    Velocities,
}

impl Needs {
    /// The identifier used in tables.
    pub fn id(self) -> &'static str {
        match self {
            Self::Impulses => "impulses",
            Self::Reference => "reference",
            Self::Velocities => "velocities",
        }
    }
}

/// Which way a metric improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Direction {
    /// Zero at an exact solution, larger is worse.
    LowerIsBetter,
}

impl Direction {
    /// The identifier used in tables.
    pub fn id(self) -> &'static str {
        match self {
            Self::LowerIsBetter => "lower",
        }
    }
}

/// Documentation of a metric for tables and help texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricDoc {
    /// Identifier in specs, records and tables.
    pub id: &'static str,
    /// Human-readable name.
    pub name: &'static str,
    /// The formula, on one line.
    pub formula: &'static str,
    /// Equation numbers of `docs/theory/02-metrics.md`.
    pub theory: &'static [&'static str],
    /// Unit; "-" if it has none.
    pub unit: &'static str,
    /// Keys of `docs/references.bib`; empty for our own.
    pub citations: &'static [&'static str],
    /// Which way it improves.
    pub direction: Direction,
    /// What it needs besides the problem.
    pub needs: Needs,
    /// True if it is small only near a solution, so that it may end a solve by itself. The others
    /// are zero elsewhere too, or are divided by what grows with λ.
    pub decides: bool,
    /// True if the first value of a problem takes work that grows with rows³: asked for by name
    /// only.
    pub dense: bool,
    /// The problems that it applies to.
    pub applies: &'static str,
    /// What it hides.
    pub misleads: &'static str,
}

impl MetricDoc {
    /// Of most metrics; a file states what differs.
    pub(crate) const BASE: Self = Self {
        id: "",
        name: "",
        formula: "",
        theory: &[],
        unit: "-",
        citations: &[],
        direction: Direction::LowerIsBetter,
        needs: Needs::Impulses,
        applies: "every problem",
        decides: false,
        dense: false,
        misleads: "",
    };
}

/// A metric that one pass over the factors computes for every iterate.
pub(crate) trait AccumulatedMetric: Default {
    /// `f64`, or `Option<f64>` where it may not apply to a problem.
    type Value;

    /// Its documentation.
    const DOC: MetricDoc;

    /// Takes one factor in.
    fn add(&mut self, terms: &Terms<'_>);

    /// The number.
    fn finish(self, norms: &Norms) -> Self::Value;
}

/// The number of a metric; `None` if it does not apply.
pub(crate) type MetricValue = Result<Option<f64>, MetricError>;

/// A metric that is computed on request.
pub(crate) trait RequestedMetric {
    /// Its documentation.
    const DOC: MetricDoc;

    /// The number; `None` if it does not apply to the problem or `answer` lacks what it needs.
    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue;
}

/// Impulses, and what else is known of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MetricInput<'a> {
    /// λ, one per row \[N·s\].
    pub impulses: &'a [f64],
    /// v⁺ as the solver reports it, 6 per body \[m/s, rad/s\].
    pub velocities: Option<&'a [f64]>,
    /// A trusted solution.
    pub reference: Option<TrustedSolution<'a>>,
    /// Further ones, of a problem with several: errors are distances to the nearest (M.31).
    pub others: &'a [TrustedSolution<'a>],
}

impl<'a> MetricInput<'a> {
    /// Impulses of which nothing else is known, one per row \[N·s\].
    pub fn new(impulses: &'a [f64]) -> Self {
        Self {
            impulses,
            ..Self::default()
        }
    }

    /// The trusted solutions.
    pub fn references(&self) -> impl Iterator<Item = TrustedSolution<'a>> + use<'a> {
        self.reference
            .into_iter()
            .chain(self.others.iter().copied())
    }
}

/// What a velocity error is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TrustedSolution<'a> {
    /// Impulses of a trusted solution, one per row \[N·s\]. They need not be unique where rows are
    /// redundant.
    Impulses(&'a [f64]),
    /// Velocities of a trusted solution: v⁺, 6 per body \[m/s, rad/s\], or w per row of a matrix
    /// problem \[m/s\].
    Velocities(&'a [f64]),
}
