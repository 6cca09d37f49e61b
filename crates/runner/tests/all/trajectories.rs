//! Experiments over time from the spec to the records: repeated, resumed, refused, and compared
//! with closed forms.

use std::fs;
use std::path::Path;

use delassus_core::Status;
use delassus_records::record::CellRecord;
use delassus_registry::Registry;
use delassus_report::analysis::{achieved, over};
use delassus_report::bundle::Bundle;
use delassus_report::view::Over;
use delassus_runner::run::RunSummary;
use delassus_runner::{matrix, spec};
use tempfile::TempDir;

use crate::support::{bundle_of, results_of, run_into, write};

/// Two scenes, two presets with a grid, a scheme that solves by itself and one that has one solver
/// only.
const SPEC: &str = r#"
title = "Pendulum and spring"
question = "Do runs come back?"

[[scene]]
use = "pendulum"
angle = [0.5, 1.5]

[[scene]]
use = "two-body-spring"
name = "spring"
hertz = 0

[[scheme]]
use = "pgs-baumgarte"
label = "Baumgarte"
dt = [0.02, 0.01]

[[scheme]]
use = "tau-damping"
solvers = ["block-gs"]

[[scheme]]
use = "xpbd"

[[solver]]
use = "pgs"

[[solver]]
use = "block-gs"

[simulate]
dt = 0.02
seconds = 1.0
dt_changes = [{ at = 0.5, factor = 0.5 }]
every = 5
observables = ["drift_max", "energy_error", "x[1].y", "C[0].0"]
repetitions = 2

[[figure]]
id = "drift"
plot = { trajectory = { y = "drift_max", log_y = true } }

[[figure]]
id = "steps"
plot = { parameter = { x = "dt", y = "drift_max", over = "max", schemes = ["Baumgarte"] } }

[[table]]
id = "drift"
show = { trajectories = { quantity = "drift_max", over = "rms" } }
"#;

/// Three scenes; two step lengths with two solvers, one with one, one with none.
const CELLS: usize = 3 * (2 * 2 + 1 + 1);

fn run_text(text: &str, folder: &TempDir, out: &str, jobs: usize) -> RunSummary {
    run_into(&write(folder.path(), text), &folder.path().join(out), jobs)
}

/// A CSV file without its last `clock` columns.
fn without_clock(path: &Path, clock: usize) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(path).expect("a CSV file");
    let header = reader.headers().expect("a header").clone();
    let columns = header.len() - clock;
    assert!(
        header
            .iter()
            .skip(columns)
            .all(|name| name.ends_with("seconds"))
    );
    let rows = reader.records().map(|row| row.expect("a row"));
    let cut = |row: csv::StringRecord| row.iter().take(columns).map(str::to_owned).collect();
    std::iter::once(header).chain(rows).map(cut).collect()
}

#[test]
fn a_repeated_run_gives_the_same_bytes_whatever_the_jobs_and_runs_nothing_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = run_text(SPEC, &folder, "a", 1);
    assert_eq!(
        (first.cells, first.ran, first.exit_code()),
        (CELLS, CELLS, 0)
    );
    assert_eq!(first.statuses.get(&Status::Solved), Some(&CELLS));
    assert_eq!(run_text(SPEC, &folder, "b", 3).ran, CELLS);
    let at = |out: &str, name: &str| folder.path().join(out).join(name);
    for (file, clock) in [("records.csv", 1), ("summary.csv", 5)] {
        let (a, b) = (at("a", file), at("b", file));
        assert_eq!(without_clock(&a, clock), without_clock(&b, clock), "{file}");
    }
    for file in ["figures/drift.svg", "figures/steps.svg", "tables/drift.csv"] {
        let read = |out: &str| fs::read(at(out, file)).expect("a file");
        assert!(read("a") == read("b"), "{file}");
    }
    let again = run_text(SPEC, &folder, "a", 1);
    assert_eq!((again.ran, again.kept), (0, CELLS));
    // a caption is no reason to step anything; another scheme is one for its own cells
    let changed = SPEC.replace("id = \"steps\"", "id = \"steps\"\ncaption = \"New.\"");
    assert_eq!(run_text(&changed, &folder, "a", 1).ran, 0);
    let changed = changed.replace(
        "solvers = [\"block-gs\"]",
        "beta = 0.1\nsolvers = [\"block-gs\"]",
    );
    assert_eq!(run_text(&changed, &folder, "a", 1).ran, 3);
}

