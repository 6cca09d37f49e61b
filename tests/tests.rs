//! Tests across crates.

mod citations;
mod conformance;
mod layering;
mod workspace;
