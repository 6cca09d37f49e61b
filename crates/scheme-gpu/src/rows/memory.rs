//! The memory of rows that are packed on the device.

use std::collections::BTreeMap;

use delassus_core::DeviceError;
use delassus_scheme_jacobi::joint_pack::JointPack;
use delassus_scheme_jacobi::stepping::{
    BiasPass, BodyConstants, BodyMotion, FollowedContact, FollowedJoint,
};
use delassus_solver_gpu::ManifoldLayout;
use delassus_solver_gpu::buffers::{GpuQuad, StorageBuffer};
use delassus_solver_gpu::control::Control;
use delassus_solver_gpu::device::Device;
use delassus_solver_jacobi::pack::{BODY_FREE, BODY_MASS};

use super::records::{Kept, Placed, RowSettings};
use crate::frame::buffers::{Buffers, Header, Input, Sizes};

/// What joints take, all of it \[-\].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct JointRoom {
    /// Pieces: those between the same bodies.
    pub(crate) units: usize,
    /// A block each.
    pub(crate) joints: usize,
    pub(crate) rows: usize,
    /// Quads of numbers in a pass.
    pub(crate) numbers: usize,
    /// Quads of impulses.
    pub(crate) quads: usize,
}

impl JointRoom {
    /// That of joints packed by the host.
    pub(crate) fn of(pack: &JointPack) -> Self {
        let units = &pack.packs[0].units;
        Self {
            units: units.len(),
            joints: units.blocks(),
            rows: pack.rows(),
            numbers: units.numbers.len(),
            quads: units.impulse_quads(),
        }
    }

    /// Heads of units, of joints, of the two bodies of each unit.
    pub(crate) fn heads(&self) -> usize {
        self.units + self.joints + 2 * self.units
    }
}

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
    pub(crate) joints: JointRoom,
    pub(crate) momentum: bool,
    pub(crate) layout: ManifoldLayout,
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
    /// Joints in the axes of their bodies, and the directions of their rows.
    pub(crate) attached: StorageBuffer,
    pub(crate) directions: StorageBuffer,
    /// Impulses of joints, as `kept`.
    pub(crate) joint_kept: [StorageBuffer; 2],
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
            joints,
            ..
        } = *room;
        let pieces = manifolds + joints.units;
        let of_joints = |what, count| zeroed(what, bytes::<GpuQuad>(count));
        let joint_kept = || of_joints("the impulses of the joints", joints.quads);
        let kept = || zeroed("the impulses of the manifolds", bytes::<Kept>(manifolds));
        let words = |what, count| zeroed(what, bytes::<u32>(count));
        let attached = bytes::<FollowedJoint<f32>>(joints.joints);
        let sizes = Sizes {
            bodies,
            slots: 2 * pieces,
            sums: Control::piece_sum_entries(manifolds, joints.units),
        };
        Ok(Self {
            settings: zeroed("the settings of the rows", bytes::<RowSettings>(1))?,
            surfaces: zeroed("the pairs of surfaces", bytes::<[f32; 2]>(surfaces))?,
            placed: zeroed("the manifolds in the world", bytes::<Placed>(manifolds))?,
            kept: [kept()?, kept()?],
            counts: words("the numbers of slots", bodies + 1)?,
            named: words("the slots", 2 * pieces)?,
            shares: zeroed("the shares of the bodies", bytes::<[f32; 2]>(bodies))?,
            attached: zeroed("the joints in the axes of their bodies", attached)?,
            directions: of_joints("the directions of the joints", joints.rows)?,
            joint_kept: [joint_kept()?, joint_kept()?],
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
        joints,
        layout,
        ..
    } = *room;
    let slots = 2 * (manifolds + joints.units);
    let quads = |count| bytes::<GpuQuad>(count);
    let body = BODY_MASS + BODY_FREE;
    let numbers = layout.quads_of(manifolds, points);
    let impulses = 2 * layout.impulses_of(manifolds, points);
    let inertia = bytes::<BodyConstants<f32>>(bodies);
    let contacts = bytes::<FollowedContact<f32>>(points);
    let adjacency = bytes::<u32>(bodies + 1 + slots);
    let (slots, impulses) = (bytes::<u32>(slots), bytes::<f32>(impulses));
    let (motion, control) = (bytes::<BodyMotion<f32>>(bodies), bytes::<Control>(1));
    let (heads, numbers) = (bytes::<[u32; 4]>(manifolds), quads(numbers));
    let points = Input::Impulses(false);
    let mut all = vec![
        (Input::Header, "the settings", bytes::<Header>(1)),
        (Input::Inertia, "the inertia", inertia),
        (Input::Motion, "the motion", motion),
        (Input::Contacts(false), "the contacts", contacts),
        (Input::Contacts(true), "the contacts packed as rows", 0),
        (Input::Bodies, "the bodies", quads(body * bodies)),
        (Input::Adjacency, "the slots of the bodies", adjacency),
        (Input::Slots, "the bodies of the slots", slots),
        (points, "the impulses of the points", impulses),
        (Input::First, "the first control", control),
        (Input::Control(0), "the control", control),
        (Input::Control(1), "the control", control),
    ];
    for pass in BiasPass::BOTH {
        let points = Input::Numbers(pass, false);
        all.extend([
            (Input::Heads(pass, false), "the manifolds", heads),
            (points, "the points of the manifolds", numbers),
        ]);
    }
    all.extend(joint_inputs(joints));
    let make = |(key, what, bytes)| Ok((key, StorageBuffer::zeroed(device, what, bytes)?));
    all.into_iter().map(make).collect()
}

/// The same of joints, which kernels write of what was uploaded once; bytes.
fn joint_inputs(room: JointRoom) -> Vec<(Input, &'static str, u64)> {
    let quads = |count| bytes::<GpuQuad>(count);
    let joints = bytes::<FollowedJoint<f32>>(room.joints);
    let heads = bytes::<[u32; 4]>(room.heads());
    let (rows, impulses) = (Input::Impulses(true), quads(3 * room.quads));
    let mut all = vec![
        (Input::Joints, "the joints", joints),
        (Input::JointRows, "the rows of the joints", quads(room.rows)),
        (rows, "the impulses of the rows", impulses),
    ];
    for pass in BiasPass::BOTH {
        all.extend([
            (Input::Heads(pass, true), "the row blocks", heads),
            (Input::Numbers(pass, true), "the rows", quads(room.numbers)),
        ]);
    }
    all
}
