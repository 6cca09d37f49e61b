//! What the device does not take is an error that says where and why.

use delassus_collide::{Capsule, Cuboid, Sphere};
use delassus_collide_gpu::{CollisionError, PairStates};
use delassus_core::DeviceError;

use crate::common::{World, at, finder};

#[test]
fn other_shapes_sizes_and_places_are_refused() {
    let Some(mut finder) = finder("other_shapes_sizes_and_places_are_refused", 0) else {
        return;
    };
    let mut ask = |world: &World| world.ask(&mut finder, PairStates::Given(&[]));
    let mut start = World::new();
    start.add(Sphere::new(1.0), at(0.0, 0.0, 0.0));
    let mut world = start.clone();
    world.add(Capsule::new(1.0, 0.5), at(0.0, 1.0, 0.0));
    let refused = ask(&world).expect_err("a capsule");
    assert!(
        matches!(refused, CollisionError::Shape { collider: 1, .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains("capsule"));
    for half in [1e-10, 1e10] {
        let mut world = start.clone();
        world.add(Cuboid::new(1.0, half, 1.0), at(0.0, 1.0, 0.0));
        let refused = ask(&world).expect_err("a size");
        assert!(
            matches!(refused, CollisionError::Size { collider: 1, size } if size == half),
            "{refused}"
        );
    }
    for far in [1e12, f64::INFINITY, f64::NAN] {
        let mut world = start.clone();
        world.poses[0].translation.x = far;
        let refused = ask(&world).expect_err("a place");
        assert!(
            matches!(refused, CollisionError::TooFar { body: 0, .. }),
            "{refused}"
        );
    }
    let mut world = start.clone();
    world.poses.clear();
    let refused = ask(&world).expect_err("no poses");
    assert!(
        matches!(refused, CollisionError::Length { .. }),
        "{refused}"
    );
}

/// All of them, or an error: never a part.
#[test]
fn a_crowd_in_one_place_is_found_whole_or_refused() {
    let Some(mut finder) = finder("a_crowd_in_one_place_is_found_whole_or_refused", 0) else {
        return;
    };
    let crowd = |count: usize| {
        let mut world = World::new();
        for _ in 0..count {
            world.add(Sphere::new(1.0), at(0.0, 0.0, 0.0));
        }
        world
    };
    assert_eq!(crowd(200).found(&mut finder).len(), 200 * 199 / 2);
    let count = 3000;
    match crowd(count).ask(&mut finder, PairStates::Given(&[])) {
        Ok(found) => assert_eq!(found.len(), count * (count - 1) / 2),
        Err(CollisionError::Device(DeviceError::Limit {
            needed, allowed, ..
        })) => assert!(needed > allowed),
        other => panic!("{other:?}"),
    }
    assert_eq!(crowd(2).found(&mut finder).len(), 1);
}
