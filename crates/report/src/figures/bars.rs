//! A number of each method as a bar: the median, where it lies, and every value that it is made of.

use delassus_statistics::{LEVEL, median_interval};
use serde::{Deserialize, Serialize};

use crate::analysis::{count, interval};
use crate::bundle::Bundle;
use crate::columns::{Columns, Number, Refusal, View};
use crate::quantities::words;
use crate::settings::settings;
use crate::tables::{Cell, Column, Table};
use crate::view::CellFilter;

use super::chart::{
    Axis, Chart, ChartCurve, ChartShape, End, Fill, Form, LOW_END, Note, Panel, Symbol,
};
use super::pooled::{Pool, Pooled, not_positive};
use super::style::plain;
use super::styles::{Member, Styles};
use super::{FigureKind, grouping, panels};

/// Half the height of a bar, and of the band in which its marks lie.
const HALF: f64 = 0.34;
const MARKS: f64 = 0.22;

settings! {
    /// A number of each method as a bar, with the interval of its median and a mark for each value.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Bars {
        /// Number of a cell; of times, every timed pass is a value.
        pub y: String,
        over, together,
        /// Logarithmic axis of the values.
        #[serde(default)]
        pub log: bool,
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

impl FigureKind for Bars {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        self.pooled(bundle).members(bundle)
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let pooled = self.pooled(bundle);
        let methods = self.sorted(bundle, &pooled);
        let (titles, more) = pooled.titles(bundle);
        let mut hidden = 0;
        let shown = titles.iter().map(|title| {
            let (panel, zeros) = self.panel(bundle, &pooled, (title, &methods), styles);
            hidden += zeros;
            panel
        });
        // an empty panel would stand where the names do
        let shown: Vec<Panel> = shown.filter(|panel| !panel.shapes.is_empty()).collect();
        let label = pooled.label();
        let mut x = Axis::new(label.clone(), self.log);
        x.share = if self.log { 2.5 } else { 5.0 };
        if !self.log {
            x.include = vec![0.0];
        }
        let names = methods.iter().map(|method| pooled.name(bundle, method));
        let mut notes = Vec::new();
        let strokes = |panel: &Panel| panel.curves.iter().any(|c| c.form == Form::Stroke);
        if shown.iter().any(strokes) {
            let text = "95 % interval of the median; bars end at the median, marks are values";
            notes.push(Note::new(Symbol::Line, text));
        }
        notes.extend(not_positive(hidden));
        notes.extend(pooled.left_out(bundle, more));
        Chart {
            title: format!("{label} of each method"),
            description: format!("Bar chart. Bars: {}.", methods.join(", ")),
            x,
            y: Axis::named(names.collect()),
            panels: panels::alone(shown, panels::NO_CELL),
            legend: Vec::new(),
            notes,
        }
    }

    /// One row per bar.
    fn data(&self, bundle: &Bundle) -> Table {
        let pooled = self.pooled(bundle);
        let label = pooled.label();
        let over_time = bundle.is_over_time();
        let columns = vec![
            Column::text(if over_time { "scene" } else { "problem" }),
            Column::text(if over_time { "method" } else { "solver" }),
            Column::numeric("cells [-]"),
            Column::numeric("without a value [-]"),
            Column::numeric("values [-]"),
            Column::numeric(format!("median of {label}")),
            Column::numeric("its 95 % interval"),
        ];
        let methods = self.sorted(bundle, &pooled);
        let (titles, _) = pooled.titles(bundle);
        let mut rows = Vec::new();
        for title in &titles {
            for method in &methods {
                let pool = pooled.pool(bundle, title, method);
                if pool.cells == 0 {
                    continue;
                }
                let own = median_interval(&pool.values, LEVEL);
                rows.push(vec![
                    Cell::text(if title.is_empty() { "all" } else { title }),
                    Cell::text(method),
                    Cell::size(pool.cells),
                    Cell::size(pool.without),
                    Cell::size(pool.values.len()),
                    Cell::number(Pool::quantile(&pool.values, 0.5)),
                    Cell::text(interval::cell(own)),
                ]);
            }
        }
        Table::plain(columns, rows, [])
    }
}

impl Bars {
    fn pooled(&self, bundle: &Bundle) -> Pooled<'_> {
        Pooled {
            selection: self.selection(),
            number: Number::of(bundle, &self.y, self.over),
            along: false,
            together: self.together,
        }
    }

    /// The methods, the smallest median over all panels first; those without a value last.
    fn sorted(&self, bundle: &Bundle, pooled: &Pooled<'_>) -> Vec<String> {
        let all = Pooled {
            together: true,
            ..*pooled
        };
        let names = grouping::names(pooled.members(bundle)).into_iter();
        let mut named: Vec<(f64, String)> = names
            .map(|name| {
                let pool = all.pool(bundle, "", &name);
                let median = Pool::quantile(&pool.values, 0.5);
                (median.unwrap_or(f64::INFINITY), name)
            })
            .collect();
        named.sort_by(|a, b| a.0.total_cmp(&b.0));
        named.into_iter().map(|(_, name)| name).collect()
    }

    /// One panel, and how many of its values the axis cannot show.
    fn panel(
        &self,
        bundle: &Bundle,
        pooled: &Pooled<'_>,
        (title, methods): (&str, &[String]),
        styles: &Styles,
    ) -> (Panel, usize) {
        let mut panel = Panel {
            title: words(title),
            ..Panel::default()
        };
        let mut hidden = 0;
        for (row, method) in methods.iter().enumerate() {
            let at = count(row as u64);
            let pool = pooled.pool(bundle, title, method);
            let values = pool.on(self.log);
            hidden += pool.values.len() - values.len();
            let Some(median) = Pool::quantile(values, 0.5) else {
                continue;
            };
            let base = if self.log { LOW_END } else { 0.0 };
            panel.shapes.push(ChartShape {
                name: format!("{method}: {}", crate::numbers::significant(median, 3)),
                outline: vec![
                    (base, at - HALF),
                    (median, at - HALF),
                    (median, at + HALF),
                    (base, at + HALF),
                ],
                color: styles.style(method).color,
                fill: Fill::Pale,
            });
            let interval = median_interval(values, LEVEL);
            if let Some(interval) = interval.filter(|i| i.low < i.high) {
                panel.curves.push(ChartCurve {
                    name: format!("{method}: 95 % interval"),
                    style: plain(),
                    position: 0,
                    points: vec![(interval.low, at), (interval.high, at)],
                    form: Form::Stroke,
                    end: End::None,
                });
            }
            let marks = Pool::marks(values).into_iter().zip(0u32..);
            // the golden ratio spreads marks evenly, whatever their number
            let aside = |i: u32| MARKS * (2.0 * (0.618_034 * f64::from(i)).fract() - 1.0);
            let points = marks.map(|(value, i)| (value, at + aside(i)));
            let points = points.collect();
            panel
                .curves
                .push(panels::curve(styles, method, points, Form::Marks));
        }
        (panel, hidden)
    }
}
