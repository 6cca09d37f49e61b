//! Round bodies on planes.

use delassus_core::{ContactLaw, Fidelity, Solver};
use delassus_dynamics::{
    Cylinder, Material, PositionScheme, Scheme, Sphere, WorldParts, Xpbd, XpbdParameters,
};
use nalgebra::Vector3;

use super::{G, accurate, add, frames, plane, run, turn};

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
        for frame in 1..=frames(2.0 * time, dt) {
            scheme.step(&mut world, dt, &mut ()).unwrap();
            if rolls.is_none() && slip(&world).abs() < 1e-9 {
                rolls = Some((
                    frame as f64 * dt,
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

/// A ball with resistance to rolling and spinning on a plane.
fn resisted(slope: f64, radius: f64, rolling: f64, spinning: f64) -> (WorldParts, usize) {
    let mut parts = plane(slope, ContactLaw::Coulomb);
    let material = Material {
        friction: 0.8,
        rolling_friction: rolling,
        spinning_friction: spinning,
        ..Material::default()
    };
    let ball = add(&mut parts, Sphere::new(radius), radius, material);
    (parts, ball)
}

#[test]
fn a_ball_with_rolling_resistance_starts_where_the_slope_exceeds_its_lever() {
    // the weight passes the lever: tan θ = ρ/r; above it a = (g sin θ − ρ/r g cos θ)/(1 + 2/5)
    let (radius, rolling) = (0.4, 0.08);
    let angle = libm::atan(rolling / radius);
    for slope in [angle - 0.01, angle + 0.05] {
        let (parts, ball) = resisted(slope, radius, rolling, 0.0);
        let mut world = parts.build().unwrap();
        let (dt, steps) = (1e-3, 300);
        run(&mut world, &mut accurate(|_| {}), dt, steps);
        let (sine, cosine) = libm::sincos(slope);
        let pull = (G * sine - rolling / radius * G * cosine).max(0.0) / 1.4;
        let expected = pull * dt * steps as f64;
        let speed = world.bodies()[ball].velocity.x;
        assert!(
            (speed - expected).abs() < 2e-3 * (expected + 0.01),
            "{slope}: {speed} {expected}"
        );
    }
}

#[test]
fn a_spinning_ball_stops_by_its_spinning_resistance() {
    // torque ρ m g about the normal against 2/5 m r²
    let (radius, spinning, spin) = (0.3, 0.02, 6.0);
    let (mut parts, ball) = resisted(0.0, radius, 0.0, spinning);
    parts.bodies[ball].spin.y = spin;
    let mut world = parts.build().unwrap();
    let mut scheme = accurate(|_| {});
    let loss = spinning * G / (0.4 * radius * radius);
    run(&mut world, &mut scheme, 1e-3, 500);
    let found = world.bodies()[ball].spin.y;
    assert!((found - (spin - 0.5 * loss)).abs() < 1e-6, "{found}");
    run(&mut world, &mut scheme, 1e-3, 1500);
    assert!(world.bodies()[ball].spin.norm() < 1e-9);
}

#[test]
fn resistance_to_rolling_is_part_of_coulombs_law_alone() {
    let (mut parts, _) = resisted(0.0, 0.5, 0.01, 0.0);
    parts.contacts.law = ContactLaw::Pyramid;
    let error = parts.clone().build().unwrap_err();
    assert_eq!(error.path, "colliders[0].material.rolling_friction");
    let text = error.to_string();
    assert!(
        text.contains("the law pyramid") && text.contains("(disc, coulomb)"),
        "{text}"
    );
    parts.contacts.law = ContactLaw::Disc;
    let world = parts.build().unwrap();
    // a scheme without rows for it says so
    let xpbd = Xpbd::new(XpbdParameters::default()).unwrap();
    assert!(matches!(xpbd.check(&world), Ok(Fidelity::Approximate(_))));
}

/// Every scheme of this crate, with frames of 1/60 s.
fn all_schemes() -> Vec<(&'static str, Box<dyn Scheme>)> {
    let none = serde_json::Map::new();
    let entries = delassus_dynamics::schemes().into_iter();
    let with_solver = entries.map(|entry| {
        let solver = || -> Box<dyn delassus_core::ImpulseSolver> {
            let pgs = delassus_solver_si::Pgs::new(Default::default()).unwrap();
            Box::new(pgs)
        };
        let solver = entry.descriptor.uses_solver.then(solver);
        let scheme = entry.build_with(&none, solver).unwrap();
        (entry.descriptor.id, scheme)
    });
    with_solver.collect()
}

/// A cylinder on its side that may roll along x, before or after the ground among the colliders.
fn cylinder(ground_first: bool, radius: f64) -> (WorldParts, usize) {
    let mut parts = plane(0.0, ContactLaw::Coulomb);
    let rough = Material::rough(0.35);
    let body = add(&mut parts, Cylinder::new(0.3, radius), radius, rough);
    parts.bodies[body].orientation = turn(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
    if !ground_first {
        parts.colliders.swap(0, 1);
    }
    (parts, body)
}

#[test]
fn rolling_cylinders_keep_their_energy_with_every_scheme() {
    for ground_first in [true, false] {
        for (id, mut scheme) in all_schemes() {
            let (radius, speed) = (0.15, 3.0);
            let (mut parts, body) = cylinder(ground_first, radius);
            parts.bodies[body].velocity.x = speed;
            parts.bodies[body].spin.z = -speed / radius;
            let mut world = parts.build().unwrap();
            run(&mut world, scheme.as_mut(), 1.0 / 60.0, 300);
            let end = world.bodies()[body].velocity.x;
            // `box2d-lite` takes the slop out of the rolling
            assert!(
                end < 1.001 * speed && end > 0.99 * speed,
                "{id} {ground_first}: {end} {speed}"
            );
        }
    }
}

#[test]
fn a_sliding_cylinder_rolls_at_two_thirds_with_every_scheme() {
    for ground_first in [true, false] {
        for (id, mut scheme) in all_schemes() {
            let (radius, speed) = (0.25, 2.4);
            let (mut parts, body) = cylinder(ground_first, radius);
            parts.bodies[body].velocity.x = speed;
            let mut world = parts.build().unwrap();
            run(&mut world, scheme.as_mut(), 1.0 / 60.0, 120);
            let [velocity, spin] = {
                let body = &world.bodies()[body];
                [body.velocity.x, -radius * body.spin.z]
            };
            let expected = speed / 1.5;
            // steps of a frame, springs, and the slip speed of penalties
            assert!(
                (velocity / expected - 1.0).abs() < 0.02 && (spin / expected - 1.0).abs() < 0.02,
                "{id} {ground_first}: {velocity} {spin} {expected}"
            );
        }
    }
}

#[test]
fn a_coin_that_rolls_on_its_edge_gains_no_energy() {
    for ground_first in [true, false] {
        for (id, mut scheme) in all_schemes() {
            let (radius, lean) = (0.4, 0.3_f64);
            let (sine, cosine) = libm::sincos(lean);
            let mut parts = plane(0.0, ContactLaw::Coulomb);
            let height = radius * cosine + 0.01 * sine;
            let rough = Material::rough(0.9);
            let coin = add(&mut parts, Cylinder::new(0.01, radius), height, rough);
            // the axis leans out of the horizontal
            parts.bodies[coin].orientation = turn(std::f64::consts::FRAC_PI_2 - lean, 0.0, 0.0);
            parts.bodies[coin].spin = 15.0 * (parts.bodies[coin].orientation * Vector3::y());
            let speed = 15.0 * radius;
            parts.bodies[coin].velocity.x = -speed * parts.bodies[coin].spin.z.signum();
            if !ground_first {
                parts.colliders.swap(0, 1);
            }
            let mut world = parts.build().unwrap();
            let start = world.energy().total();
            for _ in 0..120 {
                run(&mut world, scheme.as_mut(), 1.0 / 240.0, 1);
                let gained = world.energy().total() / start - 1.0;
                assert!(gained < 5e-3, "{id} {ground_first}: {gained}");
            }
        }
    }
}
