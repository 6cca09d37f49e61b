//! Assumed times of rows and work units.

use delassus_core::{SolverDescriptor, WorkUnit};

/// Time of a row in a sweep, of a product in a dense sweep and in a direct method \[s\]: a core of
/// 2020 and one problem that does not fit its cache.
pub(crate) const ROW: f64 = 20e-9;
const DENSE: f64 = 1e-9;

/// Time of one work unit \[s\].
pub(crate) fn sweep_seconds(descriptor: &SolverDescriptor, rows: usize) -> f64 {
    let rows = rows as f64;
    match descriptor.work_unit {
        WorkUnit::Solve => DENSE * rows * rows * rows,
        // dense solvers have a limit of rows
        WorkUnit::Sweep if descriptor.max_rows < usize::MAX => DENSE * rows * rows,
        WorkUnit::Sweep | WorkUnit::Stage => ROW * rows,
    }
}
