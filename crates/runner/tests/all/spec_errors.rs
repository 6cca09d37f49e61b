//! Every mistake in a spec gives one message with file, line, column, the line itself and, where
//! there is one, the nearest valid name.

use std::fs;
use std::path::Path;

use delassus_registry::Registry;
use delassus_runner::matrix;
use delassus_runner::spec::{self, Plan};

mod figures;
mod over_time;
mod texts;
mod worlds;

/// The message of a spec that must be refused.
fn refusal(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("experiment.toml");
    fs::write(&path, text).unwrap();
    let registry = Registry::standard();
    let read = spec::read(&path, &registry);
    let error = match read.and_then(|spec| matrix::expand(spec, &registry)) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    };
    let shown = format!("{}/", folder.path().display());
    error.replace(&shown, "")
}

/// A valid spec of two cells, to be spoiled one line at a time.
const VALID: &str = r#"title = "T"
[[problem]]
use = "chain"
n = 2
[[solver]]
use = "psor"
omega = [1.0, 1.3]
[stop]
tolerance = 1e-6
max_sweeps = 100
[measure]
metrics = ["natural_map"]
samples = "every"
[[figure]]
id = "f"
plot = { convergence = { x = "sweeps" } }
[[table]]
id = "t"
show = { cells = { metrics = ["natural_map"] } }
"#;

/// Replaces one line of [`VALID`] and returns the refusal.
fn spoiled(line: &str, by: &str) -> String {
    let (from, to) = (format!("{line}\n"), format!("{by}\n"));
    assert_eq!(VALID.matches(&from).count(), 1, "{line}");
    refusal(&VALID.replacen(&from, &to, 1))
}

#[test]
fn the_spec_that_is_spoiled_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my-experiment.toml");
    fs::write(&path, VALID).unwrap();
    let registry = Registry::standard();
    let spec = spec::read(&path, &registry).unwrap();
    assert_eq!(spec.id, "my-experiment");
    let matrix = matrix::expand(spec, &registry).unwrap();
    let labels: Vec<&str> = matrix.solvers.iter().map(|s| s.label.as_str()).collect();
    assert_eq!(labels, ["psor ω=1", "psor ω=1.3"]);
    assert_eq!(matrix.experiment.names()[0], "chain n=2");
    // the criteria that [stop] does not name are measured too
    let Plan::Solve(plan) = &matrix.spec.plan else {
        panic!("a spec of problems");
    };
    assert_eq!(plan.measure.metrics, ["natural_map", "siconos"]);
}

#[test]
fn one_run_names_errors_of_problems_and_solvers() {
    let wrong = VALID
        .replacen("use = \"chain\"", "use = \"chian\"", 1)
        .replacen("use = \"psor\"", "use = \"psro\"", 1);
    let refused = refusal(&wrong);
    for part in [
        "3:7: unknown generator \"chian\"",
        "6:7: unknown solver \"psro\"",
    ] {
        assert!(refused.contains(part), "no {part:?} in {refused}");
    }
}

#[test]
fn a_problem_that_cannot_be_read_hides_no_misspelt_metric() {
    let wrong = VALID
        .replacen("use = \"chain\"\n", "", 1)
        .replacen(
            "metrics = [\"natural_map\"]\n",
            "metrics = [\"natural_mpa\"]\n",
            1,
        )
        .replacen("x = \"sweeps\"", "x = \"sweeps\", y = \"natural_amp\"", 1)
        .replacen(
            "{ metrics = [\"natural_map\"] }",
            "{ metrics = [\"nautral_map\"] }",
            1,
        );
    let refused = refusal(&wrong);
    for part in [
        "2:1: [[problem]] needs use = ",
        "unknown metric \"natural_mpa\"",
        "unknown metric \"natural_amp\"",
        "unknown metric \"nautral_map\"",
    ] {
        assert!(refused.contains(part), "no {part:?} in {refused}");
    }
    // a metric that there is, and that is measured, is no error
    let right = VALID.replacen("use = \"chain\"\n", "", 1);
    assert_eq!(refusal(&right).matches("experiment.toml:").count(), 1);
}

