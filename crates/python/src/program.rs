//! The command line of `delassus`, inside the interpreter.

use std::ffi::OsString;
use std::path::PathBuf;

use delassus_lab::cli::{HostProcess, main_in};
use delassus_lab::registry::Registry;
use pyo3::prelude::*;

/// Runs the command line with the words after the name of the program; returns the exit code.
/// `library` is the file of this module, `executable` the interpreter.
#[pyfunction]
pub(crate) fn run_program(
    py: Python<'_>,
    words: Vec<OsString>,
    executable: PathBuf,
    library: PathBuf,
) -> u8 {
    let host = HostProcess {
        program: executable,
        arguments: vec!["-m".into(), "delassus".into()],
        library,
    };
    let words = std::iter::once(OsString::from("delassus")).chain(words);
    py.detach(|| main_in(host, &Registry::standard(), words))
}
