//! Round bodies on planes.

use delassus_core::ContactLaw;
use delassus_dynamics::{Cylinder, Material, Scheme, Sphere};
use nalgebra::Vector3;

use super::{G, accurate, add, plane, run, turn};

#[test]
fn o24_a_sliding_ball_rolls_after_two_sevenths() {
    for (mu, speed, radius) in [(0.3, 1.0, 0.5), (0.2, 3.0, 0.1)] {
        let mut parts = plane(0.0, ContactLaw::Coulomb);
        let ball = add(&mut parts, Sphere::new(radius), radius, Material::rough(mu));
        parts.bodies[ball].velocity.x = speed;
        let mut world = parts.build().unwrap();
        let mut scheme = accurate(|_| {});
        let dt = 1e-4;
        let time = 2.0 * speed / (7.0 * mu * G);
        let slip = |world: &delassus_dynamics::World| {
            let body = &world.bodies()[ball];
            body.velocity.x + radius * body.spin.z
        };
        let mut rolls = None;
        for frame in 1..=(2.0 * time / dt) as u32 {
            scheme.step(&mut world, dt, &mut ()).unwrap();
            if rolls.is_none() && slip(&world).abs() < 1e-9 {
                rolls = Some((
                    f64::from(frame) * dt,
                    world.bodies()[ball].position.to_vector().x,
                ));
            }
        }
        let (found, distance) = rolls.expect("it rolls");
        assert!((found - time).abs() < 2.0 * dt, "{found} {time}");
        let expected = 12.0 * speed * speed / (49.0 * mu * G);
        assert!(
            (distance - expected).abs() < 2.0 * speed * dt,
            "{distance} {expected}"
        );
        let end = world.bodies()[ball].velocity.x;
        assert!((end / speed - 5.0 / 7.0).abs() < 1e-9, "{end}");
    }
}

#[test]
fn o24_round_bodies_roll_down_an_incline_as_their_inertia_says() {
    // a = g sin θ / (1 + I/(m r²)); the mass of a hoop lies at its rim
    let radius = 0.5;
    for (kind, ratio) in [("ball", 0.4), ("cylinder", 0.5), ("hoop", 1.0)] {
        let slope = 20.0_f64.to_radians();
        let sine = libm::sin(slope);
        let mut parts = plane(slope, ContactLaw::Coulomb);
        let rough = Material::rough(0.7);
        let body = if kind == "ball" {
            add(&mut parts, Sphere::new(radius), radius, rough)
        } else {
            // its axis lies across the slope
            let body = add(&mut parts, Cylinder::new(0.2, radius), radius, rough);
            parts.bodies[body].orientation = turn(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
            body
        };
        if kind == "hoop" {
            let mass = parts.bodies[body].inertia.mass;
            let (along, across) = (mass * radius * radius, 0.55 * mass * radius * radius);
            parts.bodies[body].inertia.moments = Vector3::new(across, along, across);
        }
        let mut world = parts.build().unwrap();
        let dt = 1e-3;
        run(&mut world, &mut accurate(|_| {}), dt, 500);
        let speed = world.bodies()[body].velocity.x;
        let expected = 0.5 * G * sine / (1.0 + ratio);
        assert!(
            (speed / expected - 1.0).abs() < 2e-3,
            "{kind}: {speed} {expected}"
        );
    }
}

#[test]
fn o24_a_ball_slips_on_slopes_above_its_limit() {
    for (slope, slips) in [(34.0_f64, false), (36.0, true)] {
        // tan θ = 3.5 μ at 34.99°
        let mut parts = plane(slope.to_radians(), ContactLaw::Coulomb);
        let ball = add(&mut parts, Sphere::new(0.3), 0.3, Material::rough(0.2));
        let mut world = parts.build().unwrap();
        run(&mut world, &mut accurate(|_| {}), 1e-3, 300);
        let body = &world.bodies()[ball];
        let slip = body.velocity.x + 0.3 * body.spin.z;
        assert_eq!(slip.abs() > 1e-6, slips, "{slope}: {slip}");
    }
}
