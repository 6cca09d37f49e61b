//! Tests of the order-free solvers, as one program.

mod agreement;
mod common;
mod counts;
mod descent;
mod steps;
mod tutorial;
