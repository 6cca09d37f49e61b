//! Errors of matrices, problems and text files: what, where, what to do.

use thiserror::Error;

/// Why a text file gives no problem; with the line, counted from 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TextError {
    /// No supported format.
    #[error("not a problem file: {reason}")]
    UnknownFormat {
        /// What was found.
        reason: String,
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
    #[error(
        "line {line}: {what}: {} are expected, but only {bytes} bytes follow",
        if *count == usize::MAX { "more entries than can be counted".to_owned() } else { format!("{count} entries") }
    )]
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
        /// What the rest of the file requires.
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
    /// The friction coefficients are the offsets of the contacts' rows: another line was taken for
    /// them.
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
    /// The file is well formed, but what it holds does not fit together.
    #[error("line {line}: {source}")]
    Content {
        /// Line of the end of the problem, counted from 1.
        line: usize,
        /// What does not fit.
        #[source]
        source: ProblemFieldError,
    },
}

impl TextError {
    /// The line that it is about, counted from 1; 0 where no line is to blame.
    pub(crate) fn line(&self) -> usize {
        match self {
            Self::UnknownFormat { .. } => 0,
            Self::UnexpectedEnd { line, .. }
            | Self::Unexpected { line, .. }
            | Self::NonFinite { line, .. }
            | Self::TooMany { line, .. }
            | Self::Size { line, .. }
            | Self::Index { line, .. }
            | Self::Order { line, .. }
            | Self::NegativeFriction { line, .. }
            | Self::Leftover { line, .. }
            | Self::RowOffsets { line, .. }
            | Self::Content { line, .. } => *line,
        }
    }

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

/// Why the numbers of a matrix do not fit its size.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// A list is too long or too short.
    #[error("{what}: {found}, expected {expected}")]
    Length {
        /// Which list.
        what: &'static str,
        /// Its length, or a size.
        found: usize,
        /// The length that fits.
        expected: usize,
    },
    /// An index is out of range.
    #[error("{what} {index} is not below {limit}")]
    Index {
        /// Index of what.
        what: &'static str,
        /// The index.
        index: usize,
        /// The first index that is too large.
        limit: usize,
    },
    /// Numbers that must not fall do.
    #[error("{what} do not grow")]
    Order {
        /// Which numbers.
        what: &'static str,
    },
    /// A symmetric matrix of which one triangle is stored has entries in both.
    #[error("entries in both triangles, where one of a symmetric matrix is stored")]
    BothTriangles,
    /// A value is NaN or infinite.
    #[error("value {index} is not a finite number")]
    NonFinite {
        /// Which of the stored values, from 0.
        index: usize,
    },
}

/// Why the parts of a problem do not fit each other.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemFieldError {
    /// Something that is no matrix.
    #[error("matrix {what}: {source}")]
    Matrix {
        /// Which matrix.
        what: &'static str,
        /// What is wrong.
        #[source]
        source: MatrixError,
    },
    /// A matrix of another shape than the rest of the problem requires.
    #[error("matrix {what} is {} x {}, expected {} x {}", found.0, found.1, expected.0, expected.1)]
    Shape {
        /// Which matrix.
        what: &'static str,
        /// Its rows and columns.
        found: (usize, usize),
        /// Those that fit.
        expected: (usize, usize),
    },
    /// A vector of another length than the rest of the problem requires.
    #[error("the length of {what} is {found}, expected {expected}")]
    Length {
        /// Which vector.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that fits.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("{what}: number {index} is not finite")]
    NonFinite {
        /// Which vector.
        what: &'static str,
        /// Which of its numbers, from 0.
        index: usize,
    },
    /// Contacts have 2 or 3 rows, or 5 with rolling friction.
    #[error("contacts of {dim} rows {} rolling friction: 2 or 3 rows have none, 5 have it", if *rolling { "with" } else { "without" })]
    Dimension {
        /// Rows of a contact.
        dim: usize,
        /// True with coefficients of rolling friction.
        rolling: bool,
    },
    /// A friction coefficient is negative.
    #[error("the {what} of contact {contact} is {value}; it must be >= 0")]
    NegativeFriction {
        /// Which coefficient.
        what: &'static str,
        /// Contact, counted from 0.
        contact: usize,
        /// Its coefficient.
        value: f64,
    },
    /// A lower bound above its upper one.
    #[error("row {row}: the lower bound {lower} is above the upper bound {upper}")]
    Bounds {
        /// Row, from 0.
        row: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// Block ends that do not grow.
    #[error("block ends must grow; {found} follows {previous}")]
    BlockEnds {
        /// The end before.
        previous: u32,
        /// The end that does not grow.
        found: u32,
    },
    /// A mixed problem neither by M and q nor by parts.
    #[error("a mixed problem needs the form by M and q or that by A, B, C, D, a, b")]
    NoForm,
}

/// Why a problem cannot be written as text.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WriteTextError {
    /// The format has no place for something that the problem has.
    #[error("the text formats cannot hold this problem: {reason}")]
    NotExpressible {
        /// What they cannot hold.
        reason: String,
    },
    /// Parts that do not fit each other.
    #[error(transparent)]
    Field(#[from] ProblemFieldError),
}
