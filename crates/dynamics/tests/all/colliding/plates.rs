//! Round colliders with a common plane: plates on posts, posts over notches, flush towers, floors.

use delassus_core::ContactLaw;
use delassus_dynamics::{
    Body, Capsule, Collider, Cuboid, Cylinder, Hull, Material, Shape, ShapeGeometry, Sphere,
    VelocityScheme, WorldParts, presets,
};
use nalgebra::{UnitQuaternion, Vector3};

use super::{DT, G, accurate, block_gs, frames, plane, run, turn};

/// What a plate is made of: overlapping discs with their middles in the plane and their radii
/// \[m\].
type Discs = [([f64; 2], f64); 5];

const DISCS: [Discs; 2] = [
    [
        ([0.0, 0.0], 0.31),
        ([0.27, 0.05], 0.29),
        ([-0.24, 0.19], 0.33),
        ([-0.11, -0.28], 0.26),
        ([0.19, -0.23], 0.3),
    ],
    [
        ([0.12, 0.07], 0.4),
        ([-0.3, 0.02], 0.37),
        ([0.05, 0.34], 0.22),
        ([0.02, -0.3], 0.28),
        ([-0.14, -0.21], 0.35),
    ],
];

/// Middles and radii of the tops of posts \[m\].
type Posts = [([f64; 2], f64); 4];

const POSTS: [Posts; 2] = [
    [
        ([0.31, 0.02], 0.05),
        ([-0.2, 0.24], 0.07),
        ([-0.17, -0.26], 0.04),
        ([0.11, -0.19], 0.06),
    ],
    [
        ([0.22, 0.26], 0.045),
        ([-0.31, 0.11], 0.06),
        ([0.02, -0.27], 0.08),
        ([-0.28, -0.2], 0.035),
    ],
];

/// Half of the thickness of a plate \[m\].
const HALF: f64 = 0.04;

/// A plate of discs that slides without friction over posts whose tops are the plane y = 0, all
/// turned by one rotation.
fn plate(
    discs: &Discs,
    posts: &Posts,
    all: UnitQuaternion<f64>,
    velocity: Vector3<f64>,
) -> WorldParts {
    let mut parts = WorldParts {
        gravity: all * Vector3::new(0.0, -G, 0.0),
        ..WorldParts::default()
    };
    parts.contacts.law = ContactLaw::Coulomb;
    let ice = Material::rough(0.0);
    parts.body(Body::fixed(Vector3::zeros()).turned(all));
    for ([x, z], radius) in posts {
        let post = Cylinder::new(0.2, *radius);
        parts.collider(
            Collider::new(0, post)
                .at(Vector3::new(*x, -0.2, *z))
                .of(ice),
        );
    }
    let inertia = Cuboid::new(0.5, HALF, 0.5).solid(3.0).unwrap();
    let body = Body::dynamic(inertia, all * Vector3::new(0.0, HALF, 0.0)).turned(all);
    let body = parts.body(body.moving(all * velocity, Vector3::zeros()));
    for ([x, z], radius) in discs {
        let disc = Cylinder::new(HALF, *radius);
        parts.collider(
            Collider::new(body, disc)
                .at(Vector3::new(*x, 0.0, *z))
                .of(ice),
        );
    }
    parts
}

/// What a second of sliding leaves: the largest change of height of the middle, the largest tilt,
/// and the normal impulse of the second over that of the weight.
fn slid(parts: WorldParts, all: UnitQuaternion<f64>, scheme: &mut VelocityScheme) -> [f64; 3] {
    let mut world = parts.build().unwrap();
    let up = all * Vector3::y();
    let start = world.bodies()[1].position.to_vector();
    let (mut height, mut tilt): (f64, f64) = (0.0, 0.0);
    let before = world.bodies()[1].velocity.dot(&up);
    for _ in 0..60 {
        run(&mut world, scheme, DT, 1);
        let body = &world.bodies()[1];
        height = height.max((body.position.to_vector() - start).dot(&up).abs());
        tilt = tilt.max((body.orientation * Vector3::y()).cross(&up).norm());
    }
    // the momentum along the normal changes by the impulse of the posts and that of the weight
    let gained = world.bodies()[1].velocity.dot(&up) - before;
    [height, tilt, 1.0 + gained / G]
}

