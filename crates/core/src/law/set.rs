//! Sets of admissible impulses by their shape.

use crate::norm::SquareSum;
use crate::{Polygon, projection};

/// Most rows of a ball or a cone \[-\].
const MAX_ROWS: usize = 6;

/// Shape of a set of admissible impulses; the set is the shape times a radius (P.16).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SetShape {
    /// Every row by itself, between two multiples of the radius (P.4, P.5).
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

/// Admissible impulses of some rows, where those of all other rows are known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdmissibleSet<'a> {
    /// The shape.
    pub shape: SetShape,
    /// Factor of the shape \[N·s | N·m·s\]; of a cone its slope μ \[- | m\].
    pub radius: f64,
    /// Semi-axis s of every row of a ball, and of every row of a cone but the first, over the
    /// radius \[- | m\]; empty where all are one.
    pub scales: &'a [f64],
}

impl AdmissibleSet<'_> {
    /// Moves `x` to the nearest point of the set, in place (P.9, P.12, P.17, P.18).
    ///
    /// NaN stays NaN in intervals, so that a broken iterate is seen.
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
            SetShape::Ball => projection::ellipsoid(self.radius, self.scales, x),
            SetShape::Polygon(polygon) => projection::polygon(polygon, self.radius, x),
            SetShape::Cone if self.scales.is_empty() => projection::cone(self.radius, x),
            SetShape::Cone => projection::elliptic_cone(self.radius, self.scales, x),
        }
    }

    /// True if `x` exceeds no bound by more than `slack`, in the unit of `x`.
    ///
    /// The slack enlarges the bounds and the radius, also that of scaled rows.
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

    /// Largest −x·w over the set (P.19): what friction dissipates at most at the velocities `w` of
    /// the rows, in the unit of x·w.
    ///
    /// For a cone: over the rows of friction at λ_n = 1, which is the De Saxcé term of (P.6).
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

    /// ‖s w‖ of the velocities `w` of the rows of friction (P.19).
    #[inline]
    pub fn slip(&self, w: &[f64]) -> f64 {
        if self.scales.is_empty() {
            return projection::norm(w);
        }
        let mut squares = SquareSum::default();
        for (scale, w) in self.scales.iter().zip(w) {
            squares.add(scale * w);
        }
        squares.root()
    }

    /// ‖x/s‖ of the rows of friction, which the radius bounds; infinite beside a row whose scale is
    /// zero.
    #[inline]
    pub fn reach(&self, x: &[f64]) -> f64 {
        if self.scales.is_empty() {
            return projection::norm(x);
        }
        projection::reach(1.0, self.scales, x)
    }
}
