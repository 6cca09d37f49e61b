//! `schema`: what editors know of specs is what the parser accepts.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::Lab;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema(lab: &Lab) -> Value {
    let ran = lab.run(&["schema"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    serde_json::from_str(&ran.stdout).expect("JSON")
}

/// A spec as JSON, as editors hand it to a validator.
fn spec(text: &str) -> Value {
    let table: toml::Table = text.parse().expect("TOML");
    serde_json::to_value(table).expect("a value")
}

/// The specs of experiments, templates and documentation.
fn specs() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in fs::read_dir(root().join("experiments"))
        .expect("experiments")
        .flatten()
    {
        for file in fs::read_dir(folder.path()).expect("a folder").flatten() {
            let path = file.path();
            if path.extension().is_some_and(|ending| ending == "toml") {
                let text = fs::read_to_string(&path).expect("a spec");
                found.push((path.display().to_string(), text));
            }
        }
    }
    let demo = root().join("crates/lab/templates/demo/demo.toml");
    found.push(("demo".to_owned(), fs::read_to_string(demo).expect("a spec")));
    for page in ["docs/experiments.md", "docs/spec.md", "docs/gates.md"] {
        let text = fs::read_to_string(root().join(page)).expect("a page");
        let blocks = text.split("```toml\n").skip(1);
        let blocks = blocks.filter_map(|block| block.split("```").next());
        let whole = blocks.filter(|block| block.contains("title = "));
        found.extend(whole.map(|block| (page.to_owned(), block.to_owned())));
    }
    found.sort();
    found
}

