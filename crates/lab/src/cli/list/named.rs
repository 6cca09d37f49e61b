//! Lists and their entries by name, for verbs that explain words.

use clap::ValueEnum as _;
use serde_json::Value;

use super::item::{Item, cells};
use super::{elsewhere, find, header, items, metrics, metrics_of_solves, motion, page, singular};
use crate::cli::args::ListWhat;
use crate::registry::Registry;

/// Lists for which programs would be started.
const STARTING: [ListWhat; 2] = [ListWhat::Peers, ListWhat::Engines];

/// A list as `explain` shows it.
pub(crate) struct NamedList {
    /// The header, then a line per entry; empty for a list for which programs would be started.
    pub(crate) rows: Vec<Vec<String>>,
    /// The names of the entries.
    pub(crate) ids: Vec<String>,
    /// What to do next.
    pub(crate) hint: String,
}

/// The list that a word names, in the singular or the plural.
pub(crate) fn list_named(word: &str, registry: &Registry) -> Option<NamedList> {
    let word = word.to_lowercase();
    let variants = ListWhat::value_variants().iter();
    let what = variants.copied().find(|what| {
        let plural = what.to_possible_value();
        plural.is_some_and(|plural| plural.get_name() == word) || singular(*what) == word
    });
    let what = what?;
    let list = what.to_possible_value()?;
    let list = list.get_name();
    if STARTING.contains(&what) {
        return Some(NamedList {
            rows: Vec::new(),
            ids: Vec::new(),
            hint: format!("`delassus list {list}` says which are on this machine"),
        });
    }
    let items = items(what, registry).ok()?;
    let mut rows = vec![cells(header(what))];
    rows.extend(items.iter().map(|item| item.line.clone()));
    Some(NamedList {
        rows,
        ids: items.iter().map(|item| item.id().to_owned()).collect(),
        hint: format!("`delassus list {list} NAME` describes one of them"),
    })
}

/// Pages and objects of the entries of lists with this name, but for metrics and statuses.
pub(crate) fn entries_named(name: &str, registry: &Registry) -> Vec<(String, Value)> {
    let apart = [ListWhat::Metrics, ListWhat::Observables, ListWhat::Statuses];
    let lists = ListWhat::value_variants().iter();
    let lists = lists.filter(|what| !apart.contains(what) && !STARTING.contains(what));
    let mut found = Vec::new();
    for what in lists {
        let items = items(*what, registry).unwrap_or_default();
        let kind = singular(*what);
        found.extend(find(name, &items).into_iter().map(|item| {
            let mut object = item.json.clone();
            object["kind"] = kind.into();
            (format!("{kind}: {}", page(&item.page)), object)
        }));
    }
    found
}

/// Pages and objects of the metrics and observables with this name.
pub(crate) fn metrics_named(name: &str) -> Vec<(String, Value)> {
    let of_solves: Vec<Item> = metrics_of_solves().collect();
    let over_time: Vec<Item> = motion::observables().into_iter().collect();
    let mut found = Vec::new();
    for (kind, items) in [("metric", of_solves), ("observable", over_time)] {
        found.extend(find(name, &items).into_iter().map(|item| {
            let mut object = item.json.clone();
            object["kind"] = kind.into();
            (format!("{kind}: {}", page(&item.page)), object)
        }));
    }
    found
}

/// The names of all metrics.
pub(crate) fn metric_names() -> Vec<String> {
    let ids = |item: &Item| item.id().to_owned();
    metrics().iter().map(ids).collect()
}

/// The command that shows a name of a list, for verbs that explain other words.
pub(crate) fn listed(name: &str, registry: &Registry) -> Option<String> {
    elsewhere(name, None, registry)
}
