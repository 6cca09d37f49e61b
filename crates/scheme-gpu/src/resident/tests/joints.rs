//! The kernel that places joints, and what joints transfer and dispatch.

use std::sync::Arc;

use delassus_dynamics::constraints::{Point, Weld};
use delassus_dynamics::{Body, Collider, Inertia, Joint, Sphere, World};
use delassus_scheme_jacobi::SoftStepParameters;
use delassus_scheme_jacobi::stepping::next_frame::BodyPose;
use delassus_scheme_jacobi::stepping::place_joints;
use delassus_scheme_jacobi::stepping::{FollowedJoint, LINE, ORIENTATION, PERPENDICULAR, ROD};
use delassus_solver_gpu::ManifoldLayout;
use delassus_solver_gpu::buffers::{GpuQuad, StorageBuffer};
use delassus_solver_gpu::commands;
use delassus_solver_gpu::staging::transfers;
use nalgebra::{UnitQuaternion, Vector3};

use super::super::{BodyReads, Resident};
use super::{DT, numbers, own, pyramids, transferred};
use crate::rows::kernels::RowKernels;
use crate::rows::records::RowSettings;

const BODIES: u16 = 37;
const JOINTS: u16 = 150;

/// Joints with rows of all kinds between random bodies, the directions of the rows, and poses.
fn scattered() -> (Vec<FollowedJoint<f32>>, Vec<GpuQuad>, Vec<BodyPose>) {
    let mut next = numbers();
    let mut quad = |w: f32| [next(), next(), next(), w];
    let unit = |q: GpuQuad| {
        let length = q.iter().map(|x| x * x).sum::<f32>().sqrt();
        q.map(|x| x / length)
    };
    let kinds = [LINE, PERPENDICULAR, ORIENTATION, ROD, LINE, PERPENDICULAR];
    let kinds = (0..).zip(kinds).map(|(row, kind)| kind << (4 * row)).sum();
    let poses = (0..BODIES).map(|_| BodyPose {
        high: quad(0.0).map(|x| (3000.0 * 256.0 * x).round() / 256.0),
        low: quad(0.0).map(|x| x / 512.0),
        orientation: unit(quad(0.3)),
    });
    let poses: Vec<_> = poses.collect();
    let joints = (0..JOINTS).map(|joint| {
        let [[x, y, z, _], [u, v, w, _]] = [quad(0.0), quad(0.0)];
        FollowedJoint {
            a: (joint % BODIES).into(),
            b: ((joint + 1) % BODIES).into(),
            rows: 6,
            first_row: (6 * joint).into(),
            kinds,
            length: 0.7,
            anchor_a: [x, y, z],
            anchor_b: [u, v, w],
            axis: [z, x, y],
            missing: unit([u, x, v, 0.5]),
            rate: 3.0,
            ..FollowedJoint::default()
        }
    });
    let joints: Vec<_> = joints.collect();
    let directions = (0..6 * JOINTS).map(|_| unit(quad(0.0))).collect();
    (joints, directions, poses)
}

#[test]
fn joints_are_placed_as_by_the_twin() {
    let Some(device) = own("joints_are_placed_as_by_the_twin") else {
        return;
    };
    let (joints, directions, poses) = scattered();
    let header = RowSettings {
        joints: JOINTS.into(),
        ..RowSettings::default()
    };
    let flat = poses.iter().flat_map(|p| [p.high, p.low, p.orientation]);
    let flat: Vec<GpuQuad> = flat.collect();
    let zeroed = |bytes: usize| StorageBuffer::zeroed(&device, "what is placed", bytes as u64);
    let placed = zeroed(size_of_val(joints.as_slice())).expect("room");
    let starts = zeroed(size_of_val(directions.as_slice())).expect("room");
    let header = StorageBuffer::holding(&device, "the settings", &[header]).expect("room");
    let attached = StorageBuffer::holding(&device, "the joints", &joints).expect("room");
    let flat = StorageBuffer::holding(&device, "the poses", &flat).expect("room");
    let turned = StorageBuffer::holding(&device, "the directions", &directions).expect("room");
    let kernels = RowKernels::shared(&device, 64, ManifoldLayout::Manifolds).expect("kernels");
    let kernel = kernels.place_joints();
    let memory = [&header, &flat, &attached, &turned, &placed, &starts];
    let bindings = kernel.bind(&device, &memory).expect("bound");
    let grid = kernel.grid(&device, joints.len()).expect("small");
    commands::submit(&device, None, 1, 1, |pass, _| {
        kernel.dispatch(pass, &bindings, grid);
    })
    .expect("it runs");
    let mut expected = directions.clone();
    let twin = |own: &FollowedJoint<f32>| {
        let sides = [own.a, own.b].map(|body| &poses[body as usize]);
        place_joints::joint(own, &directions, sides, &mut expected)
    };
    let twins: Vec<FollowedJoint<f32>> = joints.iter().map(twin).collect();
    let placed: Vec<FollowedJoint<f32>> = placed.read(&device, 0..joints.len()).expect("joints");
    let starts: Vec<GpuQuad> = starts.read(&device, 0..directions.len()).expect("rows");
    let close = |own: &[f32], twin: &[f32], size: f32| {
        let apart = own.iter().zip(twin).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f32::max) < 1e-6 * size, "{own:?} {twin:?}");
    };
    for (joint, twin) in placed.iter().zip(&twins) {
        // what is exact, and what may be fused
        assert_eq!({ joint.centres }, { twin.centres });
        assert_eq!((joint.kinds, joint.rate), (twin.kinds, twin.rate));
        close(&{ joint.missing }, &{ twin.missing }, 1.0);
        close(&{ joint.axis }, &{ twin.axis }, 2.0);
        close(&{ joint.anchor_a }, &{ twin.anchor_a }, 2.0);
        close(&{ joint.anchor_b }, &{ twin.anchor_b }, 2.0);
        close(&{ joint.gap }, &{ twin.gap }, twin.length);
        close(&[{ joint.length }], &[{ twin.length }], twin.length);
    }
    for (row, (own, twin)) in starts.iter().zip(&expected).enumerate() {
        close(&own[..3], &twin[..3], 1.0);
        close(&own[3..], &twin[3..], 1.0 + twins[row / 6].length);
    }
    assert!(starts != directions);
}

