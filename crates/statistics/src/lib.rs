//! What numbers of a run say about each other: medians with intervals, paired tests, corrections
//! for many comparisons, and what a machine cannot tell apart.
//!
//! Nothing here draws random numbers or assumes a distribution of the samples. Intervals and small
//! tests are exact sums of binomial or permutation counts. Theory: docs/theory/29-evidence.md
//! (A.8)–(A.17).

mod binomial;
mod holm;
mod median;
mod ratio;
mod signed_rank;
mod verdict;

pub use holm::holm;
pub use median::{Interval, fewest_samples, median, median_interval};
pub use ratio::{median_ratio, noise_floor, paired_median_ratio, paired_ratios, ratio_interval};
pub use signed_rank::{sign_test, signed_rank};
pub use verdict::{Change, RatioBound, change, keeps, violates};

/// Confidence level of intervals that people read \[-\].
pub const LEVEL: f64 = 0.95;

/// Confidence level of intervals that raise alarms \[-\]: at most one run in a hundred that changes
/// nothing does.
pub const ALARM_LEVEL: f64 = 0.99;

/// Relative difference of times below which none is ever claimed \[-\]: where code and data lie in
/// memory moves times by as much from one build to the next \[Mytkowicz2009\].
pub const LEAST_FLOOR: f64 = 0.01;
