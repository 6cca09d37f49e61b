//! Why a run did not come about.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use delassus_records::disk;
use thiserror::Error;

use crate::report::ReportError;
use crate::spec::SpecError;
use crate::store;
use crate::suggest::list;

/// Exit code of every verb for a file of a results folder that is missing, damaged or not as the
/// run left it.
pub const NOT_AS_LEFT: u8 = 6;

/// How far a run is that has not come to its end.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{} holds a run that has not come to its end: {done} of {cells} cells have ended; run its spec again into this folder to continue (it was begun with: {command})",
    folder.display()
)]
pub struct UnfinishedRun {
    /// The folder.
    pub folder: PathBuf,
    /// Cells with a record \[-\].
    pub done: usize,
    /// All cells \[-\].
    pub cells: usize,
    /// What began it.
    pub command: String,
}

/// Why a run did not come about, or could not be written.
#[derive(Debug, Error)]
pub enum RunError {
    /// The spec cannot be meant.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The device of a solver or scheme is missing, and the request does not allow to skip it.
    #[error(
        "{label} finds no adapter on this machine; `delassus doctor` lists them, and without --require-gpu its cells are skipped"
    )]
    NoDevice {
        /// Label of the solver or scheme.
        label: String,
    },
    /// Another process has the folder.
    #[error(
        "{} is in use by {}",
        folder.display(),
        process.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"))
    )]
    Busy {
        /// The folder.
        folder: PathBuf,
        /// Number of the process, where it is known.
        process: Option<u32>,
    },
    /// What stands in the place of the lock of a folder is no file.
    #[error("cannot lock {}: {source}", folder.display())]
    Lock {
        /// The folder.
        folder: PathBuf,
        /// What stands there, and what to do.
        source: io::Error,
    },
    /// The folder holds the results of another spec.
    #[error(
        "{} holds the results of {owner}; name another folder with --out, or delete its {} if that spec has moved",
        folder.display(),
        store::EXPERIMENT
    )]
    Owned {
        /// The folder.
        folder: PathBuf,
        /// The other spec.
        owner: String,
    },
    /// The spec that the user names is of another experiment than the results.
    #[error(
        "{} is not the spec of the results in {}: {reason}; name the spec of that run with --spec, or run this one into a folder of its own",
        spec.display(),
        folder.display()
    )]
    OtherSpec {
        /// The spec.
        spec: PathBuf,
        /// The folder.
        folder: PathBuf,
        /// What tells them apart.
        reason: String,
    },
    /// A run was ended before it had written what it is to leave.
    #[error(transparent)]
    Unfinished(UnfinishedRun),
    /// Cells cannot run in processes of their own on this system.
    #[error("cells run in separate processes only on Unix systems; leave --isolate out")]
    NoIsolation,
    /// A process for cells does not come about, or means other cells.
    #[error("a process for cells: {reason}")]
    Worker {
        /// Why.
        reason: String,
    },
    /// The user stopped the run before it began.
    #[error("interrupted: nothing has run")]
    Cancelled,
    /// A file of the results cannot be written.
    #[error("cannot write {}: {}", path.display(), unwritten(source))]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of the results cannot be read.
    #[error("{}", unread(path, source))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of the folder is there and cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Two folders are not of one experiment.
    #[error(
        "{} and {} hold different cells; merge only parts of one spec, run by one program",
        folder.display(),
        than.display()
    )]
    OtherCells {
        /// The folder.
        folder: PathBuf,
        /// One that it does not go with.
        than: PathBuf,
    },
    /// A file of a results folder is missing, damaged, or not as the run left it: every verb says
    /// so with this error.
    #[error(
        "{}: {reason}; {advice}; `delassus fsck` lists damaged files, `delassus verify` everything that differs",
        path.display()
    )]
    NotAsLeft {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// What mends it.
        advice: &'static str,
    },
    /// Two records of one key differ in more than their times.
    #[error(
        "{} and {} are records of one cell and differ: check both folders with `delassus verify`, and remove the file that is wrong",
        one.display(),
        other.display()
    )]
    Different {
        /// The first file.
        one: PathBuf,
        /// The other.
        other: PathBuf,
    },
    /// Figures, tables or the report cannot be made.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl RunError {
    /// The error on one line: of a spec without the text that it underlines.
    pub(crate) fn on_one_line(&self) -> String {
        match self {
            Self::Spec(error) => error.on_one_line(),
            other => other.to_string(),
        }
    }

    /// 2 if the request was wrong, 3 if another process is in the way or the system does not read
    /// or write a file, 4 if the machine lacks what was asked for, [`NOT_AS_LEFT`] if a file of the
    /// results is missing, damaged or not as the run left it, or two records of one cell differ,
    /// 130 if the user stopped it.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Spec(_)
            | Self::Read { .. }
            | Self::Owned { .. }
            | Self::OtherSpec { .. }
            | Self::Unfinished(_)
            | Self::OtherCells { .. } => 2,
            Self::Busy { .. }
            | Self::Lock { .. }
            | Self::Write { .. }
            | Self::Worker { .. }
            | Self::Unreadable { .. }
            | Self::Report(ReportError::Write { .. }) => 3,
            Self::Report(_) => 1,
            Self::NoDevice { .. } | Self::NoIsolation => 4,
            Self::Different { .. } | Self::NotAsLeft { .. } => NOT_AS_LEFT,
            Self::Cancelled => 130,
        }
    }
}

/// Why a file cannot be written; where a file has the name of a folder, the system says that it
/// exists.
fn unwritten(source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => disk::IN_THE_WAY.to_owned(),
        _ => source.to_string(),
    }
}

/// Why a file of a results folder cannot be read: most often there is no such folder, or it is the
/// folder around.
fn unread(path: &Path, source: &io::Error) -> String {
    let folder = path.parent().unwrap_or(Path::new(""));
    let inside = runs_in(folder);
    if source.kind() == io::ErrorKind::NotFound && !inside.is_empty() {
        return format!(
            "{} is no results folder of a run, but these in it are: {}; name one of them",
            folder.display(),
            list(inside.iter().map(String::as_str))
        );
    }
    let reason = if folder.is_file() {
        format!("{} is a file", folder.display())
    } else if folder != Path::new("") && !folder.exists() {
        format!("there is no folder {}", folder.display())
    } else {
        format!("cannot read {}: {source}", path.display())
    };
    format!("{reason}; is this the results folder of a run?")
}

/// Most folders that a message names \[-\].
const NAMED: usize = 12;

/// The results folders of runs in a folder, sorted, at most [`NAMED`] of them.
pub(crate) fn runs_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.map(|entry| entry.path());
    let runs = folders.filter(|inner| inner.join(store::EXPERIMENT).is_file());
    let mut names: Vec<String> = runs.map(|run| run.display().to_string()).collect();
    names.sort();
    if names.len() > NAMED {
        let others = names.len() - NAMED;
        names.truncate(NAMED);
        names.push(format!("and {others} more"));
    }
    names
}
