//! Results that somebody has changed: one bit of any file, a file that is gone, a text with a
//! renewed checksum. `verify` finds each of them.

pub(crate) mod forger;
mod leaves;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use delassus_problems::{generate, write_snapshot};
use delassus_records::build::Build;
use delassus_registry::Registry;
use delassus_replay::Replay;
use delassus_runner::rerun::rerun;
use delassus_runner::verify::{UNVERIFIED_FIELDS, UnverifiedField, VerifyReport, verify};
use serde_json::{Map, json};

use crate::support::{run_into, write};
use forger::{Forger, Random};
use leaves::Unnoticed;

/// Attacks of the test, unless this variable says how many.
const COUNT: (&str, usize) = ("DELASSUS_ATTACKS", 60);

/// Solves of generated problems and of a frozen one, by solvers with parameters, of which one
/// refuses a problem.
const SOLVES: &str = r#"
title = "Attacked"
question = "Is it all there?"
[[problem]]
use = "chain"
n = [2, 3]
[[problem]]
use = "grid"
nx = 1
nz = 1
[[problem]]
files = ["frozen.dls"]
[[solver]]
use = "psor"
omega = [1.1, 1.3]
[[solver]]
use = "dense-direct"
[[solver]]
use = "auto"
[stop]
tolerance = 1e-10
max_sweeps = 12
metrics = ["natural_map", "siconos"]
[measure]
metrics = ["natural_map", "siconos", "natural_map_block"]
[[figure]]
id = "curves"
plot = { convergence = { x = "row_updates", y = "natural_map" } }
[[table]]
id = "cells"
show = { cells = {} }
"#;

/// A scene over time, with its motion recorded.
const MOTION: &str = r#"
title = "Moving"
[[scene]]
use = "pendulum"
[[scheme]]
use = "pgs-baumgarte"
seconds = 0.1
[[scheme]]
use = "xpbd"
seconds = 0.1
[[solver]]
use = "pgs"
[simulate]
observables = ["drift_max", "energy"]
[replay]
[[figure]]
id = "drift"
plot = { trajectory = { y = "drift_max" } }
[[strip]]
id = "still"
frames = 2
"#;

/// Sweeps that are timed.
const TIMES: &str = r#"
title = "Timed"
[[problem]]
use = "chain"
n = 2
[[solver]]
use = "pgs"
[timing]
row_updates = 400
repetitions = 2
[[table]]
id = "cells"
show = { cells = {} }
"#;

/// Results of these specs in folders of their own.
fn results(folder: &Path) -> Vec<PathBuf> {
    let chain = Map::from_iter([("n".to_owned(), json!(4))]);
    let chain = generate("chain", &chain).expect("a chain");
    let specs = [("solves", SOLVES), ("motion", MOTION), ("times", TIMES)];
    let made = specs.map(|(name, text)| {
        let own = folder.join(name);
        fs::create_dir(&own).expect("a folder");
        write_snapshot(own.join("frozen.dls"), &chain).expect("a snapshot");
        let out = own.join("out");
        let summary = run_into(&write(&own, text), &out, 1);
        assert_eq!((summary.exit_code(), summary.missing), (0, 0));
        out
    });
    made.to_vec()
}

fn verdict(out: &Path) -> Option<VerifyReport> {
    let (registry, cancel) = (Registry::standard(), AtomicBool::new(false));
    verify(out, None, &registry, &Build::UNKNOWN, &cancel).ok()
}

/// True if `verify` ends with another exit code than 0.
fn is_found(out: &Path) -> bool {
    let clean = |verdict: VerifyReport| {
        let named = [verdict.findings, verdict.unchecked, verdict.redrawn];
        named.iter().all(Vec::is_empty)
    };
    !verdict(out).is_some_and(clean)
}

/// How many attacks there are.
fn count() -> usize {
    let asked = std::env::var(COUNT.0).ok();
    asked.map_or(COUNT.1, |text| text.parse().expect("a number of attacks"))
}

/// Changes a folder, and says how.
type Attack = fn(&mut Forger<'_>) -> String;

#[test]
fn every_attack_on_a_results_folder_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = results(folder.path());
    for out in &results {
        let verdict = verdict(out).expect("results");
        assert_eq!((&verdict.findings, &verdict.unchecked), (&vec![], &vec![]));
        assert!(verdict.made > 0, "{verdict:?}");
    }
    let count = count();
    let attacks: [(&str, Attack); 7] = [
        ("flipped a bit", |forger| forger.flip()),
        ("deleted a file", |forger| forger.delete()),
        ("changed a record with its checksum", |forger| {
            forger.change_record()
        }),
        ("changed texts of a record with every checksum", |forger| {
            forger.change_texts()
        }),
        ("changed a status with every checksum", |forger| {
            forger.relabel()
        }),
        (
            "removed or doubled a sample with every checksum",
            |forger| forger.change_samples(),
        ),
        ("changed a listed text with its hash", |forger| {
            forger.change_view()
        }),
    ];
    let mut random = Random::new(48_271);
    let mut met = vec![0; attacks.len()];
    for number in 0..count {
        let out = &results[random.below(results.len())];
        let (kind, attack) = &attacks[number % attacks.len()];
        let mut forger = Forger::new(out, &mut random);
        let what = attack(&mut forger);
        assert!(is_found(out), "attack {number}: {kind}: {what} of {out:?}");
        forger.restore();
        met[number % attacks.len()] += 1;
    }
    for out in &results {
        assert!(!is_found(out), "{out:?} is not as it was");
    }
    let kinds = attacks.iter().map(|(kind, _)| *kind);
    println!(
        "{count} attacks, all found: {:?}",
        kinds.zip(met).collect::<Vec<_>>()
    );
}

