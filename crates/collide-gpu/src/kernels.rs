//! The compiled kernels.

use std::sync::Arc;

use delassus_core::DeviceError;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::pipelines::Access::{self, Read, Write};
use delassus_solver_gpu::pipelines::{Kernel, Shader};

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
            let build = |shader: &Shader, flag: Option<(&str, bool)>, access: &[Access]| {
                let flag = flag.map(|(name, on)| (name, f64::from(u8::from(on))));
                Kernel::new(device, shader, workgroup, flag.as_slice(), access)
            };
            let scan = |adds| build(&shaders::SCAN, Some(("ADDS", adds)), &[Write, Write]);
            let pairs = |fills| {
                let access = [Read, Read, Read, Read, Read, Write, Write, Write];
                build(&shaders::PAIRS, Some(("FILLS", fills)), &access)
            };
            let four = [Read, Read, Read, Read, Write, Write];
            Ok(Self {
                workgroup,
                bounds: build(&shaders::BOUNDS, None, &four)?,
                scan: [scan(false)?, scan(true)?],
                place: build(&shaders::PLACE, None, &[Read, Read, Read, Write, Write])?,
                pairs: [pairs(false)?, pairs(true)?],
                order: build(&shaders::ORDER, None, &[Read, Read, Read, Write, Write])?,
                narrow: build(
                    &shaders::NARROW,
                    None,
                    &[Read, Read, Read, Read, Write, Write, Read, Read],
                )?,
                compact: build(
                    &shaders::COMPACT,
                    None,
                    &[Read, Read, Read, Read, Write, Write, Write],
                )?,
            })
        })
    }
}
