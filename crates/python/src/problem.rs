//! A frozen problem as Python has it.

use std::sync::Arc;

use delassus_core::{ContactLaw, Law, Problem};
use delassus_metrics::{Evaluator, Metric};
use delassus_problems::{NamedProblem, generate, read_bytes, read_file_with};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{BlockSpec, BodyArrays, Entries, of_bodies, of_matrix};
use crate::errors::{of_file, refused};
use crate::files::bytes_of;
use crate::json::map_of;
use crate::laws::numbers_of;
use crate::matrices::{ProblemMatrix, dense_inverse_mass};

/// Rows, columns and values of a sparse matrix, and its shape.
pub(crate) type Sparse<'py> = (
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, f64>,
    (usize, usize),
);

/// Law, first row, number of rows, and numbers of a block.
type BlockRow = (&'static str, usize, usize, Vec<f64>);

/// Values, columns and starts of rows of a sparse matrix, and its number of columns.
type CompressedArrays<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<i32>>,
    usize,
);

/// A vector of numbers from Python.
pub(crate) type Vector<'py> = PyReadonlyArray1<'py, f64>;

/// A square or oblong array from its rows.
pub(crate) fn matrix(
    py: Python<'_>,
    values: Vec<f64>,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    values.into_pyarray(py).reshape([rows, columns])
}

/// A frozen problem with its name and origin.
#[pyclass(frozen, module = "delassus._native")]
pub(crate) struct NativeProblem {
    pub(crate) named: Arc<NamedProblem>,
}

impl NativeProblem {
    pub(crate) fn of(problem: Problem, name: &str, provenance: &str) -> Self {
        Self {
            named: Arc::new(NamedProblem::new(name, problem, provenance)),
        }
    }

    fn problem(&self) -> &Problem {
        &self.named.problem
    }

    /// A vector with one finite number per row.
    fn row_values<'a>(&self, name: &str, given: &'a Vector<'_>) -> PyResult<&'a [f64]> {
        let values = given.as_slice()?;
        let rows = self.problem().rows();
        if values.len() != rows {
            let count = values.len();
            return Err(refused(format!(
                "{name} has {count} numbers, the problem {rows} rows"
            )));
        }
        Ok(values)
    }
}

fn with_entries<'a>(name: &'static str, sparse: &'a Sparse<'_>) -> PyResult<Entries<'a>> {
    let (rows, columns, values, shape) = sparse;
    Ok(Entries {
        name,
        rows: rows.as_slice()?,
        columns: columns.as_slice()?,
        values: values.as_slice()?,
        shape: *shape,
    })
}

#[pymethods]
impl NativeProblem {
    #[staticmethod]
    #[pyo3(signature = (a, b, r, blocks, name))]
    fn from_matrix(
        a: Sparse<'_>,
        b: Vector<'_>,
        r: Option<Sparse<'_>>,
        blocks: Vec<BlockSpec>,
        name: &str,
    ) -> PyResult<Self> {
        let compliance = r.as_ref().map(|r| with_entries("R", r)).transpose()?;
        let a = with_entries("A", &a)?;
        let problem = of_matrix(&a, b.as_slice()?, compliance.as_ref(), &blocks)?;
        Ok(Self::of(problem, name, "arrays of Python: A, b"))
    }

    #[staticmethod]
    #[pyo3(signature = (j, inverse_mass, velocity, bias, r, blocks, name))]
    fn from_bodies(
        j: Sparse<'_>,
        inverse_mass: Vector<'_>,
        velocity: Vector<'_>,
        bias: Vector<'_>,
        r: Option<Sparse<'_>>,
        blocks: Vec<BlockSpec>,
        name: &str,
    ) -> PyResult<Self> {
        let compliance = r.as_ref().map(|r| with_entries("R", r)).transpose()?;
        let bodies = BodyArrays {
            inverse_mass: inverse_mass.as_slice()?,
            free_velocity: velocity.as_slice()?,
        };
        let j = with_entries("J", &j)?;
        let problem = of_bodies(&bodies, &j, bias.as_slice()?, compliance.as_ref(), &blocks)?;
        Ok(Self::of(problem, name, "arrays of Python: J, M, v"))
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: std::path::PathBuf, law: &str) -> PyResult<Self> {
        let law = ContactLaw::of_files(law).map_err(refused)?;
        let named = py.detach(|| read_file_with(&path, law));
        let named = named.map_err(|error| of_file(format!("{}: {error}", path.display())))?;
        Ok(Self {
            named: Arc::new(named),
        })
    }

