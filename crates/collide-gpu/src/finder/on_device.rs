//! What a search leaves on the device.

use delassus_solver_gpu::buffers::StorageBuffer;

/// How much a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Searched {
    /// Manifolds \[-\].
    pub manifolds: usize,
    /// Their points \[-\].
    pub points: usize,
    /// Of memory that was given: which of it is in which place of the frame before. Empty where it
    /// was kept.
    pub order: Vec<usize>,
}

/// What a search leaves on the device, for kernels that go on from there; shaders know it by
/// [`crate::RECORDS`].
#[derive(Debug, Clone, Copy)]
pub struct OnDevice<'a> {
    /// `array<Solid>`, the colliders.
    pub solids: &'a StorageBuffer,
    /// `array<BodyPose>`.
    pub bodies: &'a StorageBuffer,
    /// Two of `array<Manifold>`, with room for [`Room::manifolds`](super::Room::manifolds): those
    /// found, and those of the frame before.
    pub copies: &'a [StorageBuffer; 2],
    /// `array<u32>`: per manifold, points before it.
    pub first_points: &'a StorageBuffer,
    /// Which of the copies has those found: the next search takes the other one.
    pub copy: usize,
    /// Another number where the buffers are others.
    pub revision: u64,
}
