//! Tests of the public interface: text of every format, its numbers bit for bit, reduction, hostile
//! files.

mod fclib;
mod hostile;
mod mutation;
mod mutations;
mod real_files;
mod reduce;
mod samples;
mod text;