#[test]
fn a_plate_of_discs_keeps_its_contacts_with_posts() {
    let turns = [UnitQuaternion::identity(), turn(0.4, -1.2, 0.7)];
    let cases = DISCS.iter().flat_map(|d| POSTS.iter().map(move |p| (d, p)));
    for (case, (discs, posts)) in cases.enumerate() {
        for (all, velocity) in turns.into_iter().zip([
            Vector3::new(0.11, 0.0, -0.05),
            Vector3::new(-0.07, 0.0, 0.08),
        ]) {
            let parts = || plate(discs, posts, all, velocity);
            let [height, tilt, share] = slid(parts(), all, &mut accurate(|p| p.sweeps = 400));
            let name = format!("{case}: {height:e} {tilt:e} {share}");
            assert!(height < 1e-7 && tilt < 1e-6, "{name}");
            assert!((share - 1.0).abs() < 1e-6, "{name}");
            for id in ["soft-step", "tgs-soft", "pgs-ngs", "box2d-2.4", "bepu-2"] {
                let preset = presets().iter().find(|preset| preset.id == id).unwrap();
                let mut scheme = VelocityScheme::new((preset.parameters)(), block_gs()).unwrap();
                let [height, tilt, share] = slid(parts(), all, &mut scheme);
                let name = format!("{case}, {id}: {height:e} {tilt:e} {share}");
                // what springs and a slop of 5 mm give way
                assert!(height < 6e-3 && tilt < 0.02, "{name}");
                assert!((share - 1.0).abs() < 2e-3, "{name}");
            }
        }
    }
}

/// A hull with a flat top in the plane y = 0 and its border at x = 0.
fn block() -> Hull {
    let corner = |k: u32| {
        let x = if k & 1 == 1 { 0.9 } else { 0.0 };
        let y = if k & 2 == 2 { 0.0 } else { -0.4 };
        let z = if k & 4 == 4 { 0.8 } else { -0.6 };
        Vector3::new(x, y, z)
    };
    Hull::new((0..8).map(corner).collect())
}

/// A post stands over the notch between a static cylinder and a static hull whose tops are one
/// plane: it rests, pressed by its weight, and on both.
#[test]
fn a_post_stands_over_the_notch_of_a_cylinder_and_a_hull() {
    // gap of the notch, radius of the cylinder, radius of the post, its middle
    for [gap, radius, own, x, z] in [
        [0.0, 0.5, 0.09, -0.01, 0.03],
        [0.02, 0.35, 0.12, -0.015, -0.05],
        [0.0, 0.22, 0.3, 0.02, 0.11],
        [0.05, 0.6, 0.056, -0.025, 0.0],
        [0.01, 0.4, 0.16, -0.14, 0.02],
        [0.0, 0.7, 0.2, 0.01, 0.15],
    ] {
        for all in [UnitQuaternion::identity(), turn(-0.3, 2.1, 0.8)] {
            let mut parts = WorldParts {
                gravity: all * Vector3::new(0.0, -G, 0.0),
                ..WorldParts::default()
            };
            let rough = Material::rough(0.5);
            parts.body(Body::fixed(Vector3::zeros()).turned(all));
            let round = Cylinder::new(0.2, radius);
            let at = Vector3::new(-gap - radius, -0.2, 0.0);
            parts.collider(Collider::new(0, round).at(at).of(rough));
            parts.collider(Collider::new(0, block()).of(rough));
            let post = Cylinder::new(0.15, own);
            let body = Body::dynamic(post.solid(4.0).unwrap(), all * Vector3::new(x, 0.15, z));
            let body = parts.body(body.turned(all * turn(0.0, 0.9, 0.0)));
            parts.collider(Collider::new(body, post).of(rough));
            let mut world = parts.build().unwrap();
            let mut scheme = accurate(|p| p.sweeps = 400);
            run(&mut world, &mut scheme, DT, 120);
            let found = &world.bodies()[1];
            let moved = all.inverse() * found.position.to_vector() - Vector3::new(x, 0.15, z);
            let tilt = (found.orientation * Vector3::y()).cross(&(all * Vector3::y()));
            let name = format!("gap {gap}, radii {radius} and {own}: {moved:?} {tilt:?}");
            assert!(moved.norm() < 1e-6 && tilt.norm() < 1e-6, "{name}");
            assert!(found.spin.norm() < 1e-6, "{name}");
            let normals = world.manifolds().iter().map(|m| m.normal.y.abs());
            assert!(normals.fold(1.0, f64::min) > 1.0 - 1e-9, "{name}");
            assert_eq!(world.manifolds().len(), 2, "{name}");
        }
    }
}

