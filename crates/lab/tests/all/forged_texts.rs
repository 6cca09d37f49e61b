//! Texts that no run has written, with every checksum, list and root renewed: the same data in
//! other letters, a spec that cannot be read, a list of a bundle that is too short, a sample
//! without a criterion.

use std::fs;

use serde_json::Value;

use crate::bundles::unpack;
use crate::forger::{change_record, edit, list_file, renew, replace};
use crate::forgeries::finds;
use crate::passing::{cell, lab, verify};
use crate::support::Lab;

/// What another text says may be the same, and the run has not written it.
#[test]
fn another_text_of_the_same_data_is_found() {
    let lab = lab();
    let deep = format!("{{\"x\":{}{},", "[".repeat(100_000), "]".repeat(100_000));
    type Change<'c> = &'c dyn Fn(&str) -> String;
    let changes: [Change<'_>; 4] = [
        &|text: &str| text.replace('\n', "\r\n"),
        &|text: &str| format!("{text} "),
        &|text: &str| text.replacen('{', &deep, 1),
        &|text: &str| text.replacen("1e-10", "0.0000000001", 1),
    ];
    for name in ["experiment.json", "manifest.json", "outputs.json"] {
        let path = lab.path("out").join(name);
        let before = fs::read_to_string(&path).expect("a file");
        for (number, change) in changes.iter().enumerate() {
            let text = change(&before);
            if text == before {
                continue;
            }
            fs::write(&path, text).expect("a file");
            if name != "outputs.json" {
                renew(&lab.path("out"));
            }
            let ran = verify(&lab, "out");
            let said = format!("{name}, {number}: {}{}", ran.stdout, ran.stderr);
            // a manifest or an experiment that no parser takes is damaged
            assert!([3, 6].contains(&ran.code), "{said}");
            fs::write(&path, &before).expect("a file");
            renew(&lab.path("out"));
        }
    }
    assert_eq!(verify(&lab, "out").code, 0);
    let path = cell(&lab, "chain n=2", "pgs");
    let before = fs::read(&path).expect("a record");
    let nested = format!("\"x\":{}{},", "[".repeat(100_000), "]".repeat(100_000));
    let changes: [Change<'_>; 4] = [
        &|record: &str| record.replacen("\"gravity\":9.81", "\"gravity\":9.8100000000000000001", 1),
        &|record: &str| record.replacen("\"chain\"", "\"\\u0063hain\"", 1),
        &|record: &str| record.replace("\":", "\": "),
        &|record: &str| format!("{{{nested}{}", &record[1..]),
    ];
    for change in changes {
        change_record(&path, change);
        renew(&lab.path("out"));
        let drawn = lab.run(&["report", "out"]);
        assert_eq!(drawn.code, 0, "{}", drawn.stderr);
        let file = path.file_name().expect("a name").to_string_lossy();
        finds(&verify(&lab, "out"), &file, "not in the form in which");
        fs::write(&path, &before).expect("a record");
        renew(&lab.path("out"));
    }
}

/// The parameters of a record in another order are not those that its program writes.
#[test]
fn another_order_of_parameters_is_found() {
    let lab = lab();
    for (solver, place) in [
        ("pgs", "/problem/parameters"),
        ("apgd", "/solver/parameters"),
    ] {
        let path = cell(&lab, "chain n=2", solver);
        let before = fs::read(&path).expect("a record");
        change_record(&path, |record| {
            let mut record: Value = serde_json::from_str(record).expect("JSON");
            let list = record.pointer_mut(place).and_then(Value::as_object_mut);
            let list = list.expect("parameters");
            assert!(list.len() > 1, "{place}");
            *list = std::mem::take(list).into_iter().rev().collect();
            record.to_string()
        });
        renew(&lab.path("out"));
        let drawn = lab.run(&["report", "out"]);
        assert_eq!(drawn.code, 0, "{}", drawn.stderr);
        let file = path.file_name().expect("a name").to_string_lossy();
        let what = format!("its {} is", &place[1..place.len() - "/parameters".len()]);
        finds(&verify(&lab, "out"), &file, &what);
        fs::write(&path, &before).expect("a record");
        renew(&lab.path("out"));
    }
}

/// A text of the spec that nothing here reads is not the one that was run.
#[test]
fn a_spec_that_cannot_be_read_is_compared_with_its_hash() {
    let lab = lab();
    edit(&lab.path("out/experiment.json"), |said| {
        said["spec"] = "title = [".into();
    });
    renew(&lab.path("out"));
    finds(
        &verify(&lab, "out"),
        "experiment.json",
        "does not have the hash",
    );
}

/// What a manifest says is compared as a whole with what its own program would say: without the
/// name of the program, it would not be.
#[test]
fn a_manifest_names_the_program_of_its_records() {
    let lab = lab();
    edit(&lab.path("out/manifest.json"), |manifest| {
        let entries = manifest.as_object_mut().expect("entries");
        assert!(entries.shift_remove("binary_sha256").is_some());
        entries["cpu"] = "another".into();
    });
    renew(&lab.path("out"));
    finds(&verify(&lab, "out"), "manifest.json", "another program");
}

