//! Axes: ranges, ticks and their labels.

use crate::numbers::significant;

use super::canvas::raised;
use super::chart::LOW_END;

/// A linear or logarithmic axis with its ticks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    log: bool,
    /// Ends of the axis; logarithms to base 10 on a logarithmic axis.
    low: f64,
    high: f64,
    /// Large values lie at the low end.
    inverted: bool,
    pub(crate) ticks: Vec<Tick>,
}

/// One tick.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    /// Position in 0..=1 along the axis.
    pub(crate) at: f64,
    /// Label; minor ticks have none.
    pub(crate) label: Option<String>,
    /// Major ticks carry a grid line.
    pub(crate) major: bool,
}

impl Scale {
    /// A logarithmic axis over `10^low..=10^high`, `length` points long, the middles of labels at
    /// least `spacing` points apart; a label takes `room` points along the axis.
    pub(crate) fn log(
        mut low: f64,
        mut high: f64,
        length: f64,
        spacing: f64,
        room: impl Fn(&str) -> f64,
    ) -> Self {
        if high - low < 0.3 {
            (low, high) = (low - 0.15, high + 0.15);
        }
        let mut scale = Self {
            log: true,
            low,
            high,
            inverted: false,
            ticks: Vec::new(),
        };
        let per_decade = length / (high - low);
        if high - low < 1.7 {
            scale.mantissa_ticks(per_decade, spacing, room);
        } else {
            scale.decade_ticks(per_decade, spacing);
        }
        scale
    }

    /// The same axis with ticks at places of its own, which carry other values; `length` points
    /// long. A label takes `room` points along the axis; one that would reach into the label before
    /// it is left out.
    pub(crate) fn marked(
        mut self,
        marks: &[(f64, f64)],
        length: f64,
        room: impl Fn(&str) -> f64,
    ) -> Self {
        self.ticks.clear();
        let mut taken = f64::NEG_INFINITY;
        for (place, value) in marks {
            let Some(at) = self.place(*place) else {
                continue;
            };
            let label = plain(*value);
            let half = 0.5 * room(&label);
            let free = at * length - half >= taken;
            if free {
                taken = at * length + half;
            }
            self.ticks.push(Tick {
                at,
                label: free.then_some(label),
                major: false,
            });
        }
        self
    }

    /// The same axis the other way round.
    pub(crate) fn inverted(mut self) -> Self {
        self.inverted = !self.inverted;
        for tick in &mut self.ticks {
            tick.at = 1.0 - tick.at;
        }
        self
    }

    /// An axis with names at 0, 1, …; a name may have several lines.
    pub(crate) fn named(names: impl IntoIterator<Item = String>) -> Self {
        let labels: Vec<String> = names.into_iter().collect();
        let mut scale = Self {
            log: false,
            low: -0.6,
            high: crate::numbers::count(labels.len() as u64) - 0.4,
            inverted: false,
            ticks: Vec::new(),
        };
        for (i, label) in labels.into_iter().enumerate() {
            scale.push(crate::numbers::count(i as u64), Some(label), false);
        }
        scale
    }

    /// Labels as many round mantissas as fit, the roundest first, as plain numbers.
    fn mantissa_ticks(&mut self, per_decade: f64, spacing: f64, room: impl Fn(&str) -> f64) {
        // where they stand, and half of what they take
        let mut labelled: Vec<(f64, f64)> = Vec::new();
        for mantissa in [10, 50, 20, 30, 15, 80, 40, 60] {
            for exponent in floor(self.low)..=floor(self.high) {
                let at = libm::log10(f64::from(mantissa) / 10.0) + f64::from(exponent);
                let inside = (self.low - 1e-9..=self.high + 1e-9).contains(&at);
                let text = trimmed(libm::exp10(at), exponent, mantissa % 10 != 0);
                let half = 0.5 * room(&text);
                let free = labelled.iter().all(|(other, other_half)| {
                    (other - at).abs() * per_decade >= spacing.max(half + other_half)
                });
                if inside && free {
                    labelled.push((at, half));
                    self.push(at, Some(text), true);
                }
            }
        }
        for exponent in floor(self.low)..=floor(self.high) {
            for mantissa in 1..10 {
                let at = libm::log10(f64::from(mantissa)) + f64::from(exponent);
                if labelled.iter().all(|(other, _)| (other - at).abs() > 1e-6) {
                    self.push(at, None, false);
                }
            }
        }
    }

