//! Criterion benchmarks of the solvers.
