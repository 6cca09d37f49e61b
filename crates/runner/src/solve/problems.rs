//! The problems of a matrix: generated, or read from files.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use delassus_core::MemoryLimit;
use delassus_metrics::Evaluator;
use delassus_problems::generators::{GeneratorEntry, generators};
use delassus_problems::{
    ContactLaw, GenerateError, NamedProblem, ProblemReadError, read_file_within, to_matrix_within,
};
use serde_json::{Map, Value};

use super::made::LoadedProblem;
use super::other_law::{generated, read_again};
use super::plan::{FILE, TOLERANCE};
use super::worlds;
use super::{MatrixProblem, Measure, ProblemFamily, ProblemSource, SolvePlan};
use crate::document::laws;
use crate::document::text::all;
use crate::driver::Options;
use crate::key;
use crate::matrix::names;
use crate::record::{ProblemFacts, ProblemLabel};
use crate::spec::{GridAxis, GridPoint, Spec, SpecError};

/// Expands the grids and makes every problem.
pub(super) fn expand(spec: &Spec, plan: &SolvePlan) -> Result<Vec<MatrixProblem>, SpecError> {
    let generators = generators();
    let mut problems: Vec<MatrixProblem> = Vec::new();
    let mut spans = Vec::new();
    // all problems of a spec are held at the same time
    let mut left = spec.memory();
    let mut errors = Vec::new();
    for entry in &plan.problems {
        let made = make(spec, entry, &generators, left);
        let made = made.and_then(|made| match &entry.as_worlds {
            None => Ok(made),
            Some(place) => {
                let joined = worlds::join(entry, made);
                let joined = joined.map_err(|message| spec.error(place.clone(), message))?;
                Ok(vec![joined])
            }
        });
        let made = match made {
            Ok(made) => made,
            // the errors of the other entries are shown as well
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        for LoadedProblem {
            label,
            mut content,
            mut other_law,
            worlds,
        } in made
        {
            if entry.as_matrix {
                content = content.and_then(|named| as_matrix(named, left));
                let other = other_law.map(|named| as_matrix(named, left)).transpose();
                other_law = other.map_err(|m| spec.error(entry.span.clone(), m))?;
            }
            let label = levelled(label, entry);
            let mut made = problem(&plan.measure, entry, label, content);
            made.set_other_law(other_law);
            made.worlds = worlds;
            left = left.less(held(made.memory()));
            problems.push(made);
            spans.push(entry.span.clone());
        }
    }
    if let Some(error) = SpecError::of_all(errors) {
        return Err(error);
    }
    let pairs = problems.iter().map(|p| p.label.name.as_str()).zip(spans);
    names::unique(spec, "problem", "name", pairs)?;
    Ok(problems)
}

/// The problems of an entry.
fn make(
    spec: &Spec,
    entry: &ProblemFamily,
    generators: &[GeneratorEntry],
    left: MemoryLimit,
) -> Result<Vec<LoadedProblem>, SpecError> {
    match &entry.source {
        ProblemSource::Generator { id, axes } => {
            let known = generators.iter().find(|g| g.descriptor.id == id);
            let generator = known.ok_or_else(|| {
                spec.error(entry.span.clone(), format!("unknown generator {id:?}"))
            })?;
            generate(spec, entry, generator, axes, left)
        }
        ProblemSource::Files { paths, law } => read(spec, entry, paths, *law, left),
    }
}

/// What a problem takes of the memory of the process \[B\]: its numbers with a quarter for the gaps
/// between them, its label and its point of a grid with their places in the text of the spec.
fn held(numbers: u64) -> u64 {
    numbers.saturating_add(numbers / 4).saturating_add(4096)
}

/// The same problem with its Delassus matrix in place of bodies.
pub(crate) fn as_matrix(
    mut named: Box<NamedProblem>,
    limit: MemoryLimit,
) -> Result<Box<NamedProblem>, String> {
    named.problem = to_matrix_within(&named.problem, limit).map_err(|error| error.to_string())?;
    Ok(named)
}

fn problem(
    measure: &Measure,
    entry: &ProblemFamily,
    label: ProblemLabel,
    content: Result<Box<NamedProblem>, String>,
) -> MatrixProblem {
    let judged = content.and_then(|named| {
        let scale = match Evaluator::new(&named.problem) {
            Ok(evaluator) => evaluator.energy_scale().joules,
            Err(error) => return Err(error.to_string()),
        };
        Ok((named, scale))
    });
    let (content, facts, digest) = match judged {
        Ok((named, scale)) => {
            let facts = facts(&named, scale);
            let digest = key::digest(&named.problem, named.reference_impulses());
            (Ok(named), facts, digest)
        }
        Err(reason) => (Err(reason), ProblemFacts::default(), String::new()),
    };
    MatrixProblem {
        label,
        content,
        other_law: None,
        worlds: Vec::new(),
        facts,
        digest,
        start: entry.start,
        criteria: entry.stop.criteria.clone(),
        options: Options {
            stop: entry.stop.rule.clone(),
            schedule: measure.schedule,
            repetitions: measure.repetitions,
        },
        reference: OnceLock::new(),
    }
}

/// What tables print about a problem.
pub(crate) fn facts(named: &NamedProblem, energy_scale: f64) -> ProblemFacts {
    let facts = named.facts();
    ProblemFacts {
        rows: facts.rows,
        blocks: facts.blocks,
        contacts: facts.contacts,
        bodies: facts.bodies,
        asymmetry: facts.bodies.is_none().then_some(facts.symmetry_defect),
        energy_scale,
    }
}

fn generate(
    spec: &Spec,
    entry: &ProblemFamily,
    generator: &GeneratorEntry,
    axes: &[GridAxis],
    mut left: MemoryLimit,
) -> Result<Vec<LoadedProblem>, SpecError> {
    let points = match entry.draws {
        Some(draws) => draws.points(axes),
        None => laws::fitting_points(generator, axes),
    };
    let points = points.into_iter().map(|point| {
        let made = generator.build_given(&point.parameters);
        let made = made.and_then(|recipe| recipe.make_within(left));
        let content = made.map_err(|error| refused(spec, &entry.span, axes, &point, &error))?;
        left = left.less(held(content.problem.memory()));
        let label = label(generator, entry.name.as_deref(), &point);
        let content = Box::new(content);
        let other_law = generated(spec, entry, generator, &point, &content, left)?;
        Ok(LoadedProblem {
            label,
            content: Ok(content),
            other_law,
            worlds: Vec::new(),
        })
    });
    all(points)
}

/// Name and origin of a generated problem.
pub(crate) fn label(
    generator: &GeneratorEntry,
    given: Option<&str>,
    point: &GridPoint,
) -> ProblemLabel {
    let id = generator.descriptor.id;
    let parameters = generator.complete(&point.parameters);
    ProblemLabel {
        name: names::of_point(id, given, point),
        source: id.to_owned(),
        parameters,
    }
}

/// The label with the tolerance of the entry, behind the author's name where there is one:
/// `pile tolerance=0.01 n=2`.
fn levelled(mut label: ProblemLabel, entry: &ProblemFamily) -> ProblemLabel {
    let Some(level) = entry.level else {
        return label;
    };
    let value = Value::from(level);
    let text = crate::label::label(TOLERANCE, &value);
    let base = match (&entry.name, &entry.source) {
        (Some(name), _) => name.as_str(),
        (None, ProblemSource::Generator { id, .. }) => id,
        (None, ProblemSource::Files { .. }) => &label.name,
    };
    let rest = label.name.strip_prefix(base).unwrap_or_default();
    label.name = format!("{base} {text}{rest}");
    label.parameters.insert(TOLERANCE.to_owned(), value);
    label
}

/// Blames the value that the generator refuses, if one alone is to blame.
pub(crate) fn refused(
    spec: &Spec,
    span: &Range<usize>,
    axes: &[GridAxis],
    point: &GridPoint,
    error: &GenerateError,
) -> SpecError {
    let named = match error {
        GenerateError::Entry(error) => error.parameter(),
        _ => None,
    };
    let place = named.and_then(|name| point.place(axes, name));
    spec.error(place.unwrap_or_else(|| span.clone()), error.to_string())
}

fn read(
    spec: &Spec,
    entry: &ProblemFamily,
    paths: &[PathBuf],
    law: ContactLaw,
    mut left: MemoryLimit,
) -> Result<Vec<LoadedProblem>, SpecError> {
    let stems = stems(paths);
    let files = paths.iter().zip(stems).map(|(path, stem)| {
        let content = match read_file_within(path, law, left) {
            Ok(named) => {
                left = left.less(held(named.problem.memory()));
                Ok(Box::new(named))
            }
            Err(
                error @ (ProblemReadError::UnsupportedFormat { .. } | ProblemReadError::Memory(_)),
            ) => Err(error.to_string()),
            Err(error) => {
                let message = format!("{}: {error}", path.display());
                return Err(spec.error(entry.span.clone(), message));
            }
        };
        let name = match &entry.name {
            Some(name) if paths.len() == 1 => name.clone(),
            Some(name) => format!("{name} {stem}"),
            None => stem,
        };
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let label = ProblemLabel {
            name,
            source: FILE.to_owned(),
            parameters: Map::from_iter([(FILE.to_owned(), Value::from(file.into_owned()))]),
        };
        let other_law = match &content {
            Ok(content) => read_again(spec, entry, path, law, content, left)?,
            Err(_) => None,
        };
        Ok(LoadedProblem {
            label,
            content,
            other_law,
            worlds: Vec::new(),
        })
    });
    files.collect()
}

/// Names of the files without folders and endings; where two agree, with endings, or with the
/// folder.
fn stems(paths: &[PathBuf]) -> Vec<String> {
    let forms: [fn(&Path) -> String; 3] = [stem, file_name, with_folder];
    let mut counts: [BTreeMap<String, usize>; 3] = Default::default();
    for path in paths {
        for (count, form) in counts.iter_mut().zip(forms) {
            *count.entry(form(path)).or_default() += 1;
        }
    }
    let names = paths.iter().map(|path| {
        let mut names = forms.iter().zip(&counts).map(|(form, count)| {
            let name = form(path);
            (count[&name] == 1).then_some(name)
        });
        names.find_map(|name| name)
    });
    let shown = |path: &PathBuf| path.display().to_string();
    names
        .zip(paths)
        .map(|(name, path)| name.unwrap_or_else(|| shown(path)))
        .collect()
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn with_folder(path: &Path) -> String {
    let folder = path.parent().map(file_name).unwrap_or_default();
    format!("{folder}/{}", file_name(path))
}

/// The name without the endings that problem files have, of which there may be several.
fn stem(path: &Path) -> String {
    let mut name = file_name(path);
    while let Some((rest, ending)) = name.rsplit_once('.') {
        if rest.is_empty() || !["dat", "local", "hdf5", "dls", "txt"].contains(&ending) {
            break;
        }
        name = rest.to_owned();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_as_short_as_they_can_be() {
        let paths: Vec<PathBuf> = [
            "a/x.hdf5.local.dat",
            "a/y.dat",
            "a/y.dls",
            "a/z.1.dat",
            "a/w.dat",
            "b/w.dat",
        ]
        .map(PathBuf::from)
        .to_vec();
        let expected = ["x", "y.dat", "y.dls", "z.1", "a/w.dat", "b/w.dat"];
        assert_eq!(stems(&paths), expected);
    }
}
