//! Bodies that stay on the device for many frames, against those that come back after each.

use delassus_dynamics::{
    Body, BodyKind, Collider, Inertia, Scheme, SchemeError, Sphere, StepError, World,
};
use delassus_scheme_gpu::{BodyReads, CollisionPlace, GpuSoftStep, GpuSoftStepParameters};
use delassus_scheme_jacobi::SoftStepParameters;
use delassus_solver_gpu::ManifoldLayout;
use delassus_solver_jacobi::Acceleration;
use nalgebra::Vector3;
use serde_json::json;

use crate::collision::scheme;
use crate::common::{DT, assert_close, device, distances, run, scene};
use crate::resident::motion;
use crate::worlds::{ground, mixture, pile, wall};

fn advance(gpu: &mut GpuSoftStep, world: &mut World, frames: u32, reads: BodyReads) -> usize {
    let report = gpu.advance(world, DT, frames, reads);
    report.unwrap_or_else(|error| panic!("{error}")).rows
}

#[test]
fn frames_that_stay_are_those_that_come_back() {
    let test = "frames_that_stay_are_those_that_come_back";
    let Some(mut gpu) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let given = json!({ "rows": 1, "columns": 2, "base": 4 });
    let pyramids = scene("many-pyramids", &given);
    // positions are carried to 2⁻³³ m; velocities lose the f64 of the sums, 10⁻⁷ per frame
    for (name, start) in [("pyramids", pyramids), ("wall", wall(4))] {
        let (mut own, mut other) = (start.clone(), start);
        let mut rows = [0; 2];
        for _ in 0..3 {
            rows[0] = advance(&mut gpu, &mut own, 6, BodyReads::All);
        }
        for _ in 0..18 {
            let report = gpu.step(&mut other, DT, &mut ()).expect("a frame");
            rows[1] = report.rows;
        }
        assert_eq!(rows[0], rows[1], "{name}");
        assert!((own.time() - other.time()).abs() < 1e-12);
        assert_close(name, &own, &other, [2e-5, 2e-5, 1e-4, 2e-4]);
        assert!(own.manifolds().is_empty(), "contacts stay");
        run(&mut gpu, &mut own, 1);
        assert_eq!(own.manifolds().len(), other.manifolds().len(), "{name}");
    }
}

#[test]
fn reading_between_frames_changes_no_bit() {
    let test = "reading_between_frames_changes_no_bit";
    let Some(mut gpu) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let mut ends = Vec::new();
    for calls in [&[12][..], &[5, 7], &[1; 12]] {
        let mut world = pile(18);
        for frames in calls {
            advance(&mut gpu, &mut world, *frames, BodyReads::Poses);
        }
        advance(&mut gpu, &mut world, 0, BodyReads::All);
        let known = world.bodies().iter().map(|b| (b.velocity, b.spin));
        let known: Vec<_> = known.collect();
        advance(&mut gpu, &mut world, 3, BodyReads::Poses);
        let after = world.bodies().iter().map(|b| (b.velocity, b.spin));
        assert!(known.iter().copied().eq(after), "velocities stay");
        advance(&mut gpu, &mut world, 0, BodyReads::All);
        ends.push(
            world
                .bodies()
                .iter()
                .map(|b| b.velocity)
                .collect::<Vec<_>>(),
        );
    }
    assert!(ends.iter().all(|end| *end == ends[0]));
}

