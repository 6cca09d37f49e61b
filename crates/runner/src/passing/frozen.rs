//! Frozen copies of the problems of an experiment, with what their solves are judged by.

use std::io;
use std::path::Path;

use delassus_problems::{ContactLaw, NamedProblem, read_bytes, snapshot_bytes};
use delassus_records::disk;
use serde::{Deserialize, Serialize};

use super::{Content, Files, PassError};
use crate::json_file;
use crate::key;
use crate::matrix::{CellMatrix, Experiment};
use crate::outputs;
use crate::solve::MatrixProblem;
use crate::unfit;

/// The list of the problems, in a results folder or a bundle.
pub const LIST: &str = "problems/index.json";
/// Folder of the problems.
const FOLDER: &str = "problems";

/// One problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frozen {
    /// Its name in the experiment.
    pub name: String,
    /// Its snapshot, with `/`.
    pub file: String,
    /// Hash of its numbers and of the solution that comes with it.
    pub digest: String,
    /// Metrics that must be within the tolerance.
    pub criteria: Vec<String>,
    /// The tolerance \[-\].
    pub tolerance: f64,
}

/// Adds the problems that are solved to `files`; what is timed or stepped follows from the sources.
pub(super) fn add(matrix: &CellMatrix, files: &mut Files) -> Result<(), PassError> {
    let Experiment::Solve(solves) = &matrix.experiment else {
        return Ok(());
    };
    let mut list = Vec::new();
    for (number, problem) in (1..).zip(&solves.problems) {
        // a file that could not be read has no cell that was solved
        let Ok(named) = &problem.content else {
            continue;
        };
        let refused = |reason: String| PassError::Frozen {
            name: problem.label.name.clone(),
            reason,
        };
        let bytes = snapshot_bytes(named);
        let digest = digest_of(&bytes).map_err(refused)?;
        if digest != digest_of_problem(named) {
            return Err(refused(
                "a snapshot of it reads as another problem".to_owned(),
            ));
        }
        let entry = Frozen {
            name: problem.label.name.clone(),
            file: file_of(number, problem),
            digest,
            criteria: problem.criteria.clone(),
            tolerance: problem.options.stop.tolerance,
        };
        files.insert(entry.file.clone(), Content::Made(bytes));
        list.push(entry);
    }
    let text = json_file::pretty(&list).map_err(|source| PassError::Read {
        path: LIST.into(),
        source,
    })?;
    files.insert(LIST.to_owned(), Content::Made(text));
    Ok(())
}

/// The file of a problem. The number keeps names apart that differ in other characters.
fn file_of(number: usize, problem: &MatrixProblem) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    let shown: String = problem.label.name.chars().map(plain).take(60).collect();
    format!("{FOLDER}/{number:04}-{shown}.dls")
}

/// True if the list has no problem but those of the matrix, each once, in their order and under
/// their file names.
pub(crate) fn is_list_of(matrix: &CellMatrix, list: &[Frozen]) -> bool {
    let Experiment::Solve(solves) = &matrix.experiment else {
        return list.is_empty();
    };
    let mut known = (1..).zip(&solves.problems);
    list.iter().all(|entry| {
        known.any(|(number, problem)| {
            entry.name == problem.label.name && entry.file == file_of(number, problem)
        })
    })
}

fn digest_of_problem(named: &NamedProblem) -> String {
    key::digest(&named.problem, named.reference_impulses())
}

fn digest_of(bytes: &[u8]) -> Result<String, String> {
    let named = read_bytes("a snapshot", bytes, ContactLaw::Coulomb);
    named
        .map(|named| digest_of_problem(&named))
        .map_err(|error| error.to_string())
}

/// The problems that lie frozen in `dir`; none where there is no list.
///
/// # Errors
/// A list that cannot be read, or that names a file outside.
pub(crate) fn listed(dir: &Path) -> Result<Vec<Frozen>, String> {
    let text = match disk::read_in(dir, LIST) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.to_string()),
    };
    let list: Vec<Frozen> = serde_json::from_slice(&text)
        .map_err(|error| format!("is no list of problems: {error}"))?;
    match list.iter().find(|entry| !outputs::is_inside(&entry.file)) {
        Some(entry) => Err(format!("{:?} leads out of the folder", entry.file)),
        None => Ok(list),
    }
}

/// What is wrong with the file of a frozen problem: it holds other numbers than the list says or,
/// where the program that checks has made the bundle and knows the problem that the spec gives
/// (`own`), has other bytes than that program writes. What the system does not read is named by the
/// check of hashes.
pub(crate) fn fault(dir: &Path, entry: &Frozen, own: Option<&NamedProblem>) -> Option<String> {
    let bytes = match disk::read_in(dir, &entry.file) {
        Ok(bytes) => bytes,
        Err(error) => return unfit::is_damage(&error).then(|| unfit::reason(&error)),
    };
    match digest_of(&bytes) {
        Err(reason) => return Some(format!("is no frozen problem: {reason}")),
        Ok(digest) if digest != entry.digest => {
            return Some(format!("is not the problem that {LIST} lists"));
        }
        Ok(_) => {}
    }
    let differs = own.is_some_and(|own| snapshot_bytes(own) != bytes);
    differs.then(|| {
        "is the problem of the spec, but not in the form in which `delassus bundle` writes it"
            .to_owned()
    })
}

/// Reads a frozen problem.
///
/// # Errors
/// A file that cannot be read, or holds other numbers than the list says.
pub(crate) fn read(dir: &Path, entry: &Frozen) -> Result<NamedProblem, String> {
    let bytes = disk::read_in(dir, &entry.file);
    let bytes = bytes.map_err(|error| format!("{}: {error}", entry.file))?;
    let named = read_bytes(&entry.file, &bytes, ContactLaw::Coulomb);
    let named = named.map_err(|error| error.to_string())?;
    match digest_of_problem(&named) == entry.digest {
        true => Ok(named),
        false => Err(format!(
            "{} is not the problem that {LIST} lists",
            entry.file
        )),
    }
}
