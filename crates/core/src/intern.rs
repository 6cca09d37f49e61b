//! Stores texts and lists until the program ends. The [`SolverDescriptor`] of a solver whose name
//! is known only at run time needs them, because its fields are `'static`.
//!
//! Equal values are stored once, so memory grows with the number of different values, not with the
//! number of calls.
//!
//! [`SolverDescriptor`]: crate::SolverDescriptor

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::{LawForm, Support};

static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
static LISTS: Mutex<BTreeSet<&'static [&'static str]>> = Mutex::new(BTreeSet::new());
static LAWS: Mutex<Vec<&'static [(LawForm, Support)]>> = Mutex::new(Vec::new());

/// A stored text that equals `text`.
pub fn text(text: &str) -> &'static str {
    let mut kept = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = kept.get(text) {
        return found;
    }
    let new: &'static str = Box::leak(text.to_owned().into_boxed_str());
    kept.insert(new);
    new
}

/// A stored list with each text of `first` and then of `second`, without repetitions.
pub fn union(first: &[&'static str], second: &[&'static str]) -> &'static [&'static str] {
    let mut all: Vec<&'static str> = Vec::with_capacity(first.len() + second.len());
    for text in first.iter().chain(second) {
        if !all.contains(text) {
            all.push(text);
        }
    }
    let mut kept = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = kept.get(&all[..]) {
        return found;
    }
    let new: &'static [&'static str] = Box::leak(all.into_boxed_slice());
    kept.insert(new);
    new
}

/// A stored list that equals `forms`.
pub fn forms(forms: Vec<(LawForm, Support)>) -> &'static [(LawForm, Support)] {
    let mut kept = LAWS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = kept.iter().find(|known| ***known == forms[..]) {
        return found;
    }
    let new: &'static [(LawForm, Support)] = Box::leak(forms.into_boxed_slice());
    kept.push(new);
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_and_lists_are_kept_once() {
        let (one, two) = (text("a(b)"), text(&format!("a({})", "b")));
        assert!(std::ptr::eq(one, two));
        let (one, two) = (union(&["x", "y"], &["y"]), union(&["x"], &["x", "y"]));
        assert!(std::ptr::eq(one, two));
        assert_eq!(one, ["x", "y"]);
        let list = || vec![(LawForm::Free, Support::Exact)];
        assert!(std::ptr::eq(forms(list()), forms(list())));
    }
}
