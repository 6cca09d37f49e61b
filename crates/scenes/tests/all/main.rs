//! Tests of the scenes as one program.

mod accuracy;
mod bad_scenes;
mod colliding;
mod extremes;
mod files;
mod friction;
mod names;
mod registry;
mod repetition;
mod standing;
mod static_friction;
mod support;
