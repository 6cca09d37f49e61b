//! Tests of the sparse Newton methods.

mod agreement;
mod closed_forms;
mod common;
mod convergence;
mod refusals;
mod regularized;
