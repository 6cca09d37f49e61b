//! Worlds of one structure: what `run`, `show` and `data` say of each.

use std::fs;

use crate::support::Lab;

const SPEC: &str = r#"
title = "Walls"
[[problem]]
use = "wall"
base = 2
friction = [0.2, 0.5]
mass_ratio = [1.0, 8.0]
as_worlds = true
[[solver]]
use = "per-world(pgs)"
[stop]
tolerance = 1e-4
max_sweeps = 60
"#;

#[test]
fn worlds_are_shown_and_exported() {
    let lab = Lab::new();
    lab.file("walls/experiment.toml", SPEC);
    let ran = lab.run(&["run", "walls", "--out", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let cells = fs::read_dir(lab.path("out/cells")).expect("cells");
    let names = cells.map(|cell| cell.expect("a cell").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let name = names.filter(|name| name.ends_with(".json")).last();
    let cell = format!("out/cells/{}", name.expect("a record"));
    let shown = lab.run(&["show", &cell]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    let object = lab.run(&["show", &cell, "--json"]).objects().remove(0);
    let worlds = object["worlds"].as_array().expect("worlds");
    assert_eq!(worlds.len(), 4, "{object}");
    let open = worlds.iter().filter(|world| world["status"] != "solved");
    let open = open.count();
    let line = format!("{} of 4 solved", 4 - open);
    assert!(shown.stdout.contains(&line), "{}", shown.stdout);
    let named = shown.stdout.matches("friction=").count();
    assert_eq!(named, open, "{}", shown.stdout);
    let ran = lab.run(&["data", "out", "--format", "csv", "--out", "tables"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let table = fs::read(lab.path("tables/worlds.csv")).expect("a table");
    assert!(table == fs::read(lab.path("out/worlds.csv")).expect("a table"));
    let text = String::from_utf8(table).expect("UTF-8");
    assert!(
        text.contains(r#""{""mass_ratio"":8.0,""friction"":0.2}""#),
        "{text}"
    );
    let ran = lab.run(&["data", "out", "--out", "tables"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(lab.path("tables/worlds.parquet").is_file());
}
