//! Records with one field changed and every checksum, list and root renewed: what follows from
//! spec, scene, solver or other fields is computed again, and the finding names the record.

mod motion;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use delassus_records::build::Build;
use delassus_registry::Registry;
use delassus_runner::verify::{VerifyReport, verify};
use serde_json::{Value, json};

use crate::attacks::forger::{Forger, Random};
use crate::support::{run_into, write};

/// Sweeps of a solver that solves another law than that of the problem.
const TIMES: &str = r#"
title = "Timed"
[[problem]]
use = "stack"
n = 2
law = "disc"
friction = 0.4
[[solver]]
use = "naive-impulses"
[timing]
row_updates = 400
repetitions = 2
"#;

/// A solve that reaches its limit, with a reference.
const SOLVES: &str = r#"
title = "Solved"
reference = { solver = "dense-direct", tolerance = 1e-10 }
[[problem]]
use = "chain"
n = 8
[[solver]]
use = "pgs"
[stop]
tolerance = 1e-10
max_sweeps = 12
[measure]
metrics = ["natural_map", "velocity_error"]
"#;

/// Worlds of which some reach the tolerance and some do not.
const WORLDS: &str = r#"
title = "Worlds"
[[problem]]
use = "wall"
base = 3
friction = [0.2, 0.5]
mass_ratio = [1.0, 8.0]
as_worlds = true
[[solver]]
use = "per-world(pgs)"
[stop]
tolerance = 1e-3
max_sweeps = 40
"#;

fn results(folder: &Path, text: &str) -> PathBuf {
    let out = folder.join("out");
    let summary = run_into(&write(folder, text), &out, 1);
    assert_eq!((summary.exit_code(), summary.missing), (0, 0));
    let clean = verdict(&out);
    assert!(clean.findings.is_empty(), "{:?}", clean.findings);
    assert!(clean.unchecked.is_empty(), "{:?}", clean.unchecked);
    out
}

fn verdict(out: &Path) -> VerifyReport {
    let (registry, cancel) = (Registry::standard(), AtomicBool::new(false));
    verify(out, None, &registry, &Build::UNKNOWN, &cancel).expect("results")
}

/// Fails unless `verify` finds fault with a file in these words.
#[track_caller]
fn is_named(out: &Path, file: &Path, words: &str) {
    let findings = verdict(out).findings;
    let named = findings
        .iter()
        .any(|found| file.ends_with(&found.file) && found.what.contains(words));
    assert!(named, "{words}: {findings:?}");
}

/// Changes a value of a record.
type Change = fn(&mut Value);

/// Makes each change in the record that has `part` in its text; a finding of that record must have
/// the words.
fn find_each(text: &str, part: &str, changes: &[(&str, Change, &str)]) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = results(folder.path(), text);
    let mut random = Random::new(1);
    for (pointer, change, words) in changes {
        let mut forger = Forger::new(&out, &mut random);
        let file = forger.edit(part, |record| {
            change(record.pointer_mut(pointer).expect(pointer));
        });
        is_named(&out, &file, words);
        forger.restore();
    }
    assert!(verdict(&out).findings.is_empty());
}

fn add(value: &mut Value, number: f64) {
    *value = json!(value.as_f64().expect("a number") + number);
}

#[test]
fn approximations_of_timed_solvers_are_made_again() {
    let changes: [(&str, Change, &str); 3] = [
        (
            "/outcome/approximations",
            |value| {
                assert_ne!(*value, json!([]));
                *value = json!([]);
            },
            "its approximations",
        ),
        (
            "/outcome/message",
            |value| *value = json!("well"),
            "it has a message",
        ),
        (
            "/outcome/samples",
            |samples| {
                let samples = samples.as_array_mut().expect("samples");
                samples.insert(1, samples[1].clone());
            },
            "the two samples",
        ),
    ];
    find_each(TIMES, "naive-impulses", &changes);
}

#[test]
fn ends_of_worlds_follow_from_impulses_and_spec() {
    let changes: [(&str, Change, &str); 7] = [
        (
            "/outcome/worlds/1/residual",
            |value| add(value, 1e-9),
            "its world 1 has the natural map",
        ),
        (
            "/outcome/worlds/2/residual",
            |value| *value = Value::Null,
            "and it says nothing",
        ),
        (
            "/outcome/worlds/0/status",
            |value| *value = json!("stagnated"),
            "its world 0 says stagnated",
        ),
        (
            "/outcome/worlds/0/sweeps",
            |value| {
                *value = match value {
                    Value::Null => json!(3),
                    _ => Value::Null,
                };
            },
            "its world 0 has sweeps",
        ),
        (
            "/outcome/worlds/3/parameters/friction",
            |value| *value = json!(0.25),
            "its world 3 has other parameters",
        ),
        (
            "/outcome/worlds",
            |value| {
                value.as_array_mut().expect("worlds").pop();
            },
            "it has 3 worlds, and the spec makes it 4",
        ),
        (
            "/outcome/worlds",
            |value| *value = json!([]),
            "it has 0 worlds",
        ),
    ];
    find_each(WORLDS, "per-world", &changes);
}

