//! What makes a kept cell invalid, and what does not.

use std::collections::BTreeMap;
use std::fs;

use delassus_registry::Registry;
use delassus_runner::matrix;
use delassus_runner::spec;

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
    key_with(text, "unread", "")
}

/// The same next to a file of this name.
fn key_with(text: &str, name: &str, content: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
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
        (
            "law = \"coulomb\"",
            "law = \"coulomb\"\nreference_law = \"disc\"",
        ),
        (
            "law = \"coulomb\"",
            "law = \"coulomb\"\nreference_law = \"pyramid\"",
        ),
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
        ("\nmetrics = [\"natural_map\"]", "\nmetrics = [\"nat_q\"]"),
        ("\"natural_map\", \"dual\"", "\"natural_map\", \"primal\""),
        ("\"natural_map\", \"dual\"", "\"dual\", \"natural_map\""),
        (
            "\"natural_map\", \"dual\"]",
            "\"natural_map\", \"impulse_spread\"]",
        ),
        (
            "\"natural_map\", \"dual\"]",
            "\"natural_map\", \"impulse_spread\"]\norders = 4",
        ),
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
        // what is asserted of the numbers
        (
            "[[figure]]",
            "[[gate]]\nvalue = \"sweeps\"\nat_most = 9\n[[figure]]",
        ),
        ("n = 2\n", "\n   n   =   0x2\n"),
        ("omega = 1.3", "omega = 13e-1"),
        ("friction = 0.5", "friction = 0.5\nmass = 1"),
        ("friction = 0.5\n", "friction = 0.50\n"),
        ("label = \"s\"", "label = 's'"),
        // the order of keys, and blanks
        (
            "tolerance = 1e-6\nmax_sweeps = 100",
            "max_sweeps = 100\n\n\ttolerance = 1e-6",
        ),
        (
            "label = \"s\"\nuse = \"psor\"\nomega = 1.3\norder = \"natural\"",
            "order = \"natural\"\nomega = 1.3\nuse = \"psor\"\nlabel = \"s\"",
        ),
        // what a cell may take decides whether it comes to an end, not to which
        (
            "title = \"T\"",
            "title = \"T\"\nmax_memory = \"8 GiB\"\nlimits = { seconds = 5 }",
        ),
    ] {
        assert_eq!(changed(from, to), base, "{to}");
    }
}

const OVER_TIME: &str = r#"title = "T"
[[scene]]
name = "p"
use = "pendulum"
angle = 1.0
[[scheme]]
label = "m"
use = "pgs-baumgarte"
beta = 0.2
[[solver]]
label = "s"
use = "psor"
omega = 1.3
[simulate]
dt = 0.01
seconds = 1.0
dt_changes = [{ at = 0.5, factor = 0.5 }]
every = 2
observables = ["drift_max", "energy"]
repetitions = 2
[[figure]]
id = "f"
plot = { trajectory = { y = "energy" } }
"#;

#[test]
fn whatever_determines_a_trajectory_changes_its_key() {
    let mutations = [
        ("name = \"p\"", "name = \"q\""),
        ("angle = 1.0", "angle = 1.0000000000000002"),
        ("angle = 1.0", "length = 1.5"),
        ("use = \"pendulum\"\nangle = 1.0", "use = \"n-pendulum\""),
        ("label = \"m\"", "label = \"n\""),
        ("use = \"pgs-baumgarte\"", "use = \"velocity\""),
        ("beta = 0.2", "beta = 0.3"),
        ("beta = 0.2", "dt = 0.03"),
        ("beta = 0.2", "substeps = 2"),
        ("label = \"s\"", "label = \"t\""),
        ("use = \"psor\"\nomega = 1.3", "use = \"pgs\""),
        ("omega = 1.3", "omega = 1.2"),
        ("\ndt = 0.01", "\ndt = 0.02"),
        ("seconds = 1.0", "seconds = 1.1"),
        ("at = 0.5, factor = 0.5", "at = 0.5, factor = 2.0"),
        ("at = 0.5, factor = 0.5", "at = 0.6, factor = 0.5"),
        ("dt_changes = [{ at = 0.5, factor = 0.5 }]\n", ""),
        ("every = 2", "every = 3"),
        ("\"drift_max\", \"energy\"", "\"energy\", \"drift_max\""),
        ("\"drift_max\", \"energy\"", "\"energy\""),
        ("repetitions = 2", "repetitions = 3"),
    ];
    let mut seen = BTreeMap::from([(key(OVER_TIME), "nothing")]);
    for (from, to) in mutations {
        assert_eq!(OVER_TIME.matches(from).count(), 1, "{from}");
        if let Some(other) = seen.insert(key(&OVER_TIME.replace(from, to)), to) {
            panic!("{to:?} has the key of {other:?}");
        }
    }
    for (from, to) in [
        ("title = \"T\"", "title = \"U\" # with a comment"),
        ("y = \"energy\"", "y = \"drift_max\""),
        ("angle = 1.0", "angle = 1"),
        ("angle = 1.0", "angle = 1.0\nmass = 1"),
        ("beta = 0.2\n", ""),
    ] {
        let text = OVER_TIME.replace(from, to);
        assert_ne!(text, OVER_TIME);
        assert_eq!(key(&text), key(OVER_TIME), "{to}");
    }
}

