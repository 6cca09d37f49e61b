//! What `wide-pgs` is made of.
//!
//! [`plan`] sorts the blocks of a problem into colours, threads and kinds; [`manifold`], [`normals`], [`joints`] and
//! [`rows`] hold them in bundles, which [`pack`] and [`rows_pack`] write, [`loose`] what no bundle holds; a kernel of each
//! visits them in [`lanes`], and [`held_kernel`] where friction is held; [`velocities`] is where they meet; [`engine`] and
//! its [`crew`] of threads run the sweeps, and [`exchange`] hands bodies from one thread to another.

pub(crate) mod batch;
mod crew;
mod deliver;
pub(crate) mod engine;
mod exchange;
mod held_kernel;
mod joints;
mod joints_kernel;
mod lanes;
pub(crate) mod level;
mod loose;
mod manifold;
mod manifold_kernel;
mod manifold_refresh;
mod normals;
mod normals_kernel;
mod numbers;
mod pack;
pub(crate) mod plan;
mod rows;
mod rows_kernel;
mod rows_pack;
mod scaling;
mod vector;
pub(crate) mod velocities;
