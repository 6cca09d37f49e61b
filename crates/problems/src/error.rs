//! Errors of readers, writers and generators: what, where, what to do.

use delassus_core::{EntryError, MemoryError, ProblemError};
use thiserror::Error;

/// Why a file gives no problem. Text errors carry the line, binary ones the byte offset.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// Nothing that any reader knows.
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
    /// The file stops too early.
    #[error("line {line}: the file ends where {expected} should follow")]
    UnexpectedEnd {
        /// Last line of the file.
        line: usize,
        /// What is missing.
        expected: &'static str,
    },
    /// Something else than expected.
    #[error("line {line}: expected {expected}, found {found:?}")]
    Unexpected {
        /// Line, counted from 1.
        line: usize,
        /// What should stand there.
        expected: &'static str,
        /// What stands there, shortened.
        found: String,
    },
    /// A number is NaN or infinite.
    #[error("line {line}: {what} holds {found}, which is not a finite number")]
    NonFinite {
        /// Line, counted from 1.
        line: usize,
        /// Which array.
        what: &'static str,
        /// The number as written.
        found: String,
    },
    /// More entries are declared than the rest of the file can hold.
    #[error("line {line}: {what}: {count} entries are expected, but only {bytes} bytes follow")]
    TooMany {
        /// Line, counted from 1.
        line: usize,
        /// Entries of what.
        what: &'static str,
        /// Declared number; `usize::MAX` stands for an overflow.
        count: usize,
        /// Bytes left in the file.
        bytes: usize,
    },
    /// Two sizes contradict each other.
    #[error("line {line}: {what} is {found}, expected {expected}")]
    Size {
        /// Line, counted from 1.
        line: usize,
        /// Which size.
        what: &'static str,
        /// What the file says.
        found: usize,
        /// What the rest of the file asks for.
        expected: usize,
    },
    /// An index is out of range or out of order.
    #[error("line {line}: {what} {index} is not below {limit}")]
    Index {
        /// Line, counted from 1.
        line: usize,
        /// Index of what.
        what: &'static str,
        /// The index.
        index: usize,
        /// The first index that is too large.
        limit: usize,
    },
    /// Indices that must grow do not.
    #[error("line {line}: {what} must grow; {found} follows {previous}")]
    Order {
        /// Line, counted from 1.
        line: usize,
        /// Indices of what.
        what: &'static str,
        /// The index before.
        previous: usize,
        /// The index that does not grow.
        found: usize,
    },
    /// A friction coefficient is negative.
    #[error(
        "line {line}: the friction coefficient of contact {contact} is {value}; it must be >= 0"
    )]
    NegativeFriction {
        /// Line, counted from 1.
        line: usize,
        /// Contact, counted from 0.
        contact: usize,
        /// Its coefficient \[-\].
        value: f64,
    },
    /// Numbers follow where the file should end.
    #[error("line {line}: numbers left over after {after} ({count}): {found}; {hint}")]
    Leftover {
        /// Line of the first, counted from 1.
        line: usize,
        /// How many \[-\].
        count: usize,
        /// What they follow.
        after: &'static str,
        /// The first of them.
        found: String,
        /// What to do.
        hint: &'static str,
    },
    /// The friction coefficients are the offsets of the contacts' rows: another line was taken for them.
    #[error(
        "line {line}: the friction coefficients are 0, {dim}, … in steps of {dim}: these are the first rows of the contacts; \
         an older print of the format has such a line of indices before the coefficients: delete it"
    )]
    RowOffsets {
        /// Line of the first, counted from 1.
        line: usize,
        /// Rows of a contact \[-\].
        dim: usize,
    },
    /// Reading the file would take more memory than it may.
    #[error(transparent)]
    Memory(#[from] MemoryError),
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
    /// A snapshot's content is not what was written.
    #[error(
        "byte {offset}: the snapshot was changed: its checksum is {found}, the file says {expected}"
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

impl ReadError {
    /// Refuses a size that contradicts what the rest of the file asks for.
    pub(crate) fn check_size(
        line: usize,
        what: &'static str,
        found: usize,
        expected: usize,
    ) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        Err(Self::Size {
            line,
            what,
            found,
            expected,
        })
    }
}

/// Why a problem cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
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
