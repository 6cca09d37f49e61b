//! The numbers of worlds of one structure, written on the device.
//!
//! The structure goes up once, and every world's values; a kernel copies the numbers of the
//! structure for each world and puts the values into their places (K.49). It computes steps from
//! masses if the template says so (K.54).

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use delassus_core::DeviceError;
use delassus_solver_jacobi::real::Real;
use delassus_solver_jacobi::worlds::WorldTemplate;
use wgpu::BindGroup;

use crate::buffers::StorageBuffer;
use crate::commands;
use crate::control::index;
use crate::device::Device;
use crate::pipelines::{
    Access::{self, Read, Write},
    Kernel, Workgroups,
};
use crate::shaders;

/// Threads of a workgroup \[-\]: a world has hundreds of quads.
const THREADS: u32 = 64;

const ACCESS: &[Access] = &[Read, Read, Read, Write, Read];

/// `WorldHeader` of `worlds.wgsl`.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct WorldHeader {
    pub(crate) first: u32,
    pub(crate) quads: u32,
    pub(crate) own: u32,
    pub(crate) values: u32,
    pub(crate) worlds: u32,
    pub(crate) manifolds: u32,
    pub(crate) extras: u32,
    pub(crate) masses: u32,
    pub(crate) inverse_omega: f32,
}

/// Worlds of one structure on a device.
#[derive(Debug)]
pub(crate) struct WorldNumbers {
    template: WorldTemplate,
    worlds: usize,
    values: StorageBuffer,
    kernel: Arc<Kernel>,
    bindings: BindGroup,
    grid: Workgroups,
}

impl WorldNumbers {
    /// Binds the heads and numbers of the structure and, from quad `own` on, the numbers of its
    /// worlds, which are not written yet.
    pub(crate) fn new(
        device: &Device,
        template: WorldTemplate,
        worlds: usize,
        [heads, numbers]: [&StorageBuffer; 2],
        own: usize,
    ) -> Result<Self, DeviceError> {
        let range = template.own();
        let [_, extras, _, masses, _] = template.first_quads();
        let computed = match template.computes_steps() {
            true => template.pack().manifolds.len(),
            false => 0,
        };
        let each = template.values_per_world();
        // the last value must have an index
        index(each * worlds)?;
        let header = WorldHeader {
            first: index(range.start)?,
            quads: index(range.len())?,
            own: index(own)?,
            values: index(each)?,
            worlds: index(worlds)?,
            manifolds: index(computed)?,
            extras: index(extras)?,
            masses: index(masses)?,
            inverse_omega: f32::of(template.inverse_omega()),
        };
        let bytes = size_of::<f32>() as u64 * (each * worlds) as u64;
        let values = StorageBuffer::zeroed(device, "the values of the worlds", bytes)?;
        let header = StorageBuffer::holding(device, "the worlds", &[header])?;
        let sources = StorageBuffer::holding(device, "the places of values", template.sources())?;
        let kernel = device.cached("worlds", || {
            Kernel::new(device, &shaders::WORLDS, THREADS, &[], ACCESS)
        })?;
        let bindings = kernel.bind(device, &[&header, &sources, &values, numbers, heads])?;
        let groups = device.limits().max_compute_workgroups_per_dimension;
        let busy = if range.is_empty() { 0 } else { worlds };
        Ok(Self {
            grid: Workgroups::of(busy, groups)?,
            template,
            worlds,
            values,
            kernel,
            bindings,
        })
    }

    /// Uploads the values of all worlds and writes their numbers.
    pub(crate) fn write(&self, device: &Device, values: &[f32]) -> Result<(), DeviceError> {
        if values.is_empty() {
            return Ok(());
        }
        self.values.write(device, values)?;
        commands::submit(device, None, 1, 1, |pass, _| {
            self.kernel.dispatch(pass, &self.bindings, self.grid);
        })
    }

    pub(crate) fn template(&self) -> &WorldTemplate {
        &self.template
    }

    pub(crate) fn worlds(&self) -> usize {
        self.worlds
    }
}
