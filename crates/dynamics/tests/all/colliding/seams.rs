//! Bodies that slide and roll across seams between colliders of one body.

use delassus_core::ContactLaw;
use delassus_dynamics::{
    Body, Capsule, Collider, Cuboid, Cylinder, HalfSpace, Hull, Material, Mesh, Shape, Sphere,
    VelocityScheme, WorldParts, presets,
};
use nalgebra::{UnitQuaternion, Vector3};

use super::{DT, G, accurate, block_gs, run, turn};

/// A box with its top in the plane y = 0, between two places along x.
fn tile([from, to]: [f64; 2], half_width: f64, height: f64) -> (Cuboid, Vector3<f64>) {
    let size = Cuboid::new(0.5 * (to - from), 0.5 * height, half_width);
    (size, Vector3::new(0.5 * (from + to), -0.5 * height, 0.0))
}

fn hull_of(cuboid: &Cuboid) -> Hull {
    let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |k| {
        let signs = Vector3::new(sign(k, 0), sign(k, 1), sign(k, 2));
        cuboid.half.component_mul(&signs)
    };
    Hull::new((0..8).map(corner).collect())
}

/// Floors whose top is the plane y = 0 from x = −3 to 12, of several colliders.
fn floors() -> Vec<(&'static str, Vec<Collider>)> {
    let boxed = |span, half_width, height| {
        let (size, at) = tile(span, half_width, height);
        Collider::new(0, size).at(at)
    };
    let hulls = |span| {
        let (size, at) = tile(span, 1.0, 0.6);
        Collider::new(0, hull_of(&size)).at(at)
    };
    let sheet = Mesh {
        vertices: [[0.0, -1.0], [0.0, 1.0], [2.0, 1.0], [2.0, -1.0]]
            .map(|[x, z]| Vector3::new(x, 0.0, z))
            .to_vec(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    };
    vec![
        (
            "boxes",
            vec![
                boxed([0.7, 2.0], 1.0, 0.3),
                boxed([-3.0, 0.0], 1.0, 0.8),
                boxed([0.0, 0.7], 1.0, 0.5),
                boxed([2.0, 12.0], 1.5, 0.8),
            ],
        ),
        (
            "plane and box",
            vec![
                boxed([0.3, 1.1], 0.6, 0.4),
                Collider::new(0, HalfSpace::default()),
            ],
        ),
        (
            "hulls",
            vec![hulls([-3.0, 0.1]), hulls([0.1, 1.3]), hulls([1.3, 12.0])],
        ),
        (
            "boxes and a mesh",
            vec![
                boxed([-3.0, 0.0], 1.0, 0.8),
                Collider::new(0, sheet),
                boxed([2.0, 12.0], 1.0, 0.8),
            ],
        ),
    ]
}

/// Shapes with the height of their middle and how they lie.
fn riders() -> Vec<(&'static str, Shape, f64, UnitQuaternion<f64>)> {
    let still = UnitQuaternion::identity();
    let quarter = std::f64::consts::FRAC_PI_2;
    let cuboid = Cuboid::new(0.2, 0.1, 0.15);
    vec![
        ("box", cuboid.into(), 0.1, still),
        ("turned box", cuboid.into(), 0.1, turn(0.0, 0.4, 0.0)),
        ("ball", Sphere::new(0.2).into(), 0.2, still),
        (
            "capsule along",
            Capsule::new(0.3, 0.1).into(),
            0.1,
            turn(0.0, 0.0, quarter),
        ),
        (
            "capsule across",
            Capsule::new(0.3, 0.1).into(),
            0.1,
            turn(quarter, 0.0, 0.0),
        ),
        ("hull", hull_of(&cuboid).into(), 0.1, turn(0.0, 0.3, 0.0)),
        ("cylinder", Cylinder::new(0.15, 0.2).into(), 0.15, still),
    ]
}

/// A rider on a floor, all turned by one rotation.
fn scene(
    floor: &[Collider],
    (shape, height, lie): (&Shape, f64, UnitQuaternion<f64>),
    all: UnitQuaternion<f64>,
    friction: f64,
) -> WorldParts {
    let mut parts = WorldParts {
        gravity: all * Vector3::new(0.0, -G, 0.0),
        ..WorldParts::default()
    };
    parts.contacts.law = ContactLaw::Coulomb;
    let material = Material::rough(friction);
    parts.body(Body::fixed(Vector3::zeros()).turned(all));
    for collider in floor {
        parts.collider(collider.clone().of(material));
    }
    let inertia = shape.moments().unwrap().weighing(2.0);
    let at = all * Vector3::new(-1.0, height, 0.1);
    let body = parts.body(Body::dynamic(inertia, at).turned(all * lie));
    parts.collider(Collider::new(body, shape.clone()).of(material));
    parts
}

#[test]
fn seams_do_not_slow_what_slides_without_friction() {
    for (floor, colliders) in floors() {
        for (rider, shape, height, lie) in riders() {
            // over some seams each
            for (all, speed, frames) in [
                (UnitQuaternion::identity(), 2.5, 96),
                (turn(0.7, -1.1, 0.4), 0.9, 200),
                (turn(-2.0, 0.3, 0.9), 7.0, 60),
            ] {
                let mut parts = scene(&colliders, (&shape, height, lie), all, 0.0);
                parts.bodies[1].velocity = speed * (all * Vector3::x());
                let mut world = parts.build().unwrap();
                let (mut scheme, mut least) = (accurate(|p| p.sweeps = 60), speed);
                for _ in 0..frames {
                    run(&mut world, &mut scheme, DT, 1);
                    let along = all.inverse() * world.bodies()[1].velocity;
                    least = along.x.min(least);
                }
                let body = &world.bodies()[1];
                let velocity = all.inverse() * body.velocity;
                let place = all.inverse() * body.position.to_vector();
                let name = format!("{rider} on {floor} at {speed} m/s");
                assert!(
                    (velocity.x - speed).abs() < 1e-6 * speed,
                    "{name}: {velocity}"
                );
                assert!(least > speed * (1.0 - 1e-6), "{name}: {least}");
                assert!(
                    velocity.y.abs() < 1e-6 && velocity.z.abs() < 1e-6,
                    "{name}: {velocity}"
                );
                assert!((place.y - height).abs() < 1e-5, "{name}: {place}");
            }
        }
    }
}

/// Soft contacts let a shape sink, so that it meets the side of a box behind a mesh below the
/// surface of the mesh.
#[test]
fn what_has_sunk_into_a_mesh_crosses_to_a_box() {
    let floor = floors().pop().unwrap().1;
    let quarter = std::f64::consts::FRAC_PI_2;
    let still = UnitQuaternion::identity();
    let ring = |k: u32| {
        let angle = 2.0 * std::f64::consts::PI * f64::from(k / 2) / 5.0;
        let y = if k.is_multiple_of(2) { 0.13 } else { -0.13 };
        Vector3::new(0.27 * libm::cos(angle), y, 0.27 * libm::sin(angle))
    };
    let riders: [(&str, Shape, f64, UnitQuaternion<f64>); 3] = [
        (
            "prism",
            Hull::new((0..10).map(ring).collect()).into(),
            0.13,
            still,
        ),
        (
            "box",
            Cuboid::new(0.3, 0.12, 0.17).into(),
            0.12,
            turn(0.0, 0.8, 0.0),
        ),
        (
            "cylinder",
            Cylinder::new(0.25, 0.16).into(),
            0.16,
            turn(0.0, 0.0, quarter),
        ),
    ];
    for (rider, shape, height, lie) in riders {
        for id in ["tgs-soft", "soft-step", "bepu-2", "pgs-ngs"] {
            let mut parts = scene(&floor, (&shape, height, lie), still, 0.0);
            parts.bodies[1].velocity = Vector3::new(1.7, 0.0, 0.11);
            let mut world = parts.build().unwrap();
            let preset = presets().iter().find(|preset| preset.id == id).unwrap();
            let mut scheme = VelocityScheme::new((preset.parameters)(), block_gs()).unwrap();
            run(&mut world, &mut scheme, DT, 150);
            let velocity = world.bodies()[1].velocity;
            let lost = (velocity - Vector3::new(1.7, velocity.y, 0.11)).norm();
            assert!(lost < 5e-3, "{rider}, {id}: {velocity}");
        }
    }
}

/// Presets that let shapes sink by their slop tilt what crosses the corners of four tiles; normals
/// of the tilted box have a small part along its way: `box2d-2.4` loses 0.05 m/s.
#[test]
fn a_box_crosses_the_corners_of_tiles() {
    let columns = (0..14).flat_map(|column| (0..4).map(move |row| (column, row)));
    let tile = |(column, row): (u32, u32)| {
        let at = [column, row].map(|k| 0.44 * f64::from(k));
        let size = Cuboid::new(0.22, 0.13, 0.22);
        Collider::new(0, size).at(Vector3::new(at[0] - 1.6, -0.13, at[1] - 0.66))
    };
    let floor: Vec<Collider> = columns.map(tile).collect();
    let shape: Shape = Cuboid::new(0.17, 0.17, 0.17).into();
    for id in ["pgs-ngs", "box2d-2.4", "tgs-ngs", "soft-step"] {
        let still = UnitQuaternion::identity();
        let mut parts = scene(&floor, (&shape, 0.17, still), still, 0.0);
        parts.bodies[1].velocity = Vector3::new(2.2, 0.0, -0.17);
        let mut world = parts.build().unwrap();
        let preset = presets().iter().find(|preset| preset.id == id).unwrap();
        let mut scheme = VelocityScheme::new((preset.parameters)(), block_gs()).unwrap();
        run(&mut world, &mut scheme, DT, 110);
        let velocity = world.bodies()[1].velocity;
        let lost = (velocity - Vector3::new(2.2, 0.0, -0.17)).norm();
        assert!(lost < 0.1, "{id}: {velocity}");
    }
}

#[test]
fn a_box_stops_across_seams_where_friction_ends_its_way() {
    for (floor, colliders) in floors() {
        for (mu, speed) in [(0.4, 4.0), (0.25, 3.3)] {
            let all = turn(0.3, 0.8, -0.5);
            let cuboid: Shape = Cuboid::new(0.25, 0.05, 0.2).into();
            let still = UnitQuaternion::identity();
            let mut parts = scene(&colliders, (&cuboid, 0.05, still), all, mu);
            parts.bodies[1].velocity = speed * (all * Vector3::x());
            let mut world = parts.build().unwrap();
            run(&mut world, &mut accurate(|p| p.sweeps = 500), DT, 120);
            let body = &world.bodies()[1];
            // v falls by μ g h in every step, and the step moves with what is left
            let loss = mu * G * DT;
            let steps = (speed / loss).floor();
            let way = DT * (steps * speed - 0.5 * steps * (steps + 1.0) * loss);
            let place = all.inverse() * body.position.to_vector();
            assert!((place.x + 1.0 - way).abs() < 1e-5, "{floor}: {place} {way}");
            assert!(body.velocity.norm() < 1e-6, "{floor}: {}", body.velocity);
        }
    }
}

#[test]
fn a_ball_that_rolls_keeps_rolling_across_seams() {
    for (floor, colliders) in floors() {
        let all = turn(1.3, -0.4, 2.0);
        let ball: Shape = Sphere::new(0.15).into();
        let still = UnitQuaternion::identity();
        let mut parts = scene(&colliders, (&ball, 0.15, still), all, 0.6);
        parts.bodies[1].velocity = 3.0 * (all * Vector3::x());
        parts.bodies[1].spin = -3.0 / 0.15 * (all * Vector3::z());
        let mut world = parts.build().unwrap();
        run(&mut world, &mut accurate(|_| {}), DT, 80);
        let velocity = all.inverse() * world.bodies()[1].velocity;
        assert!((velocity.x - 3.0).abs() < 1e-6, "{floor}: {velocity}");
    }
}

#[test]
fn steps_and_inner_corners_hold() {
    // a step up of a millimetre stops a box without friction, and a wall next to the floor holds it
    let (size, at) = tile([0.0, 2.0], 1.0, 0.5);
    let (long, below) = tile([-3.0, 0.0], 1.0, 0.5);
    for lift in [1e-3, 0.2] {
        let floor = [
            Collider::new(0, long).at(below),
            Collider::new(0, size).at(at + Vector3::new(0.0, lift, 0.0)),
        ];
        let cuboid: Shape = Cuboid::cube(0.2).into();
        let still = UnitQuaternion::identity();
        let mut parts = scene(&floor, (&cuboid, 0.2, still), still, 0.0);
        parts.bodies[1].velocity.x = 1.0;
        let mut world = parts.build().unwrap();
        run(&mut world, &mut accurate(|_| {}), DT, 120);
        let place = world.bodies()[1].position.to_vector();
        assert!(place.x < -0.199, "{lift}: {place}");
    }
    // a cube on its edge in the corner of floor and wall falls into it and stays there
    let wall = Cuboid::new(0.1, 1.0, 1.0);
    let floor = [
        Collider::new(0, long).at(below),
        Collider::new(0, wall).at(Vector3::new(-0.1, 1.0, 0.0)),
    ];
    let cuboid: Shape = Cuboid::cube(0.2).into();
    let mut parts = scene(
        &floor,
        (&cuboid, 0.3, turn(0.0, 0.0, 0.5)),
        UnitQuaternion::identity(),
        0.05,
    );
    parts.bodies[1].position += Vector3::new(0.5, 0.0, 0.0);
    parts.bodies[1].velocity.x = 0.5;
    let mut world = parts.build().unwrap();
    run(&mut world, &mut accurate(|_| {}), DT, 240);
    let place = world.bodies()[1].position.to_vector();
    assert!((place.y - 0.2).abs() < 1e-3 && place.x < -0.399, "{place}");
}
