//! Experiments: specs, their matrices, the cells that run, the results folder.

use delassus_core::suggest;
use delassus_motion as motion;
use delassus_records::{key, label, lock, manifest, origin, outputs, record, store};
use delassus_registry as registry;
use delassus_report::{bundle, columns, export, figures, gate, report, strips, tables, view};

mod checkout;
pub mod citations;
pub mod closed_forms;
mod command;
mod damage;
mod document;
pub mod driver;
pub mod error;
pub mod folder;
pub mod fsck;
pub mod gates;
mod impulses;
pub mod isolate;
pub mod judge;
pub mod linked;
pub mod machine;
pub mod matrix;
pub mod memory;
pub mod merge;
mod own_spec;
mod ownership;
pub mod passing;
pub mod plot;
pub mod printable;
mod replays;
#[cfg(unix)]
pub mod rerun;
pub mod results;
pub mod run;
mod run_metadata;
pub mod simulate;
pub mod slices;
pub mod solve;
pub mod spec;
pub mod status;
mod strays;
pub mod time;
pub mod unfit;
mod unlisted;
mod unpacked;
pub mod verify;
