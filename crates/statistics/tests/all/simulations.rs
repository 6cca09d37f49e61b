//! How often intervals hold what they should, how often a gate raises a false alarm, how often it
//! sees a slowdown.
//!
//! Small by default; `DELASSUS_SIMULATIONS` sets the number of simulated runs (docs/reliability.md
//! has the figures of the full run). All streams are seeded: a number of runs has one result.

use delassus_statistics::{
    ALARM_LEVEL, RatioBound, holm, median_interval, noise_floor, paired_median_ratio, sign_test,
    signed_rank, violates,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Simulated runs where nobody asks for more.
const FEW: usize = 1000;
/// Repetitions of a timed cell, and passes of a measured floor, pairs each.
const REPETITIONS: usize = 20;

fn runs() -> usize {
    match std::env::var("DELASSUS_SIMULATIONS") {
        Ok(text) => text.parse().expect("DELASSUS_SIMULATIONS is a count"),
        Err(_) => FEW,
    }
}

fn share(hits: usize, of: usize) -> f64 {
    hits as f64 / of as f64
}

/// A standard normal number (Box and Muller).
fn normal(source: &mut Pcg64Mcg) -> f64 {
    let (u, v): (f64, f64) = (source.random(), source.random());
    libm::sqrt(-2.0 * libm::log(1.0 - u)) * libm::cos(core::f64::consts::TAU * v)
}

/// Seconds of a pass: a machine that drifts, jitter that is the same for all, and disturbances that
/// only add time.
fn pass(seconds: f64, drift: f64, source: &mut Pcg64Mcg) -> f64 {
    let jitter = 1.0 + 0.01 * libm::fabs(normal(source));
    let disturbed: f64 = source.random();
    let disturbance = if disturbed < 0.1 {
        1.0 + 0.5 * source.random::<f64>()
    } else {
        1.0
    };
    seconds * drift * jitter * disturbance
}

/// Times of two solvers that take turns, the second `ratio` times as slow.
fn turns(ratio: f64, source: &mut Pcg64Mcg) -> (Vec<f64>, Vec<f64>) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let mut drift = 1.0;
    for _ in 0..REPETITIONS {
        // clocks and temperatures wander by tens of per cent over a run
        drift *= 1.0 + 0.03 * normal(source);
        a.push(pass(1e-3, drift, source));
        b.push(pass(1e-3 * ratio, drift, source));
    }
    (a, b)
}

/// True if a gate that allows equal times raises the alarm on a run with that ratio.
fn alarm(ratio: f64, source: &mut Pcg64Mcg) -> bool {
    let (even, odd) = turns(1.0, source);
    let equal: Vec<f64> = even.iter().zip(&odd).flat_map(|(a, b)| [*a, *b]).collect();
    let floor = noise_floor(&equal).expect("positive times");
    let (a, b) = turns(ratio, source);
    let (median, interval) = paired_median_ratio(&a, &b, ALARM_LEVEL).expect("pairs");
    violates(RatioBound::AtMost(1.0), median, &interval, floor)
}

#[test]
fn intervals_hold_the_median_as_often_as_they_say() {
    type Draw = fn(&mut Pcg64Mcg) -> f64;
    let uniform: Draw = |source| source.random::<f64>() - 0.5;
    let skewed: Draw = |source| -libm::log(1.0 - source.random::<f64>()) - core::f64::consts::LN_2;
    let heavy: Draw = |source| libm::tan(core::f64::consts::PI * (source.random::<f64>() - 0.5));
    let draws = [
        ("uniform", uniform),
        ("normal", normal),
        ("skewed", skewed),
        ("heavy", heavy),
    ];
    let runs = 4 * runs();
    for (name, draw) in draws {
        for n in [6, 9, 10, 15, 20, 50] {
            let mut source = Pcg64Mcg::seed_from_u64(n as u64);
            let held = (0..runs).filter(|_| {
                let samples: Vec<f64> = (0..n).map(|_| draw(&mut source)).collect();
                median_interval(&samples, 0.95).is_some_and(|interval| interval.holds(0.0))
            });
            let coverage = share(held.count(), runs);
            println!("coverage of 95 %, {name}, n = {n}: {coverage:.4} of {runs}");
            assert!(
                (0.93..=0.97).contains(&coverage),
                "{name}, n = {n}: {coverage}"
            );
        }
    }
}

#[test]
fn equal_solvers_raise_no_alarm() {
    let runs = runs();
    let mut source = Pcg64Mcg::seed_from_u64(17);
    let alarms = (0..runs).filter(|_| alarm(1.0, &mut source)).count();
    println!("false alarms: {alarms} of {runs}");
    assert!(share(alarms, runs) <= 0.01, "{alarms} of {runs}");
}

#[test]
fn a_slowdown_of_five_per_cent_is_seen() {
    let runs = runs();
    let mut source = Pcg64Mcg::seed_from_u64(18);
    let seen = (0..runs).filter(|_| alarm(1.05, &mut source)).count();
    println!("slowdowns of 5 % seen: {seen} of {runs}");
    assert!(share(seen, runs) >= 0.9, "{seen} of {runs}");
}

#[test]
fn tests_of_equal_solvers_err_as_rarely_as_they_say() {
    let runs = runs();
    let mut source = Pcg64Mcg::seed_from_u64(19);
    let (mut ranks, mut signs, mut families) = (0, 0, 0);
    for _ in 0..runs {
        // ten comparisons over 24 problems with ties: costs are counts
        let p: Vec<[f64; 2]> = (0..10)
            .map(|_| {
                let draw = |source: &mut Pcg64Mcg| libm::round(3.0 * normal(source));
                let differences: Vec<f64> = (0..24).map(|_| draw(&mut source)).collect();
                [signed_rank(&differences), sign_test(&differences)]
            })
            .collect();
        ranks += usize::from(p[0][0] < 0.05);
        signs += usize::from(p[0][1] < 0.05);
        let all: Vec<f64> = p.iter().map(|pair| pair[0]).collect();
        families += usize::from(holm(&all).iter().any(|p| *p < 0.05));
    }
    println!("of {runs}: signed rank {ranks}, sign {signs}, any of ten after Holm {families}");
    for errors in [ranks, signs, families] {
        // three standard deviations of a share of 5 %
        let slack = 3.0 * libm::sqrt(0.05 * 0.95 / runs as f64);
        assert!(share(errors, runs) <= 0.05 + slack, "{errors} of {runs}");
    }
}
