//! The compiled kernels that pack rows.

use std::sync::Arc;

use delassus_core::DeviceError;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::pipelines::Access::{self, Read, Write};
use delassus_solver_gpu::pipelines::{Kernel, Shader, Workgroups};

use super::shaders;

/// The compiled kernels that pack rows.
#[derive(Debug)]
pub(crate) struct RowKernels {
    pub(super) place: Kernel,
    /// What counts slots, and what names them.
    pub(super) slots: [Kernel; 2],
    pub(super) order: Kernel,
    pub(super) shares: Kernel,
    /// For the biased and for the relaxed pass.
    pub(super) pack: [Kernel; 2],
    pub(super) approach: Kernel,
    /// What gives impulses to the iterations, and what takes them.
    pub(super) impulses: [Kernel; 2],
}

/// Workgroups: a thread per manifold, per body, per slot or body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowGrids {
    pub(super) manifolds: Workgroups,
    pub(super) bodies: Workgroups,
    pub(super) slots: Workgroups,
}

impl RowKernels {
    pub(crate) fn shared(device: &Device, workgroup: u32) -> Result<Arc<Self>, DeviceError> {
        device.cached(&format!("rows {workgroup}"), || {
            let build = |shader: &Shader, flag: Option<(&str, bool)>, access: &[Access]| {
                let flag = flag.map(|(name, on)| (name, f64::from(u8::from(on))));
                Kernel::new(device, shader, workgroup, flag.as_slice(), access)
            };
            let slots = |fills| {
                let access = [Read, Read, Read, Write, Write, Write, Write];
                build(&shaders::SLOTS, Some(("FILLS", fills)), &access)
            };
            let pack = |relaxed| {
                let access = [Read, Read, Read, Read, Read, Write, Write, Write];
                build(&shaders::PACK, Some(("RELAXED", relaxed)), &access)
            };
            let impulses = |stores| {
                let access = [Read, Read, Read, Write, Write];
                build(&shaders::IMPULSES, Some(("STORES", stores)), &access)
            };
            Ok(Self {
                place: build(
                    &shaders::PLACE,
                    None,
                    &[Read, Read, Read, Read, Read, Read, Write, Write],
                )?,
                slots: [slots(false)?, slots(true)?],
                order: build(
                    &shaders::ORDER,
                    None,
                    &[Read, Read, Read, Read, Write, Write],
                )?,
                shares: build(&shaders::SHARES, None, &[Read, Read, Read, Write])?,
                pack: [pack(false)?, pack(true)?],
                approach: build(
                    &shaders::APPROACH,
                    None,
                    &[Read, Read, Read, Read, Write, Write],
                )?,
                impulses: [impulses(false)?, impulses(true)?],
            })
        })
    }

    /// Workgroups for so many manifolds, and bodies with the world \[-\].
    pub(crate) fn grids(
        &self,
        device: &Device,
        manifolds: usize,
        bodies: usize,
    ) -> Result<RowGrids, DeviceError> {
        let grid = |threads| self.place.grid(device, threads);
        Ok(RowGrids {
            manifolds: grid(manifolds)?,
            bodies: grid(bodies)?,
            slots: grid((2 * manifolds).max(bodies + 1))?,
        })
    }
}
