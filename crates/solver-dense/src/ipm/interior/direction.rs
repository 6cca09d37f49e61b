//! The multipliers of a direction, and its refinement (Y.14)–(Y.16).

use std::ops::Range;

use super::super::cone::{self, NesterovTodd, Vector};
use super::{Direction, Interior, read};
use crate::linear;
use crate::newton::LinearSystem;
use crate::newton::model::{Group, Model};

impl Interior {
    /// What the multipliers change by where y stays.
    pub(super) fn multipliers(
        &self,
        model: &Model,
        target: f64,
        correct: bool,
        out: &mut Direction,
    ) {
        let second = |i: usize, dual: &[f64]| {
            if correct {
                self.predictor.y[i] * dual[i]
            } else {
                0.0
            }
        };
        let mut cone = 0;
        for group in &model.groups {
            match group {
                Group::Interval(i) => {
                    let i = *i;
                    if self.lower[i].is_finite() {
                        let wanted = target - second(i, &self.predictor.lower);
                        out.lower[i] = wanted / self.lower[i] - self.dual_lower[i];
                    }
                    if self.upper[i].is_finite() {
                        let wanted = target + second(i, &self.predictor.upper);
                        out.upper[i] = wanted / self.upper[i] - self.dual_upper[i];
                    }
                }
                Group::Cone { rows, .. } => {
                    let scaling = &self.scalings[cone];
                    cone += 1;
                    let change = self.cone_multipliers(scaling, rows, target, correct);
                    out.lower[rows.clone()].copy_from_slice(&change[..rows.len()]);
                }
                Group::Disc { .. } => {}
            }
        }
    }

    /// W⁻¹(λ \ (target e − λ∘λ − second-order term)).
    fn cone_multipliers(
        &self,
        scaling: &NesterovTodd,
        rows: &Range<usize>,
        target: f64,
        correct: bool,
    ) -> Vector {
        let scaled = scaling.apply(&read(rows, &self.dual_lower));
        let mut wanted = cone::jordan(&scaled, &scaled).map(|v| -v);
        wanted[0] += target;
        if correct {
            let dx = scaling.apply_inverse(&read(rows, &self.predictor.y));
            let ds = scaling.apply(&read(rows, &self.predictor.lower));
            for (wanted, second) in wanted.iter_mut().zip(cone::jordan(&dx, &ds)) {
                *wanted -= second;
            }
        }
        scaling.apply_inverse(&cone::divide(&scaled, &wanted))
    }

    /// One pass of refinement with the matrix S + Θ.
    pub(super) fn refine(&mut self, model: &Model, system: &mut LinearSystem, out: &mut Direction) {
        let mut cone = 0;
        for group in &model.groups {
            match group {
                Group::Interval(i) => {
                    let product = linear::dot(model.row(*i), &out.y);
                    let dual = out.lower[*i] - out.upper[*i] - self.residual[*i];
                    self.work[*i] = dual - product - self.stiffness(*i) * out.y[*i];
                }
                Group::Cone { rows, .. } => {
                    let scaling = &self.scalings[cone];
                    cone += 1;
                    for (local, i) in rows.clone().enumerate() {
                        let product = linear::dot(model.row(i), &out.y);
                        let own = rows.clone().enumerate();
                        let own = own.map(|(k, j)| scaling.inverse_square(local, k) * out.y[j]);
                        let stiff: f64 = own.sum();
                        self.work[i] = out.lower[i] - self.residual[i] - product - stiff;
                    }
                }
                Group::Disc { .. } => {}
            }
        }
        system.solve(&mut self.work);
        linear::add_scaled(1.0, &self.work, &mut out.y);
    }

    /// Adds to the multipliers what the change of y brings.
    pub(super) fn complete(&self, model: &Model, out: &mut Direction) {
        let mut cone = 0;
        for group in &model.groups {
            match group {
                Group::Interval(i) => {
                    let i = *i;
                    if self.lower[i].is_finite() {
                        out.lower[i] -= self.dual_lower[i] / self.lower[i] * out.y[i];
                    }
                    if self.upper[i].is_finite() {
                        out.upper[i] += self.dual_upper[i] / self.upper[i] * out.y[i];
                    }
                }
                Group::Cone { rows, .. } => {
                    let scaling = &self.scalings[cone];
                    cone += 1;
                    for (local, i) in rows.clone().enumerate() {
                        let own = rows.clone().enumerate();
                        let own = own.map(|(k, j)| scaling.inverse_square(local, k) * out.y[j]);
                        out.lower[i] -= own.sum::<f64>();
                    }
                }
                Group::Disc { .. } => {}
            }
        }
    }
}
