//! One view of a spec with all its errors: what is wrong is recorded and put right in a copy, until
//! the rest is read as well.

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::kinds::among_kinds;
use super::known::{KnownCells, ShownView};
use super::words;
use crate::columns::{ANYTHING, RefusedPart};
use crate::document::section::{Item, among};
use crate::document::text::{Document, MOST_ERRORS, SpecError, without_code_marks};

/// A value of each type that is no text and no list.
const PLAIN: &str = "a = 1\nb = 1.0\nc = false\n";

/// Reads one table of a spec as a view.
pub(super) struct ViewReader<'d> {
    document: Document<'d>,
    label: &'static str,
    /// The table, put right.
    item: Item<'d>,
    /// Places of values that were put right.
    mended: Vec<Range<usize>>,
    errors: Vec<SpecError>,
}

impl<'d> ViewReader<'d> {
    pub(super) fn new(document: Document<'d>, label: &'static str, item: &Item<'d>) -> Self {
        Self {
            document,
            label,
            item: item.clone(),
            mended: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// What was wrong.
    pub(super) fn into_errors(self) -> Vec<SpecError> {
        self.errors
    }

    /// The view; what is wrong with it is recorded.
    pub(super) fn read<T: ShownView>(&mut self, known: KnownCells<'_>) -> Option<T> {
        let mut view: T = self.decode()?;
        let Some(columns) = known.columns() else {
            return Some(view);
        };
        if T::AT_ONCE && !self.mended.is_empty() {
            // its refusals would be of what was put right
            return None;
        }
        for _ in 0..MOST_ERRORS {
            let refusals = view.refusals(columns);
            if refusals.is_empty() {
                return Some(view);
            }
            for refusal in refusals {
                let (place, value) = self.place(&refusal.place);
                if value.as_ref().is_some_and(|own| self.mended.contains(own)) {
                    return None;
                }
                if known.is_certain(&refusal) {
                    let place = place.unwrap_or_else(|| self.item.span());
                    self.errors
                        .push(self.document.error(place, refusal.message));
                }
                if T::AT_ONCE {
                    continue;
                }
                let done = match refusal.place {
                    RefusedPart::Value(_) => value.is_some_and(|value| self.stand_in(value)),
                    RefusedPart::Key(key) => remove(&mut self.item, key),
                };
                view = self.again().filter(|_| done)?;
            }
            if T::AT_ONCE {
                return None;
            }
        }
        None
    }

    /// Decodes the table as often as something of it can be put right.
    fn decode<T: DeserializeOwned>(&mut self) -> Option<T> {
        for _ in 0..MOST_ERRORS {
            let error = match T::deserialize(ValueDeserializer::from(self.item.clone())) {
                Ok(view) => return Some(view),
                Err(error) => error,
            };
            let span = error.span().unwrap_or_else(|| self.item.span());
            let error = error.message();
            let said = match self.of_kind::<T>(&span, error) {
                Some(message) => self.document.error(span.clone(), message),
                None => self.translate(span.clone(), error),
            };
            self.errors.push(said);
            if !self.mend::<T>(span, error) {
                return None;
            }
        }
        None
    }

    /// What is said where a view has no kind with settings: the decoder speaks of types.
    fn of_kind<T: DeserializeOwned>(&self, span: &Range<usize>, message: &str) -> Option<String> {
        if !words::is_of_kind(message) {
            return None;
        }
        let (key, value) = key_of_value(&self.item, span)?;
        let mut item = self.item.clone();
        put(&mut item, span, DeValue::String(ANYTHING.into()));
        let error = T::deserialize(ValueDeserializer::from(item)).err()?;
        let kinds: Vec<&str> = error.message().split('`').skip(3).step_by(2).collect();
        let needed = value.as_str().and_then(|kind| self.needed::<T>(span, kind));
        let needed = needed.as_deref();
        Some(words::of_kind(self.label, key, value, &kinds, needed))
    }

    /// The first setting that a kind cannot do without.
    fn needed<T: DeserializeOwned>(&self, span: &Range<usize>, kind: &str) -> Option<String> {
        let mut item = self.item.clone();
        let kind = format!("{kind:?} = {{}}");
        let table = DeTable::parse(&kind).ok()?.into_inner();
        put(&mut item, span, DeValue::Table(table));
        let error = T::deserialize(ValueDeserializer::from(item)).err()?;
        words::missing_key(error.message()).map(str::to_owned)
    }

    /// Decodes the table without a word about what is wrong.
    fn again<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(ValueDeserializer::from(self.item.clone())).ok()
    }

    /// Puts right what a message of the decoder is about; false where that cannot be.
    fn mend<T: DeserializeOwned>(&mut self, span: Range<usize>, message: &str) -> bool {
        let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let first = names.first().copied().unwrap_or_default();
        if message.starts_with("unknown field") {
            // what is missing then may be what the key should have been
            self.mended.push(span);
            return remove(&mut self.item, first);
        }
        let missing = message.starts_with("missing field").then_some(first);
        // the last is tried first
        let mut values = stand_ins(&span);
        values.extend(offered(&names));
        let mut is_choice = names.len() > 1;
        while let Some(value) = values.pop() {
            let mut item = self.item.clone();
            let done = match missing {
                Some(key) => insert(&mut item, &span, key, value),
                None => put(&mut item, &span, value),
            };
            if !done {
                return false;
            }
            let rest = T::deserialize(ValueDeserializer::from(item.clone())).err();
            let rest = rest.filter(|rest| {
                let elsewhere = rest.message().starts_with("missing field");
                rest.span().as_ref() == Some(&span) && !elsewhere
            });
            let Some(rest) = rest else {
                self.item = item;
                self.mended.push(span);
                return true;
            };
            // the decoder says which words there are
            if !is_choice && rest.message().starts_with("unknown variant") {
                is_choice = true;
                let names: Vec<&str> = rest.message().split('`').skip(1).step_by(2).collect();
                values.extend(offered(&names));
            }
        }
        false
    }

    /// Puts a name that every check accepts in the place of a text.
    fn stand_in(&mut self, span: Range<usize>) -> bool {
        let done = put(&mut self.item, &span, DeValue::String(ANYTHING.into()));
        self.mended.push(span);
        done
    }

    /// Where a refusal points, and where the value is that it is about.
    fn place(&self, place: &RefusedPart) -> (Option<Range<usize>>, Option<Range<usize>>) {
        match place {
            RefusedPart::Key(key) => find_key(&self.item, key).unzip(),
            RefusedPart::Value(text) => {
                let found = find_text(&self.item, text);
                (found.clone(), found)
            }
        }
    }

    /// Gives a decoding error the form of all other errors: the key, and the nearest valid name.
    fn translate(&self, span: Range<usize>, message: &str) -> SpecError {
        let (document, label) = (self.document, self.label);
        let key = |name: &str| find_key(&self.item, name).map(|(key, _)| key);
        let own_key = key_of_value(&self.item, &span).map(|(key, _)| key);
        if let Some(message) = words::of_type(label, own_key, message) {
            return document.error(span, message);
        }
        let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let Some((&wrong, known)) = names.split_first() else {
            let message = message.replace('\n', " ");
            return document.error(span, format!("{label}: {message}"));
        };
        let (what, span) = if message.starts_with("unknown field") {
            ("key", key(wrong).unwrap_or(span))
        } else if message.starts_with("unknown variant") {
            match (key(wrong), key_of_text(&self.item, wrong, &span)) {
                (Some(key), _) => ("kind", key),
                (None, Some(key)) => {
                    let end = match ["plot", "show"].contains(&key) {
                        true => among_kinds(label, wrong, known),
                        false => among(wrong, known),
                    };
                    let message = format!("unknown {key} {wrong:?} in {label}{end}");
                    return document.error(span, message);
                }
                (None, None) => ("kind", span),
            }
        } else {
            let message = without_code_marks(message).replace('\n', " ");
            return document.error(span, format!("{label}: {message}"));
        };
        let message = match known {
            [] => format!("unknown {what} {wrong:?} in {label}; there is none"),
            _ => {
                let end = match what {
                    "kind" => among_kinds(label, wrong, known),
                    _ => among(wrong, known),
                };
                format!("unknown {what} {wrong:?} in {label}{end}")
            }
        };
        document.error(span, message)
    }
}

/// Values of all types that settings have, one of which takes the place of a value of a wrong type.
fn stand_ins(span: &Range<usize>) -> Vec<DeValue<'static>> {
    let array = |values: Vec<DeValue<'static>>| {
        let values = values.into_iter();
        let values = values.map(|value| Spanned::new(span.clone(), value));
        DeValue::Array(values.collect())
    };
    let name = || DeValue::String(ANYTHING.into());
    let plain = DeTable::parse(PLAIN).map(Spanned::into_inner);
    let plain = plain.into_iter().flatten();
    let mut all = vec![array(vec![name()])];
    for value in plain.map(|(_, value)| value.into_inner()) {
        all.push(array(vec![value.clone(), value.clone()]));
        all.push(array(vec![value.clone()]));
        all.push(value);
    }
    all.push(name());
    all
}

