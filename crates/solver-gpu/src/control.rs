//! The numbers that steer an iteration, as `layout.wgsl` declares them.
//!
//! Two copies exist: an iteration reads one and writes the state of the other, so that no thread
//! reads what another writes.

use bytemuck::{Pod, Zeroable};
use delassus_core::DeviceError;
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::kernels::control::FIRST_HOLD;
use delassus_solver_jacobi::kernels::sums::CHUNK;
use delassus_solver_jacobi::pack::Pack;

use crate::tiles::ManifoldLayout;

/// `Control` of `layout.wgsl`: sizes of a packed problem, and the momentum.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Control {
    pub(crate) parity: u32,
    pub(crate) manifolds: u32,
    pub(crate) points: u32,
    pub(crate) first_extra: u32,
    pub(crate) units: u32,
    pub(crate) first_slot_head: u32,
    pub(crate) row_quads: u32,
    pub(crate) bodies: u32,
    pub(crate) hubs: u32,
    pub(crate) first_unit_sum: u32,
    pub(crate) sums: u32,
    pub(crate) capacity: u32,
    pub(crate) acceleration: u32,
    pub(crate) guarded: u32,
    pub(crate) state: State,
}

/// `State` of `layout.wgsl`: the momentum, as in `Control` of the twin.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    pub(crate) iteration: u32,
    pub(crate) beta: f32,
    pub(crate) next_beta: f32,
    pub(crate) weight: f32,
    pub(crate) t: f32,
    pub(crate) plain: u32,
    pub(crate) smallest: f32,
    pub(crate) last: f32,
    pub(crate) rho: f32,
    pub(crate) hold: u32,
    pub(crate) next_hold: u32,
    pub(crate) held: u32,
}

impl State {
    /// The state before the first iteration.
    pub(crate) const START: Self = Self {
        iteration: 0,
        beta: 0.0,
        next_beta: 0.0,
        weight: 1.0,
        t: 1.0,
        plain: 0,
        smallest: f32::MAX,
        last: 0.0,
        rho: 0.0,
        hold: 0,
        next_hold: FIRST_HOLD,
        held: 0,
    };
}

impl Control {
    /// The control of a packed problem before its first iteration; `hubs` are the bodies that
    /// workgroups sum, `capacity` the entries of the residual history.
    ///
    /// # Errors
    /// A count beyond 32 bits.
    pub fn new(
        pack: &Pack<f32>,
        hubs: &[u32],
        acceleration: Acceleration,
        guarded: bool,
        capacity: u32,
    ) -> Result<Self, DeviceError> {
        let (manifolds, units) = (pack.manifolds.len(), pack.units.len());
        Ok(Self {
            parity: 0,
            manifolds: index(manifolds)?,
            points: index(pack.manifolds.points())?,
            first_extra: index(pack.manifolds.numbers.len())?,
            units: index(units)?,
            first_slot_head: index(pack.units.first_slot_head())?,
            row_quads: index(pack.units.impulse_quads())?,
            bodies: index(pack.bodies.len())?,
            hubs: index(hubs.len())?,
            first_unit_sum: index(manifolds.div_ceil(CHUNK))?,
            sums: index(chunks(pack))?,
            capacity,
            acceleration: acceleration.code(),
            guarded: guarded.into(),
            state: State::START,
        })
    }

    /// The same of contact manifolds alone, without extras, hubs and row blocks: so many manifolds,
    /// points, and bodies with the world \[-\].
    ///
    /// # Errors
    /// A count beyond 32 bits.
    pub fn of_manifolds(
        [manifolds, points, bodies]: [usize; 3],
        acceleration: Acceleration,
        guarded: bool,
        capacity: u32,
    ) -> Result<Self, DeviceError> {
        let chunks = index(manifolds.div_ceil(CHUNK))?;
        Ok(Self {
            parity: 0,
            manifolds: index(manifolds)?,
            points: index(points)?,
            first_extra: 0,
            units: 0,
            first_slot_head: 0,
            row_quads: 0,
            bodies: index(bodies)?,
            hubs: 0,
            first_unit_sum: chunks,
            sums: chunks,
            capacity,
            acceleration: acceleration.code(),
            guarded: guarded.into(),
            state: State::START,
        })
    }

    /// The same with row blocks: so many units, heads before those of the slots, and quads of
    /// impulses \[-\].
    ///
    /// # Errors
    /// A count beyond 32 bits.
    pub fn with_units(
        self,
        [units, first_slot_head, row_quads]: [usize; 3],
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            units: index(units)?,
            first_slot_head: index(first_slot_head)?,
            row_quads: index(row_quads)?,
            sums: self.first_unit_sum + index(units.div_ceil(CHUNK))?,
            ..self
        })
    }

    /// The same of manifolds that lie otherwise on the device.
    ///
    /// # Errors
    /// A count beyond 32 bits.
    pub fn laid_out(self, layout: ManifoldLayout) -> Result<Self, DeviceError> {
        let (manifolds, points) = (self.manifolds as usize, self.points as usize);
        // the last index of an impulse must have a place, too
        index(2 * layout.impulses_of(manifolds, points))?;
        Ok(Self {
            points: index(layout.points_of(manifolds, points))?,
            first_extra: index(layout.quads_of(manifolds, points))?,
            ..self
        })
    }

    /// The control of the iterations that start from the first half of the impulses, and from the
    /// second.
    pub fn of_halves(&self) -> [Self; 2] {
        [0, 1].map(|parity| Self { parity, ..*self })
    }

    /// Entries of the buffer of sums of a packed problem.
    pub fn sum_entries(pack: &Pack<f32>) -> usize {
        sum_entries(chunks(pack))
    }

    /// Sums of the chunks of a packed problem's pieces, without those above them.
    pub(crate) fn first_sums(pack: &Pack<f32>) -> usize {
        chunks(pack)
    }

    /// Entries of the buffer of sums of so many contact manifolds and units.
    pub fn piece_sum_entries(manifolds: usize, units: usize) -> usize {
        sum_entries(manifolds.div_ceil(CHUNK) + units.div_ceil(CHUNK))
    }
}

/// A count that shaders index with.
///
/// # Errors
/// [`DeviceError::Limit`] beyond 32 bits.
pub fn index(count: usize) -> Result<u32, DeviceError> {
    u32::try_from(count).map_err(|_| DeviceError::Limit {
        what: "a 32-bit index",
        needed: count as u64,
        allowed: u32::MAX.into(),
    })
}

/// Chunks that the sums of a problem's pieces make.
fn chunks(pack: &Pack<f32>) -> usize {
    pack.manifolds.len().div_ceil(CHUNK) + pack.units.len().div_ceil(CHUNK)
}

/// Entries of the buffer of sums: those of `chunks` chunks, and all levels of chunks above them.
fn sum_entries(chunks: usize) -> usize {
    let (mut entries, mut count) = (chunks, chunks);
    while count > 1 {
        count = count.div_ceil(CHUNK);
        entries += count;
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_levels_of_sums_lie_behind_each_other() {
        assert_eq!(sum_entries(0), 0);
        assert_eq!(sum_entries(1), 1);
        assert_eq!(sum_entries(32), 33);
        assert_eq!(sum_entries(33), 33 + 2 + 1);
        assert_eq!(sum_entries(2000), 2000 + 63 + 2 + 1);
    }
}
