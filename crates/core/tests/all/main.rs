//! The problem and its parts against dense algebra and closed forms; what is refused, and the outer
//! layer.

mod checks;
mod immobile;
mod invalid;
mod operators;
mod outer_layer;
mod problem;
mod projections;
mod refusals;
mod remade;
mod reordered;
mod round;
mod solver;
mod state;
mod worlds;
