//! Tests across crates.

mod citations;
mod conformance;
mod constraints;
mod layering;
mod own_solver;
mod pairs;
mod softness;
mod trajectories;
mod workspace;
