//! Prefix sums of a buffer of whole numbers.

use std::sync::Arc;

use delassus_core::DeviceError;
use delassus_solver_gpu::buffers::StorageBuffer;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::pipelines::Workgroups;
use wgpu::{BindGroup, ComputePass};

use crate::kernels::Kernels;

/// Sums of the blocks of a buffer, then of their sums, until one is left.
#[derive(Debug)]
pub struct Scan {
    kernels: Arc<Kernels>,
    levels: Vec<(BindGroup, Workgroups)>,
}

impl Scan {
    /// Prefix sums of `values`, whole numbers of 32 bits that are replaced by the sum of those
    /// before, with workgroups of `workgroup` threads \[-\].
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(
        device: &Device,
        workgroup: u32,
        values: &StorageBuffer,
    ) -> Result<Self, DeviceError> {
        let kernels = Kernels::shared(device, workgroup)?;
        let mut levels = Vec::new();
        let mut values = values.clone();
        loop {
            // shaders ask for the length of the whole buffer
            let words = usize::try_from(values.raw().size() / 4).unwrap_or(usize::MAX);
            let blocks = words.div_ceil(kernels.workgroup as usize);
            let totals = StorageBuffer::zeroed(device, "the sums of blocks", 4 * blocks as u64)?;
            let bindings = kernels.scan[0].bind(device, &[&values, &totals])?;
            levels.push((bindings, kernels.scan[0].grid(device, words)?));
            if blocks == 1 {
                return Ok(Self { kernels, levels });
            }
            values = totals;
        }
    }

    /// Records the sums.
    pub fn record(&self, compute: &mut ComputePass<'_>) {
        let [sum, add] = &self.kernels.scan;
        for (bindings, grid) in &self.levels {
            sum.dispatch(compute, bindings, *grid);
        }
        // nothing stands before the one block of the last level
        for (bindings, grid) in self.levels.iter().rev().skip(1) {
            add.dispatch(compute, bindings, *grid);
        }
    }
}
