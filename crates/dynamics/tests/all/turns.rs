//! Angles that count turns: limits and servos of fast joints.

use std::f64::consts::{FRAC_PI_2, PI};

use delassus_core::{Softness, Solver};
use delassus_dynamics::constraints::{AngleLimit, AngularServo, ConeLimit, Hinge};
use delassus_dynamics::{
    Avbd, AvbdParameters, Body, Inertia, Integration, Joint, Penalty, PenaltyParameters,
    PositionScheme, Scheme, Signal, VelocityScheme, World, WorldParts, Xpbd, XpbdParameters,
    presets, rotation,
};
use delassus_solver_si::Pgs;
use nalgebra::Vector3;

/// Moment of inertia of the wheel \[kg·m²\].
const MOMENT: f64 = 0.5;

/// Every scheme of this crate, with one substep where that can be chosen.
fn schemes(substeps: u32) -> Vec<(String, Box<dyn Scheme>)> {
    let mut all: Vec<(String, Box<dyn Scheme>)> = Vec::new();
    for preset in presets() {
        let solver = Box::new(Pgs::new(Default::default()).unwrap());
        let mut parameters = (preset.parameters)();
        parameters.sweeps = parameters.sweeps.max(50);
        let scheme = VelocityScheme::new(parameters, solver).unwrap();
        all.push((preset.id.into(), Box::new(scheme)));
    }
    for iterations in [1, 4] {
        let xpbd = XpbdParameters {
            substeps,
            iterations,
            ..XpbdParameters::default()
        };
        let id = format!("xpbd {iterations}");
        all.push((id, Box::new(Xpbd::new(xpbd).unwrap())));
    }
    for post_stabilize in [false, true] {
        let avbd = AvbdParameters {
            substeps,
            post_stabilize,
            ..AvbdParameters::default()
        };
        let id = format!("avbd {post_stabilize}");
        all.push((id, Box::new(Avbd::new(avbd).unwrap())));
    }
    for integration in [Integration::Explicit, Integration::Implicit] {
        let penalty = PenaltyParameters {
            integration,
            ..PenaltyParameters::default()
        };
        let id = format!("penalty {integration:?}");
        all.push((id, Box::new(Penalty::new(penalty).unwrap())));
    }
    all
}