    /// Reads the content of a snapshot.
    #[staticmethod]
    fn of_snapshot(bytes: &[u8]) -> PyResult<Self> {
        let named = read_bytes("problem.dls", bytes, ContactLaw::Coulomb);
        Ok(Self {
            named: Arc::new(named.map_err(of_file)?),
        })
    }

    #[staticmethod]
    fn generate(py: Python<'_>, id: &str, parameters: &str) -> PyResult<Self> {
        let parameters = map_of(parameters)?;
        let named = py.detach(|| generate(id, &parameters)).map_err(refused)?;
        Ok(Self {
            named: Arc::new(named),
        })
    }

    fn bytes<'py>(
        &self,
        py: Python<'py>,
        format: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<String>)> {
        let (bytes, losses) = bytes_of(&self.named, format)?;
        Ok((PyBytes::new(py, &bytes), losses))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.named.name
    }

    #[getter]
    fn provenance(&self) -> &str {
        &self.named.provenance
    }

    #[getter]
    fn rows(&self) -> usize {
        self.problem().rows()
    }

    #[getter]
    fn bodies(&self) -> Option<usize> {
        self.problem().bodies().map(|bodies| bodies.len())
    }

    #[getter]
    fn blocks(&self) -> Vec<BlockRow> {
        let blocks = self.problem().blocks().iter();
        let row = |block: &delassus_core::Block| {
            let id = block.law.kind().id();
            (id, block.first_row, block.dim, numbers_of(&block.law))
        };
        blocks.map(row).collect()
    }

    /// A, R or J with all entries; `None` for J without bodies.
    fn dense<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let (which, problem) = (ProblemMatrix::named(name)?, self.problem());
        let Some(width) = which.width(problem) else {
            return Ok(None);
        };
        let values = which.dense(problem, width)?;
        values
            .into_pyarray(py)
            .reshape([problem.rows(), width])
            .map(Some)
    }

    /// A, R or J in compressed rows: values, columns, starts of rows, and the number of columns;
    /// `None` for J without bodies.
    fn sparse<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<CompressedArrays<'py>>> {
        let (which, problem) = (ProblemMatrix::named(name)?, self.problem());
        let Some(width) = which.width(problem) else {
            return Ok(None);
        };
        let rows = which.compressed(problem, width)?;
        Ok(Some((
            rows.values.into_pyarray(py),
            rows.columns.into_pyarray(py),
            rows.starts.into_pyarray(py),
            width,
        )))
    }

    fn b<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.problem().b())
    }

    fn bias<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.problem().bias())
    }

    fn inverse_mass<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let bodies = self.problem().bodies()?;
        Some(dense_inverse_mass(bodies).into_pyarray(py))
    }

    fn free_velocity<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let bodies = self.problem().bodies()?;
        Some(PyArray1::from_slice(py, &bodies.free_velocity))
    }

    fn reference<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let impulses = self.named.reference_impulses()?;
        Some(PyArray1::from_slice(py, impulses))
    }

    fn warm_start<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let impulses = self.named.warm_start.as_ref()?;
        Some(PyArray1::from_slice(py, impulses))
    }

    fn velocity<'py>(
        &self,
        py: Python<'py>,
        impulses: Vector<'py>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let impulses = self.row_values("impulses", &impulses)?;
        let mut out = vec![0.0; impulses.len()];
        self.problem().shifted_velocity(impulses, &mut out);
        Ok(out.into_pyarray(py))
    }

    fn body_velocities<'py>(
        &self,
        py: Python<'py>,
        impulses: Vector<'py>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let impulses = self.row_values("impulses", &impulses)?;
        let bodies = self.bodies().unwrap_or(0);
        let mut out = vec![0.0; 6 * bodies];
        let made = self.problem().body_velocities(impulses, &mut out);
        made.map_err(refused)?;
        Ok(out.into_pyarray(py))
    }

    /// w with the De Saxcé term of each cone, of all blocks or of one.
    fn corrected<'py>(
        &self,
        py: Python<'py>,
        velocity: Vector<'py>,
        block: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.of_blocks(py, &velocity, block, |law, dim, values| {
            for factor in law.factors(dim) {
                values[factor.first] += factor.de_saxce_term(values);
            }
        })
    }

    /// The projection of impulses onto the sets of all blocks or of one.
    fn project<'py>(
        &self,
        py: Python<'py>,
        impulses: Vector<'py>,
        block: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.of_blocks(py, &impulses, block, |law, dim, values| {
            // normals come first and bound the friction behind them
            for factor in law.factors(dim) {
                factor.project(values);
            }
        })
    }

    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = self.named.facts();
        let dict = PyDict::new(py);
        dict.set_item("rows", facts.rows)?;
        dict.set_item("blocks", facts.blocks)?;
        dict.set_item("bodies", facts.bodies)?;
        dict.set_item("contacts", facts.contacts)?;
        let laws = PyDict::new(py);
        for (kind, count) in facts.laws {
            laws.set_item(kind.id(), count)?;
        }
        dict.set_item("laws", laws)?;
        dict.set_item("symmetry_defect", facts.symmetry_defect)?;
        dict.set_item("smallest_diagonal", facts.smallest_diagonal)?;
        dict.set_item("soft_rows", facts.soft_rows)?;
        dict.set_item("coupled_blocks", facts.coupled_blocks)?;
        Ok(dict)
    }

    fn metrics<'py>(&self, py: Python<'py>, impulses: Vector<'py>) -> PyResult<Bound<'py, PyDict>> {
        let impulses = self.row_values("impulses", &impulses)?;
        let mut evaluator = Evaluator::new(self.problem()).map_err(refused)?;
        let residuals = evaluator.evaluate(impulses).map_err(refused)?;
        residual_dict(py, &residuals)
    }
}

