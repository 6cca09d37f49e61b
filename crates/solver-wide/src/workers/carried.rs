//! What a thread of the workers does while bodies are carried through a frame (T.32)–(T.35).

use std::sync::atomic::Ordering;

use super::{RENEWAL, Share, ThreadPart, Visit};
use crate::carry::{CarriedBodies, CarriedVisit};
use crate::exchange::wait_until;
use crate::lanes::BodyRow;

impl Share<'_> {
    /// Half-steps (T.32).
    pub(super) fn carry(&mut self) {
        let frame = &self.common.frame;
        if frame.half_steps.start == 0 {
            self.part.carried.begin(frame, &self.common.free);
            self.meet();
        }
        for half in frame.half_steps.clone() {
            let biased = half % 2 == 0;
            if biased && half > 0 {
                self.each_body(|carried, body, velocities| carried.kick(frame, body, velocities));
            }
            let sweeps = frame.sweeps[usize::from(!biased)];
            for sweep in 0..sweeps {
                let renewed = self.renew_carried();
                let visit = CarriedVisit {
                    pushing: frame.pushing,
                    biased,
                    normals_only: biased && frame.holds_friction,
                    // without a second solve the next one is the first to see where the bodies went
                    moved: sweep == 0 && half > 0 && (!biased || frame.sweeps[1] == 0),
                    ends: sweep + 1 == sweeps && (!biased || frame.sweeps[1] == 0),
                };
                let starts = sweep == 0 && !renewed;
                self.each_batch(starts, |batch, bodies| batch.carry(bodies, &visit));
                self.part.carried.sweeps += 1;
            }
            if sweeps > 0 {
                self.meet();
            }
            if biased {
                self.each_body(|carried, body, velocities| {
                    carried.advance(frame, body, velocities);
                });
            }
        }
    }

    /// Sums the velocities anew if it is time, as in other solves; true if it was.
    fn renew_carried(&mut self) -> bool {
        let ThreadPart {
            carried,
            velocities,
            ..
        } = &mut *self.part;
        let due = carried.sweeps > 0 && carried.sweeps.is_multiple_of(RENEWAL);
        if due {
            // of bodies that others touch too, what comes over with them is right
            carried.copy_free(velocities);
            self.sweep(Visit::Apply);
        }
        due
    }

    /// Does something with every body that the thread touches.
    fn each_body(&mut self, mut work: impl FnMut(&mut CarriedBodies, usize, &mut [BodyRow])) {
        let ThreadPart {
            carried,
            velocities,
            exchange,
            ..
        } = &mut *self.part;
        if self.done.len() > 1 {
            let touched = exchange.touched.iter().map(|body| *body as usize);
            touched.for_each(|body| work(carried, body, velocities));
        } else {
            (0..self.common.free.len()).for_each(|body| work(carried, body, velocities));
        }
    }

    /// Waits for all threads; then each knows the velocities of all bodies that it touches.
    fn meet(&mut self) {
        let threads = self.done.len() as u64;
        if threads == 1 {
            return;
        }
        let slots = &self.common.meetings[usize::from(self.meetings % 2 == 1)];
        self.meetings += 1;
        let ThreadPart {
            exchange,
            velocities,
            ..
        } = &mut *self.part;
        exchange.tell(slots, velocities);
        self.met.0.fetch_add(1, Ordering::AcqRel);
        let all = self.meetings * threads;
        wait_until(|| self.met.0.load(Ordering::Acquire) >= all);
        exchange.hear(slots, velocities);
    }
}
