//! The same bits: of every reproducible solver after every sweep, of worlds after every frame, on
//! any number of threads and at any vector level, today and in `tests/determinism/goldens.txt`.
//!
//! `UPDATE_GOLDEN=1 cargo test -p delassus-tests determinism` writes the hashes anew. Where they
//! differ between two machines or two trees, run it with `DELASSUS_STATES=DIR` on the first, then
//! with the same folder on the second: it names the first number that differs.

mod track;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use delassus_conformance::whole;
use delassus_core::{Determinism, Problem, Start};
use delassus_dynamics::World;
use delassus_problems::read_file;
use delassus_registry::{Registry, SolverEntry, scheme};
use delassus_solver_wide::VectorLevel;
use serde_json::{Map, Value, json};

use crate::pairs::{map, on_a_device, own_solvers};
use crate::workspace::root;
use track::Track;

/// Frozen problems: their bytes depend on no generator.
const PROBLEMS: [&str; 9] = [
    "chain-10",
    "joint-grid-4",
    "painleve-impact",
    "planted-contacts-matrix",
    "planted-mixed",
    "ring",
    "stack-5",
    "stack-5-soft",
    "wall-4-coulomb",
];

/// Sweeps or steps of a solver that are looked at one by one \[-\].
const SWEEPS: usize = 8;

/// Scenes with contacts, joints and both, and the parameters that keep them small.
const SCENES: [(&str, &str); 12] = [
    ("pendulum", "{}"),
    ("joint-grid", "{}"),
    ("ragdoll", "{}"),
    ("stack", "{\"n\": 4}"),
    ("vertical-stack", "{}"),
    ("sphere-stack", "{}"),
    ("footed-box", "{}"),
    ("falling-box", "{}"),
    ("heavy-tip-chain", "{}"),
    ("dzhanibekov", "{}"),
    ("newtons-cradle", "{}"),
    ("box-on-incline", "{}"),
];

/// Threads that change no bit: fewer and more than the processor has, and numbers that divide
/// nothing \[-\].
const THREADS: [usize; 8] = [1, 2, 3, 4, 7, 8, 16, 32];

/// Those that a vector level runs on in one case: two of the six smallest, others in the next case
/// and at the next level. Where [`whole`] asks for everything all six; 16 and 32 wait for each
/// other long, so the widest level stands for all there.
fn threads_of(at: usize, levels: &[VectorLevel], case: usize) -> Vec<usize> {
    if whole() {
        let count = if at + 1 == levels.len() {
            THREADS.len()
        } else {
            6
        };
        return THREADS[..count].to_vec();
    }
    let first = (at + case) % 3;
    vec![THREADS[first], THREADS[first + 3]]
}

/// Frames of a scene that are looked at one by one \[-\].
const FRAMES: usize = 6;

/// What a solver has after each sweep of a problem; `None` if it refuses the problem.
fn solve(entry: &SolverEntry, problem: &Problem, parameters: &Map<String, Value>) -> Option<Track> {
    let mut solver = entry.build(parameters).expect("a solver");
    solver.check(problem).ok()?;
    solver.prepare(problem, Start::Cold).ok()?;
    let mut track = Track::of_rows(problem);
    let mut impulses = vec![0.0; problem.rows()];
    for _ in 0..SWEEPS {
        // a solver that gives up, as on a contradiction, must give up after the same sweeps
        let Ok(progress) = solver.iterate(problem, 1) else {
            break;
        };
        solver.read_impulses(&mut impulses).expect("impulses");
        track.push(impulses.iter().map(|x| x.to_bits()));
        if progress.finished {
            break;
        }
    }
    Some(track)
}

/// What a scene has after each frame of Soft Step.
fn step(scene: &str, solver: &str, parameters: &Value) -> Track {
    let (_, changes) = SCENES.iter().find(|(id, _)| *id == scene).expect("listed");
    let changes: Value = serde_json::from_str(changes).expect("JSON");
    let mut world: World = delassus_scenes::build(scene, &map(&changes)).expect("a scene");
    let solver = Registry::standard().find(solver).expect("registered");
    let solver = solver.build(&map(parameters)).expect("a solver");
    let entry = scheme("soft-step").expect("registered");
    let mut scheme = entry
        .build_with(&Map::new(), Some(solver))
        .expect("a scheme");
    let mut track = Track::of_bodies(&world);
    for frame in 0..FRAMES {
        let stepped = scheme.step(&mut world, 1.0 / 60.0, &mut ());
        stepped.unwrap_or_else(|error| panic!("{scene}, frame {frame}: {error}"));
        track.push_world(&world);
    }
    track
}

/// The problem of a file of `data/`.
fn problem(name: &str) -> Problem {
    let path = root().join("data").join(name).with_extension("dls");
    read_file(path).expect("a shipped problem").problem
}

