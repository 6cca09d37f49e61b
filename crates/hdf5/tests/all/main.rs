//! Tests of the HDF5 reader and writer.

mod crafted;
mod foreign;
mod mutations;
mod trees;
