//! Parameters as data. An author declares them once, with `#[derive(Parameters)]`, and this
//! declaration is used to read, check, write and list them.

use std::fmt::{self, Display};
use std::ops::{Bound, RangeBounds};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::choice::ChoiceDoc;
use crate::error::ParameterError;
use crate::suggest::Hint;

pub use crate::choice::deserialize_choice;
#[doc(hidden)]
pub use serde;
pub use serde_json::Value;

/// Parameters by name.
pub type Map = serde_json::Map<String, Value>;

/// A set of parameters with names, defaults and ranges; `#[derive(Parameters)]` implements it.
pub trait Parameters: Default {
    /// Returns the descriptions of the parameters, in the order of the fields. A flattened group is
    /// replaced by its parameters.
    fn docs() -> Vec<ParameterDoc>;

    /// Checks the parameters against their ranges and against each other.
    ///
    /// # Errors
    /// The first parameter out of its range.
    fn validate(&self) -> Result<(), ParameterError>;

    /// Adds every parameter to `map`, in the order of [`Self::docs`].
    fn write(&self, map: &mut Map);

    /// Sets one parameter. Returns `None` if there is no parameter with this name, and an error if
    /// the value has the wrong type.
    fn set(&mut self, key: &str, value: &Value) -> Option<Result<(), String>>;

    /// Returns every parameter with its value, in the order of [`Self::docs`].
    fn to_map(&self) -> Map {
        let mut map = Map::new();
        self.write(&mut map);
        map
    }

    /// Returns the parameters of `given`, with defaults for the others. All are checked against
    /// their ranges.
    ///
    /// # Errors
    /// An unknown name, or a value of the wrong type or out of range.
    fn from_map(given: &Map) -> Result<Self, ParametersError> {
        let mut own = Self::default();
        set_each(given, Self::docs, &mut |key, value| own.set(key, value))?;
        own.validate()?;
        Ok(own)
    }
}

/// [`Parameters::set`] of one set of parameters.
type Setter<'a> = &'a mut dyn FnMut(&str, &Value) -> Option<Result<(), String>>;

/// Hands every parameter of `given` to `set`; compiled once for all sets of parameters.
fn set_each(
    given: &Map,
    docs: fn() -> Vec<ParameterDoc>,
    set: Setter<'_>,
) -> Result<(), ParametersError> {
    for (key, value) in given {
        let set = set(key, value).ok_or_else(|| ParametersError::Unknown {
            parameter: key.clone(),
            hint: Hint::new(key, docs().iter().map(|doc| doc.name)),
        })?;
        set.map_err(|reason| ParametersError::Value {
            parameter: key.clone(),
            reason,
        })?;
    }
    Ok(())
}

/// No parameters.
impl Parameters for () {
    fn docs() -> Vec<ParameterDoc> {
        Vec::new()
    }

    fn validate(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    fn write(&self, _: &mut Map) {}

    fn set(&mut self, _: &str, _: &Value) -> Option<Result<(), String>> {
        None
    }
}

/// Why parameters cannot be read.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ParametersError {
    /// There is no parameter of that name.
    #[error("there is no parameter {parameter:?}{hint}")]
    Unknown {
        /// The name given.
        parameter: String,
        /// The closest name, or all valid names.
        hint: Hint,
    },
    /// A value has the wrong type.
    #[error("{parameter}: {reason}")]
    Value {
        /// The parameter.
        parameter: String,
        /// What is wrong with its value.
        reason: String,
    },
    /// A value is out of its range.
    #[error(transparent)]
    Range(#[from] ParameterError),
}

/// Description of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterDoc {
    /// Name, as in specs.
    pub name: &'static str,
    /// Meaning of the parameter, in one sentence or more.
    pub text: &'static str,
    /// Unit: `-` for pure numbers, empty for values that are not numbers.
    pub unit: &'static str,
    /// The allowed numbers.
    pub range: Range,
    /// The allowed names, if the value is not a number.
    pub choices: &'static [ChoiceDoc],
}

/// The numbers that a parameter may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Text for users, as `> 0`; empty if every finite number is allowed.
    pub text: &'static str,
    /// Text for error messages.
    pub expected: &'static str,
    /// Lower and upper bound, for the check.
    pub bounds: (Bound<f64>, Bound<f64>),
}

impl ParameterDoc {
    /// An empty description: values for the fields that a description does not set
    /// (`..ParameterDoc::NONE`).
    pub const NONE: Self = Self {
        name: "",
        text: "",
        unit: "",
        range: Range {
            text: "",
            expected: "",
            bounds: (Bound::Unbounded, Bound::Unbounded),
        },
        choices: &[],
    };

    /// The first sentence and the others; the unit and the range belong between them.
    fn sentences(&self) -> (&'static str, &'static str) {
        let (first, rest) = self.text.split_once(". ").unwrap_or((self.text, ""));
        (first.trim_end_matches('.'), rest)
    }

    /// Returns a short description with the unit, for the label of an axis.
    pub fn label(&self) -> String {
        let first = self.sentences().0;
        let mut letters = first.chars();
        let lower = letters.next().map(|letter| letter.to_ascii_lowercase());
        let label: String = lower.into_iter().chain(letters).collect();
        match self.unit {
            "" => label,
            unit => format!("{label} [{unit}]"),
        }
    }

