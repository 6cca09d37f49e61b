//! The device against its twin, and against itself.

use std::f64::consts::PI;

use delassus_conformance::skip;
use delassus_core::{DeviceError, Parameters, SolveError, Unsupported};
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Manifold, PositionScheme, Scheme, SchemeError,
    StepError, World, WorldParts,
};
use delassus_scheme_gpu::{GpuSoftStep, GpuSoftStepParameters};
use delassus_scheme_jacobi::{JacobiSoftStep, JacobiSoftStepParameters, Scalar};
use nalgebra::Vector3;
use serde_json::json;

use crate::common::{DT, assert_close, bouncing_scenes, contact_scenes, device, run, scene, twin};

#[test]
fn a_frame_on_the_device_is_that_of_the_twin() {
    let test = "a_frame_on_the_device_is_that_of_the_twin";
    let Some(mut gpu) = device(test, GpuSoftStepParameters::default()) else {
        return;
    };
    for (name, start) in contact_scenes().into_iter().chain(bouncing_scenes()) {
        let (mut own, mut other) = (start.clone(), start);
        run(&mut gpu, &mut own, 1);
        run(&mut twin(Scalar::F32), &mut other, 1);
        // 60 iterations may each round and fuse differently: c u N with u = 6e-8, velocities of 1
        // m/s, c = 30 (K.21); positions move by h times that
        assert_close(name, &own, &other, [2e-6, 2e-6, 1e-4, 1e-4]);
        run(&mut gpu, &mut own, 29);
        run(&mut twin(Scalar::F32), &mut other, 29);
        assert_close(name, &own, &other, [2e-5, 2e-5, 2e-4, 2e-4]);
    }
}

#[test]
fn joints_on_the_device_are_those_of_the_twin() {
    let test = "joints_on_the_device_are_those_of_the_twin";
    let Some(mut gpu) = device(test, GpuSoftStepParameters::default()) else {
        return;
    };
    let scenes = [
        ("chain", json!({ "length": 0.5, "angle": 0.5 * PI })),
        ("weld-pair", json!({})),
        ("n-pendulum", json!({})),
    ];
    for (id, parameters) in scenes {
        let start = scene(id, &parameters);
        if gpu.check(&start).is_err() {
            panic!("{id}: {:?}", gpu.check(&start));
        }
        let (mut own, mut other) = (start.clone(), start);
        run(&mut gpu, &mut own, 10);
        run(&mut twin(Scalar::F32), &mut other, 10);
        // the velocities of these scenes are of the order of 1 m/s and 10 rad/s
        assert_close(id, &own, &other, [1e-5, 1e-4, 1e-4, 1e-3]);
    }
}

fn hash(gpu: &mut GpuSoftStep, start: &World) -> u64 {
    let mut world = start.clone();
    run(gpu, &mut world, 5);
    world.state_hash()
}

#[test]
fn repeats_and_workgroups_change_no_bit() {
    let test = "repeats_and_workgroups_change_no_bit";
    let start = scene("pyramid", &json!({ "base": 6 }));
    let mut hashes = Vec::new();
    for workgroup in [32, 64, 64, 128, 256] {
        let parameters = GpuSoftStepParameters {
            workgroup,
            ..Default::default()
        };
        let Some(mut gpu) = device(test, parameters) else {
            return;
        };
        hashes.push(hash(&mut gpu, &start));
        // buffers that are written again
        hashes.push(hash(&mut gpu, &start));
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:x?}");
}

#[test]
fn every_rule_and_acceleration_runs() {
    let test = "every_rule_and_acceleration_runs";
    let start = scene("stack", &json!({ "n": 3 }));
    for (rule, acceleration, sweep) in [
        ("mass-split", "none", "block"),
        ("mass-split", "chebyshev", "block"),
        ("count", "nesterov", "points"),
        ("max-count", "none", "points"),
    ] {
        let given = json!({
            "rule": rule, "acceleration": acceleration, "sweep": sweep, "splitting": "rows",
            "iterations": 12, "relax_iterations": 12,
        });
        let given = given.as_object().expect("a table");
        let parameters = GpuSoftStepParameters::from_map(given).expect("known");
        let Some(mut gpu) = device(test, parameters.clone()) else {
            return;
        };
        // at rest Chebyshev measures its contraction from residuals that are rounding: one frame
        // only
        let frames = if acceleration == "chebyshev" { 1 } else { 20 };
        let (mut own, mut other) = (start.clone(), start.clone());
        run(&mut gpu, &mut own, frames);
        let twin = JacobiSoftStepParameters {
            frame: parameters.frame,
            ..JacobiSoftStepParameters::default()
        };
        let mut twin = JacobiSoftStep::new(twin).expect("in range");
        run(&mut twin, &mut other, frames);
        assert_close(rule, &own, &other, [2e-5, 2e-5, 2e-4, 2e-4]);
    }
}

