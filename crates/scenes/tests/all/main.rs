//! Tests of the scenes as one program.

mod accuracy;
mod bad_scenes;
mod registry;
mod support;
