//! A session folder for drivers that ask for one.
//!
//! Mesa's layer that orders adapters asks Wayland for the one of the desktop. Without a desktop
//! session there is no `XDG_RUNTIME_DIR`, and Wayland says so on standard error before the program
//! can: an error to whoever reads it. With any folder it finds no desktop there and is silent. The
//! variable must be set before the process starts, as nothing safe sets it afterwards.

/// Starts the program again in its own place, with an `XDG_RUNTIME_DIR`, where there is none.
/// Returns if that is not needed or not possible.
#[cfg(all(feature = "gpu", target_os = "linux"))]
pub(super) fn make_up() {
    use std::env;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    const VARIABLE: &str = "XDG_RUNTIME_DIR";
    if env::var_os(VARIABLE).is_some() {
        return;
    }
    let Ok(program) = env::current_exe() else {
        return;
    };
    let mut arguments = env::args_os();
    let name = arguments.next().unwrap_or_default();
    // the same process goes on: its streams, its number, its exit code. An error leaves all as it
    // was.
    let _ = Command::new(program)
        .arg0(name)
        .args(arguments)
        .env(VARIABLE, env::temp_dir())
        .exec();
}

/// No other system asks.
#[cfg(not(all(feature = "gpu", target_os = "linux")))]
pub(super) fn make_up() {}
