//! Many values of each method in a panel: what bars, violins and distributions have in common.

use crate::analysis::count;
use crate::bundle::Bundle;
use crate::columns::Number;
use crate::quantities::words;
use crate::record::CellRecord;
use crate::view::Selection;

use super::chart::Note;
use super::panels;
use super::styles::Member;
use super::{grouping, panels::MOST_PANELS};

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
}

/// The values of one method in one panel.
#[derive(Debug, Clone, Default)]
pub(super) struct Pool {
    /// Finite values, the smallest first.
    pub(super) values: Vec<f64>,
    /// Cells of the method.
    pub(super) cells: usize,
    /// How many of them have no value.
    pub(super) without: usize,
}

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
            pool.values
                .extend(values.into_iter().filter(|v| v.is_finite()));
            pool.cells += 1;
            pool.without += usize::from(pool.values.len() == before);
        }
        pool.values.sort_by(f64::total_cmp);
        pool
    }

    /// Name and unit of the values.
    pub(super) fn label(&self) -> String {
        match self.along {
            true => self.number.label_along(),
            false => self.number.label(),
        }
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
        debug_assert!(number == 0 || bundle.problems().len() > MOST_PANELS);
        let noun = if bundle.is_over_time() {
            "scene"
        } else {
            "problem"
        };
        panels::left_out(number, noun)
    }
}

impl Pool {
    /// Values that a logarithmic axis can show.
    pub(super) fn on(&self, log: bool) -> &[f64] {
        let from = if log {
            self.values.partition_point(|value| *value <= 0.0)
        } else {
            0
        };
        &self.values[from..]
    }

    /// The value below or at which a share of the values lies, by linear interpolation between
    /// samples; `None` of nothing.
    pub(super) fn quantile(values: &[f64], share: f64) -> Option<f64> {
        let last = values.len().checked_sub(1)?;
        let place = share * count(last as u64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the last index"
        )]
        let below = (place.floor() as usize).min(last);
        let next = values[(below + 1).min(last)];
        let rest = place - place.floor();
        Some(if rest > 0.0 {
            values[below] + rest * (next - values[below])
        } else {
            values[below]
        })
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
    fn quantiles_are_interpolated_and_marks_keep_the_ends() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(Pool::quantile(&values, 0.25), Some(1.75));
        assert_eq!(Pool::quantile(&values, 1.0), Some(4.0));
        assert_eq!(Pool::quantile(&[], 0.5), None);
        let many: Vec<f64> = (0..10_000).map(f64::from).collect();
        let marks = Pool::marks(&many);
        assert_eq!(
            (marks.len(), marks[0], marks[MOST_MARKS - 1]),
            (MOST_MARKS, 0.0, 9999.0)
        );
        let pool = Pool {
            values: vec![-1.0, 0.0, 2.0],
            ..Pool::default()
        };
        assert_eq!((pool.on(true), pool.on(false).len()), (&[2.0][..], 3));
    }
}
