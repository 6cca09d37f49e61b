//! Many values of each method in a panel: bars, violins and distributions.
//!
//! These kinds have one selection, one axis of values, the same panels, notes and rows of data. A
//! kind says what is drawn of the values of a method, and which numbers of them stand in the data.

use std::ops::Range;

use crate::bundle::Bundle;
use crate::columns::{Number, View};
use crate::numbers::significant;
use crate::quantities::{in_unit, second_unit, words};
use crate::record::CellRecord;
use crate::tables::{Cell, Column, Table};
use crate::view::Selection;

use super::chart::{Axis, Chart, ChartShape, CurveForm, Fill, Note, Panel};
use super::styles::{Member, Styles};
use super::{FigureKind, grouping, panels};

/// Marks of one method in a panel; of more, evenly many are drawn.
const MOST_MARKS: usize = 120;

/// Which values of a run are put together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pooled<'p> {
    pub(super) selection: Selection<'p>,
    pub(super) number: Number<'p>,
    /// Every sample of an observable in place of what it comes to.
    pub(super) along: bool,
    /// All problems or scenes in one panel.
    pub(super) together: bool,
    /// The axis of the values is logarithmic.
    pub(super) log: bool,
    /// Values are divided by this, in their own unit.
    pub(super) size: Option<f64>,
    /// Values are multiplied by this: what a second is in the unit of a figure \[-\].
    pub(super) scale: f64,
}

/// Values that span more than this are shown on a logarithmic axis \[-\].
const SPAN: f64 = 10.0;

/// The values of one method in one panel.
#[derive(Debug, Clone, Default)]
pub(super) struct Pool {
    /// Finite values, the smallest first.
    pub(super) values: Vec<f64>,
    /// Cells of the method.
    pub(super) cells: usize,
    /// How many of them have no value.
    pub(super) without: usize,
    /// Values for which the axis has no place: the smallest.
    pub(super) hidden: usize,
}

/// Where the methods of a panel stand.
pub(super) enum Arrangement {
    /// One below the other, by name; the description begins with these words.
    Rows(&'static str),
    /// Over each other, with a legend and this vertical axis.
    Overlaid(Axis),
}

/// A kind of figure that pools values.
pub(super) trait PooledKind: View {
    /// Which values it shows.
    fn pooled(&self, bundle: &Bundle) -> Pooled<'_>;

    /// The methods in the order in which they are shown.
    fn methods(&self, bundle: &Bundle) -> Vec<String> {
        grouping::names(self.pooled(bundle).members(bundle))
    }

    /// The title of a figure of values with this label.
    fn title(&self, label: &str) -> String;

    /// Where the methods of a panel stand.
    fn arrangement(&self) -> Arrangement;

    /// Draws the values of the methods, in this order.
    fn draw(&self, panel: &mut Panel, pools: &[(&str, Pool)], pooled: &Pooled<'_>, styles: &Styles);

    /// What explains the marks of a panel.
    fn note(&self, panel: &Panel) -> Option<Note>;

    /// Headings of the numbers of a pool whose values have this label.
    fn headings(&self, label: &str) -> Vec<String>;

    /// Numbers of a pool.
    fn numbers(&self, pool: &Pool) -> Vec<Cell>;
}

impl<K: PooledKind> FigureKind for K {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        self.pooled(bundle).members(bundle)
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let pooled = self.pooled(bundle).in_fitting_unit(bundle);
        let methods = self.methods(bundle);
        let in_rows = matches!(self.arrangement(), Arrangement::Rows(_));
        let (titles, more) = pooled.titles(bundle);
        let (mut shown, mut hidden) = (Vec::new(), 0);
        for title in &titles {
            let pools = methods
                .iter()
                .map(|m| (m.as_str(), pooled.pool(bundle, title, m)));
            let pools: Vec<(&str, Pool)> = pools.collect();
            hidden += pools.iter().map(|(_, pool)| pool.hidden).sum::<usize>();
            let mut panel = Panel {
                title: words(title),
                ..Panel::empty(if pools.is_empty() {
                    panels::NO_CELL
                } else {
                    NO_VALUE
                })
            };
            self.draw(&mut panel, &pools, &pooled, styles);
            // an empty panel would stand where the names do
            if !in_rows || !panel.curves.is_empty() {
                shown.push(panel);
            }
        }
        let mut notes = Vec::from_iter(shown.iter().find_map(|panel| self.note(panel)));
        notes.extend(not_positive(hidden));
        notes.extend(pooled.left_out(bundle, more));
        let panels = panels::alone(shown, panels::NO_CELL);
        let names = methods.iter().map(|method| pooled.name(bundle, method));
        let (y, legend, description) = match self.arrangement() {
            Arrangement::Rows(words) => {
                let description = format!("{words}: {}.", methods.join(", "));
                (Axis::named(names.collect()), Vec::new(), description)
            }
            Arrangement::Overlaid(y) => {
                let entries = methods.iter().zip(names);
                let entries = entries.map(|(method, text)| styles.entry(method, text));
                (y, entries.collect(), panels::describe(&panels, &methods))
            }
        };
        let label = pooled.label();
        Chart {
            title: self.title(&label),
            description,
            x: panels::x_axis(label, pooled.log),
            y,
            panels,
            legend,
            notes,
        }
    }

