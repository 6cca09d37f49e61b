//! Why a run did not come about.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::report::ReportError;
use crate::spec::SpecError;
use crate::store;

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
    /// The user stopped the run before it began.
    #[error("interrupted: nothing has run")]
    Cancelled,
    /// A file of the results cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of the results cannot be read.
    #[error("cannot read {}: {source}; is this the results folder of a run?", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Figures, tables or the report cannot be made.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl RunError {
    /// 2 if the request was wrong, 3 if another process is in the way, 130 if the user stopped it, 1 if something failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Spec(_) | Self::Read { .. } | Self::Owned { .. } => 2,
            Self::Busy { .. } => 3,
            Self::Cancelled => 130,
            Self::NoDevice { .. } | Self::Write { .. } | Self::Report(_) => 1,
        }
    }
}
