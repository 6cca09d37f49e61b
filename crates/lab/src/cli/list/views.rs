//! `delassus list figures` and `tables`: the kinds of views of a spec, with their keys.

use serde_json::{Map, Value, json};

use super::item::{Item, cells, part};

/// The kinds that `schema`, of an entry of a spec, allows under `key`; `page` documents them.
pub(super) fn kinds(schema: &Value, key: &str, page: &str) -> Vec<Item> {
    let kinds = schema["properties"][key]["properties"].as_object();
    let kinds = kinds.into_iter().flatten();
    kinds.map(|(id, kind)| item(id, kind, page)).collect()
}

fn item(id: &str, kind: &Value, page: &str) -> Item {
    let summary = text(kind, "description");
    let needed: Vec<&str> = texts(&kind["required"]).collect();
    let none = Map::new();
    let keys = kind["properties"].as_object().unwrap_or(&none);
    let lines = keys.iter().map(|(key, setting)| {
        let mark = if needed.contains(&key.as_str()) {
            " (needed)"
        } else {
            ""
        };
        let words: Vec<&str> = texts(&setting["enum"]).collect();
        let words = match words.as_slice() {
            [] => String::new(),
            words => format!(" One of {}.", words.join(", ")),
        };
        format!("{key}{mark}: {}{words}\n", text(setting, "description"))
    });
    let required = match needed.as_slice() {
        [] => "-".to_owned(),
        keys => keys.join(", "),
    };
    Item {
        aliases: &[],
        line: cells(&[id, &required, summary]),
        page: vec![
            part(id, summary),
            part("keys", lines.collect::<String>()),
            part("more", format!("docs/{page}#{id}")),
        ],
        json: json!({ "id": id, "summary": summary, "needs": needed, "keys": keys }),
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}
