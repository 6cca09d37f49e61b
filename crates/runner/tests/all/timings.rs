//! Experiments that time sweeps and steps: small versions of those of the project run, and repeat
//! but for the clock.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use delassus_core::Status;
use delassus_registry::Registry;
use delassus_report::analysis::cost;
use delassus_report::bundle::Bundle;
use delassus_report::export::CLOCK;
use delassus_report::report::Report;
use delassus_report::view::Cost;
use delassus_runner::spec::{self, Plan};

use crate::support::{bundle_of, results_of, write};

fn experiment(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    fs::read_to_string(path.join(file)).expect("a spec")
}

/// The spec with problems of a few rows, and passes of a few sweeps.
fn small(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let key = line.split(" = ").next().unwrap_or_default();
        match key {
            "count" => "count = [4, 12]",
            "base" => "base = [1, 2]",
            "row_updates" => "row_updates = 600",
            "repetitions" => "repetitions = 2",
            _ => line,
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The columns of summary.csv that no clock decides.
fn fixed_columns(out: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(out.join("summary.csv")).expect("a table");
    let heading = reader.headers().expect("a heading").clone();
    let fixed = heading.len() - CLOCK.len();
    let names: Vec<&str> = heading.iter().skip(fixed).collect();
    assert_eq!(names, CLOCK);
    let rows = reader.records().map(|row| {
        let row = row.expect("a row");
        row.iter().take(fixed).map(str::to_owned).collect()
    });
    rows.collect()
}

#[test]
fn small_versions_of_the_timed_experiments_repeat_but_for_the_clock() {
    for file in ["15-layouts/experiment.toml", "18-scaling/experiment.toml"] {
        let folder = tempfile::tempdir().expect("a folder");
        let spec = write(folder.path(), &small(&experiment(file)));
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        let Report {
            bundle,
            figures,
            tables,
            ..
        } = results_of(&spec, &a, 1);
        // more jobs are refused silently: cells that are timed run one at a time
        let again = results_of(&spec, &b, 2);
        assert_eq!(again.bundle.manifest["jobs"], 1, "{file}");
        assert_eq!(fixed_columns(&a), fixed_columns(&b), "{file}");
        let mut statuses: BTreeMap<Status, usize> = BTreeMap::new();
        for record in &bundle.records {
            *statuses.entry(record.outcome.status).or_default() += 1;
            let outcome = &record.outcome;
            if outcome.status == Status::Unsupported {
                let message = outcome.message.as_deref().unwrap_or_default();
                assert!(message.contains("vector level"), "{file}: {message}");
                continue;
            }
            let timing = outcome.timing().expect("a timed cell");
            assert_eq!(outcome.status, Status::Solved, "{file}");
            assert!(timing.short_sweeps < outcome.sweeps);
            // two at least; problems of few rows get more passes
            let pairs = timing.short_seconds.len();
            assert!(pairs >= 2 && pairs == outcome.iterate_seconds.len());
            // sweeps that were timed have done something
            let residual = |index: usize| {
                let sample = outcome.samples.get(index).expect("a sample");
                sample.value(0).expect("a residual")
            };
            assert!(residual(1) < residual(0), "{file}: {}", record.problem.name);
            assert!(record.facts.rows > 0);
        }
        assert!(statuses[&Status::Solved] > 5, "{file}: {statuses:?}");
        for figure in &figures {
            let svg = fs::read_to_string(a.join(format!("figures/{}.svg", figure.id)));
            assert!(svg.expect("a figure").starts_with("<svg"), "{}", figure.id);
        }
        for table in &tables {
            let csv = fs::read_to_string(a.join(format!("tables/{}.csv", table.id)));
            assert!(csv.expect("a table").lines().count() > 1, "{}", table.id);
        }
    }
}

#[test]
fn a_small_version_of_the_steps_has_times() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = write(folder.path(), &small(&experiment("18-scaling/steps.toml")));
    let bundle = results_of(&spec, &folder.path().join("out"), 1).bundle;
    assert!(bundle.is_over_time() && !bundle.is_timed());
    for record in &bundle.records {
        assert_eq!(record.outcome.status, Status::Solved);
        let seconds = cost(record, Cost::Seconds).expect("a time");
        assert!(seconds > 0.0 && seconds <= cost(record, Cost::MedianSeconds).expect("a time"));
        assert_eq!(cost(record, Cost::Bandwidth), None);
    }
    let csv = fs::read_to_string(folder.path().join("out/figures/per-step.csv"));
    let csv = csv.expect("the data of a figure");
    // two walls with three solvers in one scheme and two in the other
    assert_eq!(csv.lines().count(), 1 + 2 * 5, "{csv}");
    assert!(csv.starts_with("scene,method,status,contact points [-],time per step [s]"));
}

#[test]
fn a_spec_beside_an_experiment_is_named_after_both() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/18-scaling");
    let id = |file: &str| {
        let read = spec::read(&folder.join(file), &Registry::standard());
        read.unwrap_or_else(|error| panic!("{error}")).id
    };
    assert_eq!(id("experiment.toml"), "18-scaling");
    assert_eq!(id("steps.toml"), "18-scaling-steps");
}

