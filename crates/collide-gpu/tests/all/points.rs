//! Manifolds against those of the processor, in f64.

use delassus_collide::{CollisionManifold, Cuboid, PairCache, Sphere};
use delassus_collide_gpu::GpuManifold;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::common::{World, at, field, finder, mixed, numbers, on_slope, shape, turn, wall};

/// Error of a separation or a place, per size of the pair \[-\].
const ROUNDING: f64 = 5e-6;

/// How many manifolds agreed in full, and in how many the choice was open.
#[derive(Debug, Default)]
struct Tally {
    same: usize,
    open: usize,
}

/// Compares what the device found of a scene with the processor, pair by pair; `size` is that of
/// the largest pair \[m\].
fn compare(name: &str, world: &World, found: &[GpuManifold], size: f64) -> Tally {
    let tolerance = ROUNDING * size;
    let mut tally = Tally::default();
    let mut rest = found.iter().peekable();
    for colliders in world.near(2.0 * tolerance) {
        let own = rest.next_if(|found| found.colliders == colliders);
        let other = world.touching(colliders, &mut PairCache::default(), &[]);
        match (own, &other) {
            (None, None) => {}
            (Some(own), Some(other)) => {
                check_points(name, world, own, tolerance);
                if alike(&own.touching, other, tolerance) {
                    tally.same += 1;
                } else {
                    check_open(name, own, other, world.query.margin, tolerance);
                    tally.open += 1;
                }
            }
            // at the very margin
            (Some(GpuManifold { touching, .. }), None) | (None, Some(touching)) => {
                let gap = lowest(touching);
                assert!(
                    (gap - world.query.margin).abs() < tolerance,
                    "{name}: {colliders:?} at {gap} m is found by one side only"
                );
                tally.open += 1;
            }
        }
    }
    assert!(rest.next().is_none(), "{name}: a manifold of no pair");
    tally
}

fn lowest(touching: &CollisionManifold) -> f64 {
    let all = touching.points.iter().map(|point| point.separation);
    all.fold(f64::INFINITY, f64::min)
}

/// The laws of a manifold: a unit normal from A to B, separations that follow from its points
/// (N.9), radii of balls.
fn check_points(name: &str, world: &World, found: &GpuManifold, tolerance: f64) {
    let CollisionManifold { normal, points, .. } = &found.touching;
    assert!((normal.norm() - 1.0).abs() < 1e-6);
    assert!((1..=4).contains(&points.len()), "{name}: {found:?}");
    let b_in_a = world.between(found.colliders);
    for point in points {
        let apart = (b_in_a * nalgebra::Point3::from(point.points[1])).coords - point.points[0];
        let measured = apart.dot(normal) - point.radii[0] - point.radii[1];
        assert!(
            (measured - point.separation).abs() < tolerance,
            "{name}: {measured} m, said to be {}",
            point.separation
        );
        assert!(point.separation <= world.query.margin);
    }
}

/// True if normals, points and names agree.
fn alike(own: &CollisionManifold, other: &CollisionManifold, tolerance: f64) -> bool {
    let ball = own.points.iter().any(|p| p.radii != [0.0; 2]);
    own.points.len() == other.points.len()
        && (own.normal - other.normal).norm() < 1e-4
        && own.points.iter().zip(&other.points).all(|(own, other)| {
            let apart = |side: usize| (own.points[side] - other.points[side]).norm();
            // the library names what a ball touches otherwise
            (ball || own.feature == other.feature)
                && own.radii == other.radii
                && (own.separation - other.separation).abs() < tolerance
                && apart(0).max(apart(1)) < 20.0 * tolerance
        })
}

/// Where they differ the choice was open: another axis that is as good up to what decides between
/// axes (N.3), or other points of the same plane. The overlap is the same up to that.
fn check_open(
    name: &str,
    own: &GpuManifold,
    other: &CollisionManifold,
    margin: f64,
    tolerance: f64,
) {
    let [one, two] = [lowest(&own.touching), lowest(other)];
    let slack = 0.02 * one.abs().max(two.abs()) + 2e-3 * margin + 20.0 * tolerance;
    assert!(
        (one - two).abs() < slack,
        "{name}: {:?} at {one} m, on the processor at {two} m\n{own:?}\n{other:?}",
        own.colliders
    );
}

#[test]
fn manifolds_are_those_of_the_processor() {
    let Some(mut finder) = finder("manifolds_are_those_of_the_processor", 0) else {
        return;
    };
    for seed in 0..4 {
        let world = mixed(300, 7.0, 100 + seed);
        let found = world.found(&mut finder);
        let tally = compare("mixed", &world, &found, 25.0);
        eprintln!("mixed: {tally:?}");
        assert!(
            tally.same > 300 && 50 * tally.open < tally.same,
            "{tally:?}"
        );
    }
}

