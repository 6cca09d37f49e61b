//! What stands in the text of a record and is none of its entries.

use serde_json::Value;

use crate::record::CellRecord;

/// Names the entries in the text of a record that no record of this program has, if there are some;
/// in a record of this program (`is_own`) no other letter may differ either: an entry that is there
/// twice, one that is nested too deeply to be read, a number with more digits.
pub(super) fn strange(record: &CellRecord, text: &[u8], is_own: bool) -> Option<String> {
    let own = serde_json::to_vec(record).ok()?;
    if own == text {
        return None;
    }
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
