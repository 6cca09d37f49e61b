//! `budget` of `[simulate]` through the program: what it prints, and what `verify` finds.

use std::fs;

use crate::forger::{change_record, renew};
use crate::support::Lab;

const SPEC: &str = r#"title = "Equal work"
[[scene]]
use = "pendulum"
[[scheme]]
use = "soft-step"
[[solver]]
use = "pgs"
[simulate]
seconds = 0.1
observables = ["drift_max"]
budget = { row_updates = 130 }
[replay]
[[table]]
id = "rank"
show = { equal-budget = { quantity = "drift_max", over = "max" } }
"#;

#[test]
fn a_calibration_is_shown_and_checked() {
    let lab = Lab::new();
    lab.file("equal.toml", SPEC);
    let ran = lab.run(&["run", "equal.toml", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(lab.run(&["verify", "out"]).code, 0);
    let page = fs::read_to_string(lab.path("out/report.html")).expect("a page");
    assert!(
        page.contains("mean cost of a frame was within 130 row updates per frame"),
        "no word of the budget"
    );
    let mut files = fs::read_dir(lab.path("out/cells"))
        .expect("cells")
        .flatten();
    let path = files
        .find(|file| file.path().extension().is_some_and(|end| end == "json"))
        .expect("a record")
        .path();
    let shown = lab.run(&["show", path.to_str().expect("a path")]);
    assert!(
        shown
            .stdout
            .contains("by a budget of 130 row updates per frame"),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.contains("tried: "), "{}", shown.stdout);
    let shown = lab.run(&["show", path.to_str().expect("a path"), "--json"]);
    let own = shown.objects()[0]["calibration"].clone();
    assert_eq!(own["budget"]["row_updates"], 130);
    let chosen = own["substeps"].as_u64().expect("a count");
    let before = fs::read(&path).expect("a record");
    let trials = own["trials"].to_string();
    for (from, to, what) in [
        (
            format!("\"substeps\":{chosen},\"trials\""),
            format!("\"substeps\":{},\"trials\"", chosen + 1),
            "does not follow from its trials",
        ),
        (
            "{\"row_updates\":130}".to_owned(),
            "{\"row_updates\":131}".to_owned(),
            "has the budget 131 row updates",
        ),
        (
            trials.clone(),
            "[]".to_owned(),
            "does not follow from its trials",
        ),
        (
            format!(",\"calibration\":{own}"),
            String::new(),
            "has no calibration",
        ),
    ] {
        change_record(&path, |record| record.replacen(&from, &to, 1));
        renew(&lab.path("out"));
        let found = lab.run(&["verify", "out"]);
        assert_eq!(found.code, 6, "{what}: {}", found.stdout);
        assert!(found.stdout.contains(what), "{what}: {}", found.stdout);
        fs::write(&path, &before).expect("a record");
        renew(&lab.path("out"));
    }
    assert_eq!(lab.run(&["verify", "out"]).code, 0);
}

/// What stands between two texts.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text
        .split_once(start)
        .unwrap_or_else(|| panic!("{start}: {text}"));
    rest.split_once(end).expect("an end").0
}

#[test]
fn a_choice_by_a_clock_has_one_time_everywhere_and_is_kept() {
    let lab = Lab::new();
    let spec = SPEC.replace("{ row_updates = 130 }", "\"200 µs\"").replace(
        "use = \"soft-step\"",
        "use = \"soft-step\"\n[[scheme]]\nuse = \"tgs-soft\"",
    );
    lab.file("equal.toml", spec);
    let ran = lab.run(&["run", "equal.toml", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = fs::read_to_string(lab.path("out/report.html")).expect("a page");
    assert!(page.contains("chosen by a clock"), "{page}");
    assert!(!page.contains("byte for byte"), "{page}");
    let answer = between(&page, "<section id=\"answer\">", "</section>");
    let table = fs::read_to_string(lab.path("out/tables/rank.csv")).expect("a table");
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let heading = rows.headers().expect("headings").clone();
    let column = |name: &str| {
        heading
            .iter()
            .position(|h| h.starts_with(name))
            .expect("a column")
    };
    let (method, cost, chosen) = (column("method"), column("cost"), column("substeps"));
    let to_micro = match &heading[cost] {
        unit if unit.contains("[s]") => 1e6,
        unit if unit.contains("[ms]") => 1e3,
        _ => 1.0,
    };
    let rows: Vec<csv::StringRecord> = rows.records().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), 2, "{table}");
    let summary = fs::read_to_string(lab.path("out/summary.csv")).expect("a summary");
    let mut summary = csv::Reader::from_reader(summary.as_bytes());
    let names = summary.headers().expect("headings").clone();
    let of = |name: &str| names.iter().position(|h| h == name).expect("a column");
    let (seconds, calibrated, passes) = (
        of("step_seconds"),
        of("calibrated_cost"),
        of("timing_samples"),
    );
    for row in summary.records() {
        let row = row.expect("a row");
        // the times of the cell are those that have chosen its substeps
        assert_eq!(row[seconds], row[calibrated]);
        assert_eq!(&row[passes], "5");
    }
    let unit = between(answer, "time per frame [", "]");
    let to_shown = match unit {
        "s" => 1e-6,
        "ms" => 1e-3,
        _ => 1.0,
    };
    for row in &rows {
        let line = between(answer, &format!("<tr><td>{}</td>", &row[method]), "</tr>");
        let cells: Vec<&str> = line.split("</td>").collect();
        let number = |at: usize| cells[at].rsplit('>').next().expect("a number");
        assert_eq!(number(1), &row[chosen], "{line}");
        let shown: f64 = number(2).parse().expect("a number");
        let exact = to_shown * to_micro * row[cost].parse::<f64>().expect("a cost");
        assert!((shown / exact - 1.0).abs() < 6e-3, "{shown} {exact} {line}");
    }
    // nothing is chosen again
    let summary = || fs::read(lab.path("out/summary.csv")).expect("a summary");
    let before = summary();
    let ran = lab.run(&["run", "equal.toml", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(before, summary());
    assert_eq!(lab.run(&["verify", "out"]).code, 0);
    // a time that is not that of the trial is found
    let mut files = fs::read_dir(lab.path("out/cells"))
        .expect("cells")
        .flatten();
    let path = files
        .find(|file| file.path().extension().is_some_and(|end| end == "json"))
        .expect("a record")
        .path();
    change_record(&path, |record| {
        record.replace("\"pass_seconds\":[", "\"pass_seconds\":[0.5,")
    });
    renew(&lab.path("out"));
    let found = lab.run(&["verify", "out"]);
    assert_eq!(found.code, 6, "{}", found.stdout);
    assert!(
        found.stdout.contains("not those of the trial"),
        "{}",
        found.stdout
    );
}

#[test]
fn laws_without_friction_leave_a_coefficient_out_of_a_grid() {
    let lab = Lab::new();
    let spec = |laws: &str| {
        format!(
            "title = \"Laws\"\n[[problem]]\nuse = \"stack\"\nn = 2\nlaw = {laws}\nfriction = 0.4\n[[solver]]\nuse = \"pgs\"\n"
        )
    };
    lab.file("laws.toml", spec("[\"frictionless\", \"disc\"]"));
    let ran = lab.run(&["run", "laws.toml", "--dry-run"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("2 cells"), "{}", ran.stdout);
    let note =
        "grid of stack: the law \"frictionless\" does not read friction, which is left out there";
    assert!(ran.stdout.contains(note), "{}", ran.stdout);
    let ran = lab.run(&["run", "laws.toml"]);
    assert!(ran.code == 0 && ran.stderr.contains(note), "{}", ran.stderr);
    lab.file("one.toml", spec("\"frictionless\""));
    let ran = lab.run(&["run", "one.toml", "--dry-run"]);
    ran.is_refused_with(&["friction: 0.4 is not read"]);
}

#[test]
fn very_many_halvings_are_warned_of() {
    let lab = Lab::new();
    let spec = SPEC.replace(
        "use = \"soft-step\"",
        "use = \"soft-step\"\ntolerance = 1e-9\non_unsolved = \"halve\"\nmax_halvings = 12",
    );
    lab.file("halves.toml", spec);
    let ran = lab.run(&["run", "halves.toml", "--dry-run"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("into 4096 parts"), "{}", ran.stdout);
}

#[test]
fn every_value_of_the_wrong_type_is_shown_at_once() {
    let lab = Lab::new();
    let spec = SPEC
        .replace(
            "use = \"pendulum\"",
            "use = \"pendulum\"\nangle = \"steep\"",
        )
        .replace(
            "use = \"soft-step\"",
            "use = \"soft-step\"\nrelax_sweeps = 2.5\nstabilization = \"glue\"",
        )
        .replace("use = \"pgs\"", "use = \"pgs\"\norder = 7");
    lab.file("types.toml", spec);
    let ran = lab.run(&["run", "types.toml", "--dry-run"]);
    ran.is_refused_with(&[
        "4:9: ",
        "scene pendulum: angle: invalid type: string \"steep\"",
        "scheme soft-step: relax_sweeps: invalid type",
        "scheme soft-step: stabilization: \"glue\" is none of",
        "order",
        "4 errors in types.toml",
    ]);
}
