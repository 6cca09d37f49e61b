//! A results folder as a whole: what a run writes besides its cells, and how it is read again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use delassus_records::disk;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bundle::{Bundle, MethodDoc};
use crate::citations;
use crate::error::RunError;
use crate::export;
use crate::figures::FigureSpec;
use crate::key;
use crate::matrix::{self, CellMatrix};
use crate::outputs::Outputs;
use crate::registry::{Registry, schemes};
use crate::replays;
use crate::report::Report;
use crate::slices;
use crate::spec::{self, Spec, SpecError};
use crate::store::{self, EXPERIMENT, Kept, MANIFEST};
use crate::strips::StripSpec;
use crate::tables::TableSpec;
use crate::view::Part;

/// File with all solutions, where a solver looked for them.
const SOLUTIONS: &str = "solutions.csv";

/// Content of [`EXPERIMENT`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Saved {
    pub(crate) id: String,
    title: String,
    question: String,
    pub(crate) readme: Option<String>,
    pub(crate) spec: String,
    command: String,
    tolerance: f64,
    criteria: Vec<String>,
    /// The spec's file relative to the results folder; empty where that would tell where the user keeps things.
    spec_file: PathBuf,
    /// Hash of the spec's path in place of an empty `spec_file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spec_place: Option<String>,
    figures: Vec<FigureSpec>,
    tables: Vec<TableSpec>,
    /// Older folders have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    strips: Vec<StripSpec>,
    /// Keys of the cells, in the order of the matrix.
    pub(crate) cells: Vec<String>,
    /// Scenes that no scheme steps; older folders do not say.
    #[serde(default)]
    unstepped: Vec<String>,
}

/// The bundle of a run, without records.
pub(crate) fn bundle(spec: &Spec, command: String, manifest: Value, registry: &Registry) -> Bundle {
    let readme = fs::read_to_string(spec.folder.join("README.md")).ok();
    let stop = spec.stop();
    Bundle {
        id: spec.id.clone(),
        title: spec.title.clone(),
        question: spec.question.clone(),
        readme,
        spec: spec.text.clone(),
        command,
        tolerance: stop.rule.tolerance,
        criteria: stop.criteria,
        manifest,
        records: Vec::new(),
        missing: 0,
        unstepped: Vec::new(),
        methods: methods(
            registry,
            spec.solvers.iter().map(|solver| solver.id.as_str()),
        ),
        contacts: BTreeMap::new(),
    }
}

/// The bundle with the figures, tables and strips that the spec asks for.
pub(crate) fn report(dir: &Path, spec: &Spec, bundle: Bundle, registry: &Registry) -> Report {
    Report {
        replays: recorded(dir, &bundle),
        strips: spec.strips.clone(),
        bundle,
        // a spec that was read names nothing that there is not
        references: citations::bibliography(spec, registry).unwrap_or_default(),
        widths: Vec::new(),
        figures: spec.figures.clone(),
        tables: located(&spec.tables, &spec.folder),
    }
}

/// The replays of the cells of a bundle.
fn recorded(dir: &Path, bundle: &Bundle) -> BTreeMap<String, PathBuf> {
    replays::files(dir, bundle.records.iter().map(|record| record.key.as_str()))
}

/// What schemes and solvers say about their parameters; `used` are solvers, among them compositions.
fn methods<'n>(registry: &Registry, used: impl Iterator<Item = &'n str>) -> Vec<MethodDoc> {
    let schemes = schemes().into_iter().map(|scheme| MethodDoc {
        part: Part::Scheme,
        id: scheme.descriptor.id,
        parameters: scheme.parameters,
        solver: None,
    });
    let solvers = registry.entries().iter().map(|solver| MethodDoc {
        part: Part::Solver,
        id: solver.descriptor.id,
        parameters: solver.parameters.clone(),
        solver: Some(solver.descriptor),
    });
    let mut all: Vec<MethodDoc> = schemes.chain(solvers).collect();
    for name in used {
        let known = all.iter().any(|m| m.part == Part::Solver && m.id == name);
        if !known && let Ok(entry) = registry.find(name) {
            all.push(MethodDoc {
                part: Part::Solver,
                id: entry.descriptor.id,
                parameters: entry.parameters,
                solver: Some(entry.descriptor),
            });
        }
    }
    all
}

/// The tables with the files that they read named from here instead of from the spec.
fn located(tables: &[TableSpec], folder: &Path) -> Vec<TableSpec> {
    let mut tables = tables.to_vec();
    for table in &mut tables {
        table.locate(folder);
    }
    tables
}

