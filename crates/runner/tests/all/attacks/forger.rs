//! Somebody who changes results, and knows which checksums to renew.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use delassus_records::key::of_bytes;
use serde_json::Value;

use crate::folder_forger::{self, change_record, forget_source, renew};

/// A generator of Lehmer: the attacks are spread, and the same in every test.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0 * 48_271 % 0x7fff_ffff;
        usize::try_from(self.0 >> 8).expect("a small number") % limit
    }
}

/// Every status without a number.
const STATUSES: [&str; 15] = [
    "solved",
    "max_sweeps",
    "max_time",
    "stagnated",
    "diverged",
    "non_finite",
    "infeasible",
    "unsupported",
    "failed",
    "broken",
    "cancelled",
    "timeout",
    "out_of_memory",
    "crashed",
    "device_lost",
];

/// One attack on a folder.
pub(crate) struct Forger<'f> {
    out: &'f Path,
    random: &'f mut Random,
    /// What was there before.
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl<'f> Forger<'f> {
    pub(crate) fn new(out: &'f Path, random: &'f mut Random) -> Self {
        Self {
            out,
            random,
            before: BTreeMap::new(),
        }
    }

    pub(crate) fn out(&self) -> &Path {
        self.out
    }

    /// Puts back what was there.
    pub(crate) fn restore(self) {
        for (path, bytes) in self.before {
            fs::write(path, bytes).expect("a file");
        }
    }

    /// The bytes of a file that is to be changed.
    fn take(&mut self, path: &Path) -> Vec<u8> {
        let bytes = fs::read(path).expect("a file");
        self.before
            .entry(path.to_owned())
            .or_insert_with(|| bytes.clone());
        bytes
    }

    /// Any file of the folder.
    fn any(&mut self) -> PathBuf {
        let mut files = Vec::new();
        let mut folders = vec![self.out.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("a file").path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => files.push(path),
                }
            }
        }
        // they have no content that counts
        files.retain(|path| !path.ends_with(".lock") && !path.ends_with(".made-here"));
        files.sort();
        files.swap_remove(self.random.below(files.len()))
    }

    pub(crate) fn flip(&mut self) -> String {
        let path = self.any();
        let mut bytes = self.take(&path);
        let bit = self.random.below(8 * bytes.len());
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, bytes).expect("a file");
        format!("bit {bit} of {}", path.display())
    }

    pub(crate) fn delete(&mut self) -> String {
        let path = self.any();
        self.take(&path);
        fs::remove_file(&path).expect("a file");
        path.display().to_string()
    }

    /// A record, and where it stands in its file.
    fn record(&mut self) -> (PathBuf, String) {
        let records = fs::read_dir(self.out.join("cells")).expect("cells");
        let mut records: Vec<PathBuf> =
            records.map(|entry| entry.expect("a file").path()).collect();
        records.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        records.sort();
        let path = records.swap_remove(self.random.below(records.len()));
        let text = String::from_utf8(self.take(&path)).expect("text");
        let start = text.find("\"record\":").expect("a record") + "\"record\":".len();
        (path, text[start..text.len() - 2].to_owned())
    }

    /// Writes a record, and renews its checksum wherever that stands.
    fn put_everywhere(&mut self, path: &Path, record: &str) {
        change_record(path, |_| record.to_owned());
        self.renew();
    }

    /// Renews every checksum, list and root.
    fn renew(&mut self) {
        for name in ["manifest.json", "outputs.json"] {
            self.take(&self.out.join(name));
        }
        renew(self.out);
    }

    /// Another letter or digit at one of these places of a text.
    fn change(&mut self, text: &mut String, places: &[usize]) -> String {
        let at = places[self.random.below(places.len())];
        let byte = text.as_bytes()[at];
        let kind = match byte {
            b'0'..=b'9' => b'0'..=b'9',
            b'a'..=b'z' => b'a'..=b'z',
            _ => b'A'..=b'Z',
        };
        let others: Vec<u8> = kind.filter(|other| *other != byte).collect();
        let other = others[self.random.below(others.len())];
        let from = at.saturating_sub(20);
        let near = text.get(from..at + 10).unwrap_or_default().to_owned();
        text.replace_range(at..=at, &char::from(other).to_string());
        format!("…{near}… has {:?} at {at}", char::from(other))
    }

    /// The first record that has `part` in its text, and where it stands in its file.
    fn record_with(&mut self, part: &str) -> (PathBuf, Value) {
        let records = fs::read_dir(self.out.join("cells")).expect("cells");
        let mut records: Vec<PathBuf> =
            records.map(|entry| entry.expect("a file").path()).collect();
        records.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        records.sort();
        let has_part =
            |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| text.contains(part));
        let path = records.into_iter().find(has_part).expect(part);
        let cell: Value = serde_json::from_slice(&self.take(&path)).expect("a cell");
        (path, cell["record"].clone())
    }

    /// Changes that record, and renews its checksum wherever that stands; its file.
    pub(crate) fn edit(&mut self, part: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
        let (path, mut record) = self.record_with(part);
        change(&mut record);
        self.put_everywhere(&path, &record.to_string());
        path
    }

    /// Gives the experiment its first cell once more; its file.
    pub(crate) fn double_cell(&mut self) -> PathBuf {
        let path = self.out.join("experiment.json");
        self.take(&path);
        folder_forger::edit(&path, |said| {
            let first = said["cells"][0].clone();
            said["cells"].as_array_mut().expect("cells").push(first);
        });
        self.renew();
        path
    }

    /// Puts another replay in the place of that of the record, and renews its hash; its file.
    pub(crate) fn put_replay(&mut self, part: &str, bytes: &[u8]) -> PathBuf {
        let sum = of_bytes(bytes);
        let path = self.edit(part, |record| {
            record["outcome"]["replay_hash"] = sum.into();
        });
        let path = path.with_extension("replay");
        self.take(&path);
        fs::write(&path, bytes).expect("a file");
        path
    }

    /// Changes anything that a record says, dates and times among it.
    pub(crate) fn change_record(&mut self) -> String {
        let (path, mut record) = self.record();
        let places = alphanumeric(&record, 0..record.len());
        let what = self.change(&mut record, &places);
        change_record(&path, |_| record);
        what
    }

    /// Changes what a record says of problem, scheme, solver, columns or counts.
    pub(crate) fn change_texts(&mut self) -> String {
        let (path, mut record) = self.record();
        let mut places = Vec::new();
        for name in ["problem", "scheme", "solver", "metrics", "approximations"] {
            places.extend(values(&record, name));
        }
        for name in ["rows", "blocks", "contacts", "bodies"] {
            places.extend(number(&record, name));
        }
        let what = self.change(&mut record, &places);
        self.put_everywhere(&path, &record);
        what
    }

    /// Removes or doubles a sample of a record, between the first and the last where there is one.
    pub(crate) fn change_samples(&mut self) -> String {
        let (path, mut record, count) = loop {
            let (path, text) = self.record();
            let record: Value = serde_json::from_str(&text).expect("a record");
            let count = record["outcome"]["samples"].as_array().map_or(0, Vec::len);
            if count > 1 {
                break (path, record, count);
            }
            self.before.remove(&path);
        };
        let samples = record["outcome"]["samples"].as_array_mut();
        let samples = samples.expect("samples");
        let at = 1 + self.random.below((count - 2).max(1));
        let what = match self.random.below(2) {
            0 => {
                samples.remove(at);
                "removed"
            }
            _ => {
                samples.insert(at, samples[at].clone());
                "doubled"
            }
        };
        self.put_everywhere(&path, &record.to_string());
        format!("{what} sample {at} of {count} of {}", path.display())
    }

    /// Gives a record whose status follows from the rest another one.
    pub(crate) fn relabel(&mut self) -> String {
        let start = "\"status\":\"";
        let (path, record, old) = loop {
            let (path, record) = self.record();
            let at = record.find(start).expect("a status") + start.len();
            let old: String = record[at..].chars().take_while(|c| *c != '"').collect();
            if ["solved", "max_sweeps", "unsupported"].contains(&old.as_str()) {
                break (path, record, old);
            }
        };
        let others: Vec<&str> = STATUSES.into_iter().filter(|other| *other != old).collect();
        let other = others[self.random.below(others.len())];
        let record = record.replacen(&format!("{start}{old}"), &format!("{start}{other}"), 1);
        self.put_everywhere(&path, &record);
        format!("{old} became {other}")
    }

    /// Changes a letter of a file that the report wrote, and renews its hash. Every other time the
    /// list says that nothing is known of what the files were made from.
    pub(crate) fn change_view(&mut self) -> String {
        let list = self.take(&self.out.join("outputs.json"));
        let list: Value = serde_json::from_slice(&list).expect("a list");
        if self.random.below(2) == 0 {
            forget_source(self.out);
        }
        let is_text = |name: &&String| !name.ends_with(".png") && !name.ends_with(".pdf");
        let names = list["files"].as_object().expect("files").keys();
        // in the order of the list
        let names: Vec<&String> = names.filter(is_text).collect();
        let name = names[self.random.below(names.len())];
        let path = self.out.join(name);
        let mut text = String::from_utf8(self.take(&path)).expect("text");
        let places = alphanumeric(&text, 0..text.len());
        let what = self.change(&mut text, &places);
        fs::write(&path, &text).expect("a file");
        self.renew();
        format!("{name}: {what}")
    }
}

