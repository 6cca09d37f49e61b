//! Somebody who changes a results folder and renews every checksum, list and root in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use delassus_records::key::{of_bytes, of_text};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The list of files, in the order in which its checksum is taken.
#[derive(Serialize, Deserialize)]
struct List {
    of: String,
    files: BTreeMap<String, Written>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    cells: BTreeMap<String, String>,
    sum: String,
}

#[derive(Serialize, Deserialize)]
struct Written {
    bytes: u64,
    sha256: String,
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Replaces the first `from` of a file of text.
pub(crate) fn replace(path: &Path, from: &str, to: &str) {
    let text = read(path);
    assert!(text.contains(from), "no {from} in {}", path.display());
    fs::write(path, text.replacen(from, to, 1)).expect("a file");
}

/// Changes an object in a file of JSON, which is written as the program does.
pub(crate) fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_str(&read(path)).expect("JSON");
    change(&mut value);
    write(path, &value);
}

/// Writes JSON as the program does.
pub(crate) fn write(path: &Path, value: &impl Serialize) {
    let text = serde_json::to_string_pretty(value).expect("JSON");
    fs::write(path, text + "\n").expect("a file");
}

/// The record in the text of a cell's file.
fn record_of(text: &str) -> &str {
    let start = text.find("\"record\":").expect("a record") + "\"record\":".len();
    &text[start..text.len() - 2]
}

/// Changes a record, and gives it the checksum of its new text.
pub(crate) fn change_record(path: &Path, change: impl FnOnce(&str) -> String) {
    let text = read(path);
    let record = change(record_of(&text));
    assert_ne!(record, record_of(&text), "nothing has changed");
    let sum = of_text(&record);
    let text = format!("{{\"schema\":2,\"sha256\":\"{sum}\",\"record\":{record}}}\n");
    fs::write(path, text).expect("a file");
}

pub(crate) fn root(cells: &BTreeMap<String, String>) -> String {
    let lines = cells.iter().map(|(key, sum)| format!("{key} {sum}\n"));
    of_text(&lines.collect::<String>())
}

/// Renews the lists of a results folder: the checksums of its records and their root, the hashes of
/// the files, and the checksum of the list.
pub(crate) fn renew(folder: &Path) {
    let path = folder.join("outputs.json");
    let mut list: List = serde_json::from_str(&read(&path)).expect("a list");
    let old = root(&list.cells);
    for (key, sum) in &mut list.cells {
        let record = read(&folder.join(format!("cells/{key}.json")));
        *sum = of_text(record_of(&record));
    }
    let manifest = folder.join("manifest.json");
    let text = read(&manifest).replace(&old, &root(&list.cells));
    fs::write(manifest, text).expect("a file");
    for (name, written) in &mut list.files {
        let bytes = fs::read(folder.join(name)).expect("a listed file");
        (written.bytes, written.sha256) = (bytes.len() as u64, of_bytes(&bytes));
    }
    put(&path, list);
    let path = folder.join("bundle.json");
    if path.exists() {
        edit(&path, |bundle| {
            let names = bundle["files"].as_object().expect("files").keys();
            for name in names.cloned().collect::<Vec<_>>() {
                list_file(bundle, &name, Some(&folder.join(&name)));
            }
        });
    }
}

/// Renews the entries of a file in the list of a bundle, or takes them away.
pub(crate) fn list_file(bundle: &mut Value, name: &str, path: Option<&Path>) {
    let bytes = path.map(|path| fs::read(path).expect("a listed file"));
    let entries = bytes.map(|bytes| [of_bytes(&bytes).into(), bytes.len().into()]);
    let entries: [Option<Value>; 2] = entries.map_or([None, None], |entries| entries.map(Some));
    for (list, entry) in ["files", "bytes"].into_iter().zip(entries) {
        let list = bundle[list].as_object_mut().expect("a list");
        match entry {
            Some(entry) => drop(list.insert(name.to_owned(), entry)),
            None => drop(list.shift_remove(name)),
        }
    }
}

/// Takes a cell away, with its entries in the lists of a bundle and the root of the cells.
pub(crate) fn take_cell(folder: &Path, key: &str) {
    let path = folder.join("outputs.json");
    let mut list: List = serde_json::from_str(&read(&path)).expect("a list");
    let old = root(&list.cells);
    list.cells.remove(key).expect("a cell");
    replace(&folder.join("manifest.json"), &old, &root(&list.cells));
    put(&path, list);
    for ending in ["json", "impulses"] {
        let name = format!("cells/{key}.{ending}");
        fs::remove_file(folder.join(&name)).expect("a file of the cell");
        edit(&folder.join("bundle.json"), |bundle| {
            list_file(bundle, &name, None);
        });
    }
}

fn put(path: &Path, mut list: List) {
    list.sum.clear();
    list.sum = of_bytes(&serde_json::to_vec(&list).expect("JSON"));
    write(path, &list);
}

/// Says in the list that nothing is known of what its files were made from.
pub(crate) fn forget_source(folder: &Path) {
    let path = folder.join("outputs.json");
    let mut list: List = serde_json::from_str(&read(&path)).expect("a list");
    list.of.clear();
    put(&path, list);
}

/// Copies a folder with all that is in it, as an archive would: the copy is another folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => {
                fs::copy(entry.path(), target).expect("a copy");
            }
        }
    }
}
