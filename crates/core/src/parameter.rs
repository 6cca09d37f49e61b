//! Declaring and checking the parameters of generators and scenes.

use std::fmt::Display;

use crate::error::ParameterError;

/// Declares a parameter struct: fields with unit and range in their doc comment, and their defaults.
///
/// The doc comments are also the table that `list` prints, so the two cannot differ. The crate that uses the macro
/// depends on `serde`.
#[macro_export]
macro_rules! parameters {
    (
        $(#[doc = $about:literal])+
        $name:ident {
            $($(#[doc = $doc:literal])+ $field:ident: $type:ty = $default:expr,)*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $name {
            pub(crate) const PARAMETERS: &'static [$crate::ParameterDoc] = &[
                $($crate::ParameterDoc {
                    name: stringify!($field),
                    doc: concat!($($doc),+).trim_ascii(),
                },)*
            ];
        }
    };
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

/// Refuses everything but finite values above zero.
///
/// # Errors
/// The parameter with its value.
pub fn positive(parameter: &'static str, value: f64) -> Result<(), ParameterError> {
    let fits = value > 0.0 && value.is_finite();
    require(fits, parameter, value, "it must be finite and > 0")
}

/// Refuses NaN, infinity and negative values.
///
/// # Errors
/// The parameter with its value.
pub fn non_negative(parameter: &'static str, value: f64) -> Result<(), ParameterError> {
    let fits = value >= 0.0 && value.is_finite();
    require(fits, parameter, value, "it must be finite and >= 0")
}

/// Refuses NaN and infinity.
///
/// # Errors
/// The parameter with its value.
pub fn finite(parameter: &'static str, value: f64) -> Result<(), ParameterError> {
    require(value.is_finite(), parameter, value, "it must be finite")
}

/// Refuses what does not lie in \[0, 1\].
///
/// # Errors
/// The parameter with its value.
pub fn fraction(parameter: &'static str, value: f64) -> Result<(), ParameterError> {
    let fits = (0.0..=1.0).contains(&value);
    require(fits, parameter, value, "it must lie in [0, 1]")
}

/// Refuses counts below `least` \[-\].
///
/// # Errors
/// The parameter with its value.
pub fn at_least(
    parameter: &'static str,
    value: usize,
    least: usize,
    expected: &'static str,
) -> Result<(), ParameterError> {
    require(value >= least, parameter, value, expected)
}
