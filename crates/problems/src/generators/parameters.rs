//! Declaring and checking the parameters of a generator.

use std::fmt::Display;

use delassus_core::ParameterError;

/// Largest number of rows that a generator makes \[-\]: about 2 GB of Jacobians.
pub(crate) const MAX_ROWS: usize = 20_000_000;

/// Declares a parameter struct: fields with unit and range in their doc comment, and their defaults.
///
/// The doc comments are also the table that `list` prints, so the two cannot differ.
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
            pub(crate) const PARAMETERS: &'static [delassus_core::ParameterDoc] = &[
                $(delassus_core::ParameterDoc {
                    name: stringify!($field),
                    doc: concat!($($doc),+).trim_ascii(),
                },)*
            ];
        }
    };
}
pub(crate) use parameters;

/// Fails unless the parameter fits.
pub(crate) fn require(
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

pub(crate) fn positive(parameter: &'static str, value: f64) -> Result<(), ParameterError> {
    let fits = value > 0.0 && value.is_finite();
    require(fits, parameter, value, "it must be finite and > 0")
}

pub(crate) fn non_negative(parameter: &'static str, value: f64) -> Result<(), ParameterError> {
    let fits = value >= 0.0 && value.is_finite();
    require(fits, parameter, value, "it must be finite and >= 0")
}

pub(crate) fn finite(parameter: &'static str, value: f64) -> Result<(), ParameterError> {
    require(value.is_finite(), parameter, value, "it must be finite")
}

pub(crate) fn fraction(parameter: &'static str, value: f64) -> Result<(), ParameterError> {
    let fits = (0.0..=1.0).contains(&value);
    require(fits, parameter, value, "it must lie in [0, 1]")
}

pub(crate) fn at_least(
    parameter: &'static str,
    value: usize,
    least: usize,
    expected: &'static str,
) -> Result<(), ParameterError> {
    require(value >= least, parameter, value, expected)
}

/// Fails if the problem would have more than [`MAX_ROWS`] rows; `None` is an overflow.
pub(crate) fn row_limit(
    parameter: &'static str,
    value: usize,
    rows: Option<usize>,
) -> Result<(), ParameterError> {
    let fits = rows.is_some_and(|rows| rows <= MAX_ROWS);
    require(
        fits,
        parameter,
        value,
        "the problem would have more than 20 000 000 rows",
    )
}
