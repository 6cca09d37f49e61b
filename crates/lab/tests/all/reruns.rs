//! Cells whose ending nothing in their records shows: `verify --rerun` runs them again.

use std::fs;

use serde_json::Value;

use crate::forger::{change_record, renew};
use crate::passing::{cell, lab};
use crate::support::Lab;

/// A record without what stands between `from` and the next `to`.
fn cut(record: &str, from: &str, to: &str, instead: &str) -> String {
    let start = record
        .find(from)
        .unwrap_or_else(|| panic!("no {from} in {record}"));
    let end = start + record[start..].find(to).expect("an end");
    format!("{}{instead}{}", &record[..start], &record[end..])
}

/// A solved cell that says that it failed before its first sample, with nothing that contradicts
/// it, and views that show it so.
#[test]
fn a_failure_that_nothing_contradicts_is_found_by_running_again() {
    let lab = lab();
    let path = cell(&lab, "chain n=2", "pgs");
    change_record(&path, |record| {
        let record = record.replacen("\"status\":\"solved\"", "\"status\":\"failed\"", 1);
        let record = cut(
            &record,
            "\"message\":",
            ",\"approx",
            "\"message\":\"it broke\"",
        );
        cut(
            &record,
            "\"metrics\":",
            ",\"reference\"",
            concat!(
                r#""metrics":[],"samples":[],"sweeps":0,"row_updates":0,"prepare_seconds":[],"#,
                r#""iterate_seconds":[],"impulse_hash":"""#
            ),
        )
    });
    fs::remove_file(path.with_extension("impulses")).expect("impulses");
    draw_again(&lab);
    let ran = lab.run(&["verify", "out"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("1 cell without an answer") && ran.stderr.contains("--rerun"),
        "{}",
        ran.stderr
    );
    let ran = lab.run(&["verify", "out", "--rerun"]);
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    let what = "chain n=2, pgs: it says failed, and run again it ends with solved";
    assert!(ran.stdout.contains(what), "{}", ran.stdout);
    assert!(!ran.stderr.contains("--rerun"), "{}", ran.stderr);
}

/// Renews the lists of a folder whose records have changed, and all that is drawn from them.
fn draw_again(lab: &Lab) {
    renew(&lab.path("out"));
    let ran = lab.run(&["report", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    renew(&lab.path("out"));
}

/// What nothing but another run gives: a sample on the way, a decision, a count.
#[test]
fn values_on_the_way_are_found_by_running_again() {
    let lab = Lab::new();
    lab.file(
        "s/experiment.toml",
        "title = \"t\"\n[[problem]]\nuse = \"stack\"\nn = 2\n[[problem]]\nuse = \"chain\"\nn = 3\n\
         [[solver]]\nuse = \"auto\"\n[[solver]]\nuse = \"dense-direct\"\n",
    );
    assert_eq!(lab.run(&["run", "s", "--out", "out", "--quiet"]).code, 0);
    let plain = lab.run(&["verify", "out"]);
    assert_eq!(plain.code, 0, "{}{}", plain.stdout, plain.stderr);
    let note = "note: compared only with --rerun: counts, decisions, ";
    assert!(plain.stderr.contains(note), "{}", plain.stderr);
    let again = lab.run(&["verify", "out", "--rerun"]);
    assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
    assert!(!again.stderr.contains("--rerun alone"), "{}", again.stderr);
    type Change = fn(&mut Value);
    let (stack, chain) = (("stack n=2", "auto"), ("chain n=3", "dense-direct"));
    let changes: [((&str, &str), Change, &str); 3] = [
        (
            stack,
            |outcome| {
                let last = outcome["decisions"]
                    .as_array_mut()
                    .and_then(|all| all.last_mut());
                *last.expect("a decision") = "it was easy".into();
            },
            "its decisions[",
        ),
        (
            chain,
            |outcome| outcome["factorizations"] = 77.into(),
            "its factorizations is 77, and run again ",
        ),
        (
            stack,
            |outcome| outcome["samples"][1]["values"][0] = 0.125.into(),
            "its samples[1].values[0] is 0.125, and run again ",
        ),
    ];
    for ((problem, solver), change, what) in changes {
        let path = cell(&lab, problem, solver);
        let before = fs::read(&path).expect("a record");
        change_record(&path, |record| {
            let mut record: Value = serde_json::from_str(record).expect("a record");
            change(&mut record["outcome"]);
            record.to_string()
        });
        draw_again(&lab);
        let plain = lab.run(&["verify", "out"]);
        assert_eq!(plain.code, 0, "{what}: {}{}", plain.stdout, plain.stderr);
        let again = lab.run(&["verify", "out", "--rerun"]);
        assert_eq!(again.code, 6, "{what}: {}{}", again.stdout, again.stderr);
        assert!(again.stdout.contains(what), "{}", again.stdout);
        fs::write(&path, &before).expect("a record");
        draw_again(&lab);
    }
    // the plan follows from the problem
    let path = cell(&lab, "stack n=2", "auto");
    change_record(&path, |record| {
        let mut record: Value = serde_json::from_str(record).expect("a record");
        record["outcome"]["decisions"][0] = "it guessed".into();
        record.to_string()
    });
    draw_again(&lab);
    let ran = lab.run(&["verify", "out"]);
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("its decisions is …"), "{}", ran.stdout);
}

/// A cell that ended at a limit of its process ends there again.
#[test]
fn cells_run_again_within_the_limit_of_their_records() {
    let lab = Lab::new();
    lab.file(
        "s/experiment.toml",
        "title = \"t\"\n[[problem]]\nuse = \"chain\"\nn = 4000\n[[solver]]\nuse = \"pgs\"\n\
         [stop]\ntolerance = 1e-300\nmax_sweeps = 4000000000\n",
    );
    let limited = ["--isolate", "--cell-seconds", "0.5", "--quiet"];
    let ran = lab.run(&[&["run", "s", "--out", "r"], &limited[..]].concat());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let before = fs::read(lab.path("r/outputs.json")).expect("the list");
    let ran = lab.run(&["verify", "r", "--rerun", "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let totals = ran.objects().pop().expect("totals");
    let counts = ["cells", "rerun", "unshown"].map(|name| totals[name].as_u64());
    assert_eq!(counts, [Some(1), Some(1), Some(0)], "{totals}");
    let after = fs::read(lab.path("r/outputs.json")).expect("the list");
    assert_eq!(before, after);
}
