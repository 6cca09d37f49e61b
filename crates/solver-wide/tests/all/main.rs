//! The wide solver against its f64 siblings, and its bits at every vector level and number of
//! threads.

mod frames;
mod made;
mod state;
mod substeps;
#[path = "../../../solver-si/tests/all/runs.rs"]
mod support;
mod sweeps;
mod units;
