//! AVBD with bodies of any mass: they land, rest and are held where they should be.

use delassus_core::{ContactLaw, Fidelity};
use delassus_dynamics::{
    Avbd, AvbdParameters, Body, Collider, Cuboid, Material, PositionScheme, Scheme, ShapeGeometry,
    World, WorldParts, rotation,
};
use nalgebra::Vector3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::colliding::{DT, G, plane, run};

fn avbd() -> Avbd {
    Avbd::new(AvbdParameters::default()).unwrap()
}

/// A unit cube that moves along y alone, above the ground.
fn lift(mass: f64, above: f64, speed: f64) -> World {
    let mut parts = plane(0.0, ContactLaw::Disc);
    let shape = Cuboid::cube(0.5);
    let at = Vector3::new(0.0, 0.5 + above, 0.0);
    let mut body = Body::dynamic(shape.solid(mass).unwrap(), at);
    body.lock_translation = [true, false, true];
    body.lock_rotation = [true; 3];
    let body = parts.body(body.moving(-speed * Vector3::y(), Vector3::zeros()));
    parts.collider(Collider::new(body, shape).of(Material::rough(0.4)));
    parts.build().unwrap()
}

#[test]
fn a_lift_of_any_mass_rests_on_the_ground() {
    let cases = [
        (0.02, 0.5, 1.0 / 60.0),
        (0.31, 1.7, 1.0 / 60.0),
        (0.9, 0.0, 1.0 / 240.0),
    ];
    for mass in [3e-4, 1.0, 1000.0, 2e6] {
        for (above, speed, dt) in cases {
            let mut world = lift(mass, above, speed);
            let mut scheme = avbd();
            let mut deepest = 0.0_f64;
            for _ in 0..240 {
                run(&mut world, &mut scheme, dt, 1);
                deepest = deepest.max(0.5 - world.bodies()[1].position.to_vector().y);
            }
            let body = &world.bodies()[1];
            let at = body.position.to_vector();
            let off = (at - Vector3::new(0.0, 0.5, 0.0)).norm();
            let found = (off, deepest, body.velocity.norm());
            assert!(off < 1e-6 && deepest < 1e-4, "{mass} {above}: {found:?}");
            assert!(found.2 < 1e-6, "{mass} {above}: {found:?}");
        }
    }
}

#[test]
fn a_constant_penalty_lets_heavy_bodies_sink_and_says_so() {
    let mut world = lift(1000.0, 0.02, 0.5);
    let parameters = AvbdParameters {
        penalty_floor: 0.0,
        ..AvbdParameters::default()
    };
    let mut scheme = Avbd::new(parameters).unwrap();
    let Ok(Fidelity::Approximate(reasons)) = scheme.check(&world) else {
        panic!("the departure is stated")
    };
    assert!(reasons[0].contains("sink"), "{reasons:?}");
    run(&mut world, &mut scheme, DT, 120);
    let depth = 0.5 - world.bodies()[1].position.to_vector().y;
    assert!((depth - 0.016).abs() < 1e-3, "{depth}");
    let exact = avbd().check(&world).unwrap();
    assert_eq!(exact, Fidelity::Exact);
}

/// Height of the lowest corner of a box.
fn lowest(body: &Body, half: &Vector3<f64>) -> f64 {
    let axes = body.orientation.to_rotation_matrix();
    let reach = (0..3).map(|axis| axes[(1, axis)].abs() * half[axis]);
    body.position.to_vector().y - reach.sum::<f64>()
}

/// A box with a random turn that falls at 1 m/s, on a plane or on a box, with axes locked or not.
fn tilted(rng: &mut Pcg64Mcg, mass: f64, case: usize) -> (World, Vector3<f64>) {
    let mut parts = match case % 2 {
        0 => plane(0.0, ContactLaw::Disc),
        _ => WorldParts {
            gravity: -G * Vector3::y(),
            ..WorldParts::default()
        },
    };
    if case % 2 == 1 {
        let ground = parts.body(Body::fixed(Vector3::zeros()));
        let slab = Cuboid::new(20.0, 0.5, 20.0);
        parts.collider(Collider::new(ground, slab).at(-0.5 * Vector3::y()));
    }
    let half = Vector3::from_fn(|_, _| rng.random_range(0.1..0.5));
    let mut turn = Vector3::from_fn(|_, _| rng.random_range(-3.0..3.0));
    let planar = case / 2 % 3 == 1;
    if planar {
        (turn.x, turn.y) = (0.0, 0.0);
    }
    let shape = Cuboid { half };
    let mut body = Body::dynamic(shape.solid(mass).unwrap(), Vector3::zeros());
    body = body.turned(rotation::exp(&turn));
    let height = 0.05 + [0.0, 0.3, 1.5][case / 6 % 3] - lowest(&body, &half);
    body.position += height * Vector3::y();
    if planar {
        body.lock_translation = [false, false, true];
        body.lock_rotation = [true, true, false];
    } else if case / 2 % 3 == 2 {
        body.lock_rotation = [true; 3];
    }
    let body = parts.body(body.moving(-Vector3::y(), Vector3::zeros()));
    parts.collider(Collider::new(body, shape).of(Material::rough(0.5)));
    (parts.build().unwrap(), half)
}

#[test]
fn boxes_that_land_on_edges_and_corners_stay_above_the_ground() {
    let mut rng = Pcg64Mcg::seed_from_u64(11);
    for case in 0..72 {
        for mass in [0.01, 1.0, 1e3, 1e5] {
            let (mut world, half) = tilted(&mut rng, mass, case);
            let start = world.energy().total();
            let mut scheme = avbd();
            for frame in 0..180 {
                run(&mut world, &mut scheme, DT, 1);
                let depth = -lowest(&world.bodies()[1], &half);
                assert!(depth < 5e-3, "{case} {mass}, frame {frame}: {depth}");
                let gained = (world.energy().total() - start) / (mass * G);
                assert!(gained < 1e-9, "{case} {mass}, frame {frame}: {gained}");
            }
            let body = &world.bodies()[1];
            let (height, speed) = (lowest(body, &half), body.velocity.norm() + body.spin.norm());
            assert!(height.abs() < 1e-3, "{case} {mass}: {height}");
            assert!(speed < 0.05, "{case} {mass}: {speed}");
        }
    }
}