#[test]
fn records_have_time_and_every_observable() {
    let bundle = bundle_of(SPEC, 2);
    let record = bundle
        .cell("spring", "Baumgarte dt=0.01, pgs")
        .expect("a cell");
    let outcome = &record.outcome;
    // 0.5 s of 0.01 s and 0.5 s of 0.005 s, a sample every five frames and the start
    assert_eq!((outcome.frames(), outcome.samples.len()), (150, 31));
    assert!((outcome.covered().expect("an end") - 1.0).abs() < 1e-12);
    assert_eq!(outcome.iterate_seconds.len(), 2);
    assert_eq!(outcome.impulse_hash.len(), 16);
    let drift = over(record, "C[0].0", Over::Last, &()).expect("a drift");
    // (1 − β)ⁿ whatever the length of the frames
    let exact = 0.1 * libm::pow(0.8, 150.0);
    assert!((drift - exact).abs() < 1e-16, "{drift}, exact {exact}");
    // the law of constant frames does not hold where their length changes
    let known = bundle.closed_forms.over_time(record, "C[0].0");
    assert!(known.is_empty());
    let own = bundle
        .cell("spring", "xpbd")
        .expect("a scheme without a solver");
    assert_eq!(
        (own.solver.label.as_str(), own.solver.id.as_str()),
        ("", "")
    );
    assert!(bundle.cell("spring", "tau-damping, pgs").is_none());
}

/// Largest difference between every closed form over time and the samples, relative to its size.
fn differences(bundle: &Bundle, observable: &str, of_method: bool) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for record in &bundle.records {
        let (times, values) = record.outcome.series(observable);
        for law in bundle.closed_forms.over_time(record, observable) {
            if law.of_method != of_method || law.name.starts_with("exp") {
                continue;
            }
            let exact: Vec<f64> = times.iter().map(|t| (law.at)(*t)).collect();
            let size = exact.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            let pairs = exact.iter().zip(&values);
            let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let name = format!("{}, {}: {}", record.problem.name, record.method(), law.name);
            found.push((name, worst / size));
        }
    }
    found
}

#[test]
fn errors_decay_and_springs_swing_as_their_recurrences() {
    let text = r#"
title = "Laws of one row"
[[scene]]
use = "two-body-spring"
name = "rigid"
hertz = 0
stretch = [0.1, -0.2]
[[scene]]
use = "two-body-spring"
name = "soft"
hertz = [1.0, 7.0]
damping_ratio = [0.0, 0.3, 2.0]
[[scheme]]
use = "pgs-baumgarte"
beta = [0.05, 0.2, 1.0, 1.7]
substeps = [1, 3]
[[scheme]]
use = "velocity"
stabilization = ["soft"]
relax_sweeps = 1
joint_hertz = [3.0, 60.0]
[[scheme]]
use = "tau-damping"
damping = 0.8
[[scheme]]
use = "velocity"
label = "split"
stabilization = "split-impulse"
[[solver]]
use = "pgs"
[simulate]
dt = 0.01
seconds = 1.0
observables = ["C[0].0", "drift_max"]
"#;
    let bundle = bundle_of(text, 2);
    let counts = [
        ("C[0].0", 2 * (8 + 2 + 2) + 6 * (8 + 2)),
        ("drift_max", 2 * (8 + 2 + 2)),
    ];
    for (observable, expected) in counts {
        let found = differences(&bundle, observable, true);
        assert_eq!(found.len(), expected, "{observable}: {found:#?}");
        for (name, difference) in found {
            // rounding of a distance of 1 m, against errors of 0.1 m, over 300 substeps
            assert!(difference < 1e-12, "{observable}, {name}: {difference:.1e}");
        }
    }
}

