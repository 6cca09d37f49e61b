//! Plain `pgs` on a second thread, while a solve has a limit on its time.
//!
//! The sequences share one thread, so each of them gets a part of the limit. Here `pgs` gets all of
//! it: it starts where the solve started, with default parameters. If the limit ends the solve, its
//! impulses are one more candidate. Otherwise nobody reads them, so a solve that no limit ends has
//! the bits that it has without this thread.
//!
//! The limit is wall-clock time inside the solver. The thread computes for at most as long as the
//! solve has: between two calls of the solver it waits. Stopping joins it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use delassus_core::interrupt::{self, Left};
use delassus_core::{ImpulseSolver, Problem, SolveError, Solver, Start};
use delassus_solver_si::Pgs;

use crate::stage::treats;

/// Least time of a solve before the thread starts: the start takes a tenth of it …
const LEAST: Duration = Duration::from_millis(1);
/// … and least share of the limit \[-\]: most solves end before, and cost nothing more.
const SHARE: f64 = 0.01;
/// Least rate at which a problem is copied into new memory \[B/s\], and the share of the time left
/// that the copy may take \[-\].
const COPY_RATE: f64 = 5e8;
const COPY_SHARE: f64 = 0.1;
/// Time of the sweeps between two looks at the clock, where one sweep takes less.
const PART: Duration = Duration::from_micros(100);
/// A solve with less time left than this is over \[s\], because its caller reads the clock later.
const MARGIN: f64 = 5e-5;

/// What `pgs` has reached.
#[derive(Debug)]
pub(crate) struct SweepResult {
    pub(crate) sweeps: u64,
    pub(crate) impulses: Vec<f64>,
}

/// Time of the calls of a solve.
#[derive(Debug, Clone, Copy, Default)]
struct CallClock {
    /// Time of the calls that are over.
    used: Duration,
    /// When the present call began; none between two calls.
    since: Option<Instant>,
}

