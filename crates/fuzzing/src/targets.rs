//! The targets, one file per kind of input.

pub(crate) mod baseline;
pub(crate) mod cell;
pub(crate) mod folder;
pub(crate) mod names;
pub(crate) mod problems;
#[cfg(unix)]
pub(crate) mod protocol;
pub(crate) mod replay;
pub(crate) mod scene;
pub(crate) mod shown;
pub(crate) mod spec;
