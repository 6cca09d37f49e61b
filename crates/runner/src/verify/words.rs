//! How two values differ, in words.

use serde::Serialize;

/// Adds what differs between a record and what follows from the spec, if something does.
pub(super) fn differ<T: PartialEq + Serialize>(
    found: &mut Vec<String>,
    what: &str,
    recorded: &T,
    own: &T,
) {
    if recorded != own {
        found.push(differs(what, recorded, own));
    }
}

/// Names the first place at which two values differ, written as in the file of a record.
pub(super) fn differs(what: &str, recorded: &impl Serialize, own: &impl Serialize) -> String {
    let text = |value: String| match value.as_str() {
        "null" => "nothing".to_owned(),
        _ => value,
    };
    let [recorded, own] = [json_text(recorded), json_text(own)].map(text);
    let same = recorded.chars().zip(own.chars());
    let same = same.take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(20);
    let part = |text: &str| text.chars().skip(from).take(60).collect::<String>();
    format!(
        "its {what} is …{}…, but the spec gives …{}…",
        part(&recorded),
        part(&own)
    )
}

/// A value as JSON; what has no such form is a fault of the program, and says so.
pub(super) fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| format!("not to be written ({error})"))
}
