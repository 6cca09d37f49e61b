//! Tests of the library as a program uses it: through its prelude.

mod edits;
mod errors;
mod motion;
mod pages;
mod problems;
