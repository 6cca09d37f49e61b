//! A block in contact, and a bob on a rod, by the published rows: an engine of its own, for
//! `published_frames`.

use super::published_programs::{Friction, Open, Program, Pull, Step};

/// Length of a frame \[s\].
pub(super) const DT: f64 = 1.0 / 32.0;
pub(super) const FRAMES: usize = 3;
/// Of the body that moves \[kg\].
pub(super) const MASS: f64 = 2.0;
pub(super) const GRAVITY: f64 = 10.0;
pub(super) const FRICTION: f64 = 0.3;

/// A block along one normal and one tangent.
#[derive(Clone, Copy, Default)]
pub(super) struct Block {
    pub(super) gap: f64,
    pub(super) velocity: [f64; 2],
    pub(super) impulses: [f64; 2],
}

impl Block {
    pub(super) fn push(&mut self, row: usize, total: f64) {
        self.velocity[row] += (total - self.impulses[row]) / MASS;
        self.impulses[row] = total;
    }

    /// The normal row with a bias, once.
    pub(super) fn normal(&mut self, step: Step, bias: f64) {
        let Step { mass, impulse, .. } = step;
        let change = -MASS * mass * (self.velocity[0] + bias) - impulse * self.impulses[0];
        self.push(0, (self.impulses[0] + change).max(0.0));
    }

    pub(super) fn friction(&mut self) {
        let bound = FRICTION * self.impulses[0];
        let total = self.impulses[1] - MASS * self.velocity[1];
        self.push(1, total.clamp(-bound, bound));
    }

    pub(super) fn frame(&mut self, program: &Program) {
        let h = DT / program.substeps as f64;
        let closed = program.contact.with_static(program.fixed).step(h);
        let rigid = Pull::None.step(h);
        let absent = program.open == Open::Absent && self.gap > 0.0;
        let first = program.friction == Friction::BeforeNormals;
        for _ in 0..program.substeps {
            self.velocity[0] -= GRAVITY * h;
            for row in 0..2 {
                self.velocity[row] += self.impulses[row] / MASS;
            }
            let gap = self.gap;
            for _ in 0..if absent { 0 } else { program.sweeps } {
                if first {
                    self.friction();
                }
                if gap > 0.0 {
                    let soft = program.open == Open::Soft;
                    self.normal(if soft { closed } else { rigid }, gap / h);
                } else {
                    let wanted = closed.rate * (gap + program.contact.slop()).min(0.0);
                    let cap = program.cap / if program.scaled { closed.mass } else { 1.0 };
                    self.normal(closed, wanted.max(-cap));
                }
                if program.friction == Friction::AfterNormals {
                    self.friction();
                }
            }
            self.gap += h * self.velocity[0];
            let seen = if program.old_gaps { gap } else { self.gap };
            for _ in 0..program.relax {
                self.normal(rigid, seen.max(0.0) / h);
                self.friction();
            }
            self.correct(program, program.passes[1]);
        }
        if !absent {
            self.correct(program, program.passes[0]);
        }
    }

    pub(super) fn correct(&mut self, program: &Program, passes: usize) {
        for _ in 0..passes {
            let gap = self.gap;
            self.gap -= (0.2 * (gap + 0.005)).clamp(-0.2, 0.0);
            if program.enough.is_some_and(|enough| gap >= -enough) {
                break;
            }
        }
    }
}

impl Block {
    /// A frame whose substeps start from zero.
    pub(super) fn cold_frame(&mut self, program: &Program) {
        let h = DT / program.substeps as f64;
        let closed = program.contact.step(h);
        let rigid = Pull::None.step(h);
        for _ in 0..program.substeps {
            self.velocity[0] -= GRAVITY * h;
            self.impulses = [0.0; 2];
            if self.gap > 0.0 {
                self.normal(rigid, self.gap / h);
            } else {
                self.normal(closed, (closed.rate * self.gap).max(-program.cap));
            }
            self.gap += h * self.velocity[0];
            self.normal(rigid, self.gap.max(0.0) / h);
        }
    }
}

/// A bob on a rod, in a plane.
#[derive(Clone, Copy)]
pub(super) struct Bob {
    pub(super) at: [f64; 2],
    pub(super) velocity: [f64; 2],
    pub(super) impulse: f64,
}

pub(super) const LENGTH: f64 = 0.9;

pub(super) fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

impl Bob {
    /// Direction of the rod, and its error \[m\].
    pub(super) fn rod(&self) -> ([f64; 2], f64) {
        let length = dot(self.at, self.at).sqrt();
        (self.at.map(|x| x / length), length - LENGTH)
    }

    pub(super) fn push(&mut self, along: [f64; 2], change: f64) {
        self.impulse += change;
        for (v, n) in self.velocity.iter_mut().zip(along) {
            *v += change / MASS * n;
        }
    }

    pub(super) fn frame(&mut self, program: &Program) {
        let h = DT / program.substeps as f64;
        let Step {
            rate,
            mass,
            impulse,
        } = program.joint.step(h);
        for _ in 0..program.substeps {
            let (rod, error) = self.rod();
            let start = if program.cold_joints {
                0.0
            } else {
                self.impulse
            };
            self.velocity[0] -= GRAVITY * h;
            self.impulse = 0.0;
            self.push(rod, start);
            for _ in 0..program.sweeps {
                let wanted = dot(rod, self.velocity) + rate * error;
                self.push(rod, -MASS * mass * wanted - impulse * self.impulse);
            }
            for (x, v) in self.at.iter_mut().zip(self.velocity) {
                *x += h * v;
            }
            let turned = if program.old_arms { rod } else { self.rod().0 };
            for _ in 0..program.relax {
                self.push(turned, -MASS * dot(turned, self.velocity));
            }
            self.project(program.passes[1]);
        }
        self.project(program.passes[0]);
    }

    pub(super) fn project(&mut self, passes: usize) {
        for _ in 0..passes {
            let (rod, error) = self.rod();
            for (x, n) in self.at.iter_mut().zip(rod) {
                *x -= error * n;
            }
        }
    }
}
