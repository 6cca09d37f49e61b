//! Tests of the solvers against their twins, on whatever adapter there is.

mod bits;
mod common;
mod counts;
mod distance;
mod solver;
mod step;