/// Prisms, cylinders and boxes flush on each other, some over the border of the one below.
#[test]
fn towers_of_flush_solids_rest() {
    let prism = |sides: u32, radius: f64, half: f64| {
        let corner = |k: u32| {
            let angle = std::f64::consts::TAU * f64::from(k / 2) / f64::from(sides);
            let y = if k.is_multiple_of(2) { half } else { -half };
            Vector3::new(radius * libm::cos(angle), y, radius * libm::sin(angle))
        };
        Shape::from(Hull::new((0..2 * sides).map(corner).collect()))
    };
    // shape, half of its height, middle
    let towers: [Vec<(Shape, f64, [f64; 2])>; 3] = [
        vec![
            (Cylinder::new(0.2, 0.5).into(), 0.2, [0.0, 0.0]),
            (prism(5, 0.4, 0.15), 0.15, [0.13, 0.05]),
            (Cylinder::new(0.1, 0.3).into(), 0.1, [0.31, -0.02]),
        ],
        vec![
            (prism(7, 0.6, 0.11), 0.11, [0.0, 0.0]),
            (Cylinder::new(0.17, 0.45).into(), 0.17, [-0.3, 0.14]),
            (Cylinder::new(0.08, 0.6).into(), 0.08, [-0.22, 0.08]),
            (Cuboid::new(0.2, 0.13, 0.5).into(), 0.13, [-0.1, 0.02]),
        ],
        vec![
            (Cylinder::new(0.25, 0.33).into(), 0.25, [0.0, 0.0]),
            (Cylinder::new(0.25, 0.33).into(), 0.25, [0.21, 0.0]),
            (Cylinder::new(0.25, 0.21).into(), 0.25, [0.13, 0.1]),
        ],
    ];
    for (case, tower) in towers.iter().enumerate() {
        let mut parts = plane(0.0, ContactLaw::Coulomb);
        parts.colliders[0].material = Material::rough(0.6);
        let mut top = 0.0;
        for (index, (shape, half, [x, z])) in tower.iter().enumerate() {
            let inertia = shape.moments().unwrap().weighing(3.0 - 0.6 * index as f64);
            let at = Vector3::new(*x, top + half, *z);
            let body = Body::dynamic(inertia, at).turned(turn(0.0, 0.37 * index as f64, 0.0));
            let body = parts.body(body);
            parts.collider(Collider::new(body, shape.clone()).of(Material::rough(0.6)));
            top += 2.0 * half;
        }
        let mut world = parts.build().unwrap();
        let start: Vec<_> = world
            .bodies()
            .iter()
            .map(|b| b.position.to_vector())
            .collect();
        run(&mut world, &mut accurate(|p| p.sweeps = 2000), DT, 90);
        for (body, start) in world.bodies().iter().zip(start) {
            let moved = (body.position.to_vector() - start).norm();
            let name = format!("tower {case}: {moved:e} {:?}", body.velocity);
            assert!(moved < 1e-6 && body.velocity.norm() < 1e-6, "{name}");
        }
    }
}

/// A floor of overlapping discs, one body: what slides over it without friction keeps its speed.
#[test]
fn a_floor_of_discs_slows_nothing() {
    let riders: [(Shape, f64, UnitQuaternion<f64>); 4] = [
        (Cuboid::new(0.35, 0.1, 0.3).into(), 0.1, turn(0.0, 0.3, 0.0)),
        (
            Cylinder::new(0.12, 0.4).into(),
            0.12,
            UnitQuaternion::identity(),
        ),
        (Sphere::new(0.17).into(), 0.17, UnitQuaternion::identity()),
        (
            Capsule::new(0.3, 0.15).into(),
            0.15,
            turn(0.0, 0.0, std::f64::consts::FRAC_PI_2),
        ),
    ];
    let ice = Material::rough(0.0);
    for (shape, height, lie) in riders {
        for (all, speed) in [
            (UnitQuaternion::identity(), 1.9),
            (turn(0.9, 0.4, -1.3), 3.1),
        ] {
            let mut parts = WorldParts {
                gravity: all * Vector3::new(0.0, -G, 0.0),
                ..WorldParts::default()
            };
            parts.body(Body::fixed(Vector3::zeros()).turned(all));
            for k in 0..14_u32 {
                let at = Vector3::new(0.5 * f64::from(k) - 1.0, -0.25, 0.1 * f64::from(k % 3));
                let disc = Cylinder::new(0.25, 0.6 + 0.02 * f64::from(k % 4));
                parts.collider(Collider::new(0, disc).at(at).of(ice));
            }
            let inertia = shape.moments().unwrap().weighing(1.4);
            let body = Body::dynamic(inertia, all * Vector3::new(-0.8, height, 0.1));
            let velocity = all * Vector3::new(speed, 0.0, 0.0);
            let body = parts.body(body.turned(all * lie).moving(velocity, Vector3::zeros()));
            parts.collider(Collider::new(body, shape.clone()).of(ice));
            let mut world = parts.build().unwrap();
            let count = frames(5.5 / speed, DT);
            run(&mut world, &mut accurate(|p| p.sweeps = 300), DT, count);
            let end = all.inverse() * world.bodies()[1].velocity;
            let name = format!("{shape:?} at {speed}: {end:?}");
            assert!(
                (end - Vector3::new(speed, 0.0, 0.0)).norm() < 1e-5 * speed,
                "{name}"
            );
        }
    }
}
