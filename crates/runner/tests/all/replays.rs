//! Recorded motion of an experiment: files next to the cells, the page, strips, and what happens
//! where one is missing.

use std::fs;
use std::path::{Path, PathBuf};

use delassus_registry::Registry;
use delassus_replay::Replay;
use delassus_runner::fsck;
use delassus_runner::results;
use delassus_runner::spec;

use crate::support::{run_into, write};

const SPEC: &str = r#"
title = "Pendulum"
question = "Is it seen?"

[[scene]]
use = "pendulum"
angle = [0.5, 1.5]

[[scheme]]
use = "pgs-baumgarte"
label = "Baumgarte"

[[scheme]]
use = "xpbd"

[[solver]]
use = "pgs"

[simulate]
dt = 0.01
seconds = 0.5
observables = ["energy_error"]

[replay]
every = 5
schemes = ["Baumgarte"]

[[strip]]
id = "swing"
caption = "Two pendulums."
frames = [0, 0.25, 0.5]
"#;

fn replays(out: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(out.join("cells")).expect("cells");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "replay"));
    paths.sort();
    paths
}

#[test]
fn chosen_cells_leave_replays_a_page_and_strips_that_are_the_same_whenever_they_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = write(folder.path(), SPEC);
    let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
    assert_eq!(run_into(&spec, &a, 1).exit_code(), 0);
    run_into(&spec, &b, 2);
    let files = ["replay.html", "figures/swing.svg", "figures/swing.png"];
    for file in files {
        let read = |out: &Path| fs::read(out.join(file)).expect(file);
        assert!(read(&a) == read(&b), "{file}");
    }
    // two scenes with one of the two schemes
    assert_eq!(replays(&a).len(), 2);
    for (one, other) in replays(&a).iter().zip(replays(&b)) {
        let bytes = fs::read(one).expect("a replay");
        assert!(bytes == fs::read(other).expect("a replay"));
        let replay = Replay::from_bytes(&bytes).expect("a whole replay");
        // 50 frames, every fifth, and the start
        assert_eq!(replay.frames.len(), 11);
        assert!((replay.header.times[10] - 0.5).abs() < 1e-12);
        assert_eq!(replay.header.stage.links.len(), 1);
    }
    let page = fs::read_to_string(a.join("report.html")).expect("a report");
    assert!(page.contains("href=\"replay.html\"") && page.contains("Two pendulums."));
    assert!(page.contains("figures/swing.png"));
    let report = results::load(&a, &Registry::standard()).expect("results");
    assert_eq!((report.replays.len(), report.strips.len()), (2, 1));
}

#[test]
fn a_cell_without_its_replay_runs_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = write(folder.path(), SPEC);
    let out = folder.path().join("out");
    assert_eq!(run_into(&spec, &out, 1).ran, 4);
    assert_eq!(run_into(&spec, &out, 1).ran, 0);
    let paths = replays(&out);
    let whole = fs::read(&paths[0]).expect("a replay");
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    fs::write(&paths[0], changed).expect("a file");
    let found = fsck::check(&out).expect("results");
    assert_eq!((found.cells, found.whole), (4, 3), "{found:?}");
    assert!(found.damages[0].file.ends_with(".replay"), "{found:?}");
    fs::remove_file(&paths[0]).expect("a file");
    fs::write(&paths[1], &whole[..whole.len() / 2]).expect("a damaged file");
    assert_eq!(run_into(&spec, &out, 1).ran, 2);
    assert!(fs::read(&paths[0]).expect("a replay") == whole);
    // a strip is no reason to step anything, what is recorded is one for the cells that it is about
    let strip = SPEC.replace(
        "frames = [0, 0.25, 0.5]",
        "frames = 4\ncolour = \"impulse\"",
    );
    assert_eq!(run_into(&write(folder.path(), &strip), &out, 1).ran, 0);
    let all = SPEC.replace("schemes = [\"Baumgarte\"]", "");
    assert_eq!(run_into(&write(folder.path(), &all), &out, 1).ran, 2);
    // without recorded motion the page goes with it
    let none = SPEC.split("[replay]").next().expect("a spec");
    assert_eq!(run_into(&write(folder.path(), none), &out, 1).ran, 2);
    assert!(!out.join("replay.html").exists() && !out.join("figures/swing.svg").exists());
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        ("every = 5", "evry = 5", "evry"),
        ("every = 5", "every = 0", "every"),
        ("every = 5", "contacts = 1", "contacts"),
        (
            "[\"Baumgarte\"]",
            "[\"Baumgart\"]",
            "did you mean \"Baumgarte\"",
        ),
        ("frames = [0, 0.25, 0.5]", "frames = 0", "1 to 12 frames"),
        ("frames = [0, 0.25, 0.5]", "frames = [-1]", "≥ 0"),
        (
            "frames = [0, 0.25, 0.5]",
            "frames = \"all\"",
            "a number of frames, or a list of times",
        ),
        (
            "frames = [0, 0.25, 0.5]",
            "frames = 3\nview = [0, 91]",
            "-90 to 90",
        ),
        (
            "frames = [0, 0.25, 0.5]",
            "frames = 3\ncolor = \"speed\"",
            "did you mean \"colour\"",
        ),
        ("id = \"swing\"", "id = \"../swing\"", "names a file"),
        (
            "[replay]\nevery = 5\nschemes = [\"Baumgarte\"]",
            "",
            "add [replay]",
        ),
        (
            "frames = [0, 0.25, 0.5]",
            "frames = 3\nscenes = [\"pendulun\"]",
            "did you mean",
        ),
    ];
    for (from, to, expected) in cases {
        assert!(SPEC.contains(from), "{from}");
        let path = write(folder.path(), &SPEC.replace(from, to));
        let registry = Registry::standard();
        let read = spec::read(&path, &registry);
        let wrong = read.and_then(|spec| delassus_runner::matrix::expand(spec, &registry));
        let message = wrong
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default();
        assert!(message.contains(expected), "{to}: {message:?}");
    }
}
