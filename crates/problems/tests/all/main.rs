//! Tests of the public interface: generators, readers, snapshots.

mod check;
mod generators;
mod real_files;
