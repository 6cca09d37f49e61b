//! What tests share: the device, or a visible skip where there is none.

pub(crate) mod wgsl;

use std::sync::Arc;

use crate::device::Device;

/// Returns the shared device, or skips the test ([`delassus_conformance::device_or_skip`]).
pub(crate) fn device_or_skip(test: &str) -> Option<Arc<Device>> {
    delassus_conformance::device_or_skip(test, Device::shared(""))
}
