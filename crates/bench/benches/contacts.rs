//! Finding contacts: time per stage, and of a whole frame of Soft Step around it.
//!
//! `cargo bench -p delassus-bench --bench contacts` prints two Markdown tables; words after `--`
//! keep the scenes whose names hold one of them, `profile` finds the contacts of the first scene
//! again and again, for a profiler, `profile-frame` steps it; `keeping` keeps pairs that hardly
//! moved, as in Rapier; `counts` prints what a search counts, which no other program on the machine
//! changes. Scenes: a pyramid of unit boxes (base 100), and heaps of boxes and balls in
//! a box, settled for a second. Every number is the median of at least nine runs, on one core.

use std::hint::black_box;

use delassus_bench::clock;
use delassus_bench::contacts::{DT, RECYCLE, heap, pyramid, settled, soft_step};
use delassus_collide::{
    Bounds, BroadPhase, Collider, ContactQuery, Geometry, PairCache, PairManifolds, contacts,
};
use delassus_dynamics::{Frame, Manifold, World};
use nalgebra::Isometry3;

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|w| !w.starts_with("--"))
        .collect();
    let profile = words.iter().find(|word| word.starts_with("profile"));
    let wanted = |name: &str| {
        let mut names = words
            .iter()
            .filter(|word| {
                !word.starts_with("profile") && !["keeping", "counts"].contains(&word.as_str())
            })
            .peekable();
        names.peek().is_none() || names.any(|word| name.contains(word.as_str()))
    };
    let keeping = words.iter().any(|word| word == "keeping");
    let scenes: Vec<(String, World)> = scenes(if keeping { RECYCLE } else { 0.0 })
        .into_iter()
        .filter(|(name, _)| wanted(name))
        .map(|(name, make)| (name, make()))
        .collect();
    if let Some(what) = profile {
        let mut world = scenes[0].1.clone();
        let mut scheme = soft_step();
        for _ in 0..500 {
            if what == "profile-frame" {
                scheme.step(&mut world, DT, &mut ()).expect("a step");
            } else {
                find(&mut world);
            }
        }
        return;
    }
    if words.iter().any(|word| word == "counts") {
        println!("| scene | manifolds | points | axes tested | without those of the last frame |");
        println!("|---|---|---|---|---|");
        for (name, world) in &scenes {
            println!("| {name} {}", counts(world));
        }
        println!();
        println!("A manifold has {} bytes.", size_of::<Manifold>());
        return;
    }
    println!(
        "| scene | bodies | pairs | points | bounds, ns per body | broad phase, ns per body | narrow phase, ns per pair | cache and manifolds, ns per point |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, world) in &scenes {
        println!("| {name} {}", stages(world));
    }
    println!();
    println!(
        "| scene | contacts found, ms | rows frozen, ns per point | frame of soft-step with wide-pgs, ms | ns per point |"
    );
    println!("|---|---|---|---|---|");
    for (name, world) in &scenes {
        println!("| {name} {}", frame(world));
    }
}

type Make = Box<dyn Fn() -> World>;

fn scenes(recycle: f64) -> Vec<(String, Make)> {
    let mut scenes: Vec<(String, Make)> = vec![(
        "pyramid, base 100".to_owned(),
        Box::new(move || settled(&pyramid(100), 30, recycle)),
    )];
    for count in [1_000, 10_000, 100_000] {
        let frames = if count > 20_000 { 10 } else { 60 };
        scenes.push((
            format!("heap of {count}"),
            Box::new(move || settled(&heap(count), frames, recycle)),
        ));
    }
    scenes
}

fn find(world: &mut World) {
    let found: Result<(), ()> = world.with_contacts(|_| Ok(()));
    assert_eq!(found, Ok(()));
}

/// Median processor time of a piece of work \[s\].
fn seconds(mut work: impl FnMut()) -> f64 {
    work();
    let once = clock::seconds(&mut work);
    #[expect(clippy::cast_possible_truncation, reason = "clamped")]
    let runs = ((0.5 / once) as usize).clamp(9, 200);
    let mut times: Vec<f64> = (0..runs).map(|_| clock::seconds(&mut work)).collect();
    times.sort_by(f64::total_cmp);
    times[runs / 2]
}

