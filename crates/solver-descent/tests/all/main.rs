//! Tests of the first-order solvers, as one program.

mod common;
mod laws;
mod rates;
mod repeated;
mod traps;
