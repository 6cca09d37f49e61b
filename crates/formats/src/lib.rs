//! What problem files of other programs hold, as plain data that loses nothing, and their readers
//! and writers.
//!
//! [`FieldFile`] is a file: a problem, and what the format keeps with it (a description, a
//! solution, guesses). [`FieldProblem`] is one of the kinds of problems that the field exchanges;
//! its matrices ([`StoredMatrix`]) keep the storage of the file and its explicit zeros. [`text`]
//! reads and writes the text formats, [`fclib`] the HDF5 files, and [`Global::reduce`] brings a
//! global problem to Delassus form. Nothing here knows a frozen problem: `delassus-problems` turns
//! the data into one.
//!
//! Formats: `docs/file-formats.md`.

pub mod after_fault;
mod attribute;
mod error;
pub mod fclib;
mod field;
mod matrix;
pub mod npz;
mod reduce;
pub mod text;

pub use error::{MatrixError, ProblemFieldError, TextError, WriteTextError};
pub use field::{
    AttributeValue, FieldFile, FieldProblem, FileAttribute, Global, GlobalBilateral, Info, Lcp,
    Local, LocalBilateral, MatrixForm, Mlcp, PartsForm, ProblemKind, Relay, RowKind,
    StoredSolution,
};
pub use matrix::{
    Blocks, Compressed, MatrixEntries, MatrixEntry, MatrixFacts, StoredMatrix, Triplets,
};
pub use reduce::{Factorization, ReduceError, Reduced};
