//! Engines in processes: honest, clumsy and hostile ones. The engine is a binary of this crate that
//! steps scenes with `xpbd`, so that a run in this process is what its states must be.

mod checks;

use std::time::Instant;

use delassus_core::parameter::{Map, Value};
use delassus_core::{EntryError, Fidelity, OTHER_SCENE, ProcessFault};
use delassus_dynamics::{Scheme, SchemeEntry, SchemeError, StepError, World};
use delassus_scenes::build;
use delassus_scheme_process::entry;
use delassus_solver_process::Commands;
use serde_json::json;

const DT: f64 = 1.0 / 60.0;

/// The name of the test engine in this mode.
fn name(mode: &str) -> String {
    let program = env!("CARGO_BIN_EXE_delassus-test-engine");
    format!("engine-cmd:'{program}' {mode}")
}

fn engine(mode: &str, given: &Value) -> Box<dyn Scheme> {
    let entry = entry(&name(mode), Commands::Start).expect("an entry");
    built(&entry, given)
}

fn built(entry: &SchemeEntry, given: &Value) -> Box<dyn Scheme> {
    let given = given.as_object().cloned().unwrap_or_default();
    entry.build_with(&given, None).expect("a scheme")
}

/// A tilted box that falls on the ground.
fn scene() -> World {
    build("falling-box", &Map::new()).expect("a scene")
}

/// The error of the first frame.
fn failure(mode: &str) -> StepError {
    let mut world = scene();
    let before = world.state_hash();
    let given = json!({ "frame_seconds": 0.2 });
    let error = engine(mode, &given).step(&mut world, DT, &mut ());
    let error = error.expect_err(mode);
    assert_eq!(world.state_hash(), before, "{mode}");
    error
}

#[test]
fn an_engine_moves_the_bodies_as_its_scheme_does_in_this_process() {
    let xpbd = delassus_dynamics::scheme("xpbd").unwrap();
    let given = json!({ "substeps": 7 });
    let mut here = built(&xpbd, &given);
    let mut there = engine("", &given);
    let (mut own, mut world) = (scene(), scene());
    for frame in 0..120 {
        here.step(&mut own, DT, &mut ()).unwrap();
        let report = there.step(&mut world, DT, &mut ()).unwrap();
        assert!(report.seconds.is_some_and(|seconds| seconds > 0.0));
        for (a, b) in own.bodies().iter().zip(world.bodies()) {
            let off = (a.position.to_vector() - b.position.to_vector()).norm();
            assert!(off < 1e-14, "frame {frame}: {off:e}");
            assert_eq!((a.velocity, a.spin), (b.velocity, b.spin), "frame {frame}");
            assert!(a.orientation.angle_to(&b.orientation) < 1e-7);
        }
        assert!((own.time() - world.time()).abs() < 1e-12);
    }
    // it fell, and the world has found the contacts that observables read
    let start = scene().bodies()[1].position.to_vector().y;
    assert!(world.bodies()[1].position.to_vector().y < start - 0.3);
    assert!(
        world
            .manifolds()
            .iter()
            .any(|manifold| !manifold.points.is_empty())
    );
    assert!(
        world
            .manifolds()
            .iter()
            .all(|manifold| manifold.impulses().iter().all(|x| *x == 0.0))
    );
}

#[test]
fn a_world_that_was_changed_is_sent_again() {
    let mut scheme = engine("", &json!({}));
    let mut world = scene();
    for _ in 0..3 {
        scheme.step(&mut world, DT, &mut ()).unwrap();
    }
    let mut moved = world.clone();
    let velocity = nalgebra::Vector3::new(3.0, 0.0, 0.0);
    moved
        .set_velocity(1_usize, velocity, nalgebra::Vector3::zeros())
        .unwrap();
    let before = moved.bodies()[1].position.to_vector();
    scheme.step(&mut moved, DT, &mut ()).unwrap();
    let way = moved.bodies()[1].position.to_vector() - before;
    assert!((way.x - 3.0 * DT).abs() < 1e-12, "{way}");
    // and so is another world
    scheme.step(&mut world, DT, &mut ()).unwrap();
    assert!(world.bodies()[1].velocity.x.abs() < 1e-9);
}

#[test]
fn every_broken_answer_is_a_failure_with_words() {
    for (mode, words) in [
        (
            "short",
            "it gave 25 numbers for 2 bodies, which have 13 each",
        ),
        ("unturned", "the orientation of body 1 has the length 0.7"),
        ("backwards", "step_s must be a number from 0 to 5.2"),
        ("endless", "found 1e+300"),
        ("other-id", "another request"),
        ("die", "Assertion `dot(n, n) > 0' failed."),
        ("hang", "no answer within 5.2"),
    ] {
        let error = failure(mode);
        assert!(
            matches!(error, StepError::Engine { .. }),
            "{mode}: {error:?}"
        );
        let error = error.to_string();
        assert!(error.contains(words), "{mode}: {error}");
        assert!(error.contains("test-engine"), "{mode}: {error}");
    }
}

