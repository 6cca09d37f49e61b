//! Tests of the articulated-body scheme.

mod accelerations;
mod closed_forms;
mod common;
mod drift;
mod energy;
mod momentum;
mod refusals;
