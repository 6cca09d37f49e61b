//! `plan`, `status` and `merge` on the command line.

use crate::folder::{QUICK, quick};
use crate::support::{Lab, without_times};

#[test]
fn a_plan_is_a_run_that_does_not_run() {
    let lab = quick();
    for more in [&[][..], &["--json"]] {
        let plan = lab.run(&[&["plan", "quick", "--out", "out"], more].concat());
        let run = ["run", "quick", "--out", "out", "--dry-run"];
        let run = lab.run(&[&run, more].concat());
        assert_eq!((plan.code, run.code), (0, 0), "{}", plan.stderr);
        assert_eq!(plan.stdout, run.stdout);
    }
    assert!(!lab.path("out").exists());
}

#[test]
fn parts_are_counted_merged_and_reported() {
    let lab = quick();
    let whole = lab.run(&["run", "quick", "--out", "whole"]);
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    for (part, out) in [("1/2", "parts/1"), ("2/2", "parts/2")] {
        let ran = lab.run(&["run", "quick", "--out", out, "--shard", part, "--quiet"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let status = |path: &str, more: &[&str]| lab.run(&[&["status", path], more].concat());
    let half = status("parts/1", &["--shards", "2", "--json"]);
    assert_eq!(half.code, 1, "{}", half.stderr);
    let objects = half.objects();
    assert_eq!(objects.len(), 3);
    let of = |at: usize, name: &str| objects[at][name].clone();
    assert_eq!(
        (of(0, "shard"), of(0, "done"), of(0, "missing")),
        ("1/2".into(), 2.into(), 0.into())
    );
    assert_eq!(
        (of(1, "shard"), of(1, "done"), of(1, "missing")),
        ("2/2".into(), 0.into(), 2.into())
    );
    assert_eq!(
        (of(2, "schema"), of(2, "cells"), of(2, "stale")),
        ("status/1".into(), 4.into(), 0.into())
    );
    assert!(
        half.stderr.contains("4 cells: 2 done, 2 missing"),
        "{}",
        half.stderr
    );

    let merged = lab.run(&["merge", "parts/1", "parts/2", "-o", "all", "--json"]);
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    let totals = &merged.objects()[0];
    assert_eq!(
        (&totals["copied"], &totals["missing"]),
        (&4.into(), &0.into()),
        "{totals}"
    );
    let all = status("all", &[]);
    assert_eq!(all.code, 0, "{}", all.stderr);
    assert_eq!(all.stdout.lines().count(), 2, "{}", all.stdout);
    // the spec in its usual folder: nothing is there
    assert_eq!(status("quick", &[]).code, 1);
    assert_eq!(status("quick", &["--out", "all"]).code, 0);
    let report = lab.run(&["run", "quick", "--out", "all", "--json"]);
    let totals = report.objects().pop().expect("totals");
    assert_eq!((&totals["ran"], &totals["missing"]), (&0.into(), &0.into()));
    let summary = |out: &str| {
        let file = lab.path(&format!("{out}/summary.csv"));
        without_times(&std::fs::read(file).expect("a summary"))
    };
    assert_eq!(summary("all"), summary("whole"));
}

#[test]
fn what_cannot_be_merged_or_counted_is_refused() {
    let lab = Lab::new();
    lab.file("quick/experiment.toml", QUICK);
    lab.file("other/experiment.toml", QUICK.replace("1e-6", "1e-5"));
    for spec in ["quick", "other"] {
        assert_eq!(lab.run(&["run", spec, "--quiet"]).code, 0);
    }
    lab.run(&["merge", "results/quick", "results/other", "-o", "out"])
        .is_refused_with(&["results/other", "one spec"]);
    lab.run(&["merge", "quick", "-o", "out"])
        .is_refused_with(&["quick/experiment.json", "results folder"]);
    lab.run(&["merge", "results/quick"])
        .is_refused_with(&["--out"]);
    lab.run(&["status", "nowhere"])
        .is_refused_with(&["nowhere"]);
    lab.run(&["status", "quick", "--shards", "0"])
        .is_refused_with(&["--shards"]);
    assert!(!lab.path("out").exists());
    let cell = std::fs::read_dir(lab.path("results/quick/cells")).expect("cells");
    let cell = cell.map(|entry| entry.expect("an entry").path());
    let cell = cell
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .min();
    std::fs::write(cell.expect("a cell"), "{").expect("a file");
    let damaged = lab.run(&["merge", "results/quick", "-o", "out"]);
    assert_eq!(damaged.code, 6, "{}", damaged.stderr);
    assert!(damaged.stderr.contains("cut short"), "{}", damaged.stderr);
    assert_eq!(lab.run(&["status", "results/quick"]).code, 6);
}
