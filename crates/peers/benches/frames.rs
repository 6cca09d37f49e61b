//! Whole frames beside Rapier: finding contacts and solving them, the same pieces in both, in one run.
//!
//! `cargo bench --manifest-path crates/peers/Cargo.toml --bench frames` prints a Markdown table; words after `--` keep the
//! scenes whose names hold one of them. Each engine settles its own copy by its own steps of 1/60 s, four substeps each; then
//! frames of both alternate. A cell is the median of the frames. Rapier runs with its defaults on one thread: its solver in f32
//! with friction per patch and only in the relax pass, resting pairs are not looked at again, sleeping is off. Ours is Soft Step with
//! `wide-pgs`: three rows per point in f32, worlds and contacts in f64, every pair looked at in every frame.

use std::time::Instant;

use delassus_bench::contacts::{DT, FRICTION, Piece, heap, pyramid, soft_step, world};
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, SharedShape, Vector};

/// Frames before the measured ones, and measured ones.
const FRAMES: [usize; 2] = [60, 41];

type Pieces = Vec<(Piece, [f64; 3])>;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    println!(
        "| scene | engine | points | frame, ms | finding contacts, ms | rest, ms | ns per point |"
    );
    println!("|---|---|---|---|---|---|---|");
    let scenes: [(&str, Pieces); 4] = [
        ("pyramid, base 20", pyramid(20)),
        ("pyramid, base 100", pyramid(100)),
        ("heap of 1000", heap(1000)),
        ("heap of 10000", heap(10_000)),
    ];
    for (name, pieces) in scenes {
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            compare(name, &pieces);
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "Rapier computes in f32")]
fn rapier(pieces: &Pieces) -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    world.insert(
        RigidBodyBuilder::fixed(),
        ColliderBuilder::new(SharedShape::halfspace(Vector::new(0.0, 1.0, 0.0)))
            .friction(FRICTION as f32),
    );
    for (piece, at) in pieces {
        let [x, y, z] = at.map(|x| x as f32);
        let body = RigidBodyBuilder::dynamic().translation(Vector::new(x, y, z));
        let shape = match *piece {
            Piece::Box(half) => {
                let [x, y, z] = half.map(|x| x as f32);
                ColliderBuilder::cuboid(x, y, z)
            }
            Piece::Ball(radius) => ColliderBuilder::ball(radius as f32),
        };
        let shape = shape.density(1000.0).friction(FRICTION as f32);
        world.insert(body.can_sleep(false), shape);
    }
    world.physics_pipeline.counters.enable();
    world
}

fn compare(name: &str, pieces: &Pieces) {
    let mut theirs = rapier(pieces);
    let mut ours = world(pieces).expect("a valid world");
    let mut scheme = soft_step();
    let mut times: [[Vec<f64>; 2]; 2] = Default::default();
    for frame in 0..FRAMES[0] + FRAMES[1] {
        let clock = Instant::now();
        theirs.step();
        let whole = clock.elapsed().as_secs_f64();
        let counters = &theirs.physics_pipeline.counters;
        let finding = counters
            .stages
            .collision_detection_time
            .time()
            .as_secs_f64();
        let clock = Instant::now();
        scheme.step(&mut ours, DT, &mut ()).expect("a step");
        let own = clock.elapsed().as_secs_f64();
        let mut copy = ours.clone();
        let clock = Instant::now();
        let found: Result<(), ()> = copy.with_contacts(|_| Ok(()));
        let own_finding = clock.elapsed().as_secs_f64();
        assert_eq!(found, Ok(()));
        if frame >= FRAMES[0] {
            times[0][0].push(whole);
            times[0][1].push(finding);
            times[1][0].push(own);
            times[1][1].push(own_finding);
        }
    }
    let points = [
        theirs.physics_pipeline.counters.solver.ncontacts,
        ours.manifolds().iter().map(|m| m.points.len()).sum(),
    ];
    for (engine, (times, points)) in ["Rapier", "Delassus"]
        .iter()
        .zip(times.iter_mut().zip(points))
    {
        let [whole, finding] = [0, 1].map(|k| {
            times[k].sort_by(f64::total_cmp);
            1e3 * times[k][times[k].len() / 2]
        });
        println!(
            "| {name} | {engine} | {points} | {whole:.2} | {finding:.2} | {:.2} | {:.0} |",
            whole - finding,
            1e6 * whole / points as f64,
        );
    }
}