/// Many small worlds side by side, a wall and a pile, over frames that stay on the device: with
/// momentum, which carries more between iterations, and without.
#[test]
fn tiles_change_no_bit_of_frames_that_stay() {
    let test = "tiles_change_no_bit_of_frames_that_stay";
    let given = json!({ "rows": 3, "columns": 4, "base": 2 });
    let starts = [scene("many-pyramids", &given), wall(4), pile(18)];
    for acceleration in [Acceleration::None, Acceleration::Nesterov] {
        let mut ends = Vec::new();
        for layout in [ManifoldLayout::Manifolds, ManifoldLayout::Tiles] {
            let frame = SoftStepParameters {
                acceleration,
                ..SoftStepParameters::default()
            };
            let parameters = GpuSoftStepParameters {
                frame,
                layout,
                collision: CollisionPlace::Resident,
                ..Default::default()
            };
            let Some(mut gpu) = device(test, parameters) else {
                return;
            };
            let end = starts.iter().map(|start| {
                let mut world = start.clone();
                let rows =
                    [7, 1, 4].map(|frames| advance(&mut gpu, &mut world, frames, BodyReads::Poses));
                assert!(rows[2] > 0, "bodies in contact");
                advance(&mut gpu, &mut world, 0, BodyReads::All);
                (rows, motion(&world))
            });
            ends.push(end.collect::<Vec<_>>());
        }
        assert_eq!(ends[0], ends[1], "{acceleration}");
    }
}

/// A ball that falls far away from the origin: the semi-implicit Euler method to its last digits.
#[test]
fn a_ball_falls_far_away_as_on_paper() {
    let test = "a_ball_falls_far_away_as_on_paper";
    let Some(mut gpu) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let start = Vector3::new(20_000.3, 900.7, -15_000.1);
    let velocity = Vector3::new(0.125, 1.5, -0.75);
    let mut parts = ground();
    let inertia = Inertia::new(2.0, Vector3::repeat(0.3));
    let spin = Vector3::new(0.0, 2.0, 0.0);
    let body = parts.body(Body::dynamic(inertia, start).moving(velocity, spin));
    parts.collider(Collider::new(body, Sphere::new(0.4)));
    let mut world = parts.build().expect("a world");
    let (frames, substeps) = (120_u32, 4_u32);
    for _ in 0..4 {
        advance(&mut gpu, &mut world, frames / 4, BodyReads::Poses);
    }
    advance(&mut gpu, &mut world, 0, BodyReads::All);
    let (h, n) = (DT / f64::from(substeps), f64::from(frames * substeps));
    let fallen = -9.81 * h * h * n * (n + 1.0) / 2.0;
    let expected = start + n * h * velocity + fallen * Vector3::y();
    let body = &world.bodies()[1];
    let miss = body.position.to_vector() - expected;
    // 480 velocities of up to 18 m/s, each rounded by up to 10⁻⁶ m/s, over 2 s
    assert!(miss.amax() < 1e-3, "{miss}");
    // along x no force acts: nothing but the rounding of a displacement per frame
    assert!(miss.x.abs() < 1e-7, "{miss}");
    assert!((body.velocity.y - (1.5 - 9.81 * n * h)).abs() < 5e-4);
    let turned = body
        .orientation
        .angle_to(&nalgebra::UnitQuaternion::from_axis_angle(
            &Vector3::y_axis(),
            2.0 * n * h,
        ));
    assert!(turned < 1e-4, "{turned}");
}

#[test]
fn what_the_host_sets_between_frames_goes_up() {
    let test = "what_the_host_sets_between_frames_goes_up";
    let Some(mut gpu) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let (mut own, mut other) = (wall(3), wall(3));
    advance(&mut gpu, &mut own, 4, BodyReads::Poses);
    let first = gpu.uploaded();
    let set = |world: &mut World| {
        let push = Vector3::new(0.4, 0.1, -0.3);
        world
            .set_velocity(2, push, Vector3::zeros())
            .expect("a body");
        world
            .set_wrench(5, Vector3::new(0.0, 0.0, 3.0), Vector3::zeros())
            .expect("a body");
    };
    set(&mut own);
    advance(&mut gpu, &mut own, 4, BodyReads::Poses);
    // a velocity, a body's constants, and the settings of four frames
    assert!(gpu.uploaded() < first, "{} {first}", gpu.uploaded());
    own.set_gravity(Vector3::new(0.0, -4.0, 0.0))
        .expect("finite");
    advance(&mut gpu, &mut own, 4, BodyReads::All);
    run(&mut gpu, &mut other, 4);
    set(&mut other);
    run(&mut gpu, &mut other, 4);
    other
        .set_gravity(Vector3::new(0.0, -4.0, 0.0))
        .expect("finite");
    run(&mut gpu, &mut other, 4);
    assert_close(test, &own, &other, [1e-6, 1e-6, 2e-5, 2e-5]);
    let [moved, ..] = distances(&own, &wall(3));
    assert!(moved > 0.005, "{moved}");
}

