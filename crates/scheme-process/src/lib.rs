//! Physics engines of other programs, each in a process of its own, as time-stepping schemes.
//!
//! An engine is a program that reads a scene and answers each frame with the states of the bodies
//! (docs/engines.md). [`entry()`] makes an entry of the list of schemes from its hello:
//! `engine:mujoco` for an engine with a file `engine.toml`, `engine-cmd:python3 my_engine.py` for a
//! command line. [`EngineScheme`] sends it the scene and writes the answers into the world, so that
//! every observable of places and velocities is computed here.
//!
//! [`check()`] reports whether an engine keeps the protocol and its promises.
//!
//! The process, its limits and its messages are those of solvers in processes
//! (`delassus-solver-process`).

mod check;
mod entry;
mod hello;
mod name;
mod process;
mod scheme;
mod states;

pub use check::check;
pub use entry::entry;
pub use hello::{EngineHello, FRAME_SECONDS};
pub use name::EngineName;
pub use scheme::EngineScheme;
