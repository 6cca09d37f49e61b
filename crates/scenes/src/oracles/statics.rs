//! What stands: arches of voussoirs and leaning cards, by the equilibrium of rigid bodies.

use std::f64::consts::PI;

/// What the stones of an arch are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voussoir {
    /// Sectors of a ring.
    Sector,
    /// Prisms with plane faces between the corners of the joints, as in the scene "voussoir-arch".
    Prism,
}

/// The right half of a semicircular arch of `n` voussoirs of mean radius 1, of unit weight per
/// area.
struct Half {
    joints: Vec<Joint>,
}

/// A joint, and what lies between it and the crown.
struct Joint {
    /// Angle above the horizontal \[rad\].
    angle: f64,
    /// Weight, and its moment about the centre of the arch.
    weight: [f64; 2],
    /// Places of the inner and the outer end.
    ends: [[f64; 2]; 2],
}

impl Half {
    fn new(n: usize, thickness: f64, stone: Voussoir) -> Self {
        let [inner, outer] = [1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness];
        let step = PI / n as f64;
        let (sine, cosine) = libm::sincos(0.5 * step);
        let squares = outer * outer - inner * inner;
        let third = 2.0 / 3.0 * (outer * outer * outer - inner * inner * inner) / squares;
        // area of a stone, radius of its centre, and distance of the centre of its half from its
        // middle line
        let (area, radius, aside) = match stone {
            Voussoir::Sector => {
                let quarter = libm::sin(0.25 * step);
                let aside = third * quarter * quarter / (0.25 * step);
                (0.5 * step * squares, third * sine / (0.5 * step), aside)
            }
            Voussoir::Prism => (sine * cosine * squares, third * cosine, 0.5 * third * sine),
        };
        let (mut weight, mut moment) = (0.0, 0.0);
        if n % 2 == 1 {
            (weight, moment) = (0.5 * area, 0.5 * area * aside);
        }
        let mut joints = Vec::with_capacity(n / 2 + 1);
        for k in (0..=n / 2).rev() {
            let angle = k as f64 * step;
            let (sine, cosine) = libm::sincos(angle);
            joints.push(Joint {
                angle,
                weight: [weight, moment],
                ends: [inner, outer].map(|radius| [radius * cosine, radius * sine]),
            });
            // the stone below
            weight += area;
            moment += area * radius * libm::cos(angle - 0.5 * step);
        }
        Self { joints }
    }

    /// By how much the line of thrust fits with a thrust `h` at the crown (O.39): the room that is
    /// left for its moment; below zero where some joint would open on both sides.
    fn room(&self, h: f64) -> f64 {
        let bound = |joint: &Joint, end: usize| {
            let [weight, moment] = joint.weight;
            let [x, y] = joint.ends[end];
            y * h + x * weight - moment
        };
        let joints = || self.joints.iter();
        let least = joints()
            .map(|joint| bound(joint, 0))
            .fold(f64::MIN, f64::max);
        let most = joints()
            .map(|joint| bound(joint, 1))
            .fold(f64::MAX, f64::min);
        most - least
    }

    /// The thrusts with which no joint slides (O.40), none if the second is below the first.
    fn thrusts(&self, friction: f64) -> [f64; 2] {
        let mut range = [0.0_f64, f64::MAX];
        for joint in &self.joints {
            let [weight, _] = joint.weight;
            let (sine, cosine) = libm::sincos(joint.angle);
            // |h cos − W sin| ≤ μ (h sin + W cos)
            let least = weight * (sine - friction * cosine) / (cosine + friction * sine);
            range[0] = range[0].max(least);
            let slope = cosine - friction * sine;
            if slope > 0.0 {
                range[1] = range[1].min(weight * (sine + friction * cosine) / slope);
            }
        }
        range
    }