/// Content of [`EXPERIMENT`] for a bundle, as bytes.
///
/// # Errors
/// None in practice: the writer is memory.
pub(crate) fn experiment(
    dir: &Path,
    spec: &Spec,
    bundle: &Bundle,
    keys: Vec<String>,
) -> io::Result<Vec<u8>> {
    let file = Path::new(&spec.file);
    let relative = relative(dir, file);
    pretty(&Saved {
        id: bundle.id.clone(),
        title: bundle.title.clone(),
        question: bundle.question.clone(),
        readme: bundle.readme.clone(),
        spec: bundle.spec.clone(),
        command: bundle.command.clone(),
        tolerance: bundle.tolerance,
        criteria: bundle.criteria.clone(),
        spec_place: relative.is_none().then(|| place(file)),
        spec_file: relative.unwrap_or_default(),
        figures: spec.figures.clone(),
        tables: spec.tables.clone(),
        strips: spec.strips.clone(),
        cells: keys,
        unstepped: bundle.unstepped.clone(),
    })
}

/// The keys of the cells of a results folder, in the order of the matrix.
///
/// # Errors
/// Not a results folder, or one whose list is damaged.
pub(crate) fn keys(dir: &Path) -> Result<Vec<String>, RunError> {
    #[derive(Deserialize)]
    struct Keys {
        cells: Vec<String>,
    }
    read_json::<Keys>(&dir.join(EXPERIMENT)).map(|saved| saved.cells)
}

/// True for what may be a key, which names a file: nothing that came from elsewhere may lead out of the folder.
pub(crate) fn is_key(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Hash of where a file is.
fn place(file: &Path) -> String {
    let path = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    key::of_text(&path.to_string_lossy())
}

/// Whose results a folder holds, if they are not those of `spec`: the file of the other spec, or what else is known of it.
///
/// A spec that is no longer where it was has moved, and takes its results along.
///
/// # Errors
/// The file that says so is there and cannot be read. One that says nothing, being damaged, is written anew.
pub(crate) fn other_owner(dir: &Path, spec: &Spec) -> Result<Option<String>, RunError> {
    let path = dir.join(EXPERIMENT);
    let bytes = match disk::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(RunError::Unreadable { path, source }),
    };
    let Ok(saved) = serde_json::from_slice::<Saved>(&bytes) else {
        return Ok(None);
    };
    let own = Path::new(&spec.file);
    Ok(match saved.spec_place {
        Some(other) => (other != place(own)).then(|| format!("another spec, {:?}", saved.title)),
        None => {
            let other = dir.join(&saved.spec_file);
            let differs = other.is_file() && other.canonicalize().ok() != own.canonicalize().ok();
            differs.then(|| saved.spec_file.display().to_string())
        }
    })
}

/// Writes manifest, experiment, records and summary.
pub(crate) fn write(
    outputs: &mut Outputs<'_>,
    experiment: &[u8],
    bundle: &Bundle,
) -> Result<(), RunError> {
    let mut put = |name: &str, bytes: io::Result<Vec<u8>>| {
        let written = bytes.and_then(|bytes| outputs.put(name, &bytes));
        written.map_err(|source| RunError::Write {
            path: outputs.path(name),
            source,
        })
    };
    put(EXPERIMENT, Ok(experiment.to_vec()))?;
    put(MANIFEST, pretty(&bundle.manifest))?;
    put(
        "records.csv",
        export::records_csv(&bundle.id, &bundle.records),
    )?;
    put(
        "summary.csv",
        export::summary_csv(&bundle.id, &bundle.records),
    )?;
    match export::solutions_csv(&bundle.id, &bundle.records).transpose() {
        Some(bytes) => put(SOLUTIONS, bytes)?,
        // one of an earlier spec would belong to no cell
        None => outputs.take_away(SOLUTIONS),
    }
    Ok(())
}

