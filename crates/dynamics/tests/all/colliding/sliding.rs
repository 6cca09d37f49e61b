//! Friction of bodies on planes.

use delassus_core::ContactLaw;
use delassus_dynamics::{Cuboid, Material, Sphere, TangentMode};
use nalgebra::Vector3;

use super::{DT, G, accurate, add, frames, plane, run, turn};

fn slow(friction: f64) -> Material {
    Material::rough(friction)
}

#[test]
fn o22_a_block_stops_after_the_distance_of_the_discrete_recurrence() {
    for (mu, speed, dt) in [(0.5, 10.0, 1.0 / 60.0), (0.3, 4.0, 0.01), (0.8, 6.0, 0.005)] {
        let mut parts = plane(0.0, ContactLaw::Coulomb);
        let block = add(&mut parts, Cuboid::new(1.0, 0.1, 1.0), 0.1, slow(mu));
        parts.bodies[block].velocity.x = speed;
        let mut world = parts.build().unwrap();
        let mut scheme = accurate(|_| {});
        run(
            &mut world,
            &mut scheme,
            dt,
            200 + frames(speed / (mu * G), dt),
        );
        let body = &world.bodies()[block];
        // v falls by μ g h in every step, and the step moves with what is left
        let loss = mu * G * dt;
        let steps = (speed / loss).floor();
        let expected = dt * (steps * speed - 0.5 * steps * (steps + 1.0) * loss);
        let distance = body.position.to_vector().x;
        assert!((distance - expected).abs() < 1e-8, "{distance} {expected}");
        let exact = speed * speed / (2.0 * mu * G);
        assert!((distance - exact).abs() < speed * dt, "{distance} {exact}");
        assert!(body.velocity.norm() < 1e-9, "{}", body.velocity);
    }
}

#[test]
fn o22_a_block_on_an_incline_sticks_below_the_angle_of_friction_and_slides_above() {
    for mu in [0.2, 0.5, 0.9_f64] {
        let angle = libm::atan(mu);
        for (slope, slides) in [(angle - 0.002, false), (angle + 0.002, true)] {
            let mut parts = plane(slope, ContactLaw::Coulomb);
            let block = add(&mut parts, Cuboid::new(0.5, 0.05, 0.5), 0.05, slow(mu));
            let mut world = parts.build().unwrap();
            run(&mut world, &mut accurate(|p| p.sweeps = 2000), DT, 120);
            let speed = world.bodies()[block].velocity.x;
            let (sine, cosine) = libm::sincos(slope);
            let expected = if slides {
                2.0 * G * (sine - mu * cosine)
            } else {
                0.0
            };
            // what 2000 sweeps leave
            assert!(
                (speed - expected).abs() < 1e-7,
                "{mu} {slope}: {speed} {expected}"
            );
        }
    }
}

#[test]
fn o22_a_tall_block_topples_before_it_slides() {
    // it tips about its lower edge where tan θ exceeds width over height
    for (width, topples) in [(0.35, true), (0.45, false)] {
        let slope = libm::atan(0.4);
        let mut parts = plane(slope, ContactLaw::Coulomb);
        let block = add(&mut parts, Cuboid::new(width, 1.0, 0.5), 1.0, slow(0.6));
        let mut world = parts.build().unwrap();
        run(&mut world, &mut accurate(|_| {}), DT, 120);
        let tilt = world.bodies()[block].orientation.angle();
        assert_eq!(tilt > 0.2, topples, "{width}: {tilt}");
    }
}

#[test]
fn o23_laws_slide_in_their_own_directions() {
    // a square of friction turns the velocity φ towards the axis: tan φ' = tan² φ, Coulomb's disc
    // keeps it
    let angle = 30.0_f64.to_radians();
    let (sine, cosine) = libm::sincos(angle);
    for (law, square) in [
        (ContactLaw::Coulomb, false),
        (ContactLaw::Disc, false),
        (ContactLaw::Pyramid, true),
    ] {
        let mut parts = plane(0.0, law);
        let block = add(&mut parts, Cuboid::new(1.0, 0.01, 1.0), 0.01, slow(0.4));
        let speed = 5.0;
        parts.bodies[block].velocity = speed * Vector3::new(cosine, 0.0, sine);
        parts.bodies[block].lock_rotation = [true; 3];
        let mut world = parts.build().unwrap();
        run(&mut world, &mut accurate(|_| {}), 0.002, 1000);
        let end = world.bodies()[block].position.to_vector();
        let found = libm::atan2(end.z, end.x);
        let expected = if square {
            libm::atan((sine / cosine) * (sine / cosine))
        } else {
            angle
        };
        // the last step of each axis is a part of one
        assert!(
            (found - expected).abs() < 2e-3,
            "{law:?}: {found} {expected}"
        );
        if square {
            let mu_g = 2.0 * 0.4 * G;
            let [x, z] = [cosine, sine].map(|c| (speed * c) * (speed * c) / mu_g);
            assert!(
                (end.x - x).abs() < 0.01 && (end.z - z).abs() < 0.01,
                "{end}"
            );
        }
    }
}

