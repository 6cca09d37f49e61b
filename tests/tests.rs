//! Tests across crates.

mod citations;
mod conformance;
mod layering;
mod own_solver;
mod workspace;
