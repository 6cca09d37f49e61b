//! What may end a solve, and what a solve hides.

use delassus_problems::{generate, write_snapshot};
use serde_json::{Value, json};

use crate::support::{LCP, Lab};

fn answer(lab: &Lab, arguments: &[&str]) -> Value {
    let ran = lab.run(&[&["solve", "--json"], arguments].concat());
    ran.objects().remove(0)
}

#[test]
fn a_metric_that_is_small_elsewhere_decides_only_beside_one_that_is_not() {
    let lab = Lab::new();
    let file = lab.file("lcp.dat", LCP);
    for metric in ["siconos", "complementarity", "primal", "closure"] {
        let ran = lab.run(&["solve", file, "--solver", "pgs", "--metric", metric]);
        ran.is_refused_with(&[metric, "cannot decide alone", "natural_map"]);
    }
    let with = ["--metric", "siconos", "--metric", "nat_q"];
    let both = answer(&lab, &[&[file, "--solver", "pgs"], &with[..]].concat());
    assert_eq!(both["status"], "solved");
    let spec = "title = \"x\"\n[[problem]]\nuse = \"stack\"\n[[solver]]\nuse = \"pgs\"\n[stop]\nmetrics = [\"siconos\"]\n";
    let ran = lab.run(&["run", lab.file("spec.toml", spec), "--dry-run"]);
    ran.is_refused_with(&["spec.toml:7", "siconos cannot decide alone"]);
}

#[test]
fn contradictory_rows_are_not_solved_because_their_impulses_grow() {
    // two contacts that want w₁ = λ₁ − λ₂ − 1 ≥ 0 and w₂ = λ₂ − λ₁ − 1 ≥ 0: λ grows by one a sweep
    let mut matrix = vec![vec![0; 6]; 6];
    for row in 0..6 {
        matrix[row][row] = 1;
    }
    (matrix[0][3], matrix[3][0]) = (-1, -1);
    let rows: Vec<String> = matrix
        .iter()
        .map(|row| format!("{row:?}").replace(['[', ']', ','], ""))
        .collect();
    let text = format!(
        "3\n2\n0\n6\n6\n6 6\n{}\n-1 0 0 -1 0 0\n0 0\n",
        rows.join("\n")
    );
    let lab = Lab::new();
    let file = lab.file("contradiction.dat", text);
    let limits = ["--tol", "1e-2", "--max-sweeps", "500"];
    let answer = answer(&lab, &[&[file, "--solver", "pgs"], &limits[..]].concat());
    assert_eq!(answer["status"], "max_sweeps", "{answer}");
    let of = |name: &str| answer["residuals"][name].as_f64().expect("a residual");
    assert!(of("siconos") < 1e-2 && of("natural_map") > 0.5, "{answer}");
}

#[test]
fn a_criterion_that_does_not_apply_is_refused_before_the_solve() {
    let lab = Lab::new();
    let file = lab.file("lcp.dat", LCP);
    for (metric, needs) in [
        ("velocity_error", "a reference solution"),
        ("certificate", "compliance on every row"),
    ] {
        let answer = answer(&lab, &[file, "--solver", "pgs", "--metric", metric]);
        assert_eq!(answer["status"], "unsupported", "{answer}");
        let message = answer["message"].as_str().expect("a reason");
        assert!(
            message.contains(metric) && message.contains(needs),
            "{message}"
        );
        assert_eq!(answer["sweeps"], 0);
    }
    let bodies = ["--metric", "natural_map", "--metric", "closure"];
    let answer = answer(&lab, &[&[file, "--solver", "pgs"], &bodies[..]].concat());
    let message = answer["message"].as_str().expect("a reason");
    assert!(
        message.contains("closure") && message.contains("bodies"),
        "{message}"
    );
}

#[test]
fn a_light_body_that_falls_freely_is_named() {
    let lab = Lab::new();
    let parameters = json!({ "ratio": 1e8 });
    let named = generate(
        "mass-ratio-chain",
        parameters.as_object().expect("an object"),
    );
    write_snapshot(lab.path("chain.dls"), &named.expect("a chain")).expect("a snapshot");
    let answer = answer(&lab, &["chain.dls", "--solver", "pgs", "--tol", "1.1e-4"]);
    assert_eq!(answer["status"], "solved");
    let worst = &answer["worst_block"];
    let residual = worst["residual"].as_f64().expect("a residual");
    assert!(residual > 0.9, "{answer}");
    let block = worst["block"].as_u64().expect("an index");
    let message = answer["message"].as_str().expect("a warning");
    assert!(
        message.contains(&format!("block {block} is not")),
        "{message}"
    );
    // as a criterion it is strict
    let strict = ["--metric", "natural_map_block", "--tol", "1.1e-4"];
    let exact = [&["chain.dls", "--solver", "dense-direct"], &strict[..]].concat();
    let exact = super::criteria::answer(&lab, &exact);
    assert_eq!(
        (&exact["status"], &exact["message"]),
        (&json!("solved"), &Value::Null)
    );
}
