//! The `delassus` program as a library.
//!
//! A program with solvers of its own is `Registry::standard().with::<MySolver>()` handed to
//! `main_with`.

use delassus_core::suggest;
use delassus_motion as simulate;
use delassus_records::{guard, lock, record, store};
use delassus_report::{
    analysis, bundle, compare as comparison, figures, gate, numbers, report, statuses, tables, view,
};
use delassus_runner::{driver, judge, machine, matrix, memory, results, run, spec};

pub use delassus_registry as registry;

mod built;
pub mod cli;
pub mod progress;
