//! NumPy archives: arrays by name, as `numpy.load` reads and `numpy.savez` writes them.

mod array;
mod element;
mod header;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use array::{NamedArray, NpyValues};
pub use read::{NpzReadError, read_archive, recognised};
pub use write::{ArchiveWriter, Element, NpzError, archive, write_text};
