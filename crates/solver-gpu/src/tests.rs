//! Tests of the solvers against their twins, on whatever adapter there is.

mod asynchronous;
mod bits;
mod coloured;
mod common;
mod counts;
mod distance;
mod hubs;
mod laws;
mod layouts;
mod natural;
mod resident;
mod solver;
mod step;
mod transfers;
mod worlds;
