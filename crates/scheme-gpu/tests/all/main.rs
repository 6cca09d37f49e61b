//! Frames on the device, their twin, and the velocity-level scheme that both follow.

mod advance;
mod agreement;
mod chains;
mod collision;
mod common;
mod device;
mod joints;
mod laws;
mod linkages;
mod physics;
mod remembered;
mod resident;
mod worlds;
