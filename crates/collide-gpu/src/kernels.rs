//! The compiled kernels.

use std::sync::Arc;

use delassus_core::DeviceError;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::pipelines::Access::{self, Read, Write};
use delassus_solver_gpu::pipelines::{Kernel, flag};

use crate::shaders;

/// The compiled kernels, for one size of workgroups.
#[derive(Debug)]
pub(crate) struct Kernels {
    pub(crate) workgroup: u32,
    pub(crate) bounds: Kernel,
    /// Sums, and what adds those of the blocks before.
    pub(crate) scan: [Kernel; 2],
    pub(crate) place: Kernel,
    /// What counts pairs, and what names them.
    pub(crate) pairs: [Kernel; 2],
    pub(crate) order: Kernel,
    pub(crate) narrow: Kernel,
    pub(crate) compact: Kernel,
}

impl Kernels {
    pub(crate) fn shared(device: &Device, workgroup: u32) -> Result<Arc<Self>, DeviceError> {
        device.cached(&format!("collision {workgroup}"), || {
            let build = |shader, flags: &[(&str, f64)], access: &[Access]| {
                Kernel::new(device, shader, workgroup, flags, access)
            };
            let scan = |adds| build(&shaders::SCAN, &[("ADDS", flag(adds))], &Access::of(0, 2));
            let pairs = |fills| {
                let flags = [("FILLS", flag(fills))];
                build(&shaders::PAIRS, &flags, &Access::of(5, 3))
            };
            let narrow = [Read, Read, Read, Read, Write, Write, Read, Read];
            Ok(Self {
                workgroup,
                bounds: build(&shaders::BOUNDS, &[], &Access::of(4, 2))?,
                scan: [scan(false)?, scan(true)?],
                place: build(&shaders::PLACE, &[], &Access::of(3, 2))?,
                pairs: [pairs(false)?, pairs(true)?],
                order: build(&shaders::ORDER, &[], &Access::of(3, 2))?,
                narrow: build(&shaders::NARROW, &[], &narrow)?,
                compact: build(&shaders::COMPACT, &[], &Access::of(4, 3))?,
            })
        })
    }
}
