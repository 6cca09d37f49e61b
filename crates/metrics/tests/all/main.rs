//! Metrics against hand calculations, exact solutions, invariances and bounds.

mod certificate;
mod fenchel;
mod hand;
mod invariance;
mod limits;
mod memory;
mod problems;
mod scaled;
mod series;
mod solutions;
mod velocities;
