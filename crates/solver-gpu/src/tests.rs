//! Tests of the solvers against their twins, on whatever adapter there is.

mod asynchronous;
mod bits;
mod coloured;
mod common;
mod counts;
mod dispatched;
mod distance;
mod fused;
mod hubs;
mod laws;
mod layouts;
mod natural;
mod resident;
mod solver;
mod step;
mod structures;
mod transfers;
mod world_steps;
mod worlds;
