//! Several curves as one: the median with a band around it, over problems, parameters or
//! observables.

use delassus_core::Status;

use crate::analysis::{count, quantile};
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal};
use crate::quantities::{parameter_name, words};
use crate::record::CellRecord;
use crate::view::{ParameterPath, Selection, choices};

use super::chart::{ChartShape, CurveForm, Fill, LegendEntry, Note, Panel};
use super::styles::{Member, Styles};
use super::{grouping, panels};

/// Places along a band.
const MOST: usize = 240;

choices! {
    /// How wide a band is.
    #[derive(Default)]
    Band:
    /// From the first to the third quartile.
    #[default]
    Quartiles = "quartiles",
    /// From the smallest to the largest value.
    Range = "range",
}

/// What is put together.
#[derive(Debug, Clone)]
pub(super) struct Banded<'b> {
    pub(super) selection: Selection<'b>,
    pub(super) band: Band,
    /// Parameters in which curves of one line differ.
    pub(super) paths: Vec<ParameterPath<'b>>,
    /// All problems or scenes, whatever they are called.
    pub(super) together: bool,
    /// A curve that has ended goes on at its last value.
    pub(super) holds: bool,
}

/// A point (x, y).
type Point = (f64, f64);

impl<'b> Banded<'b> {
    /// The lines of a figure; `all` is what stands for all problems or scenes among the parameters.
    pub(super) fn of(
        selection: Selection<'b>,
        band: Option<Band>,
        across: &'b [String],
        all: &str,
        holds: bool,
    ) -> Option<Self> {
        if across.is_empty() {
            return None;
        }
        let paths = across
            .iter()
            .filter(|name| *name != all && *name != OBSERVABLE);
        Some(Self {
            selection,
            band: band.unwrap_or_default(),
            paths: paths.map(|name| ParameterPath::parse(name)).collect(),
            together: across.iter().any(|name| name == all),
            holds,
        })
    }

    /// Series, without the parameters in which their curves differ.
    pub(super) fn members(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::members(bundle, &self.paths, |r| self.selection.shows(r))
    }

    fn title(&self, record: &CellRecord) -> String {
        match self.together {
            true => String::new(),
            false => grouping::panel(&record.problem, &self.paths),
        }
    }

    /// Titles of the panels, and how many more there are.
    pub(super) fn titles(&self, bundle: &Bundle) -> (Vec<String>, usize) {
        let shown = bundle.records.iter().filter(|r| self.selection.shows(r));
        panels::first(shown.map(|r| self.title(r)))
    }

    /// One panel of the curves that `points` makes of a cell.
    pub(super) fn panel(
        &self,
        bundle: &Bundle,
        title: &str,
        names: &[String],
        styles: &Styles,
        points: impl Fn(&CellRecord) -> Vec<Vec<Point>>,
    ) -> Panel {
        let mut panel = Panel {
            title: words(title),
            ..Panel::empty(panels::NO_CELL)
        };
        let own = |r: &&CellRecord| self.selection.shows(r) && self.title(r) == title;
        let cells = bundle.records.iter().filter(own);
        for (position, cells) in grouping::by_series(cells, &self.paths, names) {
            let curves = cells.iter().flat_map(|record| points(record));
            let curves: Vec<Vec<Point>> = curves.filter(|curve| !curve.is_empty()).collect();
            let ended = cells.iter().all(|r| r.outcome.status == Status::Solved);
            let name = &names[position];
            let (outline, middle) = self.band_of(&curves);
            if middle.is_empty() {
                continue;
            }
            panel.shapes.push(ChartShape {
                name: format!("{name}: {} curves", curves.len()),
                outline,
                color: styles.style(name).color,
                fill: Fill::Pale,
            });
            let mut curve = panels::curve(styles, name, middle, CurveForm::Line);
            if self.holds {
                curve.end = panels::end(ended);
            }
            panel.curves.push(curve);
        }
        panel
    }

    /// The outline of the band, and the line of medians.
    fn band_of(&self, curves: &[Vec<Point>]) -> (Vec<Point>, Vec<Point>) {
        let shares = match self.band {
            Band::Quartiles => [0.25, 0.75],
            Band::Range => [0.0, 1.0],
        };
        let (mut low, mut middle, mut high) = (Vec::new(), Vec::new(), Vec::new());
        for x in places(curves) {
            let here = curves.iter().filter_map(|curve| self.at(curve, x));
            let mut here: Vec<f64> = here.collect();
            here.sort_by(f64::total_cmp);
            let quantile = |share| quantile(&here, share);
            if let (Some(a), Some(b), Some(c)) =
                (quantile(shares[0]), quantile(0.5), quantile(shares[1]))
            {
                low.push((x, a));
                middle.push((x, b));
                high.push((x, c));
            }
        }
        let outline = low.into_iter().chain(high.into_iter().rev());
        (outline.collect(), middle)
    }

