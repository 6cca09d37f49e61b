//! Errors of readers, writers and generators: what, where, what to do.

use delassus_core::{ContactLaw, EntryError, MemoryError, ProblemError};
use delassus_formats::fclib::{FclibError, WriteFclibError};
use delassus_formats::npz::{NpzError, NpzReadError};
use delassus_formats::{ProblemFieldError, ReduceError, TextError, WriteTextError};
use thiserror::Error;

/// The names of the laws of files, for a message.
fn law_names() -> String {
    let names = ContactLaw::OF_FILES.iter().map(|law| law.name);
    names.collect::<Vec<_>>().join(", ")
}

/// Why a file gives no problem. Text errors carry the line, binary ones the byte offset.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProblemReadError {
    /// The file cannot be read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// No supported format.
    #[error("not a problem file: {reason}")]
    UnknownFormat {
        /// What was found.
        reason: String,
    },
    /// A format that is recognised but that no reader here reads.
    #[error("{format} is not supported: {hint}")]
    UnsupportedFormat {
        /// The format.
        format: &'static str,
        /// What to do instead.
        hint: String,
    },
    /// A text file gives no problem; the error has the line.
    #[error(transparent)]
    Text(#[from] TextError),
    /// An HDF5 file gives no problem; the error has the byte offset.
    #[error(transparent)]
    Fclib(#[from] FclibError),
    /// A NumPy archive gives no problem; the error has the array.
    #[error(transparent)]
    Npz(#[from] NpzReadError),
    /// What the file holds does not fit together.
    #[error("not a valid problem: {0}")]
    Field(#[from] ProblemFieldError),
    /// A law that a file with one coefficient per contact does not determine.
    #[error(
        "the file has one coefficient per contact, which does not determine the law {law}: take one of {}",
        law_names()
    )]
    ContactLaw {
        /// The law.
        law: ContactLaw,
    },
    /// A global problem cannot be brought to Delassus form.
    #[error("the global problem cannot be reduced: {0}")]
    Reduce(#[from] ReduceError),
    /// A mixed problem whose blocks no frozen problem can have.
    #[error("the mixed problem has no square form: {reason}")]
    NotSquare {
        /// What stands in the way.
        reason: &'static str,
    },
    /// Reading the file would take more memory than it may.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A binary file is longer than what it says of itself.
    #[error(
        "the file has {length} bytes, but {by} says that it has {said}: what follows belongs to no problem; cut it off, or copy the file again"
    )]
    Length {
        /// Bytes by its own words \[B\].
        said: u64,
        /// What says so.
        by: &'static str,
        /// Bytes of the file \[B\].
        length: u64,
    },
    /// The container of a snapshot is damaged.
    #[error("byte {offset}: the snapshot container is damaged: {reason}")]
    Container {
        /// Offset of the part that is damaged.
        offset: usize,
        /// What is wrong.
        reason: String,
    },
    /// A snapshot was written by a newer or an unknown program.
    #[error(
        "byte {offset}: the snapshot has format version {found:?}; this program reads version {supported}"
    )]
    Version {
        /// Offset of the version.
        offset: usize,
        /// Version in the file.
        found: String,
        /// Version that is read here.
        supported: &'static str,
    },
    /// The list of laws in a snapshot is not that of its version.
    #[error(
        "byte {offset}: {fault}, but blocks/law counts by the list of version {version}: {expected}; write this list, \
         and the numbers by it"
    )]
    Laws {
        /// Offset of the list, or of the header if it is missing.
        offset: usize,
        /// What is wrong with the list.
        fault: String,
        /// Version of the file.
        version: &'static str,
        /// The list of that version.
        expected: String,
    },
    /// A snapshot's content is not what was written.
    #[error(
        "byte {offset}: the snapshot was changed: its checksum is {found}, the file says {}",
        if expected.is_empty() { "none" } else { expected }
    )]
    Checksum {
        /// Offset of the checksum in the file.
        offset: usize,
        /// Checksum in the file.
        expected: String,
        /// Checksum of the content.
        found: String,
    },
    /// An array of a snapshot is missing, or has another type or shape than it must have.
    #[error("byte {offset}: tensor {tensor:?} {reason}")]
    Tensor {
        /// Offset of its data, or of the header if it is missing.
        offset: usize,
        /// Its name.
        tensor: String,
        /// What is wrong.
        reason: String,
    },
    /// The arrays of a snapshot make no valid problem.
    #[error("byte {offset}: tensor {tensor:?}: not a valid problem: {source}")]
    Content {
        /// Offset of the number that is to blame, or of the array that it is in.
        offset: usize,
        /// The array.
        tensor: &'static str,
        /// What is wrong with the problem.
        #[source]
        source: ProblemError,
    },
    /// The file is well formed, but the problem in it is not valid.
    #[error("not a valid problem: {0}")]
    Problem(#[from] ProblemError),
}

/// Why a problem cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProblemWriteError {
    /// The file cannot be written.
    #[error("cannot write the file: {0}")]
    Io(#[from] std::io::Error),
    /// The format has no place for something that the problem has.
    #[error("{format} cannot hold this problem: {reason}")]
    NotExpressible {
        /// The format.
        format: &'static str,
        /// What it cannot hold.
        reason: String,
    },
    /// The parts that are to be written fit no text format.
    #[error(transparent)]
    Text(#[from] WriteTextError),
    /// What is to be written has no FCLIB form.
    #[error(transparent)]
    Fclib(#[from] WriteFclibError),
    /// The NumPy archive cannot be made.
    #[error(transparent)]
    Npz(#[from] NpzError),
    /// What is to be written would take more memory than it may.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The problem cannot be turned into the form that the format needs.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Why a generator made no problem.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// No generator of that name, an unknown parameter, a value of another type or out of range.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The problem would take more memory than it may.
    #[error("generator {generator}: {source}")]
    Memory {
        /// The generator.
        generator: &'static str,
        /// How much, and the limit.
        #[source]
        source: MemoryError,
    },
    /// The parameters are each in range, but together give no valid problem.
    #[error("generator {generator}: {source}")]
    Problem {
        /// The generator.
        generator: &'static str,
        /// What is wrong with the problem.
        #[source]
        source: ProblemError,
    },
}
