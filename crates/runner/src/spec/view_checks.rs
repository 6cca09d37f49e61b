//! What a figure or table may ask for: metrics that are measured, parameters that exist, sensible tolerances.

mod parameters;

use super::section::{Item, Section, list};
use super::text::SpecError;
use super::views::{self, find_key, find_text};
use super::{ProblemEntry, SolverEntry, TrajectoryPlan};
use crate::analysis::RATE;
use crate::judge::Column;
use crate::simulate::Observable;
use crate::suggest::nearest;
use crate::tables::COSTS;
use crate::view::{Cost, FigureSpec, Knob, Over, Part, Plot, Show, TableSpec, Work};

/// What a spec has that figures and tables may ask for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Used<'u> {
    /// Metrics, or observables.
    pub(crate) metrics: &'u [String],
    pub(crate) problems: &'u [ProblemEntry],
    pub(crate) trajectory: Option<&'u TrajectoryPlan>,
    /// Sweeps are timed.
    pub(crate) timed: bool,
    pub(crate) solvers: &'u [SolverEntry],
}

/// Reads and checks `[[figure]]` and `[[table]]`.
pub(crate) fn read(
    root: &Section<'_>,
    used: Used<'_>,
) -> Result<(Vec<FigureSpec>, Vec<TableSpec>), SpecError> {
    let checker = Checker { root, used };
    let mut figures: Vec<FigureSpec> = Vec::new();
    for (mut figure, item) in views::read::<FigureSpec>(root, "figure", "[[figure]]")? {
        checker.id(item, &figure.id, figures.iter().any(|f| f.id == figure.id))?;
        checker.plot(item, &mut figure.plot)?;
        figures.push(figure);
    }
    let mut tables: Vec<TableSpec> = Vec::new();
    for (table, item) in views::read::<TableSpec>(root, "table", "[[table]]")? {
        checker.id(item, &table.id, tables.iter().any(|t| t.id == table.id))?;
        checker.show(item, &table.show)?;
        tables.push(table);
    }
    Ok((figures, tables))
}

struct Checker<'c, 'd> {
    root: &'c Section<'d>,
    used: Used<'c>,
}

impl Checker<'_, '_> {
    /// An identifier becomes a file name.
    fn id(&self, item: &Item<'_>, id: &str, taken: bool) -> Result<(), SpecError> {
        let span = find_text(item, id).unwrap_or_else(|| item.span());
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if id.is_empty() || id.len() > 100 || !id.chars().all(letter) {
            let message = format!("id {id:?} names a file: use letters, digits, - and _");
            return Err(self.root.document.error(span, message));
        }
        if taken {
            let message = format!("id {id:?} is used twice");
            return Err(self.root.document.error(span, message));
        }
        Ok(())
    }

    fn plot(&self, item: &Item<'_>, plot: &mut Plot) -> Result<(), SpecError> {
        match plot {
            Plot::Convergence(convergence) => {
                self.kind(item, "convergence", false)?;
                self.measured(item, &convergence.y)
            }
            Plot::Profile(profile) => {
                self.kind(item, "profile", false)?;
                self.measured(item, &profile.metric)?;
                self.tolerances(item, &profile.tolerances)
            }
            Plot::Parameter(parameter) if self.used.trajectory.is_some() => {
                self.floor(item, parameter.floor)?;
                self.measured(item, &parameter.y)?;
                self.sources(item, &parameter.generators)?;
                self.knob(item, &mut parameter.x)
            }
            Plot::Parameter(parameter) => {
                self.floor(item, parameter.floor)?;
                self.quantity(item, &parameter.y)?;
                self.at_the_end(item, parameter.over)?;
                self.sources(item, &parameter.generators)?;
                if Knob::parse(&parameter.x).part == Part::Solver {
                    self.solver_parameter(item, parameter)
                } else {
                    self.parameter(item, &parameter.x, &parameter.generators)
                }
            }
            Plot::Trajectory(trajectory) => {
                self.kind(item, "trajectory", true)?;
                self.floor(item, trajectory.floor)?;
                self.one_unit(item, &trajectory.y)
            }
            Plot::WorkPrecision(plot) => {
                self.kind(item, "work-precision", true)?;
                self.floor(item, plot.floor)?;
                if plot.x == Work::Sweeps {
                    let message = "x of work-precision is \"row_updates\" or \"seconds\"";
                    return Err(self.at_text(item, "sweeps", message));
                }
                self.measured(item, &plot.y)?;
                plot.along
                    .iter_mut()
                    .try_for_each(|along| self.knob(item, along))
            }
            Plot::Heat(heat) => {
                self.kind(item, "heat", true)?;
                self.measured(item, &heat.value)?;
                self.knob(item, &mut heat.x)?;
                self.knob(item, &mut heat.y)?;
                if heat.x == heat.y {
                    let message = "the two axes of a heat map are the same parameter";
                    return Err(self.at_text(item, &heat.x, message));
                }
                Ok(())
            }
            Plot::Scaling(plot) => {
                self.cost(item, "scaling", plot.x)?;
                self.cost(item, "scaling", plot.y)?;
                if !plot.x.is_size() {
                    let message = "x of scaling is a size: working_set, rows, constraints, contacts or bodies";
                    return Err(self.at_text(item, plot.x.id(), message));
                }
                if self.used.trajectory.is_some() {
                    self.knob(item, &mut plot.along)
                } else {
                    self.parameter(item, &plot.along, &[])
                }
            }
        }
    }

