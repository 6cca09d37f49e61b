//! The problem and its parts against dense algebra and closed forms; what is refused, and the outer
//! layer.

mod checks;
mod immobile;
mod invalid;
mod islands;
mod operators;
mod outer_layer;
mod problem;
mod projections;
mod rebuild;
mod refusals;
mod reordered;
mod round;
mod solver;
mod state;