/// The first of the words that a message of the decoder offers, behind the one that is wrong.
fn offered(names: &[&str]) -> Option<DeValue<'static>> {
    let word = names.get(1)?;
    Some(DeValue::String((*word).to_owned().into()))
}

/// Where a key stands, at any depth, and its value.
fn find_key(item: &Item<'_>, key: &str) -> Option<(Range<usize>, Range<usize>)> {
    match item.get_ref() {
        DeValue::Table(table) => {
            let mut own = table.iter().filter(|(name, _)| name.get_ref() == key);
            own.next()
                .map(|(name, value)| (name.span(), value.span()))
                .or_else(|| table.values().find_map(|inner| find_key(inner, key)))
        }
        DeValue::Array(array) => array.iter().find_map(|inner| find_key(inner, key)),
        _ => None,
    }
}

/// Where the string stands as a value, at any depth.
fn find_text(item: &Item<'_>, text: &str) -> Option<Range<usize>> {
    match item.get_ref() {
        DeValue::String(found) => (found == text).then(|| item.span()),
        DeValue::Table(table) => table.values().find_map(|inner| find_text(inner, text)),
        DeValue::Array(array) => array.iter().find_map(|inner| find_text(inner, text)),
        _ => None,
    }
}

/// The key under which the string stands as a value, at any depth.
fn key_of_text<'i>(item: &'i Item<'_>, text: &str, span: &Range<usize>) -> Option<&'i str> {
    match item.get_ref() {
        DeValue::Table(table) => table.iter().find_map(|(key, inner)| {
            let is_it = inner.get_ref().as_str() == Some(text) && inner.span() == *span;
            match is_it {
                true => Some(key.get_ref().as_ref()),
                false => key_of_text(inner, text, span),
            }
        }),
        DeValue::Array(array) => array
            .iter()
            .find_map(|inner| key_of_text(inner, text, span)),
        _ => None,
    }
}

