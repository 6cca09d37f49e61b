//! What keeps Newton's method going: the proximal point, cycles, steps that lead nowhere, restarts
//! (Y.9), (Y.11).

use super::iterate::{Iterate, RESTART, ROUNDING};
use super::maps::Map;
use super::model::Model;
use super::settings::NewtonSettings;
use crate::linear;

/// Smallest and largest proximal parameter that the adaption reaches \[-\].
const ALPHA_RANGE: (f64, f64) = (1e-10, 10.0);
/// Steps that a regularized problem is given before it is regularized more.
const INNER: u32 = 12;
/// Steps so many times larger than the problem's scale are not taken \[-\].
const FAR: f64 = 1e6;
/// Gauss–Seidel sweeps of the first restart; each later one has twice as many.
const RESTART_SWEEPS: u32 = 20;
/// Proximal parameters of restarts, in turn \[-\].
const RESTART_ALPHAS: [f64; 4] = [1e-1, 1e-3, 1e-2, 1e-4];

impl Iterate {
    /// Goes on from the best iterate, with plain Newton steps.
    pub(crate) fn resume(&mut self) {
        self.y.copy_from_slice(&self.best);
        self.started = 1;
        self.waited = 0;
        self.noted = self.best_residual;
        self.finished = false;
    }

    /// Sweeps that lead away from where nothing gets better, then another proximal parameter.
    pub(super) fn restart(&mut self) {
        let turn = self.restarts as usize % RESTART_ALPHAS.len();
        self.alpha = RESTART_ALPHAS[turn];
        self.relaxing = RESTART_SWEEPS << self.restarts.min(6);
        self.pace = 1;
        self.restarts += 1;
        self.restart_at = self.waited + self.relaxing + RESTART;
        self.searching = true;
        self.inner = 0;
        self.history.fill(0.0);
    }

    /// Moves the centre where the regularized problem is solved well enough, and weakens the
    /// regularization.
    pub(super) fn move_centre(&mut self, model: &Model, settings: &NewtonSettings) {
        if self.alpha == 0.0 {
            return;
        }
        let outer = linear::norm(&self.f);
        let inner = self.inner_residual(model, settings.map);
        let size = linear::norm(&model.c) + linear::norm(&self.y);
        if inner <= (0.1 * outer).max(ROUNDING * size) {
            self.centre.copy_from_slice(&self.y);
            let factor = if self.inner <= 4 { 0.1 } else { 0.5 };
            self.alpha = (factor * self.alpha).max(ALPHA_RANGE.0);
            self.inner = 0;
            self.history.fill(0.0);
        } else if self.inner >= INNER {
            self.increase_proximal_term(settings);
        }
    }

    pub(super) fn inner_residual(&mut self, model: &Model, map: Map) -> f64 {
        let [_, w] = &mut self.trial;
        for (i, w) in w.iter_mut().enumerate() {
            *w = self.w[i] + self.alpha * (self.y[i] - self.centre[i]);
        }
        map.evaluate(model, &self.y, w, &mut self.moved, None);
        linear::norm(&self.moved)
    }

    /// A stronger regularization, from the best iterate.
    pub(super) fn increase_proximal_term(&mut self, settings: &NewtonSettings) {
        if !settings.fall_back {
            return;
        }
        self.searching = true;
        self.alpha = (10.0 * self.alpha).max(1e-6).min(ALPHA_RANGE.1);
        let strayed = linear::norm(&self.f) > 10.0 * self.best_residual;
        if strayed {
            self.y.copy_from_slice(&self.best);
        }
        self.centre.copy_from_slice(&self.y);
        self.inner = 0;
        self.history.fill(0.0);
    }

    /// True if the step goes so far that nothing but redundant rows of a wrong active set explains
    /// it: its rounding would stay.
    pub(super) fn is_lost(&self, model: &Model) -> bool {
        let scale = linear::max_magnitude(&model.c) + linear::max_magnitude(&self.y);
        linear::max_magnitude(&self.step) > FAR * scale
    }

    /// Notes the active set of this step; true if it has been there before, and another one since.
    pub(super) fn is_cycling(&mut self) -> bool {
        // of piecewise linear maps the entries are the set
        let bits = self
            .entries
            .iter()
            .flat_map(|e| [e.p.to_bits(), e.q.to_bits()]);
        let set = bits.fold(0xcbf2_9ce4_8422_2325, |hash: u64, bits| {
            (hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let last = self.sets[0];
        let repeated = set != last && self.sets.contains(&set);
        if set != last {
            self.sets.rotate_right(1);
            self.sets[0] = set;
        }
        repeated
    }
}