    fn show(&self, item: &Item<'_>, show: &Show) -> Result<(), SpecError> {
        match show {
            Show::Cells { metrics, over } => {
                if self.used.trajectory.is_none() {
                    self.at_the_end(item, *over)?;
                }
                metrics.iter().try_for_each(|m| self.measured(item, m))
            }
            Show::ClosedForms { quantity, .. } if self.used.trajectory.is_some() => {
                self.measured(item, quantity)
            }
            Show::ClosedForms { quantity, .. } => self.quantity(item, quantity),
            Show::Matrix(table) => {
                self.kind(item, "matrix", false)?;
                self.measured(item, &table.metric)?;
                self.tolerances(item, &table.tolerances)
            }
            Show::Trajectories(table) => {
                self.kind(item, "trajectories", true)?;
                let cost = COSTS.contains(&table.quantity.as_str());
                if cost {
                    Ok(())
                } else {
                    self.measured(item, &table.quantity)
                }
            }
            Show::Costs(table) => self.cost(item, "costs", table.quantity),
            Show::Layouts {} => self.cost(item, "layouts", Cost::WorkingSet),
            Show::Baseline { tolerances, .. } => {
                self.kind(item, "baseline", false)?;
                self.tolerances(item, tolerances)
            }
        }
    }

    /// Costs are those of timed sweeps or of steps.
    fn cost(&self, item: &Item<'_>, view: &str, cost: Cost) -> Result<(), SpecError> {
        let over_time = self.used.trajectory.is_some();
        let message = if !self.used.timed && !over_time {
            format!("{view} goes with [timing] or [[scene]]: nothing of this spec is timed alone")
        } else if over_time && cost.is_of_sweeps() {
            format!("{view}: {} is of sweeps, and goes with [timing]", cost.id())
        } else {
            return Ok(());
        };
        let span = find_key(item, view).unwrap_or_else(|| item.span());
        Err(self.root.document.error(span, message))
    }

    /// Observables that share an axis must be measured in one unit.
    fn one_unit(&self, item: &Item<'_>, names: &[String]) -> Result<(), SpecError> {
        let unit = |name: &String| Observable::parse(name).map(|o| o.unit()).unwrap_or("-");
        for name in names {
            self.measured(item, name)?;
            let (own, first) = (unit(name), names.first().map_or("-", unit));
            if own != first {
                let message =
                    format!("{name} is in {own}, the first observable of the axis in {first}");
                return Err(self.at_text(item, name, message));
            }
        }
        Ok(())
    }

    /// Some views are of problems, others of scenes.
    fn kind(&self, item: &Item<'_>, name: &str, over_time: bool) -> Result<(), SpecError> {
        if self.used.trajectory.is_some() == over_time {
            return Ok(());
        }
        let (needs, has) = if over_time {
            ("[[scene]]", "[[problem]]")
        } else {
            ("[[problem]]", "[[scene]]")
        };
        let span = find_key(item, name).unwrap_or_else(|| item.span());
        let message = format!("{name} goes with {needs}, but this spec has {has}");
        Err(self.root.document.error(span, message))
    }

    /// Only trajectories are summarised; of a solve, the last value counts.
    fn at_the_end(&self, item: &Item<'_>, over: Over) -> Result<(), SpecError> {
        if over == Over::Last {
            return Ok(());
        }
        let span = find_key(item, "over").unwrap_or_else(|| item.span());
        let message = "over goes with [[scene]]: of a solve, the last value counts";
        Err(self.root.document.error(span, message))
    }

    fn floor(&self, item: &Item<'_>, floor: Option<f64>) -> Result<(), SpecError> {
        if floor.is_none_or(|floor| floor.is_finite() && floor > 0.0) {
            return Ok(());
        }
        let span = find_key(item, "floor").unwrap_or_else(|| item.span());
        let message = "floor must be a finite number > 0";
        Err(self.root.document.error(span, message))
    }

    fn at_text(&self, item: &Item<'_>, text: &str, message: impl Into<String>) -> SpecError {
        let span = find_text(item, text).unwrap_or_else(|| item.span());
        self.root.document.error(span, message)
    }

    fn quantity(&self, item: &Item<'_>, name: &str) -> Result<(), SpecError> {
        if name == RATE {
            return Ok(());
        }
        self.measured(item, name)
    }

    /// Only measured metrics can be shown; measuring them is up to the spec, because it enters the records.
    fn measured(&self, item: &Item<'_>, name: &str) -> Result<(), SpecError> {
        if self.used.metrics.iter().any(|m| m == name) {
            return Ok(());
        }
        let measured = self.used.metrics.iter().map(String::as_str);
        let message = match self.used.trajectory {
            Some(_) if Observable::parse(name).is_ok() => {
                format!("{name} is not measured; add it to observables in [simulate]")
            }
            Some(_) => unknown("observable", name, measured),
            None if Column::parse(name).is_ok() => {
                format!("{name} is not measured; add it to metrics in [measure]")
            }
            None => unknown("metric", name, measured.chain([RATE])),
        };
        Err(self.at_text(item, name, message))
    }

    fn tolerances(&self, item: &Item<'_>, tolerances: &[f64]) -> Result<(), SpecError> {
        let span = find_key(item, "tolerances").unwrap_or_else(|| item.span());
        if tolerances.is_empty() {
            let message = "tolerances is an empty array";
            return Err(self.root.document.error(span, message));
        }
        if tolerances.iter().all(|t| t.is_finite() && *t > 0.0) {
            return Ok(());
        }
        let message = "tolerances must be finite numbers > 0";
        Err(self.root.document.error(span, message))
    }
}

fn unknown<'n>(what: &str, name: &str, known: impl IntoIterator<Item = &'n str> + Clone) -> String {
    match nearest(name, known.clone()) {
        Some(found) => format!("unknown {what} {name:?}; did you mean {found:?}?"),
        None if known.clone().into_iter().next().is_none() => {
            format!("unknown {what} {name:?}; there is none")
        }
        None => format!("unknown {what} {name:?}; known: {}", list(known)),
    }
}
