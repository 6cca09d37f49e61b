//! Pucks on inclines, whose friction has a coefficient of its own along every row: the contact
//! plane contains the centre of mass, so sliding and rotation are independent.
//!
//! With W the diagonal inverse mass of the puck and v the velocity before the step, a sliding puck
//! has λ_i = -v_i/(W_i + σ/d_i²) in rows of friction with coefficients d_i, where λ lies on the
//! boundary |λ_i/d_i| = λ_n. One equation gives σ ≥ 0.

use std::f64::consts::TAU;

use delassus_core::{Law, LawKind, MassProperties, ProblemBuilder};
use nalgebra::Vector3;

use super::FrictionCase;
use super::boxes::{FALL, MASS, row, turning};
use super::forces::shorter;

/// Coefficients of sliding \[-\].
const SLIDE: [f64; 2] = [0.35, 0.55];
/// Coefficients of spinning and of rolling about both tangents \[m\].
const LEVERS: [f64; 3] = [0.08, 0.03, 0.05];
/// Angle from the first tangent to the first axis of the ellipse \[rad\].
const TURN: f64 = 0.7;
/// Principal moments over the mass \[m²\]: about the first tangent, the normal, the second tangent.
const GYRATION: [f64; 3] = [0.06, 0.14, 0.09];
/// Distance of several points from the centre \[m\].
const RING: f64 = 0.45;
/// Speeds over those at which the puck begins to slide \[-\].
const FACTORS: [f64; 3] = [0.97, 1.2, 1.8];

/// A puck before its step.
struct Puck {
    law: Law,
    points: usize,
    /// Velocity along both tangents \[m/s\], then about the normal and both tangents \[rad/s\].
    free: [f64; 5],
    /// Inverse mass of these five \[1/kg | 1/(kg·m²)\].
    inverse: [f64; 5],
    /// The velocity into the plane \[m/s\].
    press: f64,
}

/// Pucks of every law with a coefficient per row, on both sides of where they begin to move.
pub(super) fn pucks() -> Vec<FrictionCase> {
    let mut cases = Vec::new();
    for points in 1..=4 {
        for factor in FACTORS {
            for direction in [0.3, 1.2] {
                cases.push(anisotropic(points, factor, direction));
                for rows in [2, 3, 5] {
                    // rows that resist rotation hold a puck on one point independently of sliding
                    let spins = points == 1 && rows > 2;
                    cases.push(elliptic(points, rows, factor, direction, spins));
                }
            }
            cases.push(torsional(points, factor));
        }
    }
    cases
}

impl Puck {
    fn new(law: Law, points: usize, free: [f64; 5]) -> Self {
        let [first, normal, second] = GYRATION.map(|square| 1.0 / (MASS * square));
        Self {
            law,
            points,
            free,
            inverse: [1.0 / MASS, 1.0 / MASS, normal, first, second],
            press: FALL,
        }
    }

    /// The case, with the velocities after the step along the normal and as [`Self::free`].
    fn case(self, normal: f64, after: [f64; 5]) -> FrictionCase {
        let kind = self.law.kind();
        let mut builder = ProblemBuilder::new();
        let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
        let mass = MassProperties::aligned(MASS, Vector3::from(GYRATION) * MASS);
        let [x, z, spin, first, second] = self.free;
        let body = builder.body(mass, [x, -self.press, z, first, spin, second]);
        let (normal_axis, tangents) = (Vector3::y(), [Vector3::x(), Vector3::z()]);
        let count = match &self.law {
            Law::Scaled(law) => law.coefficients().len(),
            _ => 0,
        };
        for point in 0..self.points {
            let reach = if self.points == 1 { 0.0 } else { RING };
            let (sine, cosine) = libm::sincos(TAU * point as f64 / self.points as f64);
            let arm = Vector3::new(reach * cosine, 0.0, reach * sine);
            let mut rows = vec![row(&normal_axis, &arm)];
            if kind != LawKind::Torsional {
                rows.extend(tangents.iter().map(|tangent| row(tangent, &arm)));
            }
            let turns = [
                turning(&normal_axis),
                turning(&tangents[0]),
                turning(&tangents[1]),
            ];
            rows.extend(turns.into_iter().take(count + 1 - rows.len()));
            builder.block(self.law.clone(), &[ground, body], &rows);
        }
        let [x, z, spin, first, second] = after;
        let velocity = [x, normal, z, first, spin, second];
        FrictionCase {
            name: format!(
                "{kind}, {} rows, puck on {} points, from {:.3?}",
                count + 1,
                self.points,
                self.free
            ),
            law: kind,
            points: self.points,
            sticks: velocity == [0.0; 6],
            problem: builder.build().expect("a problem of this crate"),
            velocity,
        }
    }
}

