//! An observable over two parameters: one tile per cell, one panel per scene and method.

use plotters::style::RGBColor;

use crate::analysis::achieved;
use crate::bundle::Bundle;
use crate::numbers::significant;
use crate::record::CellRecord;
use crate::view::{FigureSpec, Heat, Knob};

use super::chart::{Axis, Chart, Note, Panel, Symbol, Tile};
use super::convergence::MOST_PANELS;
use super::grouping;
use super::quantities::{knob_label, knob_name, summarised, words};
use super::style::viridis;

/// Samples of the scale of colours in the legend.
const SWATCHES: u32 = 6;

/// Builds the chart.
pub(crate) fn chart(bundle: &Bundle, spec: &FigureSpec, plot: &Heat) -> Chart {
    let knobs = [Knob::parse(&plot.x), Knob::parse(&plot.y)];
    let has_both = |r: &CellRecord| knobs.iter().all(|knob| knob.number(r).is_some());
    let shown: Vec<&CellRecord> = bundle
        .records
        .iter()
        .filter(|r| plot.selection().shows(r) && has_both(r))
        .collect();
    let scale = Colours::of(&shown, plot);
    let values = |knob: &Knob<'_>| shown.iter().filter_map(|r| knob.number(r)).collect();
    let grids = [
        Grid::new(values(&knobs[0]), plot.log_x),
        Grid::new(values(&knobs[1]), plot.log_y),
    ];
    let mut titles: Vec<String> = Vec::new();
    for record in &shown {
        let title = title(&shown, record, &knobs);
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    let left_out = titles.len().saturating_sub(MOST_PANELS);
    titles.truncate(MOST_PANELS);
    let mut panels: Vec<Panel> = Vec::new();
    for name in &titles {
        let own = shown.iter().filter(|r| title(&shown, r, &knobs) == *name);
        panels.push(Panel {
            title: words(name),
            tiles: tiles(
                &own.copied().collect::<Vec<_>>(),
                plot,
                &knobs,
                &grids,
                &scale,
            ),
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
            text: crate::numbers::more(left_out, "panel"),
        });
    }
    let axis = |name: &str, grid: &Grid| Axis {
        marks: grid.marks(),
        ..Axis::new(knob_label(bundle, name), grid.log)
    };
    Chart {
        id: spec.id.clone(),
        title: format!(
            "{label} over {} and {}",
            knob_name(&plot.x),
            knob_name(&plot.y)
        ),
        description: format!("Map of colours. Panels: {}.", titles.join(", ")),
        x: axis(&plot.x, &grids[0]),
        y: axis(&plot.y, &grids[1]),
        legend: Vec::new(),
        notes,
        panels,
        points: super::POINTS,
    }
}

/// Scene and method without the parameters of the axes; what all panels share is left out.
fn title(shown: &[&CellRecord], record: &CellRecord, knobs: &[Knob<'_>]) -> String {
    let scene = grouping::panel(record, knobs);
    let method = grouping::series(record, knobs);
    let one_scene = shown.iter().all(|r| grouping::panel(r, knobs) == scene);
    let one_method = shown.iter().all(|r| grouping::series(r, knobs) == method);
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
                text: sample(value),
            });
        }
        notes
    }
}

/// A value of the legend: two digits, and no more places than digits.
fn sample(value: f64) -> String {
    if value.abs() < 9950.0 {
        significant(value, 2)
    } else {
        format!("{value:.1e}").replace('-', "−")
    }
}

/// The values of one axis with the ends of their tiles.
struct Grid {
    log: bool,
    /// Value, and its tile's place and ends in the units of the axis.
    tiles: Vec<(f64, f64, (f64, f64))>,
}

impl Grid {
    /// Tiles half-way to their neighbours on a logarithmic axis, and of equal width in the order of the values otherwise.
    fn new(mut values: Vec<f64>, log: bool) -> Self {
        values.retain(|value| !log || *value > 0.0);
        values.sort_by(f64::total_cmp);
        values.dedup();
        let tile = |(i, value): (u64, &f64)| {
            let rank = crate::analysis::count(i);
            (*value, rank, (rank - 0.5, rank + 0.5))
        };
        let mut tiles: Vec<_> = (0..).zip(&values).map(tile).collect();
        if log {
            let at: Vec<f64> = values.iter().map(|value| libm::log(*value)).collect();
            let last = at.len().saturating_sub(1);
            let half = |i: usize| 0.5 * (at[i + 1] - at[i]);
            for (i, tile) in tiles.iter_mut().enumerate() {
                let (below, above) = if last == 0 {
                    (0.5, 0.5)
                } else {
                    (half(i.saturating_sub(1)), half(i.min(last - 1)))
                };
                let ends = (libm::exp(at[i] - below), libm::exp(at[i] + above));
                *tile = (values[i], values[i], ends);
            }
        }
        Self { log, tiles }
    }

    /// Where ticks stand, and the values that they carry.
    fn marks(&self) -> Vec<(f64, f64)> {
        self.tiles
            .iter()
            .map(|(value, place, _)| (*place, *value))
            .collect()
    }

    /// Ends of the tile of a value.
    fn ends(&self, value: f64) -> Option<(f64, f64)> {
        let found = self.tiles.iter().find(|tile| tile.0 == value);
        found.map(|(_, _, ends)| *ends)
    }
}

fn tiles(
    cells: &[&CellRecord],
    plot: &Heat,
    knobs: &[Knob<'_>; 2],
    grids: &[Grid; 2],
    scale: &Colours,
) -> Vec<Tile> {
    let tile = |record: &&CellRecord| {
        let (x, y) = (knobs[0].number(record)?, knobs[1].number(record)?);
        let value = achieved(record, &plot.value, plot.over);
        let shown = value.map_or_else(|| record.ending().to_owned(), |value| significant(value, 3));
        Some(Tile {
            name: format!("{} = {x}, {} = {y}: {shown}", knobs[0].key, knobs[1].key),
            x: grids[0].ends(x)?,
            y: grids[1].ends(y)?,
            color: value.map(|value| scale.color(value)),
        })
    };
    cells.iter().filter_map(tile).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_the_legend_are_short() {
        let texts = [0.0014, 33.2, 9949.0, 775_354.0, -2.5e7].map(sample);
        assert_eq!(texts, ["0.0014", "33", "9949", "7.8e5", "−2.5e7"]);
    }

    #[test]
    fn tiles_meet_half_way_or_have_equal_widths() {
        let even = Grid::new(vec![3.0, 0.0, 0.0, 7.0], false);
        assert_eq!(even.marks(), [(0.0, 0.0), (1.0, 3.0), (2.0, 7.0)]);
        assert_eq!(even.ends(3.0), Some((0.5, 1.5)));
        let log = Grid::new(vec![1.0, 100.0, 0.0], true);
        let (one, hundred) = (log.ends(1.0).unwrap(), log.ends(100.0).unwrap());
        assert!((one.1 - 10.0).abs() < 1e-12 && (hundred.1 - 1000.0).abs() < 1e-9);
        // zero has no place on a logarithmic axis
        assert_eq!((log.ends(0.0), log.marks().len()), (None, 2));
        let alone = Grid::new(vec![2.0], true).ends(2.0).unwrap();
        assert!(alone.0 < 2.0 && alone.1 > 2.0);
    }
}
