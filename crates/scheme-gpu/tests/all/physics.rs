//! Closed forms: friction angle, free fall, momentum from outside, refusals.

use delassus_core::Solver;
use delassus_dynamics::{Momentum, PositionScheme, Scheme, World};
use delassus_scheme_gpu::GpuSoftStepParameters;
use delassus_scheme_jacobi::{
    JacobiSoftStep, JacobiSoftStepParameters, Scalar, SoftStepParameters,
};
use delassus_solver_si::pgs::Pgs;
use nalgebra::Vector3;
use serde_json::json;

use crate::common::{
    DT, bouncing_scenes, device, run, scene, twin, velocity_level, velocity_level_with,
};

fn schemes(test: &str) -> Vec<Box<dyn Scheme>> {
    schemes_with(test, &SoftStepParameters::default())
}

fn schemes_with(test: &str, frame: &SoftStepParameters) -> Vec<Box<dyn Scheme>> {
    let twin = JacobiSoftStepParameters {
        frame: *frame,
        scalar: Scalar::F32,
    };
    let twin = JacobiSoftStep::new(twin).expect("in range");
    let mut all: Vec<Box<dyn Scheme>> = vec![Box::new(twin)];
    let frame = *frame;
    let parameters = GpuSoftStepParameters {
        frame,
        ..Default::default()
    };
    if let Some(gpu) = device(test, parameters) {
        all.push(Box::new(gpu));
    }
    all
}

/// Overlap that is left alone where a test is about that \[m\].
const SLOP: f64 = 0.005;

fn with_slop() -> SoftStepParameters {
    SoftStepParameters {
        slop: SLOP,
        ..SoftStepParameters::default()
    }
}

const SLOPE: f64 = 0.4;

/// A box on an incline whose friction coefficient is `share` of what holds it.
fn incline(share: f64) -> World {
    let (sine, cosine) = libm::sincos(SLOPE);
    let friction = share * sine / cosine;
    scene(
        "box-on-incline",
        &json!({ "slope": SLOPE, "friction": friction }),
    )
}

/// Mean velocity of the box in the second second: down the slope, and out of it \[m/s\].
fn creep(scheme: &mut dyn Scheme) -> [f64; 2] {
    let mut world = incline(1.02);
    run(scheme, &mut world, 60);
    let start = world.bodies()[1].position;
    run(scheme, &mut world, 60);
    let moved = world.bodies()[1].position - start;
    eprintln!(
        "{}: {:e} down, {:e} out",
        scheme.descriptor().id,
        moved.x,
        moved.y
    );
    [moved.x, moved.y]
}

/// K.25.
#[test]
fn a_box_within_the_slop_sinks_by_the_closed_form() {
    let h = DT / 4.0;
    let turn = h * 2.0 * std::f64::consts::PI * 60.0;
    // A_ii of a corner of a cube of 1 m and 1 kg is 4/kg
    let softness = 4.0 / (turn * (20.0 + turn));
    let expected = softness * 9.81 * libm::cos(SLOPE) * h / (4.0 + softness);
    for mut scheme in schemes_with("sinking", &with_slop()) {
        let [_, out] = creep(scheme.as_mut());
        assert!(
            (-out / expected - 1.0).abs() < 0.01,
            "{out}, not -{expected}"
        );
    }
}

#[test]
fn what_creeps_below_the_friction_angle_is_what_the_relaxation_leaves() {
    let test = "creeping";
    // Gauss-Seidel at the same number of sweeps leaves as much: one body, whose rows one thread
    // sweeps in order
    let pgs = Box::new(Pgs::new(Default::default()).expect("defaults"));
    let [pgs, _] = creep(&mut velocity_level_with(pgs, SLOP));
    for mut scheme in schemes_with(test, &with_slop()) {
        let [down, _] = creep(scheme.as_mut());
        assert!((down / pgs - 1.0).abs() < 0.05, "{down}, {pgs}");
    }
    let twenty = JacobiSoftStepParameters {
        frame: SoftStepParameters {
            relax_iterations: 20,
            ..with_slop()
        },
        ..Default::default()
    };
    let mut twin = JacobiSoftStep::new(twenty).expect("in range");
    let twenty = GpuSoftStepParameters {
        frame: SoftStepParameters {
            relax_iterations: 20,
            ..with_slop()
        },
        ..Default::default()
    };
    let mut schemes: Vec<&mut dyn Scheme> = vec![&mut twin];
    let mut gpu = device(test, twenty);
    if let Some(gpu) = &mut gpu {
        schemes.push(gpu);
    }
    for scheme in schemes {
        let [down, _] = creep(scheme);
        assert!(down.abs() < 1e-6, "{down} m/s");
    }
}

/// Without overlap, exactly on the ground, nothing sinks; nor does anything creep.
#[test]
fn nothing_creeps_where_nothing_sinks() {
    let rigid = JacobiSoftStepParameters {
        frame: SoftStepParameters {
            slop: 0.0,
            ..SoftStepParameters::default()
        },
        scalar: Scalar::F64,
    };
    let [down, out] = creep(&mut JacobiSoftStep::new(rigid).expect("in range"));
    assert!(down.abs() < 1e-9 && out.abs() < 1e-6, "{down} {out}");
}

