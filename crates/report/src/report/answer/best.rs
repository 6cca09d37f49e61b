//! The methods of a scene in an order, and which of them are the best.
//!
//! Methods are equal in an observable where its magnitudes have the same three digits, and in time
//! where the intervals of their medians (A.8) overlap or the medians are within
//! [`LEAST_FLOOR`]. Equal methods are all named.

use std::cmp::Ordering;

use delassus_statistics::LEAST_FLOOR;

use crate::analysis::interval::seconds_interval;
use crate::numbers::significant;
use crate::observable::Observable;
use crate::quantities::{in_unit, name_of, on_axis, second_unit, summarised};
use crate::record::CellRecord;
use crate::text::escape;
use crate::view::Over;

/// Digits in which observables are printed and compared \[-\].
const DIGITS: usize = 3;

/// Something that went wrong in a motion, with the time at which it is to be seen \[s\].
#[derive(Debug, PartialEq)]
pub(super) struct Flag {
    pub(super) text: String,
    pub(super) time: f64,
}

/// A method on a scene.
pub(super) struct Line<'r> {
    pub(super) record: &'r CellRecord,
    /// What the first observable comes to, of a run that came to its end.
    pub(super) value: Option<f64>,
    /// Median time per frame \[s\].
    pub(super) seconds: Option<f64>,
    /// True if it can be the best: its run came to its end, stepped the scene that was asked for,
    /// and kept the budget.
    pub(super) ranked: bool,
    pub(super) flags: Vec<Flag>,
}

/// Small magnitudes first, cells without a value last.
pub(super) fn smaller(a: Option<f64>, b: Option<f64>) -> Ordering {
    let magnitude = |x: Option<f64>| x.map_or(f64::INFINITY, f64::abs);
    magnitude(a).total_cmp(&magnitude(b))
}

/// Times per frame of a scene in one unit.
pub(super) struct FrameTimes {
    /// What a second is in the unit.
    scale: f64,
    /// "µs"
    pub(super) unit: String,
}

impl FrameTimes {
    pub(super) fn of(lines: &[Line<'_>]) -> Self {
        let seconds: Vec<f64> = lines.iter().filter_map(|line| line.seconds).collect();
        let scale = second_unit(&seconds);
        let unit = in_unit("[s]", scale);
        Self {
            scale,
            unit: unit.trim_matches(['[', ']']).to_owned(),
        }
    }

    pub(super) fn shown(&self, seconds: f64) -> String {
        significant(self.scale * seconds, 3)
    }
}

impl Line<'_> {
    /// The ends of the interval of the median time per frame; the time itself of a single pass.
    fn interval(&self) -> Option<[f64; 2]> {
        let seconds = self.seconds?;
        let interval = seconds_interval(self.record);
        Some(interval.map_or([seconds; 2], |own| [own.low, own.high]))
    }

    /// True if the frames are shorter by more than what times of equal methods differ by.
    fn is_faster(&self, other: &Self) -> bool {
        let (Some(own), Some(its)) = (self.interval(), other.interval()) else {
            return false;
        };
        let apart = || self.seconds.map(|s| s * (1.0 + LEAST_FLOOR)) < other.seconds;
        own[1] < its[0] && apart()
    }
}

