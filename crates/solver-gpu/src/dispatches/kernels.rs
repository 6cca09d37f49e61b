//! The kernels of an iteration, bound to the memory of a problem.

use std::sync::Arc;

use delassus_core::DeviceError;
use delassus_solver_jacobi::pack::Pack;
use wgpu::ComputePass;

use crate::device::Device;
use crate::fused::FusedIteration;
use crate::iteration::{IterationBindings, IterationKernels, IterationMemory, IterationVariant};
use crate::pipelines::Workgroups;

/// The kernels of an iteration, bound to the memory of a problem.
#[derive(Debug)]
pub(super) enum BoundKernels {
    /// Pieces, then bodies.
    Gathered {
        step: Arc<IterationKernels>,
        renew: Arc<IterationKernels>,
        bindings: IterationBindings,
        grids: [Workgroups; 3],
    },
    /// Both in one.
    Fused(FusedIteration),
}

impl BoundKernels {
    pub(super) fn new(
        device: &Device,
        variant: IterationVariant,
        pack: &Pack<f32>,
        hubs: usize,
        fused: bool,
        memory: &IterationMemory<'_>,
    ) -> Result<Self, DeviceError> {
        if fused {
            let iteration = FusedIteration::new(device, variant, pack, memory)?;
            return Ok(Self::Fused(iteration));
        }
        let kernels = |steps| IterationKernels::shared(device, variant, steps);
        let (step, renew) = (kernels(true)?, kernels(false)?);
        Ok(Self::Gathered {
            bindings: step.bind(device, memory)?,
            grids: step.grids(device, pack, variant.workgroup, hubs)?,
            step,
            renew,
        })
    }

    /// Binds memory of which some buffers are others now.
    pub(super) fn rebind(
        &mut self,
        device: &Device,
        memory: &IterationMemory<'_>,
    ) -> Result<(), DeviceError> {
        match self {
            Self::Gathered { step, bindings, .. } => *bindings = step.bind(device, memory)?,
            Self::Fused(fused) => fused.rebind(device, memory)?,
        }
        Ok(())
    }

    /// An iteration from a half of the impulses.
    pub(super) fn record(&self, pass: &mut ComputePass<'_>, parity: u32) {
        match self {
            Self::Gathered {
                step,
                bindings,
                grids,
                ..
            } => step.record(pass, &bindings[parity as usize], *grids),
            Self::Fused(fused) => fused.record(pass, parity),
        }
    }

    /// Wrenches and velocities of the impulses in a half.
    pub(super) fn record_renewal(&self, pass: &mut ComputePass<'_>, parity: u32) {
        match self {
            Self::Gathered {
                renew,
                bindings,
                grids,
                ..
            } => renew.record(pass, &bindings[parity as usize], *grids),
            Self::Fused(fused) => fused.record_renewal(pass, parity),
        }
    }

    /// What follows the last iteration of a call, which ended in a half.
    pub(super) fn record_end(&self, pass: &mut ComputePass<'_>, parity: u32) {
        if let Self::Fused(fused) = self {
            fused.record_end(pass, parity);
        }
    }
}
