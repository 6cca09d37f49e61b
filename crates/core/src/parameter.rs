//! Parameters as data: declared once, by `#[derive(Parameters)]`, and read, checked, written and listed from there.

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
    /// What each parameter is, in the order of the fields, flattened groups in their place.
    const DOCS: &'static [ParameterDoc];

    /// Checks the parameters against their ranges and against each other.
    ///
    /// # Errors
    /// The first parameter out of its range.
    fn validate(&self) -> Result<(), ParameterError>;

    /// Adds every parameter to `map`, in the order of [`Self::DOCS`].
    fn write(&self, map: &mut Map);

    /// Sets one parameter; `None` if there is none of that name, an error if the value has another type.
    fn set(&mut self, key: &str, value: &Value) -> Option<Result<(), String>>;

    /// Every parameter with its value, in the order of [`Self::DOCS`].
    fn to_map(&self) -> Map {
        let mut map = Map::new();
        self.write(&mut map);
        map
    }

    /// The defaults with the parameters of `given` in their places, checked.
    ///
    /// # Errors
    /// An unknown name, a value of another type or out of range.
    fn from_map(given: &Map) -> Result<Self, ParametersError> {
        let mut own = Self::default();
        for (key, value) in given {
            let set = own
                .set(key, value)
                .ok_or_else(|| ParametersError::Unknown {
                    parameter: key.clone(),
                    hint: Hint::new(key, Self::DOCS.iter().map(|doc| doc.name)),
                })?;
            set.map_err(|reason| ParametersError::Value {
                parameter: key.clone(),
                reason,
            })?;
        }
        own.validate()?;
        Ok(own)
    }
}

/// No parameters.
impl Parameters for () {
    const DOCS: &'static [ParameterDoc] = &[];

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
        /// The name that was meant, or those that there are.
        hint: Hint,
    },
    /// A value has another type.
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

/// What a parameter is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterDoc {
    /// Name, as in specs.
    pub name: &'static str,
    /// What it is, in one sentence or more.
    pub text: &'static str,
    /// Its unit, `-` for pure numbers; empty for what is no number.
    pub unit: &'static str,
    /// The numbers that it may have.
    pub range: Range,
    /// The names that it may have, if it is no number.
    pub choices: &'static [ChoiceDoc],
}

/// The numbers that a parameter may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// As users read it: `> 0`; empty if every finite number fits.
    pub text: &'static str,
    /// What an error says.
    pub expected: &'static str,
    /// The same for the program.
    pub bounds: (Bound<f64>, Bound<f64>),
}

impl ParameterDoc {
    /// Nothing: what a description is filled up with.
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

    /// What it is in a few words, with its unit: the label of an axis.
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
    /// The names that a value may have, if it is no number.
    const NAMES: &'static [ChoiceDoc] = &[];

    /// The number that is not in `range`, as text.
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
/// What is wrong with it, in words of the user.
pub fn read<T: ParameterValue>(value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| in_words(&error))
}

/// Writes the value of one parameter.
pub fn write<T: ParameterValue>(map: &mut Map, key: &str, value: &T) {
    // numbers, texts, choices and lists of them are values
    let value = serde_json::to_value(value).unwrap_or_default();
    map.insert(key.to_owned(), value);
}

/// Number of parameters of several groups \[-\].
pub const fn count(groups: &[&[ParameterDoc]]) -> usize {
    let (mut total, mut group) = (0, 0);
    while group < groups.len() {
        total += groups[group].len();
        group += 1;
    }
    total
}

/// The parameters of several groups, one after the other; `N` is their number.
pub const fn joined<const N: usize>(groups: &[&[ParameterDoc]]) -> [ParameterDoc; N] {
    let mut all = [ParameterDoc::NONE; N];
    let (mut next, mut group) = (0, 0);
    while group < groups.len() {
        let mut index = 0;
        while index < groups[group].len() {
            all[next] = groups[group][index];
            next += 1;
            index += 1;
        }
        group += 1;
    }
    all
}

/// What a deserializer says about a value, in words of the user: without the names of the program's types.
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

/// Fails unless the parameter fits.
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
mod tests {
    use super::*;
    use crate::{Choice, Parameters};
    use serde_json::json;

    /// How a mass ratio is spread.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
    enum Spread {
        /// From end to end.
        #[default]
        Geometric,
        /// The last mass alone.
        HeavyTip,
    }

    #[derive(Debug, Clone, PartialEq, Parameters)]
    struct Step {
        /// Gravity.
        #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
        gravity: f64,
        /// Time step. A sixtieth of a second.
        #[parameter(default = 1.0 / 64.0, unit = "s", range = "> 0")]
        dt: f64,
    }

