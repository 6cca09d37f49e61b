//! Tests across crates.

mod citations;
mod conformance;
mod constraints;
mod default_build;
mod determinism;
mod frozen_contacts;
mod hard;
mod imports;
mod layering;
mod pairs;
mod performance;
mod planar;
mod reduced;
mod registered;
mod repeated;
mod rest;
mod scheme_laws;
mod scheme_orders;
mod scheme_product;
mod softness;
mod solver_names;
mod statics;
mod supply_chain;
mod trajectories;
mod workspace;
mod wrappers;
