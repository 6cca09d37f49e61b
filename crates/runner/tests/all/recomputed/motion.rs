//! The same of runs over time: their start, their samples and their recorded motion, and the search
//! for a threshold.

use std::fs;

use delassus_replay::Replay;
use serde_json::{Value, json};

use super::{Change, add, find_each, is_named, results, verdict};
use crate::attacks::forger::{Forger, Random};

/// A ball that rolls, with schemes that leave out what resists and have no solves.
const MOTION: &str = r#"
title = "Rolling"
[[scene]]
use = "rolling"
rolling = 0.01
slope = 0.0
speed = 1.0
[[scene]]
use = "pendulum"
[[scheme]]
use = "xpbd"
[simulate]
dt = 0.02
seconds = 0.1
observables = ["kinetic", "penetration_max", "contact_points", "solve_residual"]
[replay]
"#;

/// A search for the friction that holds a box.
const SEARCH: &str = r#"
title = "Searched"
[[scene]]
use = "box-on-incline"
slope = 0.2
threshold = { parameter = "friction", between = [0.05, 1.0], tolerance = 0.2, observable = "speed_max", limit = 1e-4 }
[[scheme]]
use = "pgs-baumgarte"
sweeps = 50
[[solver]]
use = "block-gs"
[simulate]
seconds = 0.2
observables = ["speed_max"]
"#;

#[test]
fn what_precedes_the_first_frame_is_made_again() {
    let later: Change = |samples| {
        for sample in samples.as_array_mut().expect("samples") {
            add(&mut sample["moment"]["time"], 1.0);
        }
    };
    let changes: [(&str, Change, &str); 7] = [
        (
            "/outcome/approximations",
            |value| *value = json!([]),
            "its approximations",
        ),
        (
            "/outcome/approximations",
            |value| value.as_array_mut().expect("a list").push(json!("more")),
            "its approximations",
        ),
        (
            "/outcome/message",
            |value| *value = Value::Null,
            "its message",
        ),
        (
            "/outcome/samples/0/values/0",
            |value| add(value, 0.5),
            "its first sample",
        ),
        ("/outcome/samples", later, "its first moment"),
        (
            "/origin/threads",
            |value| *value = json!(7),
            "it says 7 threads",
        ),
        (
            "/origin/commit",
            |value| *value = json!("0123abc"),
            "its commit and profile",
        ),
    ];
    find_each(MOTION, "\"source\":\"rolling\"", &changes);
}

#[test]
fn overlaps_hashes_and_recorded_motion_follow_from_spec_and_samples() {
    let changes: [(&str, Change, &str); 6] = [
        (
            "/outcome/samples",
            |samples| {
                samples.as_array_mut().expect("samples").remove(2);
            },
            "it has no sample at its frame 2",
        ),
        (
            "/outcome/depths",
            |value| *value = Value::Null,
            "it counts no overlaps",
        ),
        (
            "/outcome/depths/none",
            |value| *value = json!(value.as_u64().expect("a count") + 1),
            "but its samples",
        ),
        (
            "/outcome/depths",
            |value| {
                let bins = value["bins"].as_object().expect("bins").values();
                let all = bins.chain([&value["none"]]).filter_map(Value::as_u64);
                *value = json!({ "none": 0, "bins": { "0": all.sum::<u64>() } });
            },
            "its deepest overlap",
        ),
        (
            "/outcome/impulse_hash",
            |value| *value = json!("0123"),
            "the hash of its answer",
        ),
        (
            "/outcome/replay_hash",
            |value| *value = Value::Null,
            "its motion is recorded, or not",
        ),
    ];
    find_each(MOTION, "\"source\":\"rolling\"", &changes);
}

#[test]
fn a_search_is_repeated_from_its_runs() {
    let changes: [(&str, Change, &str); 7] = [
        (
            "/outcome/samples/2/values/2",
            |value| add(value, 0.01),
            "does not follow from",
        ),
        (
            "/outcome/samples/1/values/0",
            |value| *value = json!(0.5),
            "does not follow from",
        ),
        (
            "/outcome/samples",
            |samples| {
                samples.as_array_mut().expect("samples").pop();
            },
            "its search does not end",
        ),
        (
            "/outcome/message",
            |value| *value = json!("it stands"),
            "its search does not end",
        ),
        ("/outcome/sweeps", |value| *value = json!(1), "its totals"),
        (
            "/outcome/samples/1/moment/frame",
            |value| *value = json!(value.as_u64().expect("a frame") + 1),
            "has not all frames",
        ),
        (
            "/outcome/iterate_seconds",
            |value| *value = json!([0.1]),
            "a search times none",
        ),
    ];
    find_each(SEARCH, "box-on-incline", &changes);
}

/// A scheme that takes no unfinished solve ends a run as a solve ends, but with a message.
#[test]
fn a_run_that_refuses_an_unfinished_solve_is_as_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let scheme = "use = \"pgs-baumgarte\"\ntolerance = 1e-9\nmax_sweeps = 2\non_unsolved = \"refuse\"\n\
                  [[solver]]\nuse = \"pgs\"";
    let text = MOTION.replace("use = \"xpbd\"", scheme);
    let text = text.replace(
        "use = \"rolling\"\nrolling = 0.01\nslope = 0.0\nspeed = 1.0",
        "use = \"stack\"\nn = 3",
    );
    let out = results(folder.path(), &text.replace("[replay]\n", ""));
    let ended = |text: &str| text.contains("\"max_sweeps\"") && text.contains("change on_unsolved");
    let mut cells = fs::read_dir(out.join("cells")).expect("cells").flatten();
    let found = cells.any(|file| fs::read_to_string(file.path()).is_ok_and(|text| ended(&text)));
    assert!(found, "no run was refused");
}

/// Recorded motion of another scene, and of fewer frames, in the place of that of the run.
#[test]
fn recorded_motion_begins_with_the_scene_and_has_its_frames() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = results(folder.path(), MOTION);
    let replay = |part: &str| {
        let mut cells = fs::read_dir(out.join("cells")).expect("cells").flatten();
        let found = cells.find(|file| {
            let text = fs::read_to_string(file.path()).unwrap_or_default();
            text.contains(part)
        });
        let path = found.expect("a record").path().with_extension("replay");
        Replay::from_bytes(&fs::read(path).expect("a replay")).expect("a replay")
    };
    let (rolling, pendulum) = ("\"source\":\"rolling\"", "\"source\":\"pendulum\"");
    let mut cut = replay(rolling);
    cut.frames.pop();
    cut.header.times.pop();
    cut.header.added.pop();
    let mut moved = replay(rolling);
    let place = &mut moved.frames[0].places[1];
    place[0] = place[0].wrapping_add(900);
    let mut late = replay(rolling);
    late.header.times[2] += 0.01;
    let mut rare = replay(rolling);
    rare.header.every *= 3;
    let changes = [
        (replay(pendulum), "its bodies, shapes and joints"),
        (cut, "as many as the spec makes them"),
        (moved, "it does not begin with the scene"),
        (late, "the times of its frames"),
        (rare, "those that the spec records"),
    ];
    let mut random = Random::new(1);
    for (other, words) in changes {
        let mut forger = Forger::new(&out, &mut random);
        let bytes = other.to_bytes().expect("a file");
        let file = forger.put_replay(rolling, &bytes);
        is_named(&out, &file, words);
        forger.restore();
    }
    assert!(verdict(&out).findings.is_empty());
}
