//! Exceptions, with the texts of the errors that they stand for.

use std::fmt::Display;

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyException;

create_exception!(
    delassus,
    DelassusError,
    PyException,
    "What a call of this package refuses: what is wrong, where, and what to do."
);
create_exception!(
    delassus,
    FileError,
    DelassusError,
    "A file that is no problem or scene, or a problem that a format has no place for."
);
create_exception!(
    delassus,
    SolverError,
    DelassusError,
    "A solver that refuses a problem or fails. Not converging is a status, not an error."
);

/// The exception for a wrong argument.
pub(crate) fn refused(error: impl Display) -> PyErr {
    DelassusError::new_err(error.to_string())
}

/// The exception for a file.
pub(crate) fn of_file(error: impl Display) -> PyErr {
    FileError::new_err(error.to_string())
}

/// The exception for a solver or a scheme.
pub(crate) fn of_solver(error: impl Display) -> PyErr {
    SolverError::new_err(error.to_string())
}