    /// The most room of all thrusts without sliding, and its thrust. The room is a concave function
    /// of the thrust.
    fn best(&self, friction: f64) -> (f64, f64) {
        let [mut low, high] = self.thrusts(friction);
        // no line of thrust of more than a hundred times the weight fits into half of the span
        let weight = self.joints.last().map_or(0.0, |joint| joint.weight[0]);
        let mut high = high.min(100.0 * weight);
        if high < low {
            return (f64::MIN, low);
        }
        for _ in 0..200 {
            let [a, b] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
            if self.room(a) < self.room(b) {
                low = a;
            } else {
                high = b;
            }
        }
        let h = 0.5 * (low + high);
        (self.room(h), h)
    }
}

/// The middle of an interval halved until the answer changes within 1e-13 of it; `stands` is false
/// at the lower end.
fn bisect([mut lower, mut upper]: [f64; 2], stands: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (lower + upper);
        if stands(middle) {
            upper = middle;
        } else {
            lower = middle;
        }
    }
    0.5 * (lower + upper)
}

/// The smallest thickness over the mean radius with which a semicircular arch of `n` ≥ 2 voussoirs
/// stands \[-\] (O.39); 1 if it slides with any.
pub fn arch_thickness(n: usize, friction: f64, stone: Voussoir) -> f64 {
    // rounding must not decide: the room is of the order of the thickness
    bisect([0.0, 1.0], |thickness| {
        Half::new(n, thickness, stone).best(friction).0 >= -1e-12
    })
}

/// The smallest coefficient of friction with which the same arch of a thickness stands \[-\]
/// (O.40); 2 if it does not with that either.
pub fn arch_friction(n: usize, thickness: f64, stone: Voussoir) -> f64 {
    let half = Half::new(n, thickness, stone);
    bisect([0.0, 2.0], |friction| half.best(friction).0 >= -1e-12)
}

/// The smallest coefficient of friction at the feet of two cards that lean against each other \[-\]
/// (O.38).
///
/// Angle of the cards above the ground \[rad\]; thickness over length \[-\].
pub fn leaning_friction(angle: f64, slenderness: f64) -> f64 {
    let (sine, cosine) = libm::sincos(angle);
    0.5 * (cosine / sine - slenderness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arches_of_sectors_have_the_thicknesses_of_the_literature() {
        for (n, expected) in [
            (7, 0.09624),
            (8, 0.10086),
            (9, 0.10213),
            (11, 0.10491),
            (15, 0.10627),
            (21, 0.10679),
            (31, 0.10717),
            (101, 0.10745),
        ] {
            let found = arch_thickness(n, 0.7, Voussoir::Sector);
            assert!((found - expected).abs() < 2e-5, "{n}: {found}");
        }
        // Milankovitch: the limit of many stones, which have no faces
        for stone in [Voussoir::Sector, Voussoir::Prism] {
            let many = arch_thickness(2001, 0.7, stone);
            assert!((many - 0.1075).abs() < 5e-5, "{many}");
        }
    }

    #[test]
    fn friction_at_the_springing_is_the_thrust_over_the_weight() {
        let thinnest = arch_thickness(7, 10.0, Voussoir::Sector);
        let friction = arch_friction(7, thinnest + 1e-9, Voussoir::Sector);
        assert!((friction - 0.3853).abs() < 1e-4, "{friction}");
        let many = arch_thickness(1001, 10.0, Voussoir::Sector);
        let friction = arch_friction(1001, many + 1e-9, Voussoir::Sector);
        assert!((friction - 0.3953).abs() < 2e-4, "{friction}");
        // with less the arch slides, however thick
        assert_eq!(arch_thickness(7, 0.1, Voussoir::Sector).round(), 1.0);
    }

    #[test]
    fn thin_cards_need_half_the_cotangent() {
        for (degrees, expected) in [
            (60.0_f64, 0.288_675),
            (65.0, 0.233_154),
            (70.0, 0.181_985),
            (75.0, 0.133_975),
            (80.0, 0.088_163),
        ] {
            assert!((leaning_friction(degrees.to_radians(), 0.0) - expected).abs() < 5e-7);
        }
    }
}
