//! What the kernels that pack rows bind, and the order of their dispatches.

use delassus_collide_gpu::{OnDevice, Scan};
use delassus_core::DeviceError;
use delassus_scheme_jacobi::stepping::BiasPass;
use delassus_solver_gpu::buffers::StorageBuffer;
use delassus_solver_gpu::device::Device;
use wgpu::{BindGroup, ComputePass};

use super::kernels::{RowGrids, RowKernels};
use super::memory::RowBuffers;
use crate::frame::buffers::Input;

/// Bind groups of the kernels that pack rows.
#[derive(Debug)]
pub(crate) struct RowBindings {
    /// By the copy of the search that has the manifolds.
    place: [BindGroup; 2],
    slots: BindGroup,
    counts: Scan,
    order: BindGroup,
    shares: BindGroup,
    pack: [BindGroup; 2],
    approach: BindGroup,
    /// By the copy of the search, and by the half of the impulses.
    impulses: [[BindGroup; 2]; 2],
    joints: JointBindings,
}

/// Those of joints.
#[derive(Debug)]
struct JointBindings {
    place: BindGroup,
    share: BindGroup,
    /// By the copy of the search: what gives impulses.
    load: [BindGroup; 2],
    /// By the copy of the search, and by the half of the impulses: what takes them.
    store: [[BindGroup; 2]; 2],
}

impl JointBindings {
    fn new(
        device: &Device,
        kernels: &RowKernels,
        b: &RowBuffers,
        poses: &StorageBuffer,
    ) -> Result<Self, DeviceError> {
        let of = |what| b.frame.of(what);
        let settings = &b.settings;
        let (joints, starts) = (of(Input::Joints), of(Input::JointRows));
        let placed = [settings, poses, &b.attached, &b.directions, joints, starts];
        let heads = BiasPass::BOTH.map(|pass| of(Input::Heads(pass, true)));
        let numbers = BiasPass::BOTH.map(|pass| of(Input::Numbers(pass, true)));
        let shared = [
            settings, &b.shares, heads[0], heads[1], numbers[0], numbers[1],
        ];
        let impulses = |kept: usize, half| {
            let (control, rows) = (of(Input::Control(half)), of(Input::Impulses(true)));
            let memory = [settings, control, &b.joint_kept[kept], rows];
            kernels.joint_impulses[0].bind(device, &memory)
        };
        let store = |copy| -> Result<[BindGroup; 2], DeviceError> {
            Ok([impulses(copy, 0)?, impulses(copy, 1)?])
        };
        Ok(Self {
            place: kernels.place_joints.bind(device, &placed)?,
            share: kernels.share_joints.bind(device, &shared)?,
            load: [impulses(1, 0)?, impulses(0, 0)?],
            store: [store(0)?, store(1)?],
        })
    }
}

impl RowBindings {
    /// Binds the memory beside that of a search.
    pub(crate) fn new(
        device: &Device,
        kernels: &RowKernels,
        workgroup: u32,
        b: &RowBuffers,
        f: &OnDevice<'_>,
    ) -> Result<Self, DeviceError> {
        let (settings, placed, surfaces) = (&b.settings, &b.placed, &b.surfaces);
        let place = |copy: usize| {
            let (before, now, found) = (&b.kept[1 - copy], &b.kept[copy], &f.copies[copy]);
            let points = f.first_points;
            let memory = [
                settings, found, f.solids, f.bodies, points, before, now, placed,
            ];
            kernels.place.bind(device, &memory)
        };
        let of = |what| b.frame.of(what);
        let (bodies, contacts) = (of(Input::Bodies), of(Input::Contacts(false)));
        let pack = |pass: BiasPass| {
            let (heads, numbers) = (Input::Heads(pass, false), Input::Numbers(pass, false));
            let (heads, numbers) = (of(heads), of(numbers));
            let memory = [
                settings, placed, surfaces, bodies, &b.shares, heads, numbers, contacts,
            ];
            kernels.pack[0].bind(device, &memory)
        };
        let impulses = |copy: usize| -> Result<[BindGroup; 2], DeviceError> {
            let bind = |half| {
                let (control, points) = (of(Input::Control(half)), of(Input::Impulses(false)));
                let memory = [settings, placed, control, &b.kept[copy], points];
                kernels.impulses[0].bind(device, &memory)
            };
            Ok([bind(0)?, bind(1)?])
        };
        let (slots, adjacency) = (of(Input::Slots), of(Input::Adjacency));
        let heads = of(Input::Heads(BiasPass::Biased, true));
        let counted = [
            settings, placed, bodies, slots, &b.counts, &b.named, &b.status, heads,
        ];
        let ordered = [settings, slots, &b.counts, &b.named, adjacency, &b.status];
        let shared = [settings, adjacency, placed, &b.shares, heads];
        let motion = of(Input::Motion);
        let approach = [settings, placed, surfaces, motion, contacts, &b.status];
        Ok(Self {
            place: [place(0)?, place(1)?],
            slots: kernels.slots[0].bind(device, &counted)?,
            counts: Scan::new(device, workgroup, &b.counts)?,
            order: kernels.order.bind(device, &ordered)?,
            shares: kernels.shares.bind(device, &shared)?,
            pack: [pack(BiasPass::Biased)?, pack(BiasPass::Relaxed)?],
            approach: kernels.approach.bind(device, &approach)?,
            impulses: [impulses(0)?, impulses(1)?],
            joints: JointBindings::new(device, kernels, b, f.bodies)?,
        })
    }

    /// All rows of a frame; `may_bounce` if contacts may.
    pub(crate) fn record(
        &self,
        kernels: &RowKernels,
        compute: &mut ComputePass<'_>,
        grids: RowGrids,
        copy: usize,
        may_bounce: bool,
    ) {
        let (b, k, joints) = (self, kernels, &self.joints);
        let (manifolds, pieces) = (grids.manifolds, grids.pieces);
        k.place.dispatch(compute, &b.place[copy], manifolds);
        k.place_joints
            .dispatch(compute, &joints.place, grids.joints);
        k.slots[0].dispatch(compute, &b.slots, pieces);
        b.counts.record(compute);
        k.slots[1].dispatch(compute, &b.slots, pieces);
        k.order.dispatch(compute, &b.order, grids.slots);
        k.shares.dispatch(compute, &b.shares, grids.bodies);
        for (kernel, bindings) in k.pack.iter().zip(&b.pack) {
            kernel.dispatch(compute, bindings, manifolds);
        }
        k.share_joints.dispatch(compute, &joints.share, grids.units);
        if may_bounce {
            k.approach.dispatch(compute, &b.approach, manifolds);
        }
        k.impulses[0].dispatch(compute, &b.impulses[copy][0], manifolds);
        k.joint_impulses[0].dispatch(compute, &joints.load[copy], grids.quads);
    }

    /// Takes the impulses of the half `current` for the next frame.
    pub(crate) fn store(
        &self,
        kernels: &RowKernels,
        compute: &mut ComputePass<'_>,
        grids: RowGrids,
        copy: usize,
        current: usize,
    ) {
        let bindings = &self.impulses[copy][current];
        kernels.impulses[1].dispatch(compute, bindings, grids.manifolds);
        let bindings = &self.joints.store[copy][current];
        kernels.joint_impulses[1].dispatch(compute, bindings, grids.quads);
    }
}
