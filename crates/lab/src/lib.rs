//! Registry, experiment specs, runner, records, figures, report: the `delassus` program as a library.
//!
//! A program with solvers of its own is `Registry::standard().with::<MySolver>()` handed to `main_with`.

pub mod analysis;
pub mod bundle;
pub mod cli;
pub mod columns;
pub mod driver;
pub mod export;
pub mod figures;
pub mod judge;
pub mod key;
pub mod lock;
pub mod manifest;
pub mod matrix;
pub mod memory;
mod numbers;
pub mod origin;
pub mod outputs;
pub mod progress;
pub mod record;
pub mod registry;
pub mod report;
pub mod results;
pub mod run;
pub mod simulate;
pub mod spec;
mod statuses;
pub mod store;
pub mod suggest;
pub mod tables;
#[cfg(test)]
mod testing;
pub mod view;
