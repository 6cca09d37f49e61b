//! Texts and lists that live as long as the program: descriptors are made of such. Each is kept
//! once.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use delassus_core::{LawForm, Support};

static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
static FORMS: Mutex<Vec<&'static [(LawForm, Support)]>> = Mutex::new(Vec::new());

/// The text, kept.
pub(crate) fn text(text: &str) -> &'static str {
    let mut kept = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = kept.get(text) {
        return found;
    }
    let new: &'static str = Box::leak(text.to_owned().into_boxed_str());
    kept.insert(new);
    new
}

/// The forms, kept.
pub(crate) fn forms(forms: Vec<(LawForm, Support)>) -> &'static [(LawForm, Support)] {
    let mut kept = FORMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = kept.iter().find(|known| ***known == forms[..]) {
        return found;
    }
    let new: &'static [(LawForm, Support)] = Box::leak(forms.into_boxed_slice());
    kept.push(new);
    new
}

/// What the words about a law say.
pub(crate) fn support(words: &str) -> Support {
    match words {
        "exact" => Support::Exact,
        words => Support::Approximate(text(words)),
    }
}
