//! Body velocities in f32, gathered into lanes and scattered back.
//!
//! One body takes 32 bytes, so a lane costs one cache line at most. Two stores: a plain one for one thread, and one of
//! relaxed atomics for several. A colouring gives every movable body to one thread at a time, so the atomics never
//! contend; they are what lets several threads write one array in safe code.

use std::sync::atomic::{AtomicU64, Ordering};

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

/// One body as two numbers per word.
pub(crate) type SharedRow = [AtomicU64; 4];

/// The velocities of several threads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shared<'a>(pub(crate) &'a [SharedRow]);

#[inline(always)]
fn load(row: &SharedRow) -> BodyRow {
    let mut numbers = [0.0; 8];
    for word in 0..4 {
        let bytes = row[word].load(Ordering::Relaxed).to_ne_bytes();
        let [a, b, c, d, e, f, g, h] = bytes;
        numbers[2 * word] = f32::from_ne_bytes([a, b, c, d]);
        numbers[2 * word + 1] = f32::from_ne_bytes([e, f, g, h]);
    }
    numbers
}

#[inline(always)]
fn store(row: &SharedRow, first: usize, numbers: [f32; 4]) {
    for word in 0..2 {
        let [a, b, c, d] = numbers[2 * word].to_ne_bytes();
        let [e, f, g, h] = numbers[2 * word + 1].to_ne_bytes();
        let bytes = u64::from_ne_bytes([a, b, c, d, e, f, g, h]);
        row[first + word].store(bytes, Ordering::Relaxed);
    }
}

/// What a scatter into [`Shared`] writes to.
struct SharedSink<'a, const N: usize> {
    rows: &'a [SharedRow],
    bodies: &'a [u32; N],
}

impl<const N: usize> Sink for SharedSink<'_, N> {
    #[inline(always)]
    fn put(&mut self, lane: usize, linear: [f32; 4], angular: [f32; 4]) {
        let body = self.bodies[lane];
        if body & FIXED == 0 {
            let row = &self.rows[body as usize];
            store(row, 0, linear);
            store(row, 2, angular);
        }
    }
}

impl Store for Shared<'_> {
    #[inline(always)]
    fn gather<V: Lanes<N>, const N: usize>(&self, token: V::Token, bodies: &[u32; N]) -> [V; 6] {
        let mut copies = [[0.0; 8]; N];
        for lane in 0..N {
            copies[lane] = load(&self.0[(bodies[lane] & !FIXED) as usize]);
        }
        let mut rows = [&copies[0]; N];
        for lane in 0..N {
            rows[lane] = &copies[lane];
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
        let rows = self.0;
        V::transpose_out(token, velocities, &mut SharedSink { rows, bodies });
    }

    #[inline(always)]
    fn body(&self, body: u32) -> BodyRow {
        load(&self.0[(body & !FIXED) as usize])
    }

    #[inline(always)]
    fn set_body(&mut self, body: u32, row: BodyRow) {
        if body & FIXED == 0 {
            let [a, b, c, d, e, f, g, h] = row;
            let target = &self.0[body as usize];
            store(target, 0, [a, b, c, d]);
            store(target, 2, [e, f, g, h]);
        }
    }
}

/// The velocities of a problem.
#[derive(Debug)]
pub(crate) enum Velocities {
    Plain(Vec<BodyRow>),
    Shared(Vec<SharedRow>),
}

impl Velocities {
    /// Takes over the velocity of every body; the last slot is the world, which stands still.
    pub(crate) fn set(&mut self, bodies: &[BodyRow]) {
        match self {
            Self::Plain(rows) => {
                rows.clear();
                rows.extend_from_slice(bodies);
                rows.push([0.0; 8]);
            }
            Self::Shared(rows) => {
                rows.resize_with(bodies.len() + 1, Default::default);
                let world = [0.0; 8];
                for (row, body) in rows.iter().zip(bodies.iter().chain([&world])) {
                    let [a, b, c, d, e, f, g, h] = *body;
                    store(row, 0, [a, b, c, d]);
                    store(row, 2, [e, f, g, h]);
                }
            }
        }
    }

    /// Number of bodies, without the world.
    pub(crate) fn len(&self) -> usize {
        let slots = match self {
            Self::Plain(rows) => rows.len(),
            Self::Shared(rows) => rows.len(),
        };
        slots.saturating_sub(1)
    }

    /// Velocity of one body.
    pub(crate) fn body(&self, body: usize) -> BodyRow {
        match self {
            Self::Plain(rows) => rows[body],
            Self::Shared(rows) => load(&rows[body]),
        }
    }

    /// True if every velocity is a number.
    pub(crate) fn are_finite(&self) -> bool {
        // no early end: a plain fold over all bits is vectorised
        let bad = |row: &BodyRow| row.iter().fold(false, |bad, x| bad | !x.is_finite());
        match self {
            Self::Plain(rows) => !rows.iter().fold(false, |any, row| any | bad(row)),
            Self::Shared(rows) => !rows.iter().fold(false, |any, row| any | bad(&load(row))),
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
