//! How far to go along a Newton step (Y.10).

use super::iterate::{Iterate, MEMORY};
use super::model::Model;
use super::settings::NewtonSettings;
use crate::linear;

/// Share of the predicted decrease that is enough.
const DECREASE: f64 = 1e-4;
/// Halvings of a step before the search fails.
const HALVINGS: u32 = 10;

impl Iterate {
    /// Moves y along the step; F, w and the step are those of the regularized problem.
    pub(super) fn advance(&mut self, model: &Model, settings: &NewtonSettings) {
        let merit = linear::dot(&self.f, &self.f);
        self.inner += 1;
        if !self.searching {
            linear::add_scaled(1.0, &self.step, &mut self.y);
            return;
        }
        let slot = self.inner as usize % MEMORY;
        self.history[slot] = merit;
        let reference = self.history.iter().fold(merit, |max, m| max.max(*m));
        let mut length = 1.0;
        for _ in 0..=HALVINGS {
            let found = self.merit_at(length, model, settings);
            if found <= (1.0 - 2.0 * DECREASE * length) * reference {
                linear::add_scaled(length, &self.step, &mut self.y);
                return;
            }
            length *= 0.5;
        }
        self.fail(length, settings);
    }

    /// ‖F‖² at y + length · step.
    fn merit_at(&mut self, length: f64, model: &Model, settings: &NewtonSettings) -> f64 {
        let [y, w] = &mut self.trial;
        for i in 0..y.len() {
            y[i] = self.y[i] + length * self.step[i];
            w[i] = self.w[i] + length * (self.moved[i] + self.alpha * self.step[i]);
        }
        // F of the iterate is not needed any more
        settings.map.evaluate(model, y, w, &mut self.f, None);
        linear::dot(&self.f, &self.f)
    }

    /// No length lowers the merit: regularize more, or take the short step.
    fn fail(&mut self, length: f64, settings: &NewtonSettings) {
        if settings.fall_back {
            self.increase_proximal_term(settings);
        } else {
            linear::add_scaled(length, &self.step, &mut self.y);
        }
    }
}
