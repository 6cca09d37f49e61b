//! The set K of one factor at a given λ, its projection, its natural map and its friction.

use delassus_core::{Polygon, norm, projection};

use crate::error::{MetricError, check_range};

/// √d_n of the normal row of a contact and √L of its tangents (M.39).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Parts {
    pub(crate) normal: f64,
    pub(crate) tangent: f64,
}

impl Parts {
    /// That of a row, the normal row being the first.
    #[inline]
    pub(crate) fn root(self, row: usize) -> f64 {
        if row == 0 { self.normal } else { self.tangent }
    }
}

/// Up to three components of one factor; the unused ones are zero.
pub(crate) type Triple = [f64; 3];

/// Admissible impulses of one factor of K(λ), with the radii that λ gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Set {
    /// One row in [lower, upper].
    Interval { lower: f64, upper: f64 },
    /// Two rows in a disc of this radius.
    Disc { radius: f64 },
    /// A normal row ≥ 0, tangents in [−limit, limit].
    NormalAndBox { limit: f64 },
    /// A normal row ≥ 0, tangents in a disc of radius μ max(λ_n, 0).
    NormalAndDisc { mu: f64, radius: f64 },
    /// A normal row ≥ 0, two tangents in a polygon of radius μ max(λ_n, 0).
    NormalAndPolygon { polygon: Polygon, radius: f64 },
    /// The cone K_μ.
    Cone { mu: f64 },
}

impl Set {
    /// Π_K, in place.
    #[inline]
    pub(crate) fn project(&self, x: &mut [f64]) {
        let Some((first, tangents)) = x.split_first_mut() else {
            return;
        };
        match *self {
            Self::Interval { lower, upper } => *first = first.max(lower).min(upper),
            Self::Disc { radius } => projection::disc(radius, x),
            Self::NormalAndBox { limit } => {
                *first = first.max(0.0);
                projection::square(limit, tangents);
            }
            Self::NormalAndDisc { radius, .. } => {
                *first = first.max(0.0);
                projection::disc(radius, tangents);
            }
            Self::NormalAndPolygon { polygon, radius } => {
                *first = first.max(0.0);
                projection::polygon(polygon, radius, tangents);
            }
            Self::Cone { mu } => projection::cone(mu, x),
        }
    }

    /// The set of √S λ, S being the square of one factor for the normal row and one for the
    /// tangents.
    pub(crate) fn scaled(self, parts: Parts) -> Self {
        let Parts { normal, tangent } = parts;
        match self {
            Self::Interval { .. } | Self::Disc { .. } => self,
            Self::NormalAndBox { limit } => Self::NormalAndBox {
                limit: tangent * limit,
            },
            Self::NormalAndDisc { mu, radius } => Self::NormalAndDisc {
                mu: mu * (tangent / normal),
                radius: tangent * radius,
            },
            Self::NormalAndPolygon { polygon, radius } => Self::NormalAndPolygon {
                polygon,
                radius: tangent * radius,
            },
            Self::Cone { mu } => Self::Cone {
                mu: mu * (tangent / normal),
            },
        }
    }

    /// λ − Π_K(λ − ρŵ) (M.1).
    ///
    /// Where the projection leaves a component alone, the result is ρŵ itself: no cancellation
    /// against λ.
    #[inline]
    pub(crate) fn natural_map(
        &self,
        impulse: &[f64],
        velocity: &[f64],
        step: f64,
    ) -> Result<Triple, MetricError> {
        let dim = impulse.len();
        let (mut moved, mut projected) = ([0.0; 3], [0.0; 3]);
        for i in 0..dim {
            moved[i] = impulse[i] - step * velocity[i];
        }
        check_range("the natural map", &moved)?;
        projected[..dim].copy_from_slice(&moved[..dim]);
        self.project(&mut projected[..dim]);
        let mut out = [0.0; 3];
        for i in 0..dim {
            out[i] = if projected[i] == moved[i] {
                step * velocity[i]
            } else {
                impulse[i] - projected[i]
            };
        }
        Ok(out)
    }

    /// |sup over the friction set of −x·w_t, plus λ_t·w_t| (M.16); tangential components only.
    ///
    /// `velocity` is w or ŵ: the normal component is not read.
    pub(crate) fn dissipation(&self, impulse: &[f64], velocity: &[f64]) -> f64 {
        let (x, w) = (&impulse[1..], &velocity[1..]);
        let defect = match *self {
            // a patch's twist: its interval is symmetric
            Self::Interval { upper, .. } => upper * velocity[0].abs() + impulse[0] * velocity[0],
            Self::Disc { radius } => radius * length(velocity) + dot(impulse, velocity),
            Self::NormalAndBox { limit } => {
                let terms = x.iter().zip(w).map(|(x, w)| limit * w.abs() + x * w);
                return terms.map(f64::abs).sum();
            }
            Self::NormalAndDisc { radius, .. } => radius * length(w) + dot(x, w),
            Self::NormalAndPolygon { polygon, radius } => {
                radius * polygon.support([w[0], w[1]]) + dot(x, w)
            }
            Self::Cone { mu } => mu * impulse[0].max(0.0) * length(w) + dot(x, w),
        };
        defect.abs()
    }
}

