//! Bytes that frames transfer, and the kernel that makes the start of the next frame.

mod joints;

use std::sync::Arc;

use delassus_conformance::device_or_skip;
use delassus_dynamics::World;
use delassus_scheme_jacobi::SoftStepParameters;
use delassus_scheme_jacobi::stepping::next_frame::{self, BodyPose, FinishedBody};
use delassus_scheme_jacobi::stepping::{BodyConstants, BodyMotion, KEEPS, TURNS};
use delassus_solver_gpu::ManifoldLayout;
use delassus_solver_gpu::buffers::{GpuQuad, StorageBuffer};
use delassus_solver_gpu::commands;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::iteration::IterationVariant;
use delassus_solver_gpu::staging::{TransferCounts, transfers};
use delassus_solver_jacobi::pack::{BODY_FREE, BODY_MASS};
use serde_json::json;

use super::{BodyReads, Resident};
use crate::frame::buffers::Header;
use crate::frame::kernels::Kernels;

const DT: f64 = 1.0 / 60.0;

/// A device of its own, whose transfers nobody else adds to.
fn own(test: &str) -> Option<Arc<Device>> {
    device_or_skip(test, Device::shared(""))?;
    Some(Arc::new(Device::open("", u64::MAX).expect("an adapter")))
}

fn pyramids(columns: usize) -> World {
    let given = json!({ "rows": 1, "columns": columns });
    let given = given.as_object().expect("a table");
    delassus_scenes::build("many-pyramids", given).expect("a scene")
}

/// What some frames transfer.
fn transferred(
    device: &Device,
    world: &mut World,
    resident: &mut Resident,
    (frames, reads): (u32, BodyReads),
) -> TransferCounts {
    let before = transfers(device).expect("counts");
    let parameters = SoftStepParameters::default();
    let report = resident.advance(world, DT, frames, &parameters, "gpu-soft-step", reads);
    report.unwrap_or_else(|error| panic!("{error}"));
    transfers(device).expect("counts").since(&before)
}

#[test]
fn frames_that_stay_transfer_nothing_per_body() {
    let Some(device) = own("frames_that_stay_transfer_nothing_per_body") else {
        return;
    };
    let mut per_frame = Vec::new();
    for columns in [1, 4] {
        let mut world = pyramids(columns);
        let bodies = world.bodies().len() as u64;
        let mut resident =
            Resident::new(Arc::clone(&device), 0, ManifoldLayout::Manifolds).expect("kernels");
        let mut run =
            |frames, reads| transferred(&device, &mut world, &mut resident, (frames, reads)).bytes;
        let first = run(1, BodyReads::Poses);
        // poses, constants, motion, mass and velocity of every body, and colliders
        assert!(first[0] > 300 * bodies, "{first:?}");
        let [one, many] = [run(1, BodyReads::Poses), run(11, BodyReads::Poses)];
        let ten = [0, 1].map(|side| many[side] - one[side]);
        // settings, counts and controls; counts and a status
        assert!(ten[0] <= 10 * 1024 && ten[1] == 10 * 32, "{ten:?}");
        // 48 bytes of a pose, and 32 of a velocity if it is asked for
        assert_eq!(one[1], 32 + 48 * bodies);
        assert_eq!(run(1, BodyReads::All)[1], 32 + (48 + 32) * bodies + 32);
        per_frame.push(ten);
    }
    assert_eq!(per_frame[0], per_frame[1]);
}

/// Numbers between −1 and 1, the same in every run.
fn numbers() -> impl FnMut() -> f32 {
    let mut state = 7_u32;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from(u16::try_from(state >> 16).unwrap_or(0)) / 32768.0 - 1.0
    }
}

