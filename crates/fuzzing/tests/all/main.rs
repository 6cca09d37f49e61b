//! The corpus of the fuzz targets, in the ordinary tests.

// processes for cells, and with them their protocol, are of Unix
#[cfg(unix)]
mod corpus;