/// JSON for a reader, with a line end.
pub(crate) fn pretty(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Reads a results folder.
///
/// Title, question, figures, tables and README are those of the spec as it is now, if it is still there and its
/// cells can be told by their names; otherwise those of the run.
///
/// # Errors
/// Not a results folder, files that cannot be read, a spec that has become invalid.
pub fn load(dir: &Path, registry: &Registry) -> Result<Report, RunError> {
    let saved: Saved = read_json(&dir.join(EXPERIMENT))?;
    let manifest = read_json(&dir.join(MANIFEST))?;
    let mut records = Vec::with_capacity(saved.cells.len());
    for key in &saved.cells {
        if is_key(key)
            && let Kept::Cell(record) = store::read_cell(dir, key)
        {
            records.push(*record);
        }
    }
    let missing = saved.cells.len() - records.len();
    let now = spec_file(dir, &saved).map(|file| spec::read(&file, registry));
    let now = now.transpose().map_err(RunError::Spec)?;
    let file = dir.join(&saved.spec_file);
    let folder = file.parent().unwrap_or(dir).to_owned();
    let used = records.iter().map(|record| record.solver.id.as_str());
    let methods = methods(registry, used);
    let mut bundle = Bundle {
        id: saved.id,
        title: saved.title,
        question: saved.question,
        readme: saved.readme,
        spec: saved.spec,
        command: saved.command,
        tolerance: saved.tolerance,
        criteria: saved.criteria,
        manifest,
        records,
        missing,
        unstepped: saved.unstepped,
        methods,
        contacts: BTreeMap::new(),
    };
    let figures = now.as_ref().map_or(&saved.figures, |spec| &spec.figures);
    slices::fill(dir, &mut bundle, figures, registry);
    let Some(spec) = now else {
        let as_run = spec::of_text(&dir.join(spec::FILE_NAME), bundle.spec.clone(), registry).ok();
        let cited = as_run.and_then(|spec| citations::bibliography(&spec, registry).ok());
        return Ok(Report {
            replays: recorded(dir, &bundle),
            strips: saved.strips,
            references: cited.unwrap_or_default(),
            widths: Vec::new(),
            bundle,
            figures: saved.figures,
            tables: located(&saved.tables, &folder),
        });
    };
    bundle.title.clone_from(&spec.title);
    bundle.question.clone_from(&spec.question);
    bundle.readme = fs::read_to_string(spec.folder.join("README.md")).ok();
    Ok(report(dir, &spec, bundle, registry))
}

/// What a run said of itself in `dir`.
pub(crate) fn saved(dir: &Path) -> Result<Saved, RunError> {
    read_json(&dir.join(EXPERIMENT))
}

/// The manifest in `dir`.
pub(crate) fn manifest(dir: &Path) -> Result<Value, RunError> {
    read_json(&dir.join(MANIFEST))
}

/// The file of the spec, if it is where it was.
pub(crate) fn spec_file(dir: &Path, saved: &Saved) -> Option<PathBuf> {
    let file = dir.join(&saved.spec_file);
    (saved.spec_file != Path::new("") && file.is_file()).then_some(file)
}

/// The matrix of the spec as it was when it was run; files that it names are those of now.
pub(crate) fn matrix_as_run(
    dir: &Path,
    saved: &Saved,
    registry: &Registry,
) -> Result<CellMatrix, SpecError> {
    // a spec that is gone leaves no files either: paths are then relative to the results
    let file = spec_file(dir, saved).unwrap_or_else(|| dir.join(spec::FILE_NAME));
    let spec = spec::of_text(&file, saved.spec.clone(), registry)?;
    let id = saved.id.clone();
    matrix::expand(Spec { id, ..spec }, registry)
}

/// Content of [`EXPERIMENT`] for a folder in which the spec is the file `spec`.
///
/// # Errors
/// None in practice: the writer is memory.
pub(crate) fn relocated(saved: Saved, spec: &str) -> io::Result<Vec<u8>> {
    pretty(&Saved {
        spec_file: spec.into(),
        spec_place: None,
        ..saved
    })
}

/// Content of [`EXPERIMENT`] for the same results in another folder.
///
/// # Errors
/// None in practice: the writer is memory.
pub(crate) fn moved(from: &Path, saved: Saved, to: &Path) -> io::Result<Vec<u8>> {
    let file = spec_file(from, &saved).and_then(|file| relative(to, &file));
    pretty(&Saved {
        spec_file: file.unwrap_or_default(),
        ..saved
    })
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, RunError> {
    let text = disk::read(path).map_err(|source| RunError::Read {
        path: path.to_owned(),
        source,
    })?;
    serde_json::from_slice(&text).map_err(|error| RunError::Read {
        path: path.to_owned(),
        source: error.into(),
    })
}

/// `to` as seen from the folder `from`; both must exist.
fn relative(from: &Path, to: &Path) -> Option<PathBuf> {
    let (from, to) = (from.canonicalize().ok()?, to.canonicalize().ok()?);
    let from: Vec<Component<'_>> = from.components().collect();
    let to: Vec<Component<'_>> = to.components().collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    // nothing in common but the root: another place altogether, and an absolute path would tell where
    if common <= 1 {
        return None;
    }
    let up = (common..from.len()).map(|_| Component::ParentDir);
    Some(up.chain(to[common..].iter().copied()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_know_the_parameters_of_schemes_and_solvers() {
        let composed = ["best-so-far(anderson(pgs))"].into_iter();
        let methods = methods(&Registry::standard(), composed);
        for (part, id, name) in [
            (Part::Scheme, "soft-step", "substeps"),
            (Part::Solver, "psor", "omega"),
            (Part::Solver, "best-so-far(anderson(pgs))", "anderson.depth"),
        ] {
            let mut own = methods.iter().filter(|m| m.part == part && m.id == id);
            let parameters = &own.next().expect(id).parameters;
            assert!(parameters.iter().any(|p| p.name == name), "{id}");
        }
    }

    #[test]
    fn relative_paths() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("x/a"), dir.path().join("y"));
        fs::create_dir_all(&a).unwrap();
        fs::create_dir_all(&b).unwrap();
        let file = b.join("f");
        fs::write(&file, "").unwrap();
        assert_eq!(relative(&a, &file), Some(PathBuf::from("../../y/f")));
        assert_eq!(relative(&b, &file), Some(PathBuf::from("f")));
        assert_eq!(relative(&b, &b.join("missing")), None);
    }
}
