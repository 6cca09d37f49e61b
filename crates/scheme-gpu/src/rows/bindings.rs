//! What the kernels that pack rows bind, and the order of their dispatches.

use delassus_collide_gpu::{OnDevice, Scan};
use delassus_core::DeviceError;
use delassus_scheme_jacobi::stepping::BiasPass;
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

    /// All rows of a frame; `may_bounce` if contacts may.
    pub(crate) fn record(
        &self,
        kernels: &RowKernels,
        compute: &mut ComputePass<'_>,
        grids: RowGrids,
        copy: usize,
        may_bounce: bool,
    ) {
        let RowGrids {
            manifolds,
            bodies,
            slots,
        } = grids;
        let (b, k) = (self, kernels);
        k.place.dispatch(compute, &b.place[copy], manifolds);
        k.slots[0].dispatch(compute, &b.slots, manifolds);
        b.counts.record(compute);
        k.slots[1].dispatch(compute, &b.slots, manifolds);
        k.order.dispatch(compute, &b.order, slots);
        k.shares.dispatch(compute, &b.shares, bodies);
        for (kernel, bindings) in k.pack.iter().zip(&b.pack) {
            kernel.dispatch(compute, bindings, manifolds);
        }
        if may_bounce {
            k.approach.dispatch(compute, &b.approach, manifolds);
        }
        k.impulses[0].dispatch(compute, &b.impulses[copy][0], manifolds);
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
    }
}
