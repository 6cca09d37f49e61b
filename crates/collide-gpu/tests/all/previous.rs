//! What pairs remember: axes, names, and which point goes on from which.

use delassus_collide::PairCache;
use delassus_collide_gpu::{GpuManifold, PairStates};
use nalgebra::{UnitQuaternion, Vector3};

use crate::common::{World, finder, mixed, numbers, remembered, wall};

/// Moves and turns every body a little.
fn shaken(world: &World, size: f64, seed: u64) -> World {
    let mut number = numbers(seed);
    let mut moved = world.clone();
    for pose in &mut moved.poses {
        let mut vector = || Vector3::from_fn(|_, _| size * (2.0 * number() - 1.0));
        pose.translation.vector += vector();
        pose.rotation = UnitQuaternion::new(vector()) * pose.rotation;
    }
    moved
}

/// The point of the frame before that a point goes on from, by names and then by places (T.20).
fn expected(now: &GpuManifold, before: &GpuManifold) -> Vec<Option<usize>> {
    let old = &before.touching.points;
    let mut taken = [false; 4];
    let mut previous = Vec::new();
    for point in &now.touching.points {
        let same = (0..old.len()).find(|i| !taken[*i] && old[*i].feature == point.feature);
        if let Some(index) = same {
            taken[index] = true;
        }
        previous.push(same);
    }
    for (point, previous) in now.touching.points.iter().zip(&mut previous) {
        if previous.is_some() {
            continue;
        }
        let distance = |index: usize| {
            let side = |s: usize| (point.points[s] - old[index].points[s]).norm();
            side(0).min(side(1))
        };
        let free = (0..old.len()).filter(|index| !taken[*index]);
        let near = free.min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        if let Some(index) = near.filter(|index| distance(*index) < 0.02) {
            taken[index] = true;
            *previous = Some(index);
        }
    }
    previous
}

fn of_pair(found: &[GpuManifold], colliders: [u32; 2]) -> Option<&GpuManifold> {
    let at = found.binary_search_by_key(&colliders, |f| f.colliders);
    at.ok().map(|at| &found[at])
}

#[test]
fn points_go_on_by_name_and_then_by_place() {
    let Some(mut finder) = finder("points_go_on_by_name_and_then_by_place", 0) else {
        return;
    };
    let (mut by_name, mut by_place, mut fresh) = (0, 0, 0);
    for (world, size) in [
        (wall(7, 0.0), 1e-3),
        (mixed(250, 5.0, 8), 5e-3),
        (mixed(250, 5.0, 9), 0.05),
    ] {
        let mut before = world.found(&mut finder);
        for frame in 0..3 {
            let world = shaken(&world, size, frame);
            let now = world.ask(&mut finder, PairStates::Kept).expect("a device");
            for found in &now {
                let Some(old) = of_pair(&before, found.colliders) else {
                    assert!(found.previous.iter().all(Option::is_none));
                    continue;
                };
                assert_eq!(found.previous, expected(found, old), "{found:?} {old:?}");
                for (point, previous) in found.touching.points.iter().zip(&found.previous) {
                    let Some(previous) = previous else {
                        fresh += 1;
                        continue;
                    };
                    let same = old.touching.points[*previous].feature == point.feature;
                    *if same { &mut by_name } else { &mut by_place } += 1;
                }
            }
            before = now;
        }
    }
    eprintln!("{by_name} by name, {by_place} by place, {fresh} fresh");
    assert!(by_name > 1000 && by_place > 0 && fresh > 0);
}

/// The device's own memory and the same memory from the host give the same.
#[test]
fn what_is_kept_is_what_can_be_given() {
    let Some(mut finder) = finder("what_is_kept_is_what_can_be_given", 0) else {
        return;
    };
    for world in [wall(7, 0.0), mixed(250, 5.0, 8)] {
        let before = world.found(&mut finder);
        let later = shaken(&world, 2e-3, 1);
        let kept = later.ask(&mut finder, PairStates::Kept).expect("a device");
        let mut given = remembered(&before);
        given.reverse();
        let given = later.ask(&mut finder, PairStates::Given(&given));
        assert_eq!(kept, given.expect("a device"));
        let without = later.found(&mut finder);
        assert!(
            without
                .iter()
                .all(|f| f.previous.iter().all(Option::is_none))
        );
    }
}

/// A box that rocks by little keeps axis and names where it has a choice, as on the processor.
#[test]
fn a_rocking_box_keeps_its_features() {
    let Some(mut finder) = finder("a_rocking_box_keeps_its_features", 0) else {
        return;
    };
    let mut world = wall(1, 0.0);
    let mut before: Option<GpuManifold> = None;
    let mut memory = PairCache::default();
    let mut features = Vec::new();
    for frame in 0..60 {
        let tilt = 1e-4 * f64::from(frame % 3 - 1);
        let turn = 0.76 + 2e-4 * f64::from(frame);
        world.poses[1].rotation = UnitQuaternion::from_euler_angles(tilt, turn, -tilt);
        let asked = if frame == 0 {
            PairStates::Given(&[])
        } else {
            PairStates::Kept
        };
        let found = world.ask(&mut finder, asked).expect("a device");
        let own = found.first().expect("it stands").clone();
        let touching = world.touching([0, 1], &mut memory, &features);
        let touching = touching.expect("it stands");
        features = touching.points.iter().map(|p| p.feature).collect();
        let names: Vec<u64> = own.touching.points.iter().map(|p| p.feature).collect();
        assert_eq!((own.memory, names.len()), (memory, 4), "frame {frame}");
        assert_eq!(names, features, "frame {frame}");
        if before.is_some() {
            assert!(own.previous.iter().all(Option::is_some), "frame {frame}");
        }
        before = Some(own);
    }
}
