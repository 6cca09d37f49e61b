//! Documents that an author writes in TOML: their text with places for messages, their keys, their
//! sections, and the grids of parameters in them.

pub(crate) mod axes;
pub(crate) mod context;
pub(crate) mod keys;
pub(crate) mod laws;
pub(crate) mod section;
pub(crate) mod text;
