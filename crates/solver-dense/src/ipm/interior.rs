//! Points inside the sets, and Mehrotra's predictor and corrector (Y.13)–(Y.16).

mod direction;

use std::ops::Range;

use super::cone::{self, NesterovTodd, Vector};
use crate::linear;
use crate::newton::model::{Group, Model};
use crate::newton::{Contradiction, LinearSystem};
use delassus_core::SolveError;

/// Passes of refinement against the matrix without its regularization.
const REFINEMENTS: usize = 2;

/// A point inside the sets and their duals \[√J\].
#[derive(Debug)]
pub(super) struct Interior {
    pub(super) y: Vec<f64>,
    /// Distances to the bounds and their multipliers; of cones the dual vector stands in
    /// `dual_lower`.
    lower: Vec<f64>,
    upper: Vec<f64>,
    dual_lower: Vec<f64>,
    dual_upper: Vec<f64>,
    /// Scalings of the cones, in the order of the groups.
    scalings: Vec<NesterovTodd>,
    /// Sy + c − dual.
    residual: Vec<f64>,
    predictor: Direction,
    corrector: Direction,
    work: Vec<f64>,
    /// Number of complementary pairs \[-\].
    degree: f64,
    /// xᵀs over [`Self::degree`] \[J\].
    pub(super) measure: f64,
    epsilon: f64,
}

/// Changes of y and of the multipliers.
#[derive(Debug)]
struct Direction {
    y: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Direction {
    fn new(n: usize) -> Self {
        Self {
            y: vec![0.0; n],
            lower: vec![0.0; n],
            upper: vec![0.0; n],
        }
    }
}

/// What one step did.
pub(super) enum Outcome {
    /// It moved by this part of the Newton step \[-\].
    Moved(f64),
    /// Rounding has put a point on the boundary, or the step is no vector.
    Exhausted,
}

fn read(rows: &Range<usize>, from: &[f64]) -> Vector {
    let mut x = Vector::default();
    x[..rows.len()].copy_from_slice(&from[rows.clone()]);
    x
}

impl Interior {
    /// Memory for the model.
    pub(super) fn new(model: &Model, epsilon: f64) -> Self {
        let n = model.size();
        let zeros = || vec![0.0; n];
        let cones = model.groups.iter();
        let cones = cones.filter(|g| matches!(g, Group::Cone { .. })).count();
        let finite = |bounds: &[f64]| bounds.iter().filter(|b| b.is_finite()).count();
        let pairs = cones + finite(&model.lower) + finite(&model.upper);
        let mut interior = Self {
            y: zeros(),
            lower: vec![f64::INFINITY; n],
            upper: vec![f64::INFINITY; n],
            dual_lower: zeros(),
            dual_upper: zeros(),
            scalings: vec![NesterovTodd::default(); cones],
            residual: zeros(),
            predictor: Direction::new(n),
            corrector: Direction::new(n),
            work: zeros(),
            degree: (pairs as f64).max(1.0),
            measure: 0.0,
            epsilon,
        };
        interior.begin(model);
        interior
    }

    /// The largest of |c| away from every bound, in the middle where there is less room.
    fn begin(&mut self, model: &Model) {
        let size = linear::max_magnitude(&model.c).max(f64::MIN_POSITIVE.sqrt());
        for group in &model.groups {
            match group {
                Group::Interval(i) => {
                    let (l, u) = (model.lower[*i], model.upper[*i]);
                    let room = size.min(0.5 * (u - l));
                    self.y[*i] = 0.0f64.max(l + room).min(u - room);
                    if l.is_finite() {
                        self.lower[*i] = self.y[*i] - l;
                        self.dual_lower[*i] = size * size / self.lower[*i];
                    }
                    if u.is_finite() {
                        self.upper[*i] = u - self.y[*i];
                        self.dual_upper[*i] = size * size / self.upper[*i];
                    }
                }
                Group::Cone { rows, .. } => {
                    self.y[rows.start] = size;
                    self.dual_lower[rows.start] = size;
                }
                // no law of this method has discs
                Group::Disc { .. } => {}
            }
        }
        self.measure = self.gap(0.0, None) / self.degree;
    }

    /// Σ xᵀs, after a step along the predictor where one is given \[J\].
    fn gap(&self, step: f64, along: Option<&Direction>) -> f64 {
        let mut gap = 0.0;
        for i in 0..self.y.len() {
            let [dy, dl, du] = along.map_or([0.0; 3], |d| [d.y[i], d.lower[i], d.upper[i]]);
            let dual = self.dual_lower[i] + step * dl;
            if self.lower[i].is_finite() {
                gap += (self.lower[i] + step * dy) * dual;
            }
            if self.upper[i].is_finite() {
                gap += (self.upper[i] - step * dy) * (self.dual_upper[i] + step * du);
            }
            if self.lower[i].is_infinite() && self.upper[i].is_infinite() {
                // a cone, or a free row without a multiplier
                gap += (self.y[i] + step * dy) * dual;
            }
        }
        gap
    }

