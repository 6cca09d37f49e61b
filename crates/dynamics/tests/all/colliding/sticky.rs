//! Friction that remembers where it gripped.

use delassus_core::{ContactLaw, Solver};
use delassus_dynamics::{
    Cuboid, Material, Sphere, VelocityParameters, VelocityScheme, World, presets,
};
use delassus_solver_si::Pgs;
use nalgebra::Vector3;

use super::{DT, G, add, plane, run};

/// A cube on a slope of this angle \[rad\] that moves down it at `speed` \[m/s\].
fn cube_on_slope(angle: f64, speed: f64, law: ContactLaw) -> World {
    let mut parts = plane(angle, law);
    let body = add(&mut parts, Cuboid::cube(0.25), 0.25, Material::rough(0.5));
    parts.bodies[body].velocity = speed * Vector3::x();
    parts.build().unwrap()
}

fn sticky(friction_beta: f64) -> VelocityScheme {
    let preset = presets().iter().find(|preset| preset.id == "tgs-sticky");
    let parameters = VelocityParameters {
        friction_beta,
        ..(preset.unwrap().parameters)()
    };
    let solver = Box::new(Pgs::new(Default::default()).unwrap());
    VelocityScheme::new(parameters, solver).unwrap()
}

/// How far the cube is down the slope \[m\].
fn descent(world: &World) -> f64 {
    world.bodies()[1].position.to_vector().x
}

#[test]
fn a_cube_that_friction_holds_does_not_creep() {
    // tan θ = 0.42 < μ
    let angle = 0.4;
    for law in [ContactLaw::Disc, ContactLaw::Patch] {
        let crept = |friction_beta: f64| {
            let mut world = cube_on_slope(angle, 0.0, law);
            let mut scheme = sticky(friction_beta);
            run(&mut world, &mut scheme, DT, 120);
            let before = descent(&world);
            run(&mut world, &mut scheme, DT, 600);
            descent(&world) - before
        };
        assert!(crept(0.5).abs() < 1e-6, "{law:?}: {}", crept(0.5));
        // a patch treats its points at once and leaves nothing over; point by point the cube creeps
        if law == ContactLaw::Disc {
            assert!(crept(0.0) > 1e-3, "{}", crept(0.0));
        }
    }
}

#[test]
fn a_cube_that_slid_grips_where_it_stops() {
    let mut world = cube_on_slope(0.0, 2.0, ContactLaw::Disc);
    let mut scheme = sticky(0.5);
    run(&mut world, &mut scheme, DT, 120);
    let stopped = descent(&world);
    // v²/(2μg), up to the step
    let expected = 4.0 / (2.0 * 0.5 * 9.81);
    assert!((stopped - expected).abs() < 0.05, "{stopped} {expected}");
    run(&mut world, &mut scheme, DT, 240);
    let moved = (descent(&world) - stopped).abs();
    assert!(moved < 1e-6, "{moved}");
}

#[test]
fn balls_roll_as_far_as_their_inertia_says() {
    let (slope, h, frames) = (0.35, 0.25 * DT, 240);
    let time = frames as f64 * DT;
    for (law, radius) in [(ContactLaw::Disc, 0.22), (ContactLaw::Coulomb, 0.7)] {
        let mut parts = plane(slope, law);
        let ball = add(
            &mut parts,
            Sphere::new(radius),
            radius,
            Material::rough(0.6),
        );
        let mut world = parts.build().unwrap();
        let start = world.energy().total();
        run(&mut world, &mut sticky(0.5), DT, frames);
        let gained = world.energy().total() - start;
        assert!(gained < 1e-6, "{law:?} {radius}: {gained}");
        // steps that move the ball by the velocity of their end
        let expected = 0.5 * G * libm::sin(slope) / 1.4 * time * (time + h);
        let error = world.bodies()[ball].position.to_vector().x - expected;
        assert!(error.abs() < 1e-3, "{law:?} {radius}: {error}");
    }
}

#[test]
fn a_cube_travels_with_its_belt() {
    let mut parts = plane(0.0, ContactLaw::Disc);
    let rough = Material::rough(0.5);
    let cube = add(&mut parts, Cuboid::cube(0.25), 0.25, rough);
    parts.colliders[0].material.surface_velocity = 0.7 * Vector3::x();
    let mut world = parts.build().unwrap();
    run(&mut world, &mut sticky(0.5), DT, 300);
    let speed = world.bodies()[cube].velocity.x;
    // one sweep from zero in each substep leaves half a percent
    assert!((speed - 0.7).abs() < 0.005, "{speed}");
    // 0.7 m/s is reached after v/(μg)
    let expected = 0.7 * (5.0 - 0.5 * 0.7 / (0.5 * G));
    assert!(
        (descent(&world) - expected).abs() < 0.03,
        "{}",
        descent(&world)
    );
}
