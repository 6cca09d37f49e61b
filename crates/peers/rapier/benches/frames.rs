//! Whole frames beside Rapier: finding contacts and solving them, the same pieces in both, in one
//! run.
//!
//! `cargo bench --manifest-path crates/peers/rapier/Cargo.toml --bench frames` prints a Markdown
//! table; words after `--` keep the scenes whose names hold one of them. Each engine settles its
//! own copy by its own steps of 1/60 s, four substeps each; then frames of both alternate. A cell
//! is the median of the processor times of the frames; the least of them, and its ratio to
//! Rapier's, are disturbed least by other programs. The time in which Rapier finds contacts is that
//! of its own clock, which other programs add to. Rapier runs with its defaults on one thread: its
//! solver in f32 with friction per patch and only in the relax pass, resting pairs are not looked
//! at again, sleeping is off. Ours is Soft Step with `wide-pgs`: three rows per point in f32,
//! worlds and contacts in f64; once with every pair looked at in every frame, once with pairs kept
//! as there, and once with pairs kept and the gyroscopic torque of Rapier in place of the default
//! one, which keeps the angular momentum.

use delassus_bench::clock::{self, ThreadClock};
use delassus_bench::contacts::{
    BenchBody, DT, FRICTION, RECYCLE, finding, heap, pyramid, soft_step, soft_step_rescaled, world,
};
use delassus_dynamics::{Scheme, World};
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, SharedShape, Vector};

/// Frames before the measured ones, and measured ones.
const FRAMES: [usize; 2] = [120, 41];

type Pieces = Vec<(BenchBody, [f64; 3])>;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    println!(
        "| scene | engine | points | frame, ms | finding contacts, ms | rest, ms | ns per point | least, ms | least over Rapier's |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
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
            BenchBody::Box(half) => {
                let [x, y, z] = half.map(|x| x as f32);
                ColliderBuilder::cuboid(x, y, z)
            }
            BenchBody::Ball(radius) => ColliderBuilder::ball(radius as f32),
        };
        let shape = shape.density(1000.0).friction(FRICTION as f32);
        world.insert(body.can_sleep(false), shape);
    }
    world.physics_pipeline.counters.enable();
    world
}

/// Times of the frames of one engine \[s\]: whole, and finding contacts.
type Times = [Vec<f64>; 2];

/// One of ours, with its scheme and times.
struct Ours {
    name: &'static str,
    world: World,
    scheme: Box<dyn Scheme>,
    times: Times,
}

impl Ours {
    fn new(name: &'static str, pieces: &Pieces, recycle: f64, scheme: Box<dyn Scheme>) -> Self {
        Self {
            name,
            world: world(pieces, recycle).expect("a valid world"),
            scheme,
            times: Times::default(),
        }
    }

    fn step(&mut self, measured: bool) {
        let clock = ThreadClock::start();
        let step = self.scheme.step(&mut self.world, DT, &mut ());
        let whole = clock.seconds();
        step.expect("a step");
        if measured {
            self.times[0].push(whole);
            // what the next frame begins with
            self.times[1].push(finding(&self.world));
        }
    }
}

fn compare(name: &str, pieces: &Pieces) {
    let mut theirs = rapier(pieces);
    let mut times = Times::default();
    let mut ours = [
        Ours::new("Delassus", pieces, 0.0, soft_step()),
        Ours::new("Delassus, keeping pairs", pieces, RECYCLE, soft_step()),
        Ours::new(
            "Delassus, keeping pairs, gyroscopic torque of Rapier",
            pieces,
            RECYCLE,
            soft_step_rescaled(),
        ),
    ];
    for frame in 0..FRAMES[0] + FRAMES[1] {
        let whole = clock::seconds(|| theirs.step());
        let stages = &theirs.physics_pipeline.counters.stages;
        let finding = stages.collision_detection_time.time().as_secs_f64();
        if frame >= FRAMES[0] {
            times[0].push(whole);
            times[1].push(finding);
        }
        for engine in &mut ours {
            engine.step(frame >= FRAMES[0]);
        }
    }
    let points = theirs.physics_pipeline.counters.solver.ncontacts;
    let of_rapier = least(&times[0]);
    row([name, "Rapier"], points, times, of_rapier);
    for engine in ours {
        let points = engine.world.manifolds().iter().map(|m| m.points.len());
        row([name, engine.name], points.sum(), engine.times, of_rapier);
    }
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

fn row([scene, engine]: [&str; 2], points: usize, times: Times, of_rapier: f64) {
    let least = least(&times[0]);
    let [whole, finding] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        1e3 * times[times.len() / 2]
    });
    println!(
        "| {scene} | {engine} | {points} | {whole:.2} | {finding:.2} | {:.2} | {:.0} | {:.3} | {:.3} |",
        whole - finding,
        1e6 * whole / points as f64,
        1e3 * least,
        least / of_rapier,
    );
}
