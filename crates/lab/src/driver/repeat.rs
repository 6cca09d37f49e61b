//! Proofs that a solve will never end: a solver whose state comes back repeats itself.
//!
//! The state is what the solver says decides its sweeps to come, compared bit for bit, so that progress, however slow,
//! is never taken for a standstill. It is kept at every power of two and compared after each of the [`WINDOW`] sweeps that
//! follow (Brent's way of finding cycles), at sweeps that depend on nothing but their number.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU32;

use delassus_core::{ImpulseSolver, Memory, SolveError};

/// Sweeps after every power of two that are looked at one by one \[-\]: the longest period that is found. Solvers that
/// compute their velocities anew every 64 sweeps repeat themselves after a multiple of that.
const WINDOW: u64 = 256;

/// Sweeps that are judged after the windows are this share of those before, rounded down \[-\].
const COARSENESS: u64 = 128;

/// The sweep after `sweeps` at which a solve is judged: every one within a window, and to 1/128 in between. It does not
/// depend on the samples, the tolerance or the clock.
pub(super) fn next_judged(sweeps: u64) -> u64 {
    let Some(log) = sweeps.checked_ilog2() else {
        return 1;
    };
    let power = 1 << log;
    if sweeps - power < WINDOW {
        return sweeps + 1;
    }
    (sweeps + sweeps / COARSENESS).min(2 * power)
}

/// What a state that came back means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeat {
    /// No sweep changes the impulses any more.
    FixedPoint,
    /// The impulses change and come back after so many sweeps.
    Cycle(NonZeroU32),
}

/// Looks for a state that comes back.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The state that later ones are compared with, and the sweep after which it was taken.
    kept: Vec<u64>,
    since: u64,
    now: Vec<u64>,
    /// Of the impulses, sweep by sweep from `since`.
    hashes: Vec<u64>,
    /// The last sweep that was looked at.
    last: Option<u64>,
}

impl Watch {
    /// Takes the state after `sweeps` sweeps, with the impulses there.
    pub(super) fn look(
        &mut self,
        solver: &mut dyn ImpulseSolver,
        sweeps: u64,
        impulses: &[f64],
    ) -> Result<Option<Repeat>, SolveError> {
        self.now.clear();
        let Some(memory) = solver.state(&mut self.now)? else {
            return Ok(None);
        };
        let follows = self.last.is_some_and(|last| last + 1 == sweeps);
        self.last = Some(sweeps);
        let same = follows && self.now == self.kept;
        match memory {
            Memory::Whole => Ok(self.whole(same, follows, sweeps, impulses)),
            Memory::Resting(needed) => {
                if !same {
                    self.keep(sweeps);
                }
                let rested = sweeps - self.since >= u64::from(needed.max(1));
                Ok((same && rested).then_some(Repeat::FixedPoint))
            }
        }
    }

    fn whole(
        &mut self,
        same: bool,
        follows: bool,
        sweeps: u64,
        impulses: &[f64],
    ) -> Option<Repeat> {
        if same {
            return Some(period(&self.hashes));
        }
        if !follows || sweeps.is_power_of_two() {
            self.keep(sweeps);
            self.hashes.clear();
        }
        let mut hasher = DefaultHasher::new();
        for x in impulses {
            x.to_bits().hash(&mut hasher);
        }
        self.hashes.push(hasher.finish());
        None
    }

    fn keep(&mut self, sweeps: u64) {
        std::mem::swap(&mut self.kept, &mut self.now);
        self.since = sweeps;
    }
}

/// The period of the impulses, which divides that of the state: the solver may keep more than impulses.
fn period(hashes: &[u64]) -> Repeat {
    let states = hashes.len();
    let repeats = |p: &usize| (0..states).all(|i| hashes[i] == hashes[(i + p) % states]);
    let divisors = (1..=states).filter(|p| states.is_multiple_of(*p));
    // the whole is a period, so there is one
    let shortest = divisors.clone().find(repeats).unwrap_or(states);
    match u32::try_from(shortest).ok().and_then(NonZeroU32::new) {
        Some(period) if period.get() > 1 => Repeat::Cycle(period),
        _ => Repeat::FixedPoint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_begin_at_powers_of_two_and_the_rest_is_fine() {
        let mut sweeps = 0;
        let mut seen = vec![0];
        while sweeps < 5000 {
            let next = next_judged(sweeps);
            assert!(next > sweeps && next - sweeps <= 1 + sweeps / COARSENESS);
            sweeps = next;
            seen.push(sweeps);
        }
        // every sweep up to two windows, and after every power of two
        assert!((0..=768).all(|s| seen.binary_search(&s).is_ok()));
        for power in [1024, 2048, 4096] {
            assert!((power..=power + WINDOW).all(|s| seen.binary_search(&s).is_ok()));
        }
        assert!(seen.len() < 2200, "{}", seen.len());
        assert_eq!(next_judged(1 << 40), (1 << 40) + 1);
    }

    #[test]
    fn the_period_of_the_impulses_may_be_shorter_than_that_of_the_state() {
        let cycle = |p| Repeat::Cycle(NonZeroU32::new(p).unwrap());
        assert_eq!(period(&[7; 64]), Repeat::FixedPoint);
        assert_eq!(period(&[7]), Repeat::FixedPoint);
        assert_eq!(period(&[1, 2, 1, 2]), cycle(2));
        assert_eq!(period(&[1, 1, 2]), cycle(3));
        assert_eq!(period(&[1, 2, 1, 3]), cycle(4));
    }
}
