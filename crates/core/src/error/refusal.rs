//! Why a solver does not support a problem, and what its device cannot do.

use thiserror::Error;

use crate::law::LawKind;
use crate::memory::MemoryError;

/// Why a solver does not support a problem. A solver never silently solves a different problem.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// A solver in a separate process does not support the problem.
    #[error("{solver} does not support the problem: {reason}")]
    Process {
        /// The solver's identifier.
        solver: &'static str,
        /// Its message.
        reason: String,
    },
    /// A law that the solver does not support.
    #[error(
        "{solver} does not support the law {law} (block {block}): {}",
        law.form()
    )]
    Law {
        /// The solver's identifier.
        solver: &'static str,
        /// First block with that law.
        block: usize,
        /// The law.
        law: LawKind,
    },
    /// A cone with more rows than the method supports.
    #[error(
        "{solver} supports cones of at most {limit} rows, but that of block {block} ({law}) has {rows}; use pgs, apgd or auto"
    )]
    ConeRows {
        /// The solver's identifier.
        solver: &'static str,
        /// First block with such a cone.
        block: usize,
        /// Its law.
        law: LawKind,
        /// Its rows \[-\].
        rows: usize,
        /// The solver's limit \[-\].
        limit: usize,
    },
    /// More rows than the method supports.
    #[error("{solver} supports at most {limit} rows, but the problem has {rows}")]
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
        "{solver} needs a symmetric matrix, but the relative asymmetry of this one is {defect:.1e}"
    )]
    Unsymmetric {
        /// The solver's identifier.
        solver: &'static str,
        /// ‖A − Aᵀ‖_F / ‖A‖_F \[-\].
        defect: f64,
    },
    /// The method needs a positive semi-definite matrix.
    #[error("{solver} needs a positive semi-definite matrix, and this one is indefinite: {advice}")]
    Indefinite {
        /// The solver's identifier.
        solver: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// The wrapper repeats single units of work of the inner solver, but these units are not a map
    /// of impulses ([`crate::SolverDescriptor::unit_is_map`]).
    #[error(
        "{wrapper} repeats single work units, but a unit of {solver} depends on the units before it; wrap another solver, \
         such as pgs or block-gs"
    )]
    UnitIsNoMap {
        /// The wrapper's identifier.
        wrapper: &'static str,
        /// The identifier of the solver inside.
        solver: &'static str,
    },
    /// The method needs bodies, the problem is a matrix.
    #[error("{solver} needs bodies; the problem is given by its matrix")]
    Bodies {
        /// The solver's identifier.
        solver: &'static str,
    },
    /// The compliance of a block is not diagonal, and the method supports only diagonal compliance.
    #[error(
        "{solver} supports only diagonal compliance, but block {block} couples its rows; use pgs or block-gs, or set softness \
         per row"
    )]
    CoupledCompliance {
        /// The solver's identifier.
        solver: &'static str,
        /// First block whose compliance is not diagonal.
        block: usize,
    },
    /// A row has no compliance, and the method divides by the compliance.
    #[error(
        "{solver} divides by the compliance, but row {row} has none; use prox-newton, or make the row soft"
    )]
    Rigid {
        /// The solver's identifier.
        solver: &'static str,
        /// First such row.
        row: usize,
    },
    /// Some rows are inactive, and the method does not support inactive rows.
    #[error("{solver} does not support inactive rows, but block {block} has some")]
    Activity {
        /// The solver's identifier.
        solver: &'static str,
        /// First block that is not fully active.
        block: usize,
    },
    /// Preparing the method needs more memory than the limit.
    #[error("{solver}: {memory}")]
    Memory {
        /// The solver's identifier.
        solver: &'static str,
        /// What needs the memory, how much, and the limit.
        memory: MemoryError,
    },
    /// The numbers of the problem exceed the range of the method's arithmetic.
    #[error("{solver} computes in f32, {reason}")]
    Range {
        /// The solver's identifier.
        solver: &'static str,
        /// Which number, its range, and what to do.
        reason: String,
    },
    /// The chosen variant of the solver does not support the problem.
    #[error("{solver} with variant = \"{variant}\": {reason}; choose another variant")]
    Variant {
        /// The solver's identifier.
        solver: &'static str,
        /// The variant.
        variant: &'static str,
        /// What it does not support.
        reason: String,
    },
    /// The device that the method runs on is missing or too small.
    #[error("{solver}: {device}")]
    Device {
        /// The solver's identifier.
        solver: &'static str,
        /// What the device cannot do.
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
    /// The device was lost or reset.
    #[error("the device was lost: {reason}; build the solver anew")]
    Lost {
        /// The message of the driver.
        reason: String,
    },
    /// The driver refused a shader.
    #[error("shader {shader}: {reason}")]
    Shader {
        /// The shader's file.
        shader: &'static str,
        /// The message of the compiler.
        reason: String,
    },
    /// The driver refused a command, which is a fault of this program.
    #[error("the driver refused a command: {reason}; please report it")]
    Validation {
        /// The message of the driver.
        reason: String,
    },
}
