//! `fsck` and `migrate` as their users meet them.

use std::fs;

use crate::forger::change_record;
use crate::support::Lab;

const SPEC: &str = "title = \"F\"\n[[problem]]\nuse = \"chain\"\nn = [2, 3]\n[[solver]]\nuse = \"pgs\"\n[stop]\nmax_sweeps = 3\n";

fn cell(lab: &Lab) -> std::path::PathBuf {
    let entries = fs::read_dir(lab.path("out/cells")).expect("cells");
    let mut paths = entries.map(|entry| entry.expect("a file").path());
    let is_record = |path: &std::path::PathBuf| path.extension().is_some_and(|e| e == "json");
    paths.find(is_record).expect("a cell")
}

#[test]
fn damage_is_told_with_what_is_lost_and_mended_by_a_run() {
    let lab = Lab::new();
    lab.file("f.toml", SPEC);
    lab.run(&["run", "f.toml", "--out", "out"]);
    let fine = lab.run(&["fsck", "out"]);
    assert_eq!(
        (fine.code, fine.stdout.as_str()),
        (0, ""),
        "{}",
        fine.stderr
    );
    assert!(fine.stderr.contains("2 cells: 2 whole"), "{}", fine.stderr);
    let cell = cell(&lab);
    let text = fs::read_to_string(&cell).expect("a cell");
    fs::write(&cell, text.replacen("\"sweeps\":3", "\"sweeps\":2", 1)).expect("a file");
    let found = lab.run(&["fsck", "out"]);
    assert_eq!(found.code, 6, "{}", found.stderr);
    assert!(
        found
            .stdout
            .contains("its checksum is wrong; lost: the cell chain"),
        "{}",
        found.stdout
    );
    assert!(
        found
            .stderr
            .contains("error: 1 damaged part; 2 cells: 1 whole"),
        "{}",
        found.stderr
    );
    let objects = lab.run(&["fsck", "out", "--json"]).objects();
    assert_eq!(objects.len(), 2);
    assert_eq!(
        (&objects[1]["schema"], &objects[1]["damaged"]),
        (&1.into(), &1.into())
    );
    assert_eq!(lab.run(&["run", "f.toml", "--out", "out"]).code, 0);
    assert_eq!(lab.run(&["fsck", "out"]).code, 0);
    lab.run(&["fsck", "elsewhere"])
        .is_refused_with(&["elsewhere", "is this the results folder of a run?"]);
}

const OVER_TIME: &str = "title = \"M\"\n[[scene]]\nuse = \"pendulum\"\nangle = [0.2, 0.3]\n[[scheme]]\n\
    use = \"pgs-baumgarte\"\nseconds = 0.1\n[[solver]]\nuse = \"pgs\"\n[simulate]\n\
    observables = [\"drift_max\"]\n[replay]\n";

/// A record is whole, and the file next to it is not: no verb calls the cell whole.
#[test]
fn a_cell_is_whole_with_all_of_its_files_alone() {
    for (spec, ending) in [(SPEC, "impulses"), (OVER_TIME, "replay"), (SPEC, "json")] {
        let lab = Lab::new();
        lab.file("f.toml", spec);
        let ran = lab.run(&["run", "f.toml", "--out", "out"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(lab.run(&["status", "out"]).code, 0);
        let file = cell(&lab).with_extension(ending);
        match ending {
            // a record with a checksum of its own, which the run has not left
            "json" => change_record(&file, |record| record.replacen("pgs", "pgt", 1)),
            _ => {
                let mut bytes = fs::read(&file).expect("a file");
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                fs::write(&file, bytes).expect("a file");
            }
        }
        let found = lab.run(&["fsck", "out"]);
        assert_eq!(found.code, 6, "{ending}: {}", found.stderr);
        let totals = "error: 1 damaged part; 2 cells: 1 whole";
        assert!(found.stderr.contains(totals), "{ending}: {}", found.stderr);
        let status = lab.run(&["status", "out", "--json"]);
        assert_eq!(status.code, 6, "{ending}: {}", status.stdout);
        let again = lab.run(&["run", "f.toml", "--out", "out", "--json"]);
        let totals = again.objects().pop().expect("totals");
        assert_eq!(totals["ran"], 1, "{ending}: {totals}");
        assert_eq!(lab.run(&["fsck", "out"]).code, 0, "{ending}");
    }
}

#[test]
fn older_cells_are_migrated_once() {
    let lab = Lab::new();
    lab.file("f.toml", SPEC);
    lab.run(&["run", "f.toml", "--out", "out"]);
    let cell = cell(&lab);
    let text = fs::read_to_string(&cell).expect("a cell");
    fs::write(&cell, text.replacen("{\"schema\":2,", "{", 1)).expect("a file");
    let older = lab.run(&["fsck", "out"]);
    assert_eq!(older.code, 0);
    assert!(
        older.stderr.contains("1 in an older form"),
        "{}",
        older.stderr
    );
    for (migrated, current) in [(1, 1), (0, 2)] {
        let totals = lab.run(&["migrate", "out", "--json"]).objects();
        assert_eq!(totals[0]["migrated"], migrated, "{}", totals[0]);
        assert_eq!(totals[0]["current"], current, "{}", totals[0]);
    }
    assert_eq!(fs::read_to_string(&cell).expect("a cell"), text);
    fs::write(&cell, &text[..text.len() / 2]).expect("a file");
    let left = lab.run(&["migrate", "out"]);
    assert_eq!(left.code, 6, "{}", left.stderr);
    assert!(left.stdout.contains("cut short"), "{}", left.stdout);
}
