//! The capture header, compiled by the C compiler of the machine and read by the project's reader.
//!
//! `driver.c` calls the header as a script says. Tests print why they do nothing where there is no
//! compiler.

mod frames;
mod support;
mod sweeps;
mod writing;
mod wrong;
