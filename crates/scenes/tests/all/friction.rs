//! Every law of friction, in every direction, against its closed form in the steps of the scheme.

use std::f64::consts::FRAC_PI_4;

use crate::support::scene;
use delassus_core::{Choice, ContactLaw, ImpulseSolver, Solver};
use delassus_dynamics::{Scheme, VelocityParameters, VelocityScheme, World};
use delassus_scenes::oracles::friction::{slide_in_steps, sliding_acceleration_along, strength};
use delassus_solver_si::BlockGs;
use serde_json::json;

/// The laws whose friction is a share of the load.
const LAWS: [ContactLaw; 7] = [
    ContactLaw::Disc,
    ContactLaw::Coulomb,
    ContactLaw::Patch,
    ContactLaw::Pyramid,
    ContactLaw::Facets4,
    ContactLaw::Facets8,
    ContactLaw::Facets16,
];

/// Steps of `h` \[s\], each solved exactly.
fn run(mut world: World, h: f64, frames: usize) -> World {
    let parameters = VelocityParameters {
        sweeps: 300,
        ..VelocityParameters::default()
    };
    let solver: Box<dyn ImpulseSolver> = Box::new(BlockGs::new(Default::default()).unwrap());
    let mut scheme = VelocityScheme::new(parameters, solver).unwrap();
    for _ in 0..frames {
        scheme.step(&mut world, h, &mut ()).unwrap();
    }
    world
}

#[test]
fn o23_blocks_slide_the_way_of_their_law_from_0_to_45_degrees() {
    let (speed, mu, h, frames) = (4.0, 0.4, 0.01, 120);
    for law in LAWS {
        for part in 0..=6 {
            let direction = f64::from(part) / 6.0 * FRAC_PI_4;
            let (sine, cosine) = libm::sincos(direction);
            let block = scene(
                "sliding-block",
                json!({
                    "law": law.name(), "speed": speed, "friction": mu, "direction": direction,
                    "half": [0.5, 0.1, 0.5],
                }),
            );
            let end = run(block, h, frames).bodies()[1].position.to_vector();
            let start = [speed * cosine, speed * sine];
            let steps = slide_in_steps(law, start, mu, 9.81, h, frames);
            let [x, z] = steps.expect("a share of the load")[frames].0;
            let error = libm::hypot(end.x - x, end.z - z);
            assert!(error < 1e-7, "{law:?} {direction}: {end} {x} {z}");
            let course = libm::atan2(end.z, end.x);
            let expected = match law {
                // no deviation, or that of two axes by themselves
                ContactLaw::Disc | ContactLaw::Coulomb | ContactLaw::Patch => direction,
                ContactLaw::Pyramid => libm::atan(libm::tan(direction) * libm::tan(direction)),
                _ => continue,
            };
            // the square's last step of each axis is a part of one
            let tolerance = if law == ContactLaw::Pyramid {
                1e-2
            } else {
                1e-8
            };
            assert!(
                (course - expected).abs() < tolerance,
                "{law:?} {direction}: {course}"
            );
        }
    }
}

#[test]
fn boxes_slip_at_the_angle_of_their_law_on_one_to_four_feet() {
    let (mu, frames) = (0.4, 30);
    for law in LAWS {
        for feet in 1..=4 {
            // the twist row of a patch needs a body that may turn about the normal
            if law == ContactLaw::Patch && feet == 1 {
                continue;
            }
            for part in 0..=2 {
                let direction = f64::from(part) / 2.0 * FRAC_PI_4;
                // across the line of two feet the lower one carries more, and the box turns about
                // it
                if feet == 2 && part > 0 {
                    continue;
                }
                let limit = mu * strength(law, direction).expect("a share of the load");
                for factor in [0.98, 1.02] {
                    let slope = libm::atan(factor * limit);
                    let start = scene(
                        "footed-box",
                        json!({
                            "law": law.name(), "feet": feet, "slope": slope, "direction": direction,
                            "friction": mu, "half": [0.5, 0.1, 0.5],
                        }),
                    );
                    let found = run(start, 1.0 / 60.0, frames).bodies()[1].velocity;
                    let [x, z] = sliding_acceleration_along(law, [slope, direction], mu, 9.81)
                        .expect("a share of the load")
                        .map(|a| 0.5 * a);
                    let error = libm::hypot(found.x - x, found.z - z);
                    assert!(
                        error < 1e-6,
                        "{law:?}, {feet} feet, {direction}, {factor}: {found} {x} {z}"
                    );
                }
            }
        }
    }
}