/// Pyramids, and beside them a chain of `links` balls with ball joints, the last of which is
/// welded.
fn chain(links: usize) -> World {
    let mut parts = pyramids(1).into_parts();
    let mut last = parts.body(Body::fixed(Vector3::new(0.0, 30.0, 0.0)));
    for link in 0..links {
        let place = Vector3::new(0.3 * (link as f64 + 1.0), 30.0, 0.0);
        let inertia = Inertia::new(1.0, Vector3::repeat(0.01));
        let body = parts.body(Body::dynamic(inertia, place));
        parts.collider(Collider::new(body, Sphere::new(0.1)));
        let anchors = [0.15 * Vector3::x(), -0.15 * Vector3::x()];
        let bodies = [last, body];
        parts.joint(if link + 1 == links {
            Joint::new(Weld {
                bodies,
                anchors,
                orientation: UnitQuaternion::identity(),
            })
        } else {
            Joint::new(Point { bodies, anchors })
        });
        last = body;
    }
    parts.build().expect("a world")
}

fn without_joints(mut world: World) -> World {
    while let Some(joint) = world.joint_handle(0) {
        world.remove_joint(joint).expect("it is there");
    }
    world
}

#[test]
fn frames_with_joints_upload_nothing_per_joint() {
    let Some(device) = own("frames_with_joints_upload_nothing_per_joint") else {
        return;
    };
    let mut per_frame = Vec::new();
    for links in [2, 40] {
        let mut world = chain(links);
        let mut resident =
            Resident::new(Arc::clone(&device), 0, ManifoldLayout::Manifolds).expect("kernels");
        let mut run =
            |frames, reads| transferred(&device, &mut world, &mut resident, (frames, reads)).bytes;
        run(1, BodyReads::Poses);
        let [one, many] = [run(1, BodyReads::Poses), run(11, BodyReads::Poses)];
        let ten = [0, 1].map(|side| many[side] - one[side]);
        assert!(ten[0] <= 10 * 1024 && ten[1] == 10 * 32, "{ten:?}");
        per_frame.push(ten);
    }
    assert_eq!(per_frame[0], per_frame[1]);
    println!("{:?} bytes in ten frames", per_frame[0]);
}

/// What (K.51) says goes up when joints change, and nothing does otherwise.
#[test]
fn joints_are_uploaded_when_they_change() {
    let Some(device) = own("joints_are_uploaded_when_they_change") else {
        return;
    };
    let parameters = SoftStepParameters::default();
    let links = 12;
    let step = |world: &mut World, resident: &mut Resident| {
        let before = transfers(&device).expect("counts");
        let report = resident.step(world, DT, &parameters, "gpu-soft-step", false);
        report.unwrap_or_else(|error| panic!("{error}"));
        let read = transfers(&device).expect("counts").since(&before).bytes[1];
        [resident.uploaded(), read]
    };
    let mut moved = Vec::new();
    for mut world in [chain(links), without_joints(chain(links))] {
        let mut resident =
            Resident::new(Arc::clone(&device), 0, ManifoldLayout::Manifolds).expect("kernels");
        let frames: Vec<[u64; 2]> = (0..4).map(|_| step(&mut world, &mut resident)).collect();
        moved.push(frames);
    }
    let more: Vec<u64> = (0..4).map(|f| moved[0][f][0] - moved[1][f][0]).collect();
    let of_joint = |rows: u64| 288 + 176 * rows + 16 * rows.div_ceil(4);
    let links = links as u64;
    let all = (links - 1) * of_joint(3) + of_joint(6);
    assert_eq!(more, [all, 0, 0, 0]);
    // impulses, and for both bodies of a unit the sums of its wrench and the name
    let down = 16 * (links + 1) + 104 * links;
    assert_eq!(moved[0][3][1] - moved[1][3][1], down);
}

/// Four dispatches per frame, and per substep one for the rows of each solve, and one per pass that
/// follows joints.
#[test]
fn joints_take_as_many_dispatches_as_the_theory_says() {
    let Some(device) = own("joints_take_as_many_dispatches_as_the_theory_says") else {
        return;
    };
    let parameters = SoftStepParameters::default();
    let mut per_frame = Vec::new();
    for mut world in [chain(9), without_joints(chain(9))] {
        let mut resident =
            Resident::new(Arc::clone(&device), 0, ManifoldLayout::Manifolds).expect("kernels");
        let mut run = |frames| {
            let before = device.dispatches();
            let (scheme, reads) = ("gpu-soft-step", BodyReads::Poses);
            let report = resident.advance(&mut world, DT, frames, &parameters, scheme, reads);
            report.unwrap_or_else(|error| panic!("{error}"));
            device.dispatches() - before
        };
        run(1);
        let one = run(1);
        per_frame.push((run(6) - one) / 5);
    }
    let SoftStepParameters {
        substeps,
        iterations,
        relax_iterations,
        ..
    } = parameters;
    let more = u64::from(substeps * (iterations + relax_iterations + 4) + 4);
    println!("{per_frame:?} dispatches with joints and without");
    assert_eq!(per_frame[0] - per_frame[1], more);
}
