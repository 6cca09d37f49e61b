//! Body velocities in f32, gathered into lanes and scattered back.
//!
//! One body takes 32 bytes, so a lane costs one cache line at most. Every thread has its own array;
//! bodies that several threads move go from one to the other between colours (see `exchange`).

use super::bundle::LaneBodies;
use super::lanes::{BodyRow, Lanes, Sink};

/// Set in the index of a body that is read only: nothing moves it, or the lane is empty.
pub(crate) use delassus_structure::geometry::FIXED;

/// Linear x, y, z and angular x, y, z of the bodies A and B of the lanes.
pub(crate) type BodyVelocities<V> = [[V; 6]; 2];

/// The velocities of one thread: where bundles find them.
#[derive(Debug)]
pub(crate) struct Velocities<'a> {
    pub(crate) rows: &'a mut [BodyRow],
    /// True if the bundles of the thread come from memory.
    pub(crate) far: bool,
}

/// What a scatter writes to.
struct Scatter<'a, const N: usize> {
    rows: &'a mut [BodyRow],
    bodies: &'a [u32; N],
}

impl<const N: usize> Sink for Scatter<'_, N> {
    #[inline(always)]
    fn put(&mut self, lane: usize, linear: [f32; 4], angular: [f32; 4]) {
        let body = self.bodies[lane];
        if body & FIXED == 0 {
            let row = &mut self.rows[body as usize];
            row[..4].copy_from_slice(&linear);
            row[4..].copy_from_slice(&angular);
        }
    }
}

impl Velocities<'_> {
    /// The same in a place that nothing else can point to, so that a kernel keeps it in registers.
    #[inline(always)]
    pub(crate) fn lent(&mut self) -> Velocities<'_> {
        Velocities {
            rows: &mut *self.rows,
            far: self.far,
        }
    }

    /// Those of both bodies of the lanes.
    #[inline(always)]
    pub(crate) fn gather<V: Lanes<N>, const N: usize>(
        &self,
        token: V::Token,
        bodies: &LaneBodies<N>,
    ) -> BodyVelocities<V> {
        [
            self.gather_one(token, &bodies[0]),
            self.gather_one(token, &bodies[1]),
        ]
    }

    #[inline(always)]
    fn gather_one<V: Lanes<N>, const N: usize>(
        &self,
        token: V::Token,
        bodies: &[u32; N],
    ) -> [V; 6] {
        let mut rows = [&self.rows[0]; N];
        for lane in 0..N {
            rows[lane] = &self.rows[(bodies[lane] & !FIXED) as usize];
        }
        V::transpose_in(token, rows)
    }

    /// Writes one body of each lane back, but for the fixed ones.
    #[inline(always)]
    pub(crate) fn scatter<V: Lanes<N>, const N: usize>(
        &mut self,
        token: V::Token,
        bodies: &[u32; N],
        velocities: [V; 6],
    ) {
        let rows = &mut *self.rows;
        V::transpose_out(token, velocities, &mut Scatter { rows, bodies });
    }

    /// One body.
    #[inline(always)]
    pub(crate) fn body(&self, body: u32) -> BodyRow {
        self.rows[(body & !FIXED) as usize]
    }

    /// Replaces one body, unless it is fixed.
    #[inline(always)]
    pub(crate) fn set_body(&mut self, body: u32, row: BodyRow) {
        if body & FIXED == 0 {
            self.rows[body as usize] = row;
        }
    }
}

/// f64 to f32, rounded to nearest.
#[allow(
    clippy::cast_possible_truncation,
    reason = "the point of the solver is f32"
)]
#[inline(always)]
pub(crate) fn single(x: f64) -> f32 {
    x as f32
}

/// Linear and angular velocity of one body.
pub(crate) fn narrow(body: &[f64; 6]) -> BodyRow {
    let [x, y, z, a, b, c] = body.map(single);
    [x, y, z, 0.0, a, b, c, 0.0]
}
