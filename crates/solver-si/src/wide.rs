//! What `wide-pgs` is made of.
//!
//! [`plan`] sorts the blocks of a problem into colours, threads and kinds. Each kind has a folder,
//! which recognises it, holds it in bundles, packs and refreshes them, and visits them in
//! [`lanes`]: [`manifolds`], [`normals`], [`joints`] and [`rows`]; [`loose`] takes what no bundle
//! holds. [`kinds`] lists them, [`batch`] says what each has to do, [`bundle`] is what they share;
//! [`velocities`] is where they meet. [`engine`] and its [`crew`] of threads run the sweeps,
//! [`exchange`] hands bodies from one thread to another, and [`carry`] moves them through the
//! substeps of a frame.

mod ahead;
pub(crate) mod batch;
mod bundle;
mod carry;
mod crew;
pub(crate) mod engine;
mod exchange;
mod gyroscope;
mod joints;
mod kinds;
mod lanes;
pub(crate) mod level;
mod loose;
mod manifolds;
mod normals;
pub(crate) mod plan;
mod rows;
mod turn;
mod vector;
mod velocities;