#[test]
fn states_that_are_not_finite_are_refused_by_the_world() {
    let mut world = scene();
    // of the body that is not dynamic, nothing is read
    engine("nan", &json!({}))
        .step(&mut world, DT, &mut ())
        .unwrap();
    let mut parts = world.into_parts();
    parts.bodies.swap(0, 1);
    for collider in &mut parts.colliders {
        collider.body = 1 - collider.body;
    }
    let mut world = parts.build().unwrap();
    let error = engine("nan", &json!({}))
        .step(&mut world, DT, &mut ())
        .unwrap_err();
    assert!(
        matches!(error, StepError::NonFinite { body: 0, .. }),
        "{error:?}"
    );
}

#[test]
fn a_hanging_engine_is_ended_and_a_dead_one_started_again() {
    let clock = Instant::now();
    for _ in 0..2 {
        let error = failure("die").to_string();
        assert!(error.contains("died"), "{error}");
    }
    // ten minutes if nobody ended it
    assert!(clock.elapsed().as_secs() < 120);
}

#[test]
fn refusals_and_departures_are_told_before_the_first_frame() {
    let refusal = engine("refuses", &json!({})).check(&scene()).unwrap_err();
    assert!(matches!(refusal, SchemeError::Engine { .. }), "{refusal:?}");
    let text = "cannot step this world: joints[0] (gear) has no form here";
    assert!(refusal.to_string().ends_with(text), "{refusal}");
    let said = |mode: &str| match engine(mode, &json!({})).check(&scene()).unwrap() {
        Fidelity::Approximate(reasons) => reasons,
        Fidelity::Exact => Vec::new(),
    };
    assert_eq!(said(""), ["contacts are its own"]);
    let other = format!("{OTHER_SCENE}joints[0] is left out");
    assert_eq!(said("departs"), ["contacts are its own", other.as_str()]);
}

#[test]
fn a_hello_that_is_none_says_what_came_instead() {
    for (mode, words) in [
        ("print", "did the program print to its standard output?"),
        ("gone", "no licence found"),
        ("future", "protocol 2; this program speaks 1"),
    ] {
        let error = entry(&name(mode), Commands::Start)
            .expect_err(mode)
            .to_string();
        for part in [words, "run the command in a shell"] {
            assert!(error.contains(part), "{mode}: {error}");
        }
        let entry = entry(&name(mode), Commands::StartOrCountAsAbsent).unwrap();
        assert!(entry.open, "{mode}");
        let error = entry.build_with(&Map::new(), None).err().expect(mode);
        assert!(error.to_string().contains(words), "{mode}: {error}");
    }
}

#[test]
fn commands_start_only_where_they_may_and_engines_are_found_by_name() {
    let held = entry(&name(""), Commands::Refuse).unwrap();
    let error = held.build_with(&Map::new(), None).err().unwrap();
    let held = |error: &SchemeError| match error {
        SchemeError::Entry(EntryError::Process { fault, .. }) => *fault == ProcessFault::Held,
        _ => false,
    };
    assert!(held(&error), "{error}");
    let gone = entry("engine:no-such-engine", Commands::Start).unwrap();
    let error = gone
        .build_with(&Map::new(), None)
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.starts_with("scheme \"engine:no-such-engine\": "),
        "{error}"
    );
    assert!(
        error.contains("no-such-engine/engine.toml") || error.contains("no folder"),
        "{error}"
    );
    assert!(error.contains("delassus list engines"), "{error}");
}

#[test]
fn parameters_are_those_that_the_engine_declares() {
    let entry = entry(&name(""), Commands::Start).unwrap();
    assert_eq!(entry.defaults["substeps"], 20);
    assert_eq!(entry.defaults["frame_seconds"], 60.0);
    let refused = |given: Value| {
        let given = given.as_object().cloned().unwrap_or_default();
        entry.build_with(&given, None).err().unwrap().to_string()
    };
    let text = refused(json!({ "substep": 3 }));
    assert!(text.contains("did you mean \"substeps\"?"), "{text}");
    let text = refused(json!({ "substeps": 2.5 }));
    assert!(
        text.contains("substeps: its type must be that of 20"),
        "{text}"
    );
    let text = refused(json!({ "frame_seconds": 0 }));
    assert!(
        text.contains("frame_seconds: it must be a number > 0"),
        "{text}"
    );
}
