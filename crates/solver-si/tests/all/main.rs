//! Sequential impulses against closed forms, planted solutions and each other.

mod chains;
mod equivalence;
mod facets;
mod impacts;
mod laws;
mod limits;
mod manifolds;
mod memory;
mod one_sweep;
mod painleve;
mod real_problems;
mod rolling;
mod row_orders;
mod runs;
mod split;
mod support;
mod sweeps;
