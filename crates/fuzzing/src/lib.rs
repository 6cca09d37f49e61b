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

/// Every target, in the order of the documentation.
pub const TARGETS: &[Target] = &[
    Target {
        name: "hdf5",
        meet: targets::problems::hdf5,
    },
    Target {
        name: "text",
        meet: targets::problems::text,
    },
    Target {
        name: "snapshot",
        meet: targets::problems::snapshot,
    },
    Target {
        name: "npz",
        meet: targets::npz::meet,
    },
    Target {
        name: "spec",
        meet: targets::spec::meet,
    },
    Target {
        name: "scene",
        meet: targets::scene::meet,
    },
    Target {
        name: "cell",
        meet: targets::cell::meet,
    },
    Target {
        name: "folder",
        meet: targets::folder::meet,
    },
    Target {
        name: "manifest",
        meet: targets::manifest::meet,
    },
    Target {
        name: "outputs",
        meet: targets::outputs::meet,
    },
    Target {
        name: "bundle",
        meet: targets::bundle::meet,
    },
    Target {
        name: "gate",
        meet: targets::gate::meet,
    },
    #[cfg(unix)]
    Target {
        name: "protocol",
        meet: targets::protocol::meet,
    },
    Target {
        name: "replay",
        meet: targets::replay::meet,
    },
    Target {
        name: "baseline",
        meet: targets::baseline::meet,
    },
    Target {
        name: "names",
        meet: targets::names::meet,
    },
];

/// Calls the target of this name.
///
/// # Panics
/// Where the target does, and where there is none of that name.
pub fn meet(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.expect("a target of that name").meet)(bytes);
}
