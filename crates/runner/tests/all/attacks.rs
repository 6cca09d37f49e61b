//! Results that somebody has changed: one bit of any file, a file that is gone, a text with a
//! renewed checksum. `verify` finds each of them.

pub(crate) mod forger;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use delassus_problems::{generate, write_snapshot};
use delassus_records::build::Build;
use delassus_registry::Registry;
use delassus_runner::verify::{VerifyReport, verify};
use serde_json::{Map, json};

use crate::support::{run_into, write};
use forger::{Forger, Random};

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
    let asked = std::env::var(COUNT.0).ok();
    let count = asked.map_or(COUNT.1, |text| text.parse().expect("a number of attacks"));
    let attacks: [(&str, Attack); 6] = [
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
fn texts_and_status_are_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = results(folder.path());
    let mut random = Random::new(7);
    for number in 0..24 {
        let mut forger = Forger::new(&results[number % results.len()], &mut random);
        let what = match number % 2 {
            0 => forger.change_texts(),
            _ => forger.relabel(),
        };
        let verdict = verdict(forger.out()).expect("results");
        let of_record = |file: &str| file.starts_with("cells/") && file.ends_with(".json");
        let named = verdict.findings.iter().any(|found| of_record(&found.file));
        assert!(named, "{what}: {:?}", verdict.findings);
        forger.restore();
    }
}
