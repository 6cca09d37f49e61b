//! The regular polygon of admissible friction in finitely many directions (F4).

/// Products of numbers below this may lose digits \[-\]: 2⁻⁴⁰⁰.
const TINY: f64 = f64::from_bits((1023 - 400) << 52);

/// A regular polygon with its corners on the unit circle; the first corner is (1, 0).
///
/// The number of corners is even and at least four, so the polygon is symmetric about both axes.
/// [`Self::support`] and [`Self::project`] mirror a point into the first quadrant and then use the
/// sector between two neighbouring corners that contains it. The nearest point of the polygon lies
/// in the same sector, because lines of symmetry bound the sector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Polygon {
    facets: u32,
}

impl Polygon {
    /// Largest number of facets of a law \[-\]. With this number, the polygon differs from the disc
    /// by at most 5e-6 of the radius.
    pub const MAX_FACETS: u32 = 1024;

    /// Creates the polygon with this number of corners, which [`Self::is_valid`] must accept.
    pub const fn new(facets: u32) -> Self {
        Self { facets }
    }

    /// True for even numbers from 4 to [`Self::MAX_FACETS`].
    pub const fn is_valid(facets: u32) -> bool {
        facets >= 4 && facets <= Self::MAX_FACETS && facets.is_multiple_of(2)
    }

    /// Number of corners, and of edges \[-\].
    pub const fn facets(self) -> u32 {
        self.facets
    }

    /// Distance of the edges from the centre \[-\], cos(π/d). This is the ratio of the smallest to
    /// the largest friction of the polygon.
    pub fn apothem(self) -> f64 {
        libm::cos(std::f64::consts::PI / f64::from(self.facets))
    }

    /// The corner d_i = (cos, sin)(2πi/d) \[-\], exact on the axes.
    pub fn corner(self, index: u32) -> [f64; 2] {
        let index = index % self.facets;
        if (4 * index).is_multiple_of(self.facets) {
            return match 4 * index / self.facets {
                0 => [1.0, 0.0],
                1 => [0.0, 1.0],
                2 => [-1.0, 0.0],
                _ => [0.0, -1.0],
            };
        }
        let angle = 2.0 * std::f64::consts::PI * f64::from(index) / f64::from(self.facets);
        let (sine, cosine) = libm::sincos(angle);
        [cosine, sine]
    }

    /// The middle of the edge from corner `index` to the next, as a direction \[-\].
    pub fn normal(self, index: u32) -> [f64; 2] {
        Self::new(2 * self.facets).corner(2 * (index % self.facets) + 1)
    }

    /// Largest x·w over the points x of the polygon, in the unit of w; a corner attains it.
    pub fn support(self, w: [f64; 2]) -> f64 {
        let folded = w.map(f64::abs);
        let sector = self.sector(folded);
        let along = |corner: [f64; 2]| corner[0] * folded[0] + corner[1] * folded[1];
        along(self.corner(sector)).max(along(self.corner(sector + 1)))
    }

    /// Returns the point of `radius` times the polygon that is nearest to `t`. If the radius is not
    /// positive, this is the origin.
    ///
    /// NaN stays NaN, so that later checks detect an invalid iterate.
    pub fn project(self, t: [f64; 2], radius: f64) -> [f64; 2] {
        let largest = t[0].abs().max(t[1].abs()).max(radius);
        if largest > 0.0 && largest < TINY {
            let nearest = self.project(t.map(|x| x / TINY), radius / TINY);
            return nearest.map(|x| x * TINY);
        }
        // no polygon is smaller than the square, whose inner circle has half the area of the outer
        // one
        if t[0] * t[0] + t[1] * t[1] <= 0.5 * radius * radius {
            return t;
        }
        if radius <= 0.0 {
            return t.map(|x| 0.0 * x);
        }
        let folded = t.map(f64::abs);
        let sector = self.sector(folded);
        let [from, to] = [sector, sector + 1].map(|i| self.corner(i).map(|x| radius * x));
        let along = [to[0] - from[0], to[1] - from[1]];
        let past = [folded[0] - from[0], folded[1] - from[1]];
        if past[0] * along[1] - past[1] * along[0] <= 0.0 {
            return t;
        }
        let share =
            (past[0] * along[0] + past[1] * along[1]) / (along[0] * along[0] + along[1] * along[1]);
        let nearest = if share <= 0.0 {
            from
        } else if share >= 1.0 {
            to
        } else {
            [from[0] + share * along[0], from[1] + share * along[1]]
        };
        [nearest[0].copysign(t[0]), nearest[1].copysign(t[1])]
    }

