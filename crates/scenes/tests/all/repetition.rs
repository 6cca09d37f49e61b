//! Every scene ends in the same bits however often it is stepped and on however many threads.

use crate::support::{pgs, whole};
use delassus_core::{ImpulseSolver, Solver};
use delassus_dynamics::{Scheme, VelocityScheme, World, presets};
use delassus_scenes::{SceneEntry, scenes};
use delassus_solver_wide::WidePgs;
use delassus_solver_wide::wide_pgs::WidePgsParameters;
use serde_json::{Map, Value, json};

/// Frames before solvers are compared: most of what falls has landed.
const FIRST: u32 = 60;

/// Frames that are compared.
const FRAMES: u32 = 16;

/// More bodies than this are too many for a test that steps each scene several times.
const MAX_BODIES: usize = 120;

/// A scene as it is, or with the largest counts with which it stays small.
fn small(entry: &SceneEntry) -> World {
    for cap in [u64::MAX, 12, 8, 5, 3, 2] {
        let large = |value: &Value| value.as_u64().is_some_and(|count| count > cap);
        let counts = entry.defaults.iter().filter(|(_, value)| large(value));
        let capped: Map<String, Value> = counts.map(|(k, _)| (k.clone(), json!(cap))).collect();
        match entry.build(&capped) {
            Ok(world) if world.bodies().len() <= MAX_BODIES => return world,
            _ => {}
        }
    }
    panic!("{}: no counts make it small", entry.descriptor.id);
}

fn wide(threads: usize) -> Box<dyn ImpulseSolver> {
    let parameters = WidePgsParameters {
        threads,
        ..WidePgsParameters::default()
    };
    Box::new(WidePgs::new(parameters).unwrap())
}

fn scheme(preset: &str, solver: Box<dyn ImpulseSolver>) -> VelocityScheme {
    let preset = presets().iter().find(|p| p.id == preset).unwrap();
    VelocityScheme::new((preset.parameters)(), solver).unwrap()
}

/// Hashes of the state after every fourth of so many frames.
fn hashes(world: &mut World, scheme: &mut VelocityScheme, frames: u32) -> Vec<u64> {
    let mut hashes = Vec::new();
    for frame in 1..=frames {
        scheme.step(world, 1.0 / 60.0, &mut ()).unwrap();
        if frame % 4 == 0 {
            hashes.push(world.state_hash());
        }
    }
    hashes
}

#[test]
fn every_scene_repeats_on_any_number_of_threads() {
    let entries = scenes();
    assert!(entries.len() >= 62, "the registry of scenes shrank");
    let mut touching = 0;
    for (index, entry) in entries.iter().enumerate() {
        let id = entry.descriptor.id;
        let mut start = small(entry);
        hashes(&mut start, &mut scheme("soft-step", pgs()), FIRST);
        let wide_run = |threads| {
            let mut world = start.clone();
            let hashes = hashes(&mut world, &mut scheme("soft-step", wide(threads)), FRAMES);
            (hashes, world)
        };
        let (once, end) = wide_run(1);
        // each scene with one number of threads, all of them with every one where that is asked for
        let one = 1 + index % 3;
        let numbers = if whole() { 1..=3 } else { one..=one };
        for threads in numbers {
            assert_eq!(once, wide_run(threads).0, "{id}: {threads} threads");
        }
        assert_ne!(once.first(), once.last(), "{id}: nothing happens");
        touching += usize::from(!end.manifolds().is_empty());
    }
    assert!(touching >= 40, "{touching} scenes have contacts");
}

#[test]
fn every_scene_repeats_with_a_serial_solver_and_rigid_contacts() {
    for entry in &scenes() {
        let start = small(entry);
        let run = || hashes(&mut start.clone(), &mut scheme("pgs-slop", pgs()), FIRST);
        assert_eq!(run(), run(), "{}", entry.descriptor.id);
    }
}
