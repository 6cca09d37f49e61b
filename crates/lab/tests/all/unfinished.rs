//! Folders of runs that were killed: verbs say what they are, and show what is there.

use std::fs;

use crate::folder::quick;
use crate::support::Lab;

/// A run of four cells that was killed after two, before it could write anything else.
fn killed() -> Lab {
    let lab = quick();
    let part = ["run", "quick", "--out", "out", "--shard", "1/2", "--quiet"];
    assert_eq!(lab.run(&part).code, 0);
    for name in ["manifest.json", "outputs.json", "report.html"] {
        assert!(!lab.path("out").join(name).exists(), "{name}");
    }
    lab
}

const NOTE: &str = "out holds a run that has not come to its end: 2 of 4 cells have ended; \
                    run its spec again into this folder to continue (it was begun with: ";

#[test]
fn an_unfinished_run_is_named_and_what_is_there_is_shown() {
    let lab = killed();
    let ran = lab.run(&["show", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains(NOTE), "{}", ran.stderr);
    // a title, the head of the table, two cells, a legend
    assert_eq!(ran.stdout.lines().count(), 5, "{}", ran.stdout);
    for verb in [
        &["report", "out"][..],
        &["data", "out", "--format", "csv", "--out", "data"],
        &["plot", "out", "--out", "x.svg"],
    ] {
        let ran = lab.run(verb);
        assert_eq!(ran.code, 0, "{verb:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(NOTE), "{verb:?}: {}", ran.stderr);
    }
    assert!(lab.path("out/report.html").is_file());
    // an archive of half a run would pass for a whole one
    lab.run(&["bundle", "out"]).is_refused_with(&[NOTE]);
    // what is named as the way on is one
    let command = fs::read_to_string(lab.path("out/experiment.json")).expect("the experiment");
    let command: serde_json::Value = serde_json::from_str(&command).expect("JSON");
    let words = command["command"].as_str().expect("a command");
    assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    let ran = lab.run(&["run", "quick", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = lab.run(&["show", "out"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(lab.run(&["verify", "out"]).code, 0);
}

/// As `verify` does, verbs that want one results folder list those in the folder around.
#[test]
fn a_folder_of_results_folders_lists_them() {
    let lab = killed();
    for parent in ["all/one", "all/two"] {
        crate::forger::copy(&lab.path("out"), &lab.path(parent));
    }
    for verb in ["verify", "show", "status", "data", "plot", "bundle", "fsck"] {
        let ran = lab.run(&[verb, "all"]);
        ran.is_refused_with(&["all is no results folder of a run", "all/one", "all/two"]);
    }
    // one with a spec is that of an experiment
    fs::copy(
        lab.path("quick/experiment.toml"),
        lab.path("all/experiment.toml"),
    )
    .expect("a spec");
    let ran = lab.run(&["status", "all", "--out", "out"]);
    assert!(ran.stderr.contains("4 cells"), "{}", ran.stderr);
}
