//! One contact by bisection on the intersection of its cone with the plane of no normal velocity.
//!
//! Open and stick are those of Coulomb's law. A sliding impulse lies on the curve λ_n(e) = −q_n /
//! (W_nn + μ W_nt e), λ_t = μ λ_n e, e a unit vector, and is the one that leaves the least kinetic
//! energy (G.34, G.35). The points of the plane inside the cone are a convex set with zero inside
//! and the sticking impulse outside; the part of its edge that is visible from there holds one
//! stationary point, on one side of the direction of the sticking impulse, which halving of angles
//! finds.

use super::circle::{Tangential, length};
use super::{LocalSolver, OwnMatrix};
use crate::laws::project_cone;

/// Halvings of a right angle: to rounding \[-\].
const HALVINGS: u32 = 60;

/// A contact with everything that does not depend on q.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BisectionContact {
    mu: f64,
    dim: usize,
    w_nn: f64,
    w_nt: [f64; 2],
    w_tn: [f64; 2],
    /// S = W_tt − W_tn W_nt / W_nn.
    s: [[f64; 2]; 2],
    tangential: Tangential,
}

/// A point of the curve, and the curve's direction there.
struct Point {
    normal: f64,
    t: [f64; 2],
    along: [f64; 2],
}

impl BisectionContact {
    pub(crate) fn new(own: &OwnMatrix, mu: f64) -> Self {
        let w = &own.w;
        let mut s = [[0.0; 2]; 2];
        for i in 0..2 {
            for j in 0..2 {
                s[i][j] = w[i + 1][j + 1] - w[i + 1][0] * w[0][j + 1] / w[0][0];
            }
        }
        Self {
            mu,
            dim: own.dim,
            w_nn: w[0][0],
            w_nt: [w[0][1], w[0][2]],
            w_tn: [w[1][0], w[2][0]],
            s,
            tangential: Tangential::new(s),
        }
    }

    /// λ_n from w_n = 0.
    fn normal(&self, q_n: f64, t: [f64; 2]) -> f64 {
        -(q_n + dot(self.w_nt, t)) / self.w_nn
    }

    /// The point of the curve in the direction `e`; `None` where the plane never leaves the cone
    /// (G.34).
    fn point(&self, q_n: f64, e: [f64; 2]) -> Option<Point> {
        let stretch = self.w_nn + self.mu * dot(self.w_nt, e);
        if stretch <= 0.0 {
            return None;
        }
        let normal = -q_n / stretch;
        let turned = [-e[1], e[0]];
        let slope = -normal * self.mu * dot(self.w_nt, turned) / stretch;
        Some(Point {
            normal,
            t: e.map(|x| self.mu * normal * x),
            along: [0, 1].map(|i| self.mu * (slope * e[i] + normal * turned[i])),
        })
    }

    /// Change of the energy along the curve, counterclockwise; `None` where the stick cannot see it
    /// (G.35).
    fn slope(&self, q_n: f64, stick: [f64; 2], e: [f64; 2]) -> Option<f64> {
        let point = self.point(q_n, e)?;
        let off = [point.t[0] - stick[0], point.t[1] - stick[1]];
        let outwards = [point.along[1], -point.along[0]];
        if dot(off, outwards) >= 0.0 {
            return None;
        }
        let w_t = [dot(self.s[0], off), dot(self.s[1], off)];
        Some(dot(w_t, point.along))
    }

