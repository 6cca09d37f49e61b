//! What the solvers of this crate have in common: the device and its parameters.

use std::sync::Arc;

use delassus_core::{
    DeviceError, Memory, ParameterDoc, ParameterError, Prepared, SolveError, Unsupported,
};
use delassus_solver_jacobi::pack::Pack;

use crate::device::Device;

pub(crate) const WORKGROUP: ParameterDoc = ParameterDoc {
    name: "workgroup",
    doc: "threads of a workgroup [-], 32, 64 (default), 128 or 256; changes no bit of an answer that repeats",
};

pub(crate) const SUBMISSION: ParameterDoc = ParameterDoc {
    name: "submission",
    doc: "iterations of one submission [-], at least 1, default 256; changes no bit of an answer that repeats",
};

pub(crate) const ADAPTER: ParameterDoc = ParameterDoc {
    name: "adapter",
    doc: "part of the adapter's name, backend or driver; \"\" (default): the environment variable DELASSUS_ADAPTER, otherwise the first, hardware before software",
};

/// Refuses workgroups that do not hold whole chunks of the sums (K.3).
///
/// # Errors
/// Anything but 32, 64, 128 and 256 threads.
pub fn check_workgroup(workgroup: u32) -> Result<(), ParameterError> {
    if matches!(workgroup, 32 | 64 | 128 | 256) {
        return Ok(());
    }
    Err(ParameterError {
        parameter: "workgroup",
        value: workgroup.to_string(),
        expected: "32, 64, 128 or 256 [-]",
    })
}

/// Refuses submissions without an iteration.
pub(crate) fn check_submission(submission: u32) -> Result<(), ParameterError> {
    if submission > 0 {
        return Ok(());
    }
    Err(ParameterError {
        parameter: "submission",
        value: "0".into(),
        expected: "submission >= 1 [-]",
    })
}

/// The device of a solver.
pub(crate) fn open(solver: &'static str, adapter: &str) -> Result<Arc<Device>, Unsupported> {
    let device = Device::shared(adapter);
    device.map_err(|device| Unsupported::Device { solver, device })
}

/// Its name and driver.
pub(crate) fn identity(adapter: &str) -> Option<Result<String, DeviceError>> {
    let device = Device::shared(adapter);
    Some(device.map(|device| device.report().identity()))
}

/// Appends λ and v as they are read: f32 widened, which rounds nothing.
pub(crate) fn state(
    prepared: &impl Prepared,
    pack: &Pack<f32>,
    out: &mut Vec<u64>,
) -> Result<(), SolveError> {
    let (rows, bodies) = (pack.rows(), pack.bodies.len() - 1);
    let mut numbers = vec![0.0; rows + 6 * bodies];
    let (impulses, velocities) = numbers.split_at_mut(rows);
    prepared.impulses(impulses)?;
    prepared.velocities(velocities)?;
    Memory::push(out, numbers);
    Ok(())
}
