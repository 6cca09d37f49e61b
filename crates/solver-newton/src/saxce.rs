//! The loop of De Saxcé where Newton's method on the natural map gets no further: convex problems
//! whose shift and radii are those of the last solution (Z.6), and Newton's method again whenever
//! they have come closer (Z.20).

use crate::cones::SIGMAS;
use crate::phase::{Phase, Transition};
use crate::proximal::Proximal;

/// Steps for one convex problem.
const INNER: u32 = 12;
/// Newton's method is tried again when the loop has brought its residual down by this factor \[-\].
const CLOSER: f64 = 0.1;
/// The loop makes progress while its residual falls by this factor \[-\].
const PROGRESS: f64 = 0.9;
/// Convex problems without progress after which the loop ends.
const PATIENCE: u32 = 30;
/// Proximal parameter of Newton's method after the loop, at most \[-\].
const NEAR: f64 = 1e-6;

impl Proximal {
    /// Begins the loop at the best impulses.
    pub(crate) fn begin_loop(&mut self) {
        let cones = &mut self.cones;
        cones.loops += 1;
        (cones.tried, cones.noted, cones.waited) = (self.best_residual, f64::INFINITY, 0);
        cones.impulses.copy_from_slice(&self.best);
        self.resume_loop();
    }

    /// Goes on from the loop's own impulses.
    pub(crate) fn resume_loop(&mut self) {
        self.phase = Phase::Loop;
        self.cones.trying = false;
        if self.best_residual < self.cones.tried {
            self.cones.impulses.copy_from_slice(&self.best);
        }
        self.primal.impulses.copy_from_slice(&self.cones.impulses);
        self.primal.recompute_velocities();
        self.primal.sets.convex = true;
        self.sigma = SIGMAS[(self.cones.loops - 1) % SIGMAS.len()];
        self.begin_convex_problem();
    }

    /// One step of Newton's method on a convex problem, and what follows from its solution.
    pub(crate) fn loop_step(&mut self) -> Transition {
        let step = self.newton_step();
        if !step.solved && step.moved && self.inner < INNER {
            return Transition::Stay;
        }
        self.cones.waited += 1;
        if step.outer < PROGRESS * self.cones.noted {
            (self.cones.noted, self.cones.waited) = (step.outer, 0);
        }
        self.cones.impulses.copy_from_slice(&self.primal.impulses);
        if step.outer <= CLOSER * self.cones.tried {
            Transition::TryNatural(step.outer)
        } else if !step.moved || self.cones.waited >= PATIENCE {
            Transition::LeaveLoop
        } else {
            Transition::NextConvex
        }
    }

    /// Leaves the convex problems for Newton's method on the natural map, from where the loop has
    /// come; its proximal parameter \[-\].
    pub(crate) fn begin_try(&mut self, outer: f64) -> f64 {
        (self.cones.tried, self.cones.trying) = (outer, true);
        self.primal.sets.convex = false;
        self.searching = false;
        self.settings.proximal.min(NEAR)
    }
}
