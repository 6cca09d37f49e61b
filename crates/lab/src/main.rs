//! The `delassus` program.

use std::process::ExitCode;

use delassus_lab::cli::main_with;
use delassus_lab::registry::Registry;

fn main() -> ExitCode {
    main_with(Registry::standard())
}
