//! Sets of admissible impulses by their shape.

use crate::norm::SquareSum;
use crate::{Polygon, projection};

/// Most rows of a ball or a cone \[-\].
const MAX_ROWS: usize = 6;

/// Cosine and sine of no angle.
pub(super) const NO_TURN: [f64; 2] = [1.0, 0.0];

/// Shape of a set of admissible impulses; the set is the shape times a radius (P.16).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SetShape {
    /// Each row separately, between two multiples of the radius (P.4, P.5).
    Interval {
        /// Lower bound over the radius \[-\]; may be −∞.
        lower: f64,
        /// Upper bound over the radius \[-\]; may be +∞.
        upper: f64,
    },
    /// All rows together, ‖λ/s‖ ≤ radius: interval, disc, ellipse, ellipsoid (P.6, P.17).
    Ball,
    /// Two rows in a regular polygon (P.10).
    Polygon(Polygon),
    /// A normal row and the rows of friction after it, ‖λ_t/s‖ ≤ radius · λ_n (P.7, P.18).
    Cone,
}

impl SetShape {
    /// The interval from −radius to +radius, for a friction row.
    pub(super) const SYMMETRIC: Self = Self::Interval {
        lower: -1.0,
        upper: 1.0,
    };
}

/// Admissible impulses of some rows, for given impulses of all other rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdmissibleSet<'a> {
    /// The shape.
    pub shape: SetShape,
    /// The set is the shape times this radius \[N·s | N·m·s\]. For a cone, this number is the slope
    /// μ \[- | m\].
    pub radius: f64,
    /// Semi-axes s divided by the radius \[- | m\]: one per row of a ball, and one per row of a
    /// cone after the first. Empty if all are one.
    pub scales: &'a [f64],
    /// Cosine and sine of the angle between the first row of friction and the first semi-axis \[-\]
    /// (P.20); (1, 0) if the semi-axes lie along the rows.
    pub turn: [f64; 2],
}

