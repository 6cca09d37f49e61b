//! What a spec can ask to see: `[[figure]]` and `[[table]]`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::record::ProblemLabel;

/// One `[[figure]]` of a spec.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// File name without its ending; unique in the spec.
    pub id: String,
    /// What the figure shows, in one or two sentences; printed below it.
    #[serde(default)]
    pub caption: String,
    /// The kind of figure with its settings.
    pub plot: Plot,
}

/// Kinds of figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Plot {
    /// A residual against work, one line per solver, one panel per problem.
    Convergence(Convergence),
    /// Dolan–Moré performance profile over the problems of the run.
    Profile(Profile),
    /// A quantity against a problem parameter, one mark series per solver, closed forms as lines.
    Parameter(Parameter),
}

/// Settings of a convergence figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Convergence {
    /// Horizontal axis.
    pub x: Work,
    /// Metric of the vertical axis.
    #[serde(default = "headline")]
    pub y: String,
    /// Problems to show, by name or by what their names begin with, in order; all if left out (at most 12 panels).
    #[serde(default)]
    pub problems: Vec<String>,
    /// Solver labels to show; all if left out.
    #[serde(default)]
    pub solvers: Vec<String>,
    /// Logarithmic horizontal axis.
    #[serde(default)]
    pub log_x: bool,
}

/// Settings of a performance profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The cost that is compared.
    pub cost: Work,
    /// Metric that must fall to the tolerance.
    #[serde(default = "headline")]
    pub metric: String,
    /// One panel per tolerance \[-\].
    pub tolerances: Vec<f64>,
}

/// Settings of a figure against a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Problem parameter of the horizontal axis.
    pub x: String,
    /// Quantity of the vertical axis: a metric's last value, or "rate", the asymptotic factor per sweep.
    pub y: String,
    /// Generators to show, one panel each; all if left out.
    #[serde(default)]
    pub generators: Vec<String>,
    /// Problems to show, by name or by what their names begin with; all if left out.
    #[serde(default)]
    pub problems: Vec<String>,
    /// Logarithmic horizontal axis.
    #[serde(default)]
    pub log_x: bool,
    /// Logarithmic vertical axis.
    #[serde(default)]
    pub log_y: bool,
}

impl Parameter {
    /// True if the figure shows this problem.
    pub fn shows(&self, problem: &ProblemLabel) -> bool {
        let generator = self.generators.is_empty() || self.generators.contains(&problem.source);
        generator && named(&problem.name, &self.problems)
    }
}

/// True if `name` is one of `wanted` or begins with one and a blank, or if nothing is asked for.
pub fn named(name: &str, wanted: &[String]) -> bool {
    let fits = |wanted: &String| {
        let rest = name.strip_prefix(wanted.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    wanted.is_empty() || wanted.iter().any(fits)
}

/// A measure of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Passes over all rows.
    Sweeps,
    /// Scalar row updates.
    RowUpdates,
    /// Seconds of prepare and iterate, without any metric.
    Seconds,
}

/// One `[[table]]` of a spec.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// Anchor in the report and name of its CSV file; unique in the spec.
    pub id: String,
    /// What the table shows.
    #[serde(default)]
    pub caption: String,
    /// The kind of table with its settings.
    pub show: Show,
}

/// Kinds of tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Show {
    /// One row per cell: status, sweeps, row updates, time, the named metrics.
    Cells {
        /// Metrics to print; the headline if empty.
        #[serde(default)]
        metrics: Vec<String>,
    },
    /// A measured quantity beside its closed form, with the difference.
    ClosedForms {
        /// A metric's last value, or "rate", the asymptotic factor per sweep.
        quantity: String,
        /// Problems to show, by name or by what their names begin with; all if left out.
        #[serde(default)]
        problems: Vec<String>,
    },
    /// Solver × problem: sweeps to the tolerance, or the status.
    Matrix {
        /// Metric that must fall to the tolerance.
        #[serde(default = "headline")]
        metric: String,
        /// One table per tolerance \[-\].
        tolerances: Vec<f64>,
    },
    /// The runs beside those of a reference library, read from its results file.
    Baseline {
        /// CSV with the columns kind, problem, solver, tol, outcome, iters, wall_s, nat_rel; relative to the spec.
        file: PathBuf,
        /// Solvers of that library to print.
        solvers: Vec<String>,
        /// Tolerances \[-\].
        tolerances: Vec<f64>,
    },
}

fn headline() -> String {
    "natural_map".to_owned()
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn problems_are_named_whole_or_by_their_beginning() {
        let wanted = ["chain".to_owned(), "wall base=4".to_owned()];
        assert!(named("chain", &wanted) && named("chain n=2", &wanted));
        assert!(named("wall base=4", &wanted) && !named("wall base=40", &wanted));
        assert!(!named("chains n=2", &wanted) && named("anything", &[]));
    }
}
