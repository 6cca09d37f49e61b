//! What the benchmarks in `benches/` share: scenes of contacts, samplers and the table of the wide solver.
//!
//! `cargo bench -p delassus-bench` runs them all, `cargo bench -p delassus-bench -- iterate/pgs --quick` a few in
//! seconds. The crate is not a default member: `cargo build` leaves it out, and `cargo test` builds only this library,
//! without criterion, for the test that holds `docs/performance.md` to it.

pub mod contacts;
pub mod wide;
