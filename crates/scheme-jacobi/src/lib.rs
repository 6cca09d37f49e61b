//! Schemes that step a frame by Jacobi iterations on the processor: Soft Step, and the tutorial
//! that the order-free solvers began with.
//!
//! - [`stepping`]: the kernels of a frame, one function per thread of the shader with the same
//!   name;
//! - [`start`], [`frame_result`]: bodies at the beginning and at the end of a frame;
//! - [`soft_step`]: what every scheme around them does on the host: freeze, run, write back.
//!
//! Theory: docs/theory/16-gpu.md (K.20–K.25), docs/theory/10-time-stepping.md,
//! docs/theory/15-jacobi.md (J.18–J.20).

pub mod frame_result;
mod freeze;
mod jacobi_soft_step;
pub mod joint_pack;
mod joints;
pub mod parameters;
mod peridyno_2021;
pub mod soft_step;
pub mod start;
pub mod stepping;

pub use jacobi_soft_step::{JacobiSoftStep, JacobiSoftStepParameters, Scalar};
pub use joints::check;
pub use parameters::SoftStepParameters;
pub use peridyno_2021::{PeriDyno2021, PeriDyno2021Parameters};
