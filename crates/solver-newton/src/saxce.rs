//! The loop of De Saxcé where Newton's method on the natural map gets no further: convex problems
//! whose shift and radii are those of the last solution (Z.6), and Newton's method again whenever
//! they have come closer (Z.20).

use crate::cones::SIGMAS;
use crate::linear;
use crate::proximal::{INNER_ACCURACY, Phase, Proximal, RESTART, ROUNDING};
use crate::search;

/// Steps for one convex problem.
const INNER: u32 = 12;
/// Newton's method is tried again when the loop has brought its residual down by this factor \[-\].
const CLOSER: f64 = 0.1;
/// Steps without progress that such a try is given.
const TRIES: u32 = 6;
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
        self.primal.follow();
        self.primal.sets.convex = true;
        self.sigma = SIGMAS[(self.cones.loops - 1) % SIGMAS.len()];
        self.next_convex();
    }

    /// The convex problem of this moment's impulses and velocities.
    fn next_convex(&mut self) {
        self.primal.centre.copy_from_slice(&self.primal.impulses);
        self.primal.regularize(self.sigma);
        self.cones.inner = 0;
    }

    /// One step of Newton's method on a convex problem, and what follows from its solution.
    pub(crate) fn loop_step(&mut self) {
        self.primal.evaluate();
        let moved = self.primal.direction() && search::minimize(&mut self.primal);
        self.cones.inner += 1;
        let outer = self.primal.natural_map();
        self.judge(outer);
        let inner = linear::norm(&self.primal.residual);
        let rounding = ROUNDING * self.primal.size();
        let solved = inner <= (INNER_ACCURACY * outer).max(rounding);
        if !solved && moved && self.cones.inner < INNER {
            return;
        }
        self.cones.waited += 1;
        if outer < PROGRESS * self.cones.noted {
            (self.cones.noted, self.cones.waited) = (outer, 0);
        }
        self.cones.impulses.copy_from_slice(&self.primal.impulses);
        if outer <= CLOSER * self.cones.tried {
            self.try_newton(outer);
        } else if !moved || self.cones.waited >= PATIENCE {
            self.cones.ended = true;
            self.primal.sets.convex = false;
            self.primal.impulses.copy_from_slice(&self.best);
            self.primal.follow();
            self.restart_at = self.waited + RESTART;
            self.elsewhere();
        } else {
            self.next_convex();
        }
    }

    /// Newton's method on the natural map, from where the loop has come.
    fn try_newton(&mut self, outer: f64) {
        (self.cones.tried, self.cones.trying) = (outer, true);
        self.primal.sets.convex = false;
        self.searching = false;
        self.begin_natural(self.settings.proximal.min(NEAR));
        self.restart_at = self.waited + TRIES;
    }

    /// True if a try has not helped.
    pub(crate) fn gives_up_trying(&self) -> bool {
        self.waited >= self.restart_at
    }
}