/// What is made again is what finds a forger who renews everything else, not a view that shows it.
#[test]
fn texts_samples_and_status_are_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = results(folder.path());
    let mut random = Random::new(7);
    for number in 0..36 {
        let mut forger = Forger::new(&results[number % results.len()], &mut random);
        let what = match number / 3 % 3 {
            0 => forger.change_texts(),
            1 => forger.change_samples(),
            _ => forger.relabel(),
        };
        let verdict = verdict(forger.out()).expect("results");
        let of_record = |file: &str| file.starts_with("cells/") && file.ends_with(".json");
        let named = verdict.findings.iter().any(|found| of_record(&found.file));
        assert!(named, "{what}: {:?}", verdict.findings);
        forger.restore();
    }
}

/// Solves that end early, one that is refused, and one whose solver chooses.
const CHOSEN: &str = r#"
title = "Chosen"
reference = { solver = "dense-direct", tolerance = 1e-10 }
[[problem]]
use = "chain"
n = 2
[[problem]]
use = "stack"
n = 1
[[solver]]
use = "pgs"
[[solver]]
use = "auto"
[[solver]]
use = "dense-direct"
[[solver]]
use = "enumeration"
[stop]
tolerance = 1e-10
max_sweeps = 6
[measure]
metrics = ["natural_map", "velocity_error"]
[[table]]
id = "cells"
show = { cells = {} }
"#;

/// A scene with its motion recorded, a search for a threshold, and a run that fails.
const SEARCHED: &str = r#"
title = "Searched"
[[scene]]
use = "pendulum"
[[scene]]
use = "box-on-incline"
slope = 0.2
threshold = { parameter = "friction", between = [0.05, 1.0], tolerance = 0.2, observable = "speed_max", limit = 1e-4 }
[[scene]]
use = "stack"
n = 2
[[scheme]]
use = "pgs-baumgarte"
scenes = ["pendulum", "box-on-incline"]
[[scheme]]
use = "pgs-baumgarte"
scenes = ["stack"]
tolerance = 1e-9
max_sweeps = 2
on_unsolved = "refuse"
[[solver]]
use = "pgs"
[simulate]
seconds = 0.1
observables = ["speed_max", "energy", "penetration_max"]
[replay]
"#;

/// Every text and number of every file: what is not noticed is listed, as a time, a text of the
/// machine, or what another run gives.
#[test]
fn every_leaf_that_verify_passes_over_is_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    // of each field one value, or a hundredth of the attacks
    let most = (count() / 100).max(1);
    let mut unnoticed = Unnoticed::default();
    for (name, text) in [("chosen", CHOSEN), ("searched", SEARCHED), ("times", TIMES)] {
        let own = folder.path().join(name);
        fs::create_dir(&own).expect("a folder");
        fs::write(own.join("README.md"), "# A page\n").expect("a page");
        let out = own.join("out");
        let summary = run_into(&write(&own, text), &out, 1);
        assert_eq!(summary.missing, 0, "{name}");
        unnoticed.attack(&out, most);
        if name == "chosen" {
            let to = folder.path().join("bundle");
            leaves::bundle(&out, &to);
            unnoticed.attack(&to, most);
            leaves::spoil_each_file(&out);
            leaves::spoil_each_file(&to);
        }
    }
    unnoticed.is_listed();
}

/// The page of reliability has the same list.
#[test]
fn the_list_of_unverified_fields_is_documented() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reliability.md");
    let page = fs::read_to_string(page).expect("the page");
    let start = page.find("### What verify passes over").expect("a section");
    let section = &page[start..];
    let end = section[1..]
        .find("\n##")
        .map_or(section.len(), |end| end + 1);
    let rows = section[..end]
        .lines()
        .filter(|line| line.starts_with("| `"));
    let rows: Vec<&str> = rows.collect();
    let own = UNVERIFIED_FIELDS.iter().map(UnverifiedField::row);
    let own: Vec<String> = own.collect();
    assert_eq!(rows, own, "{}", own.join("\n"));
}

/// A replay whose later frames are other ones, with its hash renewed: another run of the cell shows
/// it.
#[test]
fn another_motion_is_found_by_running_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let summary = run_into(&write(folder.path(), MOTION), &out, 1);
    assert_eq!(summary.exit_code(), 0);
    let registry = Registry::standard();
    let keys = verdict(&out).expect("results").records;
    let again = || {
        let cancel = AtomicBool::new(false);
        rerun(&out, None, &keys, &registry, None, &cancel).expect("another run")
    };
    let clean = again();
    assert_eq!(
        (clean.same, clean.findings.len()),
        (keys.len(), 0),
        "{clean:?}"
    );
    let replay = fs::read_dir(out.join("cells")).expect("cells").flatten();
    let mut replay = replay.map(|entry| entry.path());
    let path = replay.find(|path| path.extension().is_some_and(|ending| ending == "replay"));
    let path = path.expect("a replay");
    let mut other = Replay::from_bytes(&fs::read(&path).expect("a file")).expect("a replay");
    let frame = other.frames.last_mut().expect("a frame");
    frame.places[1][0] = frame.places[1][0].wrapping_add(900);
    let bytes = other.to_bytes().expect("a file");
    let key = path
        .file_stem()
        .expect("a key")
        .to_string_lossy()
        .into_owned();
    let mut random = Random::new(1);
    let mut forger = Forger::new(&out, &mut random);
    forger.put_replay(&key, &bytes);
    let found = again().findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].what.contains("its replay_hash is"), "{found:?}");
    forger.restore();
}
