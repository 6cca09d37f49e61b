//! The scheme that keeps a frame of Soft Step on the GPU; its twin on the processor is
//! `delassus-scheme-jacobi`.
//!
//! Per frame one upload and one readback; substeps, poses, warm starts and relaxation happen on the
//! device. Contacts are found on the host, or, where it is asked for and shapes are spheres, boxes
//! and half-spaces, on the device, which then packs the rows of contacts and joints as well.
//! Theory: docs/theory/16-gpu.md (K.20–K.25, K.40–K.46, K.48, K.50, K.51),
//! docs/theory/10-time-stepping.md.

mod collision;
mod frame;
mod gpu_soft_step;
mod resident;
mod rows;
#[cfg(test)]
#[path = "../../solver-gpu/src/testing/wgsl.rs"]
mod wgsl;

pub use gpu_soft_step::{CollisionPlace, GpuSoftStep, GpuSoftStepParameters};
pub use resident::BodyReads;