    /// Labels whole decades as powers; minor ticks in between where there is room.
    fn decade_ticks(&mut self, per_decade: f64, spacing: f64) {
        let step = [1, 2, 3, 4, 5, 10, 20, 25, 50, 100, 200, 500]
            .into_iter()
            .find(|step| f64::from(*step) * per_decade >= spacing)
            .unwrap_or(1000);
        for exponent in floor(self.low)..=floor(self.high) {
            let labelled = exponent.rem_euclid(step) == 0;
            if labelled {
                let text = exponent.to_string().replace('-', "−");
                let text = format!("10{}", raised(&text));
                self.push(f64::from(exponent), Some(text), true);
            } else if per_decade * f64::from(step) > 1.5 * f64::from(step) {
                self.push(f64::from(exponent), None, false);
            }
            // 2..9 within the decade: the closest two are 0.046 decades apart
            if step == 1 && 0.046 * per_decade > 0.6 {
                for mantissa in 2..10 {
                    let at = f64::from(exponent) + libm::log10(f64::from(mantissa));
                    self.push(at, None, false);
                }
            }
        }
    }

    /// A linear axis over `low..=high`, `length` points long, labels at least `spacing` points
    /// apart.
    pub(crate) fn linear(low: f64, high: f64, length: f64, spacing: f64) -> Self {
        let (mut low, mut high) = (low.min(high), high.max(low));
        if high - low <= 1e-12 * high.abs().max(low.abs()).max(f64::MIN_POSITIVE) {
            let margin = if high == 0.0 { 1.0 } else { 0.1 * high.abs() };
            (low, high) = (low - margin, high + margin);
        }
        let (step, decimals) = nice_step((high - low) * spacing / length);
        let mut scale = Self {
            log: false,
            low,
            high,
            inverted: false,
            ticks: Vec::new(),
        };
        let first = (low / step - 1e-9).ceil();
        let mut number = first;
        while number * step <= high + 1e-9 * step && number < first + 50.0 {
            let value = number * step;
            scale.push(value, Some(linear_label(value, step, decimals)), true);
            number += 1.0;
        }
        scale
    }

    fn push(&mut self, transformed: f64, label: Option<String>, major: bool) {
        let at = (transformed - self.low) / (self.high - self.low);
        if (-1e-9..=1.0 + 1e-9).contains(&at) {
            self.ticks.push(Tick { at, label, major });
        }
    }

    /// Values at the low and at the high end.
    pub(crate) fn ends(&self) -> (f64, f64) {
        if !self.log {
            return (self.low, self.high);
        }
        let value = |end: f64| libm::exp10(end).clamp(f64::MIN_POSITIVE, f64::MAX);
        (value(self.low), value(self.high))
    }

    /// Position of a value, 0 at the low end and 1 at the high end; `None` where the axis has no
    /// place for it.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let transformed = if self.log { libm::log10(value) } else { value };
        let at = (transformed - self.low) / (self.high - self.low);
        let at = if self.inverted { 1.0 - at } else { at };
        at.is_finite().then_some(at)
    }

    /// The same of a corner of a shape, which may be [`LOW_END`] or beyond what the axis can show.
    pub(crate) fn corner(&self, value: f64) -> Option<f64> {
        if value == LOW_END || (self.log && value <= 0.0) {
            return Some(if self.inverted { 1.0 } else { 0.0 });
        }
        self.place(value)
    }
}

/// A value with as many digits as it needs, at most three.
fn plain(value: f64) -> String {
    let text = significant(value, 3);
    if !text.contains('.') || text.contains('e') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Step of 1, 2, 2.5 or 5 times a power of ten, at least `least`, and the decimals that its
/// multiples need.
fn nice_step(least: f64) -> (f64, usize) {
    let exponent = floor(libm::log10(least));
    let unit = libm::exp10(f64::from(exponent));
    let factors = [1.0, 2.0, 2.5, 5.0, 10.0];
    let factor = factors
        .into_iter()
        .find(|f| f * unit >= least * (1.0 - 1e-9));
    let factor = factor.unwrap_or(10.0);
    let finer = i32::from(factor == 2.5) - i32::from(factor == 10.0);
    let decimals = usize::try_from(finer - exponent).unwrap_or(0);
    (factor * unit, decimals)
}

fn linear_label(value: f64, step: f64, decimals: usize) -> String {
    let value = if value.abs() < 1e-9 * step {
        0.0
    } else {
        value
    };
    if value.abs() >= 1e6 || decimals > 5 {
        return significant(value, 3);
    }
    if value >= 10_000.0 && decimals == 0 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1e4 and 1e6"
        )]
        let whole = value.round() as u64;
        return crate::numbers::grouped(whole);
    }
    format!("{value:.decimals$}").replace('-', "−")
}

