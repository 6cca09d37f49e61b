//! The lists of an unpacked bundle: of all of its files, and of its frozen problems.

use std::fs;

use delassus_records::key;
use delassus_runner::passing::frozen::LIST as PROBLEMS;
use serde_json::{Value, json};

use super::results::{ResultsFolder, is_as_left};

/// The list of all files.
const BUNDLE: &str = "bundle.json";

thread_local! {
    static FOLDER: ResultsFolder = ResultsFolder::of_bundle();
}

/// The bytes as the list of all files; up to the first zero as changes of its entries, and what
/// follows as changes of those of the frozen problem, whose hash is renewed.
pub(crate) fn meet(bytes: &[u8]) {
    FOLDER.with(|folder| {
        let as_left = folder.with(&[(BUNDLE, bytes)], |dir| is_as_left(bytes, dir));
        assert!(!as_left || holds(folder, bytes));
        let mut parts = bytes.splitn(2, |byte| *byte == 0);
        let list = folder.patched(BUNDLE, parts.next().unwrap_or_default());
        if let Some(list) = list {
            let list = written(&list);
            let as_left = folder.with(&[(BUNDLE, &list)], |dir| is_as_left(bytes, dir));
            assert!(!as_left || holds(folder, &list));
        }
        if let Some(patch) = parts.next() {
            problems(folder, bytes, patch);
        }
    });
}

/// A list as the program writes it.
fn written(list: &Value) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(list).expect("JSON");
    text.push(b'\n');
    text
}

/// True if every file of a list is there and has its hash.
fn holds(folder: &ResultsFolder, list: &[u8]) -> bool {
    let Ok(list) = serde_json::from_slice::<Value>(list) else {
        return false;
    };
    let mut files = list["files"].as_object().into_iter().flatten();
    files.all(|(name, hash)| {
        let found = folder.with(&[], |dir| fs::read(dir.join(name)));
        found.is_ok_and(|found| name == BUNDLE || Some(&*key::of_bytes(&found)) == hash.as_str())
    })
}

/// The list of frozen problems is an array, and a change of its only entry an object.
fn problems(folder: &ResultsFolder, bytes: &[u8], patch: &[u8]) {
    let original = folder.value(PROBLEMS);
    let Some(changed) = folder.patched(PROBLEMS, patch) else {
        return;
    };
    let changed = match changed {
        entries @ Value::Array(_) => entries,
        patch => {
            let mut entry = original[0].clone();
            super::patch::merge(&mut entry, patch);
            json!([entry])
        }
    };
    let text = serde_json::to_vec(&changed).expect("JSON");
    let mut list = folder.value(BUNDLE);
    list["files"][PROBLEMS] = key::of_bytes(&text).into();
    let list = written(&list);
    let files = [(PROBLEMS, &text[..]), (BUNDLE, &list)];
    if !folder.with(&files, |dir| is_as_left(bytes, dir)) {
        return;
    }
    // an entry with another name is one of no cell
    let entries = changed.as_array().into_iter().flatten();
    for entry in entries.filter(|entry| entry["name"] == original[0]["name"]) {
        for part in ["digest", "criteria", "tolerance"] {
            assert_eq!(entry[part], original[0][part], "{part}");
        }
    }
}
