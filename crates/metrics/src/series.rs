//! Numbers that stand for a whole time series: size, trend, roughness.
//!
//! Pure functions of samples; `None` where a series is too short or not evenly spaced, never a
//! number that hides it. NaN in a series gives NaN, which no tolerance passes.
//!
//! Theory: `docs/theory/12-trajectories.md` (R.8–R.14).

use std::f64::consts::TAU;

/// Relative difference of time steps that still counts as even spacing \[-\].
const EVEN: f64 = 1e-6;

/// What a series of samples comes to; every number has the unit of the series unless it says
/// otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// Largest magnitude (R.8).
    pub max: Option<f64>,
    /// Root of the mean square (R.9).
    pub rms: Option<f64>,
    /// Slope of the straight line through the samples \[unit/s\] (R.10).
    pub slope: Option<f64>,
    /// The last sample.
    pub last: Option<f64>,
    /// RMS of the second differences (R.12).
    pub roughness: Option<f64>,
    /// Changes of sign per second \[1/s\] (R.13).
    pub crossings: Option<f64>,
    /// RMS of the part of the signal above an eighth of the sampling rate (R.14).
    pub chatter: Option<f64>,
}

impl Summary {
    /// Names of the numbers, as in specs, in the order of the fields.
    pub const NAMES: [&'static str; 7] = [
        "max",
        "rms",
        "slope",
        "last",
        "roughness",
        "crossings",
        "chatter",
    ];

    /// Summarises the samples \[s\], \[unit\]; the two slices have one length.
    pub fn of(times: &[f64], values: &[f64]) -> Self {
        Self {
            max: max(values),
            rms: rms(values),
            slope: slope(times, values),
            last: values.last().copied(),
            roughness: spacing(times).and_then(|_| roughness(values)),
            crossings: crossings(times, values),
            chatter: spacing(times).and_then(|_| chatter(values)),
        }
    }

    /// The number called `name`; `None` too if there is no such number.
    pub fn get(&self, name: &str) -> Option<f64> {
        let numbers = [
            self.max,
            self.rms,
            self.slope,
            self.last,
            self.roughness,
            self.crossings,
            self.chatter,
        ];
        let index = Self::NAMES.iter().position(|known| *known == name)?;
        numbers[index]
    }
}

/// Largest magnitude (R.8); `None` of nothing.
pub fn max(values: &[f64]) -> Option<f64> {
    let larger = |a: f64, b: &f64| crate::error::larger(a, b.abs());
    (!values.is_empty()).then(|| values.iter().fold(0.0, larger))
}

/// Root of the mean square (R.9); `None` of nothing.
pub fn rms(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| mean_square(values).sqrt())
}

/// Slope of the least-squares line \[unit/s\] (R.10); `None` of samples at fewer than two times.
pub fn slope(times: &[f64], values: &[f64]) -> Option<f64> {
    let count = values.len().min(times.len());
    if count < 2 {
        return None;
    }
    let (times, values) = (&times[..count], &values[..count]);
    let (middle, mean) = (mean(times), mean(values));
    let (mut covariance, mut variance) = (0.0, 0.0);
    for (time, value) in times.iter().zip(values) {
        covariance += (time - middle) * (value - mean);
        variance += (time - middle) * (time - middle);
    }
    (variance > 0.0).then(|| covariance / variance)
}

/// RMS of x_{k+1} − 2 x_k + x_{k−1} of evenly spaced samples (R.12); `None` of fewer than three.
pub fn roughness(values: &[f64]) -> Option<f64> {
    let differences: Vec<f64> = values
        .windows(3)
        .map(|w| w[2] - 2.0 * w[1] + w[0])
        .collect();
    rms(&differences)
}

/// Changes of sign per second \[1/s\] (R.13); `None` of samples at fewer than two times. Zeros have
/// no sign.
pub fn crossings(times: &[f64], values: &[f64]) -> Option<f64> {
    let duration = times.last()? - times.first()?;
    let mut changes = 0.0;
    let mut sign = 0.0;
    for value in values {
        if *value != 0.0 {
            let own = value.signum();
            if sign * own < 0.0 {
                changes += 1.0;
            }
            sign = own;
        }
    }
    (duration > 0.0).then(|| changes / duration)
}

/// RMS of the part of evenly spaced samples with frequencies above 1/(8h), h being their spacing
/// (R.14).
///
/// A straight line through the ends is taken off first: its step from the last sample to the first
/// would count as high frequency. `None` of fewer than eight samples. Costs N²/4 products.
pub fn chatter(values: &[f64]) -> Option<f64> {
    let count = values.len();
    if count < 8 {
        return None;
    }
    let (first, last) = (values[0], values[count - 1]);
    let step = (last - first) / as_real(count - 1);
    let line = |k: usize| first + step * as_real(k);
    let signal: Vec<f64> = (0..count).map(|k| values[k] - line(k)).collect();
    let turn = |k: usize| TAU * as_real(k) / as_real(count);
    let cosines: Vec<f64> = (0..count).map(|k| libm::cos(turn(k))).collect();
    let sines: Vec<f64> = (0..count).map(|k| libm::sin(turn(k))).collect();
    let mut low = 0.0;
    for frequency in 0..=count / 8 {
        let (mut real, mut imaginary) = (0.0, 0.0);
        let mut phase = 0;
        for x in &signal {
            real += x * cosines[phase];
            imaginary += x * sines[phase];
            phase = (phase + frequency) % count;
        }
        // every frequency but zero stands for its negative too
        let share = if frequency == 0 { 1.0 } else { 2.0 };
        low += share * (real * real + imaginary * imaginary);
    }
    // Parseval: what is not low is high; rounding may leave less than nothing
    let high = mean_square(&signal) - low / (as_real(count) * as_real(count));
    Some(if high < 0.0 { 0.0 } else { high.sqrt() })
}

