//! Schemes that keep a frame of Soft Step on the GPU, the twin that makes the same operations on the processor, and the
//! tutorial that the order-free solvers began with.
//!
//! Per frame one upload and one readback; substeps, poses, warm starts and relaxation happen on the device. Theory:
//! docs/theory/16-gpu.md (K.20–K.25), docs/theory/10-time-stepping.md, docs/theory/15-jacobi.md (J.18–J.20).

mod freeze;
mod gpu_soft_step;
mod jacobi_soft_step;
mod joints;
mod landing;
mod parameters;
mod peridyno_2021;
mod soft_step;

use delassus_dynamics::{SchemeEntry, entry};

pub use gpu_soft_step::{GpuSoftStep, GpuSoftStepParameters};
pub use jacobi_soft_step::{JacobiSoftStep, JacobiSoftStepParameters, Scalar};
pub use parameters::SoftStepParameters;
pub use peridyno_2021::{PeriDyno2021, PeriDyno2021Parameters};

/// The schemes of this crate.
pub fn schemes() -> Vec<SchemeEntry> {
    vec![
        entry::<JacobiSoftStep>(),
        entry::<GpuSoftStep>(),
        entry::<PeriDyno2021>(),
    ]
}
