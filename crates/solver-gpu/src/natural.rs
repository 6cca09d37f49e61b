//! The natural residual of every iteration, on the device: two more dispatches, on request.
//!
//! After an iteration one thread per piece makes a plain step from λ_k and v_k and throws it away;
//! the largest change, as a velocity, goes into the iteration's entry by an atomic maximum of bits,
//! which is exact in any order (K.31). Entries are read once, after the solve.

use std::sync::Arc;

use delassus_core::DeviceError;
use delassus_solver_jacobi::pack::Pack;
use wgpu::{BindGroup, ComputePass};

use crate::buffers::StorageBuffer;
use crate::device::Device;
use crate::pipelines::{
    Access::{self, Read, Write},
    Kernel, Workgroups,
};
use crate::shaders;

#[derive(Debug)]
struct Kernels {
    manifolds: Kernel,
    rows: Kernel,
}

const ACCESS: &[Access] = &[Read, Read, Read, Read, Read, Write];

const ROW_ACCESS: &[Access] = &[Read, Read, Read, Write, Read, Write];

impl Kernels {
    fn shared(device: &Device, workgroup: u32) -> Result<Arc<Self>, DeviceError> {
        // every row from v_k, without momentum
        let constants = [("SEQUENTIAL", 0.0), ("MOMENTUM", 0.0)];
        let build = |shader, access| Kernel::new(device, shader, workgroup, &constants, access);
        device.cached(&format!("natural residual {workgroup}"), || {
            Ok(Self {
                manifolds: build(&shaders::RESIDUAL, ACCESS)?,
                rows: build(&shaders::RESIDUAL_ROWS, ROW_ACCESS)?,
            })
        })
    }
}

/// What the kernels read of a solve: the control, heads, numbers and impulses of one kind of piece,
/// velocities.
pub(crate) type Sources<'a> = [&'a StorageBuffer; 5];

/// Entries of the history, and the kernels that write them.
#[derive(Debug)]
pub(crate) struct Natural {
    kernels: Arc<Kernels>,
    entries: StorageBuffer,
    /// For iterations that leave their impulses in the first half, and in the second.
    bindings: Option<[[BindGroup; 2]; 2]>,
    grids: [Workgroups; 2],
}

fn zeros(device: &Device, capacity: u32) -> Result<StorageBuffer, DeviceError> {
    let bytes = 4 * u64::from(capacity);
    StorageBuffer::zeroed(device, "the natural residuals", bytes)
}

impl Natural {
    pub(crate) fn new(
        device: &Device,
        workgroup: u32,
        pack: &Pack<f32>,
        capacity: u32,
    ) -> Result<Self, DeviceError> {
        let kernels = Kernels::shared(device, workgroup)?;
        let grids = [
            kernels.manifolds.grid(device, pack.manifolds.len())?,
            kernels.rows.grid(device, pack.units.len())?,
        ];
        Ok(Self {
            kernels,
            entries: zeros(device, capacity)?,
            bindings: None,
            grids,
        })
    }

    /// Binds what `sources` has for iterations that end in half 0 and in half 1: those of
    /// manifolds, those of rows.
    pub(crate) fn bind(
        &mut self,
        device: &Device,
        sources: [[Sources<'_>; 2]; 2],
    ) -> Result<(), DeviceError> {
        let bind = |kernel: &Kernel, of: Sources<'_>| {
            let [control, heads, numbers, impulses, velocity] = of;
            let buffers = [control, heads, numbers, impulses, velocity, &self.entries];
            kernel.bind(device, &buffers)
        };
        let half = |[manifolds, rows]: [Sources<'_>; 2]| {
            let kernels = &self.kernels;
            Ok::<_, DeviceError>([
                bind(&kernels.manifolds, manifolds)?,
                bind(&kernels.rows, rows)?,
            ])
        };
        let [even, odd] = sources;
        self.bindings = Some([half(even)?, half(odd)?]);
        Ok(())
    }

    /// Records the residual of an iteration that left its impulses in half `parity`.
    pub(crate) fn record(&self, pass: &mut ComputePass<'_>, parity: u32) {
        let Some(bindings) = &self.bindings else {
            return;
        };
        let [manifolds, rows] = &bindings[parity as usize];
        let kernels = &self.kernels;
        kernels.manifolds.dispatch(pass, manifolds, self.grids[0]);
        kernels.rows.dispatch(pass, rows, self.grids[1]);
    }

    /// Forgets all entries, as a maximum must.
    pub(crate) fn clear(&self, device: &Device) -> Result<(), DeviceError> {
        let words = usize::try_from(self.entries.bytes() / 4).unwrap_or(usize::MAX);
        self.entries.write(device, &vec![0_u32; words])
    }

    /// Another buffer with room for `capacity` entries; it has to be bound.
    pub(crate) fn grow(&mut self, device: &Device, capacity: u32) -> Result<(), DeviceError> {
        let larger = zeros(device, capacity)?;
        larger.copy(device, &self.entries)?;
        self.entries = larger;
        self.bindings = None;
        Ok(())
    }

    /// Natural residuals of the first `iterations` \[m/s | rad/s\].
    pub(crate) fn read(&self, device: &Device, iterations: u32) -> Result<Vec<f32>, DeviceError> {
        self.entries.read(device, 0..iterations as usize)
    }
}
