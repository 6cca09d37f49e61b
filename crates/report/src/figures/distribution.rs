//! Which share of the values of a method is below a level, or in each of some bins: lines laid over
//! each other, a panel per problem or scene.

use serde::{Deserialize, Serialize};

use crate::analysis::count;
use crate::bundle::Bundle;
use crate::columns::{Columns, Number, Refusal, View};
use crate::numbers::significant;
use crate::quantities::words;
use crate::settings::settings;
use crate::tables::{Cell, Column, Table};
use crate::view::{CellFilter, Over, choices};

use super::chart::{Axis, Chart, ChartShape, Fill, Form, LegendEntry, Note, Panel, Symbol};
use super::histogram::Bins;
use super::pooled::{Pool, Pooled, not_positive};
use super::styles::{Member, Styles};
use super::{FigureKind, grouping, panels};

/// Shares of the values that are marked.
const MARKED: [f64; 4] = [0.5, 0.95, 0.99, 1.0];
/// Corners of a line \[-\].
const MOST: usize = 300;

choices! {
    /// What is drawn of a distribution.
    #[derive(Default)]
    Curves:
    /// The share of the values at or below a level, with marks at 50, 95, 99 and 100 per cent.
    #[default]
    Cumulative = "cumulative",
    /// The share of the values in each of some bins.
    Histogram = "histogram",
}

settings! {
    /// How the values of each method are distributed.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Distribution {
        /// What is distributed: an observable over the samples of a run; the passes of a time; a
        /// number over problems.
        pub x: String,
        /// Shares up to a level, or in bins.
        #[serde(default)]
        pub draw: Curves,
        /// Values are divided by this, in their own unit: the size of a body under its overlap.
        #[serde(default)]
        pub size: Option<f64>,
        together,
        /// Logarithmic axis of the values.
        #[serde(default)]
        pub log_x: bool,
        problems | scenes, schemes, solvers,
    }
}

impl View for Distribution {
    fn shows_times(&self) -> bool {
        Number::is_of_the_clock(&self.x)
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        if self
            .size
            .is_some_and(|size| !(size.is_finite() && size > 0.0))
        {
            return Err(Refusal::of_key("size", "size must be a finite number > 0"));
        }
        columns.pooled(&self.x)
    }
}

impl FigureKind for Distribution {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        self.pooled(bundle).members(bundle)
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let pooled = self.pooled(bundle);
        let methods = grouping::names(pooled.members(bundle));
        let (titles, more) = pooled.titles(bundle);
        let mut hidden = 0;
        let shown = titles.iter().map(|title| {
            let pools = methods.iter().map(|method| {
                let mut pool = pooled.pool(bundle, title, method);
                let size = self.size.unwrap_or(1.0);
                pool.values.iter_mut().for_each(|value| *value /= size);
                hidden += pool.values.len() - pool.on(self.log_x).len();
                (method.as_str(), pool)
            });
            let pools: Vec<(&str, Pool)> = pools.collect();
            match self.draw {
                Curves::Cumulative => self.cumulative(title, &pools, styles),
                Curves::Histogram => self.histogram(title, &pools, styles),
            }
        });
        let shown = panels::alone(shown.collect(), panels::NO_CELL);
        let label = self.label(&pooled);
        let mut x = Axis::new(label.clone(), self.log_x);
        x.share = if self.log_x { 2.5 } else { 5.0 };
        let up = match self.draw {
            Curves::Cumulative => "share of the values at or below [-]",
            Curves::Histogram => "share of the values in a bin [-]",
        };
        let mut y = Axis::new(up, false);
        y.include = match self.draw {
            Curves::Cumulative => vec![0.0, 1.0],
            Curves::Histogram => vec![0.0],
        };
        let mut notes = Vec::new();
        if self.draw == Curves::Cumulative && shown.iter().any(|p| !p.curves.is_empty()) {
            let text = "marks: 50, 95, 99 and 100 % of the values";
            notes.push(Note::new(Symbol::None, text));
        }
        notes.extend(not_positive(if self.log_x { hidden } else { 0 }));
        notes.extend(pooled.left_out(bundle, more));
        let entries = methods.iter().map(|method| LegendEntry {
            style: styles.style(method),
            text: pooled.name(bundle, method),
            line: true,
        });
        Chart {
            title: format!("Distribution of {label}"),
            description: panels::describe(&shown, &methods),
            x,
            y,
            legend: entries.collect(),
            notes,
            panels: shown,
        }
    }

    /// One row per line: what the marked shares of its values do not exceed.
    fn data(&self, bundle: &Bundle) -> Table {
        let pooled = self.pooled(bundle);
        let over_time = bundle.is_over_time();
        let label = self.label(&pooled);
        let mut columns = vec![
            Column::text(if over_time { "scene" } else { "problem" }),
            Column::text(if over_time { "method" } else { "solver" }),
            Column::numeric("values [-]"),
        ];
        let heading = |share: f64| format!("{:.0} % of {label} are at or below", 100.0 * share);
        columns.extend(MARKED.map(|share| Column::numeric(heading(share))));
        let mut rows = Vec::new();
        for title in &pooled.titles(bundle).0 {
            for method in grouping::names(pooled.members(bundle)) {
                let pool = pooled.pool(bundle, title, &method);
                if pool.cells == 0 {
                    continue;
                }
                let mut row = vec![
                    Cell::text(if title.is_empty() { "all" } else { title }),
                    Cell::text(method),
                    Cell::size(pool.values.len()),
                ];
                let size = self.size.unwrap_or(1.0);
                row.extend(
                    MARKED.map(|share| Cell::number(level(&pool.values, share).map(|v| v / size))),
                );
                rows.push(row);
            }
        }
        Table::plain(columns, rows, [])
    }
}

