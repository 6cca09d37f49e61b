//! Changes of a JSON value by entries: what a mutation leaves of a genuine file, which bytes drawn
//! at random never are.

use serde_json::Value;

/// Changes `target` by a merge patch (RFC 7396): null removes an entry, an object changes entries,
/// everything else takes the place of the value.
pub(super) fn merge(target: &mut Value, patch: Value) {
    let Value::Object(changes) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Default::default());
    }
    let Some(entries) = target.as_object_mut() else {
        return;
    };
    for (name, change) in changes {
        match change {
            Value::Null => drop(entries.remove(&name)),
            change => merge(entries.entry(name).or_insert(Value::Null), change),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn patches_change_remove_and_replace() {
        let mut value = json!({ "a": { "b": 1, "c": 2 }, "d": [3] });
        merge(
            &mut value,
            json!({ "a": { "b": null, "e": 4 }, "d": "f", "g": { "h": null } }),
        );
        assert_eq!(value, json!({ "a": { "c": 2, "e": 4 }, "d": "f", "g": {} }));
        merge(&mut value, json!([]));
        assert_eq!(value, json!([]));
    }
}
