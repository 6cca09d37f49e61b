//! The compiled kernels of a frame, and the buffers that they bind.

use std::sync::Arc;

use Access::{Read, Write};
use delassus_core::DeviceError;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::pipelines::{Access, Grid, Kernel};
use wgpu::{BindGroup, ComputePass};

use super::buffers::Buffers;
use super::shaders;

/// The compiled kernels of a frame.
#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) motion: Kernel,
    /// Points of manifolds, then loose ones; each for the two passes.
    pub(super) separations: [[Kernel; 2]; 2],
    pub(super) joints: [Kernel; 2],
    pub(super) poses: Kernel,
    pub(super) tally: Kernel,
    /// In a bounce, and over a substep.
    pub(super) settle: [Kernel; 2],
    pub(super) start: Kernel,
    /// Those that compute anew what follows from λ, then those that step.
    pub(super) pieces: [[Kernel; 3]; 2],
}

/// What decides the text of the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) workgroup: u32,
    pub(super) sequential: bool,
    pub(super) momentum: bool,
}

impl Kernels {
    pub(super) fn shared(device: &Device, variant: Variant) -> Result<Arc<Self>, DeviceError> {
        let Variant {
            workgroup,
            sequential,
            momentum,
        } = variant;
        let key = format!("frame {workgroup} {sequential} {momentum}");
        device.kept(&key, || {
            let flag = |on: bool| f64::from(u8::from(on));
            let build = |shader, constants: &[(&str, f64)], access: &[Access]| {
                Kernel::new(device, shader, (workgroup, constants), access)
            };
            let separations = |loose: bool| -> Result<[Kernel; 2], DeviceError> {
                let of = |relaxed: bool| {
                    let constants = [("LOOSE", flag(loose)), ("RELAXED", flag(relaxed))];
                    let access = [Read, Read, Read, Read, Write];
                    build(&shaders::SEPARATIONS, &constants, &access)
                };
                Ok([of(false)?, of(true)?])
            };
            let joints = |relaxed: bool| {
                let access = [Read, Read, Read, Read, Read, Write, Write];
                build(&shaders::JOINTS, &[("RELAXED", flag(relaxed))], &access)
            };
            let pieces = |steps: bool| -> Result<[Kernel; 3], DeviceError> {
                let constants = [
                    ("STEPS", flag(steps)),
                    ("SEQUENTIAL", flag(sequential)),
                    ("MOMENTUM", flag(momentum)),
                ];
                let piece = [Read, Read, Read, Write, Read, Read, Write, Write];
                let body = [Read, Write, Read, Write, Read, Read, Write, Write];
                Ok([
                    build(&delassus_solver_gpu::shaders::MANIFOLDS, &constants, &piece)?,
                    build(&delassus_solver_gpu::shaders::ROWS, &constants, &piece)?,
                    build(&delassus_solver_gpu::shaders::BODIES, &constants, &body)?,
                ])
            };
            let ahead = [("MOMENTUM", flag(momentum))];
            let settle = |lasts: bool| {
                let constants = [("MOMENTUM", flag(momentum)), ("LASTS", flag(lasts))];
                build(&shaders::SETTLE, &constants, &[Read, Write, Read])
            };
            Ok(Self {
                motion: build(&shaders::MOTION, &[], &[Read, Read, Write, Write])?,
                separations: [separations(false)?, separations(true)?],
                joints: [joints(false)?, joints(true)?],
                poses: build(&shaders::POSES, &ahead, &[Read, Write, Read])?,
                tally: build(&shaders::TALLY, &[], &[Read, Read, Read, Read, Write])?,
                settle: [settle(false)?, settle(true)?],
                start: build(&shaders::START, &[], &[Read, Write, Write])?,
                pieces: [pieces(false)?, pieces(true)?],
            })
        })
    }
}