impl AdmissibleSet<'_> {
    /// Moves `x` to the nearest point of the set, in place (P.9, P.12, P.17, P.18).
    ///
    /// NaN stays NaN in intervals, so that later checks detect an invalid iterate.
    #[inline]
    pub fn project(&self, x: &mut [f64]) {
        match self.shape {
            SetShape::Interval { lower, upper } => {
                let (lower, upper) = (lower * self.radius, upper * self.radius);
                for value in x {
                    *value = projection::interval(*value, lower, upper);
                }
            }
            SetShape::Ball if self.scales.is_empty() => projection::disc(self.radius, x),
            SetShape::Cone if self.scales.is_empty() => projection::cone(self.radius, x),
            SetShape::Polygon(polygon) => projection::polygon(polygon, self.radius, x),
            // turning a point and turning it back rounds: what is inside stays as it is
            SetShape::Ball | SetShape::Cone if self.contains(x, 0.0) => {}
            SetShape::Ball => {
                turn_to_axes(self.turn, x);
                projection::ellipsoid(self.radius, self.scales, x);
                turn_to_rows(self.turn, x);
            }
            SetShape::Cone => {
                turn_to_axes(self.turn, x.get_mut(1..).unwrap_or_default());
                projection::elliptic_cone(self.radius, self.scales, x);
                turn_to_rows(self.turn, x.get_mut(1..).unwrap_or_default());
            }
        }
    }

    /// True if `x` exceeds no bound by more than `slack`, in the unit of `x`.
    ///
    /// The slack enlarges the bounds, and the radius of balls and cones, before the radius is
    /// multiplied by the scales.
    pub fn contains(&self, x: &[f64], slack: f64) -> bool {
        match self.shape {
            SetShape::Interval { lower, upper } => {
                let (lower, upper) = (lower * self.radius - slack, upper * self.radius + slack);
                x.iter().all(|x| *x >= lower && *x <= upper)
            }
            SetShape::Ball => self.reach(x) <= self.radius + slack,
            SetShape::Polygon(polygon) => match x {
                [t, s] => (0..polygon.facets()).all(|edge| {
                    let normal = polygon.normal(edge);
                    normal[0] * t + normal[1] * s <= self.radius * polygon.apothem() + slack
                }),
                _ => projection::norm(x) <= self.radius + slack,
            },
            SetShape::Cone => match x {
                [] => true,
                [n, t @ ..] => *n >= -slack && self.reach(t) <= self.radius * n + slack,
            },
        }
    }

    /// Euclidean distance of `x` from the set, in the unit of `x` (M.17).
    pub fn distance(&self, x: &[f64]) -> f64 {
        let mut squares = SquareSum::default();
        match self.shape {
            SetShape::Interval { .. } => {
                for value in x {
                    let mut nearest = [*value];
                    self.project(&mut nearest);
                    squares.add(nearest[0] - value);
                }
            }
            _ => {
                let mut nearest = [0.0; MAX_ROWS];
                let nearest = &mut nearest[..x.len()];
                nearest.copy_from_slice(x);
                self.project(nearest);
                for (nearest, x) in nearest.iter().zip(x) {
                    squares.add(nearest - x);
                }
            }
        }
        squares.root()
    }

    /// Largest −x·w over the points x of the set (P.19), in the unit of x·w. This is the most that
    /// friction can dissipate at the row velocities `w`.
    ///
    /// For a cone, x has only the rows of friction, at λ_n = 1, and the result is the De Saxcé term
    /// of (P.6).
    pub fn support(&self, w: &[f64]) -> f64 {
        match self.shape {
            SetShape::Interval { lower, upper } => {
                let side = |w: &f64| match *w {
                    w if w > 0.0 => -(lower * self.radius) * w,
                    w if w < 0.0 => -(upper * self.radius) * w,
                    _ => 0.0,
                };
                w.iter().map(side).sum()
            }
            SetShape::Ball => self.radius * self.slip(w),
            SetShape::Cone => self.radius * self.slip(w.get(1..).unwrap_or_default()),
            SetShape::Polygon(polygon) => match w {
                [u, v] => self.radius * polygon.support([*u, *v]),
                _ => self.radius * projection::norm(w),
            },
        }
    }

    /// Both bounds of every row of an interval \[N·s | N·m·s\]; `None` for another shape.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        match self.shape {
            // a bound of zero has no sign
            SetShape::Interval { lower, upper } => {
                Some((lower * self.radius + 0.0, upper * self.radius))
            }
            _ => None,
        }
    }

    /// ‖s w‖, where s are the scales and `w` the velocities of the rows of friction (P.19).
    #[inline]
    pub fn slip(&self, w: &[f64]) -> f64 {
        if self.scales.is_empty() {
            return projection::norm(w);
        }
        let mut squares = SquareSum::default();
        for (scale, w) in self.scales.iter().zip(&self.along_axes(w)) {
            squares.add(scale * w);
        }
        squares.root()
    }

    /// ‖x/s‖, where s are the scales and `x` the impulses of the rows of friction; at most the
    /// radius if x is in the set. Infinite if x is not zero in a row whose scale is zero.
    #[inline]
    pub fn reach(&self, x: &[f64]) -> f64 {
        if self.scales.is_empty() {
            return projection::norm(x);
        }
        projection::reach(1.0, self.scales, &self.along_axes(x))
    }

    /// The rows of friction in the directions of the semi-axes; zero where there is no row.
    fn along_axes(&self, x: &[f64]) -> [f64; MAX_ROWS] {
        let mut turned = [0.0; MAX_ROWS];
        turned[..x.len()].copy_from_slice(x);
        turn_to_axes(self.turn, &mut turned);
        turned
    }
}

/// Components in the rows of friction become those in the semi-axes, in place.
pub(super) fn turn_to_axes([cosine, sine]: [f64; 2], x: &mut [f64]) {
    turn_to_rows([cosine, -sine], x);
}

/// Components in the semi-axes become those in the rows of friction, in place.
pub(super) fn turn_to_rows([cosine, sine]: [f64; 2], x: &mut [f64]) {
    if let ([a, b, ..], true) = (x, sine != 0.0) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
}
