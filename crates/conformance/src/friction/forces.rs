//! What the laws of friction leave of a velocity, in closed form.
//!
//! Points that all move alike take the impulses of one point: with the normal impulse N of all of
//! them the tangential impulse lies in N times the set of the law, and the velocity that is left is
//! the part of the free one that the set does not reach. Written down per law, without the
//! projections of `core`.

use delassus_core::{ContactLaw, LawKind};

/// Which law, and whether in space or in the plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) law: ContactLaw,
    /// Tangents: two in space, one in the plane \[-\].
    pub(super) tangents: usize,
}

impl Shape {
    /// Velocity that is left of `free`, down the slope and across, \[m/s\]: `reach` \[m/s\] is what
    /// friction of full strength takes, μ N/m, or the limit of all points over the mass.
    pub(super) fn left(self, free: [f64; 2], reach: f64) -> [f64; 2] {
        match self.law {
            ContactLaw::Frictionless => free,
            ContactLaw::FixedBox | ContactLaw::Pyramid => free.map(|v| shorter(v, reach)),
            ContactLaw::Facets4 | ContactLaw::Facets8 | ContactLaw::Facets16
                if self.tangents == 2 =>
            {
                let nearest = nearest(free, reach, self.facets());
                [free[0] - nearest[0], free[1] - nearest[1]]
            }
            _ => {
                let speed = libm::hypot(free[0], free[1]);
                let kept = if speed > 0.0 {
                    shorter(speed, reach) / speed
                } else {
                    0.0
                };
                free.map(|v| kept * v)
            }
        }
    }

    /// What friction of full strength 1 resists in the direction (cos φ, sin φ) \[-\].
    pub(super) fn strength(self, direction: f64) -> f64 {
        let (sine, cosine) = libm::sincos(direction);
        match self.law {
            ContactLaw::FixedBox | ContactLaw::Pyramid => 1.0 / cosine.abs().max(sine.abs()),
            ContactLaw::Facets4 | ContactLaw::Facets8 | ContactLaw::Facets16
                if self.tangents == 2 =>
            {
                // polar radius of the polygon, whose edges are cos(π/d) away
                let half = std::f64::consts::PI / f64::from(self.facets());
                let within = direction - 2.0 * half * (direction / (2.0 * half)).floor();
                libm::cos(half) / libm::cos(within - half)
            }
            _ => 1.0,
        }
    }

    fn facets(self) -> u32 {
        match self.law {
            ContactLaw::Facets4 => 4,
            ContactLaw::Facets8 => 8,
            _ => 16,
        }
    }

    pub(super) fn kind(self) -> LawKind {
        match self.law {
            ContactLaw::Patch => LawKind::Patch,
            law => law.of_point(1.0).kind(),
        }
    }
}

/// A number that comes nearer to zero by `by`, and not past it.
pub(super) fn shorter(value: f64, by: f64) -> f64 {
    (value.abs() - by).max(0.0) * value.signum()
}

/// The point of a polygon with corners at `radius` (cos, sin)(2πi/d) nearest to `point`: the point
/// itself inside.
fn nearest(point: [f64; 2], radius: f64, facets: u32) -> [f64; 2] {
    let corner = |i: u32| {
        let angle = 2.0 * std::f64::consts::PI * f64::from(i) / f64::from(facets);
        let (sine, cosine) = libm::sincos(angle);
        [radius * cosine, radius * sine]
    };
    let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    let minus = |a: [f64; 2], b: [f64; 2]| [a[0] - b[0], a[1] - b[1]];
    let edges = (0..facets).map(|i| [corner(i), corner(i + 1)]);
    let inside = |[from, to]: [[f64; 2]; 2]| cross(minus(to, from), minus(point, from)) >= 0.0;
    if edges.clone().all(inside) {
        return point;
    }
    let on_edge = |[from, to]: [[f64; 2]; 2]| {
        let along = minus(to, from);
        let share = minus(point, from);
        let dot = share[0] * along[0] + share[1] * along[1];
        let share = (dot / (along[0] * along[0] + along[1] * along[1])).clamp(0.0, 1.0);
        [from[0] + share * along[0], from[1] + share * along[1]]
    };
    let distance = |x: &[f64; 2]| libm::hypot(x[0] - point[0], x[1] - point[1]);
    let nearest = edges.map(on_edge);
    nearest
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))
        .unwrap_or(point)
}
