//! The twin in f64 is `soft-step` with `jacobi`, and in f32 the same to rounding.

use delassus_core::Softness;
use delassus_dynamics::constraints::{
    Angular, AnyConstraint, Distance, Hinge, Point, PointOnLine, Slider, Universal, Weld,
};
use delassus_dynamics::rotation::{about, exp};
use delassus_dynamics::{Body, Inertia, Joint, Signal, World, WorldParts};
use delassus_scheme_jacobi::Scalar;
use nalgebra::{UnitQuaternion, Vector3};

use crate::common::{
    assert_close, bouncing_scenes, contact_scenes, run, run_bouncing, scene, twin, velocity_level,
};

/// Frames of the comparisons \[-\]: 4 substeps of 15 iterations each.
const FRAMES: u32 = 20;

#[test]
fn contacts_in_f64_follow_the_velocity_level_scheme() {
    for (name, start) in contact_scenes() {
        let (mut own, mut other) = (start.clone(), start);
        run(&mut twin(Scalar::F64), &mut own, FRAMES);
        run(&mut velocity_level(), &mut other, FRAMES);
        // rounding; but the one step of a cone holds the compliance of its normal otherwise: (R +
        // D) here, the bound of the block there, so that the iterates differ as far as they have
        // not converged
        let bound = if name == "convex cone" { 1e-5 } else { 1e-11 };
        assert_close(name, &own, &other, [bound; 4]);
    }
}

#[test]
fn bounces_in_f64_follow_the_velocity_level_scheme() {
    for (name, start) in bouncing_scenes() {
        let (mut own, mut other) = (start.clone(), start);
        run_bouncing(name, &mut twin(Scalar::F64), &mut own, FRAMES);
        run_bouncing(name, &mut velocity_level(), &mut other, FRAMES);
        assert_close(name, &own, &other, [1e-12; 4]);
    }
}

#[test]
fn bounces_in_f32_follow_those_in_f64() {
    for (name, start) in bouncing_scenes() {
        let (mut own, mut other) = (start.clone(), start);
        run_bouncing(name, &mut twin(Scalar::F32), &mut own, FRAMES);
        run_bouncing(name, &mut twin(Scalar::F64), &mut other, FRAMES);
        assert_close(name, &own, &other, [1e-5, 1e-5, 1e-4, 1e-4]);
    }
}

#[test]
fn contacts_in_f32_follow_those_in_f64() {
    for (name, start) in contact_scenes() {
        let (mut own, mut other) = (start.clone(), start);
        run(&mut twin(Scalar::F32), &mut own, FRAMES);
        run(&mut twin(Scalar::F64), &mut other, FRAMES);
        // rounding 6e-8 of 1 m/s, a hundredfold for the condition of a pile and 80 substeps;
        // positions over a third of a second
        assert_close(name, &own, &other, [1e-5, 1e-5, 1e-4, 1e-4]);
    }
}

/// A turned and moving body beside a fixed one, with uneven moments.
fn pair(constraint: impl FnOnce([usize; 2], [Vector3<f64>; 2]) -> AnyConstraint) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let inertia = || Inertia {
        axes: about(&Vector3::x(), 0.3),
        ..Inertia::new(2.0, Vector3::new(0.05, 0.11, 0.13))
    };
    let base = parts.body(Body::fixed(Vector3::new(0.1, 2.0, 0.0)).turned(turn(0.2)));
    let mut last = base;
    for index in 1..4 {
        let place = Vector3::new(0.1 + 0.6 * f64::from(index), 2.0, 0.0);
        let body = Body::dynamic(inertia(), place).turned(turn(0.2));
        let spin = Vector3::new(0.4, -0.3, 0.8);
        let next = parts.body(body.moving(Vector3::new(0.1, 0.2, -0.1), spin));
        if index == 2 {
            let half = Vector3::new(0.3, 0.05, 0.0);
            let point = Point {
                bodies: [last, next],
                anchors: [half, -half],
            };
            parts.joint(Joint::new(point).soft(Softness::Frequency {
                hertz: 8.0,
                damping_ratio: 0.3,
            }));
        }
        last = next;
    }
    let local = turn(0.2).inverse() * Vector3::new(0.3, 0.0, 0.0);
    parts.joint(Joint::new(constraint([base, 1], [local, -local])));
    let rod = Distance {
        bodies: [2, 3],
        anchors: [Vector3::new(0.1, 0.2, 0.0), Vector3::zeros()],
        length: Signal::Constant(0.55),
    };
    parts.joint(Joint::new(rod).limited(40.0));
    parts.build().expect("a world")
}

