//! Metrics against hand calculations, exact solutions, invariances and bounds.

mod certificate;
mod hand;
mod invariance;
mod limits;
mod problems;
mod solutions;
mod velocities;
