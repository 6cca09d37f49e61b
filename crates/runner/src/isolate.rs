//! Cells in processes of their own: a solver that crashes, hangs or takes all memory takes nothing
//! else with it.
//!
//! A worker is the same program, started again with a hidden verb. It reads the spec from the text
//! that the run has read, works on one cell after the other, or on several whose timed passes take
//! turns, and answers with records through a pipe that no print of a solver reaches. When a cell
//! takes its worker down, the run says how and starts another one. See
//! `docs/decisions/0010-isolation.md`.

#[cfg(unix)]
mod bench;
#[cfg(unix)]
mod control_group;
#[cfg(unix)]
mod descendants;
mod limits;
#[cfg(unix)]
pub mod protocol;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod verdict;
#[cfg(unix)]
mod worker;

use std::ffi::OsString;
use std::path::PathBuf;

#[cfg(unix)]
pub(crate) use bench::{Step, TimeLeft, WorkerEvent, WorkerExit, WorkerSlot, out_of_turn};
#[cfg(all(test, unix))]
pub(crate) use descendants::own_children;
#[cfg(unix)]
pub use descendants::{adopt, end_started};
pub(crate) use limits::ended_at;
pub use limits::{CellLimits, LimitChoice};
#[cfg(unix)]
pub use serve::{ServeError, serve};

/// When cells run in processes of their own, and how those begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Isolation {
    /// The program.
    pub program: PathBuf,
    /// What it is started with; it must come to [`serve()`] on the registry of the run.
    pub arguments: Vec<OsString>,
    /// Isolate every run. Otherwise only runs of several cells, in which starting processes does
    /// not count.
    pub always: bool,
}

/// True where this system can isolate cells.
pub const AVAILABLE: bool = cfg!(unix);
