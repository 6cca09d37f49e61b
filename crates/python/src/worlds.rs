//! Many worlds at once: steps, arrays, the page that plays them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use delassus_replay::page::{MOST_CELLS, PageCell, render};
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::errors::{of_solver, refused};
use crate::problem::matrix;
use crate::world::{NativeWorld, Stepped, entered, pose_numbers, velocity_numbers};

/// Worlds that a thread takes at a time \[-\].
const BATCH: usize = 8;

/// Where and why a world failed.
type Failure = (usize, String);

/// Advances worlds on threads; each world has the same bits on any number of threads. Names the
/// first world that fails; the others go on.
#[pyfunction]
pub(crate) fn step_worlds(
    py: Python<'_>,
    worlds: Vec<Bound<'_, NativeWorld>>,
    frames: u32,
    dt: f64,
    threads: usize,
) -> PyResult<()> {
    let states: Vec<Arc<Mutex<Stepped>>> = worlds.iter().map(|world| world.get().state()).collect();
    let threads = threads.clamp(1, states.len().div_ceil(BATCH).max(1));
    let failed = py.detach(|| {
        let next = AtomicUsize::new(0);
        let work = || step_batches(&states, &next, frames, dt);
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut failed = work();
            for other in others {
                match other.join() {
                    Ok(own) => failed = earlier(failed, own),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            failed
        })
    });
    match failed {
        Some((world, error)) => Err(of_solver(format!("world {world}: {error}"))),
        None => Ok(()),
    }
}

/// Takes batch after batch until none is left; the first failure.
fn step_batches(
    states: &[Arc<Mutex<Stepped>>],
    next: &AtomicUsize,
    frames: u32,
    dt: f64,
) -> Option<Failure> {
    let mut failed = None;
    loop {
        let first = next.fetch_add(BATCH, Ordering::Relaxed);
        if first >= states.len() {
            return failed;
        }
        let last = (first + BATCH).min(states.len());
        for (index, state) in (first..last).zip(&states[first..last]) {
            let mut state = entered(state);
            let stepped = (0..frames).try_for_each(|_| state.advance(dt));
            failed = earlier(failed, stepped.err().map(|error| (index, error)));
        }
    }
}

/// The failure of the earlier world.
fn earlier(one: Option<Failure>, other: Option<Failure>) -> Option<Failure> {
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
        let own = world.get().numbers(&of);
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
            series: None,
        })
        .collect();
    Ok(render(title, &cells, &[]))
}
