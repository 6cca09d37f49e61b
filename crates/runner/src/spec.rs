//! Experiment specs: one TOML file that says what to solve, with what, until when, and what to
//! draw.
//!
//! Everything that can be judged from the text alone is judged here: unknown keys, wrong types,
//! impossible values, unknown solvers, generators and metrics. Each is one [`SpecError`] with its
//! place and the nearest valid name.

pub(crate) mod axes;
pub(crate) mod context;
#[cfg(test)]
mod documentation;
pub(crate) mod keys;
mod parse;
mod prune;
mod schema;
pub(crate) mod section;
pub(crate) mod text;
mod used;
mod views;

use std::fs;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use delassus_core::MemoryLimit;

use crate::columns::Columns;
use crate::driver::StopRule;
use crate::figures::FigureSpec;
use crate::gate::GateSpec;
use crate::isolate::LimitChoice;
use crate::memory;
use crate::registry::Registry;
use crate::simulate::plan as simulate;
use crate::solve::measure::Stop;
use crate::solve::plan as solve;
use crate::strips::StripSpec;
use crate::tables::TableSpec;
use crate::time::plan as time;
use crate::view::Selection;

use axes::family;
pub use axes::{GridAxis, GridPoint, points, size};
pub use schema::schema;
pub use text::{SpecError, TextPlace};
pub(crate) use used::PAGE;

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
    /// What is done, to what.
    pub plan: Plan,
    /// The solvers, in order.
    pub solvers: Vec<SolverFamily>,
    /// Memory that one problem may take with its solver; `None` leaves it to the machine.
    pub max_memory: Option<MemoryLimit>,
    /// What the process of a cell may take.
    pub limits: LimitChoice,
    /// The figures.
    pub figures: Vec<FigureSpec>,
    /// The tables.
    pub tables: Vec<TableSpec>,
    /// The strips of stills.
    pub strips: Vec<StripSpec>,
    /// What `delassus gate` asserts.
    pub gates: Vec<GateSpec>,
}

/// What an experiment does with its cells, as the spec has it.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// Solve frozen problems.
    Solve(solve::SolvePlan),
    /// Time sweeps over frozen problems.
    Time(time::TimingPlan),
    /// Step scenes.
    Simulate(simulate::SimulationPlan),
}

impl Plan {
    /// The cells whose motion is recorded, as far as the spec chooses them by name.
    pub(crate) fn recorded(&self) -> Option<Selection<'_>> {
        match self {
            Self::Simulate(plan) => plan.replay.as_ref().map(|replay| replay.selection()),
            Self::Solve(_) | Self::Time(_) => None,
        }
    }

    /// What figures and tables can ask for.
    fn columns<'p>(&'p self, solvers: &'p [SolverFamily]) -> Columns<'p> {
        let columns = match self {
            Self::Solve(plan) => plan.columns(),
            Self::Time(plan) => plan.columns(),
            Self::Simulate(plan) => plan.columns(),
        };
        let solvers = solvers.iter().map(|solver| {
            let label = solver.label.as_ref().unwrap_or(&solver.id);
            family(label, &solver.axes)
        });
        Columns {
            solvers: solvers.collect(),
            ..columns
        }
    }
}

/// One `[[solver]]`: a family of configured solvers.
#[derive(Debug, Clone, PartialEq)]
pub struct SolverFamily {
    /// Registry identifier.
    pub id: String,
    /// Label given by the author.
    pub label: Option<String>,
    /// The parameters that the spec sets.
    pub axes: Vec<GridAxis>,
    /// The entry in the text.
    pub span: Range<usize>,
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
    let refuse = |message: String| SpecError::of_file(&file, message);
    // a device has no length, and no end
    let mut bytes = Vec::new();
    let read =
        fs::File::open(&path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    let read = read.map_err(|error| refuse(missing(&path, &error)))?;
    if read as u64 > MAX_BYTES {
        let length = fs::metadata(&path).map_or(0, |facts| facts.len());
        let size = match length {
            0 => "without end".to_owned(),
            bytes => format!("of {bytes} bytes"),
        };
        return Err(refuse(format!(
            "a spec {size}; at most {MAX_BYTES} are read"
        )));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = &String::from_utf8_lossy(error.as_bytes());
        let document = text::Document { file: &file, text };
        let message = "not UTF-8 from here on; save the file as UTF-8";
        document.error(valid..valid + 1, message)
    })?;
    parse::spec(&path, text, registry)
}

/// Checks the text of a spec as if it were the file `path`.
///
/// # Errors
/// Anything in the spec that cannot be meant.
pub fn of_text(path: &Path, text: String, registry: &Registry) -> Result<Spec, SpecError> {
    parse::spec(path, text, registry)
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
    let (parent, wanted) = if name == FILE_NAME {
        let own = folder.file_name().unwrap_or_default();
        (folder.parent(), own.to_string_lossy())
    } else {
        (Some(folder), name)
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
    /// A figure that this spec does not have: the lines of a `[[figure]]`, checked as if they were
    /// in it.
    ///
    /// # Errors
    /// Anything in the lines that cannot be meant; the errors name no place.
    pub(crate) fn figure(&self, lines: &str) -> Result<FigureSpec, SpecError> {
        let columns = self.plan.columns(&self.solvers);
        parse::figure(lines, &columns).map_err(|error| SpecError::of_file("plot", error.message))
    }

    /// Memory that one problem may take with its solver.
    pub fn memory(&self) -> MemoryLimit {
        self.max_memory.unwrap_or_else(memory::limit)
    }

    /// When a solve ends; without criteria where nothing is solved to a tolerance.
    pub fn stop(&self) -> Stop {
        match &self.plan {
            Plan::Solve(plan) => plan.stop.clone(),
            Plan::Time(_) | Plan::Simulate(_) => Stop {
                rule: StopRule::default(),
                criteria: Vec::new(),
            },
        }
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