#[test]
fn every_spec_of_the_project_is_valid() {
    let schema = schema(&Lab::new());
    assert!(
        jsonschema::meta::is_valid(&schema),
        "no schema of its draft"
    );
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let specs = specs();
    assert!(specs.len() > 30, "{} specs", specs.len());
    let mut wrong = Vec::new();
    for (name, text) in specs {
        for error in validator.iter_errors(&spec(&text)) {
            wrong.push(format!("{name}: {}: {error}", error.instance_path()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A valid spec with every section of problems, and one of scenes.
const SOLVES: &str = r#"
title = "T"
question = "Q"
max_memory = "1 GiB"
[limits]
seconds = 60
[[problem]]
use = "chain"
n = [2, 3]
start = "cold"
stop = { tolerance = 1e-6 }
[[solver]]
use = "psor"
omega = [1.0, 1.3]
label = "SOR"
[stop]
tolerance = 1e-8
max_sweeps = 100
[measure]
metrics = ["natural_map"]
samples = { every = 2 }
repetitions = 3
[reference]
solver = "dense-pgs"
tolerance = 1e-12
[[figure]]
id = "f"
plot = { convergence = { x = "sweeps" } }
[[table]]
id = "t"
show = { solved = { tolerances = [1e-4] } }
[[gate]]
value = "sweeps"
at_most = 100
"#;
const SCENES: &str = r#"
title = "T"
[[scene]]
use = "pendulum"
name = "swing"
[[scheme]]
use = "soft-step"
substeps = [1, 4]
dt = 0.01
scenes = ["swing"]
[[solver]]
use = "pgs"
[simulate]
seconds = 0.5
observables = ["drift_max"]
dt_changes = [{ at = 0.1, factor = 0.5 }]
[replay]
every = 2
[[strip]]
id = "s"
frames = 3
"#;

/// Every key, one at a time, with a letter too many: the schema refuses what the program refuses,
/// and nothing else.
#[test]
fn a_mistyped_key_is_refused_by_both() {
    let lab = Lab::new();
    let schema = schema(&lab);
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let refused = |text: &str| {
        lab.file("spec.toml", text);
        let ran = lab.run(&["run", "spec.toml", "--dry-run"]);
        assert!(matches!(ran.code, 0 | 2), "{}", ran.stderr);
        ran.code == 2
    };
    for valid in [SOLVES, SCENES] {
        assert!(
            !refused(valid) && validator.is_valid(&spec(valid)),
            "{valid}"
        );
        let mut keys = 0;
        for (number, line) in valid.lines().enumerate() {
            let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
            // of tables on one line, the innermost key
            let Some(at) = line.rfind(" = ") else {
                continue;
            };
            let start = line[..at].rfind(|c| !is_letter(c)).map_or(0, |i| i + 1);
            let typed = format!("{}x{}", &line[..at], &line[at..]);
            let text: Vec<&str> = valid
                .lines()
                .enumerate()
                .map(|(n, own)| if n == number { typed.as_str() } else { own })
                .collect();
            let (text, key) = (text.join("\n"), &line[start..at]);
            assert!(
                !validator.is_valid(&spec(&text)),
                "the schema accepts {key}x:\n{text}"
            );
            assert!(refused(&text), "the program accepts {key}x:\n{text}");
            keys += 1;
        }
        assert!(keys > 10, "{keys} keys");
    }
}

/// What the parser says that it knows, when it is asked for a key that nothing resembles.
#[test]
fn every_key_of_the_parser_is_in_the_schema() {
    let lab = Lab::new();
    let schema = schema(&lab);
    let known = |section: &Value| -> Vec<String> {
        let properties = section["properties"].as_object().expect("properties");
        properties.keys().cloned().collect()
    };
    let all = &schema["properties"];
    for (header, own) in [
        ("", &schema),
        ("[limits]", &all["limits"]),
        ("[stop]", &all["stop"]),
        ("[measure]", &all["measure"]),
        (
            "[[problem]]\nfiles = \"x\"",
            &all["problem"]["items"]["oneOf"][0],
        ),
        ("[timing]", &all["timing"]),
    ] {
        let body = match header {
            "" => "Qzqqzq9 = 1".to_owned(),
            header => format!("title = \"T\"\n{header}\nQzqqzq9 = 1"),
        };
        let needed = if header.starts_with("[[problem]]") {
            ""
        } else {
            "\n[[problem]]\nuse = \"chain\""
        };
        lab.file(
            "spec.toml",
            format!("{body}{needed}\n[[solver]]\nuse = \"pgs\"\n"),
        );
        let ran = lab.run(&["run", "spec.toml", "--dry-run"]);
        let list = ran
            .stderr
            .split("known keys: ")
            .nth(1)
            .unwrap_or_else(|| panic!("{header}: {}", ran.stderr));
        let said: Vec<&str> = list.lines().next().expect("a line").split(", ").collect();
        assert_eq!(said, known(own), "{header}");
    }
}

#[test]
fn a_schema_is_written_whole_and_knows_descriptions_units_and_own_parameters() {
    let lab = Lab::new();
    let ran = lab.run(&["schema", "--out", "spec.schema.json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "spec.schema.json\n"));
    let written = fs::read_to_string(lab.path("spec.schema.json")).expect("a file");
    let written: Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(written, schema(&lab));
    let object = &lab.run(&["schema", "--json"]).objects()[0];
    assert_eq!(object["schema"], "schema/1");
    assert_eq!(object["spec"], written);
    let seconds = &written["properties"]["limits"]["properties"]["seconds"];
    assert_eq!(seconds["description"], "Wall-clock time of a cell [s].");
    let solvers = written["properties"]["solver"]["items"]["allOf"]
        .as_array()
        .expect("solvers");
    let psor = |solver: &&Value| solver["if"]["properties"]["use"]["enum"][0] == "psor";
    let psor = solvers.iter().find(psor).expect("psor");
    let omega = &psor["then"]["properties"]["omega"];
    assert!(
        omega["description"]
            .as_str()
            .is_some_and(|text| !text.is_empty()),
        "{omega}"
    );
    // a value, or an axis of them
    let validator = jsonschema::draft202012::new(omega).expect("a schema");
    assert!(validator.is_valid(&json!(1.3)) && validator.is_valid(&json!([1.0, 1.3])));
    assert!(!validator.is_valid(&json!([])) && !validator.is_valid(&json!(true)));
}
