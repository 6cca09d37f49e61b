//! What stands in the text of a record and is none of its entries.

use serde_json::Value;

use crate::record::CellRecord;

/// Names the entries in the text of a record that no record of this program has, if there are some.
pub(super) fn strange(record: &CellRecord, text: &[u8]) -> Option<String> {
    let own = serde_json::to_vec(record).ok()?;
    if own == text {
        return None;
    }
    let [said, known] = [text, &own].map(|text| serde_json::from_slice(text).ok());
    let mut found = Vec::new();
    compare(&said?, &known?, "", &mut found);
    match found.is_empty() {
        true => None,
        false => Some(format!(
            "has entries that no record has: {}",
            found.join(", ")
        )),
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
