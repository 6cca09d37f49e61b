//! Errors: what is wrong, where, what to do.

use thiserror::Error;

use crate::law::LawKind;
use crate::memory::MemoryError;
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
        /// The length that the rest of the problem asks for.
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
    /// A list of blocks is no order of them.
    #[error("place {place} of the order names block {block}, which {fault}; name every block once")]
    Order {
        /// Place in the list.
        place: usize,
        /// What stands there.
        block: usize,
        /// Why that cannot be.
        fault: &'static str,
    },
    /// More blocks than 32-bit indices can name.
    #[error("{rows} rows are more than a problem can index")]
    TooLarge {
        /// Number of rows asked for.
        rows: usize,
    },
    /// The compliance of a row is negative.
    #[error("row {row}: compliance {value} is negative; it must be ≥ 0 [1/kg]")]
    NegativeCompliance {
        /// The row.
        row: usize,
        /// Its compliance \[1/kg\].
        value: f64,
    },
    /// What the compliance of a block has beside its diagonal does not fit.
    #[error("block {block}: its coupled compliance {fault}")]
    CoupledCompliance {
        /// The block.
        block: usize,
        /// What is wrong with it.
        fault: CouplingFault,
    },
    /// The time step or gravity makes no sense.
    #[error(
        "time step {dt} s with gravity {gravity} m/s²: the step must be > 0 and gravity ≥ 0, both finite"
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
    #[error("block {block}: a block of {dim} rows cannot carry the law {law}")]
    LawDimension {
        /// The block.
        block: usize,
        /// Its law.
        law: LawKind,
        /// Its dimension.
        dim: usize,
    },
    /// Bounds are unordered, NaN, or admit no finite impulse.
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
    #[error("block {block}: friction parameter {value} must be finite and ≥ 0")]
    FrictionCoefficient {
        /// The block.
        block: usize,
        /// The offending value.
        value: f64,
    },
    /// A polygon of friction has a number of facets that there is not.
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
    /// A block names no body, an unknown one, or the same one twice.
    #[error("block {block}: touches no body, a body that does not exist, or one body twice")]
    BlockBodies {
        /// The block.
        block: usize,
    },
    /// No impulse moves a row.
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
    /// The matrix takes more memory than it may.
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

/// What is wrong with the entries of R beside the diagonal of a block.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum CouplingFault {
    /// There is no such block, or it comes after a later one.
    #[error("names no block, or comes after that of a later block; give blocks in ascending order")]
    Block,
    /// Not a strict lower triangle.
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
    #[error("has a negative eigenvalue together with the diagonal: no spring is like that")]
    Indefinite,
}

/// Why a solver refuses a problem: it never solves another one silently.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// A law that the solver does not know.
    #[error("{solver} does not solve the law {law} (block {block})")]
    Law {
        /// The solver's identifier.
        solver: &'static str,
        /// First block with that law.
        block: usize,
        /// The law.
        law: LawKind,
    },
    /// More rows than the method can treat.
    #[error("{solver} treats at most {limit} rows, the problem has {rows}")]
    TooManyRows {
        /// The solver's identifier.
        solver: &'static str,
        /// Rows of the problem.
        rows: usize,
        /// The solver's limit.
        limit: usize,
    },
    /// A diagonal entry that the method divides by is not positive.
    #[error("{solver} divides by the diagonal, which is {value} on row {row}")]
    Diagonal {
        /// The solver's identifier.
        solver: &'static str,
        /// The row.
        row: usize,
        /// A_ii + R_ii \[1/kg\].
        value: f64,
    },
    /// The method needs a symmetric matrix.
    #[error(
        "{solver} needs a symmetric matrix; this one departs from symmetry by {defect:.1e} (relative)"
    )]
    Unsymmetric {
        /// The solver's identifier.
        solver: &'static str,
        /// ‖A − Aᵀ‖_F / ‖A‖_F \[-\].
        defect: f64,
    },
    /// The method needs bodies, the problem is a matrix.
    #[error("{solver} needs bodies; the problem is given by its matrix")]
    Bodies {
        /// The solver's identifier.
        solver: &'static str,
    },
    /// The compliance of a block is not diagonal, and the method has no room for such.
    #[error(
        "{solver} treats diagonal compliance only; rows of block {block} share theirs. Take pgs or block-gs, or give each \
         row its own softness"
    )]
    CoupledCompliance {
        /// The solver's identifier.
        solver: &'static str,
        /// First block whose compliance is not diagonal.
        block: usize,
    },
    /// Some rows are held, and the method cannot hold rows.
    #[error("{solver} cannot hold rows (block {block} is not fully active)")]
    Activity {
        /// The solver's identifier.
        solver: &'static str,
        /// First block that is not fully active.
        block: usize,
    },
    /// Preparing the method takes more memory than it may.
    #[error("{solver}: {memory}")]
    Memory {
        /// The solver's identifier.
        solver: &'static str,
        /// What needs how much.
        memory: MemoryError,
    },
    /// Magnitudes that the arithmetic of the method cannot hold together.
    #[error("{solver} computes in f32, {reason}")]
    Range {
        /// The solver's identifier.
        solver: &'static str,
        /// Which number, its range, and what to do.
        reason: String,
    },
    /// The device that the method runs on is missing or too small.
    #[error("{solver}: {device}")]
    Device {
        /// The solver's identifier.
        solver: &'static str,
        /// What it cannot do.
        device: DeviceError,
    },
}

