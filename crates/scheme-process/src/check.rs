//! Whether an engine keeps the protocol and its promises: small scenes whose motion has a closed
//! form, so that no scheme of this program takes part in the verdict.

mod cases;
mod scenes;
mod subject;

use std::sync::Arc;

use delassus_core::parameter::Map;
use delassus_core::{EntryError, ProcessFault};
use delassus_dynamics::SchemeError;
use delassus_solver_process::{CheckedCase, Commands, greeting};

use crate::entry::entry;
use crate::hello::EngineHello;
use crate::name::{EngineName, refused};
use subject::Subject;

/// Checks the engine `name`, `engine:NAME` or `engine-cmd:WORDS…`, which is started. A frame may
/// take `seconds` \[s\].
///
/// # Errors
/// A name that is none, a program that cannot be started or says no valid hello.
pub fn check(name: &str, seconds: f64) -> Result<(EngineHello, Vec<CheckedCase>), EntryError> {
    let parsed = EngineName::parse(name)?;
    let absent = |fault| refused(name, ProcessFault::Absent(fault));
    // what cannot be started says why, and how to install it
    let entry = entry(name, Commands::Start)?;
    if let Err(SchemeError::Entry(error)) = entry.build_with(&Map::new(), None)
        && matches!(error, EntryError::Process { .. })
    {
        return Err(error);
    }
    let file = parsed.file().map_err(absent)?;
    let program = parsed.program(file.as_ref()).map_err(absent)?;
    let message = greeting(&program).map_err(absent)?;
    let hello = EngineHello::of(&message).map_err(absent)?;
    let parameters = hello.parameters.iter();
    let parameters = parameters.map(|own| (own.name.clone(), own.default.clone()));
    let subject = Subject {
        program: Arc::new(program),
        parameters: parameters.collect::<Map>(),
        is_single: hello.precision == "f32",
        seconds,
    };
    Ok((hello, cases::all(&subject)))
}
