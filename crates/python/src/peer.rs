//! A solver of Python with its own calls, for the process that answers `py:MODULE:NAME`.

use delassus_core::{ImpulseSolver, SolveError, Start};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::errors::of_solver;
use crate::problem::{NativeProblem, Vector};
use crate::solver::{Declaration, PythonSolver, Raised, take};

/// A solver of Python; rows and laws are those of the problem as it stands.
#[pyclass(module = "delassus._native")]
pub(crate) struct NativeSolver {
    solver: PythonSolver,
    raised: Raised,
}

impl NativeSolver {
    /// The exception of the solver's own code, or of what refused to call it.
    fn failed(&self, error: SolveError) -> PyErr {
        take(&self.raised).unwrap_or_else(|| of_solver(error))
    }
}

#[pymethods]
impl NativeSolver {
    #[new]
    fn new(make: Py<PyAny>, declaration: Declaration) -> PyResult<Self> {
        let raised = Raised::default();
        let solver = PythonSolver::new(&make, declaration.descriptor()?, &raised);
        match take(&raised) {
            Some(error) => Err(error),
            None => Ok(Self { solver, raised }),
        }
    }

    #[pyo3(signature = (problem, start))]
    fn prepare(&mut self, problem: &NativeProblem, start: Option<Vector<'_>>) -> PyResult<()> {
        let start = match &start {
            Some(start) => Start::Warm(start.as_slice()?),
            None => Start::Cold,
        };
        let prepared = self.solver.prepare(&problem.named.problem, start);
        prepared.map_err(|error| self.failed(error))
    }

    fn iterate(&mut self, problem: &NativeProblem, sweeps: u32) -> PyResult<()> {
        let done = self.solver.iterate(&problem.named.problem, sweeps);
        done.map(drop).map_err(|error| self.failed(error))
    }

    fn impulses<'py>(
        &mut self,
        py: Python<'py>,
        problem: &NativeProblem,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut impulses = vec![0.0; problem.named.problem.rows()];
        let read = self.solver.read_impulses(&mut impulses);
        read.map_err(|error| self.failed(error))?;
        Ok(impulses.into_pyarray(py))
    }
}
