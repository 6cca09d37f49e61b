//! Metrics against hand calculations, exact solutions, invariances and bounds.

mod active_set;
mod certificate;
mod disc_form;
mod fenchel;
mod hand;
mod invariance;
mod limits;
mod memory;
mod problems;
mod references;
mod scaled;
mod series;
mod slide;
mod solutions;
mod velocities;
mod worlds;
