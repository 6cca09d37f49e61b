//! Tests of the order-free solvers, as one program.

mod common;
mod counts;