/// Pairs of two, at distances where they just touch.
#[test]
fn pairs_at_the_verge_of_touching_agree() {
    let Some(mut finder) = finder("pairs_at_the_verge_of_touching_agree", 0) else {
        return;
    };
    let mut number = numbers(77);
    let mut world = World::new();
    for pair in 0..1500 {
        let base = Vector3::new(f64::from(pair % 40), f64::from(pair / 40), 0.0) * 10.0;
        let away = turn(&mut number) * Vector3::x();
        let distance = 0.4 + 1.6 * number();
        for place in [base, base + distance * away] {
            let turn = turn(&mut number);
            let shape = shape(&mut number, 0.8);
            world.add(
                shape,
                Isometry3::from_parts(Translation3::from(place), turn),
            );
        }
    }
    world.query.margin = 0.1;
    let found = world.found(&mut finder);
    let tally = compare("two", &world, &found, 2.0);
    eprintln!("two: {tally:?}");
    assert!(
        tally.same > 600 && 50 * tally.open < tally.same,
        "{tally:?}"
    );
}

#[test]
fn half_spaces_agree_whichever_collider_they_are() {
    let Some(mut finder) = finder("half_spaces_agree", 0) else {
        return;
    };
    for first in [true, false] {
        let world = on_slope(200, first, 6);
        let found = world.found(&mut finder);
        let tally = compare("slope", &world, &found, 20.0);
        let plane = |f: &&GpuManifold| {
            let [a, b] = f
                .colliders
                .map(|index| &world.colliders[index as usize].shape);
            [a, b]
                .iter()
                .any(|s| matches!(s, delassus_collide::Shape::HalfSpace(_)))
        };
        let planes: Vec<&GpuManifold> = found.iter().filter(plane).collect();
        eprintln!("slope: {tally:?}, {} of the half-space", planes.len());
        assert!(planes.len() > 50 && 50 * tally.open < tally.same);
        for found in planes {
            // in f64, though its middle is 345 m away
            check_points("slope", &world, found, 1e-12);
        }
    }
}

#[test]
fn walls_stacks_and_a_large_ground_agree() {
    let Some(mut finder) = finder("walls_stacks_and_a_large_ground_agree", 0) else {
        return;
    };
    for gap in [0.0, 1e-3, -1e-3] {
        let world = wall(8, gap);
        let found = world.found(&mut finder);
        let tally = compare("wall", &world, &found, 50.0);
        eprintln!("wall: {tally:?}");
        // boxes of a row, boxes on boxes, boxes on the ground
        assert!(
            tally.same + tally.open >= 8 + 2 * 7 * 8 - 7 + 7 * 8 - 8,
            "{tally:?}"
        );
        assert_eq!(tally.open, 0);
    }
}

/// As many as prefix sums of three and four levels take.
#[test]
fn a_field_of_thousands_agrees() {
    let world = field(40, 5);
    for workgroup in [32, 64] {
        let Some(mut finder) = finder("a_field_of_thousands_agrees", workgroup) else {
            return;
        };
        let found = world.found(&mut finder);
        assert!(finder.room().pairs > 32 * 32 * 32, "{:?}", finder.room());
        let tally = compare("field", &world, &found, 1.0);
        eprintln!("field: {tally:?}");
        assert!(
            tally.same > 15_000 && 50 * tally.open < tally.same,
            "{tally:?}"
        );
    }
}

#[test]
fn far_from_the_origin_manifolds_are_those_near_it() {
    let Some(mut finder) = finder("far_from_the_origin", 0) else {
        return;
    };
    let mut world = mixed(150, 6.0, 4);
    for pose in &mut world.poses {
        // whole numbers, so that the same poses exist there
        pose.translation.vector = pose
            .translation
            .vector
            .map(|x| (x * 1e6).round() / 1048576.0);
    }
    let near = world.found(&mut finder);
    for pose in &mut world.poses {
        pose.translation.vector += Vector3::new(8192.0, -4096.0, 1024.0);
    }
    let far = world.found(&mut finder);
    assert_eq!(near.len(), far.len());
    for (near, far) in near.iter().zip(&far) {
        assert!(
            alike(&near.touching, &far.touching, 1e-4),
            "{near:?} {far:?}"
        );
    }
}

#[test]
fn coincident_centres_have_a_way_out() {
    let Some(mut finder) = finder("coincident_centres_have_a_way_out", 0) else {
        return;
    };
    let cases: [(&str, delassus_collide::Shape, delassus_collide::Shape, f64); 4] = [
        (
            "balls",
            Sphere::new(0.5).into(),
            Sphere::new(0.3).into(),
            -0.8,
        ),
        (
            "boxes",
            Cuboid::cube(0.5).into(),
            Cuboid::cube(0.5).into(),
            -1.0,
        ),
        (
            "ball in a box",
            Sphere::new(0.2).into(),
            Cuboid::new(0.7, 0.5, 0.6).into(),
            -0.7,
        ),
        (
            "box around a ball",
            Cuboid::new(0.7, 0.8, 0.6).into(),
            Sphere::new(0.2).into(),
            -0.8,
        ),
    ];
    for (name, first, second, expected) in cases {
        for rotation in [
            UnitQuaternion::identity(),
            UnitQuaternion::from_euler_angles(0.3, -0.2, 0.5),
        ] {
            let mut world = World::new();
            let pose = Isometry3::from_parts(Translation3::new(3.0, -2.0, 1.0), rotation);
            world.add(first.clone(), pose);
            world.add(second.clone(), pose);
            let found = world.found(&mut finder);
            assert_eq!(found.len(), 1, "{name}");
            check_points(name, &world, &found[0], 1e-5);
            let own = lowest(&found[0].touching);
            assert!((own - expected).abs() < 1e-6, "{name}: {own}");
        }
    }
}

