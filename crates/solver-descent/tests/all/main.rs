//! Tests of the first-order solvers, as one program.

mod laws;