#[test]
fn sliding_tangents_make_the_square_a_line() {
    // along the sliding velocity a square has the friction of the disc
    let mut ends = Vec::new();
    for mode in [TangentMode::Kept, TangentMode::Sliding] {
        let mut parts = plane(0.0, ContactLaw::Pyramid);
        parts.contacts.tangents = mode;
        let block = add(&mut parts, Cuboid::new(1.0, 0.01, 1.0), 0.01, slow(0.4));
        parts.bodies[block].velocity = Vector3::new(4.0, 0.0, 3.0);
        parts.bodies[block].lock_rotation = [true; 3];
        let mut world = parts.build().unwrap();
        run(&mut world, &mut accurate(|_| {}), 0.002, 1000);
        ends.push(world.bodies()[block].position.to_vector());
    }
    let exact = 25.0 / (2.0 * 0.4 * G);
    let along = ends[1];
    assert!(
        (libm::atan2(along.z, along.x) - libm::atan2(3.0, 4.0)).abs() < 2e-3,
        "{along}"
    );
    assert!((along.norm() - exact).abs() < 0.01, "{along} {exact}");
    assert!((ends[0].norm() - exact).abs() > 0.1, "{}", ends[0]);
}

#[test]
fn kinetic_friction_is_that_of_surfaces_that_slide() {
    let material = Material {
        friction: 0.5,
        kinetic_friction: Some(0.3),
        ..Material::default()
    };
    // between the two angles a block at rest stays, and one that slides goes on
    let slope = libm::atan(0.4);
    let (sine, cosine) = libm::sincos(slope);
    for (start, acceleration) in [(0.0, 0.0), (1.0, G * (sine - 0.3 * cosine))] {
        let mut parts = plane(slope, ContactLaw::Coulomb);
        let block = add(&mut parts, Cuboid::new(1.0, 0.05, 1.0), 0.05, material);
        parts.bodies[block].velocity.x = start;
        let mut world = parts.build().unwrap();
        run(&mut world, &mut accurate(|_| {}), DT, 60);
        let speed = world.bodies()[block].velocity.x;
        let expected = start + acceleration;
        assert!((speed - expected).abs() < 1e-9, "{speed} {expected}");
    }
}

#[test]
fn a_belt_carries_a_block_to_its_own_speed() {
    let mut parts = plane(0.0, ContactLaw::Coulomb);
    let block = add(&mut parts, Cuboid::new(1.0, 0.05, 1.0), 0.05, slow(0.4));
    parts.colliders[0].material.surface_velocity = Vector3::new(1.5, 0.0, -2.0);
    let mut world = parts.build().unwrap();
    let mut scheme = accurate(|_| {});
    // μ g t until it has the speed 2.5 of the belt
    run(&mut world, &mut scheme, DT, 30);
    let velocity = world.bodies()[block].velocity;
    let expected = 0.4 * G * 0.5;
    assert!((velocity.norm() - expected).abs() < 1e-8, "{velocity}");
    run(&mut world, &mut scheme, DT, 60);
    let velocity = world.bodies()[block].velocity;
    assert!(
        (velocity - Vector3::new(1.5, 0.0, -2.0)).norm() < 1e-8,
        "{velocity}"
    );
}

#[test]
fn a_ball_is_where_its_radius_says_however_it_is_turned() {
    let mut parts = plane(0.0, ContactLaw::Frictionless);
    let ball = add(&mut parts, Sphere::new(0.25), 0.25, slow(0.0));
    parts.bodies[ball].orientation = turn(0.3, 0.2, -1.0);
    parts.bodies[ball].spin = Vector3::new(3.0, -20.0, 11.0);
    let mut world = parts.build().unwrap();
    run(&mut world, &mut accurate(|p| p.substeps = 4), DT, 60);
    let body = &world.bodies()[ball];
    assert!((body.position.to_vector().y - 0.25).abs() < 1e-12);
    assert!((body.spin - Vector3::new(3.0, -20.0, 11.0)).norm() < 1e-12);
}