fn wheel(spin: f64, start: f64, joints: Vec<Joint>) -> World {
    let mut parts = WorldParts {
        joints,
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(2.0, Vector3::repeat(MOMENT));
    let body = Body::dynamic(inertia, Vector3::zeros())
        .turned(rotation::about(&Vector3::z(), start))
        .moving(Vector3::zeros(), spin * Vector3::z());
    parts.body(body);
    parts.build().unwrap()
}

fn hinged(limit: impl Into<delassus_dynamics::constraints::AnyConstraint>) -> Vec<Joint> {
    let hinge = Hinge {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        axes: [Vector3::z(); 2],
    };
    vec![Joint::new(hinge), Joint::new(limit)]
}

fn angle_limit(lower: f64, upper: f64, reference: f64) -> AngleLimit {
    AngleLimit {
        bodies: [0, 1],
        axes: [Vector3::z(); 2],
        lower,
        upper,
        reference,
    }
}

/// Angle of the wheel with its turns \[rad\], frame by frame.
fn turned(world: &mut World, scheme: &mut dyn Scheme, frames: u32, dt: f64) -> Vec<f64> {
    let mut angle = rotation::log(&world.bodies()[1].orientation).z;
    let mut angles = Vec::new();
    for _ in 0..frames {
        let before = world.bodies()[1].orientation;
        scheme.step(world, dt, &mut ()).unwrap();
        angle += rotation::log(&(world.bodies()[1].orientation * before.inverse())).z;
        angles.push(angle);
    }
    angles
}

#[test]
fn fast_wheels_stop_at_bounds_anywhere() {
    let cases = [
        (-PI, PI, 0.0, 0.3),
        (-3.1, 3.13, 0.0, -1.0),
        // 0…270°, from 200°
        (0.0, 1.5 * PI, 0.0, 3.49),
        (-PI, FRAC_PI_2, PI, 3.3),
        // three turns and more
        (-9.0, 21.0, 0.5, 0.2),
    ];
    for (index, (name, _)) in schemes(4).iter().enumerate() {
        // springs give way
        if name.starts_with("penalty") {
            continue;
        }
        for ((lower, upper, reference, start), spin) in cases
            .into_iter()
            .flat_map(|case| [-73.0, 41.0].map(|spin| (case, spin)))
        {
            let joints = hinged(angle_limit(lower, upper, reference));
            let mut world = wheel(spin, start, joints);
            // the logarithm is in (−π, π]
            let shift = start - rotation::log(&world.bodies()[1].orientation).z;
            let mut scheme = schemes(4).swap_remove(index).1;
            let frames = turned(&mut world, scheme.as_mut(), 400, 1.0 / 60.0);
            let bound = if spin > 0.0 { upper } else { lower };
            let rest = frames[399] + shift - reference;
            // soft stops of fast bodies come back to their bound, and some go on from it
            let sides = if spin > 0.0 {
                rest - bound
            } else {
                bound - rest
            };
            assert!(sides < 2e-2, "{name} {spin} [{lower} {upper}]: {rest}");
            let exact = name.starts_with("xpbd") || name.starts_with("pgs-b");
            assert!(
                !exact || sides.abs() < 1e-9,
                "{name} {spin} [{lower} {upper}]: {rest}"
            );
        }
    }
}

#[test]
fn a_range_of_270_degrees_is_written_and_read() {
    let text = r#"{"angle-limit":{"bodies":[0,1],"axes":[[0.0,0.0,1.0],[0.0,0.0,1.0]],"lower":0.0,"upper":4.71238898038469}}"#;
    let limit: delassus_dynamics::constraints::AnyConstraint = serde_json::from_str(text).unwrap();
    assert_eq!(limit, angle_limit(0.0, 1.5 * PI, 0.0).into());
    assert_eq!(serde_json::to_string(&limit).unwrap(), text);
    let with = text.replace("\"lower\"", "\"reference\":-0.25,\"lower\"");
    let limit: delassus_dynamics::constraints::AnyConstraint = serde_json::from_str(&with).unwrap();
    assert_eq!(limit, angle_limit(0.0, 1.5 * PI, -0.25).into());
    for (start, inside) in [(0.1, true), (4.6, true), (4.8, false), (-0.1, false)] {
        let world = wheel(0.0, start, hinged(angle_limit(0.0, 1.5 * PI, 0.0)));
        let worst = world
            .joint_errors()
            .iter()
            .map(|row| row.1)
            .fold(0.0, f64::min);
        assert_eq!(worst == 0.0, inside, "{start} {worst}");
    }
}

#[test]
fn a_torsion_spring_is_wound_up_by_turns() {
    // θ = ω/ω₀ sin ω₀t, ten radians wide; one frame is a twelfth of a radian of the phase at most
    let (spin, stiffness) = (20.0, 2.0);
    let own = (stiffness / MOMENT).sqrt();
    for (index, (name, _)) in schemes(16).iter().enumerate() {
        let servo = AngularServo {
            bodies: [0, 1],
            axes: [Vector3::z(); 2],
            target: Signal::Constant(0.0),
        };
        let spring = Softness::Spring {
            stiffness,
            damping: 0.0,
        };
        let mut joints = hinged(servo);
        joints[1].softness = spring;
        let mut world = wheel(spin, 0.0, joints);
        let dt = 1.0 / 480.0;
        let mut scheme = schemes(16).swap_remove(index).1;
        let angles = turned(&mut world, scheme.as_mut(), 1440, dt);
        for (frame, angle) in angles.iter().enumerate() {
            let wanted = spin / own * libm::sin(own * (frame + 1) as f64 * dt);
            assert!(
                (angle - wanted).abs() < 0.3,
                "{name} {frame}: {angle} {wanted}"
            );
        }
        let widest = angles.iter().copied().fold(0.0, f64::max);
        assert!(widest > 9.5, "{name}: {widest}");
    }
}

#[test]
fn an_axis_that_flies_past_the_opposite_of_its_cone_comes_back() {
    for limit in [1.4, 2.9, 3.1] {
        for spin in [45.0, 77.0, 101.0] {
            let cone = ConeLimit {
                bodies: [0, 1],
                axes: [Vector3::x(); 2],
                limit,
            };
            let mut world = wheel(spin, 0.9 * limit, hinged(cone));
            let xpbd = XpbdParameters {
                substeps: 1,
                ..XpbdParameters::default()
            };
            let mut scheme = Xpbd::new(xpbd).unwrap();
            let angles = turned(&mut world, &mut scheme, 10, 1.0 / 60.0);
            assert!(
                (angles[9] - limit).abs() < 1e-12,
                "{limit} {spin}: {angles:?}"
            );
            assert!(world.bodies()[1].spin.norm() < 1e-9);
        }
    }
}

#[test]
fn a_ball_joint_gains_no_energy_in_its_cone() {
    // directions about the axis of the cone, near the pole and away from it
    for (limit, across) in [
        (3.05, 0.0),
        (3.05, 4.0),
        (3.05, 40.0),
        (2.0, 25.0),
        (0.8, 30.0),
    ] {
        let cone = ConeLimit {
            bodies: [0, 1],
            axes: [Vector3::x(); 2],
            limit,
        };
        let mut world = wheel(0.0, 0.9 * limit, vec![Joint::new(cone)]);
        let spin = Vector3::new(0.0, across, 60.0);
        world.set_velocity(1, Vector3::zeros(), spin).unwrap();
        let start = world.energy().kinetic;
        let xpbd = XpbdParameters {
            substeps: 2,
            ..XpbdParameters::default()
        };
        let mut scheme = Xpbd::new(xpbd).unwrap();
        let mut last = start;
        for _ in 0..200 {
            scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
            let energy = world.energy().kinetic;
            last = last.max(energy);
        }
        assert!(
            last < start * (1.0 + 1e-9),
            "{limit} {across}: {}",
            last / start
        );
    }
}

#[test]
fn joints_that_turn_too_far_per_substep_are_refused() {
    let mut parts = WorldParts::default();
    let inertia = Inertia::new(1.0, Vector3::repeat(1.0));
    for side in [-1.0, 1.0] {
        let body = Body::dynamic(inertia, Vector3::zeros());
        parts.body(body.moving(Vector3::zeros(), side * 100.0 * Vector3::z()));
    }
    parts.joint(Joint::new(angle_limit(-5.0, 30.0, 0.0)));
    let world = parts.build().unwrap();
    for (name, mut scheme) in schemes(1) {
        let mut moved = world.clone();
        let outcome = scheme.step(&mut moved, 1.0 / 60.0, &mut ());
        if name.starts_with("xpbd") || name.starts_with("avbd") {
            let text = outcome.unwrap_err().to_string();
            assert!(
                text.contains("joints[0].constraint.bodies"),
                "{name}: {text}"
            );
            assert!(moved == world, "{name}");
        } else {
            outcome.unwrap();
        }
    }
    // the velocity level counts turns at any speed: 3.33 rad per frame, up to the bound
    let (_, mut scheme) = schemes(1).swap_remove(0);
    let mut moved = world.clone();
    for frame in 1..60 {
        scheme.step(&mut moved, 1.0 / 60.0, &mut ()).unwrap();
        let angle = (200.0 / 60.0 * f64::from(frame)).min(30.0);
        let found = moved.joint_errors();
        assert!((found[1].1.min(0.0)).abs() < 1e-9, "{frame}: {found:?}");
        if angle == 30.0 {
            let relative = moved.bodies()[1].spin.z - moved.bodies()[0].spin.z;
            assert!(frame < 10 || relative.abs() < 1e-9, "{frame} {relative}");
        }
    }
}

#[test]
fn angles_that_cannot_be_meant_are_refused() {
    let build = |limit: AngleLimit| {
        let mut parts = WorldParts::default();
        parts.body(Body::fixed(Vector3::zeros()));
        parts.body(Body::dynamic(Inertia::point(1.0), Vector3::x()));
        parts.joint(Joint::new(limit));
        parts.build().unwrap_err().path
    };
    let at = "joints[0].constraint";
    let cases = [
        (0.5, 0.2, 0.0, "lower"),
        (f64::NEG_INFINITY, 0.2, 0.0, "lower"),
        (0.0, f64::INFINITY, 0.0, "upper"),
        (0.0, 1e7, 0.0, "upper"),
        (0.0, 1.0, f64::NAN, "reference"),
    ];
    for (lower, upper, reference, field) in cases {
        let found = build(angle_limit(lower, upper, reference));
        assert_eq!(found, format!("{at}.{field}"));
    }
}

#[test]
fn a_pair_with_a_limit_keeps_its_energy_and_its_momentum() {
    let arm: Vector3<f64> = 0.3 * Vector3::x();
    let spin: Vector3<f64> = 25.0 * Vector3::z();
    for (index, (name, _)) in schemes(4).iter().enumerate() {
        if name.contains("Explicit") {
            continue;
        }
        for (lower, upper) in [(-PI, PI), (-1.0, 1.2), (0.0, 4.5)] {
            let mut parts = WorldParts::default();
            let inertia = Inertia::new(2.0, Vector3::new(0.3, 0.4, 0.5));
            let first = Body::dynamic(inertia, Vector3::zeros());
            parts.body(first.moving(Vector3::zeros(), -0.3 * spin));
            let inertia = Inertia::new(1.0, Vector3::new(0.2, 0.1, 0.25));
            let second = Body::dynamic(inertia, 2.0 * arm);
            parts.body(second.moving(0.4 * spin.cross(&arm), 0.7 * spin));
            parts.joint(Joint::new(Hinge {
                bodies: [0, 1],
                anchors: [arm, -arm],
                axes: [Vector3::z(); 2],
            }));
            parts.joint(Joint::new(angle_limit(lower, upper, 0.0)));
            let mut world = parts.build().unwrap();
            let (start, momentum) = (world.energy().kinetic, world.momentum().linear);
            let mut scheme = schemes(4).swap_remove(index).1;
            for frame in 0..120 {
                scheme.step(&mut world, 1.0 / 240.0, &mut ()).unwrap();
                let gain = world.energy().kinetic / start - 1.0;
                assert!(gain < 1e-9, "{name} [{lower} {upper}] {frame}: {gain:e}");
            }
            let lost = (world.momentum().linear - momentum).norm();
            let alone = name.starts_with("avbd");
            assert!(alone || lost < 1e-11, "{name}: {lost:e}");
        }
    }
}