#[test]
fn every_form_of_a_spring_keeps_its_numbers_at_another_step() {
    let text = r#"
title = "Forms"
[[scene]]
use = "two-body-spring"
form = ["frequency", "spring", "erp-cfm", "beta-gamma", "scales"]
hertz = 5.0
damping_ratio = 0.7
step = 0.0125
[[scheme]]
use = "velocity"
stabilization = "none"
dt = [0.0125, 0.005, 0.02]
[[solver]]
use = "pgs"
[simulate]
seconds = 1.0
observables = ["C[0].0"]
"#;
    let bundle = bundle_of(text, 2);
    let found = differences(&bundle, "C[0].0", true);
    assert_eq!(found.len(), 15, "{found:#?}");
    for (name, difference) in found {
        assert!(difference < 1e-12, "{name}: {difference:.1e}");
    }
    // at its own step one spring; at others four: frequency and stiffness are the same
    let last = |form: &str, dt: &str| {
        let mut cells = bundle.records.iter();
        let fits = |r: &&CellRecord| {
            r.problem.parameters["form"] == form && r.method().ends_with(&format!("dt={dt}"))
        };
        let cell = cells.find(fits).expect("a cell");
        cell.outcome.series("C[0].0").1[10]
    };
    let forms = ["spring", "erp-cfm", "beta-gamma", "scales"];
    for (dt, distinct) in [("0.0125", 1), ("0.005", 4), ("0.02", 4)] {
        let mut values = forms.map(|form| last(form, dt));
        values.sort_by(f64::total_cmp);
        let apart = values.windows(2).filter(|pair| pair[1] - pair[0] > 1e-6);
        assert_eq!(1 + apart.count(), distinct, "{dt}: {values:?}");
    }
}

#[test]
fn a_bead_leaves_its_circle_as_the_law_of_tangents_says() {
    let text = r#"
title = "Bead"
[[scene]]
use = "bead"
curve = { circle = { radius = 2.0 } }
speed = 1.5
[[scheme]]
use = "velocity"
stabilization = "none"
substeps = [1, 4]
[[solver]]
use = "pgs"
[simulate]
dt = 0.02
seconds = 4.0
observables = ["C[0].0", "drift_max"]
"#;
    let bundle = bundle_of(text, 2);
    for observable in ["C[0].0", "drift_max"] {
        let found = differences(&bundle, observable, true);
        assert_eq!(found.len(), 2);
        for (name, difference) in found {
            // rounding of a radius of 2 m, against a drift of 0.1 m, over 800 substeps
            assert!(difference < 1e-11, "{observable}, {name}: {difference:.1e}");
        }
    }
}

#[test]
fn shorter_steps_approach_the_exact_motion() {
    let text = r#"
title = "Order"
[[scene]]
use = "pendulum"
angle = 1.0
[[scene]]
use = "two-body-spring"
damping_ratio = 0.2
[[scheme]]
use = "pgs-baumgarte"
dt = [0.01, 0.001]
[[solver]]
use = "pgs"
[simulate]
seconds = 2.0
observables = ["x[1].x", "C[0].0"]
"#;
    let bundle = bundle_of(text, 2);
    for observable in ["x[1].x", "C[0].0"] {
        let found = differences(&bundle, observable, false);
        let [(_, coarse), (_, fine)] = found.as_slice() else {
            panic!("{found:?}");
        };
        // the schemes are of first order
        let gain = coarse / fine;
        assert!(
            (7.0..13.0).contains(&gain),
            "{observable}: {coarse:.1e}, {fine:.1e}"
        );
    }
}

#[test]
fn a_scheme_can_choose_its_scenes_and_have_runs_of_its_own_length() {
    let text = r#"
title = "Own runs"
[[scene]]
use = "two-body-spring"
name = "spring"
hertz = [1.0, 2.0]
[[scene]]
use = "pendulum"
[[scheme]]
use = "pgs-baumgarte"
scenes = ["spring hertz=2", "pendulum"]
seconds = 2.0
every = 50
[[scheme]]
use = "soft-step"
scenes = "spring"
[[solver]]
use = "pgs"
[simulate]
dt = 0.01
seconds = 1.0
observables = ["C[0].0"]
"#;
    let bundle = bundle_of(text, 2);
    let cells: Vec<(&str, &str, usize)> = bundle
        .records
        .iter()
        .map(|r| (r.problem.name.as_str(), r.method(), r.outcome.samples.len()))
        .collect();
    let expected = [
        ("spring hertz=1", "soft-step", 101),
        ("spring hertz=2", "pgs-baumgarte", 5),
        ("spring hertz=2", "soft-step", 101),
        ("pendulum", "pgs-baumgarte", 5),
    ];
    assert_eq!(cells, expected);
    let end = bundle.records[1].outcome.covered().expect("an end");
    assert!((end - 2.0).abs() < 1e-12, "{end}");
    // the error of a spring is the largest difference from the oscillator; that of a swing of the
    // rod is unknown
    let record = &bundle.records[2];
    let (times, values) = record.outcome.series("C[0].0");
    let omega = std::f64::consts::TAU * 2.0;
    let pairs = times.iter().zip(&values);
    let differences = pairs.map(|(t, c)| (c - 0.1 * libm::cos(omega * t)).abs());
    let worst = differences.fold(0.0, f64::max);
    let error = |record| over(record, "C[0].0", Over::Error, bundle.closed_forms);
    let found = error(record).expect("an error");
    assert!(
        (found - worst).abs() < 1e-13 && worst > 1e-3,
        "{found} {worst}"
    );
    assert_eq!(error(&bundle.records[3]), None);
}

