//! Flush pairs under XPBD: what rests stays where it is.

use delassus_core::Fidelity;
use delassus_dynamics::{
    Body, Capsule, Collider, Cuboid, Cylinder, Inertia, Material, PositionScheme, Scheme, Shape,
    StaticFriction, World, WorldParts, Xpbd, XpbdParameters, rotation,
};
use nalgebra::{UnitQuaternion, Vector3};

use crate::position_level::{GRAVITY, run};

/// Two flush bodies, the lower one fixed, turned as a whole with gravity.
fn flush(below: Shape, above: Shape, turns: [UnitQuaternion<f64>; 2]) -> World {
    let [whole, turn] = turns;
    let mut parts = WorldParts {
        gravity: whole * (-GRAVITY * Vector3::y()),
        ..WorldParts::default()
    };
    let rough = Material {
        friction: 0.5,
        ..Material::default()
    };
    let ground = Body::fixed(whole * Vector3::new(0.0, -0.5, 0.0)).turned(whole);
    let ground = parts.body(ground);
    parts.collider(Collider::new(ground, below).of(rough));
    let inertia = Inertia::new(2.0, Vector3::new(0.03, 0.05, 0.04));
    let body = Body::dynamic(inertia, whole * Vector3::new(0.0, 0.1, 0.0)).turned(whole * turn);
    let body = parts.body(body);
    parts.collider(Collider::new(body, above).of(rough));
    parts.build().unwrap()
}

#[test]
fn flush_pairs_rest_and_only_the_papers_friction_creeps() {
    let cylinder = |half_length: f64, radius: f64| {
        Shape::from(Cylinder {
            half_length,
            radius,
        })
    };
    let cuboid = |x: f64, y: f64, z: f64| Shape::from(Cuboid::new(x, y, z));
    let capsule = Shape::from(Capsule {
        half_length: 0.3,
        radius: 0.1,
    });
    let id = UnitQuaternion::identity();
    let lying = rotation::exp(&Vector3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2));
    let pairs = [
        (cuboid(3.0, 0.5, 3.0), cylinder(0.1, 0.3), id),
        (cylinder(0.5, 0.3), cylinder(0.1, 0.3), id),
        (cylinder(0.5, 0.8), cuboid(0.3, 0.1, 0.2), id),
        (cuboid(0.3, 0.5, 0.2), cuboid(0.3, 0.1, 0.2), id),
        (cuboid(3.0, 0.5, 3.0), capsule, lying),
        (cuboid(3.0, 0.5, 3.0), cylinder(0.3, 0.1), lying),
    ];
    let wholes = [id, rotation::exp(&Vector3::new(0.7, -1.9, 1.1))];
    for (case, (below, above, turn)) in pairs.into_iter().enumerate() {
        for whole in wholes {
            let moved = |friction: StaticFriction| {
                let mut world = flush(below.clone(), above.clone(), [whole, turn]);
                let mut scheme = Xpbd::new(XpbdParameters {
                    static_friction: friction,
                    ..XpbdParameters::default()
                });
                let scheme = scheme.as_mut().unwrap();
                run(scheme, &mut world, 60, 1.0 / 60.0);
                let before = world.bodies()[1].clone();
                run(scheme, &mut world, 120, 1.0 / 60.0);
                let after = &world.bodies()[1];
                let moved = (after.position - before.position).norm();
                let off = after.position.to_vector() - whole * Vector3::new(0.0, 0.1, 0.0);
                let turned = before.orientation.angle_to(&after.orientation);
                // on a slope all of them creep
                assert_ne!(scheme.check(&world).unwrap(), Fidelity::Exact);
                (moved + turned, off.norm())
            };
            let (moved_on, off) = moved(StaticFriction::Anchored);
            assert!(moved_on < 1e-9 && off < 1e-5, "{case}: {moved_on} {off}");
            if case < 4 {
                let creep = moved(StaticFriction::Paper).0;
                assert!(creep > 1e-4, "{case}: {creep}");
            }
        }
    }
}