    /// The value of the last sample up to a place; `None` before the first, and after the last
    /// unless curves hold theirs.
    fn at(&self, curve: &[Point], x: f64) -> Option<f64> {
        let after = curve.partition_point(|p| p.0 <= x);
        let last = curve.last()?.0;
        let value = curve.get(after.checked_sub(1)?)?.1;
        (self.holds || x <= last).then_some(value)
    }

    /// One entry per line, with the number of its cells and of those that missed their goal.
    pub(super) fn legend(
        &self,
        bundle: &Bundle,
        names: &[String],
        missed: &str,
        styles: &Styles,
    ) -> Vec<LegendEntry> {
        let entries = names.iter().map(|name| {
            let own = |r: &&CellRecord| {
                self.selection.shows(r) && grouping::series(r, &self.paths) == *name
            };
            let cells: Vec<&CellRecord> = bundle.records.iter().filter(own).collect();
            let open = cells
                .iter()
                .filter(|r| r.outcome.status != Status::Solved)
                .count();
            let mut text = words(name);
            if open > 0 {
                text += &format!(" ({open} of {} {missed})", cells.len());
            }
            styles.entry(name, text)
        });
        entries.collect()
    }

    /// What the band is.
    pub(super) fn note(&self, all: &str, observables: bool) -> Note {
        let width = match self.band {
            Band::Quartiles => "quartiles",
            Band::Range => "smallest to largest",
        };
        let mut over: Vec<String> = self.paths.iter().map(|k| parameter_name(k.key)).collect();
        if self.together {
            over.push(format!("all {all}s"));
        }
        if observables {
            over.push("the observables".to_owned());
        }
        Note::plain(format!(
            "line: median over {}; band: {width}",
            over.join(", ")
        ))
    }
}

/// What stands for the observables of a figure among the parameters that a band runs over.
pub(super) const OBSERVABLE: &str = "observable";

/// Checks what bands run over, and writes the parameters with their parts in front.
pub(super) fn check(
    columns: &Columns<'_>,
    band: Option<Band>,
    across: &mut [String],
    words: &[&str],
    solvers: &[String],
) -> Result<(), Refusal> {
    if band.is_some() && across.is_empty() {
        let message = format!(
            "band needs across: parameters in which the curves of a line differ, or {}",
            words.join(" or ")
        );
        return Err(Refusal::of_key("band", message));
    }
    let mut names = across
        .iter_mut()
        .filter(|name| !words.contains(&name.as_str()));
    names.try_for_each(|name| columns.parameter(name, solvers))
}

/// Places of the samples of all curves, evenly many of them where there are too many.
fn places(curves: &[Vec<Point>]) -> Vec<f64> {
    let mut all: Vec<f64> = curves.iter().flatten().map(|p| p.0).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    if all.len() <= MOST {
        return all;
    }
    let last = all.len() - 1;
    // on a logarithmic axis the first samples are far apart: half of the places are taken there
    let even = (0..MOST / 2).map(|i| i * last / (MOST / 2 - 1));
    let growth = count(last as u64);
    let early = (0..MOST / 2).map(|i| {
        let share = count(i as u64) / count((MOST / 2) as u64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and the last index"
        )]
        let index = libm::pow(growth, share) as usize;
        index
    });
    let mut chosen: Vec<usize> = even.chain(early).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|i| all[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn banded(band: Band, holds: bool) -> Banded<'static> {
        Banded {
            selection: Selection::default(),
            band,
            paths: Vec::new(),
            together: true,
            holds,
        }
    }

    #[test]
    fn a_band_holds_what_has_ended_or_leaves_it() {
        let long = vec![(0.0, 1.0), (1.0, 2.0), (2.0, 4.0)];
        let short = vec![(0.0, 3.0), (1.0, 8.0)];
        let curves = [long, short];
        let (outline, middle) = banded(Band::Range, true).band_of(&curves);
        assert_eq!(middle, [(0.0, 2.0), (1.0, 5.0), (2.0, 6.0)]);
        assert_eq!(outline[2], (2.0, 4.0));
        assert_eq!(outline[3], (2.0, 8.0));
        let (_, middle) = banded(Band::Quartiles, false).band_of(&curves);
        assert_eq!(middle[2], (2.0, 4.0));
        let (outline, middle) = banded(Band::Range, true).band_of(&[]);
        assert!(outline.is_empty() && middle.is_empty());
    }

    #[test]
    fn places_are_few_and_keep_both_ends() {
        let curve: Vec<Point> = (0..100_000).map(|i| (f64::from(i), 0.0)).collect();
        let places = places(&[curve]);
        assert!(places.len() <= MOST && places.contains(&1.0));
        assert_eq!((places[0], places[places.len() - 1]), (0.0, 99_999.0));
    }
}
