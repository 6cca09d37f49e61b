//! Limits that the caller of a solver sets: long loops check whether they must stop.
//!
//! A caller with a limit runs a solver inside [`within`]. Work that takes longer than a few
//! milliseconds calls [`check`] after each part: a column of a factor, a pivot, a step. The caller
//! chooses the kind of limit: a clock, a flag or a count. Outside [`within`] nothing stops a solve.
//! The limit decides when a solve stops, and does not change the numbers computed until then.

use std::cell::RefCell;
use std::sync::Arc;

use crate::error::SolveError;
use crate::progress::Progress;

/// Returns the time left \[s\]. It is infinite if only a flag stops the solve, and zero or negative
/// if the solve must stop.
pub type Left = Arc<dyn Fn() -> f64 + Send + Sync>;

/// Least number of multiplications per second on a current machine: in work that waits for memory,
/// and in a dense factorization, which is mostly products of blocks in the caches \[1/s\].
const RATE: f64 = 1e9;
const DENSE_RATE: f64 = 4e9;

thread_local! {
    static LEFT: RefCell<Option<Left>> = const { RefCell::new(None) };
}

/// Restores the previous limit when dropped, even if `work` panics.
struct Restore(Option<Left>);

impl Drop for Restore {
    fn drop(&mut self) {
        let before = self.0.take();
        LEFT.with(|slot| *slot.borrow_mut() = before);
    }
}

/// Runs `work` on this thread with a limit.
pub fn within<R>(left: Left, work: impl FnOnce() -> R) -> R {
    let _restore = Restore(LEFT.with(|slot| slot.borrow_mut().replace(left)));
    work()
}

/// Runs `work` on this thread without a limit.
pub fn without<R>(work: impl FnOnce() -> R) -> R {
    let _restore = Restore(LEFT.with(|slot| slot.borrow_mut().take()));
    work()
}

/// Returns the limit of this thread. A thread that starts others gives it to them, because a limit
/// holds for one thread only.
pub fn limit() -> Option<Left> {
    LEFT.with(|slot| slot.borrow().clone())
}

/// Returns the time left \[s\]; infinity if there is no limit.
pub fn left() -> f64 {
    limit().map_or(f64::INFINITY, |left| left())
}

/// Returns true if the solve must stop.
pub fn requested() -> bool {
    left() <= 0.0
}

/// Returns an error if the solve must stop.
///
/// # Errors
/// [`SolveError::Interrupted`].
pub fn check() -> Result<(), SolveError> {
    if requested() {
        return Err(SolveError::Interrupted);
    }
    Ok(())
}

/// Like [`check`], for work that cannot be divided. It also fails if this number of multiplications
/// would take longer than the time left, at 10⁹ multiplications per second.
///
/// # Errors
/// [`SolveError::Interrupted`].
pub fn afford(multiplications: f64) -> Result<(), SolveError> {
    afford_at(RATE, multiplications)
}

/// Like [`afford`], for a dense factorization, at a higher rate of multiplications.
///
/// # Errors
/// [`SolveError::Interrupted`].
pub fn afford_factor(multiplications: f64) -> Result<(), SolveError> {
    afford_at(DENSE_RATE, multiplications)
}

fn afford_at(rate: f64, multiplications: f64) -> Result<(), SolveError> {
    let left = left();
    if left <= 0.0 || multiplications > rate * left {
        return Err(SolveError::Interrupted);
    }
    Ok(())
}

/// Checks the limit between the units of a loop. The units should take about equally long.
#[derive(Debug, Clone, Copy)]
pub struct UnitClock {
    /// What was left at the last look \[s\].
    before: f64,
}

impl Default for UnitClock {
    fn default() -> Self {
        Self {
            before: f64::NEG_INFINITY,
        }
    }
}

impl UnitClock {
    /// Checks the limit; call it before each unit. It fails if the solve must stop, or if the last
    /// unit took longer than the time left.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`].
    pub fn check(&mut self) -> Result<(), SolveError> {
        self.check_with(left())
    }

    fn check_with(&mut self, left: f64) -> Result<(), SolveError> {
        if left <= 0.0 || left < self.before - left {
            return Err(SolveError::Interrupted);
        }
        self.before = left;
        Ok(())
    }
}

/// Multiplications between two looks of [`for_each`]: about a millisecond of work that waits for
/// memory \[-\].
const LOOK: usize = 1_000_000;

