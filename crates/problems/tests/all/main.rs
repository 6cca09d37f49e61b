//! Tests of the public interface: generators, readers, snapshots.

mod check;
mod data;
mod documentation;
mod field;
mod generators;
mod generators_of_joints;
mod hostile;
#[path = "../../../formats/tests/all/mutation.rs"]
mod mutation;
mod mutations;
mod npz;
mod real_files;
mod snapshots;
mod text;