    /// The corner before a point of the first quadrant.
    fn sector(self, [x, y]: [f64; 2]) -> u32 {
        let turns = libm::atan2(y, x) / (2.0 * std::f64::consts::PI);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a quarter of the corners at most; NaN becomes zero"
        )]
        let sector = (turns * f64::from(self.facets)) as u32;
        // rounding may reach the sector beyond the second axis
        sector.min((self.facets - 1) / 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
        a[0] * b[0] + a[1] * b[1]
    }

    /// Points in all directions, at distances inside and outside of the unit circle.
    fn points() -> impl Iterator<Item = [f64; 2]> {
        (0..360).flat_map(|degree| {
            let (sine, cosine) = libm::sincos(f64::from(degree).to_radians());
            [0.3, 0.72, 0.95, 1.0, 1.4, 25.0].map(|r| [r * cosine, r * sine])
        })
    }

    #[test]
    fn corners_lie_on_the_circle_and_edges_inside_it() {
        for facets in [4, 6, 8, 16, 34, 1024] {
            let polygon = Polygon::new(facets);
            for index in 0..facets {
                let corner = polygon.corner(index);
                assert!((dot(corner, corner) - 1.0).abs() < 1e-15);
                let normal = polygon.normal(index);
                for end in [corner, polygon.corner(index + 1)] {
                    assert!((dot(normal, end) - polygon.apothem()).abs() < 1e-15);
                }
            }
        }
        assert_eq!(Polygon::new(4).corner(1), [0.0, 1.0]);
        assert_eq!(Polygon::new(8).corner(6), [0.0, -1.0]);
    }

    #[test]
    fn numbers_of_facets_have_a_range() {
        let valid: Vec<u32> = (0..12).filter(|d| Polygon::is_valid(*d)).collect();
        assert_eq!(valid, [4, 6, 8, 10]);
        assert!(Polygon::is_valid(1024) && !Polygon::is_valid(1026));
    }

    /// Against all edges and corners: the projection is in the set, and no corner lies on its far
    /// side.
    #[test]
    fn projections_are_the_nearest_points() {
        for facets in [4, 6, 8, 10, 16, 64] {
            let polygon = Polygon::new(facets);
            for radius in [1.0, 0.25, 3.0] {
                for x in points() {
                    let p = polygon.project(x, radius);
                    let within = radius * polygon.apothem();
                    let rest = [x[0] - p[0], x[1] - p[1]];
                    let mut outside = false;
                    for index in 0..facets {
                        let normal = polygon.normal(index);
                        assert!(dot(normal, p) <= within + 1e-14, "{facets} {x:?} {p:?}");
                        outside |= dot(normal, x) > within + 1e-14;
                        let corner = polygon.corner(index).map(|c| radius * c);
                        let to = [corner[0] - p[0], corner[1] - p[1]];
                        // 25 · 2⁻⁵²: rounding of the largest products
                        assert!(dot(rest, to) <= 1e-13, "{facets} {x:?} {p:?}");
                    }
                    assert!(outside || dot(rest, rest) <= 1e-28, "{facets} {x:?} {p:?}");
                }
            }
        }
    }

    #[test]
    fn the_square_by_hand() {
        let square = Polygon::new(4);
        // beyond an edge: half of what x + y exceeds the radius by, off each
        assert_eq!(square.project([1.0, 0.5], 1.0), [0.75, 0.25]);
        assert_eq!(square.project([-1.0, 0.5], 1.0), [-0.75, 0.25]);
        // beyond a corner, and inside
        assert_eq!(square.project([0.25, -3.0], 2.0), [0.0, -2.0]);
        assert_eq!(square.project([0.75, 0.125], 1.0), [0.75, 0.125]);
        assert_eq!(square.project([1.0, -2.0], 0.0), [0.0, 0.0]);
        assert!(square.project([f64::NAN, 1.0], 1.0)[0].is_nan());
        assert_eq!(square.support([3.0, -4.0]), 4.0);
    }

    #[test]
    fn the_support_is_that_of_the_best_corner() {
        for facets in [4, 6, 8, 16, 22] {
            let polygon = Polygon::new(facets);
            for w in points() {
                let best = (0..facets).map(|i| dot(polygon.corner(i), w));
                let best = best.fold(f64::NEG_INFINITY, f64::max);
                assert!((polygon.support(w) - best).abs() <= 1e-14 * best.max(1.0));
                // between that of the two circles
                let length = dot(w, w).sqrt();
                let share = polygon.support(w) / length;
                assert!(share <= 1.0 + 1e-15 && share >= polygon.apothem() - 1e-15);
            }
        }
    }
}
