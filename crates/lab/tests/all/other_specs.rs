//! Specs that are not those of the results: no verb draws or checks with them.

use std::fs;

use crate::forger::{copy, edit, renew};
use crate::passing::{SPEC, lab, verify};
use crate::support::Lab;

const OTHER: &str = "title = \"Another experiment\"\n[[problem]]\nuse = \"chain\"\nn = 7\n\
                     [[solver]]\nuse = \"pgs\"\n";

fn page(lab: &Lab) -> Vec<u8> {
    fs::read(lab.path("out/report.html")).expect("a page")
}

#[test]
fn a_named_spec_of_another_experiment_is_refused() {
    let lab = lab();
    lab.file("other/experiment.toml", OTHER);
    // a variant of the same cells: other keys, and so another experiment
    let looser = SPEC.replace("tolerance = 1e-10", "tolerance = 1e-9");
    lab.file("specs/small/looser.toml", looser);
    // one with fewer of them
    let fewer = SPEC.replace("n = [2, 3]", "n = [2]");
    lab.file("specs/small/fewer.toml", fewer);
    let before = page(&lab);
    for (spec, lacks) in [
        ("other", "lacks 6, as chain n=2 with"),
        ("specs/small/looser.toml", "lacks 4, as chain n=2 with"),
        ("specs/small/fewer.toml", "lacks 2, as chain n=3 with"),
    ] {
        for verb in [
            &["report", "out"][..],
            &["verify", "out"],
            &["bundle", "out", "--out", "x.zip"],
        ] {
            let ran = lab.run(&[verb, &["--spec", spec]].concat());
            ran.is_refused_with(&["is not the spec of the results in out", lacks, "--spec"]);
        }
    }
    assert!(!lab.path("x.zip").exists());
    assert!(page(&lab) == before);
    // the same spec elsewhere, with another caption and with one more cell
    lab.file("mine/problems/contact.dat", crate::support::CONTACT);
    let more = SPEC
        .replace("title = \"Passed on\"", "title = \"Passed on again\"")
        .replace("n = [2, 3]", "n = [2, 3, 4]");
    lab.file("mine/small/experiment.toml", more);
    let ran = lab.run(&["report", "out", "--spec", "mine/small"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(String::from_utf8_lossy(&page(&lab)).contains("Passed on again"));
}

/// The folder names its spec itself: what has come into its place is left aside.
#[test]
fn a_spec_that_became_another_experiment_draws_no_page() {
    let lab = lab();
    let before = page(&lab);
    lab.file("specs/small/experiment.toml", OTHER);
    let ran = lab.run(&["report", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let said = "is the spec of another experiment now: it has no cell chain n=2 with pgs";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert!(page(&lab) == before);
    let ran = verify(&lab, "out");
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("unchecked  experiment.json") && ran.stdout.contains(said),
        "{}",
        ran.stdout
    );
}

/// Titles and figures may be edited: views follow them, and a note says so.
#[test]
fn an_edited_spec_gets_a_note() {
    let lab = lab();
    let notes = |ran: &crate::support::Ran| -> Vec<String> {
        let lines = ran.stdout.lines().filter(|line| line.starts_with("note"));
        lines.map(str::to_owned).collect()
    };
    let ran = verify(&lab, "out");
    assert_eq!((ran.code, notes(&ran)), (0, vec![]), "{}", ran.stderr);
    let start = SPEC.find("[[figure]]").expect("a figure");
    let end = SPEC.find("[[table]]").expect("a table");
    let cut = format!("{}{}", &SPEC[..start], &SPEC[end..]);
    lab.file(
        "specs/small/experiment.toml",
        cut.replace("Passed on", "Passed up"),
    );
    let ran = verify(&lab, "out");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let found = notes(&ran);
    assert_eq!(found.len(), 1, "{found:?}");
    for part in [
        "experiment.toml has changed since the run",
        "`delassus report`",
    ] {
        assert!(found[0].contains(part), "no {part}: {found:?}");
    }
    // what a report removes, it names
    let ran = lab.run(&["report", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let said = "note: removed, as this report does not have them any more: figures/curves\n";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert_eq!(verify(&lab, "out").code, 0);
    assert!(!lab.run(&["report", "out"]).stderr.contains("removed"));
    lab.file("specs/small/README.md", "# Another page\n");
    let found = notes(&verify(&lab, "out"));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[1].contains("its readme is not the text of"),
        "{found:?}"
    );
}

/// A file that the spec names, and the spec itself: the one that is damaged or gone is named.
#[test]
fn a_damaged_file_beside_the_spec_is_named() {
    let lab = lab();
    let data = lab.path("specs/problems/contact.dat");
    let whole = fs::read(&data).expect("a problem");
    fs::write(&data, "1 2 three").expect("a file");
    let ran = verify(&lab, "out");
    assert_ne!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("contact.dat"), "{}", ran.stdout);
    fs::remove_file(&data).expect("a problem");
    let ran = verify(&lab, "out");
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    for part in [
        "no key was computed again",
        "../problems/*.dat",
        "restore that file",
    ] {
        assert!(ran.stdout.contains(part), "no {part}: {}", ran.stdout);
    }
    fs::write(&data, whole).expect("a file");
    fs::remove_file(lab.path("specs/small/experiment.toml")).expect("a spec");
    let ran = verify(&lab, "out");
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    for part in [
        "specs/small/experiment.toml is not there",
        "restore it",
        "--spec",
    ] {
        assert!(ran.stdout.contains(part), "no {part}: {}", ran.stdout);
    }
}

/// Cells of generators alone.
const PLAIN: &str = "title = \"Plain\"\n[[problem]]\nuse = \"chain\"\nn = [2, 3]\n\
                     [[solver]]\nuse = \"pgs\"\n";

/// What the folder names as its spec and is none any more was not compared with the results.
#[test]
fn a_spec_that_cannot_be_read_any_more_is_unchecked() {
    let lab = Lab::new();
    lab.file("s/experiment.toml", PLAIN);
    let ran = lab.run(&["run", "s", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for (text, what) in [
        ("title = [\n".to_owned(), "experiment.toml:1:"),
        (PLAIN.replace("\"pgs\"", "\"pgz\""), "experiment.toml:6:"),
        // it can be read, and no cells can be made of it
        (
            format!("{PLAIN}[[problem]]\nuse = \"chain\"\nn = [2, 4]\n"),
            "chain n=2",
        ),
        (
            format!("{PLAIN}[[problem]]\nfiles = [\"gone.dat\"]\n"),
            "matches no file",
        ),
    ] {
        lab.file("s/experiment.toml", &text);
        let ran = verify(&lab, "out");
        assert_eq!(ran.code, 1, "{text}{}{}", ran.stdout, ran.stderr);
        let lines = ran.stdout.lines();
        let lines: Vec<&str> = lines.filter(|line| line.starts_with("unchecked")).collect();
        assert_eq!(lines.len(), 1, "{}", ran.stdout);
        for part in ["the spec cannot be read as it is now", what, "--spec"] {
            assert!(lines[0].contains(part), "no {part}: {}", ran.stdout);
        }
        let objects = lab.run(&["verify", "out", "--json"]).objects();
        assert_eq!(objects[0]["verdict"], "unchecked");
    }
    // another one is named, or the spec is gone: it has moved
    lab.file("mine/experiment.toml", PLAIN);
    let named = lab.run(&["verify", "out", "--spec", "mine"]);
    assert_eq!(named.code, 0, "{}{}", named.stdout, named.stderr);
    fs::remove_file(lab.path("s/experiment.toml")).expect("a spec");
    let ran = verify(&lab, "out");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

/// The same where nothing but the two matrices has to be compared; a caption is no experiment.
#[test]
fn a_spec_is_of_the_same_experiment_while_it_has_one_of_its_cells() {
    let lab = crate::folder::quick();
    assert_eq!(crate::folder::run(&lab, &[]).code, 0);
    let spec = crate::folder::QUICK;
    for (text, is_other) in [
        (spec.replace("Quick", "Slow"), false),
        (spec.replace("n = [1, 2]", "n = [2, 3]"), false),
        (spec.replace("n = [1, 2]", "n = [3, 4]"), true),
        (spec.replace("\"pile\"", "\"heap\""), true),
    ] {
        lab.file("quick/experiment.toml", &text);
        let ran = lab.run(&["report", "out"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let said = "is the spec of another experiment now: it has none of the 4 cells of the run";
        assert_eq!(ran.stderr.contains(said), is_other, "{text}{}", ran.stderr);
    }
}

/// Whatever else is renewed: the run has left a hash of both in the folder that it made.
#[test]
fn a_forged_name_or_place_of_the_spec_is_found() {
    let lab = lab();
    let path = lab.path("out/experiment.json");
    let whole = fs::read(&path).expect("the experiment");
    lab.file("specs/smell/experiment.toml", SPEC);
    for (entry, value) in [
        ("id", "smell"),
        ("spec_file", "../specs/smell/experiment.toml"),
        ("spec_file", "../specs/gone/experiment.toml"),
        ("spec_place", "0000"),
        ("command", "delassus run more/specs/small"),
        ("readme", "# Passed up"),
    ] {
        edit(&path, |said| said[entry] = value.into());
        renew(&lab.path("out"));
        let ran = verify(&lab, "out");
        assert_eq!(ran.code, 6, "{entry}: {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stdout
                .contains("its id, spec_file, command or readme is not"),
            "{entry}: {}",
            ran.stdout
        );
        fs::write(&path, &whole).expect("the experiment");
        renew(&lab.path("out"));
    }
    assert_eq!(verify(&lab, "out").code, 0);
    // nothing of a copy is read outside of it; the list of a bundle has the id once more
    copy(&lab.path("out"), &lab.path("copy"));
    assert_ne!(verify(&lab, "copy").code, 6);
    assert_eq!(lab.run(&["bundle", "out"]).code, 0);
    let archive = fs::read(lab.path("small.zip")).expect("the archive");
    let other = Lab::new();
    crate::bundles::unpack(&archive, &other.path("."));
    let path = other.path("small/experiment.json");
    let whole = fs::read(&path).expect("the experiment");
    for (entry, value, what) in [
        ("id", "smell", "its id is not that of bundle.json"),
        ("readme", "# Passed up", "its readme is not the text of"),
        ("command", "delassus run smell", "its command does not run"),
        ("spec_file", "sources/gone.toml", "is not in the bundle"),
    ] {
        edit(&path, |said| said[entry] = value.into());
        renew(&other.path("small"));
        let ran = verify(&other, "small");
        assert_eq!(ran.code, 6, "{entry}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(what), "{entry}: {}", ran.stdout);
        fs::write(&path, &whole).expect("the experiment");
        renew(&other.path("small"));
    }
    assert_eq!(verify(&other, "small").code, 0);
    // what the archive brings next to the results follows from them
    for name in ["LICENSE-MIT", "CITATION.cff", "README.md", "references.bib"] {
        let path = other.path("small").join(name);
        let whole = fs::read(&path).expect("a text");
        fs::write(&path, [&whole[..], b" "].concat()).expect("a text");
        renew(&other.path("small"));
        let ran = verify(&other, "small");
        assert_eq!(ran.code, 6, "{name}: {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stdout.contains(&format!("mismatch  {name}")),
            "{}",
            ran.stdout
        );
        fs::write(&path, &whole).expect("a text");
    }
}

/// A folder or a link in the place of the spec is not read, and `verify` says so.
#[cfg(unix)]
#[test]
fn a_spec_that_is_no_file_is_unchecked() {
    let lab = Lab::new();
    lab.file("out/experiment.toml", PLAIN);
    let ran = lab.run(&["run", "out/experiment.toml", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let spec = lab.path("out/experiment.toml");
    fs::remove_file(&spec).expect("removed");
    fs::create_dir(&spec).expect("a folder");
    let is_unchecked = || {
        let ran = verify(&lab, "out");
        assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stdout.contains("is a link, a folder or a pipe"),
            "{}",
            ran.stdout
        );
    };
    is_unchecked();
    fs::remove_dir(&spec).expect("removed");
    std::os::unix::fs::symlink("/dev/zero", &spec).expect("a link");
    is_unchecked();
}
