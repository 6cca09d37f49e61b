//! The hidden verb of the processes that `delassus run` starts for its cells.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use delassus_runner::isolate::Isolation;

use super::args::RunVerb;
use super::failure::Failure;
use super::host::host;
use crate::registry::Registry;

/// The name of the verb.
const VERB: &str = "work-on-cells";

/// Whether the cells of a run have processes of their own, as it was asked for; `None` for never.
pub(super) fn isolation(verb: &RunVerb) -> Option<Isolation> {
    if verb.no_isolate {
        return None;
    }
    let program = match program() {
        None if !verb.isolate => return None,
        // starting it fails, and says so
        program => program.unwrap_or_default(),
    };
    Some(Isolation {
        program,
        arguments: arguments(),
        always: verb.isolate,
    })
}

/// Cells in processes of their own, whatever it takes.
#[cfg(unix)]
pub(super) fn always() -> Isolation {
    Isolation {
        // without one, starting it fails, and says so
        program: program().unwrap_or_default(),
        arguments: arguments(),
        always: true,
    }
}

/// The words that start this program for cells.
fn arguments() -> Vec<OsString> {
    let of_host = host().map_or(&[][..], |host| &host.arguments);
    of_host.iter().cloned().chain([VERB.into()]).collect()
}

/// This program, the very file that runs: one that was built anew since has other cells.
fn program() -> Option<PathBuf> {
    if let Some(host) = host() {
        return Some(host.program.clone());
    }
    let own = Path::new("/proc/self/exe");
    match own.exists() {
        true => Some(own.to_owned()),
        false => env::current_exe().ok(),
    }
}

/// Runs the verb.
#[cfg(unix)]
pub(super) fn run(registry: &Registry) -> Result<(), Failure> {
    delassus_runner::isolate::serve(registry).map_err(|error| Failure::request(error.to_string()))
}

/// Nobody asks for cells here.
#[cfg(not(unix))]
pub(super) fn run(_: &Registry) -> Result<(), Failure> {
    Err(Failure::Missing(
        delassus_runner::run::RunError::NoIsolation.to_string(),
    ))
}
