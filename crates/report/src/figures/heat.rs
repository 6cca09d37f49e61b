//! A number of a cell over two parameters: one tile per cell, one panel per problem or scene and
//! method.

use delassus_charts::RGBColor;

use crate::bundle::Bundle;
use crate::columns::{Columns, Number, Refusal, View};
use crate::numbers::significant;
use crate::record::CellRecord;
use crate::settings::settings;
use crate::tables::Table;
use crate::view::{CellFilter, ParameterPath};

use super::chart::{Axis, Chart, Note, Panel, Symbol, Tile};
use super::style::viridis;
use super::styles::{Member, Styles};
use super::{FigureKind, data, grouping, panels};
use crate::quantities::{on_axis, parameter_label, parameter_name, words};

/// Samples of the scale of colours in the legend.
const SWATCHES: u32 = 6;

settings! {
    /// A number of a cell over two parameters, as a map of colours.
    pub struct Heat {
        /// Parameter of the horizontal axis (as "scheme.substeps").
        pub x: String,
        /// Parameter of the vertical axis.
        pub y: String,
        /// Number of a cell that the colours stand for.
        pub value: String,
        over, scenes | problems, schemes, solvers, log_x, log_y,
        /// Logarithmic scale of colours.
        #[serde(default)]
        pub log_value: bool,
    }
}

impl View for Heat {
    fn shows_times(&self) -> bool {
        Number::is_of_the_clock(&self.value)
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.number(&self.value)?;
        columns.summary(self.over)?;
        columns.parameter(&mut self.x, &self.solvers)?;
        columns.parameter(&mut self.y, &self.solvers)?;
        if self.x == self.y {
            let message = "the two axes of a heat map are the same parameter";
            return Err(Refusal::of_value(&self.x, message));
        }
        Ok(())
    }
}

impl FigureKind for Heat {
    /// None: colours stand for values.
    fn members(&self, _: &Bundle) -> Vec<Member> {
        Vec::new()
    }

    fn chart(&self, bundle: &Bundle, _: &Styles) -> Chart {
        let number = Number::of(bundle, &self.value, self.over);
        let map = Map::of(self, bundle, number);
        let label = on_axis(&number.label());
        let titles = map.cells.iter().map(|r| map.title(r));
        let (titles, left_out) = panels::first(titles);
        let shown = panels::of_titles(&titles, |title| Panel {
            title: words(title),
            tiles: map.tiles(title),
            ..Panel::empty("no cell has both parameters")
        });
        let mut notes = map.scale.notes(&label);
        let hollow = |p: &Panel| p.tiles.iter().any(|t| t.color.is_none());
        if shown.iter().any(hollow) {
            notes.push(Note::new(Symbol::Cross, number.missing()));
        }
        notes.extend(panels::left_out(left_out, "panel"));
        let axis = |name: &str, grid: &Grid| Axis {
            marks: grid.marks(),
            ..Axis::new(parameter_label(bundle, self.selection(), name), grid.log)
        };
        Chart {
            title: format!(
                "{label} over {} and {}",
                parameter_name(&self.x),
                parameter_name(&self.y)
            ),
            description: format!("Map of colours. Panels: {}.", titles.join(", ")),
            x: axis(&self.x, &map.grids[0]),
            y: axis(&self.y, &map.grids[1]),
            legend: Vec::new(),
            notes,
            panels: shown,
        }
    }

    /// One row per tile.
    fn data(&self, bundle: &Bundle) -> Table {
        let number = Number::of(bundle, &self.value, self.over);
        let headings = [self.x.clone(), self.y.clone(), number.label()];
        data::per_cell(bundle, self.selection(), headings, |record| {
            let [x, y] = self.paths().map(|path| path.number(record));
            [x, y, number.value(record)]
        })
    }
}

impl Heat {
    fn paths(&self) -> [ParameterPath<'_>; 2] {
        [ParameterPath::parse(&self.x), ParameterPath::parse(&self.y)]
    }
}

/// The cells of a map with what places and colours them.
struct Map<'m> {
    number: Number<'m>,
    paths: [ParameterPath<'m>; 2],
    /// Cells that are shown and have both parameters.
    cells: Vec<&'m CellRecord>,
    grids: [Grid; 2],
    scale: Colours,
    /// All cells are of one problem, by one method, but for the parameters of the axes.
    one: [bool; 2],
}

impl<'m> Map<'m> {
    fn of(plot: &'m Heat, bundle: &'m Bundle, number: Number<'m>) -> Self {
        let paths = plot.paths();
        let has_both = |r: &CellRecord| paths.iter().all(|path| path.number(r).is_some());
        let cells = bundle.records.iter();
        let cells = cells.filter(|r| plot.selection().shows(r) && has_both(r));
        let cells: Vec<&CellRecord> = cells.collect();
        let grid = |path: &ParameterPath<'_>, log| {
            let values = cells.iter().filter_map(|r| path.number(r));
            Grid::new(values.collect(), log)
        };
        let grids = [grid(&paths[0], plot.log_x), grid(&paths[1], plot.log_y)];
        let values = cells.iter().filter_map(|r| number.value(r));
        let scale = Colours::of(values, plot.log_value);
        let same = |of: &dyn Fn(&CellRecord) -> String| {
            let mut names = cells.iter().map(|r| of(r));
            let first = names.next();
            names.all(|name| Some(name) == first)
        };
        let one = [
            same(&|r| grouping::panel(&r.problem, &paths)),
            same(&|r| grouping::series(r, &paths)),
        ];
        Self {
            number,
            paths,
            grids,
            scale,
            one,
            cells,
        }
    }

    /// Problem and method without the parameters of the axes; what all panels share is left out.
    fn title(&self, record: &CellRecord) -> String {
        let problem = grouping::panel(&record.problem, &self.paths);
        let method = grouping::series(record, &self.paths);
        match self.one {
            [true, _] => method,
            [false, true] => problem,
            [false, false] => format!("{problem}: {method}"),
        }
    }

    /// The tiles of one panel.
    fn tiles(&self, title: &str) -> Vec<Tile> {
        let [across, up] = &self.paths;
        let own = self.cells.iter().filter(|r| self.title(r) == title);
        let tile = |record: &&CellRecord| {
            let (x, y) = (across.number(record)?, up.number(record)?);
            let value = self.number.value(record);
            let shown = value.map_or_else(|| record.ending(), |value| significant(value, 3));
            Some(Tile {
                name: format!("{} = {x}, {} = {y}: {shown}", across.key, up.key),
                x: self.grids[0].ends(x)?,
                y: self.grids[1].ends(y)?,
                color: value.map(|value| self.scale.color(value)),
            })
        };
        own.filter_map(tile).collect()
    }
}

/// How values become colours.
struct Colours {
    log: bool,
    /// Range of the values; of the positive ones on a logarithmic scale.
    range: Option<(f64, f64)>,
}

impl Colours {
    fn of(values: impl Iterator<Item = f64>, log: bool) -> Self {
        let fits = values.filter(|v| !log || *v > 0.0);
        Self {
            log,
            range: fits.fold(None, super::chart::widen),
        }
    }

    /// Place of a value on the scale, 0 to 1; what a logarithmic scale cannot show is at its lower
    /// end.
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
    /// Tiles half-way to their neighbours on a logarithmic axis, and of equal width in the order of
    /// the values otherwise.
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