    /// One row per method and panel.
    fn data(&self, bundle: &Bundle) -> Table {
        let pooled = self.pooled(bundle);
        let names = match bundle.is_over_time() {
            true => ["scene", "method"],
            false => ["problem", "solver"],
        };
        let mut columns = Vec::from(names.map(Column::text));
        columns.extend(
            self.headings(&pooled.label())
                .into_iter()
                .map(Column::numeric),
        );
        let methods = self.methods(bundle);
        let mut rows = Vec::new();
        for title in &pooled.titles(bundle).0 {
            let pools = methods.iter().map(|m| (m, pooled.pool(bundle, title, m)));
            for (method, pool) in pools.filter(|(_, pool)| pool.cells > 0) {
                let title = if title.is_empty() { "all" } else { title };
                let mut row = vec![Cell::text(title), Cell::text(method)];
                row.extend(self.numbers(&pool));
                rows.push(row);
            }
        }
        Table::plain(columns, rows, [])
    }
}

/// Said where no cell of a panel has a value.
const NO_VALUE: &str = "no cell has a value";

impl Pooled<'_> {
    /// Series: the methods.
    pub(super) fn members(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::methods(bundle, |record| self.selection.shows(record))
    }

    /// Problems or scenes of the panels, and how many more there are; one without a name for all
    /// together.
    pub(super) fn titles(&self, bundle: &Bundle) -> (Vec<String>, usize) {
        if self.together {
            return (vec![String::new()], 0);
        }
        let shown = bundle.records.iter();
        let shown = shown.filter(|record| self.selection.shows(record));
        panels::first(shown.map(|record| record.problem.name.clone()))
    }

    /// The values of a method in a panel.
    pub(super) fn pool(&self, bundle: &Bundle, title: &str, method: &str) -> Pool {
        let own = |r: &&CellRecord| {
            self.selection.shows(r)
                && r.method() == method
                && (self.together || r.problem.name == title)
        };
        let mut pool = Pool::default();
        for record in bundle.records.iter().filter(own) {
            let values = match self.along {
                true => self.number.along(record),
                false => self.number.samples(record),
            };
            let before = pool.values.len();
            let finite = values.into_iter().filter(|value| value.is_finite());
            let size = self.size.unwrap_or(1.0);
            pool.values
                .extend(finite.map(|value| self.scale * value / size));
            pool.cells += 1;
            pool.without += usize::from(pool.values.len() == before);
        }
        pool.values.sort_by(f64::total_cmp);
        if self.log {
            pool.hidden = pool.values.partition_point(|value| *value <= 0.0);
        }
        pool
    }

    /// The values of all methods in all panels.
    fn values(&self, bundle: &Bundle) -> Vec<f64> {
        let all = Self {
            together: true,
            ..*self
        };
        let methods = grouping::names(self.members(bundle));
        let pools = methods.iter().map(|method| all.pool(bundle, "", method));
        pools.flat_map(|pool| pool.values).collect()
    }

