//! `fsck` and `migrate` as their users meet them.

use std::fs;

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
    assert_eq!(found.code, 3, "{}", found.stderr);
    assert!(
        found.stdout.contains("its checksum is wrong; lost: chain"),
        "{}",
        found.stdout
    );
    assert!(
        found.stderr.contains("error: 1 damage; 2 cells: 1 whole"),
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
    assert_eq!(left.code, 3, "{}", left.stderr);
    assert!(left.stdout.contains("cut short"), "{}", left.stdout);
}
