//! What a spec can ask to see: `[[figure]]` and `[[table]]`.

mod choice;
mod clock;
mod cost;
mod list;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::record::CellRecord;

pub use choice::{DT, Knob, Over, Part, Selection, named};
pub use cost::Cost;

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
    /// A quantity against a parameter, one mark series per solver or method, closed forms as lines.
    Parameter(Parameter),
    /// An observable against time, one line per method, one panel per scene.
    Trajectory(Trajectory),
    /// What a method achieves against what it costs, one mark per cell.
    WorkPrecision(WorkPrecision),
    /// An observable over two parameters, as a map of colours.
    Heat(Heat),
    /// What a sweep or a step costs against the size of the problem.
    Scaling(Scaling),
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
    /// Parameter of the horizontal axis: of the problems, or of scenes, schemes or solvers (see [`Knob`]).
    pub x: String,
    /// Quantity of the vertical axis: a metric's last value, "rate", the asymptotic factor per sweep, or an observable.
    pub y: String,
    /// What is taken of an observable.
    #[serde(default)]
    pub over: Over,
    /// Generators to show, one panel each; all if left out.
    #[serde(default)]
    pub generators: Vec<String>,
    /// Problems or scenes to show, by name or by what their names begin with; all if left out.
    #[serde(default, alias = "scenes")]
    pub problems: Vec<String>,
    /// Schemes to show, likewise.
    #[serde(default)]
    pub schemes: Vec<String>,
    /// Solvers to show, likewise.
    #[serde(default)]
    pub solvers: Vec<String>,
    /// Logarithmic horizontal axis.
    #[serde(default)]
    pub log_x: bool,
    /// Logarithmic vertical axis.
    #[serde(default)]
    pub log_y: bool,
    /// Values below are drawn here and marked, on a logarithmic axis.
    #[serde(default)]
    pub floor: Option<f64>,
}

/// Settings of a figure over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trajectory {
    /// Observables of the vertical axis: one, or several of one unit.
    #[serde(deserialize_with = "list::one_or_more")]
    pub y: Vec<String>,
    /// Scenes to show, by name or by what their names begin with, in order; all if left out (at most 12 panels).
    #[serde(default)]
    pub scenes: Vec<String>,
    /// Schemes to show, likewise.
    #[serde(default)]
    pub schemes: Vec<String>,
    /// Solvers to show, likewise.
    #[serde(default)]
    pub solvers: Vec<String>,
    /// Draw the magnitude.
    #[serde(default)]
    pub absolute: bool,
    /// Logarithmic axis of time.
    #[serde(default)]
    pub log_x: bool,
    /// Logarithmic vertical axis.
    #[serde(default)]
    pub log_y: bool,
    /// Values below are drawn here and marked, on a logarithmic axis.
    #[serde(default)]
    pub floor: Option<f64>,
}

/// Settings of a work–precision figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkPrecision {
    /// Work of a whole run: row updates or seconds.
    pub x: Work,
    /// Observable of the vertical axis.
    pub y: String,
    /// What is taken of it.
    #[serde(default)]
    pub over: Over,
    /// Parameters along which cells are joined to a line (see [`Knob`]), one or several where schemes differ in what
    /// refines them; each method has its own marks if left out.
    #[serde(
        default,
        deserialize_with = "list::one_or_more",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub along: Vec<String>,
    /// Scenes to show, by name or by what their names begin with; all if left out.
    #[serde(default)]
    pub scenes: Vec<String>,
    /// Schemes to show, likewise.
    #[serde(default)]
    pub schemes: Vec<String>,
    /// Solvers to show, likewise.
    #[serde(default)]
    pub solvers: Vec<String>,
    /// Values below are drawn here and marked, on a logarithmic axis.
    #[serde(default)]
    pub floor: Option<f64>,
}

/// Settings of a map of colours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heat {
    /// Parameter of the horizontal axis (see [`Knob`]).
    pub x: String,
    /// Parameter of the vertical axis.
    pub y: String,
    /// Observable that the colours stand for.
    pub value: String,
    /// What is taken of it.
    #[serde(default)]
    pub over: Over,
    /// Scenes to show, by name or by what their names begin with; all if left out.
    #[serde(default)]
    pub scenes: Vec<String>,
    /// Schemes to show, likewise.
    #[serde(default)]
    pub schemes: Vec<String>,
    /// Solvers to show, likewise.
    #[serde(default)]
    pub solvers: Vec<String>,
    /// Logarithmic horizontal axis.
    #[serde(default)]
    pub log_x: bool,
    /// Logarithmic vertical axis.
    #[serde(default)]
    pub log_y: bool,
    /// Logarithmic scale of colours.
    #[serde(default)]
    pub log_value: bool,
}

