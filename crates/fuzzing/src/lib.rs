//! What every reader, and everything that names reach, does with arbitrary bytes.
//!
//! A target is one function that panics where a law is broken: a reader that panics itself, that
//! holds more memory than it may, or whose values change when they are written and read again. The
//! fuzz targets in `tests/fuzz` call it, and so does the test of this crate, with the corpus that
//! they left.

mod bounded;
mod targets;

/// A function over arbitrary bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, which is that of its fuzz target and of the folder of its corpus.
    pub name: &'static str,
    /// Meets the bytes; panics where a law is broken.
    pub meet: fn(&[u8]),
}

const fn target(name: &'static str, meet: fn(&[u8])) -> Target {
    Target { name, meet }
}

/// Every target, in the order of the documentation.
pub const TARGETS: &[Target] = &[
    target("hdf5", targets::problems::hdf5),
    target("text", targets::problems::text),
    target("snapshot", targets::problems::snapshot),
    target("npz", targets::npz::meet),
    target("spec", targets::spec::meet),
    target("scene", targets::scene::meet),
    target("cell", targets::cell::meet),
    target("folder", targets::folder::meet),
    target("manifest", targets::manifest::meet),
    target("outputs", targets::outputs::meet),
    target("bundle", targets::bundle::meet),
    target("gate", targets::gate::meet),
    #[cfg(unix)]
    target("protocol", targets::protocol::meet),
    target("replay", targets::replay::meet),
    target("baseline", targets::baseline::meet),
    target("names", targets::names::meet),
];

/// Calls the target of this name.
///
/// # Panics
/// Where the target does, and where there is none of that name.
pub fn meet(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.expect("a target of that name").meet)(bytes);
}
