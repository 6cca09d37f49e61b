//! Results that were copied, or come from elsewhere with a spec next to them: nothing outside of
//! their folder is read on their word.

use std::fs;
use std::path::{Path, PathBuf};

use crate::forger::{copy, renew, replace};
use crate::passing::verify;
use crate::support::{LCP, Lab};

/// The results of a stranger with a spec next to them, as an archive brings both.
fn strangers() -> (Lab, PathBuf) {
    let lab = Lab::new();
    lab.file("secret.dat", LCP);
    let spec =
        "title = \"t\"\n[[problem]]\nfiles = [\"../../secret.dat\"]\n[[solver]]\nuse = \"pgs\"\n";
    lab.file("own/s/experiment.toml", spec);
    lab.file("own/s/README.md", "# The page of the stranger\n");
    let ran = lab.run(&["run", "own/s", "--out", "own/r", "--no-isolate", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let theirs = lab.path("theirs");
    copy(&lab.path("own"), &theirs);
    (lab, theirs)
}

/// Nothing outside of a folder is read on its word, wherever it says that its spec lies.
#[test]
fn what_was_made_elsewhere_reads_nothing_outside() {
    let (lab, theirs) = strangers();
    assert_eq!(verify(&lab, "own/r").code, 0);
    fs::write(theirs.join("s/README.md"), "# Another page\n").expect("a page");
    let ran = verify(&lab, "theirs/r");
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("is not read, as these"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("unchecked  report.html"),
        "{}",
        ran.stdout
    );
    let ran = lab.run(&["report", "theirs/r"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("name it with --spec"), "{}", ran.stderr);
    let page = |folder: &Path| fs::read_to_string(folder.join("r/report.html")).expect("a page");
    assert!(!page(&theirs).contains("Another page"));
    assert_eq!(lab.run(&["bundle", "theirs/r", "--out", "x.zip"]).code, 2);
    assert!(!lab.path("x.zip").exists());
    // the user knows the spec
    let spec = ["--spec", "theirs/s"];
    for verb in [
        &["verify", "theirs/r"][..],
        &["report", "theirs/r"],
        &["verify", "theirs/r"],
    ] {
        let ran = lab.run(&[verb, &spec].concat());
        assert_eq!(ran.code, 0, "{verb:?}: {}{}", ran.stdout, ran.stderr);
    }
    assert!(page(&theirs).contains("Another page"));
    let bundle = ["bundle", "theirs/r", "--out", "x.zip"];
    let ran = lab.run(&[&bundle[..], &spec].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    lab.run(&["verify", "theirs/r", "--spec", "nowhere.toml"])
        .is_refused_with(&["nowhere.toml", "no such file"]);
    // a run, whose spec is named, takes the folder over; a folder that is moved stays what it is
    let ran = lab.run(&["run", "theirs/s", "--out", "theirs/r", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(verify(&lab, "theirs/r").code, 0);
    fs::rename(&theirs, lab.path("moved")).expect("a move");
    assert_eq!(verify(&lab, "moved/r").code, 0);
}

/// A spec that lies where the user's lies names nothing that the user's own does not.
#[test]
fn a_forged_text_of_the_spec_reads_nothing_outside() {
    let (lab, _) = strangers();
    lab.file("diary.dat", LCP.replace("-1 -1", "-1 -2"));
    let path = lab.path("own/r/experiment.json");
    replace(&path, "secret.dat", "diary.dat");
    renew(&lab.path("own/r"));
    for verb in [
        &["verify", "own/r"][..],
        &["verify", "own/r", "--spec", "own/s"],
    ] {
        let ran = lab.run(verb);
        assert_ne!(ran.code, 0, "{}", ran.stdout);
        let refused = "diary.dat, which is not in the results folder; a file elsewhere is read only if your own spec";
        assert!(ran.stdout.contains(refused), "{}", ran.stdout);
    }
    assert_eq!(lab.run(&["bundle", "own/r", "--out", "x.zip"]).code, 6);
}
