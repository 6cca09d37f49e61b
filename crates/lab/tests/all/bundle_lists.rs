//! The list of a bundle, its frozen problems, and the index over results: `verify` compares each
//! with what it follows from.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::bundles::unpack;
use crate::forger::{edit, list_file, renew};
use crate::forgeries::finds;
use crate::passing::{lab, verify};
use crate::support::Lab;

/// A bundle of the results of `lab`, unpacked into `small` of another lab.
fn unpacked() -> (Lab, BTreeMap<String, Vec<u8>>) {
    let lab = lab();
    assert_eq!(lab.run(&["bundle", "out"]).code, 0);
    let archive = fs::read(lab.path("small.zip")).expect("the archive");
    let other = Lab::new();
    let files = unpack(&archive, &other.path("."));
    assert_eq!(verify(&other, "small").code, 0);
    (other, files)
}

/// Lists a file of the bundle, or takes it from the list.
fn edit_list(lab: &Lab, name: &str, is_listed: bool) {
    let folder = lab.path("small");
    edit(&folder.join("bundle.json"), |list| {
        assert!(is_listed || !list["files"][name].is_null(), "{name}");
        let path = folder.join(name);
        list_file(list, name, is_listed.then_some(path.as_path()));
        for entries in ["files", "bytes"] {
            list[entries].as_object_mut().expect("a list").sort_keys();
        }
    });
}

#[test]
fn a_file_that_is_added_to_a_bundle_and_its_list_is_named() {
    let (lab, _) = unpacked();
    for name in [
        "notes.txt",
        "figures/more.svg",
        "sources/small/more.toml",
        "problems/9.dls",
    ] {
        lab.file(&format!("small/{name}"), "more");
        // no list names it: a note
        let ran = verify(&lab, "small");
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stdout.contains(&format!("note  {name}")),
            "{name}: {}",
            ran.stdout
        );
        edit_list(&lab, name, true);
        finds(&verify(&lab, "small"), "bundle.json", name);
        edit_list(&lab, name, false);
        fs::remove_file(lab.path("small").join(name)).expect("a file");
        assert_eq!(verify(&lab, "small").code, 0, "{name}");
    }
}

#[test]
fn every_entry_of_the_list_of_a_bundle_counts() {
    let (lab, files) = unpacked();
    let path = lab.path("small/bundle.json");
    let before = fs::read(&path).expect("the list");
    for name in files.keys().filter_map(|name| name.strip_prefix("small/")) {
        if name == "bundle.json" {
            continue;
        }
        edit_list(&lab, name, false);
        finds(&verify(&lab, "small"), "bundle.json", name);
        fs::write(&path, &before).expect("the list");
    }
    let lengths: [fn(&mut Value); 2] = [
        |list| {
            drop(
                list["bytes"]
                    .as_object_mut()
                    .expect("a list")
                    .shift_remove("README.md"),
            );
        },
        |list| drop(list.as_object_mut().expect("a list").shift_remove("bytes")),
    ];
    for change in lengths {
        edit(&path, change);
        let words = "its hashes and its lengths are not of the same files";
        finds(&verify(&lab, "small"), "bundle.json", words);
        fs::write(&path, &before).expect("the list");
    }
    fs::remove_file(&path).expect("the list");
    finds(&verify(&lab, "small"), "bundle.json", "is missing");
    let checked = lab.run(&["fsck", "small"]);
    assert_eq!(checked.code, 6, "{}", checked.stderr);
    assert!(
        checked.stdout.contains("bundle.json: is missing"),
        "{}",
        checked.stdout
    );
}

/// A frozen problem of which one bit has changed, and another form of the same numbers, with every
/// checksum renewed.
#[test]
fn a_forged_frozen_problem_is_a_mismatch() {
    let (lab, files) = unpacked();
    let frozen = files.keys().filter_map(|name| name.strip_prefix("small/"));
    let frozen: Vec<&str> = frozen.filter(|name| name.ends_with(".dls")).collect();
    assert!(!frozen.is_empty());
    for name in frozen {
        let path = lab.path("small").join(name);
        let before = fs::read(&path).expect("a problem");
        let mut changed = before.clone();
        *changed.last_mut().expect("a byte") ^= 1;
        for bytes in [changed, before[..before.len() - 8].to_vec()] {
            fs::write(&path, bytes).expect("a problem");
            renew(&lab.path("small"));
            finds(&verify(&lab, "small"), name, "");
        }
        fs::write(&path, before).expect("a problem");
        renew(&lab.path("small"));
        assert_eq!(verify(&lab, "small").code, 0);
    }
}

#[test]
fn the_index_over_results_is_made_again() {
    let lab = Lab::new();
    let spec = "title = \"I\"\n[[problem]]\nuse = \"chain\"\nn = 2\n[[solver]]\nuse = \"pgs\"\n";
    lab.file("s/experiment.toml", spec);
    let ran = lab.run(&["run", "s", "--no-isolate", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // an index that is right is no results folder: the folders in it are named
    let names_them = || {
        let ran = verify(&lab, "results");
        assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("results/s; name one"), "{}", ran.stderr);
    };
    names_them();
    let index = lab.path("results/index.html");
    let page = fs::read_to_string(&index).expect("the index");
    for forged in [
        page.replacen('I', "J", 1),
        page[..page.len() / 2].to_owned(),
    ] {
        fs::write(&index, forged).expect("the index");
        let ran = verify(&lab, "results");
        finds(&ran, "index.html", "");
        // and the folders inside are named all the same
        assert!(ran.stderr.contains("results/s; name one"), "{}", ran.stderr);
        assert_eq!(verify(&lab, "results/s").code, 0);
    }
    fs::remove_file(&index).expect("the index");
    names_them();
    assert_eq!(lab.run(&["report", "results"]).code, 0);
    names_them();
}

/// A bundle has its spec: one that lies elsewhere is read by no verb.
#[test]
fn a_spec_that_leads_out_of_a_bundle_is_a_mismatch() {
    let (lab, _) = unpacked();
    edit(&lab.path("small/experiment.json"), |said| {
        said["spec_file"] = "../elsewhere.toml".into();
    });
    renew(&lab.path("small"));
    let words = "its spec ../elsewhere.toml is not in the bundle: its name leads out of the folder";
    finds(&verify(&lab, "small"), "experiment.json", words);
    for verb in [
        &["report", "small"][..],
        &["data", "small", "--out", "drawn"],
    ] {
        let ran = lab.run(verb);
        assert_eq!(ran.code, 6, "{verb:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(words), "{verb:?}: {}", ran.stderr);
    }
}
