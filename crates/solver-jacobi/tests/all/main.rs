//! Tests of the order-free solvers, as one program.

mod agreement;
mod coloured;
mod common;
mod counts;
mod descent;
mod fused;
mod guard;
mod laws;
mod points;
mod repeated;
mod steps;
mod threads;
mod tutorial;
mod units;
mod worlds;
