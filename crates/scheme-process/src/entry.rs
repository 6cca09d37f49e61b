//! The entry of the list of schemes for an engine: what its hello declares.

use std::ops::Bound;
use std::sync::Arc;

use delassus_core::parameter::{Map, ParameterDoc, Range, Value};
use delassus_core::suggest::Hint;
use delassus_core::{Category, EntryError, ProcessFault, intern};
use delassus_dynamics::{SchemeDescriptor, SchemeEntry, SchemeError, Schemes};
use delassus_solver_process::{Commands, ENGINE_FILE, PeerFile, greeting, like};

use crate::hello::{EngineHello, FRAME_SECONDS};
use crate::name::{EngineName, refused};
use crate::scheme::{EngineScheme, EngineSettings};

/// Time of one frame where nobody sets one \[s\].
const SECONDS: f64 = 60.0;

/// The entry of the engine `name`, `engine:NAME` or `engine-cmd:WORDS…`.
///
/// A program is started for its hello the first time. `commands` says whether a command is. The
/// entry of a program that is not here, or is not started, is open and cannot be built.
///
/// # Errors
/// A name that is none, a command that does not start.
pub fn entry(name: &str, commands: Commands) -> Result<SchemeEntry, EntryError> {
    let parsed = EngineName::parse(name)?;
    let name = name.trim();
    let is_installed = !matches!(parsed, EngineName::Command(_));
    if let Some(fault) = commands.fault(is_installed) {
        return Ok(absent(name, None, fault));
    }
    if let EngineName::Engine(engine) = &parsed
        && let Some(fault) = commands.meant(engine, ENGINE_FILE)
    {
        return Err(refused(name, fault));
    }
    let file = match parsed.file() {
        Ok(file) => file,
        Err(fault) => return Ok(absent(name, None, ProcessFault::Absent(fault))),
    };
    let started = parsed.program(file.as_ref()).and_then(|program| {
        let message = greeting(&program)?;
        let hello = EngineHello::of(&message)?;
        Ok((program, hello))
    });
    match started {
        Ok((program, hello)) => Ok(present(name, EngineSettings::new(program, &hello), hello)),
        Err(fault) => {
            let install = file.as_ref().map(PeerFile::install_line);
            let fault = fault + &install.unwrap_or_default();
            match commands.failed(is_installed, fault) {
                fault @ ProcessFault::Broken(_) => Err(refused(name, fault)),
                fault => Ok(absent(name, file, fault)),
            }
        }
    }
}

fn descriptor(name: &str, title: &str, summary: &str) -> SchemeDescriptor {
    SchemeDescriptor {
        id: intern::text(name),
        aliases: &[],
        name: intern::text(title),
        summary: intern::text(summary),
        citations: &[],
        theory: &[],
        uses_solver: false,
        preset_of: None,
    }
}

/// An entry that says why it cannot be built.
fn absent(name: &str, file: Option<PeerFile>, fault: ProcessFault) -> SchemeEntry {
    let mut defaults = own_defaults();
    defaults.extend(file.into_iter().flat_map(|file| file.parameters));
    let summary = "An engine of a program that is not here, or is not started here.";
    let descriptor = descriptor(name, name, summary);
    let make = move |_: &Map, _| Err(SchemeError::from(refused(descriptor.id, fault.clone())));
    let mut entry = SchemeEntry::composed(descriptor, own_docs(), defaults, make);
    entry.open = true;
    entry
}

/// The entry of an engine that runs here.
fn present(name: &str, settings: EngineSettings, hello: EngineHello) -> SchemeEntry {
    let title = format!("{} {}", hello.engine, hello.version);
    let summary = format!("The engine {title}, in a process of its own.");
    let descriptor = descriptor(name, &title, &summary);
    let (mut docs, mut defaults) = (own_docs(), own_defaults());
    for parameter in &hello.parameters {
        docs.push(ParameterDoc {
            name: intern::text(&parameter.name),
            text: intern::text(&parameter.text),
            unit: intern::text(&parameter.unit),
            ..ParameterDoc::NONE
        });
        defaults.insert(parameter.name.clone(), parameter.default.clone());
    }
    let settings = Arc::new(settings);
    SchemeEntry::composed(descriptor, docs, defaults, move |map, solver| {
        if solver.is_some() {
            return Err(SchemeError::SolverChoice {
                scheme: descriptor.id,
                expected: "solves by itself: name no solver",
            });
        }
        let (seconds, own) = given(descriptor.id, map, &hello)?;
        let settings = Arc::clone(&settings);
        Ok(Box::new(EngineScheme::new(
            descriptor, settings, own, seconds,
        )))
    })
}

fn own_defaults() -> Map {
    Map::from_iter([(FRAME_SECONDS.to_owned(), Value::from(SECONDS))])
}

fn own_docs() -> Vec<ParameterDoc> {
    let above = Range {
        text: "> 0",
        expected: "it must be > 0",
        bounds: (Bound::Excluded(0.0), Bound::Unbounded),
    };
    vec![ParameterDoc {
        name: FRAME_SECONDS,
        text: "Time of one frame at most, and of reading the scene.",
        unit: "s",
        range: above,
        ..ParameterDoc::NONE
    }]
}

/// The time of a frame and the parameters of the engine, checked against its declaration.
fn given(id: &'static str, map: &Map, hello: &EngineHello) -> Result<(f64, Map), EntryError> {
    let wrong = |parameter: &str, reason: String| EntryError::Parameter {
        kind: Schemes::NAME,
        id,
        parameter: parameter.to_owned(),
        reason: format!("{parameter}: {reason}"),
    };
    let (mut seconds, mut own) = (SECONDS, Map::new());
    for (name, value) in map {
        if name == FRAME_SECONDS {
            let number = value.as_f64().filter(|x| x.is_finite() && *x > 0.0);
            seconds = number.ok_or_else(|| wrong(name, "it must be a number > 0".to_owned()))?;
            continue;
        }
        let declared = hello.parameters.iter().find(|own| own.name == *name);
        let Some(declared) = declared else {
            let known = hello.parameters.iter().map(|own| own.name.as_str());
            return Err(EntryError::UnknownParameter {
                kind: Schemes::NAME,
                id,
                parameter: name.clone(),
                hint: Hint::new(name, known.chain([FRAME_SECONDS])),
            });
        };
        let value = like(value, &declared.default);
        let value = value.ok_or_else(|| {
            wrong(
                name,
                format!("its type must be that of {}", declared.default),
            )
        })?;
        own.insert(name.clone(), value);
    }
    Ok((seconds, own))
}