#[test]
fn edges_cross_in_one_point() {
    let Some(mut finder) = finder("edges_cross_in_one_point", 0) else {
        return;
    };
    let quarter = std::f64::consts::FRAC_PI_4;
    let mut world = World::new();
    // a ridge along z below, one along x above
    let below = UnitQuaternion::from_euler_angles(0.0, 0.0, quarter);
    let above = UnitQuaternion::from_euler_angles(quarter, 0.0, 0.0);
    let height = 2.0 * 0.5 * std::f64::consts::SQRT_2 - 0.01;
    world.add(
        Cuboid::cube(0.5),
        Isometry3::from_parts(Translation3::identity(), below),
    );
    let place = Translation3::new(0.1, height, 0.05);
    world.add(Cuboid::cube(0.5), Isometry3::from_parts(place, above));
    let found = world.found(&mut finder);
    let tally = compare("ridges", &world, &found, 1.0);
    assert_eq!((tally.same, tally.open), (1, 0));
    let touching = &found[0].touching;
    assert_eq!(touching.points.len(), 1);
    assert!((lowest(touching) + 0.01).abs() < 1e-6);
}

/// Edges at a small angle, where f32 knows their common normal worst (K.42).
#[test]
fn nearly_parallel_edges_stay_within_the_stated_error() {
    let Some(mut finder) = finder("nearly_parallel_edges", 0) else {
        return;
    };
    let quarter = std::f64::consts::FRAC_PI_4;
    let mut worst = 0.0_f64;
    for step in 0..120 {
        let angle = 2e-5 * 1.08_f64.powi(step);
        let mut world = World::new();
        let below = UnitQuaternion::from_euler_angles(0.0, 0.0, quarter);
        let above = UnitQuaternion::from_euler_angles(0.0, angle, 0.0) * below;
        world.add(
            Cuboid::cube(0.5),
            Isometry3::from_parts(Translation3::identity(), below),
        );
        let place = Translation3::new(1e-3, std::f64::consts::SQRT_2, 0.0);
        world.add(Cuboid::cube(0.5), Isometry3::from_parts(place, above));
        let found = world.found(&mut finder);
        let other = world.touching([0, 1], &mut PairCache::default(), &[]);
        let other = other.expect("they touch");
        let own = found.first().expect("they touch");
        check_points("ridges", &world, own, 1e-5);
        worst = worst.max((lowest(&own.touching) - lowest(&other)).abs());
    }
    eprintln!("off by {worst:e} m at worst");
    // 5e-4 of a size of 1 m, and what decides between axes
    assert!(worst < 3e-3, "{worst}");
}

#[test]
fn sizes_at_the_ends_of_the_range_agree() {
    let Some(mut finder) = finder("sizes_at_the_ends_of_the_range_agree", 0) else {
        return;
    };
    for size in [1e-7, 1e-3, 1e3, 1e7] {
        let mut number = numbers(31);
        let mut world = World::new();
        for _ in 0..40 {
            let place = Vector3::from_fn(|_, _| 4.0 * size * number());
            let turn = turn(&mut number);
            let shape = shape(&mut number, size);
            world.add(
                shape,
                Isometry3::from_parts(Translation3::from(place), turn),
            );
        }
        world.query.margin = 0.02 * size;
        let found = world.found(&mut finder);
        let tally = compare("sizes", &world, &found, 4.0 * size);
        eprintln!("size {size:e}: {tally:?}");
        assert!(tally.same > 20 && 10 * tally.open < tally.same, "{tally:?}");
    }
}

#[test]
fn colliders_beside_their_bodies_agree() {
    let Some(mut finder) = finder("colliders_beside_their_bodies_agree", 0) else {
        return;
    };
    let mut number = numbers(12);
    let mut world = mixed(200, 6.0, 12);
    for collider in &mut world.colliders[1..] {
        collider.position = Vector3::from_fn(|_, _| number() - 0.5);
        collider.orientation = turn(&mut number);
    }
    let found = world.found(&mut finder);
    let tally = compare("beside", &world, &found, 25.0);
    eprintln!("beside: {tally:?}");
    assert!(
        tally.same > 200 && 50 * tally.open < tally.same,
        "{tally:?}"
    );
    let far = world.add(Sphere::new(0.1), at(100.0, 100.0, 100.0));
    assert!(
        world
            .found(&mut finder)
            .iter()
            .all(|f| f.colliders[1] as usize != far)
    );
}
