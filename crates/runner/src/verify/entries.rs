//! What stands in the text of a record and is none of its entries.

use std::io::{self, Write};

use serde_json::Value;

use crate::memory;
use crate::record::CellRecord;

/// Memory that the entries of two texts take, per byte of one of them \[-\].
const OF_ENTRIES: u64 = 10;

/// Names the entries in the text of a record that no record of this program has, if there are some;
/// in a record of this program (`is_own`) no other letter may differ either: an entry that is there
/// twice, one that is nested too deeply to be read, a number with more digits.
pub(super) fn strange(record: &CellRecord, text: &[u8], is_own: bool) -> Option<String> {
    // a record may take a good part of the memory: it is written against the text, not beside it
    let mut rest = TextLeft(text);
    if serde_json::to_writer(&mut rest, record).is_ok() && rest.0.is_empty() {
        return None;
    }
    if memory::free() / OF_ENTRIES < text.len() as u64 {
        let what = "is not in the form in which this program writes it, and its entries need more memory than there is";
        return Some(what.to_owned());
    }
    let own = serde_json::to_vec(record).ok()?;
    let mut found = Vec::new();
    let [said, known] = [text, &own].map(serde_json::from_slice);
    if let (Ok(said), Ok(known)) = (said, known) {
        compare(&said, &known, "", &mut found);
    }
    match (found.is_empty(), is_own) {
        (false, _) => Some(format!(
            "has entries that no record has: {}",
            found.join(", ")
        )),
        (true, true) => Some(
            "has the right values, but not in the form in which this program writes them"
                .to_owned(),
        ),
        (true, false) => None,
    }
}

/// What is left of a text of which everything that is written takes the same bytes away.
struct TextLeft<'t>(&'t [u8]);

impl Write for TextLeft<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let rest = self.0.strip_prefix(bytes);
        self.0 = rest.ok_or(io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Adds the paths of the entries of `said` that `known` does not have. One that is null says
/// nothing.
fn compare(said: &Value, known: &Value, path: &str, found: &mut Vec<String>) {
    match (said, known) {
        (Value::Object(said), Value::Object(known)) => {
            for (name, value) in said {
                let path = match path {
                    "" => name.clone(),
                    path => format!("{path}.{name}"),
                };
                match known.get(name) {
                    Some(known) => compare(value, known, &path, found),
                    None if value.is_null() => {}
                    None => found.push(path),
                }
            }
        }
        (Value::Array(said), Value::Array(known)) => {
            for (index, (said, known)) in said.iter().zip(known).enumerate() {
                compare(said, known, &format!("{path}[{index}]"), found);
            }
        }
        _ => {}
    }
}
