//! The penalties of AVBD: friction opposite to the slip, and springs as stiff as they say.

use std::f64::consts::PI;

use crate::position_level::*;
use delassus_core::{Fidelity, Softness};
use delassus_dynamics::constraints::{AngularServo, Hinge};
use delassus_dynamics::{
    Avbd, AvbdParameters, Body, Collider, FrictionDirection, HalfSpace, Inertia, Joint, Material,
    PositionScheme, Scheme, Signal, Sphere, SpringPenalty, World, WorldParts,
};
use nalgebra::Vector3;

const FRAME: f64 = 1.0 / 60.0;

fn avbd(change: impl FnOnce(&mut AvbdParameters)) -> Avbd {
    let mut parameters = AvbdParameters::default();
    change(&mut parameters);
    Avbd::new(parameters).unwrap()
}

/// A ball that cannot turn, on the ground, with a velocity along it.
fn sliding_ball(mass: f64, mu: f64, velocity: Vector3<f64>, gravity: Vector3<f64>) -> World {
    let mut parts = WorldParts {
        gravity,
        ..WorldParts::default()
    };
    let material = Material {
        friction: mu,
        ..Material::default()
    };
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    parts.collider(Collider::new(ground, HalfSpace::default()).of(material));
    let inertia = Inertia::new(mass, Vector3::repeat(mass));
    let mut body = Body::dynamic(inertia, Vector3::new(0.0, 0.25, 0.0));
    body.lock_rotation = [true; 3];
    let ball = parts.body(body.moving(velocity, Vector3::zeros()));
    parts.collider(Collider::new(ball, Sphere { radius: 0.25 }).of(material));
    parts.build().unwrap()
}

/// Slides body 1 for so many frames; returns direction \[°\] and length \[m\] of its way.
fn slide(world: &mut World, scheme: &mut Avbd, frames: u32) -> (f64, f64) {
    let start = world.bodies()[1].position.to_vector();
    run(scheme, world, frames, FRAME);
    let way = world.bodies()[1].position.to_vector() - start;
    (
        libm::atan2(way.z, way.x) * 180.0 / PI,
        libm::hypot(way.x, way.z),
    )
}

fn along(angle: f64, speed: f64) -> Vector3<f64> {
    let (sin, cos) = libm::sincos(angle * PI / 180.0);
    speed * Vector3::new(cos, 0.0, sin)
}

#[test]
fn a_sliding_body_stops_on_the_line_of_its_velocity() {
    let cases = [
        (17.0, 5.0, 0.35, 1.0),
        (73.0, 5.0, 0.35, 20.0),
        (-160.0, 3.0, 0.9, 0.05),
        (-48.0, 7.0, 0.8, 300.0),
    ];
    for (angle, speed, mu, mass) in cases {
        let stop = speed / (mu * GRAVITY);
        let off = |substeps: u32| {
            let gravity = -GRAVITY * Vector3::y();
            let mut world = sliding_ball(mass, mu, along(angle, speed), gravity);
            let mut scheme = avbd(|p| p.substeps = substeps);
            let (direction, length) = slide(&mut world, &mut scheme, 120);
            assert!((direction - angle).abs() < 1e-9, "{direction} {angle}");
            // semi-implicit Euler stops v h/2 short
            let short = 0.5 * speed * FRAME / f64::from(substeps);
            (length - (0.5 * speed * stop - short)).abs()
        };
        assert!(off(1) < 0.15 * speed * FRAME, "{angle}: {}", off(1));
        assert!(off(8) < 0.25 * speed * FRAME, "{angle}: {}", off(8));
    }
}

#[test]
fn a_penalty_per_axis_turns_friction_towards_the_axis_that_slips_more() {
    let gravity = -GRAVITY * Vector3::y();
    let mut world = sliding_ball(4.0, 0.5, along(25.0, 6.0), gravity);
    let mut scheme = avbd(|p| {
        p.friction_direction = FrictionDirection::PerAxis;
        p.penalty_floor = 0.0;
    });
    let (direction, _) = slide(&mut world, &mut scheme, 120);
    // the tangents are z and x: measured 32.7°
    assert!(direction > 30.0 && direction < 35.0, "{direction}");
    let Ok(Fidelity::Approximate(reasons)) = scheme.check(&world) else {
        panic!("the departure is stated")
    };
    assert!(reasons[0].contains("opposite to the slip"), "{reasons:?}");
    assert_eq!(avbd(|_| {}).check(&world).unwrap(), Fidelity::Exact);
}

