//! Problem files and problem generators.
//!
//! [`read_file`] reads the files of other programs (`delassus-formats` has their data) and our own
//! snapshots (`.dls`), and says why when it cannot; [`problem_of`] makes a problem of such data,
//! [`to_field`] the reverse; [`write_snapshot`] writes a problem with every bit. [`generators`]
//! make structured problems whose manifolds are known in closed form, and random problems with a
//! planted solution. [`oracles`] are the closed forms that experiments and tests compare with.
//!
//! Formats: `docs/file-formats.md`. Theory: `docs/theory/05-problems.md`.

mod captured;
mod closed_forms;
mod ends;
mod error;
mod export;
mod field;
pub mod generators;
mod matrix;
mod named;
mod npz;
pub mod oracles;
mod read;
mod snapshot;

pub use captured::Captured;
pub use closed_forms::{LinearSweepOrder, RowSweeps, final_velocity, sweep_rate};
pub use delassus_core::ContactLaw;
pub use error::{GenerateError, ProblemReadError, ProblemWriteError};
pub use export::{Exported, FieldForm, MatrixStorage, contact_text, form_text, lcp_text, to_field};
pub use field::{GlobalForm, problem_of, problem_of_in};
pub use generators::{Generator, GeneratorDescriptor, Size, generate, generate_within};
pub use matrix::{to_matrix, to_matrix_within};
pub use named::{Facts, KnownSolution, NamedProblem};
pub use npz::npz_bytes;
pub use read::{
    bytes_within, is_problem_ending, read_bytes, read_bytes_within, read_field, read_file,
    read_file_with, read_file_within,
};
pub use snapshot::{is_snapshot, snapshot_bytes, write_snapshot};
