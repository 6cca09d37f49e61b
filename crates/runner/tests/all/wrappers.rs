//! Solvers around solvers, named in a spec: they run, are recorded by their names and drawn.

use std::fs;

use delassus_core::Status;
use serde_json::json;

use crate::support::{results_of, write};

/// The convex loop around a solver of convex cones.
const CONVEX: &str = "apgd";

fn spec(solvers: &str) -> String {
    format!(
        r#"title = "Wrappers"
[[problem]]
use = "chain"
n = 12
[[problem]]
use = "planted"
bodies = 4
coulomb = 3
friction = 0.3
seed = 4
{solvers}
[stop]
tolerance = 1e-8
max_sweeps = 20000
[measure]
metrics = ["natural_map"]
samples = "every"
[[figure]]
id = "f"
plot = {{ convergence = {{ x = "sweeps", y = "natural_map", problems = ["chain"] }} }}
[[figure]]
id = "d"
plot = {{ parameter = {{ x = "solver.anderson.depth", y = "sweeps", problems = ["chain"] }} }}
[[table]]
id = "t"
show = {{ cells = {{ metrics = ["natural_map"] }} }}
"#
    )
}

#[test]
fn a_spec_runs_solvers_around_solvers() {
    let text = spec(&format!(
        r#"[[solver]]
use = "block-gs"
[[solver]]
use = "best-so-far(anderson(block-gs))"
order = "reversed"
anderson = {{ depth = [2, 5] }}
[[solver]]
use = " anderson( nsgs ) "
label = "accelerated"
anderson.growth = 1.5
[[solver]]
use = "{CONVEX}"
"#
    ));
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), &text);
    let out = folder.path().join("out");
    let report = results_of(&path, &out, 1);
    let records = &report.bundle.records;
    let of_the_chain: Vec<_> = records.iter().take(records.len() / 2).collect();
    let labels: Vec<&str> = of_the_chain
        .iter()
        .map(|r| r.solver.label.as_str())
        .collect();
    assert_eq!(
        labels,
        [
            "block-gs",
            "best-so-far(anderson(block-gs)) order=reversed anderson.depth=2",
            "best-so-far(anderson(block-gs)) order=reversed anderson.depth=5",
            "accelerated",
            CONVEX,
        ]
    );
    for record in records {
        let outcome = &record.outcome;
        let what = format!("{} on {}", record.solver.label, record.problem.name);
        assert_eq!(
            outcome.status,
            Status::Solved,
            "{what}: {:?}",
            outcome.message
        );
        assert!(outcome.approximations.is_empty(), "{what}");
    }
    let solver = &of_the_chain[2].solver;
    assert_eq!(solver.id, "best-so-far(anderson(block-gs))");
    assert_eq!(solver.parameters["anderson.depth"], json!(5));
    assert_eq!(solver.parameters["order"], json!("reversed"));
    assert_eq!(of_the_chain[3].solver.id, "anderson(block-gs)");
    assert_eq!(
        of_the_chain[3].solver.parameters["anderson.growth"],
        json!(1.5)
    );
    let sweeps = |index: usize| of_the_chain[index].outcome.sweeps;
    assert!(2 * sweeps(2) < sweeps(0), "{} for {}", sweeps(2), sweeps(0));
    let figures: Vec<String> = fs::read_dir(out.join("figures"))
        .expect("figures")
        .map(|entry| fs::read_to_string(entry.expect("a file").path()).unwrap_or_default())
        .collect();
    assert!(
        figures
            .iter()
            .any(|f| f.contains("best-so-far(anderson(block-gs))"))
    );
}

#[test]
fn what_a_spec_names_wrongly_is_said_where_it_stands() {
    let refused = |solvers: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write(folder.path(), &spec(solvers));
        let registry = delassus_registry::Registry::standard();
        let error = delassus_runner::spec::read(&path, &registry).err();
        error.map(|error| error.to_string()).unwrap_or_default()
    };
    for (solvers, expected) in [
        (
            "[[solver]]\nuse = \"anderson(blok-gs)\"",
            "unknown solver \"blok-gs\"; did you mean \"block-gs\"?",
        ),
        (
            "[[solver]]\nuse = \"andersn(pgs)\"",
            "unknown wrapper \"andersn\"; did you mean \"anderson\"?",
        ),
        ("[[solver]]\nuse = \"anderson\"", "anderson wraps a solver"),
        (
            "[[solver]]\nuse = \"anderson(pgs)\"\nanderson = { dpeth = 3 }",
            "did you mean \"anderson.depth\"?",
        ),
        (
            "[[solver]]\nuse = \"anderson(pgs)\"\nanderson = { depth = 0 }",
            "anderson.depth = 0 is out of range",
        ),
        (
            "[[solver]]\nuse = \"pgs\"\nanderson = { depth = 3 }",
            "unknown key \"anderson\"",
        ),
    ] {
        let error = refused(solvers);
        assert!(error.contains(expected), "{solvers}: {error}");
    }
}
