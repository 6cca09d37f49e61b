//! What is downloaded after a frame.

use bytemuck::{Pod, pod_collect_to_vec};
use delassus_collide_gpu::GpuManifold;
use delassus_core::DeviceError;
use delassus_dynamics::{SolvedContact, World};
use delassus_scheme_jacobi::stepping::frame::FrameSchedule;
use delassus_scheme_jacobi::stepping::{BodyMotion, Total};
use delassus_solver_gpu::buffers::StorageBuffer;
use delassus_solver_jacobi::real::Quad;
use nalgebra::Vector3;

use super::Prepared;
use crate::collision::contact;
use crate::frame::submission::Taken;
use crate::rows::records::Kept;

/// What a frame ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameEnd {
    /// Bodies are downloaded, and contacts if they are read.
    Read {
        /// True if contacts are.
        contacts: bool,
    },
    /// Everything stays for the next frame.
    Stay,
}

/// What is downloaded.
pub(super) struct Outcome {
    pub(super) motion: Vec<BodyMotion<f32>>,
    pub(super) totals: Vec<Total<f32>>,
    pub(super) slots: Vec<u32>,
    pub(super) schedule: FrameSchedule,
    /// Points that were solved for \[-\].
    pub(super) points: usize,
    /// Bodies that are too far away or too fast to stay \[-\].
    pub(super) lost: usize,
    pub(super) kept: Vec<Kept>,
    pub(super) manifolds: Vec<u8>,
    /// Packed impulses of the joints \[N·s | N·m·s\].
    pub(super) joints: Vec<Quad<f32>>,
}

/// Bytes of what is downloaded: motion, sums of wrenches, bodies of slots, status, impulses of
/// joints, and, if they are read, the state of manifolds, and manifolds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes([usize; 7]);

impl Sizes {
    pub(super) fn of(frame: &Prepared<'_>, end: FrameEnd) -> Self {
        let (bodies, pieces, quads, read) = match end {
            FrameEnd::Stay => (0, 0, 0, 0),
            FrameEnd::Read { contacts } => {
                let manifolds = frame.searched.manifolds;
                let read = if contacts { manifolds } else { 0 };
                (frame.bodies, frame.pieces(), frame.joints.room.quads, read)
            }
        };
        Self([
            size_of::<BodyMotion<f32>>() * bodies,
            size_of::<Total<f32>>() * 2 * pieces,
            size_of::<u32>() * 2 * pieces,
            size_of::<u32>() * 4,
            size_of::<Quad<f32>>() * quads,
            size_of::<Kept>() * read,
            GpuManifold::BYTES * read,
        ])
    }

    pub(super) fn sum(&self) -> usize {
        self.0.iter().sum()
    }

    /// The parts of these buffers.
    pub(super) fn of_buffers<'a>(&self, from: [&'a StorageBuffer; 7]) -> Vec<Taken<'a>> {
        let parts = from.into_iter().zip(self.0);
        parts
            .map(|(from, bytes)| Taken::first(from, bytes))
            .collect()
    }

    /// Cuts what was read.
    ///
    /// # Errors
    /// Threads that the driver ended before their end.
    pub(super) fn cut(&self, read: &[u8], schedule: FrameSchedule) -> Result<Outcome, DeviceError> {
        let mut rest = read;
        let parts = self.0;
        let parts = parts.map(|bytes| rest.split_off(..bytes).unwrap_or_default());
        let [motion, totals, slots, status, joints, kept, manifolds] = parts;
        let status: Vec<u32> = values(status);
        let (ended, points, lost) = match status.as_slice() {
            [ended, points, _, lost] => (*ended, *points, *lost),
            _ => (u32::MAX, 0, 0),
        };
        if ended > 0 {
            let reason = format!(
                "the driver ended the loops of {ended} threads before they had seen all contacts of their body: it has too many for this adapter"
            );
            return Err(DeviceError::Validation { reason });
        }
        Ok(Outcome {
            schedule,
            motion: values(motion),
            totals: values(totals),
            slots: values(slots),
            points: points as usize,
            lost: lost as usize,
            kept: values(kept),
            manifolds: manifolds.to_vec(),
            joints: values(joints),
        })
    }
}

fn values<T: Pod>(bytes: &[u8]) -> Vec<T> {
    pod_collect_to_vec(bytes)
}

/// The contacts of a frame, as far as they were read.
pub(super) fn solved(world: &World, frame: &Prepared<'_>, outcome: &Outcome) -> Vec<SolvedContact> {
    let scene = frame.places.scene(world, &frame.surfaces.marks);
    let found = GpuManifold::of_bytes(&scene, &frame.places.poses, &outcome.manifolds);
    let of = |(found, kept): (GpuManifold, &Kept)| {
        let [x, y, z, _] = kept.tangent.map(f64::from);
        let impulses = kept.impulses[..found.touching.points.len()].iter();
        SolvedContact {
            tangent: Vector3::new(x, y, z),
            impulses: impulses
                .map(|[n, t, s, _]| [*n, *t, *s].map(f64::from))
                .collect(),
            previous: found.previous.clone(),
            found: contact(found),
        }
    };
    let mut solved: Vec<_> = found.into_iter().zip(&outcome.kept).map(of).collect();
    solved.sort_unstable_by_key(|contact| contact.found.colliders);
    solved
}
