//! `fused`: an iteration in one kernel. The thread of a manifold computes the velocities of its two
//! bodies from the wrenches of the iteration before, updates its points and writes its two
//! wrenches into the other half (K.52).
//!
//! With momentum a thread per body keeps v_k for the next iteration. The momentum itself is that of
//! [`super::control`], which one more thread advances by the sums of the iteration before: it is
//! one iteration late anyway (J.13). Contact manifolds only.

use super::control::{Acceleration, MomentumState};
use super::sums::{self, Sums};
use super::vectors::{Triple, add, scale, sub, xyz};
use super::{IterationStep, PASSES, bodies, iteration, manifolds};
use crate::pack::{BODY_FREE, FIXED, Iterate, Pack, count_of};
use crate::real::{Quad, Real};
use crate::rule::LocalSweep;

/// What an iteration reads of the one before, and writes for the one after.
#[derive(Debug, Clone)]
pub struct FusedIterate<T> {
    points: Vec<Quad<T>>,
    current: usize,
    /// v_k, and v_{k−1}, which becomes that of the next iteration.
    settled: [Vec<Quad<T>>; 2],
    wrench: [Vec<Quad<T>>; 2],
    sums: [Vec<Sums<T>>; 2],
    control: MomentumState<T>,
    is_start: bool,
}

impl<T: Real> FusedIterate<T> {
    /// Begins at impulses, one per row \[N·s\], without momentum.
    pub fn new(
        pack: &Pack<T>,
        impulses: &[f64],
        acceleration: Acceleration,
        guarded: bool,
    ) -> Self {
        let mut start = Iterate::new(pack);
        start.load(pack, impulses);
        iteration::restart(pack, &mut start);
        let sums = vec![Sums::default(); pack.manifolds.len()];
        Self {
            points: start.points,
            current: 0,
            settled: [start.settled.clone(), start.settled],
            wrench: [start.wrench.clone(), start.wrench],
            sums: [sums.clone(), sums],
            control: MomentumState::new(acceleration, guarded),
            is_start: true,
        }
    }

    /// β of the iteration: the control is that of the iteration before.
    fn beta(&self) -> T {
        if self.is_start {
            return T::ZERO;
        }
        self.control.next_beta()
    }

    /// Velocities of y of one body: v_k + β (v_k − v_{k−1}).
    fn ahead(&self, pack: &Pack<T>, body: usize) -> [Triple<T>; BODY_FREE] {
        let new = bodies::settled(pack, &self.wrench[self.current], body);
        if self.is_start {
            return new;
        }
        let old = &self.settled[1 - self.current][BODY_FREE * body..];
        [0, 1].map(|part| {
            let moved = sub(new[part], xyz(old[part]));
            add(new[part], scale(self.beta(), moved))
        })
    }

    /// The thread of one manifold. `velocity` is scratch memory: what other bodies have there is
    /// not read.
    fn manifold(&mut self, pack: &Pack<T>, velocity: &mut [Quad<T>], index: usize) {
        let [first, flags, a, b] = pack.manifolds.heads[index];
        for body in [a, b].map(|body| (body & !FIXED) as usize) {
            let seen = self.ahead(pack, body);
            for (part, v) in seen.into_iter().enumerate() {
                velocity[BODY_FREE * body + part] = [v[0], v[1], v[2], T::ZERO];
            }
        }
        let step = IterationStep {
            beta: self.beta(),
            weight: T::ONE,
            sequential: pack.rule().sweep == LocalSweep::Block,
            passes: PASSES,
        };
        let (now, next) = (self.current, 1 - self.current);
        let (low, high) = self.points.split_at(pack.manifolds.points());
        let halves = [low, high];
        let out = manifolds::manifold(pack, velocity, halves[now], halves[next], step, index);
        self.sums[now][index] = out.sums;
        let target = next * pack.manifolds.points() + first as usize;
        let count = count_of(flags) as usize;
        self.points[target..target + count].copy_from_slice(&out.impulses[..count]);
        for (side, body) in [a, b].into_iter().enumerate() {
            if body & FIXED == 0 {
                let slot = 2 * index + side;
                manifolds::write_wrench(&mut self.wrench[next], slot, out.wrench[side]);
            }
        }
    }

    /// The thread of one body: keeps v_k.
    fn keep(&mut self, pack: &Pack<T>, body: usize) {
        let new = bodies::settled(pack, &self.wrench[self.current], body);
        for (part, v) in new.into_iter().enumerate() {
            let kept = &mut self.settled[self.current][BODY_FREE * body + part];
            *kept = [v[0], v[1], v[2], T::ZERO];
        }
    }

    /// The momentum after the iteration before.
    fn advanced(&self) -> MomentumState<T> {
        let mut control = self.control;
        if !self.is_start && control.is_accelerated() {
            control.advance(sums::tree(&mut self.sums[1 - self.current].clone()));
        }
        control
    }

    /// One iteration: threads of manifolds, bodies and the momentum, in any order.
    pub fn step(&mut self, pack: &Pack<T>) {
        let control = self.advanced();
        let mut velocity = vec![[T::ZERO; 4]; BODY_FREE * pack.bodies.len()];
        for index in 0..pack.manifolds.len() {
            self.manifold(pack, &mut velocity, index);
        }
        for body in 0..pack.bodies.len() {
            self.keep(pack, body);
        }
        self.control = control;
        self.current = 1 - self.current;
        self.is_start = false;
    }

    /// The end of a call: λ_k and v_k. Iterations may follow.
    pub fn end(&mut self, pack: &Pack<T>) -> Iterate<T> {
        for body in 0..pack.bodies.len() {
            self.keep(pack, body);
        }
        Iterate {
            points: self.points.clone(),
            current: self.current,
            settled: self.settled[self.current].clone(),
            ..Iterate::default()
        }
    }
}
