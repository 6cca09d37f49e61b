//! Bodies that a workgroup sums, and how many slots it may have where loops end early.

use delassus_core::DeviceError;
use delassus_solver_jacobi::kernels::bodies;
use delassus_solver_jacobi::pack::Pack;

use crate::device::Device;

/// Slots of a body at most on software adapters \[-\]: half of what a workgroup sums before Mesa's
/// llvmpipe ends its loops (see `loops.rs`), which is 65 535 turns at 0.3 per slot: a slot is a
/// turn of a vector of four lanes at least, and a chunk is one of each of three more loops.
pub const SOFTWARE_SLOTS: usize = 100_000;

/// The hubs of a problem, ascending.
///
/// # Errors
/// [`DeviceError::Limit`] for a body that a software adapter would not sum to the end.
pub fn of(device: &Device, pack: &Pack<f32>) -> Result<Vec<u32>, DeviceError> {
    let slots = pack.slots.first_slot.windows(2);
    let most = slots.map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
    if device.report().is_software && most as usize > SOFTWARE_SLOTS {
        return Err(DeviceError::Limit {
            what: "the loops of software Vulkan (pieces of a body)",
            needed: most.into(),
            allowed: SOFTWARE_SLOTS as u64,
        });
    }
    Ok(bodies::hubs(pack))
}
