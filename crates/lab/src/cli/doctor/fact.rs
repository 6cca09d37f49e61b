//! Lines of the answer.

use serde_json::Value;

/// One line of the answer; a line without a key goes on with the one before it, and is not in the
/// JSON.
pub(super) struct Fact {
    pub(super) key: &'static str,
    pub(super) shown: String,
    pub(super) json: Value,
}

pub(super) fn fact(key: &'static str, shown: impl Into<String>, json: impl Into<Value>) -> Fact {
    Fact {
        key,
        shown: shown.into(),
        json: json.into(),
    }
}
