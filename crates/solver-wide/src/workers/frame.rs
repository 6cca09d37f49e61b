//! What a thread does in the half-steps of a frame (T.32)–(T.35).

use std::sync::atomic::Ordering;

use super::{RENEWAL, Share, ThreadPart, Visit};
use crate::exchange::wait_until;
use crate::frame::{FrameBodies, HalfStepVisit};
use crate::lanes::BodyRow;

impl Share<'_> {
    /// Half-steps (T.32).
    pub(super) fn integrate_frame(&mut self) {
        let frame = &self.common.frame;
        if frame.half_steps.start == 0 {
            self.part.frame_bodies.begin(frame, &self.common.free);
            self.exchange_velocities();
        }
        for half in frame.half_steps.clone() {
            let biased = half % 2 == 0;
            if biased && half > 0 {
                self.each_body(|bodies, body, velocities| {
                    bodies.integrate_velocity(frame, body, velocities);
                });
            }
            if !biased && frame.joints > 0 {
                self.follow_bodies();
            }
            let sweeps = frame.sweeps[usize::from(!biased)];
            for sweep in 0..sweeps {
                let renewed = self.renew_in_frame();
                let visit = HalfStepVisit {
                    stabilization: frame.stabilization,
                    biased,
                    normals_only: biased && frame.holds_friction,
                    // without a relax solve, the next biased solve is the first after the motion
                    starts_substep: biased && sweep == 0,
                    bodies_moved: sweep == 0 && half > 0 && (!biased || frame.sweeps[1] == 0),
                    ends_substep: sweep + 1 == sweeps && (!biased || frame.sweeps[1] == 0),
                };
                let starts = sweep == 0 && !renewed;
                self.each_batch(starts, |batch, bodies| {
                    batch.visit_half_step(bodies, &visit);
                });
                self.part.frame_bodies.sweeps += 1;
            }
            if sweeps > 0 {
                self.exchange_velocities();
            }
            if biased {
                self.each_body(|bodies, body, velocities| {
                    bodies.integrate_position(frame, body, velocities);
                });
            }
        }
    }

    /// Moves the rows of joints to the poses of the bodies; velocities and impulses stay, v_f
    /// becomes that of the moved rows (T.38).
    fn follow_bodies(&mut self) {
        let part = &mut *self.part;
        part.frame_bodies.set_aside(&mut part.velocities);
        self.each_batch(true, |batch, bodies| batch.follow_bodies(bodies));
        self.exchange_velocities();
        let part = &mut *self.part;
        part.frame_bodies.put_back(&mut part.velocities);
        self.each_body(|bodies, body, velocities| bodies.move_free(body, velocities));
    }

    /// Sums the velocities anew if it is time, as in other solves; true if it was.
    fn renew_in_frame(&mut self) -> bool {
        let ThreadPart {
            frame_bodies,
            velocities,
            ..
        } = &mut *self.part;
        let due = frame_bodies.sweeps > 0 && frame_bodies.sweeps.is_multiple_of(RENEWAL);
        if due {
            // for bodies that other threads touch too, the exchange brings the right velocity
            frame_bodies.copy_free(velocities);
            self.sweep(Visit::Apply);
        }
        due
    }

    /// Applies `work` to every body that the thread touches.
    fn each_body(&mut self, mut work: impl FnMut(&mut FrameBodies, usize, &mut [BodyRow])) {
        let ThreadPart {
            frame_bodies,
            velocities,
            exchange,
            ..
        } = &mut *self.part;
        if self.done.len() > 1 {
            let touched = exchange.touched.iter().map(|body| *body as usize);
            touched.for_each(|body| work(frame_bodies, body, velocities));
        } else {
            (0..self.common.free.len()).for_each(|body| work(frame_bodies, body, velocities));
        }
    }

    /// A barrier of all threads, after which each has the velocities of all bodies that it touches.
    fn exchange_velocities(&mut self) {
        let threads = self.done.len() as u64;
        if threads == 1 {
            return;
        }
        let slots = &self.common.barrier_slots[usize::from(self.barriers % 2 == 1)];
        self.barriers += 1;
        let part = &mut *self.part;
        part.exchange.publish(slots, &part.velocities);
        self.arrived.0.fetch_add(1, Ordering::AcqRel);
        let all = self.barriers * threads;
        wait_until(|| self.arrived.0.load(Ordering::Acquire) >= all);
        part.exchange.receive(slots, &mut part.velocities);
    }
}
