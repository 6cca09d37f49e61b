//! Tests of the statistics by simulation.

mod simulations;
