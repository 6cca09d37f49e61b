//! One contact under Coulomb's law, exactly (F3 and F5).

use super::circle::{Tangential, crossing, length};
use super::{LocalSolver, OwnMatrix};
use crate::laws::project_cone;

/// Stick and slip meet at ‖r_t‖ = μ r_n; within this fraction rounding decides between them \[-\].
const EDGE: f64 = 1e-12;

/// A contact with everything that does not depend on q.
///
/// With w_n = 0 the normal impulse is r_n = −(q_n + W_nt r_t) / W_nn, and the tangents see the
/// Schur complement S = W_tt − W_tn W_nt / W_nn and s = q_t − W_tn q_n / W_nn (G.7).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CoulombContact {
    mu: f64,
    dim: usize,
    /// 1 / W_nn.
    mass_n: f64,
    /// W_nt.
    w_nt: [f64; 2],
    /// W_tn / W_nn.
    w_tn_mass: [f64; 2],
    tangential: Tangential,
    /// S of a contact with one tangent.
    s_11: f64,
}

impl CoulombContact {
    pub(crate) fn new(own: &OwnMatrix, mu: f64) -> Self {
        let w = &own.w;
        let mass_n = 1.0 / w[0][0];
        let w_nt = [w[0][1], w[0][2]];
        let w_tn_mass = [w[1][0] * mass_n, w[2][0] * mass_n];
        let mut s = [[0.0; 2]; 2];
        for i in 0..2 {
            for j in 0..2 {
                s[i][j] = w[i + 1][j + 1] - w_tn_mass[i] * w_nt[j];
            }
        }
        Self {
            mu,
            dim: own.dim,
            mass_n,
            w_nt,
            w_tn_mass,
            tangential: Tangential::new(s),
            s_11: s[0][0],
        }
    }

    /// Stick that misses the friction bound by rounding, where slip has no root either.
    #[cold]
    fn edge(&self, q_n: f64, t: [f64; 2]) -> Option<[f64; 3]> {
        let normal = self.normal(q_n, t);
        let (norm, radius) = (length(t), self.mu * normal);
        let scale = radius / norm;
        (norm <= (1.0 + EDGE) * radius).then_some([normal, scale * t[0], scale * t[1]])
    }

    /// r_n from w_n = 0.
    #[inline(always)]
    fn normal(&self, q_n: f64, t: [f64; 2]) -> f64 {
        -(q_n + self.w_nt[0] * t[0] + self.w_nt[1] * t[1]) * self.mass_n
    }

    /// (S + αI) r_t = −s with ‖r_t‖ = μ r_n: N(α) = L(α) (G.9, G.10).
    #[inline(always)]
    fn slip(&self, q_n: f64, s: [f64; 2], old: [f64; 2]) -> Option<[f64; 3]> {
        let a = self.tangential.adjugate_times(s);
        let scale = self.mu * self.mass_n;
        let [d_0, d_1, d_2] = self.tangential.polynomial();
        let quadratic = [
            scale * (self.w_nt[0] * a[0] + self.w_nt[1] * a[1] - q_n * d_0),
            scale * (self.w_nt[0] * s[0] + self.w_nt[1] * s[1] - q_n * d_1),
            -scale * q_n * d_2,
        ];
        let guess = self.tangential.rayleigh(s, old);
        let alpha = crossing(quadratic, a, s, self.tangential.floor(), guess)?;
        let u = [a[0] + alpha * s[0], a[1] + alpha * s[1]];
        let inverse = 1.0 / self.tangential.denominator(alpha);
        let normal = self.normal(q_n, [-inverse * u[0], -inverse * u[1]]);
        let norm = length(u);
        if !(normal > 0.0 && norm > 0.0 && normal.is_finite()) {
            return None;
        }
        // the length from the normal impulse, so that the friction bound holds to rounding
        let scale = -self.mu * normal / norm;
        Some([normal, scale * u[0], scale * u[1]])
    }

    /// One tangent: the sign of slip is that of −s.
    fn solve_plane(&self, q: [f64; 3]) -> Option<[f64; 3]> {
        let s = q[1] - self.w_tn_mass[0] * q[0];
        if self.s_11 > 0.0 || s == 0.0 {
            let t = if s == 0.0 { 0.0 } else { -s / self.s_11 };
            let normal = self.normal(q[0], [t, 0.0]);
            if t.abs() <= self.mu * normal {
                return Some([normal, t, 0.0]);
            }
        }
        let sign = if s > 0.0 { -1.0 } else { 1.0 };
        let denominator = 1.0 + sign * self.mu * self.w_nt[0] * self.mass_n;
        let normal = -q[0] * self.mass_n / denominator;
        // slip needs α ≥ 0 in (S + α) r_t = −s, which the sign gives if stick needs a larger |r_t|
        let alpha = s.abs() / (self.mu * normal) - self.s_11;
        if !(denominator > 0.0 && alpha >= -EDGE * self.s_11.abs() && normal.is_finite()) {
            return None;
        }
        Some([normal, sign * self.mu * normal, 0.0])
    }
}

