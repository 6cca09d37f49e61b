//! What stays on the device between searches.

use delassus_core::DeviceError;
use delassus_solver_gpu::device::Device;

use crate::kernels::Kernels;
use crate::memory::{Bindings, Buffers, Sizes};
use crate::records::Solid;

/// What stays on the device between searches.
#[derive(Debug)]
pub(super) struct Resident {
    pub(super) sizes: Sizes,
    pub(super) buffers: Buffers,
    pub(super) bindings: Bindings,
    /// What is uploaded.
    pub(super) solids: Vec<Solid>,
    pub(super) tables: Vec<[u32; 2]>,
    /// The copy that holds the manifolds of the frame before.
    pub(super) before: usize,
}

impl Resident {
    pub(super) fn new(
        device: &Device,
        kernels: &Kernels,
        sizes: Sizes,
    ) -> Result<Self, DeviceError> {
        let buffers = Buffers::new(device, &sizes)?;
        let bindings = Bindings::new(device, kernels, &buffers, &sizes)?;
        Ok(Self {
            sizes,
            buffers,
            bindings,
            solids: Vec::new(),
            tables: Vec::new(),
            before: 0,
        })
    }

    /// The manifolds of the frame before, of memory that has become too small.
    pub(super) fn take_over(&mut self, device: &Device, old: &Self) -> Result<(), DeviceError> {
        self.buffers.manifolds[0].copy(device, &old.buffers.manifolds[old.before])?;
        self.buffers.starts[0].copy(device, &old.buffers.starts[old.before])
    }
}
