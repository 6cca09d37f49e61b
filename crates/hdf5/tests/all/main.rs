//! Tests of the HDF5 reader and writer.