/// The common distance of the times \[s\]; `None` if there is none.
fn spacing(times: &[f64]) -> Option<f64> {
    let step = times.get(1)? - times[0];
    let even = |pair: &[f64]| ((pair[1] - pair[0]) - step).abs() <= EVEN * step;
    (step > 0.0 && times.windows(2).all(even)).then_some(step)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / as_real(values.len())
}

fn mean_square(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>() / as_real(values.len())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of samples are far below 2^53"
)]
fn as_real(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(count: usize, h: f64, f: impl Fn(f64) -> f64) -> (Vec<f64>, Vec<f64>) {
        let times: Vec<f64> = (0..count).map(|k| h * as_real(k)).collect();
        let values = times.iter().map(|t| f(*t)).collect();
        (times, values)
    }

    #[test]
    fn a_straight_line_has_its_slope_and_nothing_rough() {
        let (times, values) = sampled(101, 0.25, |t| -3.0 * t + 1.0);
        let summary = Summary::of(&times, &values);
        assert!((summary.slope.unwrap() + 3.0).abs() < 1e-13);
        assert_eq!(summary.max, Some(74.0));
        assert_eq!(summary.last, Some(-74.0));
        assert!(summary.roughness.unwrap() < 1e-13);
        assert!(summary.chatter.unwrap() < 1e-7);
        assert_eq!(summary.crossings, Some(1.0 / 25.0));
    }

    #[test]
    fn the_slope_is_that_of_least_squares() {
        // residuals of the best line are orthogonal to 1 and t
        let (times, values) = sampled(40, 0.1, |t| t * t * t);
        let slope = slope(&times, &values).unwrap();
        let offset = mean(&values) - slope * mean(&times);
        let rest = |(t, x): (&f64, &f64)| (x - offset - slope * t) * t;
        let moment: f64 = times.iter().zip(&values).map(rest).sum();
        assert!(moment.abs() < 1e-10, "{moment}");
    }

    #[test]
    fn a_sine_has_its_rms_and_its_crossings() {
        let (times, values) = sampled(4001, 1.0 / 400.0, |t| 2.0 * libm::sin(TAU * 3.0 * t + 0.1));
        assert!((rms(&values).unwrap() - 2.0_f64.sqrt()).abs() < 1e-3);
        assert!((crossings(&times, &values).unwrap() - 6.0).abs() < 1e-12);
        // second differences of a sine: −(2 sin(πfh))² times the sine
        let factor = 2.0 * libm::sin(TAU * 1.5 / 400.0);
        let expected = factor * factor * 2.0_f64.sqrt();
        let found = roughness(&values).unwrap();
        assert!((found - expected).abs() < 1e-3 * expected);
    }

    #[test]
    fn chatter_keeps_what_is_above_an_eighth_of_the_sampling_rate() {
        // whole periods in the record, equal ends: no leakage, and the line that is taken off is
        // constant
        let wave = |cycles: f64| {
            let phase = TAU * cycles / 480.0;
            sampled(240, 1.0, |t| libm::cos(TAU * cycles * t / 240.0 + phase)).1
        };
        for cycles in [1.0, 29.0, 30.0] {
            assert!(chatter(&wave(cycles)).unwrap() < 1e-7, "{cycles}");
        }
        for cycles in [31.0, 77.0] {
            let found = chatter(&wave(cycles)).unwrap();
            assert!((found - 0.5_f64.sqrt()).abs() < 1e-12, "{cycles}: {found}");
        }
        let flip: Vec<f64> = (0..101)
            .map(|k| if k % 2 == 0 { 0.3 } else { -0.3 })
            .collect();
        assert!((chatter(&flip).unwrap() - 0.3).abs() < 0.01);
    }

    #[test]
    fn short_or_uneven_series_have_no_number_and_nan_stays() {
        assert_eq!(Summary::of(&[], &[]), Summary::default());
        let one = Summary::of(&[0.0], &[2.0]);
        assert_eq!((one.max, one.last, one.slope), (Some(2.0), Some(2.0), None));
        let times = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75];
        let uneven = Summary::of(&times, &[1.0; 10]);
        assert_eq!((uneven.roughness, uneven.chatter), (None, None));
        assert!(max(&[1.0, f64::NAN, 2.0]).unwrap().is_nan());
        assert!(rms(&[1.0, f64::NAN]).unwrap().is_nan());
        for (index, name) in Summary::NAMES.iter().enumerate() {
            let even = Summary::of(
                &sampled(20, 0.1, |t| t * t).0,
                &sampled(20, 0.1, |t| t * t).1,
            );
            assert!(even.get(name).is_some(), "{index} {name}");
        }
        assert_eq!(one.get("mean"), None);
    }
}
