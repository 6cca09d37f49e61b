//! What an iteration changes: impulses, velocities, wrenches.

use delassus_core::StateCoverage;
use delassus_structure::geometry::FIXED;

use super::{BODY_FREE, Pack};
use crate::real::{Quad, Real};

/// The iterate of a pack.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Iterate<T> {
    /// λ of the points, normal first \[N·s\]: two halves, one quad per point each. Half `current`
    /// holds λ_k, the other λ_{k−1}, which the next iteration overwrites.
    pub points: Vec<Quad<T>>,
    /// λ of the packed rows \[N·s\], four to a quad; two parts as above, and a third that the
    /// sweeps of a unit work on.
    pub rows: Vec<Quad<T>>,
    /// The half that holds λ_k: 0 or 1.
    pub current: usize,
    /// v_k of the bodies and the world: linear, angular \[m/s, rad/s\].
    pub settled: Vec<Quad<T>>,
    /// Velocities that the next iteration reads: v_k + β (v_k − v_{k−1}) (J.12).
    pub velocity: Vec<Quad<T>>,
    /// Wrench of every slot, two quads: Jᵀλ of one piece on one body \[N·s, N·m·s\].
    pub wrench: Vec<Quad<T>>,
}

impl<T: Real> Iterate<T> {
    /// Zeros of the right lengths, velocities included; [`Self::load`] and the wrench and body
    /// kernels come next.
    pub fn new(pack: &Pack<T>) -> Self {
        let mut iterate = Self::default();
        iterate.fit(pack);
        iterate
    }

    /// As [`Self::new`], in the memory of the iterate of another pack.
    pub(crate) fn fit(&mut self, pack: &Pack<T>) {
        let clear = |list: &mut Vec<Quad<T>>, quads: usize| {
            list.clear();
            list.resize(quads, [T::ZERO; 4]);
        };
        clear(&mut self.points, 2 * pack.manifolds.points());
        clear(&mut self.rows, 3 * pack.units.impulse_quads());
        self.current = 0;
        clear(&mut self.settled, BODY_FREE * pack.bodies.len());
        clear(&mut self.velocity, BODY_FREE * pack.bodies.len());
        clear(&mut self.wrench, 2 * pack.slots.body.len());
    }

    /// λ_k alone, of impulses, one per row of the problem \[N·s\]: points and rows have one part,
    /// and nothing else is there. A device whose first kernels write λ_{k−1} begins with that.
    pub fn of_impulses(pack: &Pack<T>, impulses: &[f64]) -> Self {
        let mut iterate = Self {
            points: vec![[T::ZERO; 4]; pack.manifolds.points()],
            rows: vec![[T::ZERO; 4]; pack.units.impulse_quads()],
            ..Self::default()
        };
        iterate.load_first(pack, impulses);
        iterate
    }

    /// Takes over impulses, one per row of the problem \[N·s\], as λ_k and λ_{k−1}.
    pub fn load(&mut self, pack: &Pack<T>, impulses: &[f64]) {
        self.load_first(pack, impulses);
        let quads = pack.units.impulse_quads();
        copy_half(&mut self.points, pack.manifolds.points(), 0);
        copy_half(&mut self.rows[..2 * quads], quads, 0);
    }

    /// Takes over impulses in the first part.
    fn load_first(&mut self, pack: &Pack<T>, impulses: &[f64]) {
        for (point, row) in pack.manifolds.first_row.iter().enumerate() {
            let first = (row & !FIXED) as usize;
            let rows = if row & FIXED != 0 { 1 } else { 3 };
            let mut quad = [T::ZERO; 4];
            for (to, from) in quad.iter_mut().zip(&impulses[first..first + rows]) {
                *to = T::of(*from);
            }
            self.points[point] = quad;
        }
        for (packed, row) in pack.units.packed_rows() {
            self.rows[packed / 4][packed % 4] = T::of(impulses[row]);
        }
    }

    /// Makes λ_{k−1} equal to λ_k: no momentum.
    pub(crate) fn forget(&mut self, pack: &Pack<T>) {
        let quads = pack.units.impulse_quads();
        copy_half(&mut self.points, pack.manifolds.points(), self.current);
        copy_half(&mut self.rows[..2 * quads], quads, self.current);
    }

    /// Writes λ_k, one per row of the problem \[N·s\].
    pub fn read(&self, pack: &Pack<T>, out: &mut [f64]) {
        let half = self.current * pack.manifolds.points();
        for (point, row) in pack.manifolds.first_row.iter().enumerate() {
            let first = (row & !FIXED) as usize;
            let rows = if row & FIXED != 0 { 1 } else { 3 };
            let quad = &self.points[half + point];
            for (to, from) in out[first..first + rows].iter_mut().zip(quad) {
                *to = from.widen();
            }
        }
        let half = self.current * pack.units.impulse_quads();
        for (packed, row) in pack.units.packed_rows() {
            out[row] = self.rows[half + packed / 4][packed % 4].widen();
        }
    }

    /// Appends λ_k and v_k; with `momentum` also λ_{k−1} and the velocities that the next iteration
    /// reads.
    pub(crate) fn bits(&self, pack: &Pack<T>, momentum: bool, out: &mut Vec<u64>) {
        let halves = 1 + usize::from(momentum);
        for half in [self.current, 1 - self.current].into_iter().take(halves) {
            for (values, quads) in [
                (&self.points, pack.manifolds.points()),
                (&self.rows, pack.units.impulse_quads()),
            ] {
                push(out, &values[half * quads..(half + 1) * quads]);
            }
        }
        push(out, &self.settled);
        if momentum {
            push(out, &self.velocity);
        }
    }

    /// Writes v_k, six per body of the problem \[m/s, rad/s\].
    pub fn read_velocities(&self, out: &mut [f64]) {
        for (to, from) in out.as_chunks_mut::<3>().0.iter_mut().zip(&self.settled) {
            *to = [from[0].widen(), from[1].widen(), from[2].widen()];
        }
    }
}

fn push<T: Real>(out: &mut Vec<u64>, quads: &[Quad<T>]) {
    StateCoverage::push(out, quads.iter().flatten().map(|x| x.widen()));
}

fn copy_half<T: Real>(both: &mut [Quad<T>], half: usize, current: usize) {
    let (low, high) = both.split_at_mut(half);
    if current == 0 {
        high.copy_from_slice(low);
    } else {
        low.copy_from_slice(high);
    }
}
