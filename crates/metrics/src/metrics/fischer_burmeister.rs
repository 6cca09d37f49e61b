//! The Fischer–Burmeister functions of the factors (M.11–M.13).

use delassus_core::SetShape;
use delassus_core::norm::{self, SquareSum};

use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::set::length;
use crate::terms::{Norms, Terms};

/// ‖φ‖² in parts \[J\]; `None` once a factor has no such function.
#[derive(Debug)]
pub(crate) struct FischerBurmeister(Option<SquareSum>);

impl Default for FischerBurmeister {
    fn default() -> Self {
        Self(Some(SquareSum::default()))
    }
}

impl AccumulatedMetric for FischerBurmeister {
    type Value = Option<f64>;

    const DOC: MetricDoc = MetricDoc {
        id: "fischer_burmeister",
        name: "Fischer-Burmeister function",
        formula: "√Σ ‖x + y − (x² + y²)^½‖², x = √d λ, y = w/√d; cones in their Jordan algebra",
        theory: &["M.11", "M.12", "M.13"],
        unit: "√J",
        citations: &["Fischer1992", "Billups1995", "Fukushima2002"],
        applies: "every law but facets with two tangents, scaled cones, and patches and rolling with friction",
        decides: true,
        misleads: "has a unit and no scale; a small μ hides the normal impulse of a cone, and \
                   a large one its normal velocity: of Coulomb's law it shrinks like 1/μ where contacts are open",
        ..MetricDoc::BASE
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        // the function adds the De Saxcé term of F3 itself; a contact in parts has the natural map,
        // of the same size and unit
        let phi = if terms.apart {
            Some([terms.energy, 0.0, 0.0])
        } else {
            function(terms)
        };
        self.0 = self.0.zip(phi).map(|(mut sum, phi)| {
            sum.add_all(&phi);
            sum
        });
    }

    fn finish(self, _: &Norms) -> Option<f64> {
        self.0.map(SquareSum::root)
    }
}

/// φ(a, b) = a + b − √(a² + b²): zero exactly where a ≥ 0, b ≥ 0, ab = 0 (M.11) \[Fischer1992\].
fn scalar(a: f64, b: f64) -> f64 {
    if a == f64::INFINITY {
        return b;
    }
    let hypotenuse = norm::norm(&[a, b]);
    if a + b > 0.0 {
        // the same number without cancellation
        2.0 * a * (b / (hypotenuse + a + b))
    } else {
        a + b - hypotenuse
    }
}

/// The function of a row with bounds (M.12) \[Billups1995\]; all arguments in √J.
fn interval(x: f64, w: f64, lower: f64, upper: f64) -> f64 {
    let above = if upper == f64::INFINITY {
        w
    } else {
        -scalar(upper - x, -w)
    };
    if lower == f64::NEG_INFINITY {
        above
    } else {
        scalar(x - lower, above)
    }
}

/// Components of a group of at most three rows; the unused ones are zero.
type Triple = [f64; 3];

/// φ of one group \[√J\]; `None` for discs whose radius belongs to other rows, for polygons, for
/// rows with scales of their own and for cones of more than three rows.
fn function(terms: &Terms<'_>) -> Option<Triple> {
    let (set, impulse, velocity) = (&terms.set, terms.impulse, terms.shifted());
    let (root, mu) = (terms.group.root_scale, terms.group.mu());
    let row = |i: usize, lower: f64, upper: f64| {
        let s = terms.root_scales[i];
        interval(impulse[i] * s, velocity[i] / s, lower * s, upper * s)
    };
    let normal_and_box = |limit: f64| {
        std::array::from_fn(|i| match i {
            0 => row(0, 0.0, f64::INFINITY),
            i if i < impulse.len() => row(i, -limit, limit),
            _ => 0.0,
        })
    };
    if let Some((lower, upper)) = set.bounds.bounds() {
        return Some(match set.pushes {
            true => normal_and_box(upper),
            false => [row(0, lower, upper), 0.0, 0.0],
        });
    }
    match set.bounds.shape {
        _ if !set.bounds.scales.is_empty() || impulse.len() > 3 => None,
        SetShape::Ball if !set.pushes => None,
        SetShape::Ball | SetShape::Cone if mu == 0.0 => Some(normal_and_box(0.0)),
        // F3 and F5 have the same solutions: both are judged as one cone
        SetShape::Ball => {
            let mut shifted = [0.0; 3];
            let shifted = &mut shifted[..velocity.len()];
            shifted.copy_from_slice(velocity);
            shifted[0] += mu * length(&velocity[1..]);
            Some(cone(mu, impulse, shifted, root))
        }
        SetShape::Cone => Some(cone(mu, impulse, velocity, root)),
        SetShape::Interval { .. } | SetShape::Polygon(_) => None,
    }
}

/// φ in the Lorentz cone, after the change of variables that makes K_μ self-dual (M.13)
/// \[Fukushima2002\].
fn cone(mu: f64, impulse: &[f64], velocity: &[f64], root: f64) -> Triple {
    let dim = impulse.len();
    let (mut x, mut y): (Triple, Triple) = ([0.0; 3], [0.0; 3]);
    for i in 0..dim {
        x[i] = impulse[i] * root;
        y[i] = velocity[i] / root;
    }
    x[0] *= mu;
    y[0] /= mu;
    // φ grows with its arguments: what is tiny is doubled often enough that products keep their
    // digits
    let largest = x
        .iter()
        .chain(&y)
        .fold(0.0, |most: f64, x| most.max(x.abs()));
    let lift = if largest < TINY { 1.0 / TINY } else { 1.0 };
    let (x, y) = (x.map(|x| lift * x), y.map(|y| lift * y));
    let squares = root_of_squares(&x, &y);
    [0, 1, 2].map(|i| (x[i] + y[i] - squares[i]) / lift)
}

