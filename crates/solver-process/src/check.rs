//! Whether a peer keeps the protocol, its laws and its promises: small problems with solutions that
//! are planted, so that no other solver takes part in the verdict.

mod cases;
mod damage;
mod planted;
mod subject;
mod verdict;

use std::sync::Arc;

use delassus_core::parameter::{Map, Value};
use delassus_core::{EntryError, ProcessFault};

use crate::entry::{Commands, entry};
use crate::hello::Hello;
use crate::pool;
use crate::program::{ProcessName, refused};
use subject::{SECONDS, Subject, TOLERANCE};
pub use verdict::{CheckVerdict, CheckedCase};

/// Checks the solver `name`, `cmd:…` or `peer:…`, which is started.
///
/// # Errors
/// A name that is none, a program that cannot be started or says no valid hello.
pub fn check(name: &str) -> Result<(Arc<Hello>, Vec<CheckedCase>), EntryError> {
    let parsed = ProcessName::parse(name)?;
    // what cannot be started says why, and how to install it
    let entry = entry(name, Commands::Start)?;
    let given = [("tolerance", TOLERANCE), ("seconds", SECONDS)];
    let given = given.map(|(key, value)| (key.to_owned(), Value::from(value)));
    let given: Map = given.into_iter().collect();
    drop(entry.build(&given)?);
    let absent = |fault| refused(name, ProcessFault::Absent(fault));
    let (program, _) = parsed.program().map_err(absent)?;
    let hello = pool::hello(&program).map_err(absent)?;
    let only = hello.solvers.first().map(|solver| solver.name.as_str());
    let solver = parsed.solver().or(only).and_then(|name| hello.solver(name));
    let Some(solver) = solver.cloned() else {
        return Err(absent("it has no solver".to_owned()));
    };
    let subject = Subject {
        program,
        solver,
        entry,
        given,
    };
    Ok((hello, cases::all(&subject)))
}