impl LocalSolver for CoulombContact {
    /// The first that exists of open, stick and slip.
    #[inline(always)]
    fn solve(&self, q: [f64; 3], old: [f64; 3]) -> Option<[f64; 3]> {
        if q[0] >= 0.0 {
            return Some([0.0; 3]);
        }
        if self.mu == 0.0 {
            return Some([-q[0] * self.mass_n, 0.0, 0.0]);
        }
        if self.dim == 2 {
            return self.solve_plane(q);
        }
        let s = [
            q[1] - self.w_tn_mass[0] * q[0],
            q[2] - self.w_tn_mass[1] * q[0],
        ];
        let stick = self.tangential.stick(s);
        if let Some(t) = stick {
            let normal = self.normal(q[0], t);
            if length(t) <= self.mu * normal {
                return Some([normal, t[0], t[1]]);
            }
        }
        let slip = self.slip(q[0], s, [old[1], old[2]]);
        slip.or_else(|| self.edge(q[0], stick?))
    }

    #[inline(always)]
    fn project(&self, impulse: [f64; 3]) -> [f64; 3] {
        project_cone(impulse, self.mu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_forgives_rounding_and_no_more() {
        // W = I: n = −q_n, and t is given
        let identity = OwnMatrix::new(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], 3);
        let contact = CoulombContact::new(&identity, 0.5);
        for n in [1e-6, 2.0, 1e6] {
            let t = |part: f64| [0.6 * part * 0.5 * n, -0.8 * part * 0.5 * n];
            let [normal, t_1, t_2] = contact.edge(-n, t(1.0 + 1e-13)).unwrap();
            // back on the cone, in the direction of t
            assert!(normal == n && (length([t_1, t_2]) - 0.5 * n).abs() <= 1e-16 * n);
            assert!((0.8 * t_1 + 0.6 * t_2).abs() <= 1e-16 * n);
            assert_eq!(contact.edge(-n, t(1.0 + 1e-9)), None);
            assert_eq!(contact.edge(-n, t(3.0)), None);
        }
    }

    #[test]
    fn a_singular_plane_sticks_in_its_range_and_slips_elsewhere() {
        // W = (1, 1)(1, 1)ᵀ has S = 0
        let contact = CoulombContact::new(&OwnMatrix::new(&[1.0; 4], 2), 0.5);
        // s = 0: stick of minimum norm
        assert_eq!(
            contact.solve([-1.0, -1.0, 0.0], [0.0; 3]),
            Some([1.0, 0.0, 0.0])
        );
        // s = 6: t = −n/2 and n + t = 1; w_t = 6 against t
        assert_eq!(
            contact.solve([-1.0, 5.0, 0.0], [0.0; 3]),
            Some([2.0, -1.0, 0.0])
        );
        // s = −6: t = n/2 and n + t = 1; w_t = −6
        let [n, t, _] = contact.solve([-1.0, -7.0, 0.0], [0.0; 3]).unwrap();
        assert!((n - 2.0 / 3.0).abs() < 1e-15 && (t - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn isotropic_contacts_slip_straight_at_every_scale() {
        // W = diag(a, b, b): n = −q_n / a, t = −μn q_t/‖q_t‖
        for exponent in (-200..=200).step_by(5) {
            let unit = libm::exp2(f64::from(exponent));
            for ratio in [1e-8, 0.3, 1.0, 20.0, 1e8] {
                let (a, b) = (unit, ratio * unit);
                let own = OwnMatrix::new(&[a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, b], 3);
                let contact = CoulombContact::new(&own, 0.5);
                let q = [-2.0 * a, 3.0 * b, 4.0 * b];
                for old in [[0.0; 3], [1.0, -0.3, -0.4], [1e3, 1e3, 0.0]] {
                    let [n, t_1, t_2] = contact.solve(q, old).unwrap();
                    assert!(n == 2.0 && (t_1 + 0.6).abs() < 3e-16 && (t_2 + 0.8).abs() < 3e-16);
                }
            }
        }
    }
}