/// A label on a short logarithmic axis: as few decimals as the value needs.
fn trimmed(value: f64, exponent: i32, half: bool) -> String {
    if !(-4..6).contains(&exponent) {
        let mantissa = value / libm::exp10(f64::from(exponent));
        let mantissa = format!("{mantissa:.*}", usize::from(half));
        let power = format!("10{}", raised(&exponent.to_string().replace('-', "−")));
        return match mantissa.as_str() {
            "1" | "1.0" => power,
            _ => format!("{mantissa}·{power}"),
        };
    }
    let decimals = usize::try_from(i32::from(half) - exponent).unwrap_or(0);
    format!("{value:.decimals$}")
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "logarithms of finite numbers are below 400"
)]
fn floor(value: f64) -> i32 {
    (value + 1e-9).floor() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<&str> {
        let labels = scale.ticks.iter().filter_map(|t| t.label.as_deref());
        labels.collect()
    }

    /// Labels that take no room.
    fn log(low: f64, high: f64, length: f64, spacing: f64) -> Scale {
        Scale::log(low, high, length, spacing, |_| 0.0)
    }

    #[test]
    fn wide_labels_of_a_logarithmic_axis_keep_apart() {
        let ends = [1e-5, 1.5e-4].map(libm::log10);
        let narrow = log(ends[0], ends[1], 120.0, 26.0);
        let wide = Scale::log(ends[0], ends[1], 120.0, 26.0, |_| 50.0);
        assert_eq!(labels(&wide).len(), 2);
        assert!(labels(&narrow).len() > 3);
    }

    #[test]
    fn linear_ticks_are_round_numbers() {
        let scale = Scale::linear(0.0, 1.0, 100.0, 20.0);
        assert_eq!(labels(&scale), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        let scale = Scale::linear(0.0, 23_000.0, 100.0, 30.0);
        assert_eq!(labels(&scale), ["0", "10\u{202f}000", "20\u{202f}000"]);
        let scale = Scale::linear(-0.06, 0.11, 100.0, 25.0);
        assert_eq!(labels(&scale), ["−0.05", "0.00", "0.05", "0.10"]);
    }

    #[test]
    fn log_ticks_are_powers_with_minor_ticks() {
        let scale = log(-8.0, 0.0, 160.0, 12.0);
        assert_eq!(labels(&scale).len(), 9);
        assert!(scale.ticks.iter().any(|t| !t.major));
        let wide = log(-140.0, 0.0, 160.0, 12.0);
        assert_eq!(labels(&wide)[0], format!("10{}", raised("−140")));
        assert!(labels(&wide).len() <= 14);
        let narrow = log(libm::log10(2.0), libm::log10(50.0), 160.0, 26.0);
        let mut shown = labels(&narrow);
        shown.sort_unstable();
        assert_eq!(shown, ["10", "2", "20", "5", "50"]);
        let large = log(libm::log10(3e6), libm::log10(1.1e7), 160.0, 26.0);
        let (three, ten) = (format!("3·10{}", raised("6")), format!("10{}", raised("7")));
        assert!(labels(&large).contains(&three.as_str()));
        assert!(labels(&large).contains(&ten.as_str()));
    }

    #[test]
    fn marks_take_the_place_of_round_numbers() {
        let marks = [1.0, 2.0, 12.5, 100.0].map(|x| (x, x));
        let scale = log(0.0, 2.0, 100.0, 26.0).marked(&marks, 100.0, |_| 20.0);
        assert_eq!(labels(&scale), ["1", "12.5", "100"]);
        assert_eq!(scale.ticks.len(), 4);
        // short labels need less room than long ones
        let by_length = |label: &str| 6.0 * crate::numbers::count(label.len() as u64);
        let marks = [1.0, 2.0, 3.125, 100.0].map(|x| (x, x));
        let scale = log(0.0, 2.0, 100.0, 26.0).marked(&marks, 100.0, by_length);
        assert_eq!(labels(&scale), ["1", "2", "100"]);
    }

    #[test]
    fn a_single_value_still_has_an_axis() {
        for value in [0.0, 1.0, -3.0, 1e-300, 1e300] {
            let scale = Scale::linear(value, value, 100.0, 20.0);
            let at = scale.place(value).expect("a place");
            assert!(
                (0.0..=1.0).contains(&at) && !scale.ticks.is_empty(),
                "{value}"
            );
        }
        let scale = log(-8.0, -8.0, 100.0, 12.0);
        assert_eq!(
            scale.place(1e-8).map(|at| (at - 0.5).abs() < 1e-9),
            Some(true)
        );
        assert_eq!(scale.place(0.0), None);
    }
}
