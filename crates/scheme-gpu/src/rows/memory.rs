//! The memory of rows that are packed on the device.

use std::collections::BTreeMap;

use delassus_core::DeviceError;
use delassus_scheme_jacobi::stepping::{BiasPass, BodyConstants, BodyMotion, FollowedContact};
use delassus_solver_gpu::buffers::{GpuQuad, StorageBuffer};
use delassus_solver_gpu::control::Control;
use delassus_solver_gpu::device::Device;
use delassus_solver_jacobi::pack::{BODY_FREE, BODY_MASS, FRAME_QUADS, POINT_QUADS};

use super::records::{Kept, Placed, RowSettings};
use crate::frame::buffers::{Buffers, Header, Input, Sizes};

/// How many there is room for \[-\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowRoom {
    /// With the world.
    pub(crate) bodies: usize,
    /// As many as the search has room for.
    pub(crate) manifolds: usize,
    pub(crate) points: usize,
    /// Pairs of kinds of surfaces.
    pub(crate) surfaces: usize,
    pub(crate) momentum: bool,
}

/// Buffers.
#[derive(Debug)]
pub(crate) struct RowBuffers {
    pub(crate) settings: StorageBuffer,
    pub(crate) surfaces: StorageBuffer,
    pub(super) placed: StorageBuffer,
    /// Of the frame before and of this one, which change places with the copies of the search.
    pub(crate) kept: [StorageBuffer; 2],
    pub(crate) counts: StorageBuffer,
    pub(super) named: StorageBuffer,
    pub(super) shares: StorageBuffer,
    /// Threads that were ended, points that are solved for, points that may bounce, bodies that
    /// cannot stay.
    pub(crate) status: StorageBuffer,
    pub(crate) frame: Buffers,
}

fn bytes<T>(count: usize) -> u64 {
    (size_of::<T>() * count) as u64
}

impl RowBuffers {
    pub(crate) fn new(device: &Device, room: &RowRoom) -> Result<Self, DeviceError> {
        let zeroed = |what, bytes| StorageBuffer::zeroed(device, what, bytes);
        let RowRoom {
            bodies,
            manifolds,
            surfaces,
            ..
        } = *room;
        let kept = || zeroed("the impulses of the manifolds", bytes::<Kept>(manifolds));
        let words = |what, count| zeroed(what, bytes::<u32>(count));
        let sizes = Sizes {
            bodies,
            slots: 2 * manifolds,
            sums: Control::manifold_sum_entries(manifolds),
        };
        Ok(Self {
            settings: zeroed("the settings of the rows", bytes::<RowSettings>(1))?,
            surfaces: zeroed("the pairs of surfaces", bytes::<[f32; 2]>(surfaces))?,
            placed: zeroed("the manifolds in the world", bytes::<Placed>(manifolds))?,
            kept: [kept()?, kept()?],
            counts: words("the numbers of slots", bodies + 1)?,
            named: words("the slots", 2 * manifolds)?,
            shares: zeroed("the shares of the bodies", bytes::<[f32; 2]>(bodies))?,
            status: words("the threads that were ended", 4)?,
            frame: Buffers::with_inputs(device, inputs(device, room)?, sizes, room.momentum)?,
        })
    }
}

/// What a frame begins with: some is uploaded, and the kernels that pack rows write the rest.
fn inputs(device: &Device, room: &RowRoom) -> Result<BTreeMap<Input, StorageBuffer>, DeviceError> {
    let RowRoom {
        bodies,
        manifolds,
        points,
        ..
    } = *room;
    let quads = |count| bytes::<GpuQuad>(count);
    let body = BODY_MASS + BODY_FREE;
    let numbers = FRAME_QUADS * manifolds + POINT_QUADS * points;
    let mut all = vec![
        (Input::Header, "the settings", bytes::<Header>(1)),
        (
            Input::Inertia,
            "the inertia",
            bytes::<BodyConstants<f32>>(bodies),
        ),
        (
            Input::Motion,
            "the motion",
            bytes::<BodyMotion<f32>>(bodies),
        ),
        (
            Input::Contacts(false),
            "the contacts",
            bytes::<FollowedContact<f32>>(points),
        ),
        (Input::Contacts(true), "the contacts packed as rows", 0),
        (Input::Joints, "the joints", 0),
        (Input::JointRows, "the rows of the joints", 0),
        (Input::Bodies, "the bodies", quads(body * bodies)),
        (
            Input::Adjacency,
            "the slots of the bodies",
            bytes::<u32>(bodies + 1 + 2 * manifolds),
        ),
        (
            Input::Slots,
            "the bodies of the slots",
            bytes::<u32>(2 * manifolds),
        ),
        (
            Input::Impulses(false),
            "the impulses of the points",
            quads(2 * points),
        ),
        (Input::Impulses(true), "the impulses of the rows", 0),
        (Input::First, "the first control", bytes::<Control>(1)),
        (Input::Control(0), "the control", bytes::<Control>(1)),
        (Input::Control(1), "the control", bytes::<Control>(1)),
    ];
    for pass in BiasPass::BOTH {
        all.extend([
            (
                Input::Heads(pass, false),
                "the manifolds",
                bytes::<[u32; 4]>(manifolds),
            ),
            (
                Input::Numbers(pass, false),
                "the points of the manifolds",
                quads(numbers),
            ),
            (Input::Heads(pass, true), "the row blocks", 0),
            (Input::Numbers(pass, true), "the rows", 0),
        ]);
    }
    let make = |(key, what, bytes)| Ok((key, StorageBuffer::zeroed(device, what, bytes)?));
    all.into_iter().map(make).collect()
}
