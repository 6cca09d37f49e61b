//! An observable over two parameters: one tile per cell, one panel per scene and method.

use plotters::style::RGBColor;

use crate::analysis::achieved;
use crate::bundle::Bundle;
use crate::numbers::significant;
use crate::record::CellRecord;
use crate::view::{FigureSpec, Heat, Knob};

use super::canvas::clean;
use super::chart::{Axis, Chart, Note, Panel, Symbol, Tile};
use super::convergence::MOST_PANELS;
use super::grouping;
use super::quantities::{knob_label, summarised};
use super::style::viridis;

/// Samples of the scale of colours in the legend.
const SWATCHES: u32 = 6;

/// Builds the chart.
pub(crate) fn chart(bundle: &Bundle, spec: &FigureSpec, plot: &Heat) -> Chart {
    let knobs = [Knob::parse(&plot.x), Knob::parse(&plot.y)];
    let shown: Vec<&CellRecord> = bundle
        .records
        .iter()
        .filter(|r| plot.selection().shows(r))
        .collect();
    let scale = Colours::of(&shown, plot);
    let mut titles: Vec<String> = Vec::new();
    for record in &shown {
        let title = title(bundle, record, &knobs);
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    let left_out = titles.len().saturating_sub(MOST_PANELS);
    titles.truncate(MOST_PANELS);
    let mut panels: Vec<Panel> = Vec::new();
    for name in &titles {
        let own = shown.iter().filter(|r| title(bundle, r, &knobs) == *name);
        panels.push(Panel {
            title: clean(name),
            tiles: tiles(&own.copied().collect::<Vec<_>>(), plot, &knobs, &scale),
            empty: "no cell has both parameters".to_owned(),
            ..Panel::default()
        });
    }
    if panels.is_empty() {
        panels.push(Panel {
            empty: "no finished cell matches this figure".to_owned(),
            ..Panel::default()
        });
    }
    if panels.len() == 1 {
        panels[0].title.clear();
    }
    let label = summarised(&plot.value, plot.over);
    let mut notes = scale.notes(&label);
    let hollow = |p: &Panel| p.tiles.iter().any(|t| t.color.is_none());
    if panels.iter().any(hollow) {
        notes.push(Note {
            symbol: Symbol::Cross,
            text: "not run to the end".to_owned(),
        });
    }
    if left_out > 0 {
        notes.push(Note {
            symbol: Symbol::None,
            text: format!("{left_out} more panels are in the data"),
        });
    }
    Chart {
        id: spec.id.clone(),
        title: format!("{label} over {} and {}", knobs[0].key, knobs[1].key),
        description: format!("Map of colours. Panels: {}.", titles.join(", ")),
        x: Axis::new(knob_label(bundle, &plot.x), plot.log_x),
        y: Axis::new(knob_label(bundle, &plot.y), plot.log_y),
        legend: Vec::new(),
        notes,
        panels,
        points: super::POINTS,
    }
}

/// Scene and method without the parameters of the axes; what all panels share is left out.
pub(crate) fn title(bundle: &Bundle, record: &CellRecord, knobs: &[Knob<'_>]) -> String {
    let scene = grouping::panel(record, knobs);
    let method = grouping::series(record, knobs);
    let one_scene = bundle
        .records
        .iter()
        .all(|r| grouping::panel(r, knobs) == scene);
    let one_method = bundle
        .records
        .iter()
        .all(|r| grouping::series(r, knobs) == method);
    match (one_scene, one_method) {
        (true, _) => method,
        (false, true) => scene,
        (false, false) => format!("{scene}: {method}"),
    }
}

/// How values become colours.
struct Colours {
    log: bool,
    /// Range of the values; of the positive ones on a logarithmic scale.
    range: Option<(f64, f64)>,
}

impl Colours {
    fn of(cells: &[&CellRecord], plot: &Heat) -> Self {
        let values = cells
            .iter()
            .filter_map(|r| achieved(r, &plot.value, plot.over));
        let fits = values.filter(|v| !plot.log_value || *v > 0.0);
        let range = fits.fold(None, super::chart::widen);
        Self {
            log: plot.log_value,
            range,
        }
    }

    /// Place of a value on the scale, 0 to 1; what a logarithmic scale cannot show is at its lower end.
    fn place(&self, value: f64) -> f64 {
        let Some((low, high)) = self.range else {
            return 0.0;
        };
        let share = if self.log {
            (libm::log(value.max(low)) - libm::log(low)) / (libm::log(high) - libm::log(low))
        } else {
            (value - low) / (high - low)
        };
        if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            0.5
        }
    }

    fn color(&self, value: f64) -> RGBColor {
        viridis(self.place(value))
    }

    /// The scale in the legend: evenly placed samples with their values.
    fn notes(&self, label: &str) -> Vec<Note> {
        let Some((low, high)) = self.range else {
            return Vec::new();
        };
        let mut notes = vec![Note {
            symbol: Symbol::None,
            text: format!("{label}:"),
        }];
        let samples = if low == high { 1 } else { SWATCHES };
        for i in 0..samples {
            let t = f64::from(i) / f64::from(SWATCHES - 1);
            let value = if self.log {
                libm::exp((1.0 - t) * libm::log(low) + t * libm::log(high))
            } else {
                low + t * (high - low)
            };
            notes.push(Note {
                symbol: Symbol::Swatch(self.color(value)),
                text: significant(value, 2),
            });
        }
        notes
    }
}

fn tiles(cells: &[&CellRecord], plot: &Heat, knobs: &[Knob<'_>; 2], scale: &Colours) -> Vec<Tile> {
    let placed: Vec<(f64, f64, &CellRecord)> = cells
        .iter()
        .filter_map(|r| Some((knobs[0].number(r)?, knobs[1].number(r)?, *r)))
        .filter(|(x, y, _)| (!plot.log_x || *x > 0.0) && (!plot.log_y || *y > 0.0))
        .collect();
    let xs = edges(placed.iter().map(|p| p.0).collect(), plot.log_x);
    let ys = edges(placed.iter().map(|p| p.1).collect(), plot.log_y);
    let ends = |edges: &[(f64, (f64, f64))], value: f64| {
        let found = edges.iter().find(|(centre, _)| *centre == value);
        found.map_or((value, value), |(_, ends)| *ends)
    };
    let tile = |(x, y, record): &(f64, f64, &CellRecord)| {
        let value = achieved(record, &plot.value, plot.over);
        let shown = value.map_or_else(
            || record.outcome.status.to_string(),
            |value| significant(value, 3),
        );
        Tile {
            name: format!("{} = {x}, {} = {y}: {shown}", knobs[0].key, knobs[1].key),
            x: ends(&xs, *x),
            y: ends(&ys, *y),
            color: value.map(|value| scale.color(value)),
        }
    };
    placed.iter().map(tile).collect()
}

/// Each distinct value with the ends of its tile: half-way to its neighbours, in the axis' own spacing.
fn edges(mut values: Vec<f64>, log: bool) -> Vec<(f64, (f64, f64))> {
    values.sort_by(f64::total_cmp);
    values.dedup();
    let to = |x: f64| if log { libm::log(x) } else { x };
    let from = |x: f64| if log { libm::exp(x) } else { x };
    let at: Vec<f64> = values.iter().map(|x| to(*x)).collect();
    let half = |i: usize| 0.5 * (at[i + 1] - at[i]);
    let last = at.len().saturating_sub(1);
    let ends = |i: usize| {
        if last == 0 {
            return (from(at[0] - 0.5), from(at[0] + 0.5));
        }
        let below = if i > 0 { half(i - 1) } else { half(0) };
        let above = if i < last { half(i) } else { half(last - 1) };
        (from(at[i] - below), from(at[i] + above))
    };
    values
        .iter()
        .enumerate()
        .map(|(i, x)| (*x, ends(i)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_meet_half_way() {
        let linear = edges(vec![3.0, 1.0, 1.0, 7.0], false);
        assert_eq!(
            linear,
            [(1.0, (0.0, 2.0)), (3.0, (2.0, 5.0)), (7.0, (5.0, 9.0))]
        );
        let log = edges(vec![1.0, 100.0], true);
        assert!((log[0].1.1 - 10.0).abs() < 1e-12 && (log[1].1.0 - 10.0).abs() < 1e-12);
        assert_eq!(edges(vec![2.0], false), [(2.0, (1.5, 2.5))]);
    }
}
