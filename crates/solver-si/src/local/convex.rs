//! One contact in the convex cone, exactly (F6): K_μ ∋ r ⊥ W r + q ∈ K_μ*.
//!
//! Two nested problems of one unknown. For a normal impulse x the tangents solve their law in the
//! disc of radius μx, which gives t(x) and a multiplier α(x); x is then the root of the
//! non-decreasing function H(x) = q_n + W_nn x + W_nt t − α μ² x (G.13–G.15).

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
struct Trial {
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
        let (x, guess) = self.start(q, old);
        let (x, sample) = root(|x, guess| self.sample(q, x, guess), x, guess)?;
        Some([x, sample.t[0], sample.t[1]])
    }

    /// The first x and α: those of the old impulse; or an x that bounds the root of uncoupled rows,
    /// and is it if the tangents have no stiffness and q_n ≤ 0.
    fn start(&self, q: [f64; 3], old: [f64; 3]) -> (f64, f64) {
        let guess = self.tangential.rayleigh(
            [
                q[1] + self.own.w[1][0] * old[0],
                q[2] + self.own.w[2][0] * old[0],
            ],
            [old[1], old[2]],
        );
        let x = if old[0] > 0.0 {
            old[0]
        } else {
            (q[0].abs() + self.mu * length([q[1], q[2]])) / self.own.w[0][0]
        };
        (x, guess)
    }

    /// H(x), H'(x), t(x) and α(x); x > 0.
    fn sample(&self, q: [f64; 3], x: f64, guess: f64) -> Option<Trial> {
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
        Some(Trial {
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

/// The x > 0 at which a non-decreasing H that is negative at zero vanishes: Newton steps, outwards
/// until H is positive, then inside the bracket. `sample` takes x and a guess of α.
fn root(
    mut sample: impl FnMut(f64, f64) -> Option<Trial>,
    mut x: f64,
    guess: f64,
) -> Option<(f64, Trial)> {
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut at = sample(x, guess)?;
    for _ in 0..2 * MAX_STEPS {
        if at.value == 0.0 {
            break;
        }
        if at.value < 0.0 {
            low = x;
        } else {
            high = x;
        }
        let mut next = x - at.value / at.slope;
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
        at = sample(x, at.alpha)?;
        if step <= 2.0 * f64::EPSILON * x {
            break;
        }
    }
    if !x.is_finite() || high == f64::INFINITY && at.value != 0.0 {
        return None;
    }
    Some((x, at))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The root of an H of value and slope, and the points at which it was asked for. H has no
    /// tangents here.
    fn visits(h: impl Fn(f64) -> (f64, f64), start: f64) -> (Option<f64>, Vec<f64>) {
        let mut points = Vec::new();
        let found = root(
            |x, guess| {
                // the multiplier of a point is the guess for the next one
                assert_eq!(guess, points.last().map_or(-1.0, |x| 10.0 * x));
                points.push(x);
                let (value, slope) = h(x);
                Some(Trial {
                    value,
                    slope,
                    t: [x, -x],
                    alpha: 10.0 * x,
                })
            },
            start,
            -1.0,
        );
        if let Some((x, sample)) = found {
            // the sample is that of the root
            assert!(sample.t == [x, -x] && sample.value == h(x).0);
        }
        (found.map(|(x, _)| x), points)
    }

    #[test]
    fn the_bracket_grows_by_newton_steps_within_limits() {
        let line = |x: f64| (2.0 * (x - 3.0), 2.0);
        assert_eq!(visits(line, 8.0), (Some(3.0), vec![8.0, 3.0]));
        assert_eq!(visits(line, 1.0), (Some(3.0), vec![1.0, 3.0]));
        assert_eq!(visits(line, 3.0), (Some(3.0), vec![3.0]));
        // sixteen times as far at most
        assert_eq!(visits(line, 0.125), (Some(3.0), vec![0.125, 2.0, 3.0]));
        // 1.5 times as far at least, also if the slope points back or nowhere
        for slope in [1e9, -1.0, f64::NAN] {
            let steep = |x: f64| (x - 4.5, slope);
            assert_eq!(visits(steep, 2.0), (Some(4.5), vec![2.0, 3.0, 4.5]));
        }
        // far away: 148 steps out and some fifty back
        let (found, points) = visits(|x| (x - 1e26, f64::NAN), 1.0);
        assert!((found.unwrap() / 1e26 - 1.0).abs() < 1e-15 && points.len() < 210);
        // no root: said, and in bounded time, whether x overflows or not
        assert_eq!(visits(|_| (-1.0, 1.0), 1.0).0, None);
        assert_eq!(visits(|_| (-1.0, 0.0), 1.0).0, None);
        assert!(root(|_, _| None, 1.0, 0.0).is_none());
    }

    #[test]
    fn steps_inside_the_bracket_stay_inside() {
        // slopes that point to the lower end, and to the upper one
        let to_low = |x: f64| (x - 1.0, (x - 1.0) / x);
        assert_eq!(visits(to_low, 4.0), (Some(1.0), vec![4.0, 2.0, 1.0]));
        let to_high = |x: f64| (x - 3.0, 0.5);
        assert_eq!(visits(to_high, 4.0), (Some(3.0), vec![4.0, 2.0, 3.0]));
        // without a usable slope a digit per step
        let (found, points) = visits(|x| (x * x - 2.0, f64::NAN), 2.0);
        assert!((found.unwrap() - std::f64::consts::SQRT_2).abs() <= 3.0 * f64::EPSILON);
        assert!((45..=56).contains(&points.len()), "{points:?}");
        // with one the digits double, at every scale
        for exponent in -300..=300 {
            let root = 1.7 * libm::exp2(f64::from(exponent));
            for start in [0.1 * root, 16.0 * root] {
                let (found, points) = visits(|x| (x * x - root * root, 2.0 * x), start);
                assert!((found.unwrap() - root).abs() <= f64::EPSILON * root);
                assert!(points.len() <= 10, "{root} {points:?}");
            }
        }
    }

    /// Deterministic numbers in [−1, 1).
    fn numbers(mut state: u32) -> impl FnMut() -> f64 {
        move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1u32 << 23) - 1.0
        }
    }

    /// B Bᵀ + shift, its rows and columns scaled.
    fn matrix(mut next: impl FnMut() -> f64, shift: f64, scales: [f64; 3]) -> OwnMatrix {
        let b: [[f64; 3]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| next()));
        let mut w = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                w[i][j] = (0..3).map(|k| b[i][k] * b[j][k]).sum();
            }
            w[i][i] += shift;
        }
        let w = std::array::from_fn(|i| std::array::from_fn(|j| scales[i] * w[i][j] * scales[j]));
        OwnMatrix { w, dim: 3 }
    }

    /// The normal impulse, and how many samples it takes to come within 1e-9 of it; the rest is
    /// rounding.
    fn steps(contact: &ConvexContact, q: [f64; 3], old: [f64; 3]) -> (f64, usize) {
        let (x, guess) = contact.start(q, old);
        let mut points = Vec::new();
        let sample = |x: f64, guess: f64| {
            points.push(x);
            contact.sample(q, x, guess)
        };
        let (root, _) = root(sample, x, guess).expect("a positive definite W has a solution");
        let near = points.iter().position(|x| (x - root).abs() <= 1e-9 * root);
        (root, 1 + near.expect("the root is the last point"))
    }

    #[test]
    fn the_solution_is_its_own_start() {
        // planted slip: ‖t‖ = μx, w_t = −αt, w_n = αμ²x (G.13)
        let mut next = numbers(3);
        for _ in 0..300 {
            let own = matrix(&mut next, 0.2, [1.0; 3]);
            let (mu, alpha, x) = (1.1 + next(), 1.1 + next(), 1.1 + next());
            let d = [next(), next()];
            let t = d.map(|d_i| mu * x * d_i / length(d));
            let w = [alpha * mu * mu * x, -alpha * t[0], -alpha * t[1]];
            let q = std::array::from_fn(|i| {
                w[i] - own.w[i][0] * x - own.w[i][1] * t[0] - own.w[i][2] * t[1]
            });
            let contact = ConvexContact::new(&own, mu);
            let old = [x, t[0], t[1]];
            let (first, guess) = contact.start(q, old);
            assert_eq!(first, x);
            // the guess divides by ‖t‖², the root is as exact as its equation's terms
            assert!(
                (guess - alpha).abs() <= 1e-13 * (1.0 + 1.0 / (mu * x)),
                "{guess} {alpha}"
            );
            let (found, steps) = steps(&contact, q, old);
            assert!((found - x).abs() <= 1e-12 * (1.0 + x), "{found} {x}");
            assert!(steps == 1, "{steps}");
        }
    }

    #[test]
    fn without_tangential_stiffness_the_cold_start_is_the_solution() {
        // x = (μ‖q_t‖ − q_n) / W_nn, t against q_t
        let (mu, q) = (0.5, [-1.0, 3.0, 4.0]);
        let slack = |stiffness: f64| OwnMatrix {
            w: [
                [4.0, 0.0, 0.0],
                [0.0, stiffness, 0.0],
                [0.0, 0.0, stiffness],
            ],
            dim: 3,
        };
        let contact = ConvexContact::new(&slack(1e-14), mu);
        assert_eq!(contact.start(q, [0.0; 3]), (0.875, 0.0));
        let [x, t_1, t_2] = contact.solve(q, [0.0; 3]).unwrap();
        assert!((x - 0.875).abs() < 1e-14);
        assert!((t_1 + 0.6 * mu * x).abs() < 1e-14 && (t_2 + 0.8 * mu * x).abs() < 1e-14);
        // with it the solution is x = (μ‖q_t‖ − q_n) / (W_nn + μ²W_t), below the start
        let [x, t_1, t_2] = ConvexContact::new(&slack(2.0), mu)
            .solve(q, [0.0; 3])
            .unwrap();
        assert!((x - 3.5 / 4.5).abs() < 1e-15, "{x}");
        assert!((t_1 + 0.6 * mu * x).abs() < 1e-15 && (t_2 + 0.8 * mu * x).abs() < 1e-15);
    }

    #[test]
    fn cold_contacts_of_every_scale_take_few_samples() {
        let mut next = numbers(11);
        let (mut most, mut sum) = (0, 0);
        for k in 0..2000 {
            let tangents = libm::exp2(f64::from(k % 21 - 10));
            let own = matrix(&mut next, 0.05, [1.0, tangents, tangents]);
            let mu = 1.05 + next();
            let q = [-0.1 - next().abs(), tangents * next(), tangents * next()];
            let contact = ConvexContact::new(&own, mu);
            let (_, steps) = steps(&contact, q, [0.0; 3]);
            most = most.max(steps);
            sum += steps;
        }
        // measured 27 and 3.9; bisection takes thirty each time
        assert!(most <= 32 && sum <= 9000, "{most} {sum}");
    }

    #[test]
    fn a_singular_plane_slips_or_is_solved_on_an_edge() {
        // W = (1, 1)(1, 1)ᵀ: on the edge t = −μn, n (1 − μ)² = −q_n + μ q_t
        let contact = |w: [f64; 4], mu| ConvexContact::new(&OwnMatrix::new(&w, 2), mu);
        let ones = contact([1.0; 4], 0.5);
        assert_eq!(
            ones.solve([-1.0, 5.0, 0.0], [0.0; 3]),
            Some([14.0, -7.0, 0.0])
        );
        // an edge along which nothing resists has no solution, and above all no infinite one
        let loose = contact([1.0, -1.0, -1.0, 1.0], 1.0);
        let found = loose.solve([-3.0, 1.0, 0.0], [0.0; 3]);
        assert!(
            found.is_none_or(|r| r.iter().all(|x| x.is_finite())),
            "{found:?}"
        );
    }
}
