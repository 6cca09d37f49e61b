//! Which share of the values of a method is below a level, or in each of some bins: lines laid over
//! each other, a panel per problem or scene.

use crate::analysis::count;
use crate::bundle::Bundle;
use crate::columns::{Columns, Number, Refusal, View, positive};
use crate::settings::settings;
use crate::tables::Cell;
use crate::view::{CellFilter, Over, choices};

use super::chart::{Axis, CurveForm, Note, Panel};
use super::histogram::Bins;
use super::panels;
use super::pooled::{Arrangement, Pool, Pooled, PooledKind, draw_bars};
use super::styles::Styles;

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
        positive("size", self.size)?;
        columns.pooled(&self.x)
    }
}

impl PooledKind for Distribution {
    fn pooled(&self, bundle: &Bundle) -> Pooled<'_> {
        Pooled {
            selection: self.selection(),
            number: Number::of(bundle, &self.x, Over::Last),
            along: true,
            together: self.together,
            log: self.log_x,
            size: self.size,
            scale: 1.0,
        }
    }

    fn title(&self, label: &str) -> String {
        format!("Distribution of {label}")
    }

    fn arrangement(&self) -> Arrangement {
        let (label, include) = match self.draw {
            Curves::Cumulative => ("share of the values at or below [-]", vec![0.0, 1.0]),
            Curves::Histogram => ("share of the values in a bin [-]", vec![0.0]),
        };
        Arrangement::Overlaid(Axis {
            include,
            ..Axis::new(label, false)
        })
    }

    fn draw(&self, panel: &mut Panel, pools: &[(&str, Pool)], _: &Pooled<'_>, styles: &Styles) {
        match self.draw {
            Curves::Cumulative => self.draw_shares(panel, pools, styles),
            Curves::Histogram => self.draw_bins(panel, pools, styles),
        }
    }

    fn note(&self, panel: &Panel) -> Option<Note> {
        let marked = self.draw == Curves::Cumulative && !panel.curves.is_empty();
        marked.then(|| Note::plain("marks: 50, 95, 99 and 100 % of the values"))
    }

    /// What the marked shares of the values do not exceed.
    fn headings(&self, label: &str) -> Vec<String> {
        let heading = |share: f64| format!("{:.0} % of {label} are at or below", 100.0 * share);
        [vec!["values [-]".to_owned()], MARKED.map(heading).to_vec()].concat()
    }

    fn numbers(&self, pool: &Pool) -> Vec<Cell> {
        let size = Cell::size(pool.values.len());
        let marked = MARKED.map(|share| Cell::number(level(&pool.values, share)));
        std::iter::once(size).chain(marked).collect()
    }
}

impl Distribution {
    fn draw_shares(&self, panel: &mut Panel, pools: &[(&str, Pool)], styles: &Styles) {
        for (method, pool) in pools {
            let values = pool.shown();
            if values.is_empty() {
                continue;
            }
            let all = pool.values.len();
            let share = |at: usize| count((pool.hidden + at) as u64) / count(all as u64);
            let step = values.len().div_ceil(MOST);
            let mut points = vec![(values[0], share(0))];
            for at in (0..values.len()).step_by(step).chain([values.len() - 1]) {
                let before = points.last().map_or(0.0, |p: &(f64, f64)| p.1);
                points.push((values[at], before));
                points.push((values[at], share(at + 1)));
            }
            let marks = MARKED.iter().filter_map(|share| {
                let value = level(&pool.values, *share)?;
                (!self.log_x || value > 0.0).then_some((value, *share))
            });
            panel.curves.extend([
                panels::curve(styles, method, points, CurveForm::Bare),
                panels::curve(styles, method, marks.collect(), CurveForm::Marks),
            ]);
        }
    }

    fn draw_bins(&self, panel: &mut Panel, pools: &[(&str, Pool)], styles: &Styles) {
        let all = pools.iter().flat_map(|(_, pool)| pool.shown());
        let Some(bins) = Bins::of(all.copied(), self.log_x) else {
            return;
        };
        for (method, pool) in pools {
            let counts = bins.counts(pool.shown());
            let share = |n: usize| count(n as u64) / count(pool.values.len().max(1) as u64);
            let heights: Vec<f64> = counts.into_iter().map(share).collect();
            if heights.iter().all(|height| *height == 0.0) {
                continue;
            }
            draw_bars(panel, styles, method, bins.outline(&heights));
            panel.curves.push(panels::curve(
                styles,
                method,
                bins.tops(&heights),
                CurveForm::Marks,
            ));
        }
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
