//! Where a logarithmic axis ends below: values that would empty it are drawn at its end with an
//! arrow, and counted.

use crate::numbers::power;

use super::chart::{Chart, CurveForm, Note, Panel, Symbol};

/// Decades between a few low values and all others from which the axis ends above them \[-\].
const GAP: f64 = 3.0;
/// They must take this share of the axis.
const SHARE: f64 = 1.0 / 3.0;
/// One value of so many may be left below, and one in any case.
const ONE_OF: usize = 20;

/// Gives the panels of a chart with a logarithmic vertical axis their ends, and says what is drawn
/// there.
pub fn apply(chart: &mut Chart) {
    if !chart.y.log {
        return;
    }
    let set = chart.y.floor.filter(|floor| *floor > 0.0);
    let mut ends: Vec<Option<f64>> = match set {
        Some(_) => vec![set; chart.panels.len()],
        None => chart.panels.iter().map(end).collect(),
    };
    let range = |(panel, end): (&Panel, &Option<f64>)| {
        let shown = values(panel).filter(|y| *y > 0.0 && end.is_none_or(|end| *y >= end));
        chart.y.range(shown)
    };
    let ranges: Vec<_> = chart.panels.iter().zip(&ends).map(range).collect();
    if set.is_none() && ends.iter().any(Option::is_some) && chart.y.shares(&ranges) {
        // the panels have one axis: it ends below the lowest value that any of them shows
        let lows = ranges.iter().flatten().map(|range| range.0);
        let guides = chart.panels.iter().flat_map(|p| &p.guides).copied();
        let lowest = lows.chain(guides.filter(|g| *g > 0.0)).reduce(f64::min);
        ends = vec![lowest.map(below); chart.panels.len()];
    }
    for (panel, end) in chart.panels.iter_mut().zip(ends) {
        panel.floor = end.filter(|end| values(panel).any(|y| y < *end));
    }
    let note = note(chart, set.is_some());
    chart.notes.extend(note);
}

/// Values of the data of a panel; closed forms follow.
fn values(panel: &Panel) -> impl Iterator<Item = f64> {
    let data = panel.curves.iter().filter(|c| c.form.is_data());
    data.flat_map(|c| &c.points).map(|p| p.1)
}

/// Where the axis of a panel ends by itself; `None` where it can show everything.
fn end(panel: &Panel) -> Option<f64> {
    let mut logs: Vec<f64> = values(panel)
        .filter(|y| *y > 0.0)
        .map(libm::log10)
        .collect();
    logs.sort_by(f64::total_cmp);
    let guides = panel.guides.iter().copied().filter(|g| *g > 0.0);
    let lowest = guides.map(libm::log10).reduce(f64::min);
    let lowest = lowest.unwrap_or(f64::INFINITY);
    let left = outliers(&logs, lowest);
    let all = left == 0 && values(panel).all(|y| y > 0.0);
    let shown = logs.get(left).copied().unwrap_or(f64::INFINITY).min(lowest);
    let shown = if shown.is_finite() { shown } else { -16.0 };
    (!all).then(|| below(libm::exp10(shown)))
}

/// A decade below the decade of a value.
fn below(value: f64) -> f64 {
    libm::exp10((libm::log10(value) + 1e-9).floor() - 1.0).max(f64::MIN_POSITIVE)
}

/// How many of the smallest logarithms stand apart so far that they would empty the axis.
fn outliers(logs: &[f64], guide: f64) -> usize {
    let (Some(low), Some(high)) = (logs.first(), logs.last()) else {
        return 0;
    };
    let most = (logs.len() / ONE_OF).max(1).min(logs.len() - 1);
    let apart = |count: &usize| {
        let next = logs[*count].min(guide);
        next - logs[count - 1] >= GAP && next - low >= SHARE * (high - low)
    };
    (1..=most).rev().find(apart).unwrap_or(0)
}

/// How many values are drawn at the end of the axis.
fn note(chart: &Chart, set: bool) -> Option<Note> {
    let floored = || chart.panels.iter().filter_map(|p| Some((p, p.floor?)));
    let hidden = || floored().flat_map(|(p, end)| values(p).filter(move |y| *y < end));
    let count = hidden().count();
    if count == 0 {
        return None;
    }
    let mut ends: Vec<f64> = floored().map(|(_, end)| end).collect();
    ends.dedup();
    let place = match ends.as_slice() {
        [one] => format!("drawn at {}", power(*one)),
        _ => "drawn at the end of the axis".to_owned(),
    };
    let smallest = hidden().filter(|y| *y > 0.0).reduce(f64::min);
    let none = hidden().filter(|y| *y <= 0.0).count();
    let zero = if hidden().all(|y| y >= 0.0) {
        "exactly 0"
    } else {
        "zero or negative"
    };
    let points = if count == 1 {
        "1 point"
    } else {
        &format!("{count} points")
    };
    let text = match smallest {
        None => format!("{points} {zero}, {place}"),
        Some(_) if set => format!("{points} below, {place}"),
        Some(y) if none == 0 => format!("{points} below (down to {}), {place}", power(y)),
        Some(y) => format!(
            "{points} below (down to {}, {none} {zero}), {place}",
            power(y)
        ),
    };
    Some(Note {
        symbol: Symbol::Zero,
        text,
    })
}

impl CurveForm {
    /// True for what was measured.
    pub(crate) fn is_data(self) -> bool {
        !matches!(self, Self::Exact | Self::Stroke)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_low_value_of_many_stands_apart() {
        let mut logs = vec![-17.0, -8.0, -7.5, -7.0, -6.0];
        assert_eq!(outliers(&logs, f64::INFINITY), 1);
        // a value in between: nothing stands apart
        logs.insert(1, -14.5);
        logs.insert(2, -12.0);
        logs.insert(3, -10.0);
        assert_eq!(outliers(&logs, f64::INFINITY), 0);
        // two of five are not few
        assert_eq!(
            outliers(&[-17.0, -16.9, -3.0, -2.0, -1.0], f64::INFINITY),
            0
        );
        // a short distance is shown
        assert_eq!(outliers(&[-5.0, -3.0, -2.0], f64::INFINITY), 0);
        assert_eq!(outliers(&[], 0.0), 0);
        assert_eq!(outliers(&[-17.0], f64::INFINITY), 0);
        // the tolerance line is shown in any case: the axis goes there anyhow
        assert_eq!(outliers(&[-10.0, -2.0, -1.0], -8.0), 0);
    }

    #[test]
    fn the_end_of_an_axis_is_a_decade_below_the_lowest_decade() {
        assert_eq!(below(3e-8), 1e-9);
        assert_eq!(below(1e-8), 1e-9);
        assert_eq!(below(5.0), 0.1);
    }
}
