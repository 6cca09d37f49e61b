//! Body velocities in f32, gathered into lanes and scattered back.
//!
//! One body takes 32 bytes, so a lane costs one cache line at most. Every thread has its own array; bodies that several
//! threads move go from one to the other between colours (see `exchange`).

use super::lanes::{BodyRow, Lanes, Sink};

/// Set in the index of a body that is read only: nothing moves it, or the lane is empty.
pub(crate) use delassus_structure::geometry::FIXED;

/// Where bundles find velocities.
pub(crate) trait Store {
    /// Six vectors: linear x, y, z, angular x, y, z of the bodies of the lanes.
    fn gather<V: Lanes<N>, const N: usize>(&self, token: V::Token, bodies: &[u32; N]) -> [V; 6];

    /// Writes the bodies of the lanes back, but for the fixed ones.
    fn scatter<V: Lanes<N>, const N: usize>(
        &mut self,
        token: V::Token,
        bodies: &[u32; N],
        velocities: [V; 6],
    );

    /// One body.
    fn body(&self, body: u32) -> BodyRow;

    /// Replaces one body, unless it is fixed.
    fn set_body(&mut self, body: u32, row: BodyRow);
}

/// The velocities of one thread.
#[derive(Debug)]
pub(crate) struct Plain<'a>(pub(crate) &'a mut [BodyRow]);

/// What a scatter into [`Plain`] writes to.
struct PlainSink<'a, const N: usize> {
    rows: &'a mut [BodyRow],
    bodies: &'a [u32; N],
}

impl<const N: usize> Sink for PlainSink<'_, N> {
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

impl Store for Plain<'_> {
    #[inline(always)]
    fn gather<V: Lanes<N>, const N: usize>(&self, token: V::Token, bodies: &[u32; N]) -> [V; 6] {
        let mut rows = [&self.0[0]; N];
        for lane in 0..N {
            rows[lane] = &self.0[(bodies[lane] & !FIXED) as usize];
        }
        V::transpose_in(token, rows)
    }

    #[inline(always)]
    fn scatter<V: Lanes<N>, const N: usize>(
        &mut self,
        token: V::Token,
        bodies: &[u32; N],
        velocities: [V; 6],
    ) {
        let rows = &mut *self.0;
        V::transpose_out(token, velocities, &mut PlainSink { rows, bodies });
    }

    #[inline(always)]
    fn body(&self, body: u32) -> BodyRow {
        self.0[(body & !FIXED) as usize]
    }

    #[inline(always)]
    fn set_body(&mut self, body: u32, row: BodyRow) {
        if body & FIXED == 0 {
            self.0[body as usize] = row;
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
