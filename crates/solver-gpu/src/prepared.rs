//! What the solvers of this crate have in common: the device and its parameters.

use std::sync::Arc;

use delassus_core::parameter::require;
use delassus_core::{
    DeviceError, ParameterError, Parameters, Prepared, SolveError, StateCoverage, Unsupported,
};
use delassus_solver_jacobi::Acceleration;

use crate::device::Device;

/// The settings of every solver on a device.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct DeviceParameters {
    /// Threads of a workgroup: 32, 64, 128 or 256, or 0 for what was fastest where it was measured.
    /// They change no bit of an answer that repeats.
    #[parameter(default = 0, unit = "-")]
    pub workgroup: u32,
    /// Iterations of one submission at most. They change no bit of an answer that repeats.
    #[parameter(default = 256, unit = "-", range = ">= 1")]
    pub submission: u32,
    /// Part of the adapter's name, backend or driver. Empty: the environment variable
    /// DELASSUS_ADAPTER, otherwise the first, hardware before software.
    pub adapter: String,
}

impl DeviceParameters {
    fn check(&self) -> Result<(), ParameterError> {
        check_workgroup(self.workgroup)
    }

    /// Threads of a workgroup where their number makes no difference that was measured.
    pub(crate) fn threads(&self) -> u32 {
        if self.workgroup == 0 {
            FEW_THREADS
        } else {
            self.workgroup
        }
    }
}

/// Threads of a workgroup of kernels that no other number makes faster, and on software, which
/// counts the turns of loops per workgroup \[-\].
const FEW_THREADS: u32 = 64;

/// Threads of a workgroup for a thread per piece: `asked`, or, where that is 0, what was fastest on
/// a card with so many contact points (docs/performance/2026-11-26-h200.md).
pub fn threads_per_workgroup(asked: u32, device: &Device, points: usize) -> u32 {
    match asked {
        0 if device.report().is_software => FEW_THREADS,
        0 if points < MANY_POINTS => 128,
        0 => 256,
        asked => asked,
    }
}

/// From about so many contact points on 256 threads are faster than 128 \[-\].
const MANY_POINTS: usize = 50_000;

/// Refuses workgroups that do not hold whole chunks of the sums (K.3).
///
/// # Errors
/// Anything but 32, 64, 128 and 256 threads, and 0 for the program's choice.
pub fn check_workgroup(workgroup: u32) -> Result<(), ParameterError> {
    let fits = matches!(workgroup, 0 | 32 | 64 | 128 | 256);
    let expected = "it must be 32, 64, 128 or 256, or 0 for the program's choice";
    require(fits, "workgroup", workgroup, expected)
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

/// Appends λ and v, so many numbers, as they are read: f32 widened, which rounds nothing.
pub(crate) fn state(
    prepared: &impl Prepared,
    rows: usize,
    velocities: usize,
    out: &mut Vec<u64>,
) -> Result<(), SolveError> {
    let mut numbers = vec![0.0; rows + velocities];
    let (impulses, velocities) = numbers.split_at_mut(rows);
    prepared.impulses(impulses)?;
    prepared.velocities(velocities)?;
    StateCoverage::push(out, numbers);
    Ok(())
}

/// The fingerprint of accelerated iterations with so many impulses and velocities.
pub(crate) fn fingerprint(
    prepared: &impl Prepared,
    acceleration: Acceleration,
    [rows, velocities]: [usize; 2],
    out: &mut Vec<u64>,
) -> Result<Option<StateCoverage>, SolveError> {
    let coverage = match acceleration {
        Acceleration::None => StateCoverage::Complete,
        // t is left out as in the twin
        Acceleration::Nesterov => StateCoverage::FixedPoint(2),
        // the weights stay on the device
        Acceleration::Chebyshev => return Ok(None),
    };
    state(prepared, rows, velocities, out)?;
    Ok(Some(coverage))
}
