//! `merge` into a folder that is damaged, or that is not there.

use std::fs;

use super::{Damage, SOLVES, names, restore, results, run_briefly};

const MERGE: &[&str] = &["merge", "whole", "--out", "r"];

#[test]
fn a_damaged_target_is_refused() {
    let (lab, key) = results(SOLVES);
    for name in ["experiment.json", "manifest.json", "outputs.json"] {
        for damage in [Damage::Cut, Damage::Pipe, Damage::Folder, Damage::Link] {
            restore(&lab);
            damage.hit(&lab, name);
            let ran = run_briefly(&lab, MERGE);
            let said = format!("{damage:?} {name}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.code, 6, "{said}");
            assert!(names(&ran, name), "{said}");
        }
    }
    // a record that is gone comes from the other folder, and a target may be an unfinished run
    for name in [format!("cells/{key}.json"), "outputs.json".to_owned()] {
        restore(&lab);
        Damage::Deleted.hit(&lab, &name);
        let ran = lab.run(MERGE);
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        assert!(lab.path("r/cells").join(format!("{key}.json")).exists());
    }
}

#[test]
fn a_folder_that_is_not_there_is_not_merged_with_itself() {
    let (lab, _) = results(SOLVES);
    for words in [
        &["merge", "q", "q", "--out", "q"][..],
        &["merge", "q", "--out", "q"],
    ] {
        lab.run(words)
            .is_refused_with(&["there is no folder q", "results folder"]);
        assert!(!lab.path("q").exists(), "{words:?}");
    }
    let whole = fs::read(lab.path("r/outputs.json")).expect("the list");
    assert_eq!(lab.run(&["merge", "r", "r", "--out", "r"]).code, 0);
    assert_eq!(
        fs::read(lab.path("r/outputs.json")).expect("the list"),
        whole
    );
}
