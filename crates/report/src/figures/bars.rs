//! A number of each method as a bar: the median, where it lies, and every value that it is made of.

use std::collections::BTreeSet;

use delassus_statistics::{LEVEL, median_interval};

use crate::analysis::{count, quantile};
use crate::bundle::Bundle;
use crate::columns::{Columns, Number, Refusal, View};
use crate::numbers::significant;
use crate::settings::settings;
use crate::tables::Cell;
use crate::view::CellFilter;

use super::chart::{ChartCurve, ChartShape, CurveForm, Fill, LOW_END, Note, Panel, Symbol};
use super::pooled::{Arrangement, Pool, Pooled, PooledKind, rectangle};
use super::styles::Styles;
use super::{grouping, panels};

/// Half the height of a bar, and of the band in which its marks lie.
const HALF: f64 = 0.34;
const MARKS: f64 = 0.22;
/// Stands behind the level of an interval \[%\].
const INTERVAL: &str = " % interval";

settings! {
    /// A number of each method as a bar, with the interval of its median and a mark for each value.
    pub struct Bars {
        /// Number of a cell; of times, every timed pass is a value.
        pub y: String,
        over, together,
        /// Logarithmic axis of the values; if left out, where they span more than a factor of ten.
        #[serde(default)]
        pub log: Option<bool>,
        problems | scenes, schemes, solvers,
    }
}

impl View for Bars {
    fn shows_times(&self) -> bool {
        Number::is_of_the_clock(&self.y)
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.number(&self.y)?;
        columns.summary(self.over)
    }
}

impl PooledKind for Bars {
    fn pooled(&self, bundle: &Bundle) -> Pooled<'_> {
        let linear = Pooled {
            selection: self.selection(),
            number: Number::of(bundle, &self.y, self.over),
            along: false,
            together: self.together,
            log: false,
            size: None,
            scale: 1.0,
        };
        Pooled {
            log: self.log.unwrap_or_else(|| linear.spans_much(bundle)),
            ..linear
        }
    }

    /// The median of the smallest magnitude over all panels first; those without a value last.
    fn methods(&self, bundle: &Bundle) -> Vec<String> {
        let all = Pooled {
            together: true,
            ..self.pooled(bundle)
        };
        let names = grouping::names(all.members(bundle)).into_iter();
        let median = |name: &str| quantile(&all.pool(bundle, "", name).values, 0.5);
        let mut named: Vec<(f64, String)> = names
            .map(|name| (median(&name).map_or(f64::INFINITY, f64::abs), name))
            .collect();
        named.sort_by(|a, b| a.0.total_cmp(&b.0));
        named.into_iter().map(|(_, name)| name).collect()
    }

    fn title(&self, label: &str) -> String {
        format!("{label} of each method")
    }

    fn arrangement(&self) -> Arrangement {
        Arrangement::Rows("Bar chart. Bars")
    }

    fn draw(
        &self,
        panel: &mut Panel,
        pools: &[(&str, Pool)],
        pooled: &Pooled<'_>,
        styles: &Styles,
    ) {
        for (row, (method, pool)) in (0..).zip(pools) {
            let at = count(row);
            let values = pool.shown();
            let Some(median) = quantile(values, 0.5) else {
                continue;
            };
            let base = if pooled.log { LOW_END } else { 0.0 };
            panel.shapes.push(ChartShape {
                name: format!("{method}: {}", significant(median, 3)),
                outline: rectangle(base..median, at, HALF),
                color: styles.style(method).color,
                fill: Fill::Pale,
            });
            let interval = median_interval(values, LEVEL);
            if let Some(interval) = interval.filter(|i| i.low < i.high) {
                let ends = vec![(interval.low, at), (interval.high, at)];
                // few values have a range of a lower level
                let percent = 100.0 * interval.coverage.min(LEVEL);
                let name = format!("{method}: {percent:.0}{INTERVAL}");
                panel
                    .curves
                    .push(ChartCurve::apart(name, ends, CurveForm::Stroke));
            }
            let marks = Pool::marks(values).into_iter().zip(0u32..);
            // the golden ratio spreads marks evenly, whatever their number
            let aside = |i: u32| MARKS * (2.0 * (0.618_034 * f64::from(i)).fract() - 1.0);
            let points = marks.map(|(value, i)| (value, at + aside(i))).collect();
            panel
                .curves
                .push(panels::curve(styles, method, points, CurveForm::Marks));
        }
    }

    fn note(&self, panel: &Panel) -> Option<Note> {
        let strokes = panel.curves.iter().filter(|c| c.form == CurveForm::Stroke);
        let level =
            |name: &'_ str| Some(name.rsplit_once(": ")?.1.strip_suffix(INTERVAL)?.to_owned());
        let levels: BTreeSet<String> = strokes.filter_map(|c| level(&c.name)).collect();
        let text = format!(
            "{}{INTERVAL} of the median; bars end at the median, marks are values",
            levels.iter().cloned().collect::<Vec<_>>().join(", ")
        );
        (!levels.is_empty()).then(|| Note::new(Symbol::Line, text))
    }

    fn headings(&self, label: &str) -> Vec<String> {
        let counts = ["cells [-]", "without a value [-]", "values [-]"];
        let mut headings = Vec::from(counts.map(str::to_owned));
        headings.push(format!("median of {label}"));
        headings.push("its 95 % interval".to_owned());
        headings
    }

    fn numbers(&self, pool: &Pool) -> Vec<Cell> {
        vec![
            Cell::size(pool.cells),
            Cell::size(pool.without),
            Cell::size(pool.values.len()),
            Cell::number(quantile(&pool.values, 0.5)),
            Cell::interval(median_interval(&pool.values, LEVEL)),
        ]
    }
}
