//! `list` and `doctor`.

use delassus_core::LawKind;
use delassus_dynamics::SchemeEntry;
use delassus_dynamics::constraints::constraint_kinds;
use delassus_metrics::Metric;
use delassus_motion::{PROBES, Quantity};
use delassus_problems::generators::generators;
use delassus_records::trace::TraceQuantity;
use delassus_registry::{Registry, schemes};
use serde_json::Value;

use crate::support::Lab;

fn ids(lab: &Lab, what: &str) -> Vec<String> {
    let ran = lab.run(&["list", what, "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let objects = ran.objects();
    let ids = objects
        .iter()
        .map(|object| object["id"].as_str().expect("an id").to_owned());
    ids.collect()
}

#[test]
fn lists_are_complete_and_in_the_order_of_the_documentation() {
    let lab = Lab::new();
    let registry = Registry::standard();
    let solvers = registry
        .entries()
        .iter()
        .map(|e| e.descriptor.id.to_owned());
    let wrappers = registry.wrappers().iter();
    let wrappers = wrappers.map(|wrapper| format!("{}(S)", wrapper.descriptor.id));
    let solvers: Vec<String> = solvers.chain(wrappers).collect();
    assert_eq!(ids(&lab, "solvers"), solvers);
    let metrics = Metric::ALL.iter().map(|metric| metric.id());
    let traces = TraceQuantity::ALL.iter().map(|quantity| quantity.doc().id);
    let quantities = Quantity::ALL.iter().map(|quantity| quantity.doc().id);
    let probes = PROBES.iter().map(|(form, _, _)| *form);
    let all: Vec<&str> = metrics
        .chain(traces)
        .chain(quantities)
        .chain(probes)
        .collect();
    assert_eq!(ids(&lab, "metrics"), all);
    let laws: Vec<&str> = LawKind::ALL.iter().map(|kind| kind.id()).collect();
    assert_eq!(ids(&lab, "laws"), laws);
    let known: Vec<&str> = generators().iter().map(|e| e.descriptor.id).collect();
    assert_eq!(ids(&lab, "generators"), known);
    let list = delassus_scenes::scenes();
    let known: Vec<&str> = list.iter().map(|e| e.descriptor.id).collect();
    assert_eq!(ids(&lab, "scenes"), known);
    let kinds = constraint_kinds();
    let known: Vec<&str> = kinds.iter().map(|kind| kind.descriptor.id).collect();
    assert_eq!(ids(&lab, "constraints"), known);
    let list: Vec<SchemeEntry> = schemes();
    let named = |preset: bool| {
        let chosen = list
            .iter()
            .filter(|entry| entry.descriptor.preset_of.is_some() == preset);
        chosen
            .map(|entry| entry.descriptor.id)
            .collect::<Vec<&str>>()
    };
    assert_eq!(ids(&lab, "presets"), named(true));
    assert_eq!(ids(&lab, "schemes"), named(false));
}

#[test]
fn a_list_of_nothing_in_particular_says_what_can_be_listed() {
    let lab = Lab::new();
    let ran = lab.run(&["list"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let objects = lab.run(&["list", "--json"]).objects();
    assert!(objects.len() > 10, "{objects:?}");
    for object in &objects {
        let list = object["list"].as_str().expect("a name");
        assert!(ran.stdout.contains(&format!("\n{list} ")), "{}", ran.stdout);
        if !["peers", "engines", "experiments"].contains(&list) {
            assert!(!ids(&lab, list).is_empty(), "{list}");
        }
    }
}

#[test]
fn words_are_explained_before_the_parameters_of_that_name() {
    let lab = Lab::new();
    for word in ["overlap", "penetration"] {
        let ran = lab.run(&["explain", word]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{word}");
        let head = "overlap (term of docs/glossary.md)\n";
        assert!(ran.stdout.starts_with(head), "{}", ran.stdout);
        assert!(ran.stdout.contains("penetration_max"), "{}", ran.stdout);
    }
}

#[test]
fn one_preset_and_one_constraint_with_everything() {
    let lab = Lab::new();
    let page = |words: &[&str]| {
        let ran = lab.run(&[&["list"], words].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        ran.stdout
    };
    let preset = page(&["presets", "soft-step"]);
    for part in [
        "substeps = 4",
        "friction = relax-only",
        "Catto2024",
        "(T.1)",
        "box2d-3",
    ] {
        assert!(preset.contains(part), "no {part:?} in\n{preset}");
    }
    assert_eq!(page(&["presets", "box2d-3"]), preset);
    let constraint = page(&["constraints", "point"]);
    for part in [
        "[m, m, m]",
        "\n    anchors: list of 2",
        "(C.2)",
        "ball-socket",
    ] {
        assert!(constraint.contains(part), "no {part:?} in\n{constraint}");
    }
    let scene = page(&["scenes", "pendulum"]);
    assert!(scene.contains("length = "), "{scene}");
    let metric = page(&["metrics", "energy_error"]);
    for part in ["(R.4)", "[J]", "slope"] {
        assert!(metric.contains(part), "no {part:?} in\n{metric}");
    }
    // one name for a residual of a problem and for its course over a run
    assert_eq!(
        lab.run(&["list", "metrics", "natural_map", "--json"])
            .objects()
            .len(),
        2
    );
    lab.run(&["list", "schemes", "soft-step"])
        .is_refused_with(&["\"soft-step\"", "list presets soft-step"]);
    lab.run(&["list", "scenes", "pendulmu"])
        .is_refused_with(&["\"pendulmu\"", "\"pendulum\""]);
}

#[test]
fn a_list_is_one_line_per_entry_below_a_header() {
    let lab = Lab::new();
    for what in [
        "solvers",
        "metrics",
        "generators",
        "laws",
        "scenes",
        "schemes",
        "presets",
        "constraints",
        "statuses",
        "figures",
        "tables",
        "formats",
        "experiments",
    ] {
        let ran = lab.run(&["list", what]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        let lines: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!(lines.len(), ids(&lab, what).len() + 1, "{}", ran.stdout);
        let kind = lines[0].split("  ").next().unwrap_or("");
        let plural = if kind.ends_with('s') { "es" } else { "s" };
        assert_eq!(format!("{kind}{plural}"), what);
    }
}

#[test]
fn figures_and_tables_are_listed_with_their_keys() {
    let lab = Lab::new();
    for (what, page) in [("figures", "figures.md"), ("tables", "tables.md")] {
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let text = std::fs::read_to_string(docs.join(page)).expect("a page");
        let rows = text.lines().filter_map(|line| line.strip_prefix("| [`"));
        let mut documented: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
        let mut listed = ids(&lab, what);
        documented.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, documented);
        for object in lab.run(&["list", what, "--json"]).objects() {
            assert!(
                object["summary"]
                    .as_str()
                    .is_some_and(|text| text.len() > 10),
                "{object}"
            );
        }
    }
    let bars = lab.run(&["list", "figures", "bars"]);
    for part in [
        "y (needed): Number of a cell",
        "log: Logarithmic axis",
        "docs/figures.md#bars",
    ] {
        assert!(
            bars.stdout.contains(part),
            "no {part:?} in\n{}",
            bars.stdout
        );
    }
}

#[test]
fn experiments_are_those_of_the_folder() {
    let lab = Lab::new();
    let spec = |title: &str| format!("title = {title:?}\nquestion = \"Why?\"\n");
    lab.file("experiments/b/experiment.toml", spec("Second"));
    lab.file("experiments/a/large.toml", spec("First, large"));
    lab.file("experiments/a/experiment.toml", spec("First"));
    lab.file("experiments/a/scene.toml", "gravity = [0.0, 0.0, -9.81]\n");
    let listed = ids(&lab, "experiments");
    assert_eq!(
        listed,
        ["experiments/a", "experiments/a/large.toml", "experiments/b"]
    );
    let one = lab.run(&["list", "experiments", "b"]).stdout;
    for part in ["Second", "Why?", "delassus run experiments/b"] {
        assert!(one.contains(part), "{one}");
    }
}

#[test]
fn a_name_of_another_list_is_shown_the_way() {
    let lab = Lab::new();
    for (what, name, parts) in [
        (
            "solvers",
            "xpbd",
            ["it is a scheme", "`delassus list schemes xpbd`"],
        ),
        (
            "schemes",
            "pgs",
            ["it is a solver", "`delassus list solvers pgs`"],
        ),
        (
            "scenes",
            "coulomb",
            ["it is a law", "`delassus list laws coulomb`"],
        ),
        (
            "metrics",
            "bars",
            ["it is a figure", "`delassus list figures bars`"],
        ),
        (
            "solvers",
            "box2d-3",
            ["it is a preset", "`delassus list presets soft-step`"],
        ),
    ] {
        lab.run(&["list", what, name]).is_refused_with(&parts);
    }
}

#[test]
fn lists_and_their_entries_are_explained() {
    let lab = Lab::new();
    for (word, parts) in [
        (
            "observable",
            ["over time", "drift_max", "delassus list observables NAME"],
        ),
        (
            "observables",
            ["drift_max", "x[BODY].AXIS", "penetration_max"],
        ),
        ("solvers", ["pgs", "block-gs", "delassus list solvers NAME"]),
        (
            "scheme",
            ["named set of values", "xpbd", "delassus list schemes NAME"],
        ),
        (
            "stored",
            ["that a problem file has", "--start stored", "term"],
        ),
        ("xpbd", ["scheme: xpbd", "parameters", "substeps"]),
        ("pgs", ["solver: pgs", "parameters", "laws"]),
    ] {
        let ran = lab.run(&["explain", word]);
        assert_eq!(ran.code, 0, "{word}: {}", ran.stderr);
        for part in parts {
            assert!(
                ran.stdout.contains(part),
                "{word}: no {part:?} in\n{}",
                ran.stdout
            );
        }
    }
    let listed = lab.run(&["explain", "laws", "--json"]).objects();
    let last = listed.last().expect("a list");
    assert_eq!(
        (&last["kind"], &last["id"]),
        (&"list".into(), &"laws".into())
    );
    lab.run(&["explain", "observabels"])
        .is_refused_with(&["did you mean \"observables\"?"]);
}

#[test]
fn metrics_and_terms_are_explained() {
    let lab = Lab::new();
    let metric = lab.run(&["explain", "natural_map"]);
    assert_eq!(metric.code, 0, "{}", metric.stderr);
    assert!(metric.stdout.contains("formula"), "{}", metric.stdout);
    // one name, two entries: each says what it is
    let kinds = |kind: &str| {
        metric
            .stdout
            .matches(&format!("{kind}: natural_map\n"))
            .count()
    };
    assert_eq!(
        (kinds("metric"), kinds("observable")),
        (1, 1),
        "{}",
        metric.stdout
    );
    assert!(
        !metric.stdout.contains("\nnatural_map\n"),
        "{}",
        metric.stdout
    );
    let objects = lab.run(&["explain", "natural_map", "--json"]).objects();
    let kinds: Vec<&Value> = objects.iter().map(|object| &object["kind"]).collect();
    assert_eq!(kinds, ["metric", "observable"]);
    let term = lab.run(&["explain", "Baumgarte term"]);
    assert!(term.stdout.starts_with("bias (term"), "{}", term.stdout);
    let object = &lab.run(&["explain", "sweep", "--json"]).objects()[0];
    assert_eq!(
        (&object["schema"], &object["id"]),
        (&"explain/1".into(), &"sweep".into())
    );
    lab.run(&["explain", "natural_mpa"])
        .is_refused_with(&["did you mean \"natural_map\"?"]);
}

#[test]
fn one_solver_with_everything() {
    let lab = Lab::new();
    let ran = lab.run(&["list", "solvers", "psor"]);
    assert_eq!(ran.code, 0);
    for part in [
        "laws",
        "parameters",
        "omega = 1.3",
        "theory",
        "(G.6)",
        "Cryer1971",
        "bits",
    ] {
        assert!(ran.stdout.contains(part), "no {part:?} in\n{}", ran.stdout);
    }
    // an alias names the same solver
    let alias = lab.run(&["list", "solvers", "projected-sor"]);
    assert_eq!(alias.stdout, ran.stdout);
    let json = &lab.run(&["list", "solvers", "psor", "--json"]).objects()[0];
    assert_eq!(json["precision"], "f64");
    assert_eq!(json["determinism"], "bitwise");
    assert_eq!(json["parameters"][0]["name"], "omega");
    assert_eq!(json["parameters"][0]["default"], 1.3);
    assert_eq!(
        json["laws"].as_array().map(Vec::len),
        Some(LawKind::ALL.len())
    );
    assert!(
        json["citations"]
            .as_array()
            .is_some_and(|list| !list.is_empty())
    );
}

#[test]
fn the_negative_control_says_what_it_solves_instead() {
    let ran = Lab::new().run(&["list", "solvers", "naive-impulses"]);
    assert!(ran.stdout.contains("approximate: "), "{}", ran.stdout);
}

#[test]
fn a_law_names_the_solvers_that_solve_it() {
    let objects = Lab::new().run(&["list", "laws", "--json"]).objects();
    for law in &objects {
        let exact = law["exact"].as_array().expect("a list");
        assert!(!exact.is_empty(), "nothing solves {law}");
    }
    let cone = objects.iter().find(|law| law["id"] == "elliptic-cone");
    let cone = cone.expect("a law of several numbers of rows");
    let names = |id: &str| {
        cone["exact"]
            .as_array()
            .is_some_and(|list| list.iter().any(|x| x == id))
    };
    assert!(
        ["pgs", "auto", "prox-newton", "ipm", "sap"]
            .iter()
            .all(|id| names(id)),
        "{cone}"
    );
    assert!(!names("admm"), "{cone}");
    assert_eq!(cone["only_rows"]["admm"], serde_json::json!([3]));
    let page = Lab::new().run(&["list", "laws", "elliptic-cone"]).stdout;
    let page: String = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        page.contains("prox-newton (given by a matrix: 3 rows)"),
        "{page}"
    );
    assert!(
        page.contains("admm (3 rows)") && page.contains("jacobi (3 rows, bodies only)"),
        "{page}"
    );
}

#[test]
fn doctor_knows_the_machine_and_probes_the_folder() {
    let lab = Lab::new();
    let ran = lab.run(&["doctor", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let facts = &ran.objects()[0];
    for key in [
        "delassus",
        "commit",
        "compiler",
        "target",
        "solver_opt_level",
        "processor",
        "vector_level",
        "system",
    ] {
        assert!(
            facts[key].as_str().is_some_and(|text| !text.is_empty()),
            "{key}: {facts}"
        );
    }
    assert!(
        facts["logical_cores"]
            .as_u64()
            .is_some_and(|cores| cores > 0)
    );
    assert!(
        facts["clock"]
            .as_f64()
            .is_some_and(|step| step > 0.0 && step < 1.0)
    );
    assert_eq!(facts["results"]["writable"], true);
    let warnings = facts["warnings"].as_array().expect("a list");
    let debug = |warning: &Value| warning.as_str().is_some_and(|text| text.contains("debug"));
    assert_eq!(
        warnings.iter().any(debug),
        facts["profile"] != "release",
        "{facts}"
    );
    let text = lab.run(&["doctor"]);
    assert!(text.stdout.contains("processor"), "{}", text.stdout);
    // the folder is probed, not made
    assert!(!lab.path("results").exists());
    lab.file("occupied", "");
    let ran = lab.run(&["doctor", "--out", "occupied/results"]);
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    assert!(
        ran.stderr.contains("error: results cannot be written"),
        "{}",
        ran.stderr
    );
}

#[test]
fn entries_are_found_by_the_numbers_of_their_equations() {
    let lab = Lab::new();
    for (words, entry) in [
        (["explain", "R.52", "--json"], "toppled"),
        (["explain", "r.30", "--json"], "fallen"),
        (["explain", "P.6", "--json"], "coulomb"),
        (["explain", "M.7", "--json"], "siconos"),
    ] {
        let ran = lab.run(&words);
        assert_eq!(ran.code, 0, "{words:?}: {}", ran.stderr);
        assert!(
            ran.stdout.contains(&format!("{entry:?}")),
            "{words:?}: {}",
            ran.stdout
        );
    }
}
