//! What the benchmarks in `benches/` share: scenes of contacts, samplers, timed passes and the
//! table of the wide solver.
//!
//! `cargo bench -p delassus-bench` runs them all,
//! `cargo bench -p delassus-bench -- iterate/pgs --quick` a few in seconds. `cargo build` leaves
//! the crate out, and `cargo test --workspace` builds only this library, without criterion, for the
//! tests of `docs/performance.md` and its records.

pub mod clock;
pub mod contacts;
pub mod joints;
pub mod passes;
pub mod wide;
