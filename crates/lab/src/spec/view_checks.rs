//! What a figure or table may ask for: metrics that are measured, parameters that exist, sensible tolerances.

use super::section::{Item, Section, list};
use super::text::SpecError;
use super::views::{self, find_key, find_text};
use super::{ProblemEntry, ProblemSource};
use crate::judge::Column;
use crate::suggest::nearest;
use crate::view::{FigureSpec, Plot, Show, TableSpec};

/// The quantity of figures and tables that is not a metric: the asymptotic factor per sweep.
const RATE: &str = "rate";

/// Reads and checks `[[figure]]` and `[[table]]`.
pub(crate) fn read(
    root: &Section<'_>,
    metrics: &[String],
    problems: &[ProblemEntry],
) -> Result<(Vec<FigureSpec>, Vec<TableSpec>), SpecError> {
    let checker = Checker { root, metrics };
    let mut figures: Vec<FigureSpec> = Vec::new();
    for (figure, item) in views::read::<FigureSpec>(root, "figure", "[[figure]]")? {
        checker.id(item, &figure.id, figures.iter().any(|f| f.id == figure.id))?;
        checker.plot(item, &figure.plot, problems)?;
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
    metrics: &'c [String],
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

    fn plot(
        &self,
        item: &Item<'_>,
        plot: &Plot,
        problems: &[ProblemEntry],
    ) -> Result<(), SpecError> {
        match plot {
            Plot::Convergence(convergence) => self.measured(item, &convergence.y),
            Plot::Profile(profile) => {
                self.measured(item, &profile.metric)?;
                self.tolerances(item, &profile.tolerances)
            }
            Plot::Parameter(parameter) => {
                self.quantity(item, &parameter.y)?;
                self.generators(item, &parameter.generators, problems)?;
                self.parameter(item, &parameter.x, &parameter.generators, problems)
            }
        }
    }

    fn show(&self, item: &Item<'_>, show: &Show) -> Result<(), SpecError> {
        match show {
            Show::Cells { metrics } => metrics.iter().try_for_each(|m| self.measured(item, m)),
            Show::ClosedForms { quantity, .. } => self.quantity(item, quantity),
            Show::Matrix { metric, tolerances } => {
                self.measured(item, metric)?;
                self.tolerances(item, tolerances)
            }
            Show::Baseline { tolerances, .. } => self.tolerances(item, tolerances),
        }
    }

    fn quantity(&self, item: &Item<'_>, name: &str) -> Result<(), SpecError> {
        if name == RATE {
            return Ok(());
        }
        self.measured(item, name)
    }

    /// Only measured metrics can be shown; measuring them is up to the spec, because it enters the records.
    fn measured(&self, item: &Item<'_>, name: &str) -> Result<(), SpecError> {
        if self.metrics.iter().any(|m| m == name) {
            return Ok(());
        }
        let measured = self.metrics.iter().map(String::as_str);
        let message = if Column::parse(name).is_ok() {
            format!("{name} is not measured; add it to metrics in [measure]")
        } else {
            unknown("metric", name, measured.chain([RATE]))
        };
        let span = find_text(item, name).unwrap_or_else(|| item.span());
        Err(self.root.document.error(span, message))
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

    fn generators(
        &self,
        item: &Item<'_>,
        wanted: &[String],
        problems: &[ProblemEntry],
    ) -> Result<(), SpecError> {
        let used: Vec<&str> = used(problems).map(|(id, _)| id).collect();
        for name in wanted {
            if !used.contains(&name.as_str()) {
                let span = find_text(item, name).unwrap_or_else(|| item.span());
                let message = unknown("generator of this spec", name, used.iter().copied());
                return Err(self.root.document.error(span, message));
            }
        }
        Ok(())
    }

    /// The parameter must be set by some `[[problem]]` that the figure shows.
    fn parameter(
        &self,
        item: &Item<'_>,
        name: &str,
        generators: &[String],
        problems: &[ProblemEntry],
    ) -> Result<(), SpecError> {
        let shown = used(problems)
            .filter(|(id, _)| generators.is_empty() || generators.iter().any(|g| g == id));
        let set: Vec<&str> = shown.flat_map(|(_, keys)| keys).collect();
        if set.contains(&name) {
            return Ok(());
        }
        let span = find_text(item, name).unwrap_or_else(|| item.span());
        let message = unknown("parameter of the figure's problems", name, set);
        Err(self.root.document.error(span, message))
    }
}

/// The generators of a spec with the parameters that it sets.
fn used(problems: &[ProblemEntry]) -> impl Iterator<Item = (&str, Vec<&str>)> {
    problems.iter().filter_map(|problem| match &problem.source {
        ProblemSource::Generator { id, axes } => {
            let keys = axes.iter().map(|axis| axis.key.as_str());
            Some((id.as_str(), keys.collect()))
        }
        ProblemSource::Files { .. } => None,
    })
}

fn unknown<'n>(what: &str, name: &str, known: impl IntoIterator<Item = &'n str> + Clone) -> String {
    match nearest(name, known.clone()) {
        Some(found) => format!("unknown {what} {name:?}; did you mean {found:?}?"),
        None => format!("unknown {what} {name:?}; known: {}", list(known)),
    }
}