/// A complementarity problem, and changes of its file.
const LCP: &str = "2\n0\n2\n2\n2 2\n2 1\n1 3\n-1 -1\n";

#[test]
fn whatever_a_file_of_a_problem_says_changes_the_key_and_its_blanks_do_not() {
    let spec = "title = \"T\"\n[[problem]]\nfiles = [\"p.dat\"]\n[[solver]]\nuse = \"pgs\"\n";
    let of = |content: &str| key_with(spec, "p.dat", content);
    let mut seen = BTreeMap::from([(of(LCP), "nothing")]);
    for (from, to) in [
        ("2 1\n", "2 0.5\n"),
        ("1 3\n", "1 3.0000000000000004\n"),
        ("-1 -1\n", "-1 -2\n"),
        ("-1 -1\n", "-1 0\n"),
    ] {
        assert_eq!(LCP.matches(from).count(), 1, "{from}");
        if let Some(other) = seen.insert(of(&LCP.replace(from, to)), to) {
            panic!("{to:?} has the key of {other:?}");
        }
    }
    for (from, to) in [("-1 -1\n", "-1.0   -1e0\n"), ("2 1\n", "2\t1\n")] {
        let content = LCP.replace(from, to);
        assert_ne!(content, LCP);
        assert_eq!(of(&content), of(LCP), "{to:?}");
    }
}

#[test]
fn whatever_a_file_of_a_scene_says_changes_the_key_and_its_comments_do_not() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/scenes/shapes.toml");
    let scene = fs::read_to_string(path).unwrap();
    let spec = "title = \"T\"\n[[scene]]\nfile = \"s.toml\"\n[[scheme]]\nuse = \"soft-step\"\n[[solver]]\nuse = \"pgs\"\n\
                [simulate]\nseconds = 0.1\nobservables = [\"energy\"]\n";
    let of = |content: &str| key_with(spec, "s.toml", content);
    let base = of(&scene);
    let mut seen = BTreeMap::from([(base.clone(), "nothing")]);
    for (from, to) in [
        ("gravity = [0.0, -9.81, 0.0]", "gravity = [0.0, -9.8, 0.0]"),
        ("margin = 0.02", "margin = 0.03"),
        ("friction = \"minimum\"", "friction = \"maximum\""),
        (
            "position = [2.0, 1.0, 0.0]",
            "position = [2.0, 1.0000000000000002, 0.0]",
        ),
        ("spin = [0.0, 0.0, 1.0]", "spin = [0.0, 0.0, 2.0]"),
        ("mass = 2.0, moments", "mass = 2.5, moments"),
        ("kinetic_friction = 0.4", "kinetic_friction = 0.3"),
        ("surface_velocity = [1.0,", "surface_velocity = [2.0,"),
    ] {
        assert_eq!(scene.matches(from).count(), 1, "{from}");
        if let Some(other) = seen.insert(of(&scene.replace(from, to)), to) {
            panic!("{to:?} has the key of {other:?}");
        }
    }
    let commented = format!(
        "# a comment\n{}\n\n# another\n",
        scene.replace(" = ", "  =  ")
    );
    assert_eq!(of(&commented), base);
}