/// The places of letters and digits.
fn alphanumeric(text: &str, range: Range<usize>) -> Vec<usize> {
    let bytes = text.as_bytes();
    range
        .filter(|at| bytes[*at].is_ascii_alphanumeric())
        .collect()
}

/// The places of the letters and digits of the values of the entry `name` of a record, which is an
/// object or an array.
fn values(record: &str, name: &str) -> Vec<usize> {
    let Some(start) = record.find(&format!("\"{name}\":")) else {
        return Vec::new();
    };
    let bytes = record.as_bytes();
    let (mut at, mut depth) = (start + name.len() + 3, 0);
    let mut places = Vec::new();
    loop {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let end = at + 1 + record[at + 1..].find('"').expect("the end of a text");
                if bytes[end + 1] != b':' {
                    places.extend(alphanumeric(record, at + 1..end));
                }
                at = end;
            }
            // a digit of a number, not one of its exponent or of a word
            b'1'..=b'9' if !bytes[at - 1].is_ascii_alphanumeric() => places.push(at),
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return places;
        }
    }
}

/// The first digit of the number of this name among the facts.
fn number(record: &str, name: &str) -> Vec<usize> {
    let facts = record.find("\"facts\":").expect("facts");
    let at = record[facts..]
        .find(&format!("\"{name}\":"))
        .expect("a fact");
    let at = facts + at + name.len() + 3;
    alphanumeric(record, at..at + 1)
        .into_iter()
        .filter(|at| record.as_bytes()[*at].is_ascii_digit())
        .collect()
}