/// Every residual that applies, by its identifier.
pub(crate) fn residual_dict<'py>(
    py: Python<'py>,
    residuals: &delassus_metrics::Residuals,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for metric in Metric::ALL {
        if let Some(value) = residuals.get(metric) {
            dict.set_item(metric.doc().id, value)?;
        }
    }
    Ok(dict)
}

impl NativeProblem {
    /// Changes a copy of the numbers of all blocks, or of one.
    fn of_blocks<'py>(
        &self,
        py: Python<'py>,
        given: &Vector<'py>,
        block: Option<usize>,
        change: impl Fn(&Law, usize, &mut [f64]),
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let blocks = self.problem().blocks();
        let Some(index) = block else {
            let mut values = self.row_values("the vector", given)?.to_vec();
            for block in blocks {
                change(&block.law, block.dim, &mut values[block.rows()]);
            }
            return Ok(values.into_pyarray(py));
        };
        let Some(block) = blocks.get(index) else {
            let count = blocks.len();
            return Err(refused(format!(
                "block {index}: the problem has {count} blocks, numbered from 0"
            )));
        };
        let mut values = given.as_slice()?.to_vec();
        if values.len() != block.dim {
            let (count, dim) = (values.len(), block.dim);
            return Err(refused(format!(
                "the vector has {count} numbers, block {index} {dim} rows"
            )));
        }
        change(&block.law, block.dim, &mut values);
        Ok(values.into_pyarray(py))
    }
}
