//! Tests on a machine without an adapter do not run, and say so.

pub(crate) mod wgsl;

use std::sync::Arc;

use crate::device::Device;

/// The shared device; without one, a line on standard error says which test did not run.
///
/// # Panics
/// If the environment variable `DELASSUS_REQUIRE_GPU` is set and there is no device: what continuous integration sets.
pub(crate) fn device_or_skip(test: &str) -> Option<Arc<Device>> {
    match Device::shared("") {
        Ok(device) => Some(device),
        Err(error) => {
            let required = std::env::var_os("DELASSUS_REQUIRE_GPU").is_some();
            assert!(!required, "{test}: {error}");
            eprintln!("NOT RUN: {test}: {error}");
            None
        }
    }
}
