//! How values of each method are spread: violins or boxes, a panel per problem or scene.

use core::f64::consts::TAU;

use delassus_charts::RGBColor;
use serde::{Deserialize, Serialize};

use crate::analysis::count;
use crate::bundle::Bundle;
use crate::columns::{Columns, Number, Refusal, View};
use crate::quantities::words;
use crate::settings::settings;
use crate::tables::{Cell, Column, Table};
use crate::view::{CellFilter, Over, choices};

use super::chart::{Axis, Chart, ChartCurve, ChartShape, End, Fill, Form, Note, Panel, Symbol};
use super::pooled::{Pool, Pooled, not_positive};
use super::style::plain;
use super::styles::{Member, Styles};
use super::{FigureKind, grouping, panels};

/// Half the height of a violin, and of a box in it or alone.
const HALF: f64 = 0.4;
const INNER: f64 = 0.07;
const BOX: f64 = 0.26;
/// Points along a violin, and values that its density is made of.
const POINTS: u32 = 64;
const MOST: usize = 400;

choices! {
    /// How a distribution is drawn.
    #[derive(Default)]
    Outline:
    /// The density, with the quartiles inside.
    #[default]
    Violin = "violin",
    /// Quartiles and the whole range.
    Box = "box",
}

settings! {
    /// How values of each method are spread.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Violin {
        /// What is spread: an observable over the samples of a run; the passes of a time; a number
        /// over problems.
        pub y: String,
        /// Violins, or boxes.
        #[serde(default)]
        pub outline: Outline,
        together,
        /// Logarithmic axis of the values.
        #[serde(default)]
        pub log: bool,
        problems | scenes, schemes, solvers,
    }
}

impl View for Violin {
    fn shows_times(&self) -> bool {
        Number::is_of_the_clock(&self.y)
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.pooled(&self.y)
    }
}

impl FigureKind for Violin {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        self.pooled(bundle).members(bundle)
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let pooled = self.pooled(bundle);
        let methods = grouping::names(pooled.members(bundle));
        let (titles, more) = pooled.titles(bundle);
        let mut hidden = 0;
        let shown = titles.iter().map(|title| {
            let mut panel = Panel {
                title: words(title),
                ..Panel::default()
            };
            for (row, method) in methods.iter().enumerate() {
                let pool = pooled.pool(bundle, title, method);
                let values = pool.on(self.log);
                hidden += pool.values.len() - values.len();
                self.draw(&mut panel, (method, count(row as u64)), values, styles);
            }
            panel
        });
        // an empty panel would stand where the names do
        let shown: Vec<Panel> = shown.filter(|panel| !panel.curves.is_empty()).collect();
        let label = pooled.label();
        let mut x = Axis::new(label.clone(), self.log);
        x.share = if self.log { 2.5 } else { 5.0 };
        let names = methods.iter().map(|method| pooled.name(bundle, method));
        let mut notes = Vec::new();
        if !shown.is_empty() {
            let text = "thin line: the whole range; box: quartiles; mark: median";
            notes.push(Note::new(Symbol::Line, text));
        }
        notes.extend(not_positive(hidden));
        notes.extend(pooled.left_out(bundle, more));
        Chart {
            title: format!("How {label} is spread"),
            description: format!("Distributions. Methods: {}.", methods.join(", ")),
            x,
            y: Axis::named(names.collect()),
            panels: panels::alone(shown, panels::NO_CELL),
            legend: Vec::new(),
            notes,
        }
    }

    /// One row per method and panel.
    fn data(&self, bundle: &Bundle) -> Table {
        let pooled = self.pooled(bundle);
        let over_time = bundle.is_over_time();
        let label = pooled.label();
        let mut columns = vec![
            Column::text(if over_time { "scene" } else { "problem" }),
            Column::text(if over_time { "method" } else { "solver" }),
            Column::numeric("values [-]"),
        ];
        let names = [
            "smallest",
            "first quartile",
            "median",
            "third quartile",
            "largest",
        ];
        columns.extend(names.map(|name| Column::numeric(format!("{name} of {label}"))));
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
                let at = |share| Cell::number(Pool::quantile(&pool.values, share));
                row.extend([0.0, 0.25, 0.5, 0.75, 1.0].map(at));
                rows.push(row);
            }
        }
        Table::plain(columns, rows, [])
    }
}

