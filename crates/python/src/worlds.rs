//! Many worlds at once: steps, arrays, the page that plays them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use delassus_replay::page::{MOST_CELLS, PageCell, render};
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::errors::refused;
use crate::problem::matrix;
use crate::solve::LOOKS;
use crate::stepping::{SharedWorld, StepFailure};
use crate::world::{NativeWorld, pose_numbers, velocity_numbers};

/// Worlds that a thread takes at a time \[-\].
const BATCH: usize = 8;

/// Which world failed, and why.
type WorldFailure = (usize, StepFailure);

/// Advances worlds on threads; each world has the same bits on any number of threads. Names the
/// first world that fails; the others go on. Ctrl-C ends it between two frames of a world.
#[pyfunction]
pub(crate) fn step_worlds(
    py: Python<'_>,
    worlds: Vec<Bound<'_, NativeWorld>>,
    frames: u32,
    dt: f64,
    threads: usize,
) -> PyResult<()> {
    let shared: Vec<Arc<SharedWorld>> = worlds.iter().map(|world| world.get().shared()).collect();
    // the solver of a world may call this; other threads would wait for the world forever
    shared
        .iter()
        .try_for_each(|world| world.refuse_own_step())?;
    let threads = threads.clamp(1, shared.len().div_ceil(BATCH).max(1));
    let work = StepWork {
        worlds: &shared,
        frames,
        dt,
        next: AtomicUsize::new(0),
        is_cancelled: AtomicBool::new(false),
    };
    let (failed, signal) = py.detach(|| work.run(threads));
    if let Some(signal) = signal {
        return Err(signal);
    }
    match failed {
        Some((world, failure)) => Err(failure.exception_in_world(py, world)),
        None => Ok(()),
    }
}

/// Worlds that threads take batch by batch.
struct StepWork<'w> {
    worlds: &'w [Arc<SharedWorld>],
    frames: u32,
    dt: f64,
    next: AtomicUsize,
    is_cancelled: AtomicBool,
}

impl StepWork<'_> {
    /// Steps all worlds on so many threads; the first failure, and the exception of Ctrl-C.
    fn run(&self, threads: usize) -> (Option<WorldFailure>, Option<PyErr>) {
        let mut signal = None;
        // Python hands signals to the thread that calls it from outside
        let mut look = signal_check(&mut signal);
        let mut failed = None;
        std::thread::scope(|scope| {
            let (done, results) = mpsc::channel();
            for _ in 1..threads {
                let done = done.clone();
                scope.spawn(move || done.send(self.step_batches(&mut || false)));
            }
            drop(done);
            failed = self.step_batches(&mut look);
            // a thread that panics sends nothing, and the scope panics
            loop {
                match results.recv_timeout(Duration::from_secs_f64(1.0 / LOOKS)) {
                    Ok(own) => failed = earlier(failed.take(), own),
                    Err(RecvTimeoutError::Timeout) => self.cancel_if(look()),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        });
        drop(look);
        (failed, signal)
    }

    fn cancel_if(&self, wanted: bool) {
        if wanted {
            self.is_cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Takes batch after batch until none is left or `cancel` says so; the first failure.
    fn step_batches(&self, cancel: &mut dyn FnMut() -> bool) -> Option<WorldFailure> {
        let mut failed = None;
        loop {
            let first = self.next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= self.worlds.len() {
                return failed;
            }
            let last = (first + BATCH).min(self.worlds.len());
            for (index, world) in (first..last).zip(&self.worlds[first..last]) {
                for _ in 0..self.frames {
                    self.cancel_if(cancel());
                    if self.is_cancelled.load(Ordering::Relaxed) {
                        return failed;
                    }
                    if let Err(failure) = world.advance(self.dt) {
                        failed = earlier(failed, Some((index, failure)));
                        break;
                    }
                }
            }
        }
    }
}

/// Asks, at most so often, whether Ctrl-C was pressed, and keeps its exception.
fn signal_check(signal: &mut Option<PyErr>) -> impl FnMut() -> bool + use<'_> {
    let mut last = Instant::now();
    move || {
        if signal.is_none() && last.elapsed().as_secs_f64() * LOOKS >= 1.0 {
            last = Instant::now();
            *signal = Python::attach(|py| py.check_signals()).err();
        }
        signal.is_some()
    }
}

/// The failure of the earlier world.
fn earlier(one: Option<WorldFailure>, other: Option<WorldFailure>) -> Option<WorldFailure> {
    let failures = [one, other].into_iter().flatten();
    failures.min_by_key(|(world, _)| *world)
}

/// Numbers of all bodies of worlds with equally many, world after world.
fn gathered<'py, const N: usize>(
    py: Python<'py>,
    worlds: &[Bound<'py, NativeWorld>],
    of: impl Fn(&delassus_dynamics::Body) -> [f64; N],
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let mut numbers = Vec::new();
    let mut first = None;
    for (index, world) in worlds.iter().enumerate() {
        let own = world.get().numbers(&of)?;
        let bodies = own.len() / N;
        let expected = *first.get_or_insert(bodies);
        if bodies != expected {
            return Err(refused(format!(
                "world {index} has {bodies} bodies, and world 0 has {expected}: an array needs equally many"
            )));
        }
        numbers.extend(own);
    }
    matrix(py, numbers, N)
}

/// Poses of all bodies of all worlds.
#[pyfunction]
pub(crate) fn gather_poses<'py>(
    py: Python<'py>,
    worlds: Vec<Bound<'py, NativeWorld>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    gathered(py, &worlds, pose_numbers)
}

/// Velocities of all bodies of all worlds.
#[pyfunction]
pub(crate) fn gather_velocities<'py>(
    py: Python<'py>,
    worlds: Vec<Bound<'py, NativeWorld>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    gathered(py, &worlds, velocity_numbers)
}

/// The page that plays recorded worlds, each with its name, side by side.
#[pyfunction]
pub(crate) fn replay_page(
    title: &str,
    worlds: Vec<(String, Bound<'_, NativeWorld>)>,
) -> PyResult<String> {
    if worlds.len() > MOST_CELLS {
        let count = worlds.len();
        return Err(refused(format!(
            "a page plays at most {MOST_CELLS} worlds, not {count}"
        )));
    }
    let mut recorded = Vec::with_capacity(worlds.len());
    for (name, world) in &worlds {
        let bytes = world.get().recorded()?.ok_or_else(|| {
            refused(format!(
                "the world {name} is not recorded: call its method record() before it is stepped"
            ))
        })?;
        recorded.push((name, bytes));
    }
    let cells: Vec<PageCell<'_>> = recorded
        .iter()
        .map(|(name, bytes)| PageCell {
            scene: title,
            method: name,
            bytes,
            ending: None,
            series: None,
        })
        .collect();
    Ok(render(title, &cells, &[]))
}