/// Settings of a figure of costs against sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaling {
    /// Size of the horizontal axis.
    pub x: Cost,
    /// Cost of the vertical axis.
    pub y: Cost,
    /// Parameter that changes the size: cells that differ in it alone are joined, and share a panel.
    pub along: String,
    /// Problems or scenes to show, by name or by what their names begin with; all if left out.
    #[serde(default, alias = "scenes")]
    pub problems: Vec<String>,
    /// Schemes to show, likewise.
    #[serde(default)]
    pub schemes: Vec<String>,
    /// Solvers to show, likewise.
    #[serde(default)]
    pub solvers: Vec<String>,
}

macro_rules! selections {
    ($($kind:ty),*) => {$(
        impl $kind {
            /// The cells that it shows.
            pub fn selection(&self) -> Selection<'_> {
                Selection {
                    scenes: &self.scenes,
                    schemes: &self.schemes,
                    solvers: &self.solvers,
                }
            }
        }
    )*};
}
selections!(Trajectory, WorkPrecision, Heat, Trajectories);

macro_rules! selections_of_problems {
    ($($kind:ty),*) => {$(
        impl $kind {
            /// The cells that it shows.
            pub fn selection(&self) -> Selection<'_> {
                Selection {
                    scenes: &self.problems,
                    schemes: &self.schemes,
                    solvers: &self.solvers,
                }
            }
        }
    )*};
}
selections_of_problems!(Scaling, Costs);

impl Parameter {
    /// True if the figure shows this cell.
    pub fn shows(&self, record: &CellRecord) -> bool {
        let source = &record.problem.source;
        let generator = self.generators.is_empty() || self.generators.contains(source);
        generator && self.selection().shows(record)
    }

    /// The cells that it shows, whatever their generators.
    pub fn selection(&self) -> Selection<'_> {
        Selection {
            scenes: &self.problems,
            schemes: &self.schemes,
            solvers: &self.solvers,
        }
    }
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
    /// One row per cell: status, work, time, the named metrics or observables.
    Cells {
        /// Metrics to print, the headline if empty; or observables, all if empty.
        #[serde(default, alias = "observables")]
        metrics: Vec<String>,
        /// What is taken of the observables.
        #[serde(default)]
        over: Over,
    },
    /// A measured quantity beside its closed form, with the difference.
    ClosedForms {
        /// A metric's last value, "rate", the asymptotic factor per sweep, or an observable at all samples.
        quantity: String,
        /// Problems or scenes to show, by name or by what their names begin with; all if left out.
        #[serde(default, alias = "scenes")]
        problems: Vec<String>,
    },
    /// Solver × problem: sweeps to the tolerance, or the status.
    Matrix(Matrix),
    /// Scene × method: an observable over the run, or the status.
    Trajectories(Trajectories),
    /// Problem × solver, or scene × method: what a sweep or a step costs.
    Costs(Costs),
    /// What joints of one to six rows store in two layouts: by closed form, counted and timed.
    Layouts {},
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

/// Settings of a table of sweeps to a tolerance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// Metric that must fall to the tolerance.
    #[serde(default = "headline")]
    pub metric: String,
    /// One table per tolerance \[-\].
    pub tolerances: Vec<f64>,
    /// The tolerances are multiples of what the metric is at the start of the cell.
    #[serde(default)]
    pub of_start: bool,
    /// Problems to show, by name or by what their names begin with; all if left out.
    #[serde(default)]
    pub problems: Vec<String>,
    /// Solvers to show, likewise.
    #[serde(default)]
    pub solvers: Vec<String>,
}

/// Settings of a table of costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// What is shown.
    pub quantity: Cost,
    /// Problems or scenes to show, by name or by what their names begin with; all if left out.
    #[serde(default, alias = "scenes")]
    pub problems: Vec<String>,
    /// Schemes to show, likewise.
    #[serde(default)]
    pub schemes: Vec<String>,
    /// Solvers to show, likewise.
    #[serde(default)]
    pub solvers: Vec<String>,
}

/// Settings of a table of scenes and methods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trajectories {
    /// Observable, or "`step_seconds`", or "`row_updates`".
    pub quantity: String,
    /// What is taken of it.
    #[serde(default)]
    pub over: Over,
    /// Scenes to show, by name or by what their names begin with; all if left out.
    #[serde(default)]
    pub scenes: Vec<String>,
    /// Schemes to show, likewise.
    #[serde(default)]
    pub schemes: Vec<String>,
    /// Solvers to show, likewise.
    #[serde(default)]
    pub solvers: Vec<String>,
}

fn headline() -> String {
    "natural_map".to_owned()
}