/// Every track that has a golden hash, by name.
fn tracks() -> BTreeMap<String, Track> {
    let mut tracks = BTreeMap::new();
    let problems = PROBLEMS.map(|name| (name, problem(name)));
    for entry in own_solvers() {
        let id = entry.descriptor.id;
        if on_a_device(&entry) {
            println!(
                "{id} has no golden hashes: it computes on a device, whose driver orders its sums"
            );
            continue;
        }
        if entry.descriptor.determinism != Determinism::Bitwise {
            println!(
                "{id} has no golden hashes: it declares that its bits depend on the processor or on scheduling"
            );
            continue;
        }
        for (name, problem) in &problems {
            if let Some(track) = solve(&entry, problem, &Map::new()) {
                tracks.insert(format!("{id}/{name}"), track);
            }
        }
    }
    for (scene, _) in SCENES {
        for solver in ["pgs", "wide-pgs"] {
            let name = format!("soft-step/{solver}/{scene}");
            tracks.insert(name, step(scene, solver, &json!({})));
        }
    }
    tracks
}

#[test]
fn bits_are_those_of_the_golden_hashes() {
    let tracks = tracks();
    let path = root().join("tests/determinism/goldens.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let lines = tracks
            .iter()
            .map(|(name, track)| format!("{name}{}\n", track.hashes()));
        fs::write(&path, lines.collect::<String>()).expect("the golden hashes");
    }
    let golden = fs::read_to_string(&path).expect("the golden hashes");
    let golden: BTreeMap<&str, &str> = golden.lines().filter_map(|l| l.split_once(' ')).collect();
    let states = std::env::var_os("DELASSUS_STATES").map(std::path::PathBuf::from);
    let (mut wrong, mut checks) = (String::new(), 0);
    for (name, track) in &tracks {
        if let Some(difference) = states
            .as_deref()
            .and_then(|dir| track.compare_in(dir, name))
        {
            let _ = writeln!(wrong, "{name}: {difference}");
        }
        let hashes = track.hashes();
        let mut expected = golden
            .get(name.as_str())
            .copied()
            .unwrap_or_default()
            .split(' ');
        for (at, hash) in hashes.trim_start().split(' ').enumerate() {
            checks += 1;
            let expected = expected.next().unwrap_or("nothing");
            if hash != expected {
                let _ = writeln!(
                    wrong,
                    "{name}: step {at} has {hash}, the golden hash is {expected}"
                );
                break;
            }
        }
        if expected.next().is_some() {
            let _ = writeln!(wrong, "{name}: fewer steps than there are golden hashes");
        }
    }
    let lost = golden.keys().filter(|name| !tracks.contains_key(**name));
    let lost: Vec<_> = lost.collect();
    assert!(
        lost.is_empty(),
        "golden hashes of what does not run any more: {lost:?}"
    );
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(checks >= 1000, "only {checks} hashes");
    println!("{checks} golden hashes of {} tracks", tracks.len());
}

#[test]
fn threads_and_vector_levels_change_no_bit_of_any_step() {
    let levels = VectorLevel::available();
    println!(
        "vector levels here: {:?}",
        levels.iter().map(|level| level.id()).collect::<Vec<_>>()
    );
    let entry = Registry::standard().find("wide-pgs").expect("registered");
    let configured =
        |level: &VectorLevel, threads: usize| json!({ "level": level.id(), "threads": threads });
    let problems = PROBLEMS.map(|name| (name, problem(name)));
    let mut checks = 0;
    let mut check = |name: &str, first: &Track, other: &Track, how: &str| {
        if let Some(difference) = first.first_difference(other) {
            panic!("wide-pgs, {name}, {how}: {difference}");
        }
        checks += first.steps();
    };
    for (case, (name, problem)) in problems.iter().enumerate() {
        let plain = json!({ "level": "scalar" });
        let Some(first) = solve(&entry, problem, &map(&plain)) else {
            continue;
        };
        for (at, level) in levels.iter().enumerate() {
            for threads in threads_of(at, &levels, case) {
                let how = format!("{} with {threads} threads", level.id());
                let other = solve(&entry, problem, &map(&configured(level, threads)));
                check(name, &first, &other.expect("the same problem"), &how);
            }
        }
    }
    for (case, (scene, _)) in SCENES.into_iter().enumerate() {
        let first = step(scene, "wide-pgs", &json!({ "level": "scalar" }));
        for (at, level) in levels.iter().enumerate() {
            for threads in threads_of(at, &levels, case) {
                let how = format!("{} with {threads} threads", level.id());
                check(
                    scene,
                    &first,
                    &step(scene, "wide-pgs", &configured(level, threads)),
                    &how,
                );
            }
        }
    }
    // 256 with each level, of which machines have three or four
    assert!(checks >= 250 * levels.len(), "only {checks} states");
    println!("{checks} states compared");
}

#[test]
fn solvers_whose_bits_depend_on_the_processor_repeat_on_this_one() {
    let mut checks = 0;
    for entry in own_solvers() {
        if entry.descriptor.determinism != Determinism::Processor {
            continue;
        }
        for name in PROBLEMS {
            let problem = problem(name);
            let run = || solve(&entry, &problem, &Map::new());
            let (Some(first), Some(second)) = (run(), run()) else {
                continue;
            };
            if let Some(difference) = first.first_difference(&second) {
                panic!("{}, {name}: {difference}", entry.descriptor.id);
            }
            checks += first.steps();
        }
    }
    assert!(checks >= 50, "only {checks} states");
    println!("{checks} states repeated");
}
