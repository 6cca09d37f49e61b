//! When a solve ends, and how often it is sampled and timed.

use std::sync::atomic::AtomicBool;

/// When a solve ends.
#[derive(Debug, Clone, PartialEq)]
pub struct StopRule {
    /// Every criterion must be at most this \[-\].
    pub tolerance: f64,
    /// Sweep limit \[-\].
    pub max_sweeps: u64,
    /// Limit on the time inside the traced pass's `prepare` and `iterate` \[s\], without that of
    /// metrics and of starting programs; of a solver that begins again for each sample, the limit
    /// of each solve. Solvers ask in between, inside factorizations too, so that it holds within a
    /// fifth; it makes the outcome depend on the machine. A pass that nobody samples is made only
    /// if it fits into what is left.
    pub max_seconds: Option<f64>,
    /// The solve has diverged when the worst criterion exceeds this multiple of its start and of 1
    /// \[-\].
    pub divergence: f64,
}

impl Default for StopRule {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_sweeps: 10_000,
            max_seconds: None,
            divergence: 1e12,
        }
    }
}

/// When the traced pass takes samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleSchedule {
    /// After every this many sweeps.
    Every(u64),
    /// After every sweep at first, then whenever the sweeps have grown by this ratio (> 1).
    Geometric(f64),
}

impl SampleSchedule {
    /// The number of sweeps of the sample after the one at `sweeps`.
    pub fn next(self, sweeps: u64) -> u64 {
        match self {
            Self::Every(step) => sweeps.saturating_add(step.max(1)),
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a schedule: the product is positive and rounding it moves a sample by one sweep"
            )]
            Self::Geometric(ratio) => (sweeps + 1).max((sweeps as f64 * ratio) as u64),
        }
    }
}

/// Everything about a cell's run that is not the problem or the solver.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// When the solve ends.
    pub stop: StopRule,
    /// When samples are taken.
    pub schedule: SampleSchedule,
    /// Passes that nobody samples \[-\]; their times are those of the record.
    pub repetitions: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            stop: StopRule::default(),
            schedule: SampleSchedule::Geometric(1.05),
            repetitions: 1,
        }
    }
}

/// What ends a solve: its options, or a user who cancels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SolveControl<'a> {
    pub(crate) options: &'a Options,
    /// Ends a pass within a second or one sweep.
    pub(crate) cancel: &'a AtomicBool,
}
