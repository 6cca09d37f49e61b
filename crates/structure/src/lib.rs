//! What solvers find in the structure of a problem, whatever they do with it.
//!
//! - [`Units`]: consecutive blocks between the same bodies, which are solved in one piece;
//! - [`Colouring`]: which units may be solved at the same time (W.1);
//! - [`geometry`]: which rows are the normal and the tangents of one contact point, and where that
//!   point is (W.3);
//! - [`normals`] and [`joints`]: the same for manifolds without point friction, and for joints that
//!   hold a point.
//!
//! Sequential impulses in lanes, order-free solvers and their kernels on a GPU read the same
//! structure, so that they differ in method only. Theory: `docs/theory/14-wide.md`.

pub mod colouring;
pub mod geometry;
pub mod joints;
pub mod normals;
mod units;

pub use colouring::{Colouring, ColouringCounts, Colours, Groups, MAX_COLOURS};
pub use units::Units;
