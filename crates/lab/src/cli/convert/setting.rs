//! What readers of problems are told.

use delassus_core::{ContactLaw, MemoryLimit};

/// What a reader of problems has to know besides the file.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    /// Law of contacts whose law the file leaves open.
    pub(super) law: ContactLaw,
    pub(super) limit: MemoryLimit,
}
