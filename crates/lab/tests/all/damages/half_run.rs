//! A run that ended at something in the place of a view: the list says that it has not come to its
//! end, and all checks name what stands there.

use std::fs;

use super::{Damage, RUN, SOLVES, names, restore, results};

#[test]
fn what_ended_a_run_is_named_by_all_checks() {
    let (lab, _) = results(SOLVES);
    let view = "figures/curves.pdf";
    for damage in [Damage::Pipe, Damage::Folder] {
        restore(&lab);
        damage.hit(&lab, view);
        assert_eq!(lab.run(RUN).code, 3, "{damage:?}");
        for words in [
            &["verify", "r"][..],
            &["fsck", "r"],
            &["bundle", "r", "--out", "x.zip"],
        ] {
            let ran = lab.run(words);
            let said = format!("{damage:?}: {words:?}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.code, 6, "{said}");
            assert!(names(&ran, view), "{said}");
            assert!(said.contains("; move it away, then run the"), "{said}");
        }
        // a view that has changed is one of the two sides of an unfinished run
        fs::write(lab.path("r/summary.csv"), "other").expect("a table");
        let ran = lab.run(&["verify", "r"]);
        assert!(!names(&ran, "summary.csv"), "{}", ran.stdout);
        let path = lab.path("r").join(view);
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
        assert_eq!(lab.run(&["verify", "r"]).code, 1);
        for words in [RUN, &["verify", "r"]] {
            assert_eq!(lab.run(words).code, 0, "{damage:?}: {words:?}");
        }
    }
}