#[test]
fn unsupported_pairs_are_skips_with_their_reason_before_anything_runs() {
    let text = SPEC.replace(
        "use = \"two-body-spring\"\nname = \"spring\"\nhertz = 0",
        "use = \"stack\"",
    );
    let text = text.replace("use = \"block-gs\"", "use = \"dense-direct\"");
    let text = text.replace("[\"block-gs\"]", "[\"dense-direct\"]");
    let text = text.replace(", \"C[0].0\"", "");
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), &text);
    let registry = Registry::standard();
    let planned = spec::read(&path, &registry).and_then(|s| matrix::expand(s, &registry));
    let planned = planned.unwrap_or_else(|error| panic!("{error}"));
    let skipped: Vec<&str> = planned
        .cells
        .iter()
        .filter_map(|c| c.skip.as_deref())
        .collect();
    // a direct solver of equations cannot treat the contacts of the stack: 2 step lengths and the
    // control
    assert_eq!(skipped.len(), 3, "{skipped:?}");
    let bundle = bundle_of(&text, 2);
    let record = bundle
        .cell("stack", "tau-damping, dense-direct")
        .expect("a cell");
    assert_eq!(record.outcome.status, Status::Unsupported);
    assert_eq!(record.outcome.message.as_deref(), Some(skipped[0]));
    assert_eq!(achieved(record, "drift_max", Over::Max, &()), None);
}

/// A block on an incline: it slides off its place with less friction than the slope.
const THRESHOLD: &str = r#"
title = "Slip"
[[scene]]
name = "block"
use = "box-on-incline"
slope = [0.2, 0.4]
threshold = { parameter = "friction", between = [0.05, 1.0], tolerance = 0.01, observable = "speed_max", limit = 1e-4 }
[[scene]]
name = "held"
use = "box-on-incline"
slope = 0.2
threshold = { parameter = "friction", between = [0.5, 1.0], tolerance = 0.01, observable = "speed_max", limit = 1e-4 }
[[scheme]]
use = "pgs-baumgarte"
sweeps = 100
[[solver]]
use = "block-gs"
[simulate]
seconds = 0.5
observables = ["speed_max"]
[[table]]
id = "slip"
show = { thresholds = { expected = { "block slope=0.2" = 0.20271, "block slope=0.4" = 0.42279 } } }
"#;

#[test]
fn a_threshold_is_bracketed_and_kept() {
    let folder = TempDir::new().unwrap();
    let path = write(folder.path(), THRESHOLD);
    let out = folder.path().join("out");
    let summary = run_into(&path, &out, 1);
    assert_eq!((summary.ran, summary.failed()), (3, 0));
    let bundle = results_of(&path, &out, 1).bundle;
    // tangents of 0.2 and 0.4
    for (exact, record) in [0.202_71, 0.422_79].into_iter().zip(&bundle.records) {
        let outcome = &record.outcome;
        let [stands, falls] = ["stands_at", "falls_at"].map(|id| outcome.last(id).unwrap());
        assert!(falls < exact && exact < stands, "{falls} {exact} {stands}");
        assert!(stands - falls <= 0.01 && outcome.samples.len() > 7);
        assert!(!record.problem.parameters.contains_key("friction"));
    }
    let held = &bundle.records[2].outcome;
    assert_eq!(held.last("falls_at"), None);
    assert!(
        held.message
            .as_ref()
            .unwrap()
            .contains("stands at 0.5 and at 1")
    );
    let table = fs::read_to_string(out.join("tables/slip.csv")).unwrap();
    assert!(
        table.contains("block slope=0.4") && table.contains("no threshold"),
        "{table}"
    );
    // nothing runs again
    assert_eq!(run_into(&path, &out, 1).ran, 0);
}
