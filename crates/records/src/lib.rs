//! What a run leaves behind: records of cells with their origin and manifest, and the files that
//! hold them.
//!
//! Whoever reads results needs this crate alone: no solver, no scheme, no spec.

pub mod build;
pub mod disk;
pub mod folder;
pub mod guard;
pub mod key;
pub mod label;
pub mod lock;
pub mod machine;
pub mod manifest;
pub mod observable;
pub mod origin;
pub mod outputs;
pub mod record;
pub mod regular;
pub mod store;
pub mod trace;
