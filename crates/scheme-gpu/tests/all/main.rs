//! Frames on the device, their twin, and the velocity-level scheme that both follow.

mod advance;
mod agreement;
mod collision;
mod common;
mod device;
mod laws;
mod physics;
mod remembered;
mod resident;
mod worlds;
