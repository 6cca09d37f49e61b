//! Goes on after an error: what is wrong is taken out of the tables of a spec, so that the rest is
//! read as well and one run shows every error.

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// Sections that figures, tables, strips and gates cannot ask about.
const UNASKED: [&str; 7] = [
    "title",
    "question",
    "max_memory",
    "limits",
    "stop",
    "timing",
    "reference",
];

/// What has been taken out.
#[derive(Debug, Default)]
pub(super) struct RemovedEntries {
    /// Where the tables begin that have lost something, and the arrays that have lost everything.
    altered: Vec<usize>,
    /// True if figures and tables could ask for something that is gone.
    asked: bool,
}

impl RemovedEntries {
    /// True if an error at this place may come from what has been taken out.
    pub(super) fn caused(&self, at: usize) -> bool {
        self.altered.contains(&at)
    }

    /// True if what figures and tables can ask for is as in the spec.
    pub(super) fn keeps_columns(&self) -> bool {
        !self.asked
    }

    /// Puts what was meant in the place of the misspelt `use` at the byte `at`; false if there is
    /// none, or if another entry uses what was meant.
    pub(super) fn put(&mut self, root: &mut DeTable<'_>, at: usize, meant: &str) -> bool {
        for (_, item) in root.iter_mut() {
            let DeValue::Array(entries) = item.get_mut() else {
                continue;
            };
            let named = |entry: &Spanned<DeValue<'_>>| {
                entry
                    .get_ref()
                    .get("use")
                    .and_then(|own| own.get_ref().as_str())
                    == Some(meant)
            };
            let is_taken = entries.iter().any(named);
            let places = entries
                .iter_mut()
                .filter_map(|entry| match entry.get_mut() {
                    DeValue::Table(table) => table.get_mut("use"),
                    _ => None,
                });
            let Some(item) = { places }.find(|item| item.span().contains(&at)) else {
                continue;
            };
            let place = item.span().start;
            if is_taken || self.caused(place) || !item.get_ref().is_str() {
                return false;
            }
            *item.get_mut() = DeValue::String(meant.to_owned().into());
            self.altered.push(place);
            self.asked = true;
            return true;
        }
        false
    }

    /// Takes the innermost entry at the byte `at` out; false if there is none.
    pub(super) fn take(&mut self, root: &mut DeTable<'_>, at: usize) -> bool {
        let Some(key) = self.of_table(root, at, 0) else {
            return false;
        };
        self.asked |= !UNASKED.contains(&key.as_str());
        true
    }

    /// The key of `table`, which begins at `own`, that lost something or is gone.
    fn of_table(&mut self, table: &mut DeTable<'_>, at: usize, own: usize) -> Option<String> {
        let mut found = None;
        for (key, item) in table.iter_mut() {
            let place = item.span();
            let inside = self.of_value(item.get_mut(), at, place.start);
            if inside || key.span().contains(&at) || place.contains(&at) {
                found = Some((key.get_ref().to_string(), inside));
                break;
            }
        }
        let (name, inside) = found?;
        if !inside {
            table.remove(name.as_str());
            self.altered.push(own);
        }
        Some(name)
    }

    /// True if something in `value`, which begins at `own`, is gone.
    fn of_value(&mut self, value: &mut DeValue<'_>, at: usize, own: usize) -> bool {
        let array = match value {
            DeValue::Table(table) => return self.of_table(table, at, own).is_some(),
            DeValue::Array(array) => array,
            _ => return false,
        };
        let mut gone = None;
        for (index, element) in array.iter_mut().enumerate() {
            let place = element.span();
            if self.of_value(element.get_mut(), at, place.start) {
                return true;
            }
            if place.contains(&at) {
                gone = Some(index);
                break;
            }
        }
        let Some(gone) = gone else { return false };
        let all = std::mem::replace(array, DeArray::new()).into_iter();
        let kept = all.enumerate().filter(|(index, _)| *index != gone);
        *array = kept.map(|(_, element)| element).collect();
        if array.is_empty() {
            self.altered.push(own);
        }
        true
    }
}
