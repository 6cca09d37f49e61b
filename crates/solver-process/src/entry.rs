//! The entry of a registry for a solver in a process: what its hello declares.

use std::ops::Bound;
use std::sync::Arc;

use delassus_core::parameter::{Map, Range, Value};
use delassus_core::registry::Solvers;
use delassus_core::suggest::{Hint, nearest};
use delassus_core::{
    Category, Choice, Determinism, Entry, EntryError, LawForm, LawKind, ParameterDoc, Precision,
    ProcessFault, SolverDescriptor, Support, WorkUnit, intern,
};

use crate::hello::{DeclaredSolver, Hello, support};
use crate::peer_file::{PEER_FILE, PeerFile, folder, names, no_solver};
use crate::pool;
use crate::program::{PeerProgram, ProcessName, refused};
use crate::solver::{ProcessSolver, SolverSettings};

/// Tolerance that a peer gets where nobody sets one, in the unit of its own residual.
const TOLERANCE: f64 = 1e-10;
/// Time of one solve where nobody sets one \[s\].
const SECONDS: f64 = 600.0;

/// What becomes of the program of a name `cmd:…` or `py:…`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commands {
    /// It is started, and a request with a command that does not start is refused.
    Start,
    /// It is started; a command that does not start counts as a program that is not on this
    /// machine.
    StartOrCountAsAbsent,
    /// It is not started, and a request that needs it is refused.
    Refuse,
    /// It is not started, and counts as a program that is not on this machine.
    CountAsAbsent,
    /// The same, of a peer too.
    CountPeersAsAbsent,
}

impl Commands {
    /// Why a program is not started; `None` if it is. `is_installed` says that it is a peer or an
    /// engine of this machine, not a command of the user's.
    pub fn fault(self, is_installed: bool) -> Option<ProcessFault> {
        match (self, is_installed) {
            (Self::Start | Self::StartOrCountAsAbsent, _)
            | (Self::Refuse | Self::CountAsAbsent, true) => None,
            (Self::Refuse, false) => Some(ProcessFault::Held),
            (Self::CountAsAbsent, false) | (Self::CountPeersAsAbsent, _) => {
                Some(ProcessFault::Absent(NOT_STARTED.to_owned()))
            }
        }
    }

    /// What a program is that does not start with the reason `fault`: a mistake of the request, or
    /// a program that is not on this machine. `is_installed` as for [`Self::fault`].
    pub fn failed(self, is_installed: bool, fault: String) -> ProcessFault {
        match (self, is_installed) {
            (Self::Start, false) => ProcessFault::Broken(fault),
            _ => ProcessFault::Absent(fault),
        }
    }

    /// The installed peer or engine that was meant by `name`, which has no file `file`; `None` if
    /// none is close, or where results may name what is not here.
    pub fn meant(self, name: &str, file: &str) -> Option<ProcessFault> {
        if self != Self::Start || folder(name, file).is_ok() {
            return None;
        }
        let known = names(file);
        let meant = nearest(name, known.iter().map(String::as_str))?;
        Some(ProcessFault::Name(format!(
            "there is no {name}/{file}; did you mean {meant:?}?"
        )))
    }
}

/// Why a program counts as absent that a results folder names.
const NOT_STARTED: &str =
    "this command starts no program that results from elsewhere name; `run` and `solve` do";

/// The entry of the solver `name`, `cmd:…`, `py:…` or `peer:…`.
///
/// A program is started for its hello the first time. The entry of a program that is not started,
/// or is not on this machine, is open and cannot be built.
///
/// # Errors
/// A name that is none, a command that does not start, a solver that the program does not have.
pub fn entry(name: &str, commands: Commands) -> Result<Entry<Solvers>, EntryError> {
    let parsed = ProcessName::parse(name)?;
    let name = name.trim();
    let is_installed = matches!(parsed, ProcessName::Peer { .. });
    if let Some(fault) = commands.fault(is_installed) {
        return Ok(absent(name, None, fault));
    }
    if let ProcessName::Peer { peer, .. } = &parsed
        && let Some(fault) = commands.meant(peer, PEER_FILE)
    {
        return Err(refused(name, fault));
    }
    let (program, file) = match parsed.program() {
        Ok(found) => found,
        Err(fault) => {
            let file = file_of(&parsed);
            if let Some(fault) = misspelt(&parsed, file.as_ref(), commands) {
                return Err(refused(name, fault));
            }
            let install = file.as_ref().map(PeerFile::install_line);
            let fault = ProcessFault::Absent(fault + &install.unwrap_or_default());
            return Ok(absent(name, file, fault));
        }
    };
    let hello = match pool::hello(&program) {
        Ok(hello) => hello,
        Err(fault) => {
            if let Some(fault) = misspelt(&parsed, file.as_ref(), commands) {
                return Err(refused(name, fault));
            }
            let install = file.as_ref().map(PeerFile::install_line);
            let fault = fault + &install.unwrap_or_default();
            return match commands.failed(is_installed, fault) {
                fault @ ProcessFault::Broken(_) => Err(refused(name, fault)),
                fault => Ok(absent(name, file, fault)),
            };
        }
    };
    let declared = chosen(&parsed, &hello).map_err(|fault| refused(name, fault))?;
    Ok(present(name, program, &hello, declared))
}

