//! Projections of the rows of one block, and their slopes.

use std::ops::Range;

use delassus_core::{Factor, Radius, SetShape, norm};

use crate::uneven::{self, Piece};

/// y, steps and what to fill of the rows of one block.
pub(super) struct Local<'a> {
    pub(super) y: &'a [f64],
    pub(super) beta: &'a [f64],
    pub(super) out: &'a mut [f64],
    pub(super) slope: Option<&'a mut [f64]>,
    /// Radii that follow nothing; otherwise they follow the normal impulses.
    pub(super) frozen: Option<&'a [f64]>,
    pub(super) symmetric: bool,
}

impl Local<'_> {
    pub(super) fn clear(&mut self) {
        if let Some(slope) = &mut self.slope {
            slope.fill(0.0);
        }
    }

    /// Projects the rows of one factor, after those that bound it.
    pub(super) fn project(&mut self, factor: &Factor<'_>) {
        match (factor.shape, factor.radius) {
            (SetShape::Interval { lower, upper }, Radius::Fixed(radius)) => {
                let (lower, upper) = (lower * radius, upper * radius);
                let rows = factor.rows();
                rows.for_each(|i| self.interval(i, lower, upper));
            }
            (SetShape::Interval { .. }, Radius::Linear { .. }) => {
                factor.rows().for_each(|i| self.disc(i..i + 1, factor));
            }
            (SetShape::Ball | SetShape::Polygon(_), _) => self.disc(factor.rows(), factor),
            (SetShape::Cone, Radius::Fixed(mu)) => self.cone(mu),
            (SetShape::Cone, Radius::Linear { .. }) => {}
        }
    }

    pub(super) fn set(&mut self, row: usize, column: usize, value: f64) {
        let dim = self.y.len();
        if let Some(slope) = &mut self.slope {
            slope[row * dim + column] = value;
        }
    }

    /// One row between fixed bounds.
    pub(super) fn interval(&mut self, i: usize, lower: f64, upper: f64) {
        self.out[i] = self.y[i].max(lower).min(upper);
        if self.y[i] >= lower && self.y[i] <= upper && lower < upper {
            self.set(i, i, 1.0 / self.beta[i]);
        }
    }

    /// One or two rows of a factor in a disc whose radius follows the impulses of normal rows.
    pub(super) fn disc(&mut self, rows: Range<usize>, factor: &Factor<'_>) {
        let normals = factor.depends_on();
        let radius = match self.frozen {
            Some(radii) => radii[rows.start],
            None => {
                let slopes = (0..).map(|n| factor.slope(n));
                let terms = slopes.zip(&self.out[normals.clone()]);
                terms.map(|(slope, normal)| slope * normal).sum()
            }
        };
        let (first, last) = (rows.start, rows.end - 1);
        let other = if last > first { self.y[last] } else { 0.0 };
        let length = norm::norm(&[self.y[first], other]);
        let inverse = 1.0 / self.beta[first];
        if length <= radius {
            for i in rows {
                self.out[i] = self.y[i];
                self.set(i, i, inverse);
            }
            return;
        }
        let share = radius / length;
        let along = [self.y[first] / length, other / length];
        for i in rows.clone() {
            self.out[i] = share * self.y[i];
            for k in rows.clone() {
                let identity = if i == k { 1.0 } else { 0.0 };
                let across = identity - along[i - first] * along[k - first];
                self.set(i, k, inverse * share * across);
            }
            if self.frozen.is_some() {
                continue;
            }
            for (index, n) in normals.clone().enumerate() {
                let slope = factor.slope(index);
                if self.y[n] >= 0.0 && slope != 0.0 {
                    self.symmetric = false;
                    self.set(i, n, slope * along[i - first] / self.beta[n]);
                }
            }
        }
    }

    /// The cone, nearest in the metric of β (Z.5).
    pub(super) fn cone(&mut self, mu: f64) {
        let dim = self.y.len();
        if self.beta[1..].iter().any(|beta| *beta != self.beta[1]) {
            return self.uneven_cone(mu);
        }
        let (inverse_n, inverse_t) = (1.0 / self.beta[0], 1.0 / self.beta[1]);
        let tangents = &self.y[1..];
        let length = norm::norm(tangents);
        let normal = self.y[0];
        if normal >= 0.0 && length <= mu * normal {
            self.out.copy_from_slice(self.y);
            for i in 0..dim {
                self.set(i, i, if i == 0 { inverse_n } else { inverse_t });
            }
            return;
        }
        let ratio = self.beta[1] / self.beta[0];
        if mu * ratio * length <= -normal {
            self.out.fill(0.0);
            return;
        }
        let share = 1.0 / (1.0 + mu * mu * ratio);
        let height = (normal + mu * ratio * length) * share;
        self.out[0] = height;
        self.set(0, 0, share * inverse_n);
        for i in 1..dim {
            let along = self.y[i] / length;
            self.out[i] = mu * height * along;
            // symmetric: μ̂/β_t = μ/β_n
            self.set(0, i, mu * share * inverse_n * along);
            self.set(i, 0, mu * share * inverse_n * along);
            for k in 1..dim {
                let beside = along * self.y[k] / length;
                let identity = if i == k { 1.0 } else { 0.0 };
                let across = mu * height / length * (identity - beside) * inverse_t;
                self.set(i, k, across + mu * mu * share * inverse_n * beside);
            }
        }
    }

    /// The cone in a metric whose tangents differ (Z.21).
    pub(super) fn uneven_cone(&mut self, mu: f64) {
        let dim = self.y.len();
        match uneven::project(mu, self.beta, self.y, self.out) {
            Piece::Inside => (0..dim).for_each(|i| self.set(i, i, 1.0 / self.beta[i])),
            Piece::Apex => {}
            Piece::Edge { multiplier } => {
                if let Some(slope) = &mut self.slope {
                    uneven::slope(mu, self.beta, multiplier, self.out, slope);
                }
            }
        }
    }
}
