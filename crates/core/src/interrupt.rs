//! Stopping a solve from outside: long loops check whether they must stop.
//!
//! A caller with a limit runs a solver inside [`within`]. Work that takes longer than a few
//! milliseconds calls [`check`] after each part: a column of a factor, a pivot, a step. The caller
//! chooses the kind of limit: a clock, a flag or a count. Outside [`within`] nothing stops a solve.
//! The limit decides when a solve stops, and does not change the numbers computed until then.

use std::cell::RefCell;
use std::sync::Arc;

use crate::error::SolveError;
use crate::solver::Progress;

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

/// Returns the limit of this thread, for use in other threads that work for it.
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
/// takes longer than the time left.
///
/// # Errors
/// [`SolveError::Interrupted`].
pub fn afford(multiplications: f64) -> Result<(), SolveError> {
    afford_at(RATE, multiplications)
}

/// [`afford`] for a dense factorization.
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

/// The next part is twice as large as the last one if the time left is at least this many times
/// that of a part \[-\].
const PARTS: f64 = 100.0;

/// Runs `iterate` until `units` work units are done or the caller's limit is reached. It checks the
/// limit after one unit, after two more, after four more, and so on. Without a limit it calls
/// `iterate` once.
///
/// # Errors
/// Those of `iterate`; [`SolveError::Interrupted`] if the limit left no room for the first unit.
pub fn in_parts(
    units: u32,
    mut iterate: impl FnMut(u32) -> Result<Progress, SolveError>,
) -> Result<Progress, SolveError> {
    if limit().is_none() {
        return iterate(units);
    }
    let mut done = Progress::default();
    let mut part = 1;
    loop {
        let missing = units - done.sweeps;
        let before = left();
        if before <= 0.0 && missing > 0 {
            break;
        }
        match iterate(part.min(missing)) {
            // a method that makes no sweep says so to its caller
            Ok(progress) if progress.sweeps == 0 => return Ok(done + progress),
            Ok(progress) => done += progress,
            Err(SolveError::Interrupted) => break,
            Err(error) => return Err(error),
        }
        if done.finished || done.sweeps >= units {
            return Ok(done);
        }
        // no part takes more than a fiftieth of what is left
        let after = left();
        let short = PARTS * (before - after) < after || before == f64::INFINITY;
        part = if short {
            part.saturating_mul(2)
        } else {
            (part / 2).max(1)
        };
    }
    if done.sweeps == 0 {
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
}
