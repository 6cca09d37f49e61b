//! Solves, judged outside the solver.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use delassus::{Error, SolveLimits, SolveOutcome, solve_with};
use delassus_core::{ImpulseSolver, Problem, Start, interrupt};
use delassus_reference::{ReferenceOptions, certify};
use delassus_registry::Registry;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{of_solver, refused};
use crate::json::map_of;
use crate::problem::{NativeProblem, Vector, residual_dict};
use crate::solver::{Declaration, PythonSolver, Raised, take};

/// How often a solve looks for Ctrl-C, at most [1/s]: taking hold of the interpreter costs.
pub(crate) const LOOKS: f64 = 20.0;

/// Every solver, and programs that the caller names.
pub(crate) fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| Registry::standard().with_commands())
}

/// Runs work without the interpreter that Ctrl-C ends.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let signalled: Raised = Raised::default();
    let seen = Arc::clone(&signalled);
    let last = Mutex::new(Instant::now());
    let left = move || {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_none() && last.elapsed().as_secs_f64() * LOOKS >= 1.0 {
            *last = Instant::now();
            *seen = Python::attach(|py| py.check_signals()).err();
        }
        if seen.is_some() { 0.0 } else { f64::INFINITY }
    };
    let done = py.detach(|| interrupt::within(Arc::new(left), work));
    match take(&signalled) {
        Some(signal) => Err(signal),
        None => Ok(done),
    }
}

/// The exception of an error of a solve: that of the solver's own code, if it has raised one.
fn failed(error: Error, raised: &Raised) -> PyErr {
    take(raised).unwrap_or_else(|| match error {
        Error::Entry(_) | Error::Field(_) => refused(error),
        other => of_solver(other),
    })
}

/// How long and from where a solve goes.
struct Request<'a> {
    start: Option<&'a [f64]>,
    limits: SolveLimits,
}

fn run(
    problem: &Problem,
    solver: &mut dyn ImpulseSolver,
    request: &Request<'_>,
) -> Result<SolveOutcome, Error> {
    let start = request.start.map_or(Start::Cold, Start::Warm);
    solve_with(problem, solver, start, &request.limits)
}

/// What work gives, and the time that it took [s].
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let began = Instant::now();
    let done = work();
    (done, began.elapsed().as_secs_f64())
}

/// The outcome as a dictionary.
fn outcome_dict<'py>(
    py: Python<'py>,
    outcome: SolveOutcome,
    seconds: f64,
    decisions: Vec<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("status", outcome.status.id())?;
    dict.set_item("message", outcome.message)?;
    dict.set_item("seconds", seconds)?;
    dict.set_item("residual", outcome.residual)?;
    dict.set_item("residuals", residual_dict(py, &outcome.residuals)?)?;
    dict.set_item("sweeps", outcome.sweeps)?;
    dict.set_item("row_updates", outcome.row_updates)?;
    let (sweeps, residuals): (Vec<u64>, Vec<f64>) = outcome
        .history
        .iter()
        .map(|point| (point.sweeps, point.residual))
        .unzip();
    dict.set_item("history_sweeps", PyArray1::from_vec(py, sweeps))?;
    dict.set_item("history_residuals", PyArray1::from_vec(py, residuals))?;
    dict.set_item("impulses", outcome.impulses.into_pyarray(py))?;
    let velocities: Vec<f64> = outcome.velocities.into_iter().flatten().collect();
    dict.set_item("velocities", velocities.into_pyarray(py))?;
    dict.set_item("approximations", outcome.approximations)?;
    dict.set_item("decisions", decisions)?;
    Ok(dict)
}

fn limits(tolerance: f64, max_sweeps: u64) -> SolveLimits {
    SolveLimits {
        tolerance,
        max_sweeps,
    }
}

/// Solves with a solver of the workspace.
#[pyfunction]
#[pyo3(signature = (problem, solver, parameters, tolerance, max_sweeps, start))]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    problem: &NativeProblem,
    solver: &str,
    parameters: &str,
    tolerance: f64,
    max_sweeps: u64,
    start: Option<Vector<'py>>,
) -> PyResult<Bound<'py, PyDict>> {
    let parameters = map_of(parameters)?;
    let entry = registry().find(solver).map_err(refused)?;
    let mut solver = entry.build(&parameters).map_err(refused)?;
    let named = Arc::clone(&problem.named);
    let request = Request {
        start: start.as_ref().map(|start| start.as_slice()).transpose()?,
        limits: limits(tolerance, max_sweeps),
    };
    let outcome = interruptible(py, || {
        let (outcome, seconds) = timed(|| run(&named.problem, solver.as_mut(), &request));
        let decisions = solver.facts().decisions;
        outcome.map(|outcome| (outcome, seconds, decisions))
    })?;
    let (outcome, seconds, decisions) =
        outcome.map_err(|error| failed(error, &Raised::default()))?;
    outcome_dict(py, outcome, seconds, decisions)
}

/// Solves with a solver of Python, which `make` makes.
#[pyfunction]
#[pyo3(signature = (problem, make, declaration, tolerance, max_sweeps, start))]
pub(crate) fn solve_own<'py>(
    py: Python<'py>,
    problem: &NativeProblem,
    make: Py<PyAny>,
    declaration: Declaration,
    tolerance: f64,
    max_sweeps: u64,
    start: Option<Vector<'py>>,
) -> PyResult<Bound<'py, PyDict>> {
    let raised = Raised::default();
    let mut solver = PythonSolver::new(&make, declaration.descriptor()?, &raised);
    if let Some(error) = take(&raised) {
        return Err(error);
    }
    let named = Arc::clone(&problem.named);
    let request = Request {
        start: start.as_ref().map(|start| start.as_slice()).transpose()?,
        limits: limits(tolerance, max_sweeps),
    };
    let (outcome, seconds) =
        interruptible(py, || timed(|| run(&named.problem, &mut solver, &request)))?;
    // an exception is no way for a solve to end
    if let Some(error) = take(&raised) {
        return Err(error);
    }
    let outcome = outcome.map_err(|error| failed(error, &raised))?;
    outcome_dict(py, outcome, seconds, Vec::new())
}

/// Solutions on which independent methods agree.
#[pyfunction]
#[pyo3(signature = (problem, tolerance, thorough))]
pub(crate) fn reference<'py>(
    py: Python<'py>,
    problem: &NativeProblem,
    tolerance: f64,
    thorough: bool,
) -> PyResult<Bound<'py, PyDict>> {
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(refused(format!(
            "tolerance = {tolerance}: a finite number above 0"
        )));
    }
    let options = ReferenceOptions {
        tolerance,
        thorough,
        ..ReferenceOptions::default()
    };
    let named = Arc::clone(&problem.named);
    let search = interruptible(py, || {
        certify(&named.problem, registry(), options, &AtomicBool::new(false))
    })?;
    let certified = search.reference.map_err(of_solver)?;
    let dict = PyDict::new(py);
    let unique = format!("{:?}", certified.uniqueness).to_lowercase();
    dict.set_item("uniqueness", unique)?;
    let mut solutions = Vec::new();
    for solution in certified.solutions {
        let own = PyDict::new(py);
        own.set_item("impulses", solution.impulses.into_pyarray(py))?;
        own.set_item("velocities", solution.velocities.into_pyarray(py))?;
        own.set_item("residual", solution.residual)?;
        own.set_item("agreement", solution.agreement)?;
        own.set_item("methods", solution.methods)?;
        solutions.push(own);
    }
    dict.set_item("solutions", solutions)?;
    Ok(dict)
}
