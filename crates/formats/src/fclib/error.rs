//! Why a file is no FCLIB problem, and why a problem becomes no FCLIB file.

use thiserror::Error;

use crate::error::ProblemFieldError;

/// Why an HDF5 file gives no problem. Offsets are in bytes from the file's beginning.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FclibError {
    /// The container is damaged, or uses what is not read here.
    #[error(transparent)]
    Container(#[from] delassus_hdf5::ReadError),
    /// None of the groups that hold a problem.
    #[error(
        "no FCLIB problem: of the groups fclib_local, fclib_global and fclib_global_rolling a file has one, \
         this file has {found}"
    )]
    NoProblem {
        /// What stands there instead.
        found: String,
    },
    /// An array is missing, or is none of the kind that it must be.
    #[error("/{place}: {source}")]
    Value {
        /// The group that it should be in.
        place: String,
        /// What is wrong.
        #[source]
        source: delassus_hdf5::ValueError,
    },
    /// A number that the format does not define.
    #[error("byte {offset}: /{place} is {found}; {expected}")]
    Number {
        /// Where the number lies.
        offset: u64,
        /// What it is.
        place: String,
        /// Its value.
        found: i64,
        /// What it may be.
        expected: &'static str,
    },
    /// Fewer entries than the file says.
    #[error("byte {offset}: /{place} has {found} entries, {expected} are expected")]
    Entries {
        /// Where the array lies.
        offset: u64,
        /// Which array.
        place: String,
        /// Its entries \[-\].
        found: usize,
        /// Entries that the matrix asks for \[-\].
        expected: usize,
    },
    /// Vᵀ without R, or the reverse.
    #[error(
        "/{group}: {present} is there and {missing} is not: bilateral rows have both or neither"
    )]
    Unpaired {
        /// Where.
        group: &'static str,
        /// The one that is there.
        present: &'static str,
        /// The one that is missing.
        missing: &'static str,
    },
    /// The parts do not fit each other.
    #[error("not a valid problem: {0}")]
    Content(#[from] ProblemFieldError),
}

/// Why a problem is not written.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WriteFclibError {
    /// The format has no place for a problem of this kind.
    #[error("FCLIB has no form for a problem of kind {kind}: {advice}")]
    Kind {
        /// The kind.
        kind: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// A number that does not fit the format's 32 bits.
    #[error("{what} is {found}, more than the 2147483647 that the format can say")]
    Large {
        /// Which number.
        what: &'static str,
        /// Its value.
        found: u64,
    },
    /// The parts do not fit each other.
    #[error("not a valid problem: {0}")]
    Content(#[from] ProblemFieldError),
    /// The container cannot hold it.
    #[error(transparent)]
    Container(#[from] delassus_hdf5::WriteError),
}
