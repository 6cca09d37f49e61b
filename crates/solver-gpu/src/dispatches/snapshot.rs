//! What lies on the device, for tests.

use delassus_core::DeviceError;
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::BODY_FREE;

use super::Dispatches;
use crate::buffers::{GpuQuad, StorageBuffer};

/// Everything that an iteration reads and writes, for tests.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) points: Vec<GpuQuad>,
    pub(crate) earlier_points: Vec<GpuQuad>,
    pub(crate) rows: Vec<GpuQuad>,
    pub(crate) earlier_rows: Vec<GpuQuad>,
    pub(crate) velocity: Vec<GpuQuad>,
    pub(crate) settled: Vec<GpuQuad>,
    pub(crate) wrench: Vec<GpuQuad>,
    pub(crate) beta: f32,
    pub(crate) next_beta: f32,
    pub(crate) weight: f32,
}

impl Dispatches {
    pub(crate) fn snapshot(&self) -> Result<Snapshot, DeviceError> {
        let half = |buffer: &StorageBuffer, quads: usize, half: u32| {
            let first = quads * half as usize;
            buffer.read::<GpuQuad>(&self.device, first..first + quads)
        };
        let rows = self.pack.units.impulse_quads();
        let (now, other) = (self.current, 1 - self.current);
        let bodies = BODY_FREE * self.pack.bodies.len();
        let momentum = self.settings.acceleration != Acceleration::None;
        let state = self.state()?;
        let b = &self.buffers;
        Ok(Snapshot {
            points: self.read_points(now)?,
            earlier_points: self.read_points(other)?,
            rows: half(&b.rows, rows, now)?,
            earlier_rows: half(&b.rows, rows, other)?,
            velocity: half(&b.velocity, bodies, 0)?,
            settled: half(&b.velocity, bodies, momentum.into())?,
            wrench: half(&b.wrench, 2 * self.pack.slots.body.len(), 0)?,
            beta: state.beta,
            next_beta: state.next_beta,
            weight: state.weight,
        })
    }
}