/// The innermost key whose value stands at a place, with the value.
fn key_of_value<'i, 'd>(
    item: &'i Item<'d>,
    span: &Range<usize>,
) -> Option<(&'i str, &'i DeValue<'d>)> {
    match item.get_ref() {
        DeValue::Table(table) => table.iter().find_map(|(key, inner)| {
            let own = (inner.span() == *span).then(|| (&**key.get_ref(), inner.get_ref()));
            key_of_value(inner, span).or(own)
        }),
        DeValue::Array(array) => array.iter().find_map(|inner| key_of_value(inner, span)),
        _ => None,
    }
}

/// Calls `visit` for every value in an item, the innermost first, until one says that it is done.
fn visit<'d>(item: &mut Item<'d>, done: &mut dyn FnMut(&mut Item<'d>) -> bool) -> bool {
    let inside = match item.get_mut() {
        DeValue::Table(table) => table.iter_mut().any(|(_, inner)| visit(inner, &mut *done)),
        DeValue::Array(array) => array.iter_mut().any(|inner| visit(inner, &mut *done)),
        _ => false,
    };
    inside || done(item)
}

/// Puts a value in the place of the innermost one there.
fn put<'d>(item: &mut Item<'d>, span: &Range<usize>, value: DeValue<'d>) -> bool {
    visit(item, &mut |own| {
        let is_it = own.span() == *span;
        if is_it {
            *own.get_mut() = value.clone();
        }
        is_it
    })
}

/// Puts a value under a key of the innermost table there.
fn insert<'d>(item: &mut Item<'d>, span: &Range<usize>, key: &str, value: DeValue<'d>) -> bool {
    visit(item, &mut |own| {
        let is_it = own.span() == *span;
        match own.get_mut() {
            DeValue::Table(table) if is_it => {
                let key = Spanned::new(span.clone(), key.to_owned().into());
                table.insert(key, Spanned::new(span.clone(), value.clone()));
                true
            }
            _ => false,
        }
    })
}

/// Takes the first entry with a key out.
fn remove(item: &mut Item<'_>, key: &str) -> bool {
    let found = match item.get_mut() {
        DeValue::Table(table) => table.remove(key).is_some(),
        _ => false,
    };
    found
        || match item.get_mut() {
            DeValue::Table(table) => table.iter_mut().any(|(_, inner)| remove(inner, key)),
            DeValue::Array(array) => array.iter_mut().any(|inner| remove(inner, key)),
            _ => false,
        }
}
