//! The memory of rows that are packed on the device, and what the kernels bind of it.

use std::collections::BTreeMap;

use delassus_collide_gpu::{OnDevice, Scan};
use delassus_core::DeviceError;
use delassus_scheme_jacobi::stepping::{BiasPass, BodyConstants, BodyMotion, FollowedContact};
use delassus_solver_gpu::buffers::{Quad, Storage};
use delassus_solver_gpu::control::Control;
use delassus_solver_gpu::device::Device;
use delassus_solver_jacobi::pack::{BODY_FREE, BODY_MASS, FRAME_QUADS, POINT_QUADS};
use wgpu::BindGroup;

use super::kernels::RowKernels;
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
    pub(crate) settings: Storage,
    pub(crate) surfaces: Storage,
    placed: Storage,
    /// Of the frame before and of this one, which change places with the copies of the search.
    pub(crate) kept: [Storage; 2],
    pub(crate) counts: Storage,
    named: Storage,
    shares: Storage,
    /// Threads that were ended, points that are solved for, points that may bounce.
    pub(crate) status: Storage,
    pub(crate) frame: Buffers,
}

/// Bind groups of the kernels that pack rows.
#[derive(Debug)]
pub(crate) struct RowBindings {
    /// By the copy of the search that has the manifolds.
    pub(super) place: [BindGroup; 2],
    pub(super) slots: BindGroup,
    pub(super) counts: Scan,
    pub(super) order: BindGroup,
    pub(super) shares: BindGroup,
    pub(super) pack: [BindGroup; 2],
    pub(super) approach: BindGroup,
    /// By the copy of the search, and by the half of the impulses.
    pub(super) impulses: [[BindGroup; 2]; 2],
}

fn bytes<T>(count: usize) -> u64 {
    (size_of::<T>() * count) as u64
}

impl RowBuffers {
    pub(crate) fn new(device: &Device, room: &RowRoom) -> Result<Self, DeviceError> {
        let zeroed = |what, bytes| Storage::zeroed(device, what, bytes);
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
            status: words("the threads that were ended", 3)?,
            frame: Buffers::beside(device, inputs(device, room)?, sizes, room.momentum)?,
        })
    }
}

/// What a frame begins with: some is uploaded, and the kernels that pack rows write the rest.
fn inputs(device: &Device, room: &RowRoom) -> Result<BTreeMap<Input, Storage>, DeviceError> {
    let RowRoom {
        bodies,
        manifolds,
        points,
        ..
    } = *room;
    let quads = |count| bytes::<Quad>(count);
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
        (Input::Contacts(true), "the loose contacts", 0),
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
    let make = |(key, what, bytes)| Ok((key, Storage::zeroed(device, what, bytes)?));
    all.into_iter().map(make).collect()
}

impl RowBindings {
    /// Binds the memory beside that of a search.
    pub(crate) fn new(
        device: &Device,
        (kernels, workgroup): (&RowKernels, u32),
        b: &RowBuffers,
        f: &OnDevice<'_>,
    ) -> Result<Self, DeviceError> {
        let settings = &b.settings;
        let place = |copy: usize| {
            let (before, now) = (&b.kept[1 - copy], &b.kept[copy]);
            let memory = [
                settings,
                &f.copies[copy],
                f.solids,
                f.bodies,
                f.first_points,
                before,
                now,
                &b.placed,
            ];
            kernels.place.bind(device, &memory)
        };
        let of = |what| b.frame.of(what);
        let pack = |pass: BiasPass| {
            let memory = [
                settings,
                &b.placed,
                &b.surfaces,
                of(Input::Bodies),
                &b.shares,
                of(Input::Heads(pass, false)),
                of(Input::Numbers(pass, false)),
                of(Input::Contacts(false)),
            ];
            kernels.pack[0].bind(device, &memory)
        };
        let impulses = |copy: usize| -> Result<[BindGroup; 2], DeviceError> {
            let bind = |half| {
                let (control, points) = (of(Input::Control(half)), of(Input::Impulses(false)));
                let memory = [settings, &b.placed, control, &b.kept[copy], points];
                kernels.impulses[0].bind(device, &memory)
            };
            Ok([bind(0)?, bind(1)?])
        };
        let (slots, adjacency) = (of(Input::Slots), of(Input::Adjacency));
        let bodies = of(Input::Bodies);
        let counted = [
            settings, &b.placed, bodies, slots, &b.counts, &b.named, &b.status,
        ];
        let ordered = [settings, slots, &b.counts, &b.named, adjacency, &b.status];
        let shared = [settings, adjacency, &b.placed, &b.shares];
        let (motion, contacts) = (of(Input::Motion), of(Input::Contacts(false)));
        let approach = [
            settings,
            &b.placed,
            &b.surfaces,
            motion,
            contacts,
            &b.status,
        ];
        Ok(Self {
            place: [place(0)?, place(1)?],
            slots: kernels.slots[0].bind(device, &counted)?,
            counts: Scan::new(device, workgroup, &b.counts)?,
            order: kernels.order.bind(device, &ordered)?,
            shares: kernels.shares.bind(device, &shared)?,
            pack: [pack(BiasPass::Biased)?, pack(BiasPass::Relaxed)?],
            approach: kernels.approach.bind(device, &approach)?,
            impulses: [impulses(0)?, impulses(1)?],
        })
    }
}
