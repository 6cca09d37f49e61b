//! The benchmark of `wide-pgs`: what is measured, how, and the tables in the records of
//! `docs/performance`.
//!
//! A [`TimedEntry`] is one line of the table, a [`Sampler`] runs it, [`table::render`] prints it.
//! The bench of this crate draws its samples through criterion; that of the excluded crate
//! `delassus-peers` draws them by itself and puts the peer's numbers of the same run next to them.

mod entry;
mod error;
mod job;
pub mod machine;
pub mod peer;
mod sampler;
pub mod table;

pub use delassus_solver_wide::VectorLevel;
pub use entry::{TimedEntry, TimedWork, entries};
pub use error::BenchError;
pub use sampler::{LastProblem, Sampler, Samples};

/// Sweeps before the measured ones, and steps before the measured ones.
pub const SETTLE: u32 = 60;
/// The two numbers of sweeps whose difference is timed.
pub const SWEEPS: [u32; 2] = [4, 20];
/// The two numbers of substeps whose difference is timed.
pub const SUBSTEPS: [u32; 2] = [2, 10];