fn pose(world: &World, collider: &Collider) -> Isometry3<f64> {
    let body = &world.bodies()[collider.body];
    Isometry3::from_parts(body.position.to_vector().into(), body.orientation) * collider.placement()
}

fn stages(world: &World) -> String {
    let colliders = world.colliders();
    let geometries: Vec<Geometry> = colliders
        .iter()
        .map(|c| Geometry::new(&c.shape).expect("a shape"))
        .collect();
    let margin = world.contact_settings().margin;
    let bounds = || -> Vec<Bounds> {
        let all = colliders.iter().zip(&geometries);
        all.map(|(collider, geometry)| geometry.bounds(&pose(world, collider), 0.5 * margin))
            .collect()
    };
    let boxes = bounds();
    let mut broad = BroadPhase::default();
    let mut pairs = Vec::new();
    let bounding = seconds(|| drop(black_box(bounds())));
    let broad_time = seconds(|| broad.pairs(&boxes, |_, _| true, &mut pairs));
    let query = ContactQuery {
        margin,
        ..ContactQuery::default()
    };
    let mut out = PairManifolds::default();
    let mut narrow = || {
        let mut points = 0;
        for [a, b] in &pairs {
            let [a, b] = [*a as usize, *b as usize];
            let relative = pose(world, &colliders[a]).inverse() * pose(world, &colliders[b]);
            let mut memory = PairCache::default();
            contacts(
                [&geometries[a], &geometries[b]],
                &relative,
                &query,
                &mut memory,
                &[],
                &mut out,
            );
            points += out
                .iter()
                .map(|touching| touching.points.len())
                .sum::<usize>();
        }
        points
    };
    let points = narrow();
    let narrow_time = seconds(|| {
        black_box(narrow());
    });
    let mut copy = world.clone();
    let all = seconds(|| find(&mut copy));
    let bodies = world.bodies().len() as f64;
    let rest = all - bounding - broad_time - narrow_time;
    format!(
        "| {} | {} | {points} | {:.0} | {:.0} | {:.0} | {:.0} |",
        world.bodies().len(),
        pairs.len(),
        1e9 * bounding / bodies,
        1e9 * broad_time / bodies,
        1e9 * narrow_time / pairs.len() as f64,
        1e9 * rest / points as f64,
    )
}

/// What a search counts, per frame.
fn counts(world: &World) -> String {
    let frames = 30;
    let mut world = world.clone();
    let mut scheme = soft_step();
    let mut sums = [0; 4];
    for frame in 0..=frames {
        // a copy has the state and not the axes
        let mut copy = world.clone();
        find(&mut copy);
        let before = world.axis_tests();
        scheme.step(&mut world, DT, &mut ()).expect("a step");
        // the first frame has no last one
        if frame > 0 {
            let manifolds = world.manifolds();
            sums[0] += manifolds.len() as u64;
            sums[1] += manifolds.iter().map(|m| m.points.len() as u64).sum::<u64>();
            sums[2] += world.axis_tests() - before;
            sums[3] += copy.axis_tests();
        }
    }
    let means = sums.map(|sum| format!(" {:.0} |", sum as f64 / f64::from(frames)));
    format!("|{}", means.concat())
}

fn frame(world: &World) -> String {
    let mut copy = world.clone();
    let finding = seconds(|| find(&mut copy));
    let freezing = seconds(|| drop(black_box(Frame::new(&copy, DT, None))));
    let mut scheme = soft_step();
    let all = seconds(|| {
        scheme.step(&mut copy, DT, &mut ()).expect("a step");
    });
    let points: usize = copy.manifolds().iter().map(|m| m.points.len()).sum();
    let per_point = 1e9 / points as f64;
    format!(
        "| {:.2} | {:.0} | {:.2} | {:.0} |",
        1e3 * finding,
        per_point * freezing,
        1e3 * all,
        per_point * all
    )
}