#[test]
fn unknown_keys() {
    assert_eq!(
        spoiled("omega = [1.0, 1.3]", "omgea = [1.0, 1.3]"),
        "experiment.toml:7:1: unknown key \"omgea\" in [[solver]]; did you mean \"omega\"?\n  \
         |\n7 | omgea = [1.0, 1.3]\n  | ^^^^^"
    );
    assert_eq!(
        spoiled("title = \"T\"", "title = \"T\"\nauthor = \"me\""),
        "experiment.toml:2:1: unknown key \"author\" in the spec; known keys: title, question, max_memory, limits, problem, \
         scene, scheme, solver, stop, measure, reference, timing, simulate, replay, figure, strip, table, gate\n  |\n2 | author = \"me\"\n  | ^^^^^^"
    );
    assert_eq!(
        spoiled("max_sweeps = 100", "max_sweep = 100"),
        "experiment.toml:10:1: unknown key \"max_sweep\" in [stop]; did you mean \"max_sweeps\"?\n   \
         |\n10 | max_sweep = 100\n   | ^^^^^^^^^"
    );
    assert_eq!(
        spoiled("id = \"f\"", "id = \"f\"\ncapton = \"c\""),
        "experiment.toml:16:1: unknown key \"capton\" in [[figure]]; did you mean \"caption\"? There are id, caption, width, plot\n   \
         |\n16 | capton = \"c\"\n   | ^^^^^^"
    );
    assert_eq!(
        spoiled(
            "plot = { convergence = { x = \"sweeps\" } }",
            "plot = { convergence = { x = \"sweeps\", logx = true } }"
        ),
        "experiment.toml:16:40: unknown key \"logx\" in [[figure]]; did you mean \"log_x\"? There are x, y, problems, solvers, log_x, across, band, shade\n   |\n\
         16 | plot = { convergence = { x = \"sweeps\", logx = true } }\n   \
         |                                        ^^^^"
    );
    let refused = spoiled("n = 2", "links = 2");
    let expected = "experiment.toml:4:1: unknown key \"links\" in [[problem]]; known keys: use, draws, \
                    draw_seed, name, as_matrix, as_worlds, start, stop, tolerances, reference_law, n, ends, kind, ";
    assert!(refused.starts_with(expected), "{refused}");
}

#[test]
fn unknown_names() {
    assert_eq!(
        spoiled("use = \"psor\"", "use = \"pso\"")
            .lines()
            .next()
            .unwrap_or_default(),
        "experiment.toml:6:7: unknown solver \"pso\"; did you mean \"psor\"?"
    );
    assert_eq!(
        spoiled("use = \"chain\"", "use = \"chian\""),
        "experiment.toml:3:7: unknown generator \"chian\"; did you mean \"chain\"?\n  |\n\
         3 | use = \"chian\"\n  |       ^^^^^^^"
    );
    assert_eq!(
        spoiled(
            "metrics = [\"natural_map\"]",
            "metrics = [\"siconos\", \"natural_mpa\"]"
        ),
        "experiment.toml:12:23: unknown metric \"natural_mpa\"; did you mean \"natural_map\"? \
         `delassus list metrics` has their names\n   |\n\
         12 | metrics = [\"siconos\", \"natural_mpa\"]\n   |                       ^^^^^^^^^^^^^"
    );
    assert_eq!(
        spoiled(
            "plot = { convergence = { x = \"sweeps\" } }",
            "plot = { convergense = { x = \"sweeps\" } }"
        )
        .lines()
        .next()
        .unwrap_or_default(),
        "experiment.toml:16:10: unknown kind \"convergense\" in [[figure]]; did you mean \"convergence\"? There are \
         convergence, profile, targets, parameter, trajectory, work-precision, speed-accuracy, heat, scaling, \
         threads, self-convergence, bars, violin, distribution, problem-set, predictability, cone"
    );
    assert_eq!(
        spoiled(
            "plot = { convergence = { x = \"sweeps\" } }",
            "plot = { convergence = { x = \"sweeps\", solvers = [\"psor ω=1.4\"] } }"
        )
        .lines()
        .next()
        .unwrap_or_default(),
        "experiment.toml:16:51: no solver is named \"psor ω=1.4\"; did you mean \"psor ω=1.3\"? There are psor ω=1, psor ω=1.3"
    );
}

