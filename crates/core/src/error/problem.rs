//! Why a problem cannot be frozen.

use thiserror::Error;

use crate::law::{Law, LawKind};
use crate::memory::MemoryError;
use crate::numbers::shown;
use crate::polygon::Polygon;

/// Why a problem cannot be frozen. Each variant names the row, block or body.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// An array has the wrong length.
    #[error("{what} has {found} entries, expected {expected}")]
    Length {
        /// Which array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that the rest of the problem requires.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("{what}: entry {index} is not finite")]
    NonFinite {
        /// Which array.
        what: &'static str,
        /// Index of the first such entry.
        index: usize,
    },
    /// A list of blocks is not a permutation.
    #[error("place {place} of the order names block {block}, which {fault}; name every block once")]
    Order {
        /// Place in the list.
        place: usize,
        /// The block at this place.
        block: usize,
        /// Why this block is wrong at this place.
        fault: &'static str,
    },
    /// The problem has more blocks than a 32-bit index can count.
    #[error("{rows} rows are more than a problem can index")]
    TooLarge {
        /// Number of rows of the problem.
        rows: usize,
    },
    /// The compliance of a row is negative.
    #[error("row {row}: compliance {} is negative; it must be ≥ 0 [1/kg]", shown(*.value))]
    NegativeCompliance {
        /// The row.
        row: usize,
        /// Its compliance \[1/kg\].
        value: f64,
    },
    /// The off-diagonal compliance of a block is not valid.
    #[error("block {block}: its coupled compliance {fault}")]
    CoupledCompliance {
        /// The block.
        block: usize,
        /// What is wrong with it.
        fault: CouplingFault,
    },
    /// The time step is not positive, gravity is negative, or one of them is not finite.
    #[error(
        "time step {} s with gravity {} m/s²: the step must be > 0 and gravity ≥ 0, both finite",
        shown(*.dt),
        shown(*.gravity)
    )]
    Step {
        /// Time step \[s\].
        dt: f64,
        /// Gravity \[m/s²\].
        gravity: f64,
    },
    /// Blocks do not tile the rows.
    #[error(
        "block {block}: its rows do not follow those of the block before it, or pass the last row"
    )]
    BlockRows {
        /// The block.
        block: usize,
    },
    /// A law does not fit its block.
    #[error("block {block}: the law {law} does not fit a block of {dim} rows")]
    LawDimension {
        /// The block.
        block: usize,
        /// Its law.
        law: LawKind,
        /// Its dimension.
        dim: usize,
    },
    /// The lower bound is above the upper one, a bound is NaN, or the bounds admit no finite
    /// impulse.
    #[error("block {block}: bounds [{lower}, {upper}] admit no finite impulse")]
    Bounds {
        /// The block.
        block: usize,
        /// Lower bound \[N·s\].
        lower: f64,
        /// Upper bound \[N·s\].
        upper: f64,
    },
    /// A friction coefficient, friction limit or lever is negative or not finite.
    #[error("block {block}: friction parameter {} must be finite and ≥ 0", shown(*.value))]
    FrictionCoefficient {
        /// The block.
        block: usize,
        /// The offending value.
        value: f64,
    },
    /// A friction coefficient or resistance is too small or too large to compute with.
    #[error(
        "block {block}: the friction coefficient {value:e} is out of range: give 0 for no friction, or a number from \
         {:e} to {:e}",
        Law::COEFFICIENTS.start(),
        Law::COEFFICIENTS.end()
    )]
    CoefficientRange {
        /// The block.
        block: usize,
        /// The offending value.
        value: f64,
    },
    /// A number of a scaled law is not allowed.
    #[error(
        "block {block}: {} is not allowed in the law {law}; give coefficients from {:e} to {:e} and a finite angle",
        shown(*.value),
        Law::COEFFICIENTS.start(),
        Law::COEFFICIENTS.end()
    )]
    LawNumber {
        /// The block.
        block: usize,
        /// Its law.
        law: LawKind,
        /// The offending value.
        value: f64,
    },
    /// The number of facets of a friction polygon is not allowed.
    #[error(
        "block {block}: {facets} facets must be an even number from 4 to {}",
        Polygon::MAX_FACETS
    )]
    Facets {
        /// The block.
        block: usize,
        /// The number of facets found.
        facets: u32,
    },
    /// An inverse mass is negative or not finite.
    #[error("body {body}: inverse mass must be finite and ≥ 0 on every axis")]
    InverseMass {
        /// The body.
        body: usize,
    },
    /// An inverse inertia is not symmetric positive semi-definite.
    #[error("body {body}: inverse inertia is not finite, symmetric and positive semi-definite")]
    InverseInertia {
        /// The body.
        body: usize,
    },
    /// A block has no body, an unknown body, or the same body twice.
    #[error("block {block}: touches no body, a body that does not exist, or one body twice")]
    BlockBodies {
        /// The block.
        block: usize,
    },
    /// An impulse on this row moves no body, and the row is not a friction row.
    #[error(
        "row {row}: no impulse on it moves a body (all are static, or locked along it); leave the row out"
    )]
    ImmovableRow {
        /// The row.
        row: usize,
    },
    /// A matrix block lies outside the matrix or has the wrong size.
    #[error("matrix block ({row}, {column}): outside the matrix, or of the wrong size")]
    MatrixShape {
        /// Block row.
        row: usize,
        /// Block column.
        column: usize,
    },
    /// The blocks of a matrix are not in ascending order.
    #[error("matrix block ({row}, {column}) is out of order: sort blocks by row, then by column")]
    MatrixOrder {
        /// Block row.
        row: usize,
        /// Block column.
        column: usize,
    },
    /// The matrix needs more memory than the limit.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A matrix block is given twice.
    #[error("matrix block ({row}, {column}) is given twice")]
    DuplicateMatrixBlock {
        /// Block row.
        row: usize,
        /// Block column.
        column: usize,
    },
}

/// What is wrong with the off-diagonal entries of R of a block.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum CouplingFault {
    /// The block does not exist, or the blocks are not in ascending order.
    #[error("names no block, or comes after that of a later block; give blocks in ascending order")]
    Block,
    /// The number of entries is not that of a strict lower triangle.
    #[error("has {found} entries, its strict lower triangle {expected}")]
    Length {
        /// Entries given.
        found: usize,
        /// Entries of the triangle.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("has an entry that is not finite ({entry})")]
    NonFinite {
        /// Index of the first one in the triangle.
        entry: usize,
    },
    /// R_cc has a negative eigenvalue.
    #[error("has a negative eigenvalue together with the diagonal, which no spring has")]
    Indefinite,
}