#[test]
fn a_step_after_frames_that_stay_has_their_velocities() {
    let test = "a_step_after_frames_that_stay_has_their_velocities";
    let Some(mut gpu) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let (mut own, mut other) = (pile(9), pile(9));
    advance(&mut gpu, &mut own, 5, BodyReads::Poses);
    assert!(own.bodies().iter().all(|b| b.velocity.y == 0.0));
    run(&mut gpu, &mut own, 1);
    run(&mut gpu, &mut other, 6);
    assert_close(test, &own, &other, [2e-5, 5e-5, 2e-4, 5e-4]);
}

#[track_caller]
fn refused(gpu: &mut GpuSoftStep, mut world: World, field: &str) {
    let before = world.clone();
    match gpu.advance(&mut world, DT, 2, BodyReads::All) {
        Err(StepError::Scheme(SchemeError::Unsupported { what, .. })) => assert_eq!(what, field),
        other => panic!("{field}: {other:?}"),
    }
    assert_eq!(world, before);
}

#[test]
fn bodies_that_cannot_stay_are_refused_with_a_way_out() {
    let test = "bodies_that_cannot_stay_are_refused";
    let Some(mut gpu) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let changed = |change: &dyn Fn(&mut Body)| {
        let mut parts = wall(2).into_parts();
        change(&mut parts.bodies[2]);
        parts.build().expect("a world")
    };
    let moved = changed(&|body| {
        body.kind = BodyKind::Kinematic;
        body.velocity = Vector3::x();
    });
    refused(&mut gpu, moved, "bodies[2].velocity");
    let locked = changed(&|body| body.lock_rotation = [true, false, false]);
    refused(&mut gpu, locked, "bodies[2].lock_rotation");
    let mut parts = mixture(Vector3::new(5e4, 0.0, 0.0)).into_parts();
    parts.bodies[6].velocity = Vector3::zeros();
    refused(
        &mut gpu,
        parts.build().expect("a world"),
        "bodies[0].position",
    );
    let Some(mut other) = scheme(test, CollisionPlace::Device) else {
        return;
    };
    refused(&mut other, wall(2), "collision");
}

#[test]
fn a_world_that_was_edited_while_its_velocities_were_away_is_refused() {
    let test = "a_world_that_was_edited_while_its_velocities_were_away";
    let Some(mut gpu) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let mut world = wall(2);
    advance(&mut gpu, &mut world, 2, BodyReads::Poses);
    let mut edited = world.clone();
    edited.remove_body(3).expect("a body");
    refused(&mut gpu, edited.clone(), "the world");
    assert!(gpu.step(&mut edited, DT, &mut ()).is_err());
    advance(&mut gpu, &mut world, 0, BodyReads::All);
    world.remove_body(3).expect("a body");
    advance(&mut gpu, &mut world, 2, BodyReads::All);
    assert_eq!(world.bodies().len(), 3);
}

#[test]
fn bodies_that_fly_too_far_end_the_frames() {
    let test = "bodies_that_fly_too_far_end_the_frames";
    let Some(mut gpu) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let mut parts = ground();
    let start = Vector3::new(32_760.0, 5.0, 0.0);
    let body = Body::dynamic(Inertia::default(), start);
    let body = parts.body(body.moving(Vector3::new(400.0, 0.0, 0.0), Vector3::zeros()));
    parts.collider(Collider::new(body, Sphere::new(0.4)));
    let mut world = parts.build().expect("a world");
    let before = world.clone();
    let error = gpu.advance(&mut world, DT, 3, BodyReads::All);
    assert!(error.is_err_and(|error| error.to_string().contains("32768")));
    assert_eq!(world, before);
    // one frame less far
    advance(&mut gpu, &mut world, 1, BodyReads::All);
    assert!((world.bodies()[1].position.to_vector().x - 32_760.0 - 400.0 * DT).abs() < 1e-3);
}
