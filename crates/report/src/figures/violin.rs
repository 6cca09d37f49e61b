//! How values of each method are spread: violins or boxes, a panel per problem or scene.

use core::f64::consts::TAU;

use crate::analysis::{count, quantile};
use crate::bundle::Bundle;
use crate::columns::{Columns, Number, Refusal, View};
use crate::settings::settings;
use crate::tables::Cell;
use crate::view::{CellFilter, Over, choices};

use super::chart::{ChartCurve, ChartShape, CurveForm, Fill, Note, Panel, Symbol};
use super::panels;
use super::pooled::{Arrangement, Pool, Pooled, PooledKind, rectangle};
use super::styles::Styles;

/// Half the height of a violin, and of a box in it or alone.
const HALF: f64 = 0.4;
const INNER: f64 = 0.07;
const BOX: f64 = 0.26;
/// Points along a violin, and values that its density is made of.
const POINTS: u32 = 64;
const MOST: usize = 400;

/// Shares of the values that violins and their data mark, with what they are called.
const QUARTILES: [(f64, &str); 5] = [
    (0.0, "smallest"),
    (0.25, "first quartile"),
    (0.5, "median"),
    (0.75, "third quartile"),
    (1.0, "largest"),
];

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

impl PooledKind for Violin {
    fn pooled(&self, bundle: &Bundle) -> Pooled<'_> {
        Pooled {
            selection: self.selection(),
            number: Number::of(bundle, &self.y, Over::Last),
            along: true,
            together: self.together,
            log: self.log,
            size: None,
            scale: 1.0,
        }
    }

    fn title(&self, label: &str) -> String {
        format!("How {label} is spread")
    }

    fn arrangement(&self) -> Arrangement {
        Arrangement::Rows("Distributions. Methods")
    }

    fn draw(&self, panel: &mut Panel, pools: &[(&str, Pool)], _: &Pooled<'_>, styles: &Styles) {
        for (row, (method, pool)) in (0..).zip(pools) {
            if !pool.shown().is_empty() {
                self.draw_method(panel, method, count(row), pool.shown(), styles);
            }
        }
    }

    fn note(&self, _: &Panel) -> Option<Note> {
        let text = "thin line: the whole range; box: quartiles; mark: median";
        Some(Note::new(Symbol::Line, text))
    }

    fn headings(&self, label: &str) -> Vec<String> {
        let names = QUARTILES.map(|(_, name)| format!("{name} of {label}"));
        [vec!["values [-]".to_owned()], names.to_vec()].concat()
    }

    fn numbers(&self, pool: &Pool) -> Vec<Cell> {
        let at = |(share, _)| Cell::number(quantile(&pool.values, share));
        let size = Cell::size(pool.values.len());
        std::iter::once(size).chain(QUARTILES.map(at)).collect()
    }
}

impl Violin {
    /// The violin or box of the values of one method.
    fn draw_method(
        &self,
        panel: &mut Panel,
        method: &str,
        at: f64,
        values: &[f64],
        styles: &Styles,
    ) {
        let quantiles = QUARTILES.map(|(share, _)| quantile(values, share));
        let [low, first, median, third, high] = quantiles.map(Option::unwrap_or_default);
        let color = styles.style(method).color;
        let mut shape = |outline, fill| {
            panel.shapes.push(ChartShape {
                name: format!("{method}: {} values", values.len()),
                outline,
                color,
                fill,
            });
        };
        let half = match self.outline {
            Outline::Violin => {
                shape(violin(values, self.log, at), Fill::Pale);
                INNER
            }
            Outline::Box => BOX,
        };
        let corners = rectangle(first..third, at, half);
        shape(corners.clone(), Fill::Pale);
        shape(corners, Fill::None);
        let range = vec![(low, at), (high, at)];
        panel.curves.extend([
            ChartCurve::apart(format!("{method}: range"), range, CurveForm::Bare),
            panels::curve(styles, method, vec![(median, at)], CurveForm::Marks),
        ]);
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
    let quartile = |share| quantile(&values, share).unwrap_or(mean);
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