impl Violin {
    fn pooled(&self, bundle: &Bundle) -> Pooled<'_> {
        Pooled {
            selection: self.selection(),
            number: Number::of(bundle, &self.y, Over::Last),
            along: true,
            together: self.together,
        }
    }

    /// The violin or box of one method; nothing of no values.
    fn draw(&self, panel: &mut Panel, (method, at): (&str, f64), values: &[f64], styles: &Styles) {
        let quantile = |share| Pool::quantile(values, share);
        let (Some(low), Some(first), Some(median), Some(third), Some(high)) = (
            quantile(0.0),
            quantile(0.25),
            quantile(0.5),
            quantile(0.75),
            quantile(1.0),
        ) else {
            return;
        };
        let color = styles.style(method).color;
        let mut shape = |outline, fill, color: RGBColor| {
            panel.shapes.push(ChartShape {
                name: format!("{method}: {} values", values.len()),
                outline,
                color,
                fill,
            });
        };
        let half = match self.outline {
            Outline::Violin => {
                shape(violin(values, self.log, at), Fill::Pale, color);
                INNER
            }
            Outline::Box => BOX,
        };
        let corners = vec![
            (first, at - half),
            (third, at - half),
            (third, at + half),
            (first, at + half),
        ];
        shape(corners.clone(), Fill::Pale, color);
        shape(corners, Fill::None, color);
        panel.curves.push(ChartCurve {
            name: format!("{method}: range"),
            style: plain(),
            position: 0,
            points: vec![(low, at), (high, at)],
            form: Form::Stroke,
            end: End::None,
        });
        let points = vec![(median, at)];
        panel
            .curves
            .push(panels::curve(styles, method, points, Form::Marks));
    }
}

/// The outline of the density of sorted values about a place: normal kernels, with Silverman's
/// width \[Silverman1986\], between the smallest and the largest value.
fn violin(values: &[f64], log: bool, at: f64) -> Vec<(f64, f64)> {
    let step = values.len().div_ceil(MOST).max(1);
    let own = |value: &f64| if log { libm::log(*value) } else { *value };
    let values: Vec<f64> = values.iter().step_by(step).map(own).collect();
    let (Some(low), Some(high)) = (values.first().copied(), values.last().copied()) else {
        return Vec::new();
    };
    let n = count(values.len() as u64);
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
    let quartile = |share| Pool::quantile(&values, share).unwrap_or(mean);
    let iqr = (quartile(0.75) - quartile(0.25)) / 1.34;
    let spread = if iqr > 0.0 {
        iqr.min(variance.sqrt())
    } else {
        variance.sqrt()
    };
    let width = 0.9 * spread * libm::pow(n, -0.2);
    if width.is_nan() || width <= 0.0 || !width.is_finite() {
        return Vec::new();
    }
    let density = |x: f64| {
        let kernels = values.iter().map(|v| (x - v) / width);
        kernels.map(|u| libm::exp(-0.5 * u * u)).sum::<f64>() / (n * width * TAU.sqrt())
    };
    let place = |i: u32| low + (high - low) * f64::from(i) / f64::from(POINTS);
    let along: Vec<(f64, f64)> = (0..=POINTS)
        .map(|i| (place(i), density(place(i))))
        .collect();
    let most = along.iter().map(|p| p.1).fold(0.0, f64::max);
    let corner = |side: f64| {
        move |(x, d): &(f64, f64)| {
            let x = if log { libm::exp(*x) } else { *x };
            (x, at + side * HALF * d / most)
        }
    };
    let there = along.iter().map(corner(-1.0));
    there.chain(along.iter().rev().map(corner(1.0))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violin_is_widest_where_values_are_dense_and_none_of_equal_values() {
        let mut values: Vec<f64> = (0..50).map(|i| 1.0 + 0.001 * f64::from(i)).collect();
        values.push(3.0);
        let outline = violin(&values, false, 0.0);
        let widest = outline.iter().map(|p| p.1).fold(0.0, f64::max);
        let place = outline.iter().find(|p| p.1 == widest).expect("a corner");
        assert!((widest - HALF).abs() < 1e-12 && place.0 < 1.1, "{place:?}");
        assert!(violin(&[2.0; 9], false, 0.0).is_empty());
        assert!(violin(&[], true, 0.0).is_empty());
    }
}
