//! Every value of every JSON file of a results folder, changed one at a time with every checksum,
//! list, root and view renewed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use delassus_records::build::Build;
use delassus_records::manifest::{self, ROOT};
use delassus_registry::Registry;
use delassus_runner::passing;
use delassus_runner::rerun::rerun;
use delassus_runner::results;
use delassus_runner::verify::{FieldCheck, UNVERIFIED_FIELDS};
use serde_json::{Value, json};

use super::{is_found, verdict};
use crate::folder_forger::{change_record, renew, write};

/// A text or a number in a file of a results folder.
#[derive(Debug, Clone)]
struct Leaf {
    /// The file, from the folder.
    file: String,
    /// Where it stands in the file: the names and numbers from its root.
    pointer: String,
    /// The same with `[]` in the place of numbers.
    field: String,
}

impl Leaf {
    /// What the list of passed-over fields calls the file.
    fn kind(&self) -> &str {
        match self.file.strip_prefix("cells/") {
            Some(_) => "cells",
            None => &self.file,
        }
    }

    /// True where tables, figures and page are made from the file.
    fn is_drawn(&self) -> bool {
        ["cells", "experiment.json"].contains(&self.kind())
    }
}

/// Adds the leaves of `value`.
fn collect(value: &Value, at: &Leaf, found: &mut Vec<Leaf>) {
    match value {
        Value::Object(entries) => {
            for (name, value) in entries {
                let escaped = name.replace('~', "~0").replace('/', "~1");
                let field = match at.field.as_str() {
                    "" => name.clone(),
                    field => format!("{field}.{name}"),
                };
                let below = Leaf {
                    pointer: format!("{}/{escaped}", at.pointer),
                    field,
                    ..at.clone()
                };
                collect(value, &below, found);
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                let below = Leaf {
                    pointer: format!("{}/{index}", at.pointer),
                    field: format!("{}[]", at.field),
                    ..at.clone()
                };
                collect(value, &below, found);
            }
        }
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) => found.push(at.clone()),
    }
}

/// The files below a folder with this ending, from the folder.
fn files(out: &Path, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![out.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => open.push(path),
                false => {
                    let name = path.strip_prefix(out).expect("a file inside");
                    found.push(name.to_string_lossy().into_owned());
                }
            }
        }
    }
    found.retain(|name| name.ends_with(ending));
    found.sort();
    found
}

/// The object in a file that leaves are of: of a cell its record.
fn content(out: &Path, file: &str) -> Value {
    let text = fs::read(out.join(file)).expect("a file");
    let mut value: Value = serde_json::from_slice(&text).expect("JSON");
    match file.starts_with("cells/") {
        true => value["record"].take(),
        false => value,
    }
}

/// Every leaf of the folder.
fn leaves(out: &Path) -> Vec<Leaf> {
    let mut found = Vec::new();
    for file in files(out, ".json") {
        let root = Leaf {
            pointer: String::new(),
            field: String::new(),
            file,
        };
        collect(&content(out, &root.file), &root, &mut found);
    }
    found
}

/// At most `most` leaves of each field of each kind of file, spread over all of them.
fn spread(all: Vec<Leaf>, most: usize) -> Vec<Leaf> {
    let mut groups: BTreeMap<(String, String), Vec<Leaf>> = BTreeMap::new();
    for leaf in all {
        let name = (leaf.kind().to_owned(), leaf.field.clone());
        groups.entry(name).or_default().push(leaf);
    }
    let chosen = groups.into_values().flat_map(|group| {
        let count = group.len();
        let step = count.div_ceil(most).max(1);
        // the last ones, which are compared most often, in the end
        let at = move |index: &usize| (count - 1 - index).is_multiple_of(step);
        let chosen = (0..count).filter(at).map(|index| group[index].clone());
        chosen.collect::<Vec<_>>()
    });
    chosen.collect()
}

/// Other values that may stand in the place of one: of a number one in its last bit, and another.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(is) => vec![json!(!is)],
        Value::String(text) => vec![json!(other_text(text))],
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => vec![json!(whole ^ 1), json!(2 * whole + 3)],
            (None, Some(real)) => vec![json!(real.next_up()), json!(2.0 * real + 1.0)],
            (None, None) => vec![json!(1)],
        },
        _ => Vec::new(),
    }
}

