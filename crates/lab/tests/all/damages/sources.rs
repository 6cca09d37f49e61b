//! What an experiment is made from: specs and data that are links, data that are gone after the
//! run, and data of a bundle that somebody has forged with all lists.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use super::bundles::SPEC;
use super::{DRAW, RUN, VERBS, first_key, with_key};
use crate::bundles::unpack;
use crate::forger::{renew, root};
use crate::support::{CONTACT, Lab};

const SCENE: &str = r#"
title = "Scene"
[[scene]]
file = "../problems/box.toml"
[[scheme]]
use = "xpbd"
seconds = 0.05
[[scheme]]
use = "avbd"
seconds = 0.05
[simulate]
observables = ["drift_max"]
[[figure]]
id = "drift"
plot = { trajectory = { y = "drift_max" } }
[[gate]]
value = "status"
equals = "ended"
"#;

const BOX: &str = r#"
bodies = [
    { kind = "dynamic", inertia = { mass = 2.0, moments = [0.1, 0.1, 0.1] }, position = [0.0, 9.0, 0.0] },
]
"#;

/// Everything that reads results, and their spec again.
fn all_is_well(lab: &Lab) {
    let key = first_key(lab);
    for (words, _) in VERBS {
        let ran = lab.run(&with_key(words, &key));
        let said = format!("{words:?}: {}: {}{}", ran.code, ran.stdout, ran.stderr);
        assert_eq!(ran.code, 0, "{said}");
    }
    let archive = fs::read(lab.path("x.zip")).expect("the archive");
    unpack(&archive, &lab.path("unpacked"));
    let folders = fs::read_dir(lab.path("unpacked")).expect("a folder");
    for entry in folders {
        let folder = entry.expect("an entry").path();
        let ran = lab.run(&["verify", folder.to_str().expect("text")]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    }
}

fn run(lab: &Lab) {
    let ran = lab.run(RUN);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

/// What a spec names lies next to the link.
#[test]
fn a_spec_may_be_a_link() {
    for place in ["elsewhere/deep", "far"] {
        let lab = Lab::new();
        lab.file(&format!("{place}/spec.toml"), SPEC);
        lab.file("problems/contact.dat", CONTACT);
        fs::create_dir(lab.path("s")).expect("a folder");
        symlink(
            format!("../{place}/spec.toml"),
            lab.path("s/experiment.toml"),
        )
        .expect("a link");
        run(&lab);
        all_is_well(&lab);
        // the folder is that of the link and of the file
        run(&lab);
    }
}

#[test]
fn a_folder_of_a_spec_may_be_a_link() {
    let lab = Lab::new();
    lab.file("elsewhere/t/experiment.toml", SPEC);
    lab.file("elsewhere/problems/contact.dat", CONTACT);
    symlink("elsewhere/t", lab.path("s")).expect("a link");
    run(&lab);
    all_is_well(&lab);
}

/// A file, or the folder that it lies in, is a link; the archive has the file under the name by
/// which the spec calls it.
#[test]
fn data_may_be_links() {
    for of_folder in [false, true] {
        let lab = Lab::new();
        lab.file("s/experiment.toml", SPEC);
        lab.file("far/contact.dat", CONTACT);
        match of_folder {
            true => symlink("far", lab.path("problems")),
            false => {
                fs::create_dir(lab.path("problems")).expect("a folder");
                symlink("../far/contact.dat", lab.path("problems/other.dat"))
            }
        }
        .expect("a link");
        run(&lab);
        all_is_well(&lab);
    }
}

/// A page that is a link is left out, and the run says so.
#[test]
fn a_page_that_is_a_link_is_left_out_with_a_word() {
    let lab = Lab::new();
    lab.file("s/experiment.toml", SPEC);
    lab.file("problems/contact.dat", CONTACT);
    lab.file("page.md", "# Elsewhere\n");
    symlink("../page.md", lab.path("s/README.md")).expect("a link");
    for words in [
        &["run", "s", "--out", "r", "--no-isolate"][..],
        &["report", "r"],
        &["bundle", "r", "--out", "x.zip"],
    ] {
        let ran = lab.run(words);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let said = "README.md is a link, and the report is without it";
        assert!(ran.stderr.contains(said), "{words:?}: {}", ran.stderr);
    }
    let page = fs::read_to_string(lab.path("r/report.html")).expect("the page");
    assert!(!page.contains("Elsewhere"));
}

/// What verbs say that need the data, where they are gone.
fn expected(words: &[&str]) -> i32 {
    match words[0] {
        // no key can be computed again
        "verify" => 1,
        // there is no archive and no run without them
        "bundle" | "run" => 2,
        // the cells of the spec cannot be told
        "status" if words[1] == "s" => 2,
        _ => 0,
    }
}

#[test]
fn records_are_shown_without_the_data_that_they_were_made_from() {
    for (spec, file) in [(SPEC, "contact.dat"), (SCENE, "box.toml")] {
        let lab = Lab::new();
        lab.file("s/experiment.toml", spec);
        lab.file("problems/contact.dat", CONTACT);
        lab.file("problems/box.toml", BOX);
        run(&lab);
        let key = first_key(&lab);
        fs::remove_file(lab.path("problems").join(file)).expect("a file");
        for (words, _) in VERBS.into_iter().filter(|(words, _)| *words != DRAW) {
            if words.contains(&"--rerun") {
                continue;
            }
            let ran = lab.run(&with_key(words, &key));
            let said = format!("{words:?}: {}: {}{}", ran.code, ran.stdout, ran.stderr);
            assert_eq!(ran.code, expected(words), "{said}");
            assert!(
                ran.code == 0 || said.contains(file) || said.contains("*.dat"),
                "{said}"
            );
        }
        let ran = lab.run(&["gate", "s", "--no-run", "--out", "r", "--json"]);
        assert!(ran.stdout.contains("\"passed\":1"), "{}", ran.stdout);
        let ran = lab.run(DRAW);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
}

/// A forged file of a bundle, and every list renewed.
#[test]
fn forged_data_of_a_bundle_are_found() {
    let lab = Lab::new();
    lab.file("s/experiment.toml", SPEC);
    lab.file("problems/contact.dat", CONTACT);
    run(&lab);
    let ran = lab.run(&["bundle", "r", "--out", "x.zip"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let archive = fs::read(lab.path("x.zip")).expect("the archive");
    let data = "sources/problems/contact.dat";
    for forged in ["", "nothing of a problem", &CONTACT.replace("0.1", "0.2")] {
        let _ = fs::remove_dir_all(lab.path("unpacked"));
        unpack(&archive, &lab.path("unpacked"));
        let folder = lab.path("unpacked/s");
        fs::write(folder.join(data), forged).expect("a file");
        renew(&folder);
        let ran = lab.run(&["verify", "unpacked/s"]);
        assert_eq!(ran.code, 6, "{forged:?}: {}{}", ran.stdout, ran.stderr);
    }
    // a text that gives the same numbers: its hash stands in two places
    let _ = fs::remove_dir_all(lab.path("unpacked"));
    unpack(&archive, &lab.path("unpacked"));
    let folder = lab.path("unpacked/s");
    fs::write(folder.join(data), format!("{CONTACT}   \n")).expect("a file");
    let ran = lab.run(&["verify", "unpacked/s"]);
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    renew(&folder);
    let ran = lab.run(&["verify", "unpacked/s"]);
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    let said = "experiment.json  its sources_sha256 is not the hash of the sources";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    // whoever renews both passes, which is in the list of what is compared with nothing
    let list = fs::read(folder.join("bundle.json")).expect("the list");
    let list: Value = serde_json::from_slice(&list).expect("a list");
    let files = list["files"].as_object().expect("files").iter();
    let sources = files.filter(|(name, _)| name.starts_with("sources/"));
    let hash = |sum: &Value| sum.as_str().expect("a hash").to_owned();
    let sources = sources.map(|(name, sum)| (name.clone(), hash(sum)));
    let root = root(&sources.collect());
    crate::forger::edit(&folder.join("experiment.json"), |said| {
        said["sources_sha256"] = root.into();
    });
    renew(&folder);
    let ran = lab.run(&["verify", "unpacked/s"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // one that is gone from the list as well
    let _ = fs::remove_dir_all(lab.path("unpacked"));
    unpack(&archive, &lab.path("unpacked"));
    let folder = lab.path("unpacked/s");
    fs::remove_file(folder.join(data)).expect("a file");
    crate::forger::edit(&folder.join("bundle.json"), |list| {
        crate::forger::list_file(list, data, None);
    });
    for words in [
        &["verify", "unpacked/s"][..],
        &["bundle", "unpacked/s", "--out", "y.zip"],
    ] {
        let ran = lab.run(words);
        assert_eq!(ran.code, 6, "{words:?}: {}{}", ran.stdout, ran.stderr);
    }
}