impl CallClock {
    fn elapsed(&self) -> Duration {
        self.used + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// What both threads see.
#[derive(Debug, Default)]
struct Shared {
    /// The time that the second thread may compute; none if it must stop.
    clock: Mutex<Option<CallClock>>,
    changed: Condvar,
}

impl Shared {
    fn clock(&self) -> MutexGuard<'_, Option<CallClock>> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, clock: Option<CallClock>) {
        *self.clock() = clock;
        self.changed.notify_one();
    }

    /// The limit of the second thread: the `total` time of the calls of the solve \[s\], less what
    /// they have used, and zero once the thread must stop.
    fn limit(self: &Arc<Self>, total: f64) -> Left {
        let shared = Arc::clone(self);
        Arc::new(move || match *shared.clock() {
            Some(now) => total - now.elapsed().as_secs_f64(),
            None => 0.0,
        })
    }

    /// Waits until the solve has taken longer than `own`; false if the thread must stop.
    fn wait(&self, own: Duration) -> bool {
        let mut clock = self.clock();
        while let Some(now) = *clock {
            let ahead = own.saturating_sub(now.elapsed());
            clock = match now.since {
                _ if ahead.is_zero() => return true,
                Some(_) => {
                    let woken = self.changed.wait_timeout(clock, ahead);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                None => {
                    let woken = self.changed.wait(clock);
                    woken.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
        false
    }
}

/// A thread that was started.
#[derive(Debug)]
struct Running {
    shared: Arc<Shared>,
    handle: JoinHandle<Option<SweepResult>>,
}

/// The second thread of a solve, if it has one.
#[derive(Debug)]
pub(crate) struct SecondThread {
    /// False if the solve has one thread, and once the second one was started.
    wanted: bool,
    clock: CallClock,
    running: Option<Running>,
}

impl SecondThread {
    /// No thread yet, and never one if `threads` is one.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            wanted: threads > 1,
            clock: CallClock::default(),
            running: None,
        }
    }

    /// Begins a call that has a limit on its time.
    pub(crate) fn begin_call(&mut self) {
        self.clock.since = Some(Instant::now());
        self.show_clock();
    }

    /// Ends a call: the thread waits for the next one.
    pub(crate) fn end_call(&mut self) {
        self.clock = CallClock {
            used: self.clock.elapsed(),
            since: None,
        };
        self.show_clock();
    }

    fn show_clock(&self) {
        if let Some(running) = &self.running {
            running.shared.set(Some(self.clock));
        }
    }

    /// Starts the thread once the solve has used enough of its limit. The solve goes on without a
    /// second thread if copying the problem would take too much of the limit, if the machine shows
    /// one processor, if `pgs` refuses the problem, or if the system starts no thread.
    pub(crate) fn start(&mut self, problem: &Problem, start: &[f64]) {
        if !self.wanted || self.clock.elapsed() < LEAST {
            return;
        }
        let (used, left) = (self.clock.elapsed().as_secs_f64(), interrupt::left());
        if left <= 0.0 || used < SHARE * (used + left) {
            return;
        }
        self.wanted = false;
        if problem.memory() as f64 > COPY_SHARE * COPY_RATE * left {
            return;
        }
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let Ok(solver) = Pgs::new(Default::default()) else {
            return;
        };
        if processors < 2 || !treats(&solver, problem) {
            return;
        }
        let shared = Arc::new(Shared::default());
        shared.set(Some(self.clock));
        let (own, problem, start) = (Arc::clone(&shared), problem.clone(), start.to_vec());
        let limit = shared.limit(used + left);
        let work = move || interrupt::within(limit, || sweep(solver, &problem, &start, &own));
        let builder = thread::Builder::new().name("auto: pgs".to_owned());
        let handle = builder.spawn(work).ok();
        self.running = handle.map(|handle| Running { shared, handle });
    }

    /// True if the limit ends the solve now, or would before its caller reads the clock.
    pub(crate) fn is_over(&self) -> bool {
        if self.running.is_none() {
            return false;
        }
        let began = Instant::now();
        loop {
            let left = interrupt::left();
            if left <= 0.0 {
                return true;
            }
            // a clock that counts something else does not go on
            if left > MARGIN || began.elapsed().as_secs_f64() > MARGIN {
                return false;
            }
        }
    }

    /// Stops the thread for good; what it has reached, if there is one and `pgs` has not failed.
    pub(crate) fn stop(&mut self) -> Option<SweepResult> {
        self.wanted = false;
        let Running { shared, handle } = self.running.take()?;
        shared.set(None);
        handle.join().ok().flatten()
    }
}

impl Drop for SecondThread {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Sweeps until it must stop; nothing if `pgs` fails.
fn sweep(
    mut solver: Pgs,
    problem: &Problem,
    start: &[f64],
    shared: &Shared,
) -> Option<SweepResult> {
    let began = Instant::now();
    solver.prepare(problem, Start::Warm(start)).ok()?;
    let (mut own, mut sweeps, mut part) = (began.elapsed(), 0, 1_u32);
    while shared.wait(own) {
        let began = Instant::now();
        match solver.iterate(problem, part) {
            Ok(progress) => sweeps += u64::from(progress.sweeps),
            // the limit left no time for one more sweep
            Err(SolveError::Interrupted) => break,
            Err(_) => return None,
        }
        let took = began.elapsed();
        own += took;
        part = match took < PART {
            true => part.saturating_mul(2),
            false => (part / 2).max(1),
        };
    }
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).ok()?;
    Some(SweepResult { sweeps, impulses })
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;

    use delassus_core::ProblemBuilder;

    use super::*;

    /// A solve that has used two milliseconds, with its thread.
    fn started() -> (SecondThread, Weak<Shared>) {
        let problem = ProblemBuilder::new().build().unwrap();
        let mut second = SecondThread::new(2);
        second.clock.used = 2 * LEAST;
        second.begin_call();
        interrupt::within(Arc::new(|| 0.1), || second.start(&problem, &[]));
        let shared = second.running.as_ref().map(|running| &running.shared);
        let shared = shared.map_or_else(Weak::new, Arc::downgrade);
        (second, shared)
    }

    /// False on a machine with one processor, where there is nothing to see.
    fn has_processors() -> bool {
        thread::available_parallelism().is_ok_and(|all| all.get() > 1)
    }

    #[test]
    fn dropped_solves_leave_no_thread() {
        let (second, shared) = started();
        assert_eq!(shared.upgrade().is_some(), has_processors());
        drop(second);
        // the thread owns the other one
        assert!(shared.upgrade().is_none());
    }

    #[test]
    fn the_thread_waits_while_it_is_ahead_of_the_solve() {
        let shared = Shared::default();
        let calls = |used, since| Some(CallClock { used, since });
        shared.set(calls(2 * LEAST, None));
        assert!(shared.wait(LEAST));
        for (next, goes_on) in [(calls(LEAST, Some(Instant::now())), true), (None, false)] {
            thread::scope(|scope| {
                shared.set(calls(2 * LEAST, None));
                let waiting = scope.spawn(|| shared.wait(3 * LEAST));
                thread::sleep(2 * LEAST);
                assert!(!waiting.is_finished());
                shared.set(next);
                assert_eq!(waiting.join().unwrap(), goes_on);
            });
        }
    }

    #[test]
    fn the_limit_counts_the_calls_and_ends_when_the_thread_must_stop() {
        let shared = Arc::new(Shared::default());
        let limit = shared.limit(3e-3);
        assert_eq!(limit(), 0.0);
        let calls = |used, since| Some(CallClock { used, since });
        shared.set(calls(LEAST, None));
        assert!((limit() - 2e-3).abs() < 1e-9);
        shared.set(calls(4 * LEAST, Some(Instant::now())));
        assert!(limit() <= -1e-3);
        // without time left the preparation ends
        let problem = ProblemBuilder::new().build().unwrap();
        let solver = Pgs::new(Default::default()).unwrap();
        let swept = interrupt::within(limit, || sweep(solver, &problem, &[], &shared));
        assert!(swept.is_none());
    }

    #[test]
    fn solves_with_one_thread_or_without_a_limit_start_none() {
        let problem = ProblemBuilder::new().build().unwrap();
        for (threads, left) in [(1, 0.1), (2, f64::INFINITY), (2, 0.0), (2, 10.0)] {
            let mut second = SecondThread::new(threads);
            second.clock.used = 2 * LEAST;
            interrupt::within(Arc::new(move || left), || second.start(&problem, &[]));
            assert!(second.running.is_none(), "{threads} threads, {left} s");
        }
    }
}