/// A text with another letter or digit in its middle.
fn other_text(text: &str) -> String {
    let letters = text
        .char_indices()
        .filter(|(_, c)| c.is_ascii_alphanumeric());
    let places: Vec<(usize, char)> = letters.collect();
    let Some((at, old)) = places.get(places.len() / 2).copied() else {
        return format!("{text}a");
    };
    let new = match old {
        '0'..='8' | 'a'..='y' | 'A'..='Y' => char::from(old as u8 + 1),
        '9' => '8',
        'z' => 'y',
        _ => 'X',
    };
    format!("{}{new}{}", &text[..at], &text[at + 1..])
}

/// A copy of a folder's files, to be put back.
struct Before(Vec<(PathBuf, Vec<u8>)>);

impl Before {
    fn of(out: &Path) -> Self {
        let files = files(out, "").into_iter().map(|name| out.join(name));
        Self(
            files
                .map(|path| {
                    let bytes = fs::read(&path).expect("a file");
                    (path, bytes)
                })
                .collect(),
        )
    }

    fn restore(&self) {
        for (path, bytes) in &self.0 {
            if !fs::read(path).is_ok_and(|there| there == *bytes) {
                fs::write(path, bytes).expect("a file");
            }
        }
    }
}

/// Puts another value in the place of a leaf, and renews what has its checksum.
fn put(out: &Path, leaf: &Leaf, other: &Value) {
    let path = out.join(&leaf.file);
    let mut value = content(out, &leaf.file);
    *value.pointer_mut(&leaf.pointer).expect("a leaf") = other.clone();
    match leaf.kind() {
        "cells" => {
            change_record(&path, |_| value.to_string());
            // a record that nobody can read has no manifest
            renew(out);
            let _ = renew_manifest(out);
        }
        "outputs.json" => {
            let text = serde_json::to_vec_pretty(&value).expect("JSON");
            if leaf.field == "sum" {
                return write(&path, &value);
            }
            // a list that nobody can read stays as it is
            let sealed = delassus_records::outputs::sealed(&text).unwrap_or(text);
            fs::write(&path, sealed).expect("a file");
            return;
        }
        "bundle.json" => return write(&path, &value),
        _ => write(&path, &value),
    }
    renew(out);
}

/// Makes the manifest again from the records.
fn renew_manifest(out: &Path) -> Option<()> {
    let report = results::load(out, &Registry::standard()).ok()?;
    let path = out.join("manifest.json");
    let said: Value = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
    let spec = said["spec_sha256"].as_str()?;
    let mut own = manifest::manifest(&Build::UNKNOWN, spec, &report.bundle.records);
    own[ROOT] = said[ROOT].clone();
    write(&path, &own);
    Some(())
}

/// Draws tables, figures and page again.
fn redraw(out: &Path) {
    if let Ok(report) = results::load(out, &Registry::standard()) {
        results::draw(&report, out).expect("a report");
        renew(out);
    }
}

/// True if running the cell of the leaf again finds the change, or leaves something unchecked.
fn is_found_again(out: &Path, leaf: &Leaf) -> bool {
    let key = leaf.file.strip_prefix("cells/");
    let Some(key) = key.and_then(|file| file.strip_suffix(".json")) else {
        return false;
    };
    let (registry, cancel) = (Registry::standard(), AtomicBool::new(false));
    let keys = [key.to_owned()];
    let again = rerun(out, None, &keys, &registry, None, &cancel);
    again.map_or(true, |again| again.same == 0)
}

/// Fields of which a change is not noticed, by their files.
type Fields = BTreeSet<(String, String)>;

/// What is not noticed by `verify`, and by `verify --rerun`.
#[derive(Debug, Default)]
pub(super) struct Unnoticed {
    plain: Fields,
    rerun: Fields,
    tries: usize,
}

