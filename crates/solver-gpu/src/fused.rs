//! An iteration in one dispatch: the thread of a manifold sums the wrenches on its two bodies
//! itself (K.52).
//!
//! With two kernels per iteration, threads exchange the velocities of bodies. Here a thread reads
//! only the wrenches that other threads wrote in the previous iteration. Wrenches and impulses have
//! two halves: an iteration reads one half and writes the other, so no thread reads what another
//! writes. Operations and their order are those of the two kernels, and therefore the bits. The
//! momentum uses sums that are one iteration old in both cases (J.13): the first workgroup adds up
//! the sums of the iteration before. A last dispatch of every call adds up those of the last
//! iteration and stores the velocities.
//!
//! Every manifold sums all wrenches on its bodies, n² of them for a body in n manifolds. Bodies in
//! many manifolds are refused, and so are row blocks, whose kernel would read the same wrenches in
//! a dispatch of its own.

use std::sync::Arc;

use delassus_core::{DeviceError, Unsupported};
use delassus_solver_jacobi::kernels::bodies::HUB;
use delassus_solver_jacobi::pack::{BODY_FREE, Pack};
use wgpu::{BindGroup, ComputePass};

use crate::buffers::GpuQuad;
use crate::control::Control;
use crate::device::Device;
use crate::iteration::{IterationMemory, IterationVariant};
use crate::pipelines::{
    Access::{Read, Write},
    Kernel, Workgroups, flag,
};
use crate::shaders;
use crate::tiles::ManifoldLayout;

/// Refuses what one kernel does not solve.
///
/// # Errors
/// [`Unsupported::Variant`] for row blocks, and for a body in too many manifolds.
pub(crate) fn check(solver: &'static str, pack: &Pack<f32>) -> Result<(), Unsupported> {
    let refused = |reason| Unsupported::Variant {
        solver,
        variant: "fused",
        reason,
    };
    if !pack.units.is_empty() {
        let blocks = pack.units.blocks();
        return Err(refused(format!(
            "it solves contact manifolds only, and {blocks} blocks are joints or other rows"
        )));
    }
    let slots = pack.slots.first_slot.windows(2);
    let counts = slots.map(|pair| (pair[1] - pair[0]) as usize);
    match counts.enumerate().find(|(_, count)| *count > HUB) {
        Some((body, count)) => Err(refused(format!(
            "each manifold sums all impulses on its bodies, and body {body} has {count} manifolds, \
             more than {HUB}"
        ))),
        None => Ok(()),
    }
}

/// The lists of slots, four numbers to a head, behind the heads of the manifolds.
pub(crate) fn heads(pack: &Pack<f32>) -> Vec<[u32; 4]> {
    let mut words = pack.slots.first_slot.clone();
    words.extend_from_slice(&pack.slots.slots);
    words.resize(words.len().next_multiple_of(4), 0);
    let mut heads = pack.manifolds.heads.clone();
    heads.extend_from_slice(words.as_chunks().0);
    heads
}

/// Bytes of velocities, wrenches and sums.
pub(crate) fn motion_bytes(pack: &Pack<f32>, momentum: bool) -> usize {
    let velocities = BODY_FREE * pack.bodies.len() * if momentum { 2 } else { 1 };
    let wrenches = 2 * 2 * pack.slots.body.len();
    let sums = Control::first_sums(pack) + Control::sum_entries(pack);
    size_of::<GpuQuad>() * (velocities + wrenches + sums)
}

/// The compiled kernel: as it steps, as it computes wrenches anew, and as it ends a call.
#[derive(Debug)]
struct FusedKernels([Kernel; 3]);

/// The kernel, bound to the memory of a problem.
#[derive(Debug)]
pub(crate) struct FusedIteration {
    kernels: Arc<FusedKernels>,
    bindings: [BindGroup; 2],
    /// Of a step, of wrenches anew, and of the end.
    grids: [Workgroups; 3],
}

