//! A public type name has one meaning in the workspace.

use std::collections::BTreeMap;

use crate::workspace::{files, read, root};

/// Names that two crates still share. The list may only get shorter.
const SHARED: [&str; 0] = [];

/// The name of the public type that a line defines.
fn defined(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let kinds = ["struct ", "enum ", "trait ", "union ", "type "];
    let rest = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    // associated types of a trait implementation are not public items: they have no `pub`
    let name = &rest[..end.unwrap_or(rest.len())];
    // macros define types by a variable
    (!name.is_empty()).then_some(name)
}

#[test]
fn public_type_names_are_unique() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files(&["crates"], &[".rs"]) {
        let inside = path.strip_prefix(root()).expect("a file of the workspace");
        let shown = inside.to_string_lossy().into_owned();
        // other programs behind our benches are a workspace of their own
        if !shown.contains("/src/") || shown.starts_with("crates/peers") {
            continue;
        }
        for name in read(&path).lines().filter_map(defined) {
            places
                .entry(name.to_owned())
                .or_default()
                .push(shown.clone());
        }
    }
    assert!(places.len() > 500, "only {} types were found", places.len());
    places.retain(|_, files| files.len() > 1);
    let found: Vec<&str> = places.keys().map(String::as_str).collect();
    assert_eq!(
        found, SHARED,
        "each public type needs a name of its own: {places:#?}"
    );
}

#[test]
fn definitions_are_recognised() {
    assert_eq!(defined("pub struct World<'a> {"), Some("World"));
    assert_eq!(defined("    pub enum Kind"), Some("Kind"));
    assert_eq!(defined("pub(crate) struct Inner;"), None);
    assert_eq!(defined("struct Inner;"), None);
    assert_eq!(defined("pub fn world() {}"), None);
}
