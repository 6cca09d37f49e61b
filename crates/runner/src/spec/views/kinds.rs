//! What is said of a kind of figure or table that does not exist.

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

use super::known::ShownView;
use crate::columns::ANYTHING;
use crate::document::section::among;
use crate::figures::{FigureSpec, Plot};
use crate::suggest::nearest;
use crate::tables::{Show, TableSpec};

/// The end of a message about an unknown kind: the closest and all of `known`, or the closest of
/// the other list if only that has one.
pub(super) fn among_kinds(label: &str, wrong: &str, known: &[&str]) -> String {
    let (key, other, kinds) = match label {
        FigureSpec::LABEL => ("show", TableSpec::LABEL, kinds_of::<Show>()),
        TableSpec::LABEL => ("plot", FigureSpec::LABEL, kinds_of::<Plot>()),
        _ => return among(wrong, known),
    };
    let own = nearest(wrong, known.iter().copied());
    match nearest(wrong, kinds.iter().map(String::as_str)) {
        Some(kind) if own.is_none() || kind == wrong => {
            format!(
                "; {other} has {key} = {{ {kind} = {{ … }} }}{}",
                among(wrong, known)
            )
        }
        _ => among(wrong, known),
    }
}

/// The names of a list of kinds, which its decoder offers in place of one that is none.
fn kinds_of<T: DeserializeOwned>() -> Vec<String> {
    let anything = DeValue::String(ANYTHING.into());
    let anything = ValueDeserializer::from(Spanned::new(0..0, anything));
    let error = T::deserialize(anything).err();
    let message = error.map_or_else(String::new, |error| error.message().to_owned());
    let names = message.split('`').skip(3).step_by(2);
    names.map(str::to_owned).collect()
}