    /// One predictor and corrector with one factorization.
    ///
    /// # Errors
    /// [`SolveError::Infeasible`] with a certificate (Y.12).
    pub(super) fn step(
        &mut self,
        model: &Model,
        system: &mut LinearSystem,
        contradiction: &mut Contradiction,
        fraction: f64,
    ) -> Result<Outcome, SolveError> {
        if !self.assemble(model, system) {
            return Ok(Outcome::Exhausted);
        }
        model.velocity(&self.y, &mut self.residual);
        for i in 0..self.y.len() {
            self.residual[i] -= self.dual_lower[i] - self.dual_upper[i];
        }
        self.solve(model, system, 0.0, false);
        model.multiply(&self.predictor.y, &mut self.work);
        if !self.work.iter().all(|v| v.is_finite()) {
            return Ok(Outcome::Exhausted);
        }
        contradiction.check(model, &self.predictor.y, &self.work)?;
        let step = self.longest(model, &self.predictor).min(1.0);
        let affine = self.gap(step, Some(&self.predictor)) / self.degree;
        let ratio = (affine / self.measure).clamp(0.0, 1.0);
        self.solve(model, system, ratio * ratio * ratio * self.measure, true);
        let longest = self.longest(model, &self.corrector);
        let step = (fraction * longest).min(1.0);
        // a step that is no number does not move either
        if step > 0.0 {
            self.advance(step);
            return Ok(Outcome::Moved(step));
        }
        Ok(Outcome::Exhausted)
    }

    /// S + Θ + εI into the system, factorized; false at the boundary.
    fn assemble(&mut self, model: &Model, system: &mut LinearSystem) -> bool {
        for i in 0..self.y.len() {
            let row = system.row_mut(i);
            row.copy_from_slice(model.row(i));
            row[i] += self.epsilon + self.stiffness(i);
        }
        let mut cone = 0;
        for group in &model.groups {
            if let Group::Cone { rows, .. } = group {
                let (x, s) = (read(rows, &self.y), read(rows, &self.dual_lower));
                let Some(scaling) = NesterovTodd::new(&x, &s) else {
                    return false;
                };
                self.scalings[cone] = scaling;
                cone += 1;
                for i in 0..rows.len() {
                    let row = system.row_mut(rows.start + i);
                    for k in 0..rows.len() {
                        row[rows.start + k] += scaling.inverse_square(i, k);
                    }
                }
            }
        }
        system.factor();
        true
    }

    /// Θ_ii of a row with bounds; zero in cones and free rows.
    fn stiffness(&self, i: usize) -> f64 {
        let pair = |distance: f64, dual: f64| {
            if distance.is_finite() {
                dual / distance
            } else {
                0.0
            }
        };
        pair(self.lower[i], self.dual_lower[i]) + pair(self.upper[i], self.dual_upper[i])
    }

    /// The direction towards complementarity products of `target`; the corrector with Mehrotra's
    /// second-order term.
    fn solve(&mut self, model: &Model, system: &mut LinearSystem, target: f64, correct: bool) {
        let mut out = std::mem::replace(
            if correct {
                &mut self.corrector
            } else {
                &mut self.predictor
            },
            Direction {
                y: Vec::new(),
                lower: Vec::new(),
                upper: Vec::new(),
            },
        );
        self.multipliers(model, target, correct, &mut out);
        for i in 0..out.y.len() {
            self.work[i] = out.lower[i] - out.upper[i] - self.residual[i];
        }
        out.y.copy_from_slice(&self.work);
        system.solve(&mut out.y);
        for _ in 0..REFINEMENTS {
            self.refine(model, system, &mut out);
        }
        self.complete(model, &mut out);
        if correct {
            self.corrector = out;
        } else {
            self.predictor = out;
        }
    }

    /// Longest step along a direction that stays inside.
    fn longest(&self, model: &Model, along: &Direction) -> f64 {
        let mut longest = f64::INFINITY;
        let mut limit = |value: f64, change: f64| {
            if change < 0.0 {
                longest = longest.min(-value / change);
            }
        };
        for i in 0..self.y.len() {
            if self.lower[i].is_finite() {
                limit(self.lower[i], along.y[i]);
                limit(self.dual_lower[i], along.lower[i]);
            }
            if self.upper[i].is_finite() {
                limit(self.upper[i], -along.y[i]);
                limit(self.dual_upper[i], along.upper[i]);
            }
        }
        for group in &model.groups {
            if let Group::Cone { rows, .. } = group {
                let pairs = [(&self.y, &along.y), (&self.dual_lower, &along.lower)];
                for (x, d) in pairs {
                    longest = longest.min(cone::longest_step(&read(rows, x), &read(rows, d)));
                }
            }
        }
        longest
    }

    fn advance(&mut self, step: f64) {
        let along = &self.corrector;
        linear::add_scaled(step, &along.y, &mut self.y);
        linear::add_scaled(step, &along.y, &mut self.lower);
        linear::add_scaled(-step, &along.y, &mut self.upper);
        linear::add_scaled(step, &along.lower, &mut self.dual_lower);
        linear::add_scaled(step, &along.upper, &mut self.dual_upper);
        self.measure = self.gap(0.0, None) / self.degree;
    }

    /// Everything that decides the next step.
    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> {
        let vectors = [
            &self.y,
            &self.lower,
            &self.upper,
            &self.dual_lower,
            &self.dual_upper,
        ];
        vectors.into_iter().flatten().copied()
    }
}
