//! The compiled kernels that pack rows.

use std::sync::Arc;

use delassus_core::DeviceError;
use delassus_solver_gpu::ManifoldLayout;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::pipelines::Access::{self, Read, Write};
use delassus_solver_gpu::pipelines::{Kernel, Workgroups, flag};

use super::memory::JointRoom;
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
    pub(super) place_joints: Kernel,
    pub(super) share_joints: Kernel,
    /// What gives impulses of joints to the iterations, and what takes them.
    pub(super) joint_impulses: [Kernel; 2],
}

/// Workgroups: a thread per manifold, per manifold or unit, per body, per slot or body; of joints
/// one per unit, per joint, per quad of impulses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowGrids {
    pub(super) manifolds: Workgroups,
    pub(super) pieces: Workgroups,
    pub(super) bodies: Workgroups,
    pub(super) slots: Workgroups,
    pub(super) units: Workgroups,
    pub(super) joints: Workgroups,
    pub(super) quads: Workgroups,
}

impl RowKernels {
    #[cfg(test)]
    pub(crate) fn place_joints(&self) -> &Kernel {
        &self.place_joints
    }

    pub(crate) fn shared(
        device: &Device,
        workgroup: u32,
        layout: ManifoldLayout,
    ) -> Result<Arc<Self>, DeviceError> {
        let tiles = layout == ManifoldLayout::Tiles;
        device.cached(&format!("rows {workgroup} {tiles}"), || {
            let build = |shader, flags: &[(&str, f64)], access: &[Access]| {
                Kernel::new(device, shader, workgroup, flags, access)
            };
            let slots = |fills| {
                let access = [Read, Read, Read, Write, Write, Write, Write, Read];
                build(&shaders::SLOTS, &[("FILLS", flag(fills))], &access)
            };
            let pack = |relaxed| {
                let flags = [("RELAXED", flag(relaxed)), ("TILES", flag(tiles))];
                build(&shaders::PACK, &flags, &Access::of(5, 3))
            };
            let impulses = |stores| {
                let flags = [("STORES", flag(stores)), ("TILES", flag(tiles))];
                build(&shaders::IMPULSES, &flags, &Access::of(3, 2))
            };
            let joint_impulses = |stores| {
                let flags = [("STORES", flag(stores))];
                build(&shaders::JOINT_IMPULSES, &flags, &Access::of(2, 2))
            };
            let shares = [Read, Read, Read, Write, Read];
            Ok(Self {
                place: build(&shaders::PLACE, &[], &Access::of(6, 2))?,
                slots: [slots(false)?, slots(true)?],
                order: build(&shaders::ORDER, &[], &Access::of(4, 2))?,
                shares: build(&shaders::SHARES, &[], &shares)?,
                pack: [pack(false)?, pack(true)?],
                approach: build(&shaders::APPROACH, &[], &Access::of(4, 2))?,
                impulses: [impulses(false)?, impulses(true)?],
                place_joints: build(&shaders::PLACE_JOINTS, &[], &Access::of(4, 2))?,
                share_joints: build(&shaders::SHARE_JOINTS, &[], &Access::of(2, 4))?,
                joint_impulses: [joint_impulses(false)?, joint_impulses(true)?],
            })
        })
    }

    /// Workgroups for so many manifolds, bodies with the world, and joints \[-\].
    pub(crate) fn grids(
        &self,
        device: &Device,
        [manifolds, bodies]: [usize; 2],
        joints: JointRoom,
    ) -> Result<RowGrids, DeviceError> {
        let grid = |threads| self.place.grid(device, threads);
        let pieces = manifolds + joints.units;
        Ok(RowGrids {
            manifolds: grid(manifolds)?,
            pieces: grid(pieces)?,
            bodies: grid(bodies)?,
            slots: grid((2 * pieces).max(bodies + 1))?,
            units: grid(joints.units)?,
            joints: grid(joints.joints)?,
            quads: grid(joints.quads)?,
        })
    }
}
