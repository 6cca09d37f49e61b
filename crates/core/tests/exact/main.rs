//! The problem and its parts against dense algebra and closed forms.

mod checks;
mod operators;
mod outer_layer;
mod projections;
mod refusals;
mod state;
