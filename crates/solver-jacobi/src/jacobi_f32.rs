//! `jacobi-f32`: [`crate::jacobi`] in f32, the twin of the compute shaders.
//!
//! Same kernels, same order of operations, same layout; see there for the method and its limits.
//!
//! Limitations: with momentum the residual ends at about 1e-6 for equal masses and earlier for
//! large mass ratios, because velocities are differences of sums of impulses in f32 (J.15). Theory:
//! docs/theory/15-jacobi.md. Source: \[Tonge2012\], \[Nesterov1983\], \[ODonoghue2015\],
//! \[Wang2015\].

use delassus_core::{Checked, Precision, SolverDescriptor};

use crate::jacobi::{JacobiMethod, JacobiScalar};

/// Mass-split projected Jacobi with momentum, in f32 (J.1–J.16).
pub type JacobiF32 = Checked<JacobiMethod<f32>>;

impl JacobiScalar for f32 {
    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "jacobi-f32",
        aliases: &["jacobi-twin"],
        name: "Projected Jacobi in f32",
        summary: "The jacobi solver in f32, operation by operation what the compute shaders do.",
        precision: Precision::F32,
        ..<f64 as JacobiScalar>::DESCRIPTOR
    };
}