    /// The sliding impulse; `None` if something is not finite.
    fn slip(&self, q_n: f64, stick: [f64; 2]) -> Option<[f64; 3]> {
        let first = unit(stick)?;
        let Some(slope) = self.slope(q_n, stick, first) else {
            // on the edge to rounding: the stick itself
            let point = self.point(q_n, first)?;
            return Some([point.normal, point.t[0], point.t[1]]);
        };
        let sense = if slope > 0.0 { -1.0 } else { 1.0 };
        let too_far = |e| {
            self.slope(q_n, stick, e)
                .is_none_or(|slope| sense * slope > 0.0)
        };
        let (mut low, mut high) = (first, [-sense * first[1], sense * first[0]]);
        if !too_far(high) {
            (low, high) = (high, first.map(|x| -x));
        }
        for _ in 0..HALVINGS {
            let middle = unit([low[0] + high[0], low[1] + high[1]])?;
            if middle == low || middle == high {
                break;
            }
            if too_far(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        let point = self.point(q_n, low)?;
        Some([point.normal, point.t[0], point.t[1]])
    }
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn unit(x: [f64; 2]) -> Option<[f64; 2]> {
    let norm = length(x);
    (norm > 0.0 && norm.is_finite()).then(|| x.map(|x| x / norm))
}

impl LocalSolver for BisectionContact {
    /// Open, stick or slip; `None` where no impulse sticks to rounding.
    fn solve(&self, q: [f64; 3], _old: [f64; 3]) -> Option<[f64; 3]> {
        if q[0] >= 0.0 {
            return Some([0.0; 3]);
        }
        if self.mu == 0.0 {
            return Some([-q[0] / self.w_nn, 0.0, 0.0]);
        }
        let s = [0, 1].map(|i| q[i + 1] - self.w_tn[i] * q[0] / self.w_nn);
        let t = if self.dim == 2 {
            let regular = self.s[0][0] > 0.0;
            regular.then(|| [-s[0] / self.s[0][0], 0.0])?
        } else {
            self.tangential.stick(s)?
        };
        let normal = self.normal(q[0], t);
        if length(t) <= self.mu * normal {
            return Some([normal, t[0], t[1]]);
        }
        if self.dim == 2 {
            // the end of the interval on the side of the stick
            let point = self.point(q[0], [t[0].signum(), 0.0])?;
            return Some([point.normal, point.t[0], 0.0]);
        }
        self.slip(q[0], t)
    }

    fn project(&self, impulse: [f64; 3]) -> [f64; 3] {
        project_cone(impulse, self.mu)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::local::coulomb::CoulombContact;

    /// B Bᵀ + 0.2 I, without coupling of normal and tangents if asked for.
    fn matrix(b: [f64; 9], coupled: bool) -> OwnMatrix {
        let mut w = [0.0; 9];
        for i in 0..3 {
            for j in 0..3 {
                let own: f64 = (0..3).map(|k| b[3 * i + k] * b[3 * j + k]).sum();
                let apart = (i == 0) != (j == 0) && !coupled;
                w[3 * i + j] = if apart { 0.0 } else { own };
            }
            w[4 * i] += 0.2;
        }
        OwnMatrix::new(&w, 3)
    }

    fn velocity(own: &OwnMatrix, r: [f64; 3], q: [f64; 3]) -> [f64; 3] {
        let row = |i: usize| q[i] + (0..3).map(|j| own.w[i][j] * r[j]).sum::<f64>();
        [row(0), row(1), row(2)]
    }

    /// ½ rᵀ W r + qᵀ r, the kinetic energy up to a constant.
    fn energy(own: &OwnMatrix, r: [f64; 3], q: [f64; 3]) -> f64 {
        let w = velocity(own, r, q);
        (0..3).map(|i| 0.5 * r[i] * (w[i] + q[i])).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn without_coupling_it_is_the_law_of_coulomb(
            b in prop::array::uniform9(-1.0..1.0f64),
            q in prop::array::uniform3(-1.0..1.0f64),
            mu in 0.05..1.5f64,
        ) {
            let own = matrix(b, false);
            let found = BisectionContact::new(&own, mu).solve(q, [0.0; 3]).unwrap();
            let exact = CoulombContact::new(&own, mu).solve(q, [0.0; 3]).unwrap();
            for i in 0..3 {
                // an angle to rounding is an energy to its square: the root of the slope is found
                // to about 1e-14
                prop_assert!((found[i] - exact[i]).abs() < 1e-11 * (1.0 + exact[0]), "{found:?} {exact:?}");
            }
        }

        #[test]
        fn with_coupling_open_and_stick_are_the_same_and_slip_has_the_least_energy(
            b in prop::array::uniform9(-1.0..1.0f64),
            q in prop::array::uniform3(-1.0..1.0f64),
            mu in 0.05..1.5f64,
        ) {
            let own = matrix(b, true);
            let contact = BisectionContact::new(&own, mu);
            let found = contact.solve(q, [0.0; 3]).unwrap();
            let exact = CoulombContact::new(&own, mu).solve(q, [0.0; 3]).unwrap();
            let slips = found[0] > 0.0 && length([exact[1], exact[2]]) >= mu * exact[0] * (1.0 - 1e-9);
            if !slips {
                prop_assert!((0..3).all(|i| (found[i] - exact[i]).abs() <= 1e-12 * (1.0 + exact[0])));
                return Ok(());
            }
            let w = velocity(&own, found, q);
            prop_assert!(w[0].abs() < 1e-12 * (1.0 + found[0]));
            prop_assert!((length([found[1], found[2]]) - mu * found[0]).abs() < 1e-12 * (1.0 + found[0]));
            // no direction leaves less
            let least = energy(&own, found, q);
            for step in 0..720 {
                let angle = f64::from(step) * std::f64::consts::PI / 360.0;
                let Some(point) = contact.point(q[0], [libm::cos(angle), libm::sin(angle)]) else {
                    continue;
                };
                let other = energy(&own, [point.normal, point.t[0], point.t[1]], q);
                prop_assert!(least <= other + 1e-12, "{least} {other}");
            }
        }
    }

    #[test]
    fn a_coupled_contact_slides_in_another_direction_than_coulombs() {
        let w = [1.0, 0.4, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0, 1.0];
        let own = OwnMatrix::new(&w, 3);
        let q = [-1.0, 1.0, 2.0];
        let found = BisectionContact::new(&own, 0.5).solve(q, [0.0; 3]).unwrap();
        let exact = CoulombContact::new(&own, 0.5).solve(q, [0.0; 3]).unwrap();
        let angle = |r: [f64; 3]| {
            let w = velocity(&own, r, q);
            let cross = r[1] * w[2] - r[2] * w[1];
            libm::atan2(cross.abs(), -(r[1] * w[1] + r[2] * w[2])).to_degrees()
        };
        assert!(angle(exact) < 1e-6, "{}", angle(exact));
        // impulse and slip are not opposite: the maximal dissipation of Coulomb's law is missed
        assert!(angle(found) > 3.0, "{}", angle(found));
        assert!(energy(&own, found, q) < energy(&own, exact, q));
    }
}