/// A timed spec of one problem and one solver, with more text at its end.
fn tiny(problem: &str, more: &str) -> String {
    format!(
        "title = \"t\"\n[[problem]]\n{problem}\n[[solver]]\nuse = \"pgs\"\n[timing]\nrepetitions = 1\n{more}"
    )
}

#[test]
fn what_cannot_be_timed_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let message = |text: &str| {
        let path = write(folder.path(), text);
        let read = spec::read(&path, &Registry::standard());
        let read = read.and_then(|s| delassus_runner::matrix::expand(s, &Registry::standard()));
        read.err().map(|error| error.message)
    };
    let wall = "use = \"wall\"";
    assert_eq!(message(&tiny(wall, "")), None);
    let figure = "[[figure]]\nid = \"f\"\nplot = { scaling = ";
    for (text, expected) in [
        (tiny(wall, "[stop]\ntolerance = 1e-3"), "stop does not go with timing"),
        (tiny(wall, "reference = \"stored\""), "unknown key"),
        (tiny("files = [\"*.dat\"]", ""), "does not go with timing"),
        (tiny("use = \"wall\"\nstart = \"ones\"", ""), "swept cold"),
        (tiny("use = \"wall\"\nbase = 0", ""), "base = 0 is out of range: it must be >= 1"),
        (tiny(wall, "row_updates = 0"), "row_updates"),
        (
            tiny("use = \"wall\"\nbase = 3", &format!("{figure}{{ x = \"rows\", y = \"seconds\", along = \"bse\" }} }}")),
            "did you mean \"base\"?",
        ),
        (
            tiny("use = \"wall\"\nbase = 3", &format!("{figure}{{ x = \"seconds\", y = \"rows\", along = \"base\" }} }}")),
            "x of scaling is a size",
        ),
        (
            "title = \"t\"\n[[problem]]\nuse = \"wall\"\n[[solver]]\nuse = \"pgs\"\n[[table]]\nid = \"t\"\nshow = { layouts = {} }".to_owned(),
            "layouts goes with [timing]",
        ),
    ] {
        let found = message(&text).unwrap_or_else(|| panic!("accepted: {text}"));
        assert!(found.contains(expected), "{text}\n{found}");
    }
}

#[test]
fn a_method_that_ends_by_itself_has_no_sweeps_to_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = tiny("use = \"chain\"", "").replace("\"pgs\"", "\"dense-direct\"");
    let spec = write(folder.path(), &text);
    let bundle = results_of(&spec, &folder.path().join("out"), 1).bundle;
    let outcome = &bundle.records[0].outcome;
    assert_eq!(outcome.status, Status::Unsupported);
    let message = outcome.message.as_deref().unwrap_or_default();
    assert!(message.contains("no slope"), "{message}");
}

#[test]
fn the_documented_timing_spec_is_valid() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/spec.md");
    let page = fs::read_to_string(page).expect("the page");
    let blocks = page.split("```toml\n").skip(1);
    let mut blocks = blocks.filter_map(|block| block.split("```").next());
    let text = blocks.find(|block| block.contains("[timing]"));
    let text = text.expect("a timed spec");
    let folder = tempfile::tempdir().expect("a folder");
    let read = spec::read(&write(folder.path(), text), &Registry::standard());
    let spec = read.unwrap_or_else(|error| panic!("{error}"));
    assert!(matches!(spec.plan, Plan::Time(plan) if plan.passes.repetitions == 9));
}

#[test]
fn cells_that_are_timed_several_times_take_turns_and_say_with_whom() {
    let spec = |repetitions: u32| {
        format!(
            "title = \"Turns\"\n[[problem]]\nuse = \"chain\"\nn = [2, 3]\n[[solver]]\nuse = \"pgs\"\n[[solver]]\n\
             use = \"psor\"\n[[solver]]\nuse = \"dense-direct\"\n[measure]\nrepetitions = {repetitions}\n"
        )
    };
    let turns = |bundle: &Bundle| -> Vec<Option<String>> {
        let origins = bundle.records.iter().map(|r| r.origin.as_ref());
        origins
            .map(|o| o.expect("an origin").interleaved_with.clone())
            .collect()
    };
    let bundle = bundle_of(&spec(4), 1);
    let keys: Vec<Option<String>> = bundle.records.iter().map(|r| Some(r.key.clone())).collect();
    // three solvers on each of two problems: the first of each names the group
    let expected = [0, 0, 0, 3, 3, 3].map(|first: usize| keys[first].clone());
    assert_eq!(turns(&bundle), expected);
    for record in &bundle.records {
        assert_eq!(record.outcome.iterate_seconds.len(), 4);
        let noise = record.origin.as_ref().and_then(|origin| origin.noise);
        assert!(noise.is_some_and(|noise| noise >= 0.01), "{noise:?}");
    }
    // once is no comparison, and cells that run at the same time take no turns
    assert!(turns(&bundle_of(&spec(1), 1)).iter().all(Option::is_none));
    assert!(turns(&bundle_of(&spec(4), 2)).iter().all(Option::is_none));
}
