//! Physical systems, each described once: its parameters with their defaults, and the order in
//! which it is laid out.
//!
//! A system is a parameter struct that lays its bodies into a sink, one by one, so that nothing is
//! built twice: a problem generator freezes what arrives, a scene makes a world of it. Systems of
//! boxes implement [`BoxSystem`] and fill a [`BoxSink`]; strings of links fill a [`LinkSink`], nets
//! a [`NetSink`].

mod boxes;
mod chain;
mod grid;
mod joint_grid;
mod masses;
mod pyramid;
mod random;
mod stack;
mod string;
mod wall;

pub use boxes::{BoxSink, BoxSystem, Boxes, Counts, GROUND};
pub use chain::Chain;
pub use grid::Grid;
pub use joint_grid::{FixedBodies, JointGrid, NetSink};
pub use masses::MassOrder;
pub use pyramid::Pyramid;
pub use random::SeededRng;
pub use stack::Stack;
pub use string::{Ends, LinkKind, LinkSink, LinkString, StringLink};
pub use wall::Wall;
