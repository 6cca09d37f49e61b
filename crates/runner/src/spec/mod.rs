//! Experiment specs: one TOML file that says what to solve, with what, until when, and what to draw.
//!
//! Everything that can be judged from the text alone is judged here: unknown keys, wrong types, impossible values,
//! unknown solvers, generators and metrics. Each is one [`SpecError`] with its place and the nearest valid name.

mod axes;
mod context;
mod files;
mod measure;
mod parse;
mod section;
mod text;
mod timing;
mod trajectory;
mod view_checks;
mod views;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use delassus_core::{FrictionLaw, MemoryLimit};
use serde_json::{Map, Value};

use crate::driver::{Schedule, StopRule, TimingPlan};
use crate::memory;
use crate::registry::Registry;
use crate::view::{FigureSpec, TableSpec};

pub use axes::{Axis, Choice, points, size};
pub use text::{Place, SpecError};
pub use trajectory::{DtChange, SceneEntry, SceneSource, SchemeEntry, Simulate, TrajectoryPlan};

/// Name of the spec in an experiment's folder.
pub const FILE_NAME: &str = "experiment.toml";

/// Largest spec that is read \[bytes\].
const MAX_BYTES: u64 = 4 << 20;

/// A spec, read and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// Identifier: the name of the experiment's folder, or the file's name without its ending.
    pub id: String,
    /// The file, as messages name it.
    pub file: String,
    /// The folder that paths in the spec are relative to.
    pub folder: PathBuf,
    /// The file's text.
    pub text: String,
    /// Title.
    pub title: String,
    /// The question that the experiment answers.
    pub question: String,
    /// The problems, in order; none in a spec of scenes.
    pub problems: Vec<ProblemEntry>,
    /// What a spec of scenes has in place of problems.
    pub trajectory: Option<TrajectoryPlan>,
    /// The solvers, in order.
    pub solvers: Vec<SolverEntry>,
    /// Memory that one problem may take with its solver; `None` leaves it to the machine.
    pub max_memory: Option<MemoryLimit>,
    /// When a solve ends, for problems that do not say otherwise.
    pub stop: StopRule,
    /// Metrics that must be within the tolerance, for problems that do not say otherwise.
    pub criteria: Vec<String>,
    /// What is measured.
    pub measure: Measure,
    /// What a spec has that times sweeps instead of solving.
    pub timing: Option<TimingPlan>,
    /// Where the reference of the velocity error comes from.
    pub reference: Option<ReferenceSource>,
    /// The figures.
    pub figures: Vec<FigureSpec>,
    /// The tables.
    pub tables: Vec<TableSpec>,
}

/// One `[[problem]]`: a family of problems.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemEntry {
    /// Name given by the author.
    pub name: Option<String>,
    /// Where the problems come from.
    pub source: ProblemSource,
    /// Give solvers the Delassus matrix instead of the bodies.
    pub as_matrix: bool,
    /// The impulses that solves start from.
    pub start: StartKind,
    /// When a solve ends.
    pub stop: StopRule,
    /// Metrics that must be within the tolerance.
    pub criteria: Vec<String>,
    /// The entry in the text.
    pub span: Range<usize>,
}

/// Where a family of problems comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum ProblemSource {
    /// A generator with a grid over its parameters.
    Generator {
        /// Identifier.
        id: String,
        /// The parameters that the spec sets.
        axes: Vec<Axis>,
    },
    /// Files.
    Files {
        /// The files that matched, in order.
        paths: Vec<PathBuf>,
        /// Friction law of files that do not name one.
        law: FrictionLaw,
    },
}

/// The impulses that a solve starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartKind {
    /// Zero.
    Cold,
    /// One on every row \[N·s\].
    Ones,
    /// The known solution that comes with the problem.
    Stored,
    /// What the scheme started from, for problems that `delassus export` froze.
    Warm,
}

impl StartKind {
    /// The identifier used in specs.
    pub fn id(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Ones => "ones",
            Self::Stored => "stored",
            Self::Warm => "warm",
        }
    }
}

/// One `[[solver]]`: a family of configured solvers.
#[derive(Debug, Clone, PartialEq)]
pub struct SolverEntry {
    /// Registry identifier.
    pub id: String,
    /// Label given by the author.
    pub label: Option<String>,
    /// The parameters that the spec sets.
    pub axes: Vec<Axis>,
    /// The entry in the text.
    pub span: Range<usize>,
}

/// `[measure]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// Metrics of every sample; the criteria of every problem are among them.
    pub metrics: Vec<String>,
    /// When samples are taken.
    pub schedule: Schedule,
    /// Untraced passes per cell \[-\].
    pub repetitions: u32,
}

/// `[reference]`.
#[derive(Debug, Clone, PartialEq)]
pub enum ReferenceSource {
    /// The known solution that comes with the problem.
    Stored,
    /// A solver, run to a tolerance of the natural map.
    Solver {
        /// Registry identifier.
        id: String,
        /// The parameters that the spec sets.
        parameters: Map<String, Value>,
        /// Tolerance of the natural map \[-\].
        tolerance: f64,
        /// Sweep limit \[-\].
        max_sweeps: u64,
    },
}

/// Reads and checks a spec. `path` names the file, or its folder.
///
/// # Errors
/// No such file, not UTF-8, or anything in the spec that cannot be meant.
pub fn read(path: &Path, registry: &Registry) -> Result<Spec, SpecError> {
    let path = if path.is_dir() {
        path.join(FILE_NAME)
    } else {
        path.to_owned()
    };
    let file = path.display().to_string();
    let refuse = |message: String| SpecError {
        file: file.clone(),
        place: None,
        message,
    };
    let metadata = fs::metadata(&path).map_err(|error| refuse(missing(&path, &error)))?;
    if metadata.len() > MAX_BYTES {
        let bytes = metadata.len();
        return Err(refuse(format!(
            "a spec of {bytes} bytes; at most {MAX_BYTES} are read"
        )));
    }
    let bytes = fs::read(&path).map_err(|error| refuse(missing(&path, &error)))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| refuse(format!("not UTF-8: {}", error.utf8_error())))?;
    parse::spec(&path, text, registry)
}

fn missing(path: &Path, error: &std::io::Error) -> String {
    if error.kind() != std::io::ErrorKind::NotFound {
        return format!("cannot read the spec: {error}");
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name == FILE_NAME && folder.is_dir() {
        return format!("no such file; an experiment's folder holds a file {FILE_NAME}");
    }
    let parent = if name == FILE_NAME {
        folder.parent()
    } else {
        Some(folder)
    };
    let wanted = if name == FILE_NAME {
        folder.file_name().unwrap_or_default().to_string_lossy()
    } else {
        name
    };
    let parent = parent.map(|p| {
        if p == Path::new("") {
            Path::new(".")
        } else {
            p
        }
    });
    let entries = parent.and_then(|parent| fs::read_dir(parent).ok());
    let names: Vec<String> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    match crate::suggest::nearest(&wanted, names.iter().map(String::as_str)) {
        Some(found) => format!("no such file; did you mean {found:?}?"),
        None => "no such file".to_owned(),
    }
}

impl Spec {
    /// Memory that one problem may take with its solver.
    pub fn memory(&self) -> MemoryLimit {
        self.max_memory.unwrap_or_else(memory::limit)
    }

    /// An error at a place of this spec.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>) -> SpecError {
        let document = text::Document {
            file: &self.file,
            text: &self.text,
        };
        document.error(span, message)
    }
}
