//! What views choose: cells, parameters, and what is taken of a run.

use std::borrow::Cow;

use delassus_core::Choice;
use serde_json::Value;

use crate::observable::Observable;
use crate::record::CellRecord;

choices! {
    /// What is taken of an observable over a whole trajectory (R.8)–(R.14), (R.16).
    #[derive(Default)]
    Over:
    /// The value at the end.
    #[default]
    Last = "last",
    /// The largest magnitude.
    Max = "max",
    /// The root mean square.
    Rms = "rms",
    /// The slope of the line of least squares \[1/s times the unit\].
    Slope = "slope",
    /// The root mean square of the second differences of samples.
    Roughness = "roughness",
    /// Changes of sign per second \[1/s\].
    Crossings = "crossings",
    /// The root mean square of the part above an eighth of the sampling rate.
    Chatter = "chatter",
    /// The largest difference from the motion that schemes approximate.
    Error = "error",
    /// The largest difference from what the scheme must give, as the steps and the law of the scene
    /// have it.
    MethodError = "method-error",
}

impl Over {
    /// What stands for an observable where one number has room: its largest magnitude, or its value
    /// at the end of places, velocities and of what comes to rest.
    pub fn usual(observable: &str) -> Self {
        match Observable::parse(observable) {
            Ok(Observable::Quantity(quantity)) if quantity.counts_at_the_end() => Self::Last,
            Ok(Observable::Body { .. }) => Self::Last,
            _ => Self::Max,
        }
    }

    /// What it is called behind the name of an observable.
    pub fn words(self) -> &'static str {
        match self {
            Self::Last => "at the end",
            Self::Max => "max over time",
            Self::Rms => "RMS over time",
            Self::Slope => "slope",
            Self::Roughness => "RMS of second differences",
            Self::Crossings => "changes of sign",
            Self::Chatter => "RMS of the fast part",
            Self::Error => "largest error",
            Self::MethodError => "largest error of its own law",
        }
    }

    /// Those that summary.csv lists, in its order.
    pub const LISTED: [Self; 4] = [Self::Last, Self::Max, Self::Rms, Self::Slope];
}

/// A parameter of one part of a cell.
///
/// A figure of trajectories names it as `scene.ratio`, `scheme.substeps` (also `scheme.dt`) or
/// `solver.omega`; reading a spec puts the part in front where the author leaves it out. A figure
/// of problems names a problem's parameter as `n` and a solver's as `solver.omega`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterPath<'k> {
    /// Which part of the cell has the parameter.
    pub part: CellComponent,
    /// Name of the parameter.
    pub key: &'k str,
}

/// A part of a cell that has parameters; its name stands in front of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum CellComponent {
    /// The problem or the scene.
    #[choice(name = "scene")]
    Problem,
    /// The scheme.
    Scheme,
    /// The solver.
    Solver,
}

impl<'k> ParameterPath<'k> {
    /// Takes a parameter's name apart; without a part in front it is the problem's.
    pub fn parse(name: &'k str) -> Self {
        let split = name.split_once('.').and_then(|(part, key)| {
            let part = CellComponent::from_name(part).ok()?;
            Some(Self { part, key })
        });
        split.unwrap_or(Self {
            part: CellComponent::Problem,
            key: name,
        })
    }

    /// The parameter's value in a cell.
    pub fn value<'r>(&self, record: &'r CellRecord) -> Option<Cow<'r, Value>> {
        let parameters = match self.part {
            CellComponent::Problem => &record.problem.parameters,
            CellComponent::Scheme if self.key == DT => {
                return Some(Cow::Owned(Value::from(record.scheme()?.dt)));
            }
            CellComponent::Scheme => &record.scheme()?.parameters,
            CellComponent::Solver => &record.solver.parameters,
        };
        parameters.get(self.key).map(Cow::Borrowed)
    }

    /// The parameter's value in a cell, if it is a finite number.
    pub fn number(&self, record: &CellRecord) -> Option<f64> {
        self.value(record)?.as_f64().filter(|x| x.is_finite())
    }
}

/// Name of the frame's length among the parameters of a scheme.
pub const DT: &str = "dt";

/// Which cells a view shows; an empty list stands for all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Selection<'s> {
    /// Problems or scenes by name or by what their names begin with.
    pub problems: &'s [String],
    /// Schemes, by label or by what labels begin with.
    pub schemes: &'s [String],
    /// Solvers, by label or by what labels begin with.
    pub solvers: &'s [String],
}

/// What shows some of the cells of an experiment.
pub trait CellFilter {
    /// The cells that it shows, as far as it chooses them by name; all unless it says otherwise.
    fn selection(&self) -> Selection<'_> {
        Selection::default()
    }

    /// These cells of a run.
    fn shown<'r>(&self, records: &'r [CellRecord]) -> Vec<&'r CellRecord> {
        let shown = records.iter().filter(|r| self.selection().shows(r));
        shown.collect()
    }
}

impl<'s> Selection<'s> {
    /// These problems or scenes, schemes and solvers.
    pub fn of(problems: &'s [String], schemes: &'s [String], solvers: &'s [String]) -> Self {
        Self {
            problems,
            schemes,
            solvers,
        }
    }

    /// True if the view shows this cell. A scheme that solves by itself has no solver to leave out.
    pub fn shows(&self, record: &CellRecord) -> bool {
        let scheme = record.scheme();
        named(&record.problem.name, self.problems)
            && scheme.is_none_or(|scheme| named(&scheme.label, self.schemes))
            && (record.solver.label.is_empty() || named(&record.solver.label, self.solvers))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_named_whole_or_by_their_beginning() {
        let wanted = ["chain".to_owned(), "wall base=4".to_owned()];
        assert!(named("chain", &wanted) && named("chain n=2", &wanted));
        assert!(named("wall base=4", &wanted) && !named("wall base=40", &wanted));
        assert!(!named("chains n=2", &wanted) && named("anything", &[]));
    }
}