/// Calls `work` with 0, 1, …, `count` − 1. One call takes about `multiplications` multiplications.
///
/// The calls are divided into parts of about a million multiplications. Before each part, the limit
/// is checked, and the loop stops if the last part took longer than the time left. Without a limit,
/// or if all calls fit into one part, there is no check.
///
/// # Errors
/// [`SolveError::Interrupted`] if the loop stopped before the last call.
pub fn for_each(
    count: usize,
    multiplications: usize,
    mut work: impl FnMut(usize),
) -> Result<(), SolveError> {
    let part = (LOOK / multiplications.max(1)).max(1);
    let limit = limit().filter(|_| count > part || multiplications >= LOOK);
    let part = if limit.is_some() { part } else { count.max(1) };
    let mut clock = UnitClock::default();
    for first in (0..count).step_by(part) {
        if let Some(left) = &limit {
            clock.check_with(left())?;
        }
        (first..count.min(first + part)).for_each(&mut work);
    }
    Ok(())
}

/// Looks at the limit inside a work unit that cannot return early: after about a million
/// multiplications. Once the limit is reached, the rest of the unit is to be left out, and
/// [`crate::Prepared::is_cut_short`] says so.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnitLooks {
    since: usize,
    over: bool,
}

impl UnitLooks {
    /// True if a unit of so many multiplications is long enough to look inside.
    pub fn fits(multiplications: usize) -> bool {
        multiplications >= LOOK
    }

    /// Adds so many multiplications that are about to be done; true if they must not be.
    #[inline(always)]
    pub fn add(&mut self, multiplications: usize) -> bool {
        self.since += multiplications;
        if self.since >= LOOK {
            self.look();
        }
        self.over
    }

    /// True if the limit was reached since the default.
    pub fn is_over(&self) -> bool {
        self.over
    }

    #[cold]
    fn look(&mut self) {
        self.since = 0;
        self.over = self.over || requested();
    }
}

/// The next part is twice as large as the last one if the time left is at least this many times
/// that of a part \[-\].
const PARTS: f64 = 100.0;

