//! The `delassus` program.
fn main() {}
