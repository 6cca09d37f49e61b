//! Worlds over time against closed forms.

use delassus::prelude::*;
use std::f64::consts::{PI, TAU};

const G: f64 = 9.37;

#[test]
fn a_box_on_an_incline_slows_down_by_friction() {
    // in the axes of the incline: g (sin θ − μ cos θ) along it
    let (slope, mu, speed, h) = (0.31_f64, 0.47, 4.3, 1.0 / 240.0);
    let gravity = G * Vector3::new(libm::sin(slope), -libm::cos(slope), 0.0);
    for name in ["pgs-baumgarte", "soft-step"] {
        let mut world = World::new(gravity).unwrap();
        let ground = world.add_body(Body::fixed(Vector3::zeros())).unwrap();
        let rough = Material {
            friction: mu,
            ..Material::default()
        };
        let plane = Collider::new(0, HalfSpace::default()).of(rough);
        world.add_collider(ground, plane).unwrap();
        let cube = Cuboid::new(0.4, 0.1, 0.3);
        let body = Body::dynamic(cube.solid(2.3).unwrap(), Vector3::new(0.0, 0.1, 0.0));
        let body = body.moving(speed * Vector3::x(), Vector3::zeros());
        let body = world.add_body(body).unwrap();
        world
            .add_collider(body, Collider::new(0, cube).of(rough))
            .unwrap();
        let mut scheme = scheme(name, "block-gs").unwrap();
        let frames = 192;
        for _ in 0..frames {
            world.step(&mut scheme, h).unwrap();
        }
        let expected =
            speed + f64::from(frames) * h * G * (libm::sin(slope) - mu * libm::cos(slope));
        let found = world.body(body).unwrap().velocity.x;
        assert!(expected > 0.5, "it still slides");
        assert!(
            (found - expected).abs() < 5e-3,
            "{name}: {found} {expected}"
        );
    }
}

#[test]
fn a_pendulum_on_a_hinge_has_its_period() {
    // a slab on a horizontal axis at the distance d from its centre
    let (d, amplitude, h) = (0.37, 0.21_f64, 1.0 / 480.0);
    let slab = Cuboid::new(0.5, 0.2, 0.1).solid(1.7).unwrap();
    let about_axis = slab.moments.z + slab.mass * d * d;
    let small = TAU * (about_axis / (slab.mass * G * d)).sqrt();
    let finite = 1.0 + amplitude.powi(2) / 16.0 + 11.0 / 3072.0 * amplitude.powi(4);
    let period = small * finite;

    let mut world = World::new(-G * Vector3::y()).unwrap();
    let wall = world.add_body(Body::fixed(Vector3::zeros())).unwrap();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), amplitude);
    let body = Body::dynamic(slab, turn * (-d * Vector3::y())).turned(turn);
    let body = world.add_body(body).unwrap();
    let hinge = world.hinge(wall, body, Vector3::zeros(), 3.0 * Vector3::z());
    world.add_joint(hinge.unwrap()).unwrap();
    let mut scheme = scheme("soft-step", "block-gs").unwrap();
    // times at which it passes through its lowest place
    let (mut passed, mut last) = (Vec::new(), amplitude);
    for frame in 1..=4000 {
        world.step(&mut scheme, h).unwrap();
        let angle = world.body(body).unwrap().orientation.euler_angles().2;
        if angle * last < 0.0 {
            passed.push(h * (f64::from(frame) - angle / (angle - last)));
        }
        last = angle;
    }
    assert!(passed.len() > 8, "{} passes", passed.len());
    let first = passed[0];
    assert!((first / (period / 4.0) - 1.0).abs() < 0.01, "{first}");
    let mean = 2.0 * (passed[8] - first) / 8.0;
    assert!((mean / period - 1.0).abs() < 2e-3, "{mean} {period}");
    assert!(last.abs() < PI);
}

#[test]
fn what_is_thrown_falls_and_a_body_put_elsewhere_goes_on_from_there() {
    let mut world = World::new(-G * Vector3::y()).unwrap();
    let stone = Body::dynamic(Inertia::point(0.3), Vector3::zeros());
    let stone = world.add_body(stone).unwrap();
    let mut scheme = scheme("velocity", "pgs").unwrap();
    let (h, v) = (0.01, Vector3::new(1.0, 2.0, -3.0));
    world.set_velocity(stone, v, Vector3::zeros()).unwrap();
    // symplectic Euler: x = n h v − g h² n (n + 1) / 2
    let run = |world: &mut World, scheme: &mut dyn Scheme| {
        for _ in 0..50 {
            world.step(scheme, h).unwrap();
        }
    };
    run(&mut world, &mut scheme);
    let fallen = 0.5 * v - G * h * h * 1275.0 * Vector3::y();
    let at = world.body(stone).unwrap().position.to_vector();
    assert!((at - fallen).norm() < 1e-12);
    let turned = UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1);
    let far = Vector3::new(100.0, 50.0, 0.0);
    world.set_pose(stone, far, turned).unwrap();
    world.set_velocity(stone, v, Vector3::zeros()).unwrap();
    run(&mut world, &mut scheme);
    let body = world.body(stone).unwrap();
    assert!((body.position.to_vector() - far - fallen).norm() < 1e-12);
    assert_eq!(body.orientation, turned);
}
