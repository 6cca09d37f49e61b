//! Closed forms: friction angle, free fall, momentum from outside, refusals.

use delassus_dynamics::{Momentum, Scheme, World};
use delassus_scheme_gpu::{GpuSoftStepParameters, Scalar};
use nalgebra::Vector3;
use serde_json::json;

use crate::common::{DT, device, run, scene, twin, velocity_level};

fn schemes(test: &str) -> Vec<Box<dyn Scheme>> {
    let mut all: Vec<Box<dyn Scheme>> = vec![Box::new(twin(Scalar::F32))];
    if let Some(gpu) = device(test, GpuSoftStepParameters::default()) {
        all.push(Box::new(gpu));
    }
    all
}

#[test]
fn a_box_sticks_below_the_friction_angle_and_slides_above_it() {
    let slope: f64 = 0.4;
    let (sine, cosine) = libm::sincos(slope);
    for mut scheme in schemes("friction angle") {
        let mut stuck = scene(
            "box-on-incline",
            &json!({ "slope": slope, "friction": 1.02 * sine / cosine }),
        );
        run(scheme.as_mut(), &mut stuck, 60);
        let start = stuck.bodies()[1].position;
        run(scheme.as_mut(), &mut stuck, 60);
        let crept = (stuck.bodies()[1].position - start).norm();
        eprintln!("{}: it crept {crept} m", scheme.descriptor().id);
        // 15 iterations per substep leave a residual of friction; sliding on 98 % of the friction would be 0.04 m
        assert!(crept < 3e-3, "it crept {crept} m");
        let friction = 0.8 * sine / cosine;
        let mut sliding = scene(
            "box-on-incline",
            &json!({ "slope": slope, "friction": friction }),
        );
        run(scheme.as_mut(), &mut sliding, 60);
        let velocity = sliding.bodies()[1].velocity.x;
        let expected = 9.81 * (sine - friction * cosine);
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
        for start in [
            scene("box-on-incline", &json!({ "slope": 0.5, "friction": 0.2 })),
            scene("stack", &json!({ "n": 3, "jitter": 0.2 })),
        ] {
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
    let refused = [
        scene("bouncing-ball", &json!({})),
        scene("stack", &json!({ "law": "patch" })),
        scene("crank-slider", &json!({ "torque": 5.0 })),
    ];
    for world in refused {
        let error = twin(Scalar::F32).check(&world).expect_err("refused");
        assert!(error.to_string().contains("soft-step"), "{error}");
    }
}