/// What a compute device could not do.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// There is no device, or no driver for it.
    #[error("no adapter: {reason}; `delassus doctor` lists what this machine has")]
    NoAdapter {
        /// What was looked for, and what was found.
        reason: String,
    },
    /// A buffer, binding or dispatch is larger than the device allows.
    #[error(
        "{what} needs {needed}, the adapter allows {allowed}; take a smaller problem or another adapter"
    )]
    Limit {
        /// What is too large.
        what: &'static str,
        /// The size needed.
        needed: u64,
        /// The adapter's limit.
        allowed: u64,
    },
    /// The device's memory is full.
    #[error("the device has no room for {bytes} more bytes ({what})")]
    OutOfMemory {
        /// What was to be stored.
        what: &'static str,
        /// Its size \[B\].
        bytes: u64,
    },
    /// The device went away or was reset.
    #[error("the device was lost: {reason}; build the solver anew")]
    Lost {
        /// The driver's words.
        reason: String,
    },
    /// The driver refused a shader.
    #[error("shader {shader}: {reason}")]
    Shader {
        /// The shader's file.
        shader: &'static str,
        /// The compiler's words.
        reason: String,
    },
    /// The driver refused a command, which is a fault of this program.
    #[error("the driver refused a command: {reason}; please report it")]
    Validation {
        /// The driver's words.
        reason: String,
    },
}

/// Why a solver stopped. Not converging is a [`crate::Status`], not an error.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The problem is refused.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// `iterate`, `refresh` or a read came before `prepare`.
    #[error("prepare the solver first")]
    NotPrepared,
    /// A slice or the problem does not fit what was prepared.
    #[error("{what} has {found} entries, the prepared problem {expected}")]
    Length {
        /// Which slice.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The expected length.
        expected: usize,
    },
    /// A warm start holds NaN or infinity.
    #[error("warm start: the impulse of row {row} is not finite")]
    WarmStart {
        /// The row.
        row: usize,
    },
    /// The iterate became NaN or infinite.
    #[error("the impulse of row {row} became non-finite")]
    NonFinite {
        /// First such row.
        row: usize,
    },
    /// A direct method met a matrix that it cannot factorize.
    #[error("the matrix cannot be factorized: {reason}")]
    Factorization {
        /// What went wrong, and what to try.
        reason: &'static str,
    },
    /// The problem has no solution that the method can reach.
    #[error("no solution: {reason}")]
    Infeasible {
        /// What was found.
        reason: &'static str,
    },
    /// The method ended on a ray: with the certificate that there is no solution, or without.
    #[error(transparent)]
    Ray(#[from] Ray),
    /// Body velocities were asked of a problem without bodies.
    #[error("the problem is given by its matrix and has no bodies")]
    NoBodies,
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl SolveError {
    /// Refuses a slice or problem of another size.
    ///
    /// # Errors
    /// [`Self::Length`], unless `found` is `expected`.
    pub fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        Err(Self::Length {
            what,
            found,
            expected,
        })
    }
}

/// A direction d of impulses that a method ran away along.
///
/// It proves that there is no solution (V.4) if d pushes only where rows may push without end, if it raises no velocity
/// that has to be complementary to an impulse, and if b does negative work on it: then every admissible λ has
/// dᵀw = dᵀAλ + dᵀb ≤ dᵀb < 0, while w asks for dᵀw ≥ 0 (Farkas).
#[derive(Debug, Clone, PartialEq)]
pub struct Ray {
    /// d, one per row, of unit length in the scaled rows (D.2) \[N·s\].
    pub direction: Vec<f64>,
    /// The largest velocity that d changes and may not, per length of d, both scaled \[-\]; rounding in a proof.
    pub defect: f64,
    /// bᵀd over the lengths of b and d, all scaled \[-\]; below zero in a proof.
    pub work: f64,
}

impl Ray {
    /// Largest defect of a proof, as a fraction of its work \[-\].
    const ROUNDING: f64 = 1e-6;

    /// A direction with what is said about it; see the fields.
    pub fn new(direction: Vec<f64>, defect: f64, work: f64) -> Self {
        Self {
            direction,
            defect,
            work,
        }
    }

    /// True if the ray proves that there is no solution; false if it proves nothing.
    pub fn is_proof(&self) -> bool {
        self.work < 0.0 && self.defect <= Self::ROUNDING * -self.work
    }
}

impl std::error::Error for Ray {}

/// What was found, and the numbers that prove it.
impl std::fmt::Display for Ray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (defect, work) = (self.defect, self.work);
        let row = |(largest, at): (f64, usize), (i, x): (usize, &f64)| {
            if x.abs() > largest {
                (x.abs(), i)
            } else {
                (largest, at)
            }
        };
        let (_, largest) = self.direction.iter().enumerate().fold((0.0, 0), row);
        if self.is_proof() {
            write!(
                f,
                "no solution: impulses that grow along a ray (most on row {largest}) raise no velocity (defect \
                 {defect:.1e}) and b does negative work on them ({work:.1e}): the rows contradict each other"
            )
        } else {
            write!(
                f,
                "no solution reached: the pivoting ended on a ray (most on row {largest}), which proves nothing here \
                 (defect {defect:.1e}, work {work:.1e}); take enumeration for small problems, or an iterative solver"
            )
        }
    }
}

/// A solver parameter is out of its range.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{parameter} = {value} is out of range: {expected}")]
pub struct ParameterError {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// The value given.
    pub value: String,
    /// What is allowed.
    pub expected: &'static str,
}