#[test]
fn a_frame_uploads_once_and_only_what_it_needs() {
    let test = "a_frame_uploads_once_and_only_what_it_needs";
    let Some(mut gpu) = device(test, GpuSoftStepParameters::default()) else {
        return;
    };
    let mut world = scene("pyramid", &json!({ "base": 10 }));
    run(&mut gpu, &mut world, 1);
    let points: usize = world.manifolds().iter().map(|m| m.points.len()).sum();
    let per_point = gpu.uploaded() as f64 / points as f64;
    eprintln!("{per_point} B per point");
    // twice 56 of the rows, 32 of impulses, 80 to follow a point, and a third of a body with 22
    // quads
    assert!(per_point < 500.0, "{per_point}");
}

/// A plate on the ground, on `points` points.
fn plate(points: usize) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(2.0, Vector3::new(0.5, 0.9, 0.6));
    let body = Body::dynamic(inertia, Vector3::new(0.0, 0.05, 0.0));
    let plate = parts.body(body.moving(Vector3::new(0.3, 0.0, -0.2), Vector3::zeros()));
    let point = |index: usize| {
        let place =
            |factor: usize, cycle: usize| ((index * factor) % cycle) as f64 / cycle as f64 - 0.5;
        let anchor = Vector3::new(place(7, 101), -0.05, place(13, 97));
        let below = anchor + Vector3::new(0.0, 0.05, 0.0);
        ContactPoint {
            anchors: [below, anchor],
            radii: [0.0; 2],
        }
    };
    let points = (0..points).map(point).collect();
    let law = ContactLaw::Disc;
    let manifold = Manifold::new([ground, plate], Vector3::y(), points, 0.4, law);
    parts.manifolds.push(manifold);
    parts.build().expect("a world")
}

#[test]
fn a_body_of_many_pieces_is_summed_by_a_workgroup() {
    let test = "a_body_of_many_pieces_is_summed_by_a_workgroup";
    // 75 pieces: more than one thread sums
    let start = plate(300);
    let mut hashes = Vec::new();
    for workgroup in [32, 256] {
        let parameters = GpuSoftStepParameters {
            workgroup,
            ..Default::default()
        };
        let Some(mut gpu) = device(test, parameters) else {
            return;
        };
        let (mut own, mut other) = (start.clone(), start.clone());
        run(&mut gpu, &mut own, 5);
        run(&mut twin(Scalar::F32), &mut other, 5);
        assert_close("plate", &own, &other, [2e-6, 2e-6, 1e-4, 1e-4]);
        hashes.push(own.state_hash());
    }
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn a_body_of_more_pieces_than_software_sums_is_refused() {
    let test = "a_body_of_more_pieces_than_software_sums_is_refused";
    let Some(mut gpu) = device(test, GpuSoftStepParameters::default()) else {
        return;
    };
    if !delassus_solver_gpu::Device::shared("").is_ok_and(|d| d.report().is_software) {
        skip(test, "hardware has no such limit");
        return;
    }
    let mut world = plate(4 * 100_001);
    let before = world.clone();
    let refused = gpu.step(&mut world, DT, &mut ());
    let expected = matches!(
        refused,
        Err(StepError::Solve(SolveError::Device(DeviceError::Limit {
            needed: 100_001,
            ..
        })))
    );
    assert!(expected, "{refused:?}");
    assert_eq!(world, before);
}

#[test]
fn without_an_adapter_it_is_refused_and_nothing_moves() {
    let parameters = GpuSoftStepParameters {
        adapter: "an adapter that nobody has".into(),
        ..Default::default()
    };
    let mut gpu = GpuSoftStep::new(parameters).expect("in range");
    let mut world = scene("stack", &json!({}));
    let before = world.clone();
    let refused = gpu.check(&world);
    let expected = matches!(
        refused,
        Err(SchemeError::Solver(Unsupported::Device {
            device: DeviceError::NoAdapter { .. },
            ..
        }))
    );
    assert!(expected, "{refused:?}");
    assert!(gpu.step(&mut world, DT, &mut ()).is_err());
    assert_eq!(world, before);
}
