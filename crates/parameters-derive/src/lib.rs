//! `#[derive(Parameters)]` and `#[derive(Choice)]`: what a parameter is, stated once, where its
//! field is.
//!
//! ```ignore
//! /// Parameters of a solver.
//! #[derive(Debug, Clone, PartialEq, Parameters)]
//! #[parameters(check = "Self::check")]
//! pub struct PsorParameters {
//!     /// Relaxation factor. 1 is pgs.
//!     #[parameter(default = 1.3, unit = "-", range = "(0, 2)")]
//!     pub omega: f64,
//!     /// Order and seed, whose keys are among the others.
//!     #[parameter(flatten)]
//!     pub sweep: SweepParameters,
//! }
//! ```
//!
//! The doc comment is the text that `list` prints. `default` may be left out where
//! `Default::default()` is meant, `unit` where a value has none (switches, choices, texts), `range`
//! where every (finite) number is allowed; ranges are `> 0`, `>= 0`, `< 1`, `<= 1`, `[0, 1]`,
//! `(0, 2)`, `[0, 1)`, `(0, 1]`. `flatten` takes in the keys of another struct of parameters.
//! `check` names a method that tests several parameters against each other, after the ranges.
//!
//! The generated code names the crate `delassus_core`, and nothing else.

mod attributes;
mod choice;
mod parameters;
mod range;
mod text;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `Default` and `delassus_core::Parameters` for a struct with named fields.
#[proc_macro_derive(Parameters, attributes(parameter, parameters))]
pub fn parameters(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let made = parameters::derive(&input);
    made.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Implements `delassus_core::Choice`, `Display`, `FromStr`, `Serialize` and `Deserialize` for an
/// enum without data.
///
/// A variant is written in kebab-case, or as `#[choice(name = "…")]` says; its doc comment is its
/// description.
#[proc_macro_derive(Choice, attributes(choice))]
pub fn choice(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let made = choice::derive(&input);
    made.unwrap_or_else(|error| error.to_compile_error()).into()
}
