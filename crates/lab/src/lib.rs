//! Registry, experiment specs, runner, records, figures, report: the `delassus` program as a library.
//!
//! A program with solvers of its own is `Registry::standard().with::<MySolver>()` handed to `main_with`.

pub mod bundle;
pub mod record;
pub mod registry;
pub mod suggest;
pub mod view;
