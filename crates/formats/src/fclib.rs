//! FCLIB: friction problems in HDF5 files, as the mechanics community publishes them.
//!
//! A file holds one problem ([`Local`](crate::Local) or [`Global`](crate::Global), the latter also
//! with rolling friction) in the group `fclib_local`, `fclib_global` or `fclib_global_rolling`, and
//! may hold a solution and guesses. Layout: `docs/file-formats.md`.
//!
//! The solution of a file is data, not a reference: in the published files made by one generator
//! `r` and `v` were never written, so they are zero, and `u` is as good as the tolerance of the
//! solver that made it.

mod error;
mod facts;
mod matrix;
mod place;
mod read;
mod write;

pub use error::{FclibError, WriteFclibError};
pub use read::read;
pub use write::write;

/// Groups that hold a problem.
mod groups {
    pub(super) const LOCAL: &str = "fclib_local";
    pub(super) const GLOBAL: &str = "fclib_global";
    pub(super) const GLOBAL_ROLLING: &str = "fclib_global_rolling";
    pub(super) const SOLUTION: &str = "solution";
    pub(super) const GUESSES: &str = "guesses";
}

/// Number of guesses, in their group.
const NUMBER_OF_GUESSES: &str = "number_of_guesses";

/// True if `bytes` begin like an HDF5 file.
#[must_use]
pub fn recognised(bytes: &[u8]) -> bool {
    bytes.starts_with(delassus_hdf5::SIGNATURE)
}