impl Unnoticed {
    /// Changes leaves of the folder, at most `most` of each field.
    pub(super) fn attack(&mut self, out: &Path, most: usize) {
        let before = Before::of(out);
        assert!(!is_found(out), "{:?}", verdict(out));
        for leaf in spread(leaves(out), most) {
            let value = content(out, &leaf.file);
            let value = value.pointer(&leaf.pointer).expect("a leaf");
            for other in others(value) {
                self.tries += 1;
                put(out, &leaf, &other);
                // a list says what it says, whatever is drawn
                let mut found = is_found(out);
                if found && leaf.is_drawn() && !is_found_but_for_views(out) {
                    redraw(out);
                    found = is_found(out);
                }
                if !found {
                    let name = (leaf.kind().to_owned(), leaf.field.clone());
                    if !is_found_again(out, &leaf) {
                        self.rerun.insert(name.clone());
                    }
                    self.plain.insert(name);
                }
                before.restore();
            }
        }
        assert!(!is_found(out), "{:?}", verdict(out));
    }
}

/// Deletes each file of the folder, and flips a bit of each: all of it is found.
pub(super) fn spoil_each_file(out: &Path) {
    let before = Before::of(out);
    for (number, (path, bytes)) in before.0.iter().enumerate() {
        // they have no content that counts
        if bytes.is_empty() || path.ends_with(".lock") || path.ends_with(".made-here") {
            continue;
        }
        fs::remove_file(path).expect("a file");
        assert!(is_found(out), "{path:?} is gone");
        let mut flipped = bytes.clone();
        let at = (7919 * (number + 1)) % bytes.len();
        flipped[at] ^= 1 << (number % 8);
        fs::write(path, flipped).expect("a file");
        assert!(is_found(out), "bit {} of byte {at} of {path:?}", number % 8);
        before.restore();
    }
    assert!(!is_found(out), "{:?}", verdict(out));
}

impl Unnoticed {
    /// Prints what is not noticed, and fails if one of it is not in the list.
    pub(super) fn is_listed(&self) {
        println!("{} changes of a value", self.tries);
        for (by, fields) in [("verify", &self.plain), ("verify --rerun", &self.rerun)] {
            println!("not noticed by {by}:");
            for (file, field) in fields {
                println!("  {file}: {field}");
            }
        }
        let covered = |fields: &Fields, by_rerun: bool| -> Vec<String> {
            let is_listed = |file: &str, field: &str| {
                let mut list = UNVERIFIED_FIELDS
                    .iter()
                    .filter(|entry| entry.covers(file, field));
                list.any(|entry| by_rerun || matches!(entry.by, FieldCheck::Nothing(_)))
            };
            let left = fields
                .iter()
                .filter(|(file, field)| !is_listed(file, field));
            left.map(|(file, field)| format!("{file}: {field}"))
                .collect()
        };
        assert_eq!(covered(&self.plain, true), Vec::<String>::new());
        assert_eq!(covered(&self.rerun, false), Vec::<String>::new());
    }
}

/// True if something is found that is no view.
fn is_found_but_for_views(out: &Path) -> bool {
    let Some(verdict) = verdict(out) else {
        return true;
    };
    let is_view = |file: &str| {
        let folders = ["figures/", "tables/"];
        let names = [
            "report.html",
            "replay.html",
            "summary.csv",
            "records.csv",
            "outputs.json",
        ];
        folders.iter().any(|folder| file.starts_with(folder)) || names.contains(&file)
    };
    let named = [verdict.findings, verdict.unchecked, verdict.redrawn];
    named.iter().flatten().any(|found| !is_view(&found.file))
}

/// Makes the bundle of a results folder in the folder `to`, as if it had been unpacked there.
pub(super) fn bundle(out: &Path, to: &Path) {
    let registry = Registry::standard();
    let mut parcel = passing::collect(out, None, None, &registry).expect("a bundle");
    passing::complete(&mut parcel, false, &registry).expect("texts");
    for (name, content) in &parcel.files {
        let path = to.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let (mut from, _) = content.open().expect("a file");
        let mut file = fs::File::create(path).expect("a file");
        std::io::copy(&mut from, &mut file).expect("a copy");
    }
}
