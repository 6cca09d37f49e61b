//! A frozen problem as a NumPy archive.
//!
//! `docs/file-formats.md` lists the arrays.

mod arrays;
mod laws;
mod names;
mod read;
mod write;

pub(crate) use read::read_npz;
pub use write::npz_bytes;
