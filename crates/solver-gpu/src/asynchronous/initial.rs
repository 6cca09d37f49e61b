//! Where the iterations of a problem begin: velocities, wrenches and contributions.

use delassus_core::DeviceError;
use delassus_solver_jacobi::kernels::coloured::start;
use delassus_solver_jacobi::kernels::vectors::{moved, xyz};
use delassus_solver_jacobi::pack::{BODY_FREE, BODY_MASS, Iterate, Pack};

use crate::buffers::GpuQuad;
use crate::prelude::RANGE;

/// Velocities, wrenches or contributions, and sums, as words.
pub(super) struct Initial {
    pub(super) velocity: Vec<GpuQuad>,
    pub(super) wrench: Vec<GpuQuad>,
    pub(super) share: Vec<[i32; 4]>,
    pub(super) totals: Vec<[i32; 4]>,
}

impl Initial {
    /// From impulses; with `bits` as contributions in fixed point.
    pub(super) fn new(
        pack: &Pack<f32>,
        impulses: &[f64],
        bits: Option<u32>,
    ) -> Result<Self, DeviceError> {
        let mut iterate = Iterate::new(pack);
        iterate.load(pack, impulses);
        start(pack, &mut iterate);
        let quads = 2 * pack.bodies.len();
        let mut initial = Self {
            velocity: iterate.settled,
            wrench: iterate.wrench,
            share: vec![[0; 4]; 2 * pack.slots.body.len()],
            // and what the largest overflow needs
            totals: vec![[0; 4]; quads + 1],
        };
        if let Some(bits) = bits {
            initial.contribute(pack, bits)?;
        }
        Ok(initial)
    }

    /// Contributions of the wrenches, and velocities from their sums, as the shaders make them.
    fn contribute(&mut self, pack: &Pack<f32>, bits: u32) -> Result<(), DeviceError> {
        #[expect(clippy::cast_precision_loss, reason = "a power of two")]
        let per_unit = (1_u32 << bits) as f32;
        for body in 0..pack.bodies.len() {
            let range = pack.slots.first_slot[body]..pack.slots.first_slot[body + 1];
            let mass = &pack.bodies.mass[BODY_MASS * body..];
            for slot in &pack.slots.slots[range.start as usize..range.end as usize] {
                let slot = *slot as usize;
                let (force, torque) = (self.wrench[2 * slot], self.wrench[2 * slot + 1]);
                let mass = [mass[0], mass[1], mass[2]];
                let (linear, angular) = moved(mass, xyz(force), xyz(torque));
                for (part, values) in [linear, angular].into_iter().enumerate() {
                    for (axis, value) in values.into_iter().enumerate() {
                        let whole = whole(value * per_unit, range.len())?;
                        self.share[2 * slot + part][axis] = whole;
                        self.totals[2 * body + part][axis] += whole;
                    }
                }
            }
            for part in 0..BODY_FREE {
                let at = BODY_FREE * body + part;
                for axis in 0..3 {
                    #[expect(clippy::cast_precision_loss, reason = "as the shader rounds it")]
                    let sum = self.totals[at][axis] as f32;
                    self.velocity[at][axis] = pack.bodies.free[at][axis] + sum / per_unit;
                }
            }
        }
        Ok(())
    }
}

/// The error of a contribution that is `times` as large as its share.
pub(super) fn overflow(times: f64) -> DeviceError {
    // at most 10⁹, as the shader notes it
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number below 2⁶³"
    )]
    let needed = (times.clamp(1.0, 1e9) * f64::from(RANGE)) as u64;
    DeviceError::Limit {
        what: "a fixed-point velocity (units)",
        needed,
        allowed: i32::MAX as u64,
    }
}

/// A contribution of one of `slots` as a whole number.
fn whole(scaled: f32, slots: usize) -> Result<i32, DeviceError> {
    #[expect(clippy::cast_precision_loss, reason = "a bound with room")]
    let share = RANGE / slots as f32 - 1.0;
    if scaled.abs() <= share {
        #[expect(clippy::cast_possible_truncation, reason = "below 2³¹")]
        return Ok(scaled.round_ties_even() as i32);
    }
    Err(overflow(f64::from(scaled.abs() / share)))
}
