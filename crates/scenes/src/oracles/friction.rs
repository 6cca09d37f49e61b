//! What each law of friction does to a body that moves without turning: velocities, ways and the
//! slope where it slips.
//!
//! All points of such a body slide alike, so its friction lies in the set of the law times the
//! whole normal impulse, and a step leaves the part of the velocity that the set does not reach
//! (O.36).

use delassus_core::{ContactLaw, Polygon};

/// The set of a law: what friction of strength one can be along the two tangents.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Set {
    Nothing,
    Square,
    Disc,
    Polygon(Polygon),
}

/// The set of a law; `None` where friction is not a share of the normal impulse, or the body lifts.
fn set(law: ContactLaw) -> Option<Set> {
    Some(match law {
        ContactLaw::Frictionless => Set::Nothing,
        ContactLaw::Pyramid => Set::Square,
        ContactLaw::Disc | ContactLaw::Coulomb | ContactLaw::Patch => Set::Disc,
        ContactLaw::Facets4 => Set::Polygon(Polygon::new(4)),
        ContactLaw::Facets8 => Set::Polygon(Polygon::new(8)),
        ContactLaw::Facets16 => Set::Polygon(Polygon::new(16)),
        ContactLaw::FixedBox | ContactLaw::ConvexCone => return None,
    })
}

/// What a step leaves of the velocity along the two tangents \[m/s\], if friction of full strength
/// takes `reach` \[m/s\] off it (O.36); `None` for a box of fixed size and the convex relaxation.
pub fn after_friction(law: ContactLaw, velocity: [f64; 2], reach: f64) -> Option<[f64; 2]> {
    let taken = match set(law)? {
        Set::Nothing => [0.0; 2],
        Set::Square => velocity.map(|v| v.clamp(-reach, reach)),
        Set::Disc => {
            let speed = libm::hypot(velocity[0], velocity[1]);
            let share = if speed > reach { reach / speed } else { 1.0 };
            velocity.map(|v| share * v)
        }
        Set::Polygon(polygon) => polygon.project(velocity, reach),
    };
    Some([velocity[0] - taken[0], velocity[1] - taken[1]])
}

/// Strength of friction against a force in the direction (cos φ, sin φ) over μ \[-\]: tan of the
/// angle where a body begins to slide down a slope in that direction, over μ (O.37).
pub fn strength(law: ContactLaw, direction: f64) -> Option<f64> {
    let (sine, cosine) = libm::sincos(direction);
    Some(match set(law)? {
        Set::Nothing => 0.0,
        Set::Square => 1.0 / cosine.abs().max(sine.abs()),
        Set::Disc => 1.0,
        // the support of the normals of its edges, each at the distance cos(π/d)
        Set::Polygon(polygon) => {
            let normals = (0..polygon.facets()).map(|index| polygon.normal(index));
            let along = |normal: [f64; 2]| normal[0] * cosine + normal[1] * sine;
            polygon.apothem() / normals.map(along).fold(0.0, f64::max)
        }
    })
}

/// Acceleration along the two tangents of a body that starts at rest on an incline and slopes down
/// in a direction \[m/s²\].
///
/// Angle of the incline and direction \[rad\], coefficient of friction \[-\], gravity \[m/s²\].
pub fn sliding_acceleration_along(
    law: ContactLaw,
    [slope, direction]: [f64; 2],
    friction: f64,
    gravity: f64,
) -> Option<[f64; 2]> {
    let (sine, cosine) = libm::sincos(slope);
    let (across, along) = libm::sincos(direction);
    let down = [along, across].map(|part| gravity * sine * part);
    after_friction(law, down, friction * gravity * cosine)
}

/// Places of a body that slides on level ground \[m\], after 0 … `count` steps of `h` \[s\] that
/// move with the new velocity, and its velocities \[m/s\]; (O.30) along an axis.
pub fn slide_in_steps(
    law: ContactLaw,
    velocity: [f64; 2],
    friction: f64,
    gravity: f64,
    h: f64,
    count: usize,
) -> Option<Vec<([f64; 2], [f64; 2])>> {
    let reach = h * friction * gravity;
    let (mut place, mut velocity) = ([0.0; 2], velocity);
    let mut steps = vec![(place, velocity)];
    for _ in 0..count {
        velocity = after_friction(law, velocity, reach)?;
        place = [0, 1].map(|axis| place[axis] + h * velocity[axis]);
        steps.push((place, velocity));
    }
    Some(steps)
}

