//! `cite`: the BibTeX of what specs and names use.

use crate::support::Lab;

const SPEC: &str = r#"title = "T"
[[problem]]
use = "chain"
n = 4
[[solver]]
use = "best-so-far(anderson(psor))"
[stop]
tolerance = 1e-6
[measure]
metrics = ["natural_map"]
[[table]]
id = "t"
show = { cells = { metrics = ["natural_map"] } }
"#;

#[test]
fn entries_of_a_spec_stand_once_and_in_order() {
    let lab = Lab::new();
    std::fs::write(lab.path("spec.toml"), SPEC).expect("a spec");
    let ran = lab.run(&["cite", "spec.toml", "anderson(psor)"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let keys: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with('@'))
        .filter_map(|line| line.split(['{', ',']).nth(1))
        .collect();
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(keys, sorted);
    // wrapper, solver inside, metric
    for key in ["Walker2011", "Cryer1971", "Facchinei2003"] {
        assert!(keys.contains(&key), "{keys:?}");
    }
    assert!(
        ran.stdout.contains("doi     = {10.1137/10078356X}"),
        "{}",
        ran.stdout
    );
    let ran = lab.run(&["cite", "spec.toml", "anderson(psor)", "--json"]);
    let objects = ran.objects();
    assert_eq!(objects.len(), keys.len());
    let walker = objects.iter().find(|object| object["key"] == "Walker2011");
    let walker = walker.expect("an object per key");
    assert_eq!(
        walker["cited_by"],
        serde_json::json!(["anderson(psor)", "best-so-far(anderson(psor))"])
    );
    assert!(
        walker["bibtex"]
            .as_str()
            .is_some_and(|text| text.starts_with("@article{Walker2011,"))
    );
}

#[test]
fn schemes_scenes_and_metrics_have_sources_too() {
    let lab = Lab::new();
    for (name, key) in [
        ("soft-step", "Catto2024"),
        ("natural_map", "Facchinei2003"),
        ("nsgs", "Jourdan1998"),
    ] {
        let ran = lab.run(&["cite", name]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        assert!(ran.stdout.contains(key), "{name}: {}", ran.stdout);
    }
    lab.run(&["cite", "block-sg"])
        .is_refused_with(&["block-sg", "did you mean \"block-gs\"?"]);
    lab.run(&["cite", "anderson(block-sg)"])
        .is_refused_with(&["did you mean \"block-gs\"?"]);
    lab.run(&["cite"]).is_refused_with(&["SPEC|NAME"]);
}

#[test]
fn wrappers_are_listed_with_a_place_for_their_solver() {
    let lab = Lab::new();
    let ran = lab.run(&["list", "solvers"]);
    for line in ran.stdout.lines() {
        assert!(line.chars().count() <= 172, "{line}");
    }
    for part in [
        "best-so-far(S)",
        "anderson(S)",
        "cone-from-convex(S)",
        "refined(S)",
        "per-world(S)",
        "m³",
    ] {
        assert!(ran.stdout.contains(part), "no {part} in\n{}", ran.stdout);
    }
    let page = lab.run(&["list", "solvers", "anderson"]);
    assert!(
        page.stdout.contains("anderson.depth = 5"),
        "{}",
        page.stdout
    );
    assert_eq!(
        lab.run(&["list", "solvers", "anderson(S)"]).stdout,
        page.stdout
    );
    let page = lab.run(&["list", "solvers", "anderson(psor)"]).stdout;
    for part in [
        "omega = 1.3",
        "anderson.depth = 5",
        "Walker2011",
        "Cryer1971",
        "m + m",
    ] {
        assert!(page.contains(part), "no {part} in\n{page}");
    }
    lab.run(&["list", "solvers", "andersn(pgs)"])
        .is_refused_with(&["did you mean \"anderson\"?"]);
}