#[test]
fn the_next_frame_starts_as_that_of_the_twin() {
    let Some(device) = own("the_next_frame_starts_as_that_of_the_twin") else {
        return;
    };
    let mut next = numbers();
    let mut quad = |size: f32| [next(), next(), next(), next()].map(|x| size * x);
    let unit = |q: GpuQuad| {
        let length = q.iter().map(|x| x * x).sum::<f32>().sqrt();
        q.map(|x| x / length)
    };
    let count = 300;
    let mut constants = vec![BodyConstants::<f32>::default(); count];
    let mut motion = vec![BodyMotion::<f32>::default(); count];
    let mut poses = vec![BodyPose::default(); count];
    let mut mass = vec![[[0.0_f32; 4]; BODY_MASS]; count];
    for body in 0..count {
        constants[body].mode = if body % 5 == 0 { KEEPS } else { TURNS };
        constants[body].inverse_moments = quad(1.0).map(f32::abs);
        constants[body].axes = unit(quad(1.0));
        motion[body].velocity = quad(3.0);
        motion[body].spin = quad(3.0);
        motion[body].displacement = quad(0.05);
        let small = quad(0.05);
        motion[body].turn = unit([small[0], small[1], small[2], 1.0]);
        motion[body].gained = quad(1.0);
        // one of them is too far away
        let size = if body == 7 { 1e5 } else { 3000.0 };
        poses[body].high = quad(size);
        poses[body].low = quad(1e-4);
        poses[body].orientation = unit(quad(1.0));
        if body == 7 {
            poses[body].high[1] = 99_999.0;
        }
    }
    let start = (constants.clone(), motion.clone(), poses.clone());
    let free = vec![[0.0_f32; 4]; BODY_FREE * count];
    let header = Header {
        bodies: 300,
        ..bytemuck::Zeroable::zeroed()
    };
    let flat: Vec<GpuQuad> = poses
        .iter()
        .flat_map(|p| [p.high, p.low, p.orientation])
        .collect();
    let variant = IterationVariant {
        workgroup: 64,
        sequential: true,
        momentum: false,
        layout: ManifoldLayout::Manifolds,
        isotropic: false,
    };
    let kernels = Kernels::shared(&device, variant).expect("kernels");
    let of = |content: &[GpuQuad]| StorageBuffer::holding(&device, "quads", content);
    let header = StorageBuffer::holding(&device, "the header", &[header]).expect("room");
    let inertia = StorageBuffer::holding(&device, "constants", &constants).expect("room");
    let moved = StorageBuffer::holding(&device, "motion", &motion).expect("room");
    let bodies = [mass.as_flattened(), &free].concat();
    let (bodies, placed) = (of(&bodies).expect("room"), of(&flat).expect("room"));
    let status = StorageBuffer::zeroed(&device, "the status", 16).expect("room");
    let kernel = kernels.next_frame();
    let memory = [&header, &inertia, &moved, &bodies, &placed, &status];
    let bindings = kernel.bind(&device, &memory).expect("bound");
    let grid = kernel.grid(&device, count).expect("small");
    commands::submit(&device, None, 1, 1, |pass, _| {
        kernel.dispatch(pass, &bindings, grid);
    })
    .expect("it runs");
    let mut lost = 0;
    for body in 0..count {
        let body = FinishedBody {
            constants: &mut constants[body],
            motion: &mut motion[body],
            mass: &mut mass[body],
            pose: &mut poses[body],
        };
        lost += u32::from(!next_frame::body(body));
    }
    assert_eq!(lost, 1);
    assert_eq!(status.read(&device, 0..4), Ok(vec![0, 0, 0, lost]));
    assert_eq!(moved.read(&device, 0..count), Ok(motion.clone()));
    let read: Vec<GpuQuad> = placed.read(&device, 0..3 * count).expect("poses");
    let close =
        |a: &[f32], b: &[f32], bound: f32| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= bound);
    for (pose, own) in poses.iter().zip(read.as_chunks::<3>().0) {
        // places are exact, turns may be fused and divided with other rounding
        assert_eq!((pose.high, pose.low), (own[0], own[1]));
        assert!(close(&pose.orientation, &own[2], 4e-7), "{pose:?} {own:?}");
    }
    let read: Vec<GpuQuad> = bodies.read(&device, 0..BODY_MASS * count).expect("masses");
    assert!(close(
        mass.as_flattened().as_flattened(),
        read.as_flattened(),
        4e-6
    ));
    let read: Vec<BodyConstants<f32>> = inertia.read(&device, 0..count).expect("constants");
    for (one, own) in constants.iter().zip(&read) {
        assert!(close(&{ one.axes }, &{ own.axes }, 4e-7));
    }
    assert!(start.0 != constants && start.1 != motion && start.2 != poses);
}

/// A substep of (K.23) without joints, loose points and sums of wrenches; search, rows and the
/// start of the next frame once per frame.
#[test]
fn a_frame_takes_as_many_dispatches_as_the_theory_says() {
    let Some(device) = own("a_frame_takes_as_many_dispatches_as_the_theory_says") else {
        return;
    };
    for columns in [1, 3] {
        let mut world = pyramids(columns);
        let mut resident =
            Resident::new(Arc::clone(&device), 0, ManifoldLayout::Manifolds).expect("kernels");
        let mut run = |substeps, frames| {
            let parameters = SoftStepParameters {
                substeps,
                ..SoftStepParameters::default()
            };
            let before = device.dispatches();
            let (scheme, reads) = ("gpu-soft-step", BodyReads::Poses);
            let report = resident.advance(&mut world, DT, frames, &parameters, scheme, reads);
            report.unwrap_or_else(|error| panic!("{error}"));
            device.dispatches() - before
        };
        let mut per_frame = |substeps| {
            // the first frame may make room and search again
            run(substeps, 1);
            let one = run(substeps, 1);
            let more = run(substeps, 6) - one;
            assert_eq!(more % 5, 0, "{more} dispatches of five frames");
            more / 5
        };
        let [few, many] = [per_frame(2), per_frame(4)];
        let SoftStepParameters {
            iterations,
            relax_iterations,
            ..
        } = SoftStepParameters::default();
        let substep = u64::from(2 * (iterations + relax_iterations + 2) + 7);
        assert_eq!(many - few, 2 * substep);
        // (K.43) and (K.46) with sums of one or two levels, and the start of the next frame
        let once = many - 4 * substep;
        println!("{columns} pyramids: {many} dispatches per frame, {once} of them once");
        assert!((22..=32).contains(&once), "{once}");
    }
}
