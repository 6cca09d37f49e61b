//! What readers of problems are told.

use delassus_core::{FrictionLaw, MemoryLimit};

/// What a reader of problems has to know besides the file.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    /// Law of contacts whose law the file leaves open.
    pub(super) law: FrictionLaw,
    pub(super) limit: MemoryLimit,
}
