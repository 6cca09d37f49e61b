//! Tests of the first-order solvers, as one program.

mod common;
mod laws;
mod limits;
mod rates;
mod repeated;
mod traps;