    /// True if a linear axis would hide the small ones of its values, all of which are positive.
    pub(super) fn spans_much(&self, bundle: &Bundle) -> bool {
        let values = self.values(bundle);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        least > 0.0 && most / SPAN > least
    }

    /// The same in a unit in which times are neither small nor large.
    fn in_fitting_unit(self, bundle: &Bundle) -> Self {
        match self.size.is_none() && self.label().ends_with("[s]") {
            true => Self {
                scale: second_unit(&self.values(bundle)),
                ..self
            },
            false => self,
        }
    }

    /// Name and unit of the values.
    pub(super) fn label(&self) -> String {
        let label = match self.along {
            true => self.number.label_along(),
            false => self.number.label(),
        };
        let Some(size) = self.size else {
            return in_unit(&label, self.scale);
        };
        let (name, unit) = label.rsplit_once(" [").unwrap_or((&label, "-]"));
        let unit = unit.trim_end_matches(']');
        format!("{name}, over {} {unit} [-]", significant(size, 3))
    }

    /// The method in words, with the number of its cells that have no value.
    pub(super) fn name(&self, bundle: &Bundle, method: &str) -> String {
        let (mut all, mut without) = (0, 0);
        let own = |r: &&CellRecord| self.selection.shows(r) && r.method() == method;
        for record in bundle.records.iter().filter(own) {
            all += 1;
            without += usize::from(match self.along {
                true => self.number.along(record).is_empty(),
                false => self.number.value(record).is_none(),
            });
        }
        match without {
            0 => words(method),
            _ => format!(
                "{} ({without} of {all} {})",
                words(method),
                self.number.missing()
            ),
        }
    }

    /// What the figure leaves out.
    pub(super) fn left_out(&self, bundle: &Bundle, number: usize) -> Option<Note> {
        debug_assert!(number == 0 || bundle.problems().len() > panels::MOST_PANELS);
        panels::left_out(number, bundle.kind().subject())
    }
}

impl Pool {
    /// Values that the axis can show.
    pub(super) fn shown(&self) -> &[f64] {
        &self.values[self.hidden..]
    }

    /// At most so many of the values as marks can show, evenly chosen, the first and the last among
    /// them.
    pub(super) fn marks(values: &[f64]) -> Vec<f64> {
        if values.len() <= MOST_MARKS {
            return values.to_vec();
        }
        let step = |i: usize| values[i * (values.len() - 1) / (MOST_MARKS - 1)];
        (0..MOST_MARKS).map(step).collect()
    }
}

/// A rectangle from one value to another, about a place of the vertical axis.
pub(super) fn rectangle(values: Range<f64>, at: f64, half: f64) -> Vec<(f64, f64)> {
    let Range { start, end } = values;
    let (below, above) = (at - half, at + half);
    vec![(start, below), (end, below), (end, above), (start, above)]
}

/// Bars of a histogram: a pale area in an outline.
pub(super) fn draw_bars(
    panel: &mut Panel,
    styles: &Styles,
    series: &str,
    outline: Vec<(f64, f64)>,
) {
    panel.shapes.push(ChartShape {
        name: series.to_owned(),
        outline: outline.clone(),
        color: styles.style(series).color,
        fill: Fill::Pale,
    });
    panel
        .curves
        .push(panels::curve(styles, series, outline, CurveForm::Bare));
}

/// The note on values that a logarithmic axis has no place for.
pub(super) fn not_positive(number: usize) -> Option<Note> {
    (number > 0).then(|| {
        let are = if number == 1 {
            "value is"
        } else {
            "values are"
        };
        Note::plain(format!(
            "{number} {are} zero or negative and have no place on a logarithmic axis"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_keep_the_ends_and_a_logarithmic_axis_hides_zeros() {
        let many: Vec<f64> = (0..10_000).map(f64::from).collect();
        let marks = Pool::marks(&many);
        assert_eq!(
            (marks.len(), marks[0], marks[MOST_MARKS - 1]),
            (MOST_MARKS, 0.0, 9999.0)
        );
        let mut pool = Pool {
            values: vec![-1.0, 0.0, 2.0],
            ..Pool::default()
        };
        assert_eq!(pool.shown().len(), 3);
        pool.hidden = 2;
        assert_eq!(pool.shown(), [2.0]);
    }
}