#[test]
fn words_of_solves_follow_from_impulses_and_spec() {
    let changes: [(&str, Change, &str); 5] = [
        (
            "/outcome/message",
            |value| *value = json!("it tried hard"),
            "its message",
        ),
        (
            "/outcome/reference",
            |value| *value = json!("certified by all"),
            "its reference",
        ),
        (
            "/outcome/reference",
            |value| *value = Value::Null,
            "its reference",
        ),
        (
            "/outcome/samples",
            |value| *value = json!([]),
            "but it has no samples",
        ),
        (
            "/origin/turns",
            |value| *value = json!("someone"),
            "took turns with no cell",
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let out = results(folder.path(), SOLVES);
    let mut random = Random::new(1);
    for (pointer, change, words) in changes {
        let mut forger = Forger::new(&out, &mut random);
        let file = forger.edit("\"id\":\"pgs\"", |record| {
            let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
            // a cell without turns has no such entry
            change(&mut record.pointer_mut(parent).expect(parent)[name]);
        });
        is_named(&out, &file, words);
        forger.restore();
    }
}

/// A solver keeps its velocities by itself, but near those of its impulses.
#[test]
fn samples_are_at_the_sweeps_of_the_schedule() {
    let changes: [(&str, Change, &str); 4] = [
        (
            "/outcome/samples",
            |value| drop(value.as_array_mut().expect("samples").remove(3)),
            "it has no sample after 3 sweeps",
        ),
        (
            "/outcome/samples",
            |value| {
                let samples = value.as_array_mut().expect("samples");
                samples.insert(3, samples[3].clone());
            },
            "its sample 4 is after 3 sweeps, and the one before after 3",
        ),
        (
            "/outcome/samples",
            |value| {
                let samples = value.as_array_mut().expect("samples");
                samples.extend(samples.last().cloned());
            },
            "its last sample is there twice",
        ),
        (
            "/outcome/samples/5/sweeps",
            |value| *value = json!(4),
            "its sample 5 is after 4 sweeps",
        ),
    ];
    find_each(SOLVES, "chain", &changes);
    let sparse = format!("{SOLVES}samples = {{ every = 5 }}\n");
    let changes: [(&str, Change, &str); 2] = [
        (
            "/outcome/samples",
            |value| drop(value.as_array_mut().expect("samples").remove(1)),
            "it has no sample after 5 sweeps",
        ),
        (
            "/outcome/samples/1/sweeps",
            |value| *value = json!(4),
            "its sample 1 is after 4 sweeps, but the spec asks for 5",
        ),
    ];
    find_each(&sparse, "chain", &changes);
}

#[test]
fn velocities_are_near_those_of_the_impulses() {
    let text = SOLVES.replace("\"velocity_error\"", "\"v[3].y\"");
    let changes: [(&str, Change, &str); 1] = [(
        "/outcome/samples",
        |samples| {
            let samples = samples.as_array_mut().expect("samples");
            let last = samples.last_mut().expect("a sample");
            add(&mut last["values"][1], 0.5);
        },
        "v[3].y of its impulses is",
    )];
    find_each(&text, "\"chain", &changes);
}

/// A cell that was refused has done nothing, and one without a reference has no error.
#[test]
fn refused_cells_count_nothing_and_errors_need_a_reference() {
    let contact = "[[problem]]\nuse = \"stack\"\nn = 1\n[stop]";
    let text = SOLVES.replace("[stop]", contact);
    let direct = "[[solver]]\nuse = \"dense-direct\"\n[stop]";
    let refused: [(&str, Change, &str); 1] = [(
        "/outcome/sweeps",
        |value| *value = json!(3),
        "has more than such a cell leaves",
    )];
    find_each(
        &text.replace("[stop]", direct),
        "\"status\":\"unsupported\"",
        &refused,
    );
    // the solver of the reference refuses contacts
    let without: [(&str, Change, &str); 1] = [(
        "/outcome/samples/1/values/1",
        |value| {
            assert_eq!(*value, Value::Null);
            *value = json!(1e-3);
        },
        "it has values of velocity_error, but no reference",
    )];
    find_each(&text, "\"reference\":\"no reference: ", &without);
}

#[test]
fn a_cell_that_is_listed_twice_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = results(folder.path(), SOLVES);
    let mut random = Random::new(1);
    let mut forger = Forger::new(&out, &mut random);
    let file = forger.double_cell();
    is_named(&out, &file, " twice");
    forger.restore();
    assert!(verdict(&out).findings.is_empty());
}
