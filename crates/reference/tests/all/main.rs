//! Certified references: of every problem that the project ships, of problems without and with
//! several solutions.

mod families;
mod shipped;
mod small;
mod wedged;
