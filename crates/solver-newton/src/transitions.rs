//! The state machine of the proximal-point method: a sweep makes the step of its phase, and what
//! the step leads to becomes the state of the next one.
//!
//! Start → Convex → (Relax →) Natural → Loop, with tries of Natural in it → Relax → Natural, until
//! the residual is rounding or patience ends.

use crate::limit::Sweeps;
use crate::phase::{Phase, Transition};
use crate::proximal::{Proximal, RESTART, SIGMA_RANGE};

/// Sweeps without progress that a try of Newton's method within the loop is given.
const TRIES: u32 = 6;
/// Gauss–Seidel sweeps of the first restart; each later one has twice as many.
const RESTART_SWEEPS: u32 = 20;
/// Proximal parameters of restarts, in turn \[-\].
const RESTART_SIGMAS: [f64; 4] = [1e-1, 1e-3, 1e-2, 1e-4];

impl Sweeps for Proximal {
    fn sweep(&mut self) {
        Self::sweep(self);
    }

    fn is_finished(&self) -> bool {
        self.finished
    }

    fn best(&mut self) -> &mut [f64] {
        &mut self.best
    }

    fn cut_short(&mut self) -> &mut bool {
        &mut self.primal.matrix.cut_short
    }
}

impl Proximal {
    /// One Newton step, or one pass of Gauss–Seidel.
    pub(crate) fn sweep(&mut self) {
        if self.phase == Phase::Start {
            let next = self.start();
            self.enter(next);
        }
        if self.finished {
            return;
        }
        let next = match self.phase {
            Phase::Start | Phase::Convex => self.convex_step(),
            Phase::Loop => self.loop_step(),
            Phase::Relax(left) => {
                self.primal.relax();
                self.phase = Phase::Relax(left - 1);
                match left {
                    0 | 1 => Transition::BeginNatural,
                    _ => Transition::Stay,
                }
            }
            Phase::Natural => self.natural_step(),
        };
        self.enter(next);
    }

    /// Makes what a step leads to the state of the next one.
    fn enter(&mut self, next: Transition) {
        match next {
            Transition::Stay => {}
            Transition::NextConvex => self.begin_convex_problem(),
            Transition::LeaveStart => {
                self.return_to_best();
                self.sigma = self.settings.proximal;
                match self.settings.start_sweeps {
                    0 => self.begin_natural(),
                    sweeps => self.phase = Phase::Relax(sweeps),
                }
            }
            Transition::BeginNatural => self.begin_natural(),
            Transition::NextNatural => {
                let factor = if self.inner <= 4 { 0.1 } else { 0.5 };
                self.sigma = (factor * self.sigma).max(SIGMA_RANGE.0);
                self.move_centre();
            }
            Transition::IncreaseTerm => self.increase_proximal_term(),
            Transition::TryNatural(outer) => {
                self.sigma = self.begin_try(outer);
                self.begin_natural();
                self.restart_at = self.steps_without_progress + TRIES;
            }
            Transition::ResumeLoop => self.resume_loop(),
            Transition::LeaveLoop => {
                self.cones.ended = true;
                self.return_to_best();
                self.restart();
            }
            Transition::Restart => self.restart(),
        }
    }

    /// The convex problem of the impulses and velocities reached.
    pub(crate) fn begin_convex_problem(&mut self) {
        self.primal.centre.copy_from_slice(&self.primal.impulses);
        self.primal.regularize(self.sigma);
        self.inner = 0;
    }

    fn begin_natural(&mut self) {
        self.phase = Phase::Natural;
        self.primal.recompute_velocities();
        self.primal.clear_step();
        let residual = self.primal.natural_at(0.0, 0.0);
        self.record_residual(residual);
        self.move_centre();
    }

    fn move_centre(&mut self) {
        self.primal.centre.copy_from_slice(&self.primal.impulses);
        self.inner = 0;
        self.history.forget();
    }

    /// A stronger proximal term, from the best impulses if the others have strayed.
    pub(crate) fn increase_proximal_term(&mut self) {
        self.searching = true;
        self.sigma = (10.0 * self.sigma).max(1e-6).min(SIGMA_RANGE.1);
        self.primal.clear_step();
        if self.primal.natural_at(0.0, 0.0) > 10.0 * self.best_residual {
            self.primal.impulses.copy_from_slice(&self.best);
            self.primal.recompute_velocities();
        }
        self.move_centre();
    }

    /// From a convex problem to the best impulses of the problem itself.
    fn return_to_best(&mut self) {
        self.primal.sets.convex = false;
        self.primal.impulses.copy_from_slice(&self.best);
        self.primal.recompute_velocities();
    }

    /// The loop of De Saxcé where nothing gets better; where it is of no use, sweeps that lead
    /// away, then another proximal parameter.
    fn restart(&mut self) {
        if self.settings.convex_start && self.cones.is_due() {
            self.begin_loop();
            return;
        }
        self.sigma = RESTART_SIGMAS[self.restarts as usize % RESTART_SIGMAS.len()];
        let sweeps = RESTART_SWEEPS << self.restarts.min(6);
        self.phase = Phase::Relax(sweeps);
        self.restarts += 1;
        self.restart_at = self.steps_without_progress + RESTART;
        self.searching = true;
    }
}