/// The list of a bundle is not shorter than the bundle.
#[test]
fn a_bundle_lists_all_that_it_is_made_of() {
    let lab = lab();
    assert_eq!(lab.run(&["bundle", "out"]).code, 0);
    let archive = fs::read(lab.path("small.zip")).expect("the archive");
    let other = Lab::new();
    unpack(&archive, &other.path("."));
    let list = other.path("small/bundle.json");
    let before = fs::read(&list).expect("the list");
    let whole: Value = serde_json::from_slice(&before).expect("JSON");
    let all = whole["files"].as_object().expect("files");
    let needed = |name: &&String| {
        let folders = ["cells/", "figures/", "tables/", "problems/"];
        name.ends_with(".json") || folders.iter().any(|folder| name.starts_with(folder))
    };
    let names: Vec<&String> = all.keys().filter(needed).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        edit(&list, |list| {
            list_file(list, name, None);
        });
        finds(
            &verify(&other, "small"),
            "bundle.json",
            &format!("does not list {name}"),
        );
        fs::write(&list, &before).expect("the list");
    }
    let name = all.keys().next().expect("a file");
    let twice = format!("\"files\": {{\n    \"{name}\": \"00\",");
    replace(&list, "\"files\": {", &twice);
    finds(
        &verify(&other, "small"),
        "bundle.json",
        "not in the form in which",
    );
}

/// A problem that is neither in the bundle nor in its lists.
#[test]
fn every_problem_of_a_spec_is_frozen_in_its_bundle() {
    let lab = lab();
    assert_eq!(lab.run(&["bundle", "out"]).code, 0);
    let archive = fs::read(lab.path("small.zip")).expect("the archive");
    let other = Lab::new();
    unpack(&archive, &other.path("."));
    let (index, list) = ("problems/index.json", other.path("small/bundle.json"));
    let index = other.path("small").join(index);
    let mut file = String::new();
    edit(&index, |list| {
        let entry = list.as_array_mut().expect("a list").remove(1);
        file = entry["file"].as_str().expect("a name").to_owned();
    });
    fs::remove_file(other.path("small").join(&file)).expect("a problem");
    edit(&list, |list| {
        assert!(!list["files"][&file].is_null());
        list_file(list, &file, None);
    });
    renew(&other.path("small"));
    finds(
        &verify(&other, "small"),
        "problems/index.json",
        "does not list the problem",
    );
    fs::remove_file(&index).expect("the list");
    edit(&list, |list| {
        assert!(!list["files"]["problems/index.json"].is_null());
        list_file(list, "problems/index.json", None);
    });
    finds(
        &verify(&other, "small"),
        "problems/index.json",
        "does not list the problem",
    );
}

/// Another spec in a bundle, with its hash renewed: a reader would run another experiment.
#[test]
fn the_spec_of_a_bundle_is_that_of_its_results() {
    let lab = lab();
    assert_eq!(lab.run(&["bundle", "out"]).code, 0);
    let archive = fs::read(lab.path("small.zip")).expect("the archive");
    let other = Lab::new();
    unpack(&archive, &other.path("."));
    let kept = fs::read_to_string(other.path("small/experiment.json")).expect("a text");
    let kept: Value = serde_json::from_str(&kept).expect("an object");
    let spec = kept["spec_file"].as_str().expect("a name");
    let path = other.path("small").join(spec);
    let text = fs::read_to_string(&path).expect("the spec");
    fs::write(&path, format!("{text}# a remark\n")).expect("written");
    edit(&other.path("small/bundle.json"), |list| {
        list_file(list, spec, Some(&path));
    });
    renew(&other.path("small"));
    let ran = verify(&other, "small");
    finds(&ran, spec, "is not the spec that experiment.json holds");
}

/// A list of problems with an entry, a problem or a text that `bundle` does not write.
#[test]
fn the_list_of_problems_of_a_bundle_is_that_of_its_spec() {
    let lab = lab();
    assert_eq!(lab.run(&["bundle", "out"]).code, 0);
    let archive = fs::read(lab.path("small.zip")).expect("the archive");
    type Change<'c> = &'c dyn Fn(&mut Value);
    let changes: [(Change<'_>, &str); 4] = [
        (
            &|list| list[0]["evil"] = 1.into(),
            "not in the form in which",
        ),
        (
            &|list| {
                let mut entry = list[0].clone();
                entry["name"] = "chain n=77".into();
                list.as_array_mut().expect("a list").push(entry);
            },
            "lists other problems",
        ),
        (
            &|list| list.as_array_mut().expect("a list").reverse(),
            "lists other problems",
        ),
        (
            &|list| {
                let entry = list[0].clone();
                list.as_array_mut().expect("a list").insert(0, entry);
            },
            "lists other problems",
        ),
    ];
    for (change, what) in changes {
        let other = Lab::new();
        unpack(&archive, &other.path("."));
        edit(&other.path("small/problems/index.json"), |list| {
            change(list);
        });
        renew(&other.path("small"));
        finds(&verify(&other, "small"), "problems/index.json", what);
    }
}

/// A solved cell has a value of each criterion in each sample.
#[test]
fn a_sample_without_a_criterion_is_found() {
    let lab = lab();
    let path = cell(&lab, "chain n=2", "pgs");
    let file = path.file_name().expect("a name").to_string_lossy();
    let before = fs::read_to_string(&path).expect("a record");
    let whole: Value = serde_json::from_str(&before).expect("JSON");
    let samples = &whole["record"]["outcome"]["samples"];
    let last = samples.as_array().expect("samples").len() - 1;
    assert!(last > 0, "{samples}");
    for (sample, column, name) in [
        (0, 0, "natural_map"),
        (0, 1, "siconos"),
        (last, 0, "natural_map"),
    ] {
        change_record(&path, |record| {
            let mut record: Value = serde_json::from_str(record).expect("JSON");
            record["outcome"]["samples"][sample]["values"][column] = Value::Null;
            record.to_string()
        });
        renew(&lab.path("out"));
        let what = format!("has no {name}, by which it was judged");
        finds(&verify(&lab, "out"), &file, &what);
        fs::write(&path, &before).expect("a record");
        renew(&lab.path("out"));
    }
    assert_eq!(verify(&lab, "out").code, 0);
}
