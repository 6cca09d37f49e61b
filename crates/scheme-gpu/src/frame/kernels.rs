//! The compiled kernels of a frame, and the buffers that they bind.

use std::sync::Arc;

use Access::{Read, Write};
use Upload::{
    Adjacency, Bodies, Contacts, Control, First, Header, Heads, Impulses, Inertia, JointRows,
    Joints, Motion, Numbers, Slots,
};
use delassus_core::DeviceError;
use delassus_scheme_jacobi::stepping::BiasPass;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::pipelines::{Access, Grid, Kernel};
use wgpu::{BindGroup, ComputePass};

use super::buffers::{Buffers, Upload};
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
                    let access = [Read, Read, Read, Write];
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
    let separations = |loose: bool| -> Result<[BindGroup; 2], DeviceError> {
        let of = |pass: BiasPass| {
            let buffers = b.all([Header, Contacts(loose), Motion, Numbers(pass, loose)]);
            kernels.separations[usize::from(loose)][pass as usize].bind(device, &buffers)
        };
        Ok([of(BiasPass::Biased)?, of(BiasPass::Relaxed)?])
    };
    let pieces = |units: bool, pass: BiasPass| -> Result<[BindGroup; 2], DeviceError> {
        let of = |parity: usize| {
            let heads = [Control(parity), Heads(pass, units), Numbers(pass, units)];
            let [control, heads, numbers] = b.all(heads);
            let [impulses, bodies] = b.all([Impulses(units), Bodies]);
            let (v, w, s) = (&b.velocity, &b.wrench, &b.sums);
            let buffers = [control, heads, numbers, impulses, bodies, v, w, s];
            kernels.pieces[1][usize::from(units)].bind(device, &buffers)
        };
        Ok([of(0)?, of(1)?])
    };
    let bodies = |parity: usize| {
        let [now, next] = b.all([Control(parity), Control(1 - parity)]);
        let [bodies, adjacency] = b.all([Bodies, Adjacency]);
        let (v, w, s) = (&b.velocity, &b.wrench, &b.sums);
        let buffers = [now, next, bodies, v, w, adjacency, s, &b.history];
        kernels.pieces[1][2].bind(device, &buffers)
    };
    let both = |units: bool| -> Result<[[BindGroup; 2]; 2], DeviceError> {
        let [biased, relaxed] = BiasPass::BOTH;
        Ok([pieces(units, biased)?, pieces(units, relaxed)?])
    };
    let [header, motion, slots] = b.all([Header, Motion, Slots]);
    let moving = [header, motion, &b.velocity];
    let tallied = [header, slots, &b.wrench, motion, &b.totals];
    let forces = b.all([Header, Inertia, Motion, Bodies]);
    let numbers = BiasPass::BOTH.map(|pass| Numbers(pass, true));
    let joints = [
        Header, Joints, JointRows, Motion, Bodies, numbers[0], numbers[1],
    ];
    let start = b.all([First, Control(0), Control(1)]);
    Ok(Bindings {
        motion: kernels.motion.bind(device, &forces)?,
        separations: [separations(false)?, separations(true)?],
        joints: kernels.joints[0].bind(device, &b.all(joints))?,
        poses: kernels.poses.bind(device, &moving)?,
        tally: kernels.tally.bind(device, &tallied)?,
        settle: kernels.settle[0].bind(device, &moving)?,
        start: kernels.start.bind(device, &start)?,
        manifolds: both(false)?,
        rows: both(true)?,
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
                let access = [Read, Read, Write, Read, Write];
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
        let bind = |loose: bool| -> Result<[BindGroup; 2], DeviceError> {
            let of = |parity| {
                let numbers = Numbers(BiasPass::Relaxed, loose);
                let what = [
                    Header,
                    Control(parity),
                    Contacts(loose),
                    Impulses(loose),
                    numbers,
                ];
                kernels.0[0][usize::from(loose)].bind(device, &b.all(what))
            };
            Ok([of(0)?, of(1)?])
        };
        let bindings = [bind(false)?, bind(true)?];
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