    /// Refuses a value out of range.
    ///
    /// # Errors
    /// The parameter, the value and the range.
    pub fn check(&self, value: &impl ParameterValue) -> Result<(), ParameterError> {
        match value.outside(&self.range) {
            None => Ok(()),
            Some(value) => Err(ParameterError {
                parameter: self.name,
                value,
                expected: self.range.expected,
            }),
        }
    }
}

/// Text, unit, range or choices on one line: `Edge length of the boxes [m]; > 0.`
impl Display for ParameterDoc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, rest) = self.sentences();
        f.write_str(first)?;
        if !self.unit.is_empty() {
            write!(f, " [{}]", self.unit)?;
        }
        if !self.range.text.is_empty() {
            write!(f, "; {}", self.range.text)?;
        }
        for (index, choice) in self.choices.iter().enumerate() {
            let between = match index {
                0 => ": ",
                _ if index + 1 == self.choices.len() => " or ",
                _ => ", ",
            };
            write!(f, "{between}{choice}")?;
        }
        f.write_str(".")?;
        if rest.is_empty() {
            return Ok(());
        }
        write!(f, " {rest}")
    }
}

/// A type that a parameter can have.
pub trait ParameterValue: Serialize + DeserializeOwned {
    /// The names that a value may have, if it is not a number.
    const NAMES: &'static [ChoiceDoc] = &[];

    /// Returns the number as text if it is not in `range`.
    fn outside(&self, range: &Range) -> Option<String> {
        let _ = range;
        None
    }
}

impl ParameterValue for bool {}
impl ParameterValue for String {}

impl ParameterValue for f64 {
    fn outside(&self, range: &Range) -> Option<String> {
        let fits = self.is_finite() && range.bounds.contains(self);
        (!fits).then(|| self.to_string())
    }
}

impl ParameterValue for u32 {
    fn outside(&self, range: &Range) -> Option<String> {
        (!range.bounds.contains(&f64::from(*self))).then(|| self.to_string())
    }
}

impl ParameterValue for usize {
    fn outside(&self, range: &Range) -> Option<String> {
        // bounds are far below 2^53, where rounding begins
        (!range.bounds.contains(&(*self as f64))).then(|| self.to_string())
    }
}

impl ParameterValue for u64 {
    fn outside(&self, range: &Range) -> Option<String> {
        (!range.bounds.contains(&(*self as f64))).then(|| self.to_string())
    }
}

impl<T: ParameterValue> ParameterValue for Option<T> {
    const NAMES: &'static [ChoiceDoc] = T::NAMES;

    fn outside(&self, range: &Range) -> Option<String> {
        self.as_ref().and_then(|value| value.outside(range))
    }
}

impl<T: ParameterValue, const N: usize> ParameterValue for [T; N]
where
    Self: Serialize + DeserializeOwned,
{
    fn outside(&self, range: &Range) -> Option<String> {
        self.iter().find_map(|value| value.outside(range))
    }
}

/// Reads the value of one parameter.
///
/// # Errors
/// A message for users that says what is wrong with the value.
pub fn read<T: ParameterValue>(value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| in_words(&error))
}

/// Writes the value of one parameter.
pub fn write<T: ParameterValue>(map: &mut Map, key: &str, value: &T) {
    // numbers, texts, choices and lists of them are values
    let value = serde_json::to_value(value).unwrap_or_default();
    map.insert(key.to_owned(), value);
}

/// Rewrites the message of a deserializer for users: replaces the names of Rust types, and removes
/// the backticks around numbers and Booleans.
pub fn in_words(message: &impl Display) -> String {
    let words = [
        ("usize", "a whole number ≥ 0"),
        ("u64", "a whole number ≥ 0"),
        ("u32", "a whole number from 0 to 4294967295"),
        ("u8", "a whole number from 0 to 255"),
        ("i64", "a whole number"),
        ("f64", "a number"),
    ];
    let mut text = message.to_string();
    for kind in ["boolean `", "integer `", "floating point `"] {
        let Some(open) = text.find(kind).map(|at| at + kind.len() - 1) else {
            continue;
        };
        if let Some(close) = text[open + 1..].find('`') {
            text.remove(open + 1 + close);
            text.remove(open);
        }
    }
    for (name, meaning) in words {
        let (old, end) = (format!("expected {name}"), [' ', ',', '\n']);
        let Some(at) = text.find(&old) else {
            continue;
        };
        let rest = &text[at + old.len()..];
        if rest.is_empty() || rest.starts_with(end) {
            text.replace_range(at..at + old.len(), &format!("expected {meaning}"));
        }
    }
    text
}

/// Returns an error unless `fits` is true.
///
/// # Errors
/// The parameter with its value, if `fits` is false.
pub fn require(
    fits: bool,
    parameter: &'static str,
    value: impl Display,
    expected: &'static str,
) -> Result<(), ParameterError> {
    if fits {
        return Ok(());
    }
    Err(ParameterError {
        parameter,
        value: value.to_string(),
        expected,
    })
}

#[cfg(test)]
mod tests;
