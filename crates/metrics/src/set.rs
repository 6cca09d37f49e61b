//! The set K of one group at a given λ, its projection, its natural map and its friction.

/// Euclidean length.
pub(crate) use delassus_core::projection::norm as length;
use delassus_core::{AdmissibleSet, SetShape};

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

/// Most rows of a group \[-\].
pub(crate) const MOST_ROWS: usize = 6;

/// Components of one group; the unused ones are zero.
pub(crate) type GroupValues = [f64; MOST_ROWS];

/// Admissible impulses of one group of K(λ), with the radii that λ gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FactorSet<'p> {
    /// True if the first row is a normal row ≥ 0 by itself, before those of `bounds`.
    pub(crate) pushes: bool,
    /// The set of the other rows, or of all.
    pub(crate) bounds: AdmissibleSet<'p>,
}

impl FactorSet<'_> {
    /// Π_K, in place.
    #[inline]
    pub(crate) fn project(&self, x: &mut [f64]) {
        match x.split_first_mut() {
            Some((normal, tangents)) if self.pushes => {
                *normal = normal.max(0.0);
                self.bounds.project(tangents);
            }
            _ => self.bounds.project(x),
        }
    }

    /// The set of √S λ, S being the square of one factor for the normal row and one for the
    /// tangents.
    pub(crate) fn scaled(self, parts: Parts) -> Self {
        let Parts { normal, tangent } = parts;
        let radius = match self.bounds.shape {
            SetShape::Cone => self.bounds.radius * (tangent / normal),
            _ if self.pushes => tangent * self.bounds.radius,
            _ => self.bounds.radius,
        };
        Self {
            bounds: AdmissibleSet {
                radius,
                ..self.bounds
            },
            ..self
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
    ) -> Result<GroupValues, MetricError> {
        let dim = impulse.len();
        let (mut moved, mut projected) = ([0.0; MOST_ROWS], [0.0; MOST_ROWS]);
        for i in 0..dim {
            moved[i] = impulse[i] - step * velocity[i];
        }
        check_range("the natural map", &moved)?;
        projected[..dim].copy_from_slice(&moved[..dim]);
        self.project(&mut projected[..dim]);
        let mut out = [0.0; MOST_ROWS];
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
        let is_cone = self.bounds.shape == SetShape::Cone;
        let first = usize::from(self.pushes || is_cone);
        let (x, w) = (&impulse[first..], &velocity[first..]);
        let friction = match self.bounds.shape {
            // every row by itself; intervals of friction are symmetric
            SetShape::Interval { upper, .. } => {
                let upper = upper * self.bounds.radius;
                let terms = x.iter().zip(w).map(|(x, w)| upper * w.abs() + x * w);
                return terms.map(f64::abs).sum();
            }
            SetShape::Cone => AdmissibleSet {
                shape: SetShape::Ball,
                radius: self.bounds.radius * impulse[0].max(0.0),
                ..self.bounds
            },
            SetShape::Ball | SetShape::Polygon(_) => self.bounds,
        };
        (friction.support(w) + dot(x, w)).abs()
    }
}

/// Inner product.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_core::{Factor, Polygon};

    /// Sets with their numbers of rows.
    fn sets() -> [(FactorSet<'static>, usize); 11] {
        let interval = |lower, upper| SetShape::Interval { lower, upper };
        let polygon = |facets| SetShape::Polygon(Polygon::new(facets));
        let set = |pushes, shape, radius| FactorSet {
            pushes,
            bounds: AdmissibleSet {
                shape,
                radius,
                scales: &[],
                turn: [1.0, 0.0],
            },
        };
        [
            (set(false, interval(-0.5, 1.25), 1.0), 1),
            (set(false, SetShape::Ball, 0.75), 2),
            (set(true, interval(-1.0, 1.0), 0.5), 3),
            (set(true, interval(-1.0, 1.0), 0.0), 3),
            (set(true, SetShape::Ball, 0.7), 3),
            (set(true, polygon(4), 0.75), 3),
            (set(true, polygon(8), 1.25), 3),
            (set(false, SetShape::Cone, 0.6), 3),
            (set(false, SetShape::Cone, 2.0), 3),
            (set(false, SetShape::Cone, 0.3), 2),
            (set(false, SetShape::Cone, 0.0), 3),
        ]
    }

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

    fn contains(set: &FactorSet<'_>, x: &[f64], slack: f64) -> bool {
        let first = usize::from(set.pushes);
        x[..first].iter().all(|normal| *normal >= -slack) && set.bounds.contains(&x[first..], slack)
    }

    #[test]
    fn projections_beat_every_grid_point() {
        let outside: [[f64; 3]; 7] = [
            [1.0, 2.0, -0.5],
            [-1.0, 0.25, 0.125],
            [-0.25, 1.5, 1.0],
            [0.5, 0.125, -0.125],
            [-2.0, 0.0, 0.0],
            [0.0, -1.75, 0.5],
            [1.9, 0.0, 1.3],
        ];
        for (set, dim) in sets() {
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
                let thin = set.bounds.shape == SetShape::Cone && set.bounds.radius < 0.5;
                assert!(
                    thin || nearest.sqrt() <= best.sqrt() + cells,
                    "{set:?} {x:?}"
                );
            }
        }
    }

    #[test]
    fn natural_map_has_no_cancellation_inside_the_set() {
        let set = FactorSet {
            pushes: false,
            bounds: Factor::bounded(0..1, f64::NEG_INFINITY, f64::INFINITY).set_at(&[]),
        };
        // 1e9 − (1e9 − 1e-12) would be zero
        let r = set.natural_map(&[1e9], &[1e-12], 1.0).unwrap();
        assert_eq!(r[0], 1e-12);
    }

    #[test]
    fn huge_numbers_are_refused() {
        let (set, _) = sets()[1];
        let result = set.natural_map(&[0.0, 0.0], &[1e100, 0.0], 1e60);
        assert!(matches!(result, Err(MetricError::Overflow { .. })));
    }
}