/// The file of a peer, where that can be read.
fn file_of(name: &ProcessName) -> Option<PeerFile> {
    let ProcessName::Peer { peer, .. } = name else {
        return None;
    };
    PeerFile::read(&folder(peer, PEER_FILE).ok()?).ok()
}

/// The error about a solver that the file of its peer does not list. The peer does not run, so that
/// nothing but its file says which solvers it has; results may name what is not here.
fn misspelt(
    name: &ProcessName,
    file: Option<&PeerFile>,
    commands: Commands,
) -> Option<ProcessFault> {
    if commands != Commands::Start {
        return None;
    }
    file?.misspelt(name.solver()?).map(ProcessFault::Name)
}

/// The solver that the name names, or the only one.
fn chosen<'h>(name: &ProcessName, hello: &'h Hello) -> Result<&'h DeclaredSolver, ProcessFault> {
    let all: Vec<&str> = hello.names().collect();
    match name.solver() {
        Some(solver) => hello
            .solver(solver)
            .ok_or_else(|| ProcessFault::Name(no_solver(&hello.peer, solver, hello.names()))),
        None if all.len() == 1 => Ok(&hello.solvers[0]),
        None => Err(ProcessFault::Name(format!(
            "it has the solvers {}; end the command with one of them, as #{}",
            all.join(", "),
            all[0]
        ))),
    }
}

/// The entry of a solver that was linked into the program which made results that name it: it has
/// the parameters that these results say, and cannot be built here.
pub fn linked_elsewhere(
    id: &str,
    name: &str,
    references: &[String],
    defaults: Map,
) -> Entry<Solvers> {
    let references: Vec<&str> = references.iter().map(|key| intern::text(key)).collect();
    let id = intern::text(id);
    let descriptor = SolverDescriptor {
        id,
        name: intern::text(name),
        summary: "A solver that was linked into the program which made these results, and is not in this one.",
        citations: references.leak(),
        unit_is_map: false,
        ..SolverDescriptor::BASE
    };
    let fault = "it was linked into the program that made these results, and is not in this one";
    let make = move |_: &Map, ()| Err(refused(id, ProcessFault::Absent(fault.to_owned())));
    let docs = defaults.keys().map(|key| ParameterDoc {
        name: intern::text(key),
        ..ParameterDoc::NONE
    });
    let mut entry = Entry::<Solvers>::composed(descriptor, docs.collect(), defaults, make);
    entry.open = true;
    entry
}

/// An entry that says why it cannot be built.
fn absent(name: &str, file: Option<PeerFile>, fault: ProcessFault) -> Entry<Solvers> {
    let id = intern::text(name);
    let mut defaults = own_defaults();
    defaults.extend(file.into_iter().flat_map(|file| file.parameters));
    let descriptor = SolverDescriptor {
        id,
        name: id,
        summary: "A solver of a program that is not here, or is not started here.",
        unit_is_map: false,
        ..SolverDescriptor::BASE
    };
    let make = move |_: &Map, ()| Err(refused(id, fault.clone()));
    let mut entry =
        Entry::<Solvers>::composed(descriptor, own_docs("its residual", "-"), defaults, make);
    entry.open = true;
    entry
}

/// The entry of a solver that its peer declares.
fn present(
    name: &str,
    program: PeerProgram,
    hello: &Arc<Hello>,
    declared: &DeclaredSolver,
) -> Entry<Solvers> {
    let descriptor = descriptor(name, hello, declared);
    let tolerance = &declared.tolerance;
    let mut docs = own_docs(&tolerance.meaning, &tolerance.unit);
    let mut defaults = own_defaults();
    for parameter in &declared.parameters {
        docs.push(ParameterDoc {
            name: intern::text(&parameter.name),
            text: intern::text(&parameter.text),
            unit: intern::text(&parameter.unit),
            ..ParameterDoc::NONE
        });
        defaults.insert(parameter.name.clone(), parameter.default.clone());
    }
    let program = Arc::new(program);
    let hello = Arc::clone(hello);
    let declared = declared.clone();
    Entry::<Solvers>::composed(descriptor, docs, defaults, move |map, ()| {
        let settings = settings(descriptor.id, map, &declared)?;
        let (program, hello) = (Arc::clone(&program), Arc::clone(&hello));
        Ok(Box::new(ProcessSolver::new(
            descriptor, program, hello, &declared, settings,
        )))
    })
}

