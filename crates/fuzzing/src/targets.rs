//! The targets, one file per kind of input.

use std::sync::LazyLock;

use delassus_registry::Registry;

pub(crate) mod baseline;
pub(crate) mod bundle;
pub(crate) mod cell;
pub(crate) mod folder;
pub(crate) mod gate;
pub(crate) mod manifest;
pub(crate) mod names;
pub(crate) mod npz;
pub(crate) mod outputs;
mod patch;
pub(crate) mod problems;
#[cfg(unix)]
pub(crate) mod protocol;
pub(crate) mod replay;
mod results;
pub(crate) mod scene;
pub(crate) mod shown;
pub(crate) mod spec;

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::standard);
