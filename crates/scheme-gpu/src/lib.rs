//! Schemes that keep a frame of Soft Step on the GPU, and the twin that makes the same operations on the processor.
//!
//! Per frame one upload and one readback; substeps, poses, warm starts and relaxation happen on the device. Theory:
//! docs/theory/16-gpu.md (K.20–K.23), docs/theory/10-time-stepping.md.

mod freeze;
mod gpu_soft_step;
mod jacobi_soft_step;
mod joints;
mod landing;
mod parameters;
mod soft_step;

use delassus_dynamics::{SchemeEntry, entry};

pub use gpu_soft_step::{GpuSoftStep, GpuSoftStepParameters};
pub use jacobi_soft_step::{JacobiSoftStep, JacobiSoftStepParameters, Scalar};
pub use parameters::SoftStepParameters;

/// The schemes of this crate.
pub fn schemes() -> Vec<SchemeEntry> {
    vec![entry::<JacobiSoftStep>(), entry::<GpuSoftStep>()]
}