#[test]
fn impossible_values() {
    let first = |line: &str, by: &str| {
        spoiled(line, by)
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    for (value, column) in [("nan", 13), ("inf", 13), ("-1e-6", 13), ("0", 13)] {
        assert_eq!(
            first("tolerance = 1e-6", &format!("tolerance = {value}")),
            format!(
                "experiment.toml:9:{column}: tolerance must be a finite number > 0, found {value}"
            )
        );
    }
    assert_eq!(
        first("tolerance = 1e-6", "tolerance = \"small\""),
        "experiment.toml:9:13: tolerance must be a number, found \"small\""
    );
    assert_eq!(
        first("max_sweeps = 100", "max_sweeps = 0"),
        "experiment.toml:10:14: max_sweeps must be a whole number ≥ 1, found 0"
    );
    assert_eq!(
        first("max_sweeps = 100", "max_sweeps = 1e4"),
        "experiment.toml:10:14: max_sweeps must be a whole number, found 1e4"
    );
    assert_eq!(
        first("omega = [1.0, 1.3]", "omega = []"),
        "experiment.toml:7:9: omega is an empty array: the grid would have no cell"
    );
    assert_eq!(
        first("omega = [1.0, 1.3]", "omega = [1, 1.0]"),
        "experiment.toml:7:13: omega takes the value 1.0 twice"
    );
    assert_eq!(
        first("omega = [1.0, 1.3]", "omega = [1.0, nan]"),
        "experiment.toml:7:15: omega must be a finite number, found nan"
    );
    let refused = first("omega = [1.0, 1.3]", "omega = [1.0, 2.5]");
    assert!(
        refused.starts_with("experiment.toml:7:15: omega = 2.5 is out of range: "),
        "{refused}"
    );
    let refused = first("n = 2", "n = [2, 0]");
    assert!(
        refused.starts_with("experiment.toml:4:9: generator chain: n = 0 is out of range: "),
        "{refused}"
    );
    let refused = first("n = 2", "n = \"two\"");
    assert!(
        refused
            .starts_with("experiment.toml:4:5: generator chain: n: invalid type: string \"two\""),
        "{refused}"
    );
    assert_eq!(
        first("samples = \"every\"", "samples = { geometric = 1.0 }"),
        "experiment.toml:13:25: geometric must be a finite number > 1, found 1.0"
    );
    assert_eq!(
        first("id = \"f\"", "id = \"../f\""),
        "experiment.toml:15:6: id \"../f\" names a file: use letters, digits, - and _"
    );
    assert_eq!(
        first(
            "show = { cells = { metrics = [\"natural_map\"] } }",
            "show = { cells = { metrics = [\"dual\"] } }"
        ),
        "experiment.toml:19:31: dual is not measured; write metrics = [\"natural_map\", \"siconos\", \"dual\"] in [measure]"
    );
    assert_eq!(
        first(
            "show = { cells = { metrics = [\"natural_map\"] } }",
            "show = { matrix = { tolerances = [-1.0] } }"
        ),
        "experiment.toml:19:21: tolerances must be finite numbers > 0"
    );
}

#[test]
fn what_is_missing_or_ambiguous() {
    assert_eq!(
        refusal("question = \"?\"\n")
            .lines()
            .next()
            .unwrap_or_default(),
        "experiment.toml:1:1: the spec has no title = \"…\", and neither [[problem]] nor [[scene]]"
    );
    assert_eq!(
        refusal("title = \"T\"\n[[solver]]\nuse = \"pgs\"\n")
            .lines()
            .next()
            .unwrap_or_default(),
        "experiment.toml:1:1: the spec has neither [[problem]] nor [[scene]]"
    );
    assert_eq!(
        spoiled("use = \"chain\"", "")
            .lines()
            .next()
            .unwrap_or_default(),
        "experiment.toml:2:1: [[problem]] needs use = \"GENERATOR\" or files = [\"GLOB\"]"
    );
    assert_eq!(
        spoiled("use = \"chain\"\nn = 2", "files = [\"*.nothing\"]")
            .lines()
            .next()
            .unwrap_or_default(),
        "experiment.toml:3:9: \"*.nothing\" matches no file; paths are relative to the spec"
    );
    // one by one: what another pattern matches is no excuse
    for files in [
        "files = [\"*.toml\", \"*.nothing\"]",
        "files = [\"*.n\"]\notherwise = [\"*.nothing\", \"*.toml\"]",
    ] {
        let message = spoiled("use = \"chain\"\nn = 2", files);
        assert!(
            message.contains(": \"*.nothing\" matches no file; paths are relative to the spec"),
            "{message}"
        );
    }
    assert_eq!(
        spoiled("n = 2", "n = 2\n[[problem]]\nuse = \"chain\"\nn = 2")
            .lines()
            .next()
            .unwrap_or_default(),
        "experiment.toml:5:1: two problems are named \"chain n=2\"; give this one a name"
    );
    assert_eq!(
        spoiled(
            "metrics = [\"natural_map\"]",
            "metrics = [\"velocity_error\"]"
        )
        .lines()
        .next()
        .unwrap_or_default(),
        "experiment.toml:12:12: velocity_error needs a reference solution: add reference = \"stored\", or \
         [reference] with a solver"
    );
}

#[test]
fn a_reference_of_another_law_needs_a_law_and_a_reference() {
    let said = |lines: &str| {
        let message = spoiled("use = \"chain\"", lines);
        message.lines().next().unwrap_or_default().to_owned()
    };
    let alone = said("use = \"stack\"\nreference_law = \"disc\"");
    assert!(
        alone.starts_with("experiment.toml:4:") && alone.contains("reference_law says whose"),
        "{alone}"
    );
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    for (lines, expected) in [
        (
            "use = \"chain\"\nreference_law = \"disc\"".to_owned(),
            "the generator chain has no parameter law",
        ),
        (
            "use = \"stack\"\nreference_law = \"frictionless\"".to_owned(),
            "under that law",
        ),
        (
            "use = \"stack\"\nreference_law = \"sticky\"".to_owned(),
            "reference_law: ",
        ),
        (
            format!(
                "reference_law = \"pyramid\"\nfiles = [\"{}/stack-5.dls\"]",
                source.display()
            ),
            "the file names its laws itself",
        ),
        (
            format!(
                "reference_law = \"sticky\"\nfiles = [\"{}/incline-fc3d.dat\"]",
                source.display()
            ),
            "no law of friction of files",
        ),
    ] {
        let lines =
            format!("{lines}\n[reference]\nsolver = \"dense-pgs\"\n[[problem]]\nuse = \"chain\"");
        let message = said(&lines);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_matrix_without_end_is_refused_before_it_is_built() {
    // 10 000 chains of growing length with 20 solvers: building them would take minutes
    let lengths: Vec<String> = (2..10_002).map(|n| n.to_string()).collect();
    let omegas: Vec<String> = (1..21)
        .map(|i| format!("{}", f64::from(i) * 0.05))
        .collect();
    let text = VALID
        .replace("n = 2", &format!("n = [{}]", lengths.join(", ")))
        .replace(
            "omega = [1.0, 1.3]",
            &format!("omega = [{}]", omegas.join(", ")),
        );
    assert_eq!(
        refusal(&text),
        "experiment.toml: the matrix would have 200000 cells (problems × solvers); at most 100000 are accepted"
    );
}
