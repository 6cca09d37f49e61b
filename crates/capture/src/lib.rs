//! The capture header: one C file that writes the problem which a physics engine solves in a step
//! as a snapshot, and reads impulses back. `docs/capture.md` says how an engine uses it.

/// The text of `include/delassus_capture.h`, for programs that ship it or build it.
pub const HEADER: &str = include_str!("../include/delassus_capture.h");