#[test]
fn friction_follows_a_slip_that_turns() {
    // v' = g sin(lean) x̂ − μ g cos(lean) v/|v|, by the midpoint rule in a thousandth of a frame
    let (lean, mu, speed) = (0.3, 0.4, 3.0);
    let (sin, cos) = libm::sincos(lean);
    let pull = |v: Vector3<f64>| GRAVITY * (sin * Vector3::x() - mu * cos * v.normalize());
    for (mass, substeps, tolerance) in [(1.0, 4, 0.01), (100.0, 4, 0.01), (1.0, 16, 3e-3)] {
        let gravity = GRAVITY * Vector3::new(sin, -cos, 0.0);
        let mut world = sliding_ball(mass, mu, speed * Vector3::z(), gravity);
        let start = world.bodies()[1].position.to_vector();
        let mut scheme = avbd(|p| p.substeps = substeps);
        let (mut x, mut v) = (Vector3::zeros(), speed * Vector3::z());
        for _ in 0..90 {
            run(&mut scheme, &mut world, 1, FRAME);
            for _ in 0..1000 {
                let h = FRAME / 1000.0;
                let middle = v + 0.5 * h * pull(v);
                x += h * middle;
                v += h * pull(middle);
            }
            let off = world.bodies()[1].position.to_vector() - start - x;
            assert!(
                libm::hypot(off.x, off.z) < tolerance,
                "{mass} {substeps}: {off}"
            );
        }
    }
}

/// Moment of inertia of the sprung body \[kg·m²\].
const MOMENT: f64 = 0.4;

/// A torsion spring under a torque, until it rests: the angle \[rad\].
fn twisted(stiffness: f64, ratio: f64, torque: f64, scheme: &mut Avbd) -> f64 {
    let mut parts = WorldParts::default();
    parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(1.0, Vector3::repeat(MOMENT));
    let mut body = Body::dynamic(inertia, Vector3::zeros());
    body.torque = torque * Vector3::y();
    parts.body(body);
    let (bodies, axes) = ([0, 1], [Vector3::y(); 2]);
    parts.joint(Joint::new(Hinge {
        bodies,
        anchors: [Vector3::zeros(); 2],
        axes,
    }));
    let servo = AngularServo {
        bodies,
        axes,
        target: Signal::Constant(0.0),
    };
    let spring = Softness::Spring {
        stiffness,
        damping: 2.0 * ratio * (stiffness * MOMENT).sqrt(),
    };
    parts.joint(Joint::new(servo).soft(spring));
    let mut world = parts.build().unwrap();
    run(scheme, &mut world, 1200, FRAME);
    delassus_dynamics::rotation::log(&world.bodies()[1].orientation).y
}

#[test]
fn springs_reach_their_stiffness() {
    for (stiffness, torque) in [(7.5, 2.0), (950.0, 33.0), (33.7e3, 1321.0), (6e6, 40.0)] {
        let angle = twisted(stiffness, 1.0, torque, &mut avbd(|_| {}));
        assert!((angle * stiffness / torque - 1.0).abs() < 1e-9, "{angle}");
    }
}

#[test]
fn growing_penalties_stop_where_their_decay_balances_the_growth() {
    // (V.12): k² = n β T / (1 − γ), where that is below k + d/h
    let torque = 20.0;
    for (iterations, gamma) in [(10_u32, 0.99), (5, 0.98)] {
        let mut scheme = avbd(|p| {
            p.spring_penalty = SpringPenalty::Growing;
            (p.iterations, p.gamma) = (iterations, gamma);
        });
        let balance = (f64::from(iterations) * 100.0 * torque / (1.0 - gamma)).sqrt();
        let angle = twisted(1e5, 0.1, torque, &mut scheme);
        // at rest the row takes the share e = k/(k + d/h) of the angle for its error
        let share = 1e5 / (1e5 + 0.2 * (1e5 * MOMENT).sqrt() / FRAME);
        let found = angle * share * balance / torque;
        assert!((found - 1.0).abs() < 0.02, "{found}");
        let stiffness = 0.2 * balance;
        let soft = twisted(stiffness, 0.2, torque, &mut scheme) * stiffness / torque;
        assert!((soft - 1.0).abs() < 1e-6, "{soft}");
    }
}
