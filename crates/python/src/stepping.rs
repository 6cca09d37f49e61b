//! Worlds that are advanced, by one thread at a time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use delassus_dynamics::{Scheme, World};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::errors::{of_solver, refused};
use crate::replay::Recording;
use crate::solver::{Raised, take};

/// A world with the scheme that advances it.
pub(crate) struct Stepped {
    pub(crate) world: World,
    pub(crate) scheme: Option<Box<dyn Scheme>>,
    pub(crate) recording: Option<Recording>,
    /// The exception of a solver of Python in the scheme.
    pub(crate) raised: Raised,
}

impl Stepped {
    /// Advances by one frame; the world stays as it was where that fails.
    fn advance(&mut self, dt: f64) -> Result<(), StepFailure> {
        let scheme = self.scheme.as_mut();
        let scheme =
            scheme.ok_or_else(|| StepFailure::Refused("the world has no scheme".into()))?;
        let stepped = self.world.step(scheme, dt);
        if let Some(error) = take(&self.raised) {
            return Err(StepFailure::Raised(error));
        }
        stepped.map_err(|error| StepFailure::Refused(error.to_string()))?;
        if let Some(recording) = &mut self.recording {
            recording.keep(&self.world);
        }
        Ok(())
    }
}

/// Why a world was not advanced.
pub(crate) enum StepFailure {
    /// The scheme or its solver refuses or fails.
    Refused(String),
    /// A solver of Python has raised an exception.
    Raised(PyErr),
}

impl StepFailure {
    /// The exception of a single step.
    pub(crate) fn exception(self) -> PyErr {
        match self {
            Self::Refused(text) => of_solver(text),
            Self::Raised(error) => error,
        }
    }

    /// The exception of a step among several.
    pub(crate) fn exception_in_frame(self, frame: u32, frames: u32) -> PyErr {
        match self {
            Self::Refused(text) => of_solver(format!("frame {frame} of {frames}: {text}")),
            Self::Raised(error) => error,
        }
    }

    /// The exception that names one of several worlds; that of a solver of Python is its cause.
    pub(crate) fn exception_in_world(self, py: Python<'_>, world: usize) -> PyErr {
        match self {
            Self::Refused(text) => of_solver(format!("world {world}: {text}")),
            // Ctrl-C and the like are about no world
            Self::Raised(error) if !error.is_instance_of::<PyException>(py) => error,
            Self::Raised(error) => {
                let outer = of_solver(format!("world {world}: {error}"));
                outer.set_cause(py, Some(error));
                outer
            }
        }
    }
}

/// A world in use by one thread.
pub(crate) type EnteredWorld<'w> = MutexGuard<'w, Stepped>;

/// A world that threads use in turn.
pub(crate) struct SharedWorld {
    state: Mutex<Stepped>,
    /// The thread that advances the world. A solver of Python runs on it and cannot wait for it.
    stepper: Mutex<Option<ThreadId>>,
}

impl SharedWorld {
    /// A world without a scheme.
    pub(crate) fn new(world: World) -> Self {
        let state = Stepped {
            world,
            scheme: None,
            recording: None,
            raised: Raised::default(),
        };
        Self {
            state: Mutex::new(state),
            stepper: Mutex::default(),
        }
    }

    /// Waits until no other thread uses the world; the interpreter is free meanwhile, because the
    /// solver of the other thread may need it.
    pub(crate) fn enter(&self) -> PyResult<EnteredWorld<'_>> {
        self.refuse_own_step()?;
        let entered = Python::attach(|py| self.state.lock_py_attached(py));
        Ok(entered.unwrap_or_else(PoisonError::into_inner))
    }

    /// Fails within a step that this thread does.
    pub(crate) fn refuse_own_step(&self) -> PyResult<()> {
        if *stepper_of(&self.stepper) == Some(thread::current().id()) {
            return Err(refused(
                "the world is being stepped: a solver cannot use the world whose problem it solves",
            ));
        }
        Ok(())
    }

    /// Advances by one frame; the caller has released the interpreter.
    pub(crate) fn advance(&self, dt: f64) -> Result<(), StepFailure> {
        self.refuse_own_step().map_err(StepFailure::Raised)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let stepping = SteppingThread::begin(&self.stepper);
        let stepped = state.advance(dt);
        drop(stepping);
        stepped
    }
}

fn stepper_of(stepper: &Mutex<Option<ThreadId>>) -> MutexGuard<'_, Option<ThreadId>> {
    stepper.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Marks this thread as the one that advances a world, until it is dropped.
struct SteppingThread<'w>(&'w Mutex<Option<ThreadId>>);

impl<'w> SteppingThread<'w> {
    fn begin(stepper: &'w Mutex<Option<ThreadId>>) -> Self {
        *stepper_of(stepper) = Some(thread::current().id());
        Self(stepper)
    }
}

impl Drop for SteppingThread<'_> {
    fn drop(&mut self) {
        *stepper_of(self.0) = None;
    }
}