fn turn(angle: f64) -> UnitQuaternion<f64> {
    exp(&Vector3::new(0.2 * angle, angle, -0.5 * angle))
}

fn jointed() -> Vec<(&'static str, World)> {
    let axis = Vector3::new(0.6, 0.0, 0.8);
    let orientation = turn(0.05);
    vec![
        (
            "point",
            pair(|bodies, anchors| Point { bodies, anchors }.into()),
        ),
        (
            "point-on-line",
            pair(|bodies, anchors| {
                PointOnLine {
                    bodies,
                    anchors,
                    axis,
                }
                .into()
            }),
        ),
        (
            "hinge",
            pair(|bodies, anchors| {
                let axes = [axis, axis];
                Hinge {
                    bodies,
                    anchors,
                    axes,
                }
                .into()
            }),
        ),
        (
            "universal",
            pair(|bodies, anchors| {
                let axes = [axis, Vector3::y()];
                Universal {
                    bodies,
                    anchors,
                    axes,
                }
                .into()
            }),
        ),
        (
            "slider",
            pair(|bodies, anchors| {
                Slider {
                    bodies,
                    anchors,
                    axis,
                    orientation,
                }
                .into()
            }),
        ),
        (
            "weld",
            pair(|bodies, anchors| {
                Weld {
                    bodies,
                    anchors,
                    orientation,
                }
                .into()
            }),
        ),
        (
            "angular",
            pair(|bodies, _| {
                Angular {
                    bodies,
                    orientation,
                }
                .into()
            }),
        ),
    ]
}

#[test]
fn joints_in_f64_follow_the_velocity_level_scheme() {
    for (name, start) in jointed() {
        let (mut own, mut other) = (start.clone(), start);
        run(&mut twin(Scalar::F64), &mut own, FRAMES);
        run(&mut velocity_level(), &mut other, FRAMES);
        // rounding: the series of (T.4) is cut off at (h ω/4)¹⁰/4e7, which is nothing for these
        // turns
        assert_close(name, &own, &other, [1e-12; 4]);
    }
}

#[test]
fn joints_in_f32_follow_those_in_f64() {
    for (name, start) in jointed() {
        let (mut own, mut other) = (start.clone(), start);
        run(&mut twin(Scalar::F32), &mut own, FRAMES);
        run(&mut twin(Scalar::F64), &mut other, FRAMES);
        // as for contacts
        assert_close(name, &own, &other, [1e-5, 1e-4, 1e-4, 1e-3]);
    }
}

#[test]
fn a_world_far_from_the_origin_moves_like_one_at_the_origin() {
    let near = scene("stack", &serde_json::json!({ "n": 3, "jitter": 0.1 }));
    let far = Vector3::new(1e7, -3e6, 2e6);
    let mut parts = near.clone().into_parts();
    for body in &mut parts.bodies {
        body.position += far;
    }
    let (mut near, mut moved) = (near, parts.build().expect("a world"));
    run(&mut twin(Scalar::F32), &mut near, FRAMES);
    run(&mut twin(Scalar::F32), &mut moved, FRAMES);
    let mut parts = moved.into_parts();
    for body in &mut parts.bodies {
        body.position += -far;
    }
    let moved = parts.build().expect("a world");
    // what is uploaded are differences; those of 1e7 m carry 2e-9 m
    assert_close("far away", &near, &moved, [1e-6; 4]);
}
