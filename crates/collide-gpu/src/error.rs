//! Why a device does not find the contacts of a world.

use delassus_core::DeviceError;
use thiserror::Error;

/// Why a device does not find the contacts of a world.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CollisionError {
    /// A shape without a shader.
    #[error(
        "colliders[{collider}] is a {shape}: the device knows spheres, boxes and half-spaces; look for contacts on the host"
    )]
    Shape {
        /// The collider.
        collider: usize,
        /// The kind of its shape.
        shape: &'static str,
    },
    /// A size whose products f32 cannot hold.
    #[error(
        "colliders[{collider}] has a size of {size} m: on the device sizes lie between {} m and {} m",
        crate::SIZES[0],
        crate::SIZES[1]
    )]
    Size {
        /// The collider.
        collider: usize,
        /// Its size \[m\].
        size: f64,
    },
    /// A body so far away that its place is not known as well as the smallest collider needs it.
    #[error(
        "bodies[{body}] is {distance:e} m from the origin: beside the smallest collider, of {cell:e} m, places are known well enough to {reach:e} m"
    )]
    TooFar {
        /// The body.
        body: usize,
        /// Its largest coordinate \[m\].
        distance: f64,
        /// Size of the smallest cells \[m\].
        cell: f64,
        /// How far they reach \[m\].
        reach: f64,
    },
    /// Numbers of colliders, bodies or manifolds that do not fit each other.
    #[error("{what}: {found} where {expected} are expected")]
    Length {
        /// What there are too many or too few of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are expected.
        expected: usize,
    },
    /// The driver ended loops before their end: software Vulkan does after 65 535 turns of a
    /// workgroup.
    #[error(
        "the driver ended the loops of {threads} threads before they had seen all that is near: too many colliders in one place for software Vulkan"
    )]
    Unfinished {
        /// Threads that did not come to their end.
        threads: u32,
    },
    /// The device failed, or something is too large for it.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
