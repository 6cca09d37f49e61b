//! Proofs that a solve will never end: a solver whose state comes back repeats itself.
//!
//! The state is what the solver says decides its sweeps to come, compared bit for bit, so that
//! progress, however slow, is never taken for a standstill. It is kept at every power of two and
//! compared at every sweep that is judged until the next (Brent's way of finding cycles). Those are
//! all of the [`WINDOW`] sweeps that follow, and every 2^(k−10)-th of an octave 2^k: a period whose
//! odd part is at most 1024 has a multiple among their distances. When, depends on nothing but the
//! number of sweeps.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU32;

use delassus_core::{ImpulseSolver, Problem, SolveError, StateCoverage};

/// Sweeps after every power of two that are judged one by one \[-\].
const WINDOW: u64 = 256;

/// Sweeps that are judged in an octave after the window \[-\]: a power of two.
const PER_OCTAVE: u64 = 1024;

/// Sweeps that may be spent on the shortest period of a state that came back, as rows times sweeps
/// \[-\]; and at most so many, and at least a window.
const SEARCH_ROWS: u64 = 1 << 26;
const SEARCH_SWEEPS: u64 = 1 << 16;

/// The sweep after `sweeps` at which a solve is judged: every one up to 2048 and within a window,
/// and to 1/1024 in between. It does not depend on the samples, the tolerance or the clock.
pub(super) fn next_judged(sweeps: u64) -> u64 {
    let Some(log) = sweeps.checked_ilog2() else {
        return 1;
    };
    let power = 1 << log;
    if sweeps - power < WINDOW {
        return sweeps + 1;
    }
    let step = (power / PER_OCTAVE).max(1);
    (sweeps / step + 1) * step
}

/// The same for a solver whose every look is a solve from the start: the sweeps of all looks
/// together are six times those of the last.
pub(super) fn next_rung(sweeps: u64) -> u64 {
    sweeps + (sweeps / 5).max(1)
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
    /// The last sweep that was looked at.
    last: Option<u64>,
}

impl Watch {
    /// Takes the state after `sweeps` sweeps; where it came back, iterates on to find the shortest
    /// period.
    pub(super) fn look(
        &mut self,
        solver: &mut dyn ImpulseSolver,
        problem: &Problem,
        sweeps: u64,
    ) -> Result<Option<Repeat>, SolveError> {
        self.now.clear();
        let Some(coverage) = solver.fingerprint(&mut self.now)? else {
            return Ok(None);
        };
        let last = self.last.replace(sweeps);
        let same = last.is_some() && self.now == self.kept;
        match coverage {
            StateCoverage::Complete if same => {
                period(solver, problem, &self.now, sweeps - self.since)
            }
            StateCoverage::Complete => {
                if last.is_none() || sweeps.is_power_of_two() {
                    self.keep(sweeps);
                }
                Ok(None)
            }
            StateCoverage::FixedPoint(needed) => {
                // every sweep between has to be looked at
                let follows = last.is_some_and(|last| last + 1 == sweeps);
                if !same || !follows {
                    self.keep(sweeps);
                }
                let rested = sweeps - self.since >= u64::from(needed.max(1));
                Ok(rested.then_some(Repeat::FixedPoint))
            }
        }
    }

    fn keep(&mut self, sweeps: u64) {
        std::mem::swap(&mut self.kept, &mut self.now);
        self.since = sweeps;
    }
}

/// The period of the impulses of a solver that is in `state` and comes back to it after `distance`
/// sweeps, which may be several rounds; `None` if it is too long to tell a cycle from a standstill.
fn period(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    state: &[u64],
    distance: u64,
) -> Result<Option<Repeat>, SolveError> {
    let affordable = SEARCH_ROWS / (problem.rows().max(1) as u64);
    let most = distance.min(affordable.clamp(WINDOW, SEARCH_SWEEPS));
    let mut impulses = vec![0.0; problem.rows()];
    let mut now = Vec::with_capacity(state.len());
    let mut hashes = Vec::new();
    for _ in 0..most {
        solver.iterate(problem, 1)?;
        solver.read_impulses(&mut impulses)?;
        let mut hasher = DefaultHasher::new();
        for x in &impulses {
            x.to_bits().hash(&mut hasher);
        }
        hashes.push(hasher.finish());
        now.clear();
        solver.fingerprint(&mut now)?;
        if now == state {
            return Ok(Some(shortest(&hashes)));
        }
    }
    let changes = hashes.windows(2).any(|pair| pair[0] != pair[1]);
    let rounds = u32::try_from(distance).ok().and_then(NonZeroU32::new);
    Ok(rounds.filter(|_| changes).map(Repeat::Cycle))
}

/// The shortest period of impulses over one round of the state, which divides it: a solver may keep
/// more than impulses.
fn shortest(hashes: &[u64]) -> Repeat {
    let states = hashes.len();
    let repeats = |p: &usize| (0..states).all(|i| hashes[i] == hashes[(i + p) % states]);
    let mut divisors = (1..=states).filter(|p| states.is_multiple_of(*p));
    // the whole is a period, so there is one
    let shortest = divisors.find(repeats).unwrap_or(states);
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
            assert!(next > sweeps && next - sweeps <= 1 + sweeps / PER_OCTAVE);
            sweeps = next;
            seen.push(sweeps);
        }
        // every sweep at first, and after every power of two
        assert!((0..=2048).all(|s| seen.binary_search(&s).is_ok()));
        for power in [2048, 4096] {
            assert!((power..=power + WINDOW).all(|s| seen.binary_search(&s).is_ok()));
        }
        assert!(seen.len() < 3800, "{}", seen.len());
        assert_eq!(next_judged(1 << 40), (1 << 40) + 1);
        assert_eq!(next_judged((1 << 40) + WINDOW), (1 << 40) + (1 << 30));
    }

    #[test]
    fn the_period_of_the_impulses_may_be_shorter_than_that_of_the_state() {
        let cycle = |p| Repeat::Cycle(NonZeroU32::new(p).unwrap());
        assert_eq!(shortest(&[7; 64]), Repeat::FixedPoint);
        assert_eq!(shortest(&[7]), Repeat::FixedPoint);
        assert_eq!(shortest(&[1, 2, 1, 2]), cycle(2));
        assert_eq!(shortest(&[1, 1, 2]), cycle(3));
        assert_eq!(shortest(&[1, 2, 1, 3]), cycle(4));
    }
}
