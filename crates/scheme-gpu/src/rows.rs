//! Rows that are packed on the device, from manifolds that were found there and from joints.
//!
//! What the host does for other frames, manifold by manifold and body by body: frames in world
//! axes, impulses of the frame before, slots, counts of the step rule, steps, the points that the
//! frame follows (K.44–K.46). Joints have the heads and laws that the host has given them; kernels
//! place them and share the masses with contacts (K.50).

pub(crate) mod bindings;
pub(crate) mod kernels;
pub(crate) mod memory;
pub(crate) mod records;
mod shaders;
