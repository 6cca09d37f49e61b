//! Criterion benchmarks of the solvers, in `benches/`.
//!
//! `cargo bench -p delassus-bench` runs them all, `cargo bench -p delassus-bench -- iterate/pgs --quick` a few in
//! seconds. The crate is not a default member: `cargo build` and `cargo test` leave it out.