/// Euclidean length.
#[inline]
pub(crate) fn length(x: &[f64]) -> f64 {
    match x {
        [x] => x.abs(),
        _ => norm::norm(x),
    }
}

/// Inner product.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETS: [(Set, usize); 11] = [
        (
            Set::Interval {
                lower: -0.5,
                upper: 1.25,
            },
            1,
        ),
        (Set::Disc { radius: 0.75 }, 2),
        (Set::NormalAndBox { limit: 0.5 }, 3),
        (Set::NormalAndBox { limit: 0.0 }, 3),
        (
            Set::NormalAndDisc {
                mu: 0.5,
                radius: 0.7,
            },
            3,
        ),
        (
            Set::NormalAndPolygon {
                polygon: Polygon::new(4),
                radius: 0.75,
            },
            3,
        ),
        (
            Set::NormalAndPolygon {
                polygon: Polygon::new(8),
                radius: 1.25,
            },
            3,
        ),
        (Set::Cone { mu: 0.6 }, 3),
        (Set::Cone { mu: 2.0 }, 3),
        (Set::Cone { mu: 0.3 }, 2),
        (Set::Cone { mu: 0.0 }, 3),
    ];

    /// Multiples of 1/8 in [−2, 2]; dyadic, so that sums and bounds are exact.
    fn grid(dim: usize, visit: &mut dyn FnMut(&[f64])) {
        let steps = 33usize;
        for index in 0..steps.pow(u32::try_from(dim).unwrap()) {
            let mut point = [0.0; 3];
            let mut rest = index;
            for value in &mut point[..dim] {
                *value = f64::from(u32::try_from(rest % steps).unwrap()) / 8.0 - 2.0;
                rest /= steps;
            }
            visit(&point[..dim]);
        }
    }

    fn contains(set: &Set, x: &[f64], slack: f64) -> bool {
        match *set {
            Set::Interval { lower, upper } => x[0] >= lower - slack && x[0] <= upper + slack,
            Set::Disc { radius } => length(x) <= radius + slack,
            Set::NormalAndBox { limit } => {
                x[0] >= -slack && x[1..].iter().all(|t| t.abs() <= limit + slack)
            }
            Set::NormalAndDisc { radius, .. } => {
                x[0] >= -slack && length(&x[1..]) <= radius + slack
            }
            Set::NormalAndPolygon { polygon, radius } => {
                let edges = 0..polygon.facets();
                let within = radius * polygon.apothem() + slack;
                x[0] >= -slack
                    && edges
                        .map(|index| dot(&polygon.normal(index), &x[1..]))
                        .all(|along| along <= within)
            }
            Set::Cone { mu } => x[0] >= -slack && length(&x[1..]) <= mu * x[0] + slack,
        }
    }

    #[test]
    fn projections_beat_every_grid_point() {
        let outside: [Triple; 7] = [
            [1.0, 2.0, -0.5],
            [-1.0, 0.25, 0.125],
            [-0.25, 1.5, 1.0],
            [0.5, 0.125, -0.125],
            [-2.0, 0.0, 0.0],
            [0.0, -1.75, 0.5],
            [1.9, 0.0, 1.3],
        ];
        for (set, dim) in SETS {
            for x in outside {
                let mut projected = x;
                set.project(&mut projected[..dim]);
                // 1e-15: rounding of numbers of size 2
                assert!(contains(&set, &projected[..dim], 4e-15), "{set:?} {x:?}");
                let distance = |y: &[f64]| -> f64 {
                    y.iter()
                        .zip(&x)
                        .map(|(y, x)| (y - x) * (y - x))
                        .sum::<f64>()
                };
                let best = distance(&projected[..dim]);
                let mut nearest = f64::INFINITY;
                grid(dim, &mut |y| {
                    if contains(&set, y, 0.0) {
                        nearest = nearest.min(distance(y));
                        // characterization: (x − Πx)·(y − Πx) ≤ 0 for every y of the set
                        let product: f64 = (0..dim)
                            .map(|i| (x[i] - projected[i]) * (y[i] - projected[i]))
                            .sum();
                        assert!(product < 1e-14, "{set:?} {x:?} {y:?} {product}");
                    }
                });
                assert!(best <= nearest + 1e-14, "{set:?} {x:?} {best} {nearest}");
                // the grid is fine enough to hold a point of the set within two cells of the
                // projection, except on sets thinner than the grid
                let cells = 2.0 * 0.125 * 3f64.sqrt();
                let thin = matches!(set, Set::Cone { mu } if mu < 0.5);
                assert!(
                    thin || nearest.sqrt() <= best.sqrt() + cells,
                    "{set:?} {x:?}"
                );
            }
        }
    }

    #[test]
    fn natural_map_has_no_cancellation_inside_the_set() {
        let set = Set::Interval {
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
        };
        // 1e9 − (1e9 − 1e-12) would be zero
        let r = set.natural_map(&[1e9], &[1e-12], 1.0).unwrap();
        assert_eq!(r[0], 1e-12);
    }

    #[test]
    fn huge_numbers_are_refused() {
        let set = Set::Disc { radius: 1.0 };
        let result = set.natural_map(&[0.0, 0.0], &[1e100, 0.0], 1e60);
        assert!(matches!(result, Err(MetricError::Overflow { .. })));
    }
}
