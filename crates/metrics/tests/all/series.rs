//! Series that do not start at zero, are short, or hardly vary.

use delassus_metrics::series::{Summary, chatter, crossings, slope};

fn times(count: u32, start: f64, step: f64) -> Vec<f64> {
    (0..count).map(|k| start + step * f64::from(k)).collect()
}

#[test]
fn a_clock_that_began_long_ago_costs_no_digits() {
    // 1e9 s and values around 1e9: the differences from the first sample are exact
    let times = times(101, 1e9, 0.1);
    let values: Vec<f64> = times
        .iter()
        .zip(0u32..)
        .map(|(t, k)| 1e9 + 3.0 * (t - 1e9) + 0.5 * f64::from(k % 7))
        .collect();
    let from_first = |x: &[f64]| -> Vec<f64> { x.iter().map(|v| v - x[0]).collect() };
    let near = slope(&from_first(&times), &from_first(&values)).unwrap();
    let far = slope(&times, &values).unwrap();
    // the mean of the times is known to 1e-7 s of 10 s, and enters squared
    assert!((far - near).abs() < 1e-9, "{far} {near}");
    // two changes of sign in 100 steps
    let waves: Vec<f64> = (0..101)
        .map(|k| if k / 40 == 1 { -1.0 } else { 1.0 })
        .collect();
    assert!((crossings(&times, &waves).unwrap() - 0.2).abs() < 1e-8);
    // the record starts at 5 s: evenly spaced all the same
    let late = Summary::of(&self::times(20, 5.0, 0.25), &[1.0; 20]);
    assert_eq!(late.roughness, Some(0.0));
}

#[test]
fn two_samples_have_a_slope_and_one_time_has_none() {
    assert_eq!(slope(&[1.0, 3.0], &[2.0, 7.0]), Some(2.5));
    assert_eq!(slope(&[1.0], &[2.0]), None);
    assert_eq!(slope(&[1.0, 1.0], &[0.0, 3.0]), None);
    assert_eq!(crossings(&[1.0], &[2.0]), None);
    assert_eq!(crossings(&[1.0, 1.0], &[-2.0, 2.0]), None);
    assert_eq!(crossings(&[1.0, 3.0], &[-2.0, 2.0]), Some(0.5));
}

#[test]
fn chatter_needs_eight_samples_and_no_line() {
    assert_eq!(chatter(&[1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0]), None);
    // alternating ±1 with equal ends is the Nyquist frequency about its mean: 9 samples, ends
    // removed as a line
    assert!(chatter(&[1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0]).is_some());
    assert!(chatter(&[0.5; 8]).unwrap() == 0.0);
    // a straight line changes nothing: it is what is taken off first
    let wave: Vec<f64> = (0..64).map(|k| f64::from((k * k) % 11)).collect();
    let leaning: Vec<f64> = wave
        .iter()
        .zip(0u32..)
        .map(|(x, k)| x + 40.0 - 3.0 * f64::from(k))
        .collect();
    let (upright, leaning) = (chatter(&wave).unwrap(), chatter(&leaning).unwrap());
    assert!(
        (upright - leaning).abs() < 1e-12 * upright,
        "{upright} {leaning}"
    );
}

#[test]
fn spacing_is_even_relative_to_the_step() {
    let summary = |uneven: f64| {
        let mut times = times(10, 0.0, 1e-3);
        times[9] += uneven;
        Summary::of(&times, &[1.0; 10])
    };
    // one part in 1e7 is rounding, one in 1e5 is not
    assert_eq!(summary(1e-10).roughness, Some(0.0));
    assert_eq!(summary(1e-8).roughness, None);
    assert_eq!(summary(-1e-8).chatter, None);
    // one time for all: no spacing
    assert_eq!(Summary::of(&[2.0; 10], &[1.0; 10]).roughness, None);
}
