//! Velocities computed anew from the impulses, for solvers that add to them.
//!
//! Every addition to a velocity rounds it. After tens of thousands of sweeps the sum of these
//! roundings is larger than any tolerance, so every [`INTERVAL`] sweeps, counted from the start of
//! the solve and not from the last call, the velocities are v_f + M⁻¹Jᵀλ again (K.8).

use delassus_core::DeviceError;
use delassus_solver_jacobi::pack::Pack;
use wgpu::{BindGroup, ComputePass};

use std::sync::Arc;

use crate::buffers::StorageBuffer;
use crate::device::Device;
use crate::pipelines::{
    Access::{self, Read, Write},
    Kernel, Workgroups, flag,
};
use crate::shaders;

/// Sweeps after which velocities are renewed \[-\]: a power of two, so that dispatches of many
/// sweeps can end there. Some three dispatches in 64 sweeps cost little; 64 roundings of f32 are
/// 4·10⁻⁶ of a velocity.
pub(crate) const INTERVAL: u32 = 64;

const ACCESS: &[Access] = &[Read, Read, Read, Write, Write, Write];

/// The kernels with what they are bound to.
#[derive(Debug)]
pub(crate) struct Renewal {
    pieces: (Arc<Kernel>, BindGroup, Workgroups),
    bodies: (Arc<Kernel>, BindGroup, Workgroups),
}

impl Renewal {
    /// Binds record, words, numbers, impulses, velocities and wrenches.
    pub(crate) fn new(
        device: &Device,
        workgroup: u32,
        pack: &Pack<f32>,
        buffers: &[&StorageBuffer; 6],
    ) -> Result<Self, DeviceError> {
        let bind = |bodies: bool, threads: usize| {
            let constants = [
                ("STEPS", 0.0),
                ("SEQUENTIAL", 0.0),
                ("MOMENTUM", 0.0),
                ("BODIES", flag(bodies)),
            ];
            let key = format!("renew {workgroup} {bodies}");
            let kernel = device.cached(&key, || {
                Kernel::new(device, &shaders::RENEW, workgroup, &constants, ACCESS)
            })?;
            let bindings = kernel.bind(device, buffers)?;
            let grid = kernel.grid(device, threads)?;
            Ok::<_, DeviceError>((kernel, bindings, grid))
        };
        let pieces = pack.manifolds.len() + pack.units.len();
        Ok(Self {
            pieces: bind(false, pieces)?,
            bodies: bind(true, pack.bodies.len())?,
        })
    }

    /// Records both kernels.
    pub(crate) fn record(&self, pass: &mut ComputePass<'_>) {
        for (kernel, bindings, grid) in [&self.pieces, &self.bodies] {
            kernel.dispatch(pass, bindings, *grid);
        }
    }

    /// True if the velocities are renewed before sweep `sweep` of a solve.
    pub(crate) fn is_due(sweep: u32) -> bool {
        sweep > 0 && sweep.is_multiple_of(INTERVAL)
    }
}
