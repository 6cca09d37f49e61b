//! `reference_law` of a `[[problem]]`: the same problem under another law of friction, whose
//! reference is taken.
//!
//! The answer under the law of the problem then has a velocity error that no iteration removes:
//! that of the model.

use std::path::Path;

use delassus_core::{ContactLaw, MemoryLimit};
use delassus_problems::generators::GeneratorEntry;
use delassus_problems::{NamedProblem, read_file_within};
use serde_json::{Value, json};

use super::{MatrixProblem, ProblemFamily};
use crate::key;
use crate::spec::{GridPoint, Spec, SpecError};

impl MatrixProblem {
    /// Sets the problem that the reference is of; the digest covers it from then on.
    pub(super) fn set_other_law(&mut self, other: Option<Box<NamedProblem>>) {
        if let Some(other) = &other {
            let digest = key::digest(&other.problem, other.reference_impulses());
            self.digest = key::of_json(&json!([self.digest, digest]));
        }
        self.other_law = other;
    }
}

/// The generated problem of the same parameters under the `reference_law` of its entry.
pub(super) fn generated(
    spec: &Spec,
    entry: &ProblemFamily,
    generator: &GeneratorEntry,
    point: &GridPoint,
    problem: &NamedProblem,
    left: MemoryLimit,
) -> Result<Option<Box<NamedProblem>>, SpecError> {
    let Some((law, place)) = &entry.reference_law else {
        return Ok(None);
    };
    let refused = |message: String| spec.error(place.clone(), message);
    let id = generator.descriptor.id;
    if !generator.defaults.contains_key("law") {
        let message = format!("reference_law: the generator {id} has no parameter law");
        return Err(refused(message));
    }
    let mut parameters = point.parameters.clone();
    parameters.insert("law".to_owned(), Value::from(law.as_str()));
    let made = generator.build(&parameters);
    let made = made.and_then(|recipe| recipe.make_within(left));
    let other = made.map_err(|error| refused(format!("reference_law: {error}")))?;
    same_rows(problem, &other).map_err(refused)?;
    Ok(Some(Box::new(other)))
}

/// The problem of the same file under the `reference_law` of its entry.
pub(super) fn read_again(
    spec: &Spec,
    entry: &ProblemFamily,
    path: &Path,
    law: ContactLaw,
    problem: &NamedProblem,
    left: MemoryLimit,
) -> Result<Option<Box<NamedProblem>>, SpecError> {
    let Some((wanted, place)) = &entry.reference_law else {
        return Ok(None);
    };
    let refused = |message: String| spec.error(place.clone(), message);
    let other = ContactLaw::of_files(wanted).map_err(|error| {
        let message = format!("reference_law: no law of friction of files: {error}");
        refused(message)
    })?;
    let read = read_file_within(path, other, left);
    let read = read.map_err(|error| refused(format!("{}: {error}", path.display())))?;
    same_rows(problem, &read).map_err(refused)?;
    let digest = |named: &NamedProblem| key::digest(&named.problem, None);
    if other != law && digest(problem) == digest(&read) {
        let message = "reference_law changes nothing: the file names its laws itself";
        return Err(refused(format!("{}: {message}", path.display())));
    }
    Ok(Some(Box::new(read)))
}

/// Impulses of one are compared with those of the other row by row.
fn same_rows(problem: &NamedProblem, other: &NamedProblem) -> Result<(), String> {
    let (own, theirs) = (problem.problem.rows(), other.problem.rows());
    match own == theirs {
        true => Ok(()),
        false => Err(format!(
            "reference_law: the problem has {own} rows, and {theirs} under that law"
        )),
    }
}