#[test]
fn a_ball_leaves_with_its_share_of_the_approach_velocity() {
    for mut scheme in schemes("bounce") {
        let mut world = scene("bouncing-ball", &json!({ "restitution": 0.8 }));
        let mut before = 0.0;
        for _ in 0..60 {
            let speed = world.bodies()[1].velocity.y;
            if speed < 0.0 {
                before = speed;
            }
            scheme.step(&mut world, DT, &mut ()).expect("it steps");
            if world.bodies()[1].velocity.y > 0.0 {
                break;
            }
        }
        let after = world.bodies()[1].velocity.y;
        // that of the start of the frame, in f32
        assert!((after + 0.8 * before).abs() < 1e-6, "{before}, {after}");
        assert!(after > 3.0, "it did not bounce");
    }
}

#[test]
fn slower_than_the_threshold_nothing_bounces() {
    let given = json!({ "restitution": 0.8, "height": 0.03 });
    for mut scheme in schemes("threshold") {
        let mut world = scene("bouncing-ball", &given);
        let mut highest = f64::NEG_INFINITY;
        for frame in 0..60 {
            scheme.step(&mut world, DT, &mut ()).expect("it steps");
            // it arrives after 5 frames with 0.77 m/s
            if frame > 10 {
                highest = highest.max(world.bodies()[1].velocity.y);
            }
        }
        assert!(highest < 1e-3, "{highest} m/s");
    }
}

#[test]
fn a_box_slides_above_the_friction_angle() {
    let sine = libm::sin(SLOPE);
    for mut scheme in schemes("sliding") {
        let mut sliding = incline(0.8);
        run(scheme.as_mut(), &mut sliding, 60);
        let velocity = sliding.bodies()[1].velocity.x;
        let expected = 9.81 * (sine - 0.8 * sine);
        // exact but for the frames in which the load builds up
        assert!(
            (velocity / expected - 1.0).abs() < 0.02,
            "{velocity} m/s, not {expected}"
        );
    }
}

#[test]
fn a_body_in_free_fall_follows_the_substeps_of_symplectic_euler() {
    for mut scheme in schemes("free fall") {
        let mut world = scene("stack", &json!({ "n": 1, "gap": 3.0 }));
        let start = world.bodies()[1].position;
        run(scheme.as_mut(), &mut world, 30);
        let fallen = (world.bodies()[1].position - start).y;
        let (h, n) = (DT / 4.0, 120.0);
        let expected = -9.81 * h * h * n * (n + 1.0) / 2.0;
        // 120 additions in f32 with rounding 6e-8 each
        assert!(
            (fallen / expected - 1.0).abs() < 1e-5,
            "{fallen} m, not {expected}"
        );
    }
}

/// What the frames say that came from outside.
fn from_outside(scheme: &mut dyn Scheme, mut world: World, frames: u32) -> Momentum {
    let mut sum = Momentum::default();
    for _ in 0..frames {
        let report = scheme.step(&mut world, DT, &mut ()).expect("it steps");
        sum.linear += report.external.linear;
        sum.angular += report.external.angular;
    }
    sum
}

#[test]
fn the_linear_momentum_changes_by_what_the_report_names() {
    for mut scheme in schemes("momentum from outside") {
        let mut world = scene("stack", &json!({ "n": 3, "jitter": 0.2 }));
        let before = world.momentum().linear;
        let mut named = Vector3::zeros();
        for _ in 0..30 {
            let report = scheme.step(&mut world, DT, &mut ()).expect("it steps");
            named += report.external.linear;
        }
        let lost = (world.momentum().linear - before - named).norm();
        // the sums are the same numbers in f64
        assert!(lost < 1e-12, "{lost} N·s");
    }
}

#[test]
fn what_comes_from_outside_is_what_the_velocity_level_scheme_names() {
    for mut scheme in schemes("momentum from outside") {
        let bouncing = bouncing_scenes().into_iter().map(|(_, world)| world);
        let resting = [
            scene("box-on-incline", &json!({ "slope": 0.5, "friction": 0.2 })),
            scene("stack", &json!({ "n": 3, "jitter": 0.2 })),
        ];
        for start in bouncing.chain(resting) {
            let other = from_outside(&mut velocity_level(), start.clone(), 30);
            let own = from_outside(scheme.as_mut(), start, 30);
            // 120 substeps of impulses of 0.1 N·s in f32, at arms of metres
            let linear = (own.linear - other.linear).norm();
            let angular = (own.angular - other.angular).norm();
            assert!(
                linear < 1e-4 && angular < 1e-3,
                "{linear} N·s, {angular} N·m·s"
            );
        }
    }
}

#[test]
fn what_the_device_does_not_know_is_refused_with_a_reason() {
    let world = scene("crank-slider", &json!({ "torque": 5.0 }));
    let error = twin(Scalar::F32).check(&world).expect_err("refused");
    assert!(error.to_string().contains("soft-step"), "{error}");
}
