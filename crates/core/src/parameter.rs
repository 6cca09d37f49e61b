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