/// Runs `iterate` until `units` work units are done or the caller's limit is reached. It checks the
/// limit before each part. The first part is one unit. The next part is twice as large if the last
/// one took less than a hundredth of the time left, and half as large otherwise. Without a limit it
/// calls `iterate` once.
///
/// `unit` is the mean time of a unit in the last part \[s\]; the caller stores it between calls,
/// with zero for the first call. A part is not begun if `unit` is longer than the time left. Pass
/// `None` to omit this check if units take different times.
///
/// # Errors
/// Those of `iterate`; [`SolveError::Interrupted`] if the limit left no room for the first unit.
pub fn in_parts(
    units: u32,
    unit: Option<&mut f64>,
    mut iterate: impl FnMut(u32) -> Result<Progress, SolveError>,
) -> Result<Progress, SolveError> {
    if limit().is_none() {
        return iterate(units);
    }
    let differ = unit.is_none();
    let mut unknown = 0.0;
    let unit = unit.unwrap_or(&mut unknown);
    let mut done = Progress::default();
    let mut part = 1;
    loop {
        let missing = units - done.sweeps;
        let before = left();
        if missing > 0 && (before <= 0.0 || before < *unit && !differ) {
            break;
        }
        let earlier = done.sweeps;
        match iterate(part.min(missing)) {
            // a method that makes no sweep says so to its caller
            Ok(progress) if progress.sweeps == 0 => return Ok(done + progress),
            Ok(progress) => done += progress,
            Err(SolveError::Interrupted) => break,
            Err(error) => return Err(error),
        }
        let after = left();
        *unit = (before - after) / f64::from(done.sweeps - earlier);
        if done.finished || done.sweeps >= units {
            return Ok(done);
        }
        // no part takes more than a fiftieth of what is left
        let short = PARTS * (before - after) < after || before == f64::INFINITY;
        part = if short {
            part.saturating_mul(2)
        } else {
            (part / 2).max(1)
        };
    }
    if done.sweeps == 0 {
        // one slow unit does not refuse all later calls
        *unit = 0.0;
        return Err(SolveError::Interrupted);
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A limit that ends at the look after so many.
    fn looks(count: u32) -> (Left, Arc<AtomicU32>) {
        let seen = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&seen);
        let left = move || f64::from(count) - f64::from(counter.fetch_add(1, Ordering::Relaxed));
        (Arc::new(left), seen)
    }

    #[test]
    fn nothing_ends_outside_and_the_last_limit_counts_inside() {
        assert_eq!(check(), Ok(()));
        assert_eq!(afford(1e300), Ok(()));
        let (outer, _) = looks(1000);
        let (inner, seen) = looks(3);
        within(outer, || {
            let ended = within(inner, || (0..10).filter(|_| check().is_err()).count());
            assert_eq!(ended, 7);
            assert!(without(|| limit().is_none()));
            assert_eq!(check(), Ok(()));
        });
        assert_eq!(seen.load(Ordering::Relaxed), 10);
        assert!(limit().is_none());
    }

    #[test]
    fn what_does_not_fit_is_not_begun() {
        let left: Left = Arc::new(|| 2.5);
        within(left, || {
            assert_eq!(afford(2.4e9), Ok(()));
            assert_eq!(afford(2.6e9), Err(SolveError::Interrupted));
            assert_eq!(afford_factor(9.9e9), Ok(()));
            assert_eq!(afford_factor(1.1e10), Err(SolveError::Interrupted));
        });
    }

    /// A clock that only work moves \[s\].
    fn clock(seconds: u32) -> (Left, Arc<AtomicU32>) {
        let now = Arc::new(AtomicU32::new(0));
        let read = Arc::clone(&now);
        let left = move || f64::from(seconds) - f64::from(read.load(Ordering::Relaxed));
        (Arc::new(left), now)
    }

    #[test]
    fn a_loop_looks_once_per_part_and_begins_none_that_does_not_fit() {
        // parts of 10 seconds
        for (seconds, expected) in [(9, 1), (15, 1), (20, 2), (25, 2), (30, 3), (31, 3)] {
            let (left, now) = clock(seconds);
            let mut done = 0;
            let outcome = within(left, || {
                for_each(4, LOOK, |unit| {
                    assert_eq!(unit, done);
                    done += 1;
                    now.fetch_add(10, Ordering::Relaxed);
                })
            });
            assert_eq!(done, expected, "{seconds}");
            assert_eq!(outcome, Err(SolveError::Interrupted));
        }
        let (left, seen) = looks(1000);
        let mut done = 0;
        assert_eq!(
            within(left, || for_each(95, LOOK / 10, |_| done += 1)),
            Ok(())
        );
        assert_eq!((done, seen.load(Ordering::Relaxed)), (95, 10));
        let (left, seen) = looks(0);
        assert_eq!(
            within(left, || for_each(10, LOOK / 10, |_| done += 1)),
            Ok(())
        );
        assert_eq!((done, seen.load(Ordering::Relaxed)), (105, 0));
    }

    #[test]
    fn looks_inside_a_unit_count_multiplications_and_end_it_for_good() {
        let (left, seen) = looks(2);
        let mut inside = UnitLooks::default();
        let done = within(left, || (0..10).filter(|_| !inside.add(LOOK / 2)).count());
        // looks after two, four and six parts; the third ends it
        assert_eq!((done, seen.load(Ordering::Relaxed)), (5, 3));
        assert!(inside.is_over() && inside.add(0));
        let mut outside = UnitLooks::default();
        assert!(!outside.add(100 * LOOK) && !outside.is_over());
        assert!(UnitLooks::fits(LOOK) && !UnitLooks::fits(LOOK - 1));
    }

    #[test]
    fn a_unit_that_takes_longer_than_what_is_left_is_not_begun() {
        for (seconds, expected) in [(10, 1), (19, 1), (20, 2), (99, 9)] {
            let (left, now) = clock(seconds);
            let done = within(left, || {
                in_parts(50, Some(&mut 0.0), |part| {
                    now.fetch_add(10 * part, Ordering::Relaxed);
                    Ok(Progress::of_sweeps(part, 1))
                })
            });
            assert_eq!(done.map(|done| done.sweeps), Ok(expected), "{seconds}");
        }
    }

    #[test]
    fn the_time_of_a_unit_is_kept_from_call_to_call_and_refuses_once() {
        let (left, now) = clock(25);
        let (mut unit, mut done) = (0.0, Vec::new());
        within(left, || {
            for _ in 0..4 {
                let call = in_parts(1, Some(&mut unit), |part| {
                    now.fetch_add(10, Ordering::Relaxed);
                    Ok(Progress::of_sweeps(part, 1))
                });
                done.push(call.map(|call| call.sweeps));
            }
        });
        let (left, late) = clock(15);
        let differ = within(left, || {
            in_parts(50, None, |part| {
                late.fetch_add(10, Ordering::Relaxed);
                Ok(Progress::of_sweeps(part, 1))
            })
        });
        assert_eq!(differ.map(|done| done.sweeps), Ok(2));
        let refused = Err(SolveError::Interrupted);
        assert_eq!(done, [Ok(1), Ok(1), refused.clone(), Ok(1)]);
        assert_eq!(now.load(Ordering::Relaxed), 30);
    }
}
