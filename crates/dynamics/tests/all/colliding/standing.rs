//! Boxes that stand.

use delassus_core::{ContactLaw, Solver};
use delassus_dynamics::{
    Avbd, AvbdParameters, Body, Collider, Cuboid, Material, Penalty, PenaltyParameters,
    PositionScheme, Scheme, ShapeGeometry, VelocityParameters, VelocityScheme, World, Xpbd,
    XpbdParameters, presets,
};
use delassus_solver_si::Pgs;
use nalgebra::Vector3;

use super::{DT, accurate, plane, run};

/// Cubes of half a metre of half-edge above each other, `gap` apart.
pub(crate) fn stack(count: usize, gap: f64, law: ContactLaw) -> World {
    let mut parts = plane(0.0, law);
    let shape = Cuboid::cube(0.5);
    for k in 0..count {
        let y = 0.5 + gap + k as f64 * (1.0 + gap);
        let at = Vector3::new(0.0, y, 0.0);
        let body = parts.body(Body::dynamic(shape.solid(1.0).unwrap(), at));
        parts.collider(Collider::new(body, shape).of(Material::rough(0.5)));
    }
    parts.build().unwrap()
}

fn schemes() -> Vec<(String, Box<dyn Scheme>)> {
    let mut all: Vec<(String, Box<dyn Scheme>)> = Vec::new();
    for preset in presets() {
        let mut parameters = (preset.parameters)();
        parameters.sweeps = parameters.sweeps.max(20);
        let solver = Box::new(Pgs::new(Default::default()).unwrap());
        let scheme = VelocityScheme::new(parameters, solver).unwrap();
        all.push((preset.id.to_owned(), Box::new(scheme)));
    }
    let xpbd = XpbdParameters {
        substeps: 20,
        ..XpbdParameters::default()
    };
    all.push(("xpbd".to_owned(), Box::new(Xpbd::new(xpbd).unwrap())));
    let avbd = AvbdParameters::default();
    all.push(("avbd".to_owned(), Box::new(Avbd::new(avbd).unwrap())));
    let penalty = PenaltyParameters::default();
    let penalty = Penalty::new(penalty).unwrap();
    all.push(("penalty".to_owned(), Box::new(penalty)));
    all
}

#[test]
fn boxes_fall_and_stand_in_every_scheme() {
    for (name, mut scheme) in schemes() {
        for count in [1_u32, 3] {
            let mut world = stack(count as usize, 0.01, ContactLaw::Disc);
            run(&mut world, scheme.as_mut(), DT, 240);
            let points: usize = world.manifolds().iter().map(|m| m.points.len()).sum();
            assert_eq!(points, 4 * count as usize, "{name}: four points a face");
            for (k, body) in (0..count).zip(&world.bodies()[1..]) {
                let at = body.position.to_vector();
                let height = 0.5 + f64::from(k);
                // soft contacts and slops sink up to 6 mm each; few sweeps let an impact push
                // sideways
                let sunk = height - at.y;
                assert!(
                    (-1e-4..0.007 * f64::from(k + 1)).contains(&sunk),
                    "{name}: {at}"
                );
                assert!(libm::hypot(at.x, at.z) < 0.02, "{name}: {at}");
                assert!(body.velocity.norm() < 0.02, "{name}: {}", body.velocity);
            }
        }
    }
}

#[test]
fn o14_a_box_rests_on_four_points_that_carry_its_weight() {
    for (mass, dt) in [(1.0, DT), (7.0, 0.01)] {
        let mut parts = plane(0.0, ContactLaw::Coulomb);
        let shape = Cuboid::new(0.3, 0.2, 0.4);
        let at = Vector3::new(0.0, 0.2, 0.0);
        let body = parts.body(Body::dynamic(shape.solid(mass).unwrap(), at));
        parts.collider(Collider::new(body, shape));
        let mut world = parts.build().unwrap();
        let mut scheme = accurate(|_| {});
        run(&mut world, &mut scheme, dt, 100);
        let impulses = world.manifolds()[0].impulses();
        let normals: f64 = impulses.iter().step_by(3).sum();
        let weight = mass * super::G * dt;
        assert!((normals / weight - 1.0).abs() < 1e-12, "{normals} {weight}");
        // the contact carries it from frame to frame: nothing is left to do
        let body = &world.bodies()[1];
        assert!(body.velocity.norm() < 1e-14 && body.spin.norm() < 1e-14);
        assert!((body.position.to_vector() - at).norm() < 1e-14);
    }
}

#[test]
fn a_step_that_fails_leaves_the_contacts_of_before() {
    let mut world = stack(2, 0.0, ContactLaw::Disc);
    let parameters = VelocityParameters::default();
    let solver = Box::new(Pgs::new(Default::default()).unwrap());
    let mut scheme = VelocityScheme::new(parameters, solver).unwrap();
    run(&mut world, &mut scheme, DT, 3);
    // far away after a while, and then out of range
    world
        .set_velocity(2, Vector3::new(1e308, 0.0, 0.0), Vector3::zeros())
        .unwrap();
    for _ in 0..1000 {
        let before = world.clone();
        if scheme.step(&mut world, DT, &mut ()).is_err() {
            assert_eq!(world, before);
            assert_eq!(world.contact_events(), before.contact_events());
            return;
        }
    }
    panic!("no step failed");
}