impl FusedIteration {
    pub(crate) fn new(
        device: &Device,
        variant: IterationVariant,
        pack: &Pack<f32>,
        memory: &IterationMemory<'_>,
    ) -> Result<Self, DeviceError> {
        let kernels = FusedKernels::shared(device, variant)?;
        let bindings = kernels.bind(device, memory)?;
        let groups = |threads: usize| threads.div_ceil(variant.workgroup as usize);
        let manifolds = groups(pack.manifolds.len());
        let bodies = groups(pack.bodies.len());
        let kept = if variant.momentum { bodies } else { 0 };
        let allowed = device.limits().max_compute_workgroups_per_dimension;
        let grid = |groups| Workgroups::of(1 + groups, allowed);
        let grids = [grid(kept + manifolds)?, grid(manifolds)?, grid(bodies)?];
        Ok(Self {
            kernels,
            bindings,
            grids,
        })
    }

    /// Binds memory of which some buffers are others now.
    pub(crate) fn rebind(
        &mut self,
        device: &Device,
        memory: &IterationMemory<'_>,
    ) -> Result<(), DeviceError> {
        self.bindings = self.kernels.bind(device, memory)?;
        Ok(())
    }

    fn dispatch(&self, which: usize, pass: &mut ComputePass<'_>, parity: u32) {
        let bindings = &self.bindings[parity as usize];
        self.kernels.0[which].dispatch(pass, bindings, self.grids[which]);
    }

    /// Records an iteration from a half of the impulses.
    pub(crate) fn record(&self, pass: &mut ComputePass<'_>, parity: u32) {
        self.dispatch(0, pass, parity);
    }

    /// Records wrenches and velocities of the impulses in a half.
    pub(crate) fn record_renewal(&self, pass: &mut ComputePass<'_>, parity: u32) {
        self.dispatch(1, pass, parity);
        self.record_end(pass, parity);
    }

    /// Records the velocities of the last iteration and the momentum after it. Iterations may
    /// follow.
    pub(crate) fn record_end(&self, pass: &mut ComputePass<'_>, parity: u32) {
        self.dispatch(2, pass, parity);
    }
}

impl FusedKernels {
    fn shared(device: &Device, variant: IterationVariant) -> Result<Arc<Self>, DeviceError> {
        let (workgroup, isotropic) = (variant.workgroup, variant.isotropic);
        let (sequential, momentum) = (variant.sequential, variant.momentum);
        let (shader, name) = match variant.layout {
            ManifoldLayout::Manifolds => (&shaders::FUSED, ""),
            ManifoldLayout::Tiles => (&shaders::FUSED_TILES, " tiles"),
        };
        let build = |steps, pieces, bodies| {
            let constants = [
                ("STEPS", flag(steps)),
                ("SEQUENTIAL", flag(sequential)),
                ("MOMENTUM", flag(momentum)),
                ("ISOTROPIC", flag(isotropic)),
                ("PIECES", flag(pieces)),
                ("BODIES", flag(bodies)),
            ];
            let access = &[Read, Read, Read, Write, Read, Write, Write, Write];
            Kernel::new(device, shader, workgroup, &constants, access)
        };
        let key = format!("fused {workgroup} {sequential} {momentum} {isotropic}{name}");
        device.cached(&key, || {
            Ok(Self([
                build(true, true, momentum)?,
                build(false, true, false)?,
                build(true, false, true)?,
            ]))
        })
    }

    fn bind(
        &self,
        device: &Device,
        memory: &IterationMemory<'_>,
    ) -> Result<[BindGroup; 2], DeviceError> {
        let [heads, numbers, points] = memory.manifolds;
        let [even, odd] = memory.control;
        let bind = |now, coming| {
            let (bodies, motion, history) = (memory.bodies, memory.velocity, memory.history);
            let buffers = [now, heads, numbers, points, bodies, motion, coming, history];
            self.0[0].bind(device, &buffers)
        };
        Ok([bind(even, odd)?, bind(odd, even)?])
    }
}
