//! Contacts of the device against those of the processor, and against themselves.

mod bits;
mod common;
mod pairs;
mod points;
mod previous;
mod refusals;