/// What stands in front of the table: the methods with the smallest first observable and the
/// shortest frames, of those that are ranked.
pub(super) fn best(lines: &[Line<'_>], first: Option<&str>, times: &FrameTimes) -> Vec<String> {
    let ranked: Vec<&Line<'_>> = lines.iter().filter(|line| line.ranked).collect();
    let smallest = first.and_then(|id| smallest(&ranked, id));
    smallest
        .into_iter()
        .chain(fastest(&ranked, times))
        .collect()
}

/// The methods whose observable has the smallest magnitude; the lines are in its order.
fn smallest(ranked: &[&Line<'_>], id: &str) -> Option<String> {
    // a place or a velocity is not better where it is smaller
    if !matches!(Observable::parse(id), Ok(Observable::Quantity(_))) {
        return None;
    }
    let printed = |value: f64| significant(value.abs(), DIGITS);
    let valued = ranked.iter().filter(|line| line.value.is_some());
    let least = ranked.iter().find_map(|line| line.value)?;
    let equal = valued
        .clone()
        .filter(|line| line.value.map(printed) == Some(printed(least)));
    let equal: Vec<&Line<'_>> = equal.copied().collect();
    let label = on_axis(&summarised(id, Over::usual(id)));
    let unit = label.rsplit_once(" [").map_or("", |(_, unit)| unit);
    // without what explains it
    let name = name_of(id);
    let name = name.split("; ").next().unwrap_or(&name);
    let when = match Over::usual(id) {
        Over::Last => ", at the end",
        _ => "",
    };
    let said = match equal.len() {
        1 => "smallest for",
        many if many == valued.count() => "equal for",
        _ => "smallest, and equal, for",
    };
    let value = match equal.len() {
        1 => significant(least, DIGITS),
        _ => printed(least),
    };
    let value = format!("{value} {}", unit.trim_end_matches(']'));
    Some(format!(
        "{}{when}: {said} {}, {}",
        escape(name),
        named(&equal),
        value.trim_end()
    ))
}

/// The methods than which no other is faster.
fn fastest(ranked: &[&Line<'_>], times: &FrameTimes) -> Option<String> {
    let timed = || ranked.iter().filter(|line| line.seconds.is_some());
    let slower = |line: &Line<'_>| timed().any(|other| other.is_faster(line));
    let mut equal: Vec<&Line<'_>> = timed().filter(|line| !slower(line)).copied().collect();
    equal.sort_by(|a, b| smaller(a.seconds, b.seconds));
    let shown = |line: Option<&&Line<'_>>| Some(times.shown(line?.seconds?));
    let (least, most) = (shown(equal.first())?, shown(equal.last())?);
    let seconds = match least == most {
        true => least,
        false => format!("{least} to {most}"),
    };
    let said = match equal.len() {
        1 => "fastest",
        many if many == timed().count() => "equally fast within the noise",
        _ => "fastest, equal within the noise",
    };
    Some(format!(
        "{said}: {}, {seconds} {} per frame",
        named(&equal),
        times.unit
    ))
}

/// "a", "a and b", "a, b and c".
fn named(lines: &[&Line<'_>]) -> String {
    let names = lines
        .iter()
        .map(|line| format!("<b>{}</b>", escape(line.record.method())));
    let names: Vec<String> = names.collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// One more than how many ranked methods are faster; equal methods can share a place. A method that
/// cannot be the best has none.
pub(super) fn place(lines: &[Line<'_>], own: &Line<'_>) -> String {
    if own.seconds.is_none() || !own.ranked {
        return "–".to_owned();
    }
    let ranked = lines.iter().filter(|line| line.ranked);
    let before = ranked.filter(|other| other.is_faster(own));
    (1 + before.count()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::trajectories;

    /// What is said of methods with these values and passes \[s\], and their places by time.
    fn said(methods: &[(&str, f64, &[f64])]) -> (Vec<String>, Vec<String>) {
        said_without("", methods)
    }

    /// The same where the method of this name did not come to its end.
    fn said_without(ended: &str, methods: &[(&str, f64, &[f64])]) -> (Vec<String>, Vec<String>) {
        let run = trajectories();
        let records = methods.iter().map(|(name, _, passes)| {
            let mut record = run.records[0].clone();
            if let crate::record::Payload::Simulate(own) = &mut record.outcome.payload {
                own.scheme.method = (*name).to_owned();
            }
            record.outcome.prepare_seconds = vec![0.0; passes.len()];
            record.outcome.iterate_seconds = passes.to_vec();
            record
        });
        let records: Vec<CellRecord> = records.collect();
        let lines = records
            .iter()
            .zip(methods)
            .map(|(record, (name, value, _))| Line {
                record,
                value: Some(*value),
                seconds: record.outcome.step_seconds(),
                ranked: *name != ended,
                flags: Vec::new(),
            });
        let lines: Vec<Line<'_>> = lines.collect();
        let texts = best(&lines, Some("drift_max"), &FrameTimes::of(&lines));
        let places = lines.iter().map(|line| place(&lines, line));
        (texts, places.collect())
    }

    #[test]
    fn equal_methods_are_all_named() {
        let (six, five) = ([6.0; 6], [5.0; 6]);
        let (texts, places) = said(&[
            ("a", 0.01, &six),
            ("b", -0.010_001, &six),
            ("c", 0.02, &five),
        ]);
        assert_eq!(
            texts,
            [
                "joint drift, largest: smallest, and equal, for <b>a</b> and <b>b</b>, 0.0100 m",
                "fastest: <b>c</b>, 83.3 ms per frame"
            ]
        );
        assert_eq!(places, ["2", "2", "1"]);
        let (texts, places) = said(&[("a", 0.0, &six), ("b", 0.0, &six), ("c", 0.0, &six)]);
        assert_eq!(
            texts,
            [
                "joint drift, largest: equal for <b>a</b>, <b>b</b> and <b>c</b>, 0 m",
                "equally fast within the noise: <b>a</b>, <b>b</b> and <b>c</b>, 0.100 s per frame"
            ]
        );
        assert_eq!(places, ["1", "1", "1"]);
    }

    #[test]
    fn a_method_that_cannot_be_the_best_has_no_place() {
        let methods: [(&str, f64, &[f64]); 3] = [
            ("a", 1.0, &[6.0; 6]),
            ("b", 2.0, &[1.0; 6]),
            ("c", 3.0, &[7.0; 6]),
        ];
        let (texts, places) = said_without("b", &methods);
        assert_eq!(texts[1], "fastest: <b>a</b>, 100 ms per frame");
        assert_eq!(places, ["1", "–", "2"]);
    }

    #[test]
    fn times_whose_intervals_overlap_are_equal() {
        let passes = |shift: f64| [0, 1, 2, 3, 4, 5].map(|k| shift + 0.1 * f64::from(k));
        let (a, b, c) = (passes(6.0), passes(6.3), passes(9.0));
        let (texts, places) = said(&[("a", 1.0, &a), ("b", 2.0, &b), ("c", 3.0, &c)]);
        assert_eq!(
            texts[1],
            "fastest, equal within the noise: <b>a</b> and <b>b</b>, 0.104 to 0.109 s per frame"
        );
        assert_eq!(places, ["1", "1", "3"]);
        // single passes have no interval: what is within a hundredth is equal
        let (texts, _) = said(&[("a", 1.0, &[6.0]), ("b", 2.0, &[6.05]), ("c", 3.0, &[6.1])]);
        assert!(texts[1].contains("<b>a</b> and <b>b</b>, "), "{}", texts[1]);
    }
}
