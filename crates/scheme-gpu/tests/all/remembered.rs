//! The state of contacts that stay on the device: from frame to frame, from world to world,
//! after failures.

use delassus_dynamics::{Body, Collider, Cuboid, Inertia, Scheme, World};
use delassus_scheme_gpu::{CollisionPlace, GpuSoftStepParameters};
use delassus_scheme_jacobi::SoftStepParameters;
use nalgebra::Vector3;

use crate::collision::scheme;
use crate::common::{DT, assert_close, device, distances, run};
use crate::resident::{ROUNDING, both, compare, motion};
use crate::worlds::{ground, pile, wall};

/// The state of a world is uploaded, rounded once more, and another scheme has the contacts too.
#[test]
fn worlds_in_turn_and_other_schemes_between_keep_their_impulses() {
    let test = "worlds_in_turn_and_other_schemes_between";
    let Some(mut resident) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let Some(mut host) = scheme(test, CollisionPlace::Host) else {
        return;
    };
    let mut alone = wall(4);
    run(&mut resident, &mut alone, 24);
    let (mut one, mut two) = (wall(4), pile(9));
    for _ in 0..24 {
        run(&mut resident, &mut one, 1);
        run(&mut resident, &mut two, 1);
    }
    assert_close(test, &one, &alone, ROUNDING);
    // and one of the host in between, whose manifolds go up
    let (mut mixed, mut whole) = (wall(4), wall(4));
    run(&mut host, &mut whole, 24);
    for frame in 0..24 {
        let scheme = if frame % 8 == 4 {
            &mut host
        } else {
            &mut resident
        };
        run(scheme, &mut mixed, 1);
    }
    assert_close("mixed", &mixed, &whole, ROUNDING);
    // a frame of the host goes on from impulses of the device
    let (mut onwards, mut without) = (alone.clone(), alone.clone());
    run(&mut host, &mut onwards, 1);
    run(&mut resident, &mut alone, 1);
    assert_close("onwards", &onwards, &alone, [1e-6, 1e-6, 1e-4, 1e-4]);
    let mut parts = without.into_parts();
    parts.manifolds.clear();
    without = parts.build().expect("a world");
    run(&mut host, &mut without, 1);
    assert!(distances(&without, &alone)[2] > 1e-3, "no warm start");
}

/// Boxes that rest, and some that come near: there is no room for them any more, and the state of
/// the others is copied.
#[test]
fn memory_grows_in_the_middle_of_a_run() {
    let test = "memory_grows_in_the_middle_of_a_run";
    let Some(mut schemes) = both(test, SoftStepParameters::default()) else {
        return;
    };
    let mut parts = ground();
    for index in 0..576 {
        let at = |k: i32| 1.2 * f64::from(k - 12);
        let gap = if index < 480 { 0.0 } else { 0.0225 };
        let place = Vector3::new(at(index % 24), 0.4995 + gap, at(index / 24));
        let body = parts.body(Body::dynamic(Inertia::default(), place));
        parts.collider(Collider::new(body, Cuboid::cube(0.5)));
    }
    let start = parts.build().expect("a world");
    let mut first = start.clone();
    run(&mut schemes[0], &mut first, 1);
    // the fall of three frames is half of the gap
    let after = compare(test, &mut schemes, &start, 3, ROUNDING);
    let counts = [first.manifolds().len(), after.manifolds().len()];
    assert_eq!(counts, [480, 576]);
    let least = after.manifolds()[..480].iter().map(|m| m.impulses()[0]);
    assert!(least.fold(f64::INFINITY, f64::min) > 1e-3);
    let parameters = GpuSoftStepParameters {
        collision: CollisionPlace::Resident,
        read_contacts: false,
        ..Default::default()
    };
    let Some(mut unread) = device(test, parameters) else {
        return;
    };
    let mut world = start;
    run(&mut unread, &mut world, 3);
    assert_eq!(motion(&world), motion(&after));
}

#[test]
fn a_frame_that_fails_changes_nothing_and_is_not_remembered() {
    let test = "a_frame_that_fails_changes_nothing";
    let parameters = GpuSoftStepParameters {
        collision: CollisionPlace::Resident,
        read_contacts: false,
        ..Default::default()
    };
    let Some(mut gpu) = device(test, parameters) else {
        return;
    };
    let mut whole = wall(4);
    run(&mut gpu, &mut whole, 20);
    let mut world = wall(4);
    run(&mut gpu, &mut world, 10);
    // more than a number of f32 holds, and a body that is nowhere
    for force in [1e60, f64::MAX] {
        let before = world.clone();
        let set = |world: &mut World, force: f64| {
            world
                .set_wrench(3, Vector3::new(0.0, force, 0.0), Vector3::zeros())
                .expect("a body");
        };
        set(&mut world, force);
        assert!(gpu.step(&mut world, DT, &mut ()).is_err());
        set(&mut world, 0.0);
        assert_eq!(world, before);
    }
    run(&mut gpu, &mut world, 10);
    assert_eq!(motion(&world), motion(&whole));
}