/// Products of numbers below this may lose digits \[√J\]: 2⁻⁴⁰⁰.
const TINY: f64 = f64::from_bits((1023 - 400) << 52);

/// (x² + y²)^{1/2} in the Jordan algebra of the Lorentz cone.
fn root_of_squares(x: &Triple, y: &Triple) -> Triple {
    let mut direction = [x[0] * x[1] + y[0] * y[1], x[0] * x[2] + y[0] * y[2]];
    let norm = length(&direction);
    if norm > 0.0 {
        direction = direction.map(|d| d / norm);
    } else {
        // both spectral values are equal: any direction will do
        direction = [1.0, 0.0];
    }
    // the spectral values ‖x‖² + ‖y‖² ± 2‖x_n x_t + y_n y_t‖ as sums of squares: no cancellation on
    // the boundary
    let spectral = |sign: f64| {
        let term = |z: &Triple| {
            let (u, v) = (
                z[0] * direction[0] + sign * z[1],
                z[0] * direction[1] + sign * z[2],
            );
            u * u + v * v
        };
        (term(x) + term(y)).sqrt()
    };
    let (small, large) = (spectral(-1.0), spectral(1.0));
    let half = 0.5 * (large - small);
    [
        0.5 * (large + small),
        half * direction[0],
        half * direction[1],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::dot;
    use proptest::prelude::*;

    #[test]
    fn scalar_by_hand() {
        // 3 + 4 − 5, −3 + 4 − 5, −3 − 4 − 5
        assert!((scalar(3.0, 4.0) - 2.0).abs() < 1e-15);
        assert_eq!(scalar(-3.0, 4.0), -4.0);
        assert_eq!(scalar(-3.0, -4.0), -12.0);
        assert_eq!(scalar(0.0, 7.0), 0.0);
        assert_eq!(scalar(0.0, 0.0), 0.0);
    }

    #[test]
    fn interval_by_hand() {
        // inside [0, 1] at 1/2 with w = 0: a solution
        assert_eq!(interval(0.5, 0.0, 0.0, 1.0), 0.0);
        // at the lower bound w ≥ 0, at the upper one w ≤ 0: solutions
        assert_eq!(interval(0.0, 3.0, 0.0, 1.0), 0.0);
        assert_eq!(interval(1.0, -3.0, 0.0, 1.0), 0.0);
        // no bounds: w itself
        assert_eq!(interval(5.0, -2.0, f64::NEG_INFINITY, f64::INFINITY), -2.0);
        // x = 4, w = −3 below an upper bound of 8: −φ(4, 3) = −(4 + 3 − 5) = −2
        assert!((interval(4.0, -3.0, f64::NEG_INFINITY, 8.0) + 2.0).abs() < 1e-15);
    }

    #[test]
    fn cone_on_its_axis_is_scalar() {
        // no tangents and μ = 1: the spectral values are both a² + b², so φ = (a + b − √(a² + b²),
        // 0, 0)
        let value = length(&cone(1.0, &[3.0, 0.0, 0.0], &[4.0, 0.0, 0.0], 1.0));
        assert!((value - 2.0).abs() < 1e-14, "{value}");
    }

    #[test]
    fn cone_vanishes_on_the_boundary() {
        // slip: λ = (2, 0.6, −0.8) on the boundary of K_μ for μ = 1/2, ŵ = (μ·5, −3, 4) on that of
        // K_μ*, opposed. Only the rounding of numbers of size 10 remains, squared.
        let value = length(&cone(0.5, &[2.0, 0.6, -0.8], &[2.5, -3.0, 4.0], 1.0));
        assert!(value < 1e-14, "{value}");
    }

    proptest! {
        /// (2 − √2)|min(a, b)| ≤ |φ(a, b)| ≤ (2 + √2)|min(a, b)| \[Tseng1996\]; 1e-12 for rounding.
        #[test]
        fn scalar_is_equivalent_to_the_minimum(a in -1e3f64..1e3, b in -1e3f64..1e3) {
            let (phi, least) = (scalar(a, b).abs(), a.min(b).abs());
            let root = 2f64.sqrt();
            prop_assert!(phi >= (2.0 - root) * least * (1.0 - 1e-12));
            prop_assert!(phi <= (2.0 + root) * least * (1.0 + 1e-12));
        }

        /// The root squares to x² + y² in the Jordan algebra: z∘z = (‖z‖², 2 z_n z_t).
        #[test]
        fn root_squares_back(
            x in prop::array::uniform3(-5f64..5.0),
            y in prop::array::uniform3(-5f64..5.0),
        ) {
            let z = root_of_squares(&x, &y);
            let square = |z: &Triple| [dot(z, z), 2.0 * z[0] * z[1], 2.0 * z[0] * z[2]];
            let (zz, xx, yy) = (square(&z), square(&x), square(&y));
            for i in 0..3 {
                // 1e-13: rounding of sums of numbers up to 150
                prop_assert!((zz[i] - xx[i] - yy[i]).abs() < 1e-13 * 150.0);
            }
        }
    }
}
