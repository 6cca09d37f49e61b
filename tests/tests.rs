//! Tests across crates.

mod citations;
mod conformance;
mod constraints;
mod layering;
mod own_solver;
mod pairs;
mod performance;
mod registered;
mod scheme_laws;
mod scheme_orders;
mod scheme_product;
mod softness;
mod trajectories;
mod workspace;
