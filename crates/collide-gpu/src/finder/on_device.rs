//! What a search leaves on the device.

use delassus_core::DeviceError;
use delassus_solver_gpu::buffers::StorageBuffer;
use delassus_solver_gpu::device::Device;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::records::BodyPose;

/// How much a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchCounts {
    /// Manifolds \[-\].
    pub manifolds: usize,
    /// Their points \[-\].
    pub points: usize,
    /// Of memory that was given: which of it is in which place of the frame before. Empty where it
    /// was kept.
    pub order: Vec<usize>,
}

/// Buffers that a search leaves on the device for later kernels. [`crate::RECORDS`] declares their
/// types to shaders.
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

/// Where a body is on the device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DevicePose {
    /// The centre of mass \[m\].
    pub position: Vector3<f64>,
    /// From body axes to world axes.
    pub orientation: UnitQuaternion<f64>,
}

impl OnDevice<'_> {
    /// Bytes of a pose on the device \[B\].
    pub const POSE_BYTES: usize = size_of::<BodyPose>();

    /// The poses of the bodies, as kernels have left them.
    ///
    /// # Errors
    /// What the driver says.
    pub fn read_poses(&self, device: &Device) -> Result<Vec<DevicePose>, DeviceError> {
        let count = usize::try_from(self.bodies.bytes()).unwrap_or(0) / Self::POSE_BYTES;
        let read: Vec<BodyPose> = self.bodies.read(device, 0..count)?;
        let pose = |pose: &BodyPose| {
            let axis = |k: usize| f64::from(pose.high[k]) + f64::from(pose.low[k]);
            let [i, j, k, w] = pose.orientation.map(f64::from);
            DevicePose {
                position: Vector3::new(axis(0), axis(1), axis(2)),
                orientation: UnitQuaternion::new_normalize(Quaternion::new(w, i, j, k)),
            }
        };
        Ok(read.iter().map(pose).collect())
    }
}
