//! One contact in the convex cone, exactly (F6): K_μ ∋ r ⊥ W r + q ∈ K_μ*.
//!
//! Two nested problems of one unknown. For a normal impulse x the tangents solve their law in the disc of radius μx,
//! which gives t(x) and a multiplier α(x); x is then the root of the non-decreasing function
//! H(x) = q_n + W_nn x + W_nt t − α μ² x (G.13–G.15).

use super::circle::{Tangential, length, solve_disc};
use super::{LocalSolver, OwnMatrix};
use crate::laws::project_cone;

/// A contact with everything that does not depend on q.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ConvexContact {
    mu: f64,
    own: OwnMatrix,
    tangential: Tangential,
}

/// Most doublings of the bracket, and most steps inside it.
const MAX_STEPS: usize = 128;

/// H and its slope at some x, with the tangents.
#[derive(Debug, Clone, Copy)]
struct Sample {
    value: f64,
    slope: f64,
    t: [f64; 2],
    alpha: f64,
}

impl ConvexContact {
    pub(crate) fn new(own: &OwnMatrix, mu: f64) -> Self {
        let w = &own.w;
        Self {
            mu,
            own: *own,
            tangential: Tangential::new([[w[1][1], w[1][2]], [w[2][1], w[2][2]]]),
        }
    }

    fn solve_space(&self, q: [f64; 3], old: [f64; 3]) -> Option<[f64; 3]> {
        let mut guess = self.tangential.rayleigh(
            [
                q[1] + self.own.w[1][0] * old[0],
                q[2] + self.own.w[2][0] * old[0],
            ],
            [old[1], old[2]],
        );
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut x = if old[0] > 0.0 {
            old[0]
        } else {
            (q[0].abs() + self.mu * length([q[1], q[2]])) / self.own.w[0][0]
        };
        let mut sample = self.sample(q, x, guess)?;
        for _ in 0..2 * MAX_STEPS {
            guess = sample.alpha;
            if sample.value == 0.0 {
                break;
            }
            if sample.value < 0.0 {
                low = x;
            } else {
                high = x;
            }
            let mut next = x - sample.value / sample.slope;
            if high == f64::INFINITY {
                // no upper bound yet: Newton, but between 1.5 and 16 times as far
                next = if next > 1.5 * x {
                    next.min(16.0 * x)
                } else {
                    1.5 * x
                };
            } else if !(next > low && next < high) {
                next = 0.5 * (low + high);
            }
            let step = (next - x).abs();
            x = next;
            sample = self.sample(q, x, guess)?;
            if step <= 2.0 * f64::EPSILON * x {
                break;
            }
        }
        if !x.is_finite() || high == f64::INFINITY && sample.value != 0.0 {
            return None;
        }
        Some([x, sample.t[0], sample.t[1]])
    }

    /// H(x), H'(x), t(x) and α(x); x > 0.
    fn sample(&self, q: [f64; 3], x: f64, guess: f64) -> Option<Sample> {
        let w = &self.own.w;
        let s = [q[1] + w[1][0] * x, q[2] + w[2][0] * x];
        let (t, alpha) = solve_disc(&self.tangential, s, self.mu * x, guess)?;
        let square = self.mu * self.mu;
        let value = q[0] + w[0][0] * x + w[0][1] * t[0] + w[0][2] * t[1] - alpha * square * x;
        // dt = −(S + αI)⁻¹ (W_tn + dα t), t·dt = μ²x on the circle, dα = 0 inside
        let inverse = 1.0 / self.tangential.denominator(alpha);
        let resolvent = |y: [f64; 2]| {
            let adjugate = self.tangential.adjugate_times(y);
            [
                inverse * (adjugate[0] + alpha * y[0]),
                inverse * (adjugate[1] + alpha * y[1]),
            ]
        };
        let from_normal = resolvent([w[1][0], w[2][0]]);
        let from_alpha = resolvent(t);
        let d_alpha = if alpha > 0.0 {
            let dot = |y: [f64; 2]| t[0] * y[0] + t[1] * y[1];
            -(square * x + dot(from_normal)) / dot(from_alpha)
        } else {
            0.0
        };
        let d_t = [
            -(from_normal[0] + d_alpha * from_alpha[0]),
            -(from_normal[1] + d_alpha * from_alpha[1]),
        ];
        let slope = w[0][0] + w[0][1] * d_t[0] + w[0][2] * d_t[1] - square * (alpha + x * d_alpha);
        Some(Sample {
            value,
            slope,
            t,
            alpha,
        })
    }

    /// One tangent: inside the cone, or on the edge with the lower energy.
    fn solve_plane(&self, q: [f64; 3]) -> Option<[f64; 3]> {
        let w = &self.own.w;
        let determinant = w[0][0] * w[1][1] - w[0][1] * w[1][0];
        if determinant > 0.0 {
            let normal = (w[0][1] * q[1] - w[1][1] * q[0]) / determinant;
            let tangent = (w[1][0] * q[0] - w[0][0] * q[1]) / determinant;
            if tangent.abs() <= self.mu * normal {
                return Some([normal, tangent, 0.0]);
            }
        }
        let mut best: Option<(f64, [f64; 3])> = None;
        for edge in [self.mu, -self.mu] {
            let force = q[0] + edge * q[1];
            let stiffness = w[0][0] + edge * (w[0][1] + w[1][0]) + edge * edge * w[1][1];
            if force < 0.0 && stiffness > 0.0 {
                let normal = -force / stiffness;
                let energy = 0.5 * force * normal;
                if best.is_none_or(|(other, _)| energy < other) {
                    best = Some((energy, [normal, edge * normal, 0.0]));
                }
            }
        }
        best.map(|(_, r)| r)
    }
}

impl LocalSolver for ConvexContact {
    fn solve(&self, q: [f64; 3], old: [f64; 3]) -> Option<[f64; 3]> {
        if q[0] >= self.mu * length([q[1], q[2]]) {
            return Some([0.0; 3]);
        }
        if self.mu == 0.0 {
            return Some([-q[0] / self.own.w[0][0], 0.0, 0.0]);
        }
        if self.own.dim == 2 {
            return self.solve_plane(q);
        }
        self.solve_space(q, old)
    }

    fn project(&self, impulse: [f64; 3]) -> [f64; 3] {
        project_cone(impulse, self.mu)
    }
}