/// Coulomb's law with an ellipse whose axes are turned.
fn anisotropic(points: usize, factor: f64, direction: f64) -> FrictionCase {
    // along the axes of the ellipse the puck begins to slide at gauge 1
    let (sine, cosine) = libm::sincos(direction);
    let gauge = libm::hypot(cosine / SLIDE[0], sine / SLIDE[1]) / FALL;
    let speed = factor / gauge;
    let free = [speed * cosine, speed * sine];
    let masses = [1.0 / MASS; 2];
    let bound = |_: f64| MASS * FALL;
    let impulses = slid(&free, &masses, &SLIDE, f64::INFINITY, bound);
    let after = [0, 1].map(|axis| free[axis] + masses[axis] * impulses[axis]);
    let (sine, cosine) = libm::sincos(TURN);
    let turned = |[x, z]: [f64; 2]| [cosine * x - sine * z, sine * x + cosine * z];
    let ([x, z], [after_x, after_z]) = (turned(free), turned(after));
    let law = Law::anisotropic(SLIDE, TURN);
    let puck = Puck::new(law, points, [x, z, 0.0, 0.0, 0.0]);
    puck.case(0.0, [after_x, after_z, 0.0, 0.0, 0.0])
}

/// The convex cone over a normal and `rows` rows of friction.
fn elliptic(points: usize, rows: usize, factor: f64, direction: f64, spins: bool) -> FrictionCase {
    let [first, second] = SLIDE;
    let coefficients = [first, second, LEVERS[0], LEVERS[1], LEVERS[2]];
    let law = Law::elliptic_cone(&coefficients[..rows]);
    let (sine, cosine) = libm::sincos(direction);
    let mut free = [cosine, sine, 0.0, 0.0, 0.0];
    if spins {
        (free[2], free[3], free[4]) = (-1.3, 0.9, 2.1);
        free[rows..].fill(0.0);
    }
    let mut puck = Puck::new(law, points, free);
    let pairs = || coefficients.iter().zip(puck.inverse);
    let needed = pairs().zip(free).map(|((d, inverse), v)| v / (inverse * d));
    let gauge = needed.fold(0.0, libm::hypot) / (MASS * FALL);
    puck.free = free.map(|v| v * factor / gauge);
    let bound = |sigma: f64| puck.press / (1.0 / MASS - sigma);
    let impulses = slid(&puck.free, &puck.inverse, &coefficients, 1.0 / MASS, bound);
    let after = [0, 1, 2, 3, 4].map(|i| puck.free[i] + puck.inverse[i] * impulses[i]);
    let pairs = impulses.iter().zip(coefficients);
    let normal = pairs.map(|(x, d)| x / d).fold(0.0, libm::hypot);
    if factor < 1.0 {
        return puck.case(0.0, [0.0; 5]);
    }
    let lift = normal / MASS - puck.press;
    puck.case(lift, after)
}

/// A normal and resistance to spinning.
fn torsional(points: usize, factor: f64) -> FrictionCase {
    let brake = LEVERS[0] * FALL / GYRATION[1];
    let free = factor * brake;
    let puck = Puck::new(
        Law::torsional(LEVERS[0]),
        points,
        [0.0, 0.0, free, 0.0, 0.0],
    );
    puck.case(0.0, [0.0, 0.0, shorter(free, brake), 0.0, 0.0])
}

/// The impulses of friction: those that stop the puck where they are within `bound` at σ = 0, and
/// otherwise those on the boundary, by bisection over σ below `most`.
fn slid<const N: usize>(
    free: &[f64; N],
    inverse: &[f64; N],
    coefficients: &[f64; N],
    most: f64,
    bound: impl Fn(f64) -> f64,
) -> [f64; N] {
    let at = |sigma: f64| {
        let mut impulses = [0.0; N];
        for i in 0..N {
            let d = coefficients[i];
            impulses[i] = -free[i] / (inverse[i] + sigma / (d * d));
        }
        impulses
    };
    let gauge = |sigma: f64| {
        let pairs = at(sigma).into_iter().zip(coefficients);
        pairs.map(|(x, d)| x / d).fold(0.0, libm::hypot)
    };
    if gauge(0.0) <= bound(0.0) {
        return at(0.0);
    }
    let (mut low, mut high) = (0.0, most.min(1e6));
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if gauge(middle) > bound(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    at(low)
}
