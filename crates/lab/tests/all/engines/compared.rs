//! Comparisons of engines with each other and with schemes.

use super::{SPEC, lab};

#[test]
fn engines_are_compared_by_time_alone() {
    let Some(lab) = lab() else {
        return;
    };
    let pair = [
        "compare",
        "out",
        "--solvers",
        "engine steps=1",
        "engine steps=4",
    ];
    let ran = lab.run(&[&pair[..], &["--cost", "row_updates"]].concat());
    ran.is_refused_with(&["counts no sweeps and no row updates", "--cost seconds"]);
    let ran = lab.run(&pair);
    // Which engine needs less is not known: their times may be equal.
    for header in [
        "engine steps=1: time per frame",
        "engine steps=4 / engine steps=1",
    ] {
        assert!(ran.stdout.contains(header), "{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("row updates"), "{}", ran.stdout);
    // what stepped another scene is compared with nothing
    let ran = lab.run(&["compare", "out", "--solvers", "engine steps=1", "other"]);
    let remark = "Left out, because they step another scene: other, ball: the air.";
    ran.is_refused_with(&[remark, "no problem in common"]);
    // next to a scheme the cell of the engine is empty
    let mixed = [
        "compare",
        "out",
        "--solvers",
        "xpbd substeps=2",
        "engine steps=1",
        "--json",
    ];
    let mixed = &lab.run(&mixed).objects()[0]["problems"][0];
    assert!(mixed["row_updates_a"].as_f64() >= Some(0.0), "{mixed}");
    assert_eq!(mixed["row_updates_b"], serde_json::Value::Null, "{mixed}");
    let mixed = [
        "compare",
        "out",
        "--solvers",
        "xpbd substeps=2",
        "engine steps=1",
    ];
    let text = lab.run(&mixed);
    assert!(
        text.stdout.contains("xpbd substeps=2: row updates"),
        "{}",
        text.stdout
    );
}

#[test]
fn methods_without_results_are_left_out_of_a_comparison() {
    let Some(lab) = lab() else {
        return;
    };
    let spec = SPEC.replacen(
        "use = \"engine-cmd:python3 fall.py\"",
        "use = \"engine:nowhere\"",
        1,
    );
    lab.file(
        "e/experiment.toml",
        spec.replace("fall.py leaves", "fall.py"),
    );
    let ran = lab.run(&["run", "e", "--out", "partly", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = lab.run(&["compare", "partly"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for method in ["engine steps=1", "engine steps=4"] {
        let line = format!("left out: {method} has no results in partly: ");
        assert!(ran.stderr.contains(&line), "{}", ran.stderr);
        assert!(!ran.stdout.contains(method), "{}", ran.stdout);
    }
    assert!(
        ran.stdout.contains("other") && ran.stdout.contains("xpbd"),
        "{}",
        ran.stdout
    );
    lab.run(&["compare", "partly", "--solvers", "engine steps=1", "other"])
        .is_refused_with(&["\"engine steps=1\" has no results", "list engines"]);
}
