//! What a file becomes, and what is lost on the way.

use delassus_formats::{FieldFile, FieldProblem, Info, fclib, text};
use delassus_problems::{
    FieldForm, MatrixStorage, NamedProblem, ProblemReadError, ProblemWriteError, npz_bytes,
    snapshot_bytes, to_field,
};

use super::setting::Setting;
use super::source::Source;
use crate::cli::args::{ContainerChoice, ConvertVerb};
use crate::cli::failure::Failure;
use crate::cli::output::printable;

/// What kind of file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    Snapshot,
    Text,
    Fclib,
    Npz,
}

/// A file that is ready to be written.
pub(crate) struct Made {
    pub(crate) bytes: Vec<u8>,
    /// What it is, for people.
    pub(crate) format: String,
    /// What the source has and the file has not.
    pub(crate) losses: Vec<String>,
    /// What was done that loses nothing.
    pub(crate) notes: Vec<String>,
}

/// Why nothing is written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConvertError {
    #[error(transparent)]
    Read(#[from] ProblemReadError),
    #[error(transparent)]
    Write(#[from] ProblemWriteError),
}

/// The kind of file that was asked for, or that the name of the file tells.
pub(super) fn container(verb: &ConvertVerb) -> Result<Container, Failure> {
    if let Some(choice) = verb.format {
        return Ok(match choice {
            ContainerChoice::Dls => Container::Snapshot,
            ContainerChoice::Text => Container::Text,
            ContainerChoice::Fclib => Container::Fclib,
            ContainerChoice::Npz => Container::Npz,
        });
    }
    let ending = verb
        .output
        .extension()
        .unwrap_or_default()
        .to_string_lossy();
    match ending.to_lowercase().as_str() {
        "dls" => Ok(Container::Snapshot),
        "dat" | "txt" => Ok(Container::Text),
        "hdf5" | "h5" => Ok(Container::Fclib),
        "npz" => Ok(Container::Npz),
        _ => Err(Failure::request(format!(
            "{}: the name does not tell the format; end it in .dls, .dat, .hdf5 or .npz, or give --format",
            printable(&verb.output.to_string_lossy())
        ))),
    }
}

/// Makes the file.
pub(crate) fn make(
    source: &Source,
    container: Container,
    verb: &ConvertVerb,
    setting: Setting,
) -> Result<Made, ConvertError> {
    match container {
        Container::Snapshot | Container::Npz => of_problem(source, container, setting),
        Container::Text | Container::Fclib => {
            let (file, losses, notes) = data(source, container, verb, setting)?;
            of_data(&file, container, losses, notes)
        }
    }
}

/// A snapshot or an archive, which hold a frozen problem.
fn of_problem(
    source: &Source,
    container: Container,
    setting: Setting,
) -> Result<Made, ConvertError> {
    let mut named = source.problem(setting)?;
    let mut made = Made {
        bytes: Vec::new(),
        format: String::new(),
        losses: Vec::new(),
        notes: Vec::new(),
    };
    if let Source::Field { file, .. } = source {
        made.losses = unfrozen(file, &named);
        made.notes.push(named.provenance.clone());
        describe(file, &mut named);
    }
    if container == Container::Npz {
        made.format = "NumPy archive".to_owned();
        made.bytes = npz_bytes(&named, setting.limit)?;
        let engine = named.captured.is_some();
        made.losses.extend(engine.then(|| CAPTURED.to_owned()));
        made.notes
            .push("an archive has no name, no provenance and no persistent identifiers".to_owned());
    } else {
        made.format = "snapshot".to_owned();
        made.bytes = snapshot_bytes(&named);
    }
    Ok(made)
}

/// What only our own format has a place for.
const CAPTURED: &str = "the impulses and velocities of the engine that it was captured in";

/// What a frozen problem does not keep of a file.
fn unfrozen(file: &FieldFile, named: &NamedProblem) -> Vec<String> {
    let mut losses = Vec::new();
    if file.solution.is_some() && named.reference.is_none() {
        losses.push("the stored solution, whose impulses do not give its velocities".to_owned());
    }
    if file.guesses.len() > 1 {
        losses.push(format!(
            "{} of {} guesses",
            file.guesses.len() - 1,
            file.guesses.len()
        ));
    }
    if let FieldProblem::Mlcp(mlcp) = &file.problem
        && !mlcp.trailing.is_empty()
    {
        losses.push(format!("{} numbers after the problem", mlcp.trailing.len()));
    }
    losses
}

/// The description of the file becomes part of the provenance.
fn describe(file: &FieldFile, named: &mut NamedProblem) {
    let Some(info) = &file.info else { return };
    for text in [&info.title, &info.description, &info.math_info]
        .into_iter()
        .flatten()
    {
        let text = String::from_utf8_lossy(text);
        if !text.trim().is_empty() {
            named.provenance.push_str("; ");
            named.provenance.push_str(text.trim());
        }
    }
}

/// The data of the file, with losses and notes.
type Data = (FieldFile, Vec<String>, Vec<String>);

/// The data to write: that of the source where it is of the form asked for, else that of its
/// problem.
fn data(
    source: &Source,
    container: Container,
    verb: &ConvertVerb,
    setting: Setting,
) -> Result<Data, ConvertError> {
    let wanted = verb.form.form();
    let Source::Field { file, .. } = source else {
        let named = source.problem(setting)?;
        return frozen(&named, container, wanted, verb.storage.into());
    };
    let own = form_of(&file.problem);
    if wanted.is_none_or(|form| form == own) {
        return Ok(((**file).clone(), Vec::new(), Vec::new()));
    }
    if let (FieldProblem::Global(global), Some(FieldForm::Local)) = (&file.problem, wanted) {
        let reduced = global
            .reduce(setting.limit)
            .map_err(ProblemReadError::from)?;
        let note = format!("reduced by {}", reduced.factorization.name());
        let local = FieldProblem::Local(reduced.local);
        return Ok(without_velocities(file, local, note));
    }
    let named = source.problem(setting)?;
    let mut losses = unfrozen(file, &named);
    let (made, more, notes) = frozen(&named, container, wanted, verb.storage.into())?;
    losses.extend(more);
    Ok((made, losses, notes))
}

/// A global file whose problem is local now: velocities of bodies have no place.
fn without_velocities(file: &FieldFile, local: FieldProblem, note: String) -> Data {
    let mut made = FieldFile {
        problem: local,
        declared_dimension: None,
        ..file.clone()
    };
    let mut dropped = false;
    for solution in made.solution.iter_mut().chain(&mut made.guesses) {
        let velocities = solution.v.take();
        dropped |= velocities.is_some_and(|v| v.iter().any(|v| *v != 0.0));
    }
    let losses = dropped.then(|| "the velocities of bodies in solution and guesses".to_owned());
    (made, losses.into_iter().collect(), vec![note])
}

/// A frozen problem as the data of a file: of the form asked for, else masses and Jacobian where
/// FCLIB takes them, else what fits its laws.
pub(crate) fn frozen(
    named: &NamedProblem,
    container: Container,
    wanted: Option<FieldForm>,
    storage: MatrixStorage,
) -> Result<Data, ConvertError> {
    let exported = match wanted {
        Some(form) => to_field(named, form, storage)?,
        None if container == Container::Fclib => {
            let global = to_field(named, FieldForm::Global, storage);
            global.or_else(|_| to_field(named, FieldForm::Local, storage))?
        }
        None => to_field(named, FieldForm::fitting(&named.problem), storage)?,
    };
    let mut notes = Vec::new();
    let global = matches!(exported.file.problem, FieldProblem::Global(_));
    if named.problem.bodies().is_some() && !global {
        notes.push("the matrix is written, not the masses and Jacobians".to_owned());
    }
    if named.problem.step().is_some() {
        notes.push("time step and gravity, which scale energies, are not kept".to_owned());
    }
    Ok((exported.file, exported.losses, notes))
}

/// The form of a file's problem.
fn form_of(problem: &FieldProblem) -> FieldForm {
    match problem {
        FieldProblem::Local(_) => FieldForm::Local,
        FieldProblem::Global(_) => FieldForm::Global,
        FieldProblem::Lcp(_) => FieldForm::Lcp,
        FieldProblem::Relay(_) => FieldForm::Relay,
        FieldProblem::Mlcp(_) => FieldForm::Mlcp,
    }
}

/// The bytes of a file of text or FCLIB.
pub(crate) fn of_data(
    file: &FieldFile,
    container: Container,
    mut losses: Vec<String>,
    mut notes: Vec<String>,
) -> Result<Made, ConvertError> {
    let kind = file.problem.kind().name();
    if container == Container::Fclib {
        return Ok(Made {
            bytes: fclib::write(file).map_err(ProblemWriteError::from)?,
            format: format!("{kind} FCLIB"),
            losses,
            notes,
        });
    }
    if file.solution.is_some() {
        losses.push("the solution".to_owned());
    }
    if !file.guesses.is_empty() {
        losses.push("the guess that a solver may start from".to_owned());
    }
    if file
        .info
        .as_ref()
        .is_some_and(|info| *info != Info::default())
    {
        notes.push("text has no place for name and description".to_owned());
    }
    let text = text::write(&file.problem).map_err(ProblemWriteError::from)?;
    Ok(Made {
        bytes: text.into_bytes(),
        format: format!("{kind} text"),
        losses,
        notes,
    })
}
