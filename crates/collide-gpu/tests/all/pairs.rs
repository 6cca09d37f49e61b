//! Which colliders are near each other.

use delassus_collide::{Cuboid, Filter, Sphere};
use delassus_collide_gpu::{Finder, Room};
use nalgebra::{UnitQuaternion, Vector3};

use crate::common::{World, at, finder, finder_with, mixed, on_slope, wall};

/// How far boxes may be apart that f32 takes for near, per size of the largest collider \[-\].
const ROUNDING: f64 = 1e-5;

/// The device misses no pair of the processor, and has no other that is not near up to rounding.
fn compare(name: &str, world: &World, finder: &mut Finder, size: f64) {
    world.found(finder);
    let own = finder.pairs().expect("a device");
    let least = world.near(0.0);
    let most = world.near(ROUNDING * size);
    assert!(own.is_sorted() && own.windows(2).all(|two| two[0] != two[1]));
    let missing = least.iter().find(|pair| own.binary_search(pair).is_err());
    assert_eq!(missing, None, "{name}: a pair is missing");
    let strange = own.iter().find(|pair| most.binary_search(pair).is_err());
    assert_eq!(strange, None, "{name}: a pair is not near");
    eprintln!(
        "{name}: {} pairs, {} on the processor",
        own.len(),
        least.len()
    );
}

#[test]
fn pairs_are_those_of_the_processor() {
    let Some(mut finder) = finder("pairs_are_those_of_the_processor", 0) else {
        return;
    };
    for count in [0, 1, 2, 7, 60, 400] {
        for seed in 0..3 {
            let world = mixed(count, 12.0, 10 * seed + count as u64);
            compare("mixed", &world, &mut finder, 40.0);
        }
    }
    for first in [true, false] {
        let world = on_slope(200, first, 6);
        compare("slope", &world, &mut finder, 400.0);
    }
    compare("wall", &wall(12, 0.0), &mut finder, 50.0);
    compare("wall with gaps", &wall(6, 0.03), &mut finder, 50.0);
    assert!(!finder.pairs().expect("a device").is_empty());
}

#[test]
fn far_from_the_origin_nothing_is_lost() {
    let Some(mut finder) = finder("far_from_the_origin_nothing_is_lost", 0) else {
        return;
    };
    for far in [1e3, 1e5, 1e7] {
        let mut world = mixed(150, 8.0, 5);
        for pose in &mut world.poses {
            pose.translation.vector += far * Vector3::new(1.0, -0.7, 0.3);
        }
        // positions keep 48 bits
        compare("far", &world, &mut finder, 40.0 + 1e-8 * far);
    }
}

#[test]
fn sizes_from_dust_to_mountains_meet() {
    let Some(mut finder) = finder("sizes_from_dust_to_mountains_meet", 0) else {
        return;
    };
    let mut world = World::new();
    let mut top = 0.0;
    // a tower of balls, each a fifth of the one below
    for level in 0..13 {
        let radius = 1e3 * 0.2_f64.powi(level);
        world.add(Sphere::new(radius), at(0.0, top + radius, 0.0));
        top += 2.0 * radius;
    }
    world.query.margin = 1e-6;
    world.found(&mut finder);
    let pairs = finder.pairs().expect("a device");
    for level in 0..12 {
        assert!(pairs.contains(&[level, level + 1]), "{level}: {pairs:?}");
    }
}

#[test]
fn what_may_not_touch_is_no_pair() {
    let Some(mut finder) = finder("what_may_not_touch_is_no_pair", 0) else {
        return;
    };
    let mut world = World::new();
    for index in 0..8 {
        world.add(Cuboid::cube(0.5), at(0.1 * f64::from(index), 0.0, 0.0));
    }
    // one more on the first body
    let mut second = world.colliders[0].clone();
    second.position = Vector3::new(0.2, 0.0, 0.0);
    second.orientation = UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3);
    world.colliders.push(second);
    world.moves[1] = false;
    world.moves[2] = false;
    world.apart = vec![[0, 3], [3, 4], [5, 7]];
    let group = |group| Filter {
        group,
        ..Filter::default()
    };
    world.colliders[4].filter = group(7);
    world.colliders[5].filter = group(7);
    world.colliders[6].filter = Filter {
        category: 2,
        ..Filter::default()
    };
    world.colliders[7].filter = Filter {
        mask: 1,
        ..Filter::default()
    };
    let expected = world.near(0.0);
    let absent = [
        [0, 8],
        [1, 2],
        [0, 3],
        [3, 8],
        [3, 4],
        [5, 7],
        [4, 5],
        [6, 7],
    ];
    assert!(absent.iter().all(|pair| !expected.contains(pair)));
    world.found(&mut finder);
    assert_eq!(finder.pairs().expect("a device"), expected);
}

#[test]
fn memory_that_is_too_small_grows() {
    let test = "memory_that_is_too_small_grows";
    let room = Room {
        pairs: 1,
        manifolds: 1,
    };
    let Some(mut small) = finder_with(test, 0, room) else {
        return;
    };
    let Some(mut large) = finder(test, 0) else {
        return;
    };
    let world = wall(8, 0.0);
    let found = world.found(&mut small);
    assert!(small.room().pairs > 100 && small.room().manifolds > 100);
    assert_eq!(found, world.found(&mut large));
    assert_eq!(small.pairs(), large.pairs());
}

#[test]
fn nobody_is_found_where_nobody_is() {
    let Some(mut finder) = finder("nobody_is_found_where_nobody_is", 0) else {
        return;
    };
    assert_eq!(World::new().found(&mut finder), []);
    assert_eq!(finder.pairs(), Ok(Vec::new()));
    let mut world = World::new();
    world.add(Sphere::new(1.0), at(0.0, 0.0, 0.0));
    assert_eq!(world.found(&mut finder), []);
}
