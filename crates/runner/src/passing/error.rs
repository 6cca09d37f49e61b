//! Why results cannot be passed on.

use std::io;
use std::path::{Path, PathBuf};

use delassus_core::EntryError;
use thiserror::Error;

use crate::error::RunError;
use crate::spec::SpecError;
use crate::unfit;
use crate::verify::Finding;

/// Why there is no bundle.
#[derive(Debug, Error)]
pub enum PassError {
    /// The folder is not one of results, or cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The spec is not the one that the results are of.
    #[error("{}: the spec has changed since these results were made; run it again before passing them on", path.display())]
    Changed {
        /// The spec.
        path: PathBuf,
    },
    /// A copy of the sources is not the same experiment.
    #[error(
        "a copy of the spec and its files is not the same experiment: {0}; name files relative to the spec"
    )]
    Sources(String),
    /// The spec names a file by a path that leads out of a copy of its files.
    #[error(
        "{}; name it relative to the spec, and run the experiment once more, which keeps its cells", .0.on_one_line()
    )]
    Outside(SpecError),
    /// The spec names something that this program does not have.
    #[error(transparent)]
    Unknown(#[from] EntryError),
    /// A problem that cannot be written so that it reads as the same.
    #[error("problem {name:?} cannot be frozen: {reason}")]
    Frozen {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// A file of the sources cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl PassError {
    /// The error about what [`verify`](crate::verify::verify) has found in the results folder
    /// `dir`.
    pub(super) fn found(
        dir: &Path,
        Finding {
            file, what, mend, ..
        }: Finding,
    ) -> Self {
        Self::Run(match mend {
            Some(advice) => RunError::NotAsLeft {
                path: dir.join(file),
                reason: what,
                advice,
            },
            None => unfit::not_as_left(dir, &file, what),
        })
    }

    /// The error about a file of the results folder `dir` that is not as the run left it.
    pub(super) fn damaged(dir: &Path, file: &str, what: String) -> Self {
        Self::Run(unfit::not_as_left(dir, file, what))
    }
}
