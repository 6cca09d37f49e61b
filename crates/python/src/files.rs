//! Problem files, read and written.

use delassus_core::MemoryLimit;
use delassus_formats::{FieldProblem, fclib, text};
use delassus_problems::{
    FieldForm, MatrixStorage, NamedProblem, ProblemWriteError, npz_bytes, snapshot_bytes, to_field,
};
use pyo3::PyResult;

use crate::errors::{of_file, refused};

/// The bytes of a file, and what it has no place for.
pub(crate) type FileBytes = (Vec<u8>, Vec<String>);

/// The content of a file in a format by its name.
pub(crate) fn bytes_of(named: &NamedProblem, format: &str) -> PyResult<FileBytes> {
    let made = match format {
        "dls" => Ok((snapshot_bytes(named), Vec::new())),
        "npz" => npz_bytes(named, MemoryLimit::default()).map(|bytes| (bytes, Vec::new())),
        "text" => text_bytes(named),
        "fclib" => fclib_bytes(named),
        _ => {
            return Err(refused(format!(
                "unknown format {format:?}: dls, npz, fclib or text"
            )));
        }
    };
    made.map_err(of_file)
}

/// Masses and Jacobians where the format takes them, else the matrix.
fn fclib_bytes(named: &NamedProblem) -> Result<FileBytes, ProblemWriteError> {
    let storage = MatrixStorage::BlockSparse;
    let exported = to_field(named, FieldForm::Global, storage)
        .or_else(|_| to_field(named, FieldForm::Local, storage))?;
    let mut losses = exported.losses;
    let is_global = matches!(exported.file.problem, FieldProblem::Global(_));
    if named.problem.bodies().is_some() && !is_global {
        losses.push("the masses and Jacobians, of which the matrix is written".to_owned());
    }
    Ok((fclib::write(&exported.file)?, losses))
}

fn text_bytes(named: &NamedProblem) -> Result<FileBytes, ProblemWriteError> {
    let form = FieldForm::fitting(&named.problem);
    let exported = to_field(named, form, MatrixStorage::BlockSparse)?;
    let mut losses = exported.losses;
    if named.problem.bodies().is_some() {
        losses.push("the masses and Jacobians, of which the matrix is written".to_owned());
    }
    if exported.file.solution.is_some() {
        losses.push("the solution".to_owned());
    }
    if !exported.file.guesses.is_empty() {
        losses.push("the guess that a solver may start from".to_owned());
    }
    let text = text::write(&exported.file.problem)?;
    Ok((text.into_bytes(), losses))
}
