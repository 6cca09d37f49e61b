//! What makes a kept cell invalid, and what does not.

use std::collections::BTreeMap;
use std::fs;

use delassus_lab::matrix;
use delassus_lab::registry::Registry;
use delassus_lab::spec;

const SPEC: &str = r#"title = "T"
question = "Q"
reference = "stored"
[[problem]]
name = "p"
use = "stack"
n = 2
friction = 0.5
law = "coulomb"
start = "cold"
as_matrix = false
[[solver]]
label = "s"
use = "psor"
omega = 1.3
order = "natural"
[stop]
tolerance = 1e-6
max_sweeps = 100
max_seconds = 10.0
divergence = 1e6
metrics = ["natural_map"]
[measure]
metrics = ["natural_map", "dual"]
samples = { every = 2 }
repetitions = 2
[[figure]]
id = "f"
caption = "c"
plot = { convergence = { x = "sweeps" } }
"#;

/// Key of the only cell.
fn key(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("experiment.toml");
    fs::write(&path, text).unwrap();
    let registry = Registry::standard();
    let matrix = spec::read(&path, &registry).and_then(|spec| matrix::expand(spec, &registry));
    let matrix = matrix.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(matrix.cells.len(), 1);
    matrix.cells[0].key.clone()
}

fn changed(from: &str, to: &str) -> String {
    assert_eq!(SPEC.matches(from).count(), 1, "{from}");
    key(&SPEC.replace(from, to))
}

#[test]
fn whatever_determines_a_record_changes_its_key() {
    let mutations = [
        ("name = \"p\"", "name = \"q\""),
        ("n = 2\n", "n = 3\n"),
        ("friction = 0.5", "friction = 0.50000000000000011"),
        ("law = \"coulomb\"", "law = \"disc\""),
        ("law = \"coulomb\"", "law = \"coulomb\"\nmass_ratio = 2"),
        ("law = \"coulomb\"", "law = \"coulomb\"\ndt = 0.01"),
        ("start = \"cold\"", "start = \"ones\""),
        ("as_matrix = false", "as_matrix = true"),
        ("label = \"s\"", "label = \"t\""),
        ("use = \"psor\"\nomega = 1.3", "use = \"pgs\""),
        ("omega = 1.3", "omega = 1.2"),
        ("order = \"natural\"", "order = \"reversed\""),
        ("order = \"natural\"", "order = \"natural\"\nseed = 1"),
        ("tolerance = 1e-6", "tolerance = 1e-7"),
        ("max_sweeps = 100", "max_sweeps = 101"),
        ("max_seconds = 10.0", "max_seconds = 11.0"),
        ("max_seconds = 10.0\n", ""),
        ("divergence = 1e6", "divergence = 1e7"),
        (
            "\nmetrics = [\"natural_map\"]",
            "\nmetrics = [\"siconos\", \"natural_map\"]",
        ),
        ("\nmetrics = [\"natural_map\"]", "\nmetrics = [\"dual\"]"),
        ("\"natural_map\", \"dual\"", "\"natural_map\", \"primal\""),
        ("\"natural_map\", \"dual\"", "\"dual\", \"natural_map\""),
        ("every = 2", "every = 3"),
        ("every = 2", "geometric = 2.0"),
        ("repetitions = 2", "repetitions = 3"),
        ("reference = \"stored\"\n", ""),
        ("[stop]", "[reference]\nsolver = \"dense-pgs\"\n[stop]"),
    ];
    let mut seen = BTreeMap::from([(key(SPEC), "nothing")]);
    for (from, to) in mutations {
        let text = SPEC.replace(from, to);
        assert_ne!(text, SPEC, "{from}");
        // a spec has one reference
        let text = match to.contains("[reference]") {
            true => text.replace("reference = \"stored\"\n", ""),
            false => text,
        };
        if let Some(other) = seen.insert(key(&text), to) {
            panic!("{to:?} has the key of {other:?}");
        }
    }
    assert_eq!(seen.len(), mutations.len() + 1);
}

#[test]
fn words_and_pictures_do_not_change_a_key() {
    let base = key(SPEC);
    for (from, to) in [
        ("title = \"T\"", "title = \"U\" # with a comment"),
        ("question = \"Q\"\n", ""),
        ("caption = \"c\"", "caption = \"d\""),
        ("x = \"sweeps\"", "x = \"seconds\""),
        ("id = \"f\"", "id = \"g\""),
        ("n = 2\n", "\n   n   =   0x2\n"),
        ("omega = 1.3", "omega = 13e-1"),
        ("friction = 0.5", "friction = 0.5\nmass = 1"),
        ("friction = 0.5\n", "friction = 0.50\n"),
        ("label = \"s\"", "label = 's'"),
    ] {
        assert_eq!(changed(from, to), base, "{to}");
    }
}
