//! Tests across crates.

mod citations;
mod layering;
mod workspace;
