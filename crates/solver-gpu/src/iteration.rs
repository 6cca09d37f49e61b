//! One iteration on the device: pieces, then bodies, in three dispatches.
//!
//! Two sets of bind groups, for even and odd iterations, exchange the halves of the impulses and
//! the two copies of the control.

use std::sync::Arc;

use delassus_core::DeviceError;
use delassus_solver_jacobi::pack::Pack;
use wgpu::{BindGroup, ComputePass};

use crate::buffers::StorageBuffer;
use crate::device::Device;
use crate::pipelines::{
    Access::{Read, Write},
    Kernel, Workgroups, flag,
};
use crate::shaders;
use crate::tiles::ManifoldLayout;

/// What decides the text of the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IterationVariant {
    /// Threads of a workgroup \[-\].
    pub workgroup: u32,
    /// Rows of a piece see what the rows before them did.
    pub sequential: bool,
    /// Something is added to the plain step.
    pub momentum: bool,
    /// How manifolds lie on the device.
    pub layout: ManifoldLayout,
    /// Masses are one for all axes, in two quads.
    pub isotropic: bool,
}

/// The memory of an iteration.
#[derive(Debug, Clone, Copy)]
pub struct IterationMemory<'a> {
    /// That of even iterations, and of odd ones.
    pub control: [&'a StorageBuffer; 2],
    /// Heads, numbers and impulses of the manifolds.
    pub manifolds: [&'a StorageBuffer; 3],
    /// Heads, numbers and impulses of the row blocks.
    pub rows: [&'a StorageBuffer; 3],
    /// Masses, then free velocities.
    pub bodies: &'a StorageBuffer,
    /// What pieces read, then, with momentum, v_k.
    pub velocity: &'a StorageBuffer,
    /// Two quads per slot: force and torque impulse of a piece on a body.
    pub wrench: &'a StorageBuffer,
    /// First slots of the bodies, the slots, the hubs.
    pub adjacency: &'a StorageBuffer,
    /// One entry of sums per piece, for the momentum.
    pub sums: &'a StorageBuffer,
    /// An entry per iteration.
    pub history: &'a StorageBuffer,
}

/// The bind groups of manifolds, row blocks and bodies, for even iterations and for odd ones.
pub type IterationBindings = [[BindGroup; 3]; 2];

/// The compiled kernels of manifolds, row blocks and bodies.
#[derive(Debug)]
pub struct IterationKernels([Kernel; 3]);

impl IterationKernels {
    /// Kernels that step, or that compute anew what follows from λ.
    ///
    /// # Errors
    /// What the driver says.
    pub fn shared(
        device: &Device,
        variant: IterationVariant,
        steps: bool,
    ) -> Result<Arc<Self>, DeviceError> {
        let (workgroup, layout) = (variant.workgroup, variant.layout);
        let (sequential, momentum) = (variant.sequential, variant.momentum);
        let isotropic = variant.isotropic;
        let constants = [
            ("STEPS", flag(steps)),
            ("SEQUENTIAL", flag(sequential)),
            ("MOMENTUM", flag(momentum)),
            ("ISOTROPIC", flag(isotropic)),
        ];
        let build = |shader, access| Kernel::new(device, shader, workgroup, &constants, access);
        let (manifolds, name) = match layout {
            ManifoldLayout::Manifolds => (&shaders::MANIFOLDS, ""),
            ManifoldLayout::Tiles => (&shaders::TILES, " tiles"),
        };
        let key = format!("jacobi {workgroup} {steps} {sequential} {momentum} {isotropic}{name}");
        device.cached(&key, || {
            let piece = &[Read, Read, Read, Write, Read, Read, Write, Write];
            let body = &[Read, Write, Read, Write, Read, Read, Write, Write];
            Ok(Self([
                build(manifolds, piece)?,
                build(&shaders::ROWS, piece)?,
                build(&shaders::BODIES, body)?,
            ]))
        })
    }

    /// Binds the memory; those that step and those that renew have the same layouts, and one set
    /// serves both.
    ///
    /// # Errors
    /// What the driver says.
    pub fn bind(
        &self,
        device: &Device,
        memory: &IterationMemory<'_>,
    ) -> Result<IterationBindings, DeviceError> {
        let m = memory;
        let bind = |now: usize| {
            let piece = |[heads, numbers, impulses]: [&'_ StorageBuffer; 3], kernel: &Kernel| {
                let control = m.control[now];
                let (v, w, s) = (m.velocity, m.wrench, m.sums);
                let buffers = [control, heads, numbers, impulses, m.bodies, v, w, s];
                kernel.bind(device, &buffers)
            };
            let [control, next] = [m.control[now], m.control[1 - now]];
            let (v, slots) = (m.velocity, m.adjacency);
            let bodies = [
                control, next, m.bodies, v, m.wrench, slots, m.sums, m.history,
            ];
            let [of_manifolds, of_rows, of_bodies] = &self.0;
            Ok::<_, DeviceError>([
                piece(m.manifolds, of_manifolds)?,
                piece(m.rows, of_rows)?,
                of_bodies.bind(device, &bodies)?,
            ])
        };
        Ok([bind(0)?, bind(1)?])
    }

    /// How many workgroups the kernels take for a problem with so many hubs.
    ///
    /// # Errors
    /// [`DeviceError::Limit`] if the device has no grid of that size.
    pub fn grids(
        &self,
        device: &Device,
        pack: &Pack<f32>,
        workgroup: u32,
        hubs: usize,
    ) -> Result<[Workgroups; 3], DeviceError> {
        let pieces = [pack.manifolds.len(), pack.units.len()];
        self.grids_of(device, pieces, pack.bodies.len(), workgroup, hubs)
    }

    /// The same for so many manifolds, units, and bodies with the world \[-\].
    ///
    /// # Errors
    /// Those of [`Self::grids`].
    pub fn grids_of(
        &self,
        device: &Device,
        [manifolds, units]: [usize; 2],
        bodies: usize,
        workgroup: u32,
        hubs: usize,
    ) -> Result<[Workgroups; 3], DeviceError> {
        let [of_manifolds, of_rows, _] = &self.0;
        // and one workgroup for the sums, and one for each hub
        let bodies = bodies.div_ceil(workgroup as usize) + 1 + hubs;
        Ok([
            of_manifolds.grid(device, manifolds)?,
            of_rows.grid(device, units)?,
            Workgroups::of(bodies, device.limits().max_compute_workgroups_per_dimension)?,
        ])
    }

    /// Records an iteration: manifolds and units, which write different impulses and wrenches, then
    /// bodies.
    pub fn record(
        &self,
        pass: &mut ComputePass<'_>,
        bindings: &[BindGroup; 3],
        grids: [Workgroups; 3],
    ) {
        for ((kernel, bindings), grid) in self.0.iter().zip(bindings).zip(grids) {
            kernel.dispatch(pass, bindings, grid);
        }
    }
}