    #[derive(Debug, Clone, PartialEq, Parameters)]
    #[parameters(check = "Self::check")]
    struct Chain {
        /// Number of links.
        #[parameter(default = 3, unit = "-", range = "[1, 10]")]
        n: usize,
        /// How the mass ratio is spread.
        spread: Spread,
        #[doc = "Gravity and time step."]
        #[parameter(flatten, default = Step { gravity: 1.0, ..Step::default() })]
        step: Step,
        /// Fixed links at the start.
        #[parameter(unit = "-")]
        fixed: usize,
        /// Largest speed. Without it there is none.
        #[parameter(unit = "m/s", range = "> 0")]
        cap: Option<f64>,
        /// Half edges of a link.
        #[parameter(default = [0.5, 0.25], unit = "m", range = "> 0")]
        half: [f64; 2],
    }

    impl Chain {
        fn check(&self) -> Result<(), ParameterError> {
            require(
                self.fixed <= self.n,
                "fixed",
                self.fixed,
                "there are only n links",
            )
        }
    }

    fn read_chain(given: Value) -> Result<Chain, ParametersError> {
        Chain::from_map(given.as_object().unwrap())
    }

    #[test]
    fn one_declaration_gives_defaults_keys_and_documentation() {
        let chain = Chain::default();
        assert_eq!((chain.n, chain.step.gravity), (3, 1.0));
        let map = chain.to_map();
        assert_eq!(
            Value::Object(map.clone()).to_string(),
            r#"{"n":3,"spread":"geometric","gravity":1.0,"dt":0.015625,"fixed":0,"cap":null,"half":[0.5,0.25]}"#
        );
        let names: Vec<&str> = Chain::DOCS.iter().map(|doc| doc.name).collect();
        assert_eq!(names, map.keys().collect::<Vec<_>>());
        assert_eq!(Chain::from_map(&map), Ok(chain));
        let lines: Vec<String> = Chain::DOCS.iter().map(ParameterDoc::to_string).collect();
        assert_eq!(
            lines[..4],
            [
                "Number of links [-]; [1, 10].",
                "How the mass ratio is spread: \"geometric\" (from end to end) or \"heavy-tip\" (the last mass alone).",
                "Gravity [m/s²]; >= 0.",
                "Time step [s]; > 0. A sixtieth of a second.",
            ]
        );
        assert_eq!(Chain::DOCS[3].label(), "time step [s]");
        assert_eq!(Chain::DOCS[1].label(), "how the mass ratio is spread");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_name() {
        let wrong = |given: Value| read_chain(given).unwrap_err().to_string();
        for (given, text) in [
            (
                json!({ "m": 1 }),
                "there is no parameter \"m\"; there are n, spread, gravity, dt, fixed, cap, half",
            ),
            (
                json!({ "fixd": 1 }),
                "there is no parameter \"fixd\"; did you mean \"fixed\"?",
            ),
            (
                json!({ "n": -1 }),
                "n: invalid value: integer `-1`, expected a whole number ≥ 0",
            ),
            (
                json!({ "n": 0 }),
                "n = 0 is out of range: it must lie in [1, 10]",
            ),
            (
                json!({ "dt": 0.0 }),
                "dt = 0 is out of range: it must be finite and > 0 [s]",
            ),
            (
                json!({ "cap": -2 }),
                "cap = -2 is out of range: it must be finite and > 0 [m/s]",
            ),
            (
                json!({ "half": [1.0, -1.5] }),
                "half = -1.5 is out of range: it must be finite and > 0 [m]",
            ),
            (
                json!({ "fixed": 4 }),
                "fixed = 4 is out of range: there are only n links",
            ),
            (
                json!({ "spread": "geometrc" }),
                "spread: \"geometrc\" is none of \"geometric\", \"heavy-tip\"; did you mean \"geometric\"?",
            ),
        ] {
            assert_eq!(wrong(given), text);
        }
        let infinite = Chain {
            cap: Some(f64::INFINITY),
            ..Chain::default()
        };
        assert!(infinite.validate().is_err());
    }

    #[test]
    fn choices_have_names() {
        assert_eq!("heavy-tip".parse(), Ok(Spread::HeavyTip));
        assert_eq!(Spread::HeavyTip.to_string(), "heavy-tip");
        assert_eq!(Spread::ALL.len(), Spread::CHOICES.len());
        assert!("tip".parse::<Spread>().is_err());
    }
}
