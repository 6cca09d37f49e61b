//! NewtonSettings in which the nonsmooth Newton methods differ.

use super::maps::Map;
use super::model::Scaling;

/// NewtonSettings in which the methods of this family differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonSettings {
    pub(crate) map: Map,
    pub(crate) scaling: Scaling,
    /// Sweeps of projected Gauss–Seidel before the first step.
    pub(crate) start_sweeps: u32,
    /// Added to the diagonal of S in Jacobians only; refinement takes it out again \[-\].
    pub(crate) epsilon: f64,
    /// First proximal parameter \[-\]; zero begins with plain Newton steps.
    pub(crate) proximal: f64,
    /// True if a failed method may (again) regularize.
    pub(crate) fall_back: bool,
    /// True if every step is searched; otherwise full steps are taken until a method falls back.
    pub(crate) line_search: bool,
    /// Sweeps without progress after which the method gives up.
    pub(crate) patience: u32,
}