impl Distribution {
    fn pooled(&self, bundle: &Bundle) -> Pooled<'_> {
        Pooled {
            selection: self.selection(),
            number: Number::of(bundle, &self.x, Over::Last),
            along: true,
            together: self.together,
        }
    }

    /// Name and unit of the values.
    fn label(&self, pooled: &Pooled<'_>) -> String {
        let label = pooled.label();
        let Some(size) = self.size else {
            return label;
        };
        let (name, unit) = label.rsplit_once(" [").unwrap_or((&label, "-]"));
        let unit = unit.trim_end_matches(']');
        format!("{name}, over {} {unit} [-]", significant(size, 3))
    }

    fn cumulative(&self, title: &str, pools: &[(&str, Pool)], styles: &Styles) -> Panel {
        let mut panel = Panel {
            title: words(title),
            ..Panel::empty(reason(pools))
        };
        for (method, pool) in pools {
            let values = pool.on(self.log_x);
            if values.is_empty() {
                continue;
            }
            let all = pool.values.len();
            let share = |at: usize| count((all - values.len() + at) as u64) / count(all as u64);
            let step = values.len().div_ceil(MOST);
            let mut points = vec![(values[0], share(0))];
            for at in (0..values.len()).step_by(step).chain([values.len() - 1]) {
                let before = points.last().map_or(0.0, |p: &(f64, f64)| p.1);
                points.push((values[at], before));
                points.push((values[at], share(at + 1)));
            }
            panel
                .curves
                .push(panels::curve(styles, method, points, Form::Bare));
            let marks = MARKED.iter().filter_map(|share| {
                let value = level(&pool.values, *share)?;
                (!self.log_x || value > 0.0).then_some((value, *share))
            });
            let marks = marks.collect();
            panel
                .curves
                .push(panels::curve(styles, method, marks, Form::Marks));
        }
        panel
    }

    fn histogram(&self, title: &str, pools: &[(&str, Pool)], styles: &Styles) -> Panel {
        let mut panel = Panel {
            title: words(title),
            ..Panel::empty(reason(pools))
        };
        let all = pools.iter().flat_map(|(_, pool)| pool.on(self.log_x));
        let Some(bins) = Bins::of(all.copied(), self.log_x) else {
            return panel;
        };
        for (method, pool) in pools {
            let counts = bins.counts(pool.on(self.log_x));
            let share = |n: usize| count(n as u64) / count(pool.values.len().max(1) as u64);
            let heights: Vec<f64> = counts.into_iter().map(share).collect();
            if heights.iter().all(|height| *height == 0.0) {
                continue;
            }
            let outline = bins.outline(&heights);
            panel.shapes.push(ChartShape {
                name: (*method).to_owned(),
                outline: outline.clone(),
                color: styles.style(method).color,
                fill: Fill::Pale,
            });
            panel
                .curves
                .push(panels::curve(styles, method, outline, Form::Bare));
            let tops = bins.tops(&heights);
            panel
                .curves
                .push(panels::curve(styles, method, tops, Form::Marks));
        }
        panel
    }
}

/// Why a panel of these pools has no line.
fn reason(pools: &[(&str, Pool)]) -> &'static str {
    match pools {
        [] => panels::NO_CELL,
        _ => "no cell has a value",
    }
}

/// The smallest of the sorted values that a share of them does not exceed.
fn level(values: &[f64], share: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most the number of values"
    )]
    let at = (share * count(values.len() as u64) - 1e-9).ceil() as usize;
    Some(values[at.saturating_sub(1).min(last)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_values() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(level(&values, 0.5), Some(50.0));
        assert_eq!(level(&values, 0.99), Some(99.0));
        assert_eq!(level(&values, 1.0), Some(100.0));
        assert_eq!(level(&[7.0], 0.5), Some(7.0));
        assert_eq!(level(&[], 0.5), None);
    }
}