/// Bind groups; indices as in [`Kernels`], passes before parities.
#[derive(Debug)]
pub(super) struct Bindings {
    pub(super) motion: BindGroup,
    pub(super) separations: [[BindGroup; 2]; 2],
    pub(super) joints: BindGroup,
    pub(super) poses: BindGroup,
    pub(super) tally: BindGroup,
    pub(super) settle: BindGroup,
    pub(super) start: BindGroup,
    pub(super) manifolds: [[BindGroup; 2]; 2],
    pub(super) rows: [[BindGroup; 2]; 2],
    pub(super) bodies: [BindGroup; 2],
}

pub(super) fn bind(
    device: &Device,
    kernels: &Kernels,
    b: &Buffers,
) -> Result<Bindings, DeviceError> {
    let separations = |loose: usize| -> Result<[BindGroup; 2], DeviceError> {
        let of = |pass: usize| {
            let buffers = b.of_separations(loose == 1, pass);
            kernels.separations[loose][pass].bind(device, &buffers)
        };
        Ok([of(0)?, of(1)?])
    };
    let pieces = |kernel: usize, pass: usize| -> Result<[BindGroup; 2], DeviceError> {
        let of = |parity: usize| {
            let buffers = b.of_pieces(kernel == 1, pass, parity);
            kernels.pieces[1][kernel].bind(device, &buffers)
        };
        Ok([of(0)?, of(1)?])
    };
    let bodies = |parity: usize| kernels.pieces[1][2].bind(device, &b.of_bodies(parity));
    Ok(Bindings {
        motion: kernels.motion.bind(device, &b.of_motion())?,
        separations: [separations(0)?, separations(1)?],
        joints: kernels.joints[0].bind(device, &b.of_joints())?,
        poses: kernels.poses.bind(device, &b.of_settle())?,
        tally: kernels.tally.bind(device, &b.of_tally())?,
        settle: kernels.settle[0].bind(device, &b.of_settle())?,
        start: kernels.start.bind(device, &b.of_start())?,
        manifolds: [pieces(0, 0)?, pieces(0, 1)?],
        rows: [pieces(1, 0)?, pieces(1, 1)?],
        bodies: [bodies(0)?, bodies(1)?],
    })
}

/// The kernels of the bounce, which few frames need: points push, points bounce; each for manifolds and loose points.
#[derive(Debug)]
struct BounceKernels([[Kernel; 2]; 2]);

/// Their buffers, of the push for both parities.
#[derive(Debug)]
pub(super) struct Bounce {
    kernels: Arc<BounceKernels>,
    bindings: [[BindGroup; 2]; 2],
}

impl BounceKernels {
    fn shared(device: &Device, workgroup: u32) -> Result<Arc<Self>, DeviceError> {
        device.kept(&format!("bounce {workgroup}"), || {
            let of = |bounces: bool, loose: bool| {
                let flag = |on: bool| f64::from(u8::from(on));
                let constants = [("BOUNCES", flag(bounces)), ("LOOSE", flag(loose))];
                let access = [Read, Read, Read, Write, Read, Write];
                Kernel::new(device, &shaders::BOUNCE, (workgroup, &constants), &access)
            };
            Ok(Self([
                [of(false, false)?, of(false, true)?],
                [of(true, false)?, of(true, true)?],
            ]))
        })
    }
}

impl Bounce {
    pub(super) fn new(device: &Device, workgroup: u32, b: &Buffers) -> Result<Self, DeviceError> {
        let kernels = BounceKernels::shared(device, workgroup)?;
        let bind = |loose: usize| -> Result<[BindGroup; 2], DeviceError> {
            let of = |parity| {
                let buffers = b.of_bounce(loose == 1, parity);
                kernels.0[0][loose].bind(device, &buffers)
            };
            Ok([of(0)?, of(1)?])
        };
        let bindings = [bind(0)?, bind(1)?];
        Ok(Self { kernels, bindings })
    }

    /// Points push, or those that did bounce.
    pub(super) fn dispatch(
        &self,
        compute: &mut ComputePass<'_>,
        bounces: bool,
        (parity, points): (usize, [Grid; 2]),
    ) {
        for (loose, grid) in points.into_iter().enumerate() {
            let kernel = &self.kernels.0[usize::from(bounces)][loose];
            kernel.dispatch(compute, &self.bindings[loose][parity], grid);
        }
    }
}
