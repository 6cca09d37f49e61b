//! Eigenvalues and singular values through faer, sequential, with its failures as errors.

use delassus_core::{SolveError, interrupt};
use faer::diag::DiagRef;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::linalg::svd::{self, ComputeSvdVectors};
use faer::{Col, Mat, MatMut, MatRef, Par};

/// Eigenvalues (ascending) and eigenvectors (columns) of a symmetric matrix; reads the lower
/// triangle.
pub(crate) fn symmetric(matrix: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), SolveError> {
    let n = matrix.nrows();
    if n == 0 {
        return Ok((Vec::new(), Mat::new()));
    }
    afford(n)?;
    let mut values = Col::<f64>::zeros(n);
    let mut vectors = Mat::<f64>::zeros(n, n);
    let scratch = evd::self_adjoint_evd_scratch::<f64>(
        n,
        ComputeEigenvectors::Yes,
        Par::Seq,
        Default::default(),
    );
    evd::self_adjoint_evd(
        matrix,
        values.as_diagonal_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| SolveError::Factorization {
        reason: "the eigenvalue iteration did not converge",
    })?;
    Ok((finite(values.as_diagonal())?, vectors))
}

/// Singular values of a square matrix.
pub(crate) fn singular_values(matrix: MatRef<'_, f64>) -> Result<Vec<f64>, SolveError> {
    if matrix.nrows() == 0 {
        return Ok(Vec::new());
    }
    afford(matrix.nrows())?;
    svd(matrix, None)
}

/// Singular values, and the left and the right singular vectors as columns.
pub(crate) type Spectrum = (Vec<f64>, Mat<f64>, Mat<f64>);

/// Singular values (descending) of a square matrix with its singular vectors.
pub(crate) fn singular_vectors(matrix: MatRef<'_, f64>) -> Result<Spectrum, SolveError> {
    let n = matrix.nrows();
    if n == 0 {
        return Ok((Vec::new(), Mat::new(), Mat::new()));
    }
    let (mut left, mut right) = (Mat::<f64>::zeros(n, n), Mat::<f64>::zeros(n, n));
    let values = svd(matrix, Some([left.as_mut(), right.as_mut()]))?;
    Ok((values, left, right))
}

/// Singular values; writes the left and the right singular vectors.
fn svd(
    matrix: MatRef<'_, f64>,
    vectors: Option<[MatMut<'_, f64>; 2]>,
) -> Result<Vec<f64>, SolveError> {
    let n = matrix.nrows();
    let mut values = Col::<f64>::zeros(n);
    let (kind, [left, right]) = match vectors {
        Some(vectors) => (ComputeSvdVectors::Full, vectors.map(Some)),
        None => (ComputeSvdVectors::No, [None, None]),
    };
    let scratch = svd::svd_scratch::<f64>(n, n, kind, kind, Par::Seq, Default::default());
    svd::svd(
        matrix,
        values.as_diagonal_mut(),
        left,
        right,
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| SolveError::Factorization {
        reason: "the singular value iteration did not converge",
    })?;
    finite(values.as_diagonal())
}

/// Largest eigenvalue of the symmetric part of a small matrix given row-major.
pub(crate) fn largest_eigenvalue(dim: usize, values: &[f64]) -> Result<f64, SolveError> {
    let part = Mat::from_fn(dim, dim, |i, j| {
        0.5 * (values[i * dim + j] + values[j * dim + i])
    });
    let (eigenvalues, _) = symmetric(part.as_ref())?;
    Ok(eigenvalues.last().copied().unwrap_or(0.0))
}

/// Ends where a decomposition of n rows does not fit into what the caller has left: it cannot be
/// divided.
fn afford(n: usize) -> Result<(), SolveError> {
    let n = n as f64;
    interrupt::afford(2.0 * n * n * n)
}

fn finite(values: DiagRef<'_, f64>) -> Result<Vec<f64>, SolveError> {
    let values: Vec<f64> = values.column_vector().iter().copied().collect();
    if values.iter().all(|v| v.is_finite()) {
        return Ok(values);
    }
    Err(SolveError::Factorization {
        reason: "the spectrum is not finite: the entries of the matrix are out of range",
    })
}
