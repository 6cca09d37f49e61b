//! Hands the optimisation level of this crate to its source.

use std::env;

fn main() {
    // cargo sets it for every build script
    let level = env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo::rustc-env=DELASSUS_OPT_LEVEL={level}");
    println!("cargo::rerun-if-changed=build.rs");
}