fn descriptor(name: &str, hello: &Hello, declared: &DeclaredSolver) -> SolverDescriptor {
    let title = format!("{} of {} {}", declared.name, hello.peer, hello.version);
    let summary = format!(
        "The solver {} of {} {}, in a process of its own.",
        declared.name, hello.peer, hello.version
    );
    SolverDescriptor {
        id: intern::text(name),
        name: intern::text(&title),
        summary: intern::text(&summary),
        precision: match declared.precision.as_str() {
            "f32" => Precision::F32,
            _ => Precision::F64,
        },
        forms: intern::forms(forms(declared)),
        cone_rows: 6,
        work_unit: match declared.direct {
            true => WorkUnit::Solve,
            false => WorkUnit::Sweep,
        },
        unit_is_map: false,
        restarts: !declared.direct && !declared.chunks,
        determinism: match declared.deterministic {
            true => Determinism::Processor,
            false => Determinism::None,
        },
        needs_bodies: !declared.operators.iter().any(|text| text == "matrix"),
        coupled_compliance: declared.compliance == "coupled",
        needs_positive_diagonal: false,
        max_asymmetry: match declared.unsymmetric {
            true => f64::INFINITY,
            false => 1e-12,
        },
        ..SolverDescriptor::BASE
    }
}

/// The forms of the declared laws; one that several laws have is exact if one of them is.
fn forms(declared: &DeclaredSolver) -> Vec<(LawForm, Support)> {
    let mut forms: Vec<(LawForm, Support)> = Vec::new();
    for (law, words) in &declared.laws {
        let Ok(kind) = LawKind::from_name(law) else {
            continue;
        };
        let own = support(words);
        match forms.iter_mut().find(|(form, _)| *form == kind.form()) {
            Some((_, known)) if own == Support::Exact => *known = own,
            Some(_) => {}
            None => forms.push((kind.form(), own)),
        }
    }
    forms
}

fn own_defaults() -> Map {
    let pairs = [("tolerance", TOLERANCE), ("seconds", SECONDS)];
    let named = pairs.map(|(name, value)| (name.to_owned(), Value::from(value)));
    named.into_iter().collect()
}

fn own_docs(meaning: &str, unit: &str) -> Vec<ParameterDoc> {
    let from = |text, expected, lowest| Range {
        text,
        expected,
        bounds: (lowest, Bound::Unbounded),
    };
    let text =
        format!("Tolerance of the program for {meaning}. 0 asks for its limit of iterations.");
    vec![
        ParameterDoc {
            name: "tolerance",
            text: intern::text(&text),
            unit: intern::text(unit),
            range: from(">= 0", "it must be >= 0", Bound::Included(0.0)),
            ..ParameterDoc::NONE
        },
        ParameterDoc {
            name: "seconds",
            text: "Time of one solve at most.",
            unit: "s",
            range: from("> 0", "it must be > 0", Bound::Excluded(0.0)),
            ..ParameterDoc::NONE
        },
    ]
}

/// The parameters of a solver, checked against its declaration.
fn settings(
    id: &'static str,
    map: &Map,
    declared: &DeclaredSolver,
) -> Result<SolverSettings, EntryError> {
    let wrong = |parameter: &str, reason: &str| EntryError::Parameter {
        kind: Solvers::NAME,
        id,
        parameter: parameter.to_owned(),
        reason: format!("{parameter}: {reason}"),
    };
    let mut settings = SolverSettings {
        tolerance: TOLERANCE,
        seconds: SECONDS,
        parameters: Map::new(),
    };
    for (name, value) in map {
        let number = value.as_f64().filter(|x| x.is_finite());
        match name.as_str() {
            "tolerance" => {
                let number = number.filter(|x| *x >= 0.0);
                let number = number.ok_or_else(|| wrong(name, "it must be a number >= 0"))?;
                settings.tolerance = number;
            }
            "seconds" => {
                let number = number.filter(|x| *x > 0.0);
                let number = number.ok_or_else(|| wrong(name, "it must be a number > 0"))?;
                settings.seconds = number;
            }
            _ => {
                let own = declared.parameters.iter().find(|own| own.name == *name);
                let Some(own) = own else {
                    let known = declared.parameters.iter().map(|own| own.name.as_str());
                    let known = known.chain(crate::hello::TAKEN);
                    return Err(EntryError::UnknownParameter {
                        kind: Solvers::NAME,
                        id,
                        parameter: name.clone(),
                        hint: Hint::new(name, known),
                    });
                };
                let value = like(value, &own.default).ok_or_else(|| {
                    wrong(name, &format!("its type must be that of {}", own.default))
                })?;
                settings.parameters.insert(name.clone(), value);
            }
        }
    }
    Ok(settings)
}

/// The value in the type of its default; `None` if it has another.
pub fn like(value: &Value, default: &Value) -> Option<Value> {
    match default {
        Value::Bool(_) => value.is_boolean().then(|| value.clone()),
        Value::String(_) => value.is_string().then(|| value.clone()),
        Value::Number(number) if number.is_f64() => value.as_f64().map(Value::from),
        Value::Number(_) => (value.is_i64() || value.is_u64()).then(|| value.clone()),
        _ => None,
    }
}
