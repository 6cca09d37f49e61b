//! Enums whose variants have names: parameters that are not numbers, and laws.

use std::fmt;

use serde::{Deserialize, Deserializer};
use thiserror::Error;

use crate::suggest::{did_you_mean, nearest};

/// An enum without data whose variants have names. `#[derive(Choice)]` implements this trait. It
/// also implements `Serialize` and `Deserialize`, which write and read the name.
pub trait Choice: Copy + 'static {
    /// Every variant, in the order of the documentation.
    const ALL: &'static [Self];
    /// Name and meaning of every variant, in the order of [`Self::ALL`].
    const CHOICES: &'static [ChoiceDoc];

    /// The name.
    fn name(self) -> &'static str;

    /// Returns the variant with the name `text`.
    ///
    /// # Errors
    /// An unknown name; the error lists the valid names and says which is closest.
    fn from_name(text: &str) -> Result<Self, UnknownName> {
        let names = Self::CHOICES.iter().map(|choice| choice.name);
        let mut found = Self::ALL.iter().zip(names);
        match found.find(|(_, name)| *name == text) {
            Some((value, _)) => Ok(*value),
            None => Err(UnknownName::new(text, Self::CHOICES)),
        }
    }
}

/// Name and meaning of one variant of a [`Choice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceDoc {
    /// The name, as in specs.
    pub name: &'static str,
    /// What the variant means.
    pub text: &'static str,
}

/// `"name" (what it stands for)`.
impl fmt::Display for ChoiceDoc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = self.text.trim_end_matches('.').chars();
        let first = letters.next();
        // a word, not an abbreviation
        let word = letters.clone().next().is_some_and(char::is_lowercase);
        let first = first.map(|letter| {
            if word {
                letter.to_ascii_lowercase()
            } else {
                letter
            }
        });
        let text: String = first.into_iter().chain(letters).collect();
        write!(f, "{:?} ({text})", self.name)
    }
}

/// An unknown name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name:?} is none of {known}{}", did_you_mean(.nearest.as_deref()))]
pub struct UnknownName {
    /// The name given.
    pub name: String,
    /// The closest name.
    pub nearest: Option<String>,
    /// Every name, quoted.
    pub known: String,
}

impl UnknownName {
    /// Creates the error for `text`, which is not the name of any of `choices`.
    pub fn new(text: &str, choices: &[ChoiceDoc]) -> Self {
        let names = choices.iter().map(|choice| choice.name);
        let quoted: Vec<String> = names.clone().map(|name| format!("{name:?}")).collect();
        Self {
            name: text.to_owned(),
            nearest: nearest(text, names),
            known: quoted.join(", "),
        }
    }
}

/// Reads a variant by its name. The derived implementation of `Deserialize` calls this function.
///
/// # Errors
/// A value that is not text, or an unknown name.
pub fn deserialize_choice<'de, T: Choice, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    T::from_name(&text).map_err(serde::de::Error::custom)
}