/// Way of a body that slides on level ground by Coulomb's law \[m\], and its speed \[m/s\], at a
/// time \[s\].
pub fn coulomb_slide(speed: f64, friction: f64, gravity: f64, time: f64) -> [f64; 2] {
    let brake = friction * gravity;
    let time = if brake > 0.0 {
        time.min(speed / brake)
    } else {
        time
    };
    [
        time * (speed - 0.5 * brake * time),
        (speed - brake * time).max(0.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_4, PI};

    const LAWS: [ContactLaw; 8] = [
        ContactLaw::Frictionless,
        ContactLaw::Pyramid,
        ContactLaw::Disc,
        ContactLaw::Coulomb,
        ContactLaw::Patch,
        ContactLaw::Facets4,
        ContactLaw::Facets8,
        ContactLaw::Facets16,
    ];

    #[test]
    fn a_body_slips_where_the_strength_says() {
        for law in LAWS {
            for step in 0..=30 {
                let direction = 0.05 * f64::from(step);
                let strength = strength(law, direction).expect("a share of the load");
                for (factor, slips) in [(0.999, false), (1.001, true)] {
                    if law == ContactLaw::Frictionless && !slips {
                        continue;
                    }
                    let slope = libm::atan(factor * 0.4 * strength + 1e-12);
                    let found = sliding_acceleration_along(law, [slope, direction], 0.4, 9.81);
                    let [x, z] = found.expect("a share of the load");
                    assert_eq!(libm::hypot(x, z) > 1e-13, slips, "{law:?} {direction}");
                }
            }
        }
        // cos(π/d) between two facets, √2 in the corner of the square
        for (law, least) in [
            (ContactLaw::Facets4, 0.707),
            (ContactLaw::Facets8, 0.924),
            (ContactLaw::Facets16, 0.981),
        ] {
            let between =
                PI / [4.0, 8.0, 16.0][usize::from(least > 0.8) + usize::from(least > 0.95)];
            let found = strength(law, between).expect("a share of the load");
            assert!((found - least).abs() < 5e-4, "{law:?} {found}");
        }
        let corner = strength(ContactLaw::Pyramid, FRAC_PI_4).expect("a share of the load");
        assert!((corner - 2.0_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn a_square_of_friction_turns_the_way() {
        // each axis stops by itself: x = v² cos²/(2 μ g), z = v² sin²/(2 μ g)
        let (mu, gravity, speed, h) = (0.4, 9.81, 5.0, 1e-4);
        let (sine, cosine) = libm::sincos(PI / 6.0);
        let start = [speed * cosine, speed * sine];
        let steps = slide_in_steps(ContactLaw::Pyramid, start, mu, gravity, h, 20_000);
        let [x, z] = steps.expect("a share of the load")[20_000].0;
        let way = |v: f64| v * v / (2.0 * mu * gravity);
        assert!((x - way(start[0])).abs() < 3e-4 && (z - way(start[1])).abs() < 3e-4);
        assert!((libm::atan2(z, x) - libm::atan(1.0 / 3.0)).abs() < 1e-4);
        // the disc keeps the direction
        let steps = slide_in_steps(ContactLaw::Disc, start, mu, gravity, h, 20_000);
        let [x, z] = steps.expect("a share of the load")[20_000].0;
        assert!((libm::atan2(z, x) - PI / 6.0).abs() < 1e-12);
        let [way, rest] = coulomb_slide(speed, mu, gravity, 2.0);
        assert!((libm::hypot(x, z) - way).abs() < 3e-4 && rest == 0.0);
    }

    #[test]
    fn an_axis_has_the_recurrence_of_one_coordinate() {
        use super::super::contact::stopping_distance_in_steps;
        let (mu, gravity, speed, h) = (0.5, 9.81, 10.0, 1.0 / 60.0);
        let expected = stopping_distance_in_steps(speed, mu, gravity, h);
        for law in LAWS.into_iter().skip(1) {
            let steps = slide_in_steps(law, [speed, 0.0], mu, gravity, h, 300);
            let [x, z] = steps.expect("a share of the load")[300].0;
            assert!(
                (x - expected).abs() < 1e-12 && z == 0.0,
                "{law:?} {x} {expected}"
            );
        }
        assert_eq!(
            after_friction(ContactLaw::ConvexCone, [1.0, 0.0], 0.1),
            None
        );
        assert_eq!(strength(ContactLaw::FixedBox, 0.0), None);
    }
}
