//! The compiled kernels of a frame, and the buffers that they bind.

use std::sync::Arc;

use delassus_core::DeviceError;
use delassus_scheme_jacobi::stepping::BiasPass;
use delassus_solver_gpu::ManifoldLayout;
use delassus_solver_gpu::buffers::StorageBuffer;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::iteration::{
    IterationBindings, IterationKernels, IterationMemory, IterationVariant,
};
use delassus_solver_gpu::pipelines::Access::{self, Read, Write};
use delassus_solver_gpu::pipelines::{Kernel, Workgroups, flag};
use wgpu::{BindGroup, ComputePass};

use super::buffers::Buffers;
use super::buffers::Input::{
    Adjacency, Bodies, Contacts, Control, First, Header, Heads, Impulses, Inertia, JointRows,
    Joints, Motion, Numbers, Slots,
};
use super::shaders;

/// The compiled kernels of a frame.
#[derive(Debug)]
pub(crate) struct Kernels {
    pub(super) motion: Kernel,
    /// Points of manifolds, then those packed as rows; each for the two passes.
    pub(super) separations: [[Kernel; 2]; 2],
    pub(super) joints: [Kernel; 2],
    pub(super) poses: Kernel,
    pub(super) tally: Kernel,
    /// In a bounce, and over a substep.
    pub(super) settle: [Kernel; 2],
    pub(super) start: Kernel,
    /// The start of the next frame, for bodies that stay.
    pub(super) next_frame: Kernel,
    /// Those that compute anew what follows from λ, then those that step.
    pub(super) iterations: [Arc<IterationKernels>; 2],
}

impl Kernels {
    #[cfg(test)]
    pub(crate) fn next_frame(&self) -> &Kernel {
        &self.next_frame
    }

    pub(crate) fn shared(
        device: &Device,
        variant: IterationVariant,
    ) -> Result<Arc<Self>, DeviceError> {
        let (workgroup, momentum) = (variant.workgroup, variant.momentum);
        let sequential = variant.sequential;
        let tiles = variant.layout == ManifoldLayout::Tiles;
        let iteration = |steps| IterationKernels::shared(device, variant, steps);
        let iterations = [iteration(false)?, iteration(true)?];
        let key = format!("frame {workgroup} {sequential} {momentum} {tiles}");
        device.cached(&key, || {
            let build = |shader, constants: &[(&str, f64)], access: &[Access]| {
                Kernel::new(device, shader, workgroup, constants, access)
            };
            let separations = |as_rows: bool| -> Result<[Kernel; 2], DeviceError> {
                let of = |relaxed: bool| {
                    let constants = [
                        ("AS_ROWS", flag(as_rows)),
                        ("RELAXED", flag(relaxed)),
                        ("TILES", flag(tiles)),
                    ];
                    build(&shaders::SEPARATIONS, &constants, &Access::of(3, 1))
                };
                Ok([of(false)?, of(true)?])
            };
            let joints = |relaxed: bool| {
                let constants = [("RELAXED", flag(relaxed))];
                build(&shaders::JOINTS, &constants, &Access::of(5, 2))
            };
            let extrapolated = [("MOMENTUM", flag(momentum))];
            let settle = |lasts: bool| {
                let constants = [("MOMENTUM", flag(momentum)), ("LASTS", flag(lasts))];
                build(&shaders::SETTLE, &constants, &[Read, Write, Read])
            };
            Ok(Self {
                motion: build(&shaders::MOTION, &[], &[Read, Read, Write, Write])?,
                separations: [separations(false)?, separations(true)?],
                joints: [joints(false)?, joints(true)?],
                poses: build(&shaders::POSES, &extrapolated, &[Read, Write, Read])?,
                tally: build(&shaders::TALLY, &[], &[Read, Read, Read, Read, Write])?,
                settle: [settle(false)?, settle(true)?],
                start: build(&shaders::START, &[], &[Read, Write, Write])?,
                next_frame: build(&shaders::NEXT_FRAME, &[], &Access::of(1, 5))?,
                iterations,
            })
        })
    }
}

/// Bind groups; indices as in [`Kernels`], those of iterations by pass and parity.
#[derive(Debug)]
pub(crate) struct Bindings {
    pub(super) motion: BindGroup,
    pub(super) separations: [[BindGroup; 2]; 2],
    pub(super) joints: BindGroup,
    pub(super) poses: BindGroup,
    pub(super) tally: BindGroup,
    pub(super) settle: BindGroup,
    pub(super) start: BindGroup,
    pub(super) iterations: [IterationBindings; 2],
}

pub(crate) fn bind(
    device: &Device,
    kernels: &Kernels,
    b: &Buffers,
) -> Result<Bindings, DeviceError> {
    let separations = |as_rows: bool| -> Result<[BindGroup; 2], DeviceError> {
        let of = |pass: BiasPass| {
            let buffers = b.all([Header, Contacts(as_rows), Motion, Numbers(pass, as_rows)]);
            kernels.separations[usize::from(as_rows)][pass as usize].bind(device, &buffers)
        };
        Ok([of(BiasPass::Biased)?, of(BiasPass::Relaxed)?])
    };
    let iteration = |pass: BiasPass| {
        let pieces = |units| [Heads(pass, units), Numbers(pass, units), Impulses(units)];
        let memory = IterationMemory {
            control: b.all([Control(0), Control(1)]),
            manifolds: b.all(pieces(false)),
            rows: b.all(pieces(true)),
            bodies: b.of(Bodies),
            velocity: &b.velocity,
            wrench: &b.wrench,
            adjacency: b.of(Adjacency),
            sums: &b.sums,
            history: &b.history,
        };
        kernels.iterations[1].bind(device, &memory)
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
        iterations: [iteration(BiasPass::Biased)?, iteration(BiasPass::Relaxed)?],
    })
}

/// Binds what makes the start of the next frame: poses of a search, and a status of four words.
pub(crate) fn bind_next_frame(
    device: &Device,
    kernels: &Kernels,
    b: &Buffers,
    [poses, status]: [&StorageBuffer; 2],
) -> Result<BindGroup, DeviceError> {
    let [header, inertia, motion, bodies] = b.all([Header, Inertia, Motion, Bodies]);
    let memory = [header, inertia, motion, bodies, poses, status];
    kernels.next_frame.bind(device, &memory)
}

/// The kernels of restitution, which few frames need: impulses add up, biases are set; each for
/// points of manifolds and points packed as rows.
#[derive(Debug)]
struct RestitutionKernels([[Kernel; 2]; 2]);

/// Their buffers, of the push for both parities.
#[derive(Debug)]
pub(crate) struct Restitution {
    kernels: Arc<RestitutionKernels>,
    bindings: [[BindGroup; 2]; 2],
}

impl RestitutionKernels {
    fn shared(
        device: &Device,
        workgroup: u32,
        layout: ManifoldLayout,
    ) -> Result<Arc<Self>, DeviceError> {
        let tiles = layout == ManifoldLayout::Tiles;
        device.cached(&format!("restitution {workgroup} {tiles}"), || {
            let of = |applies: bool, as_rows: bool| {
                let constants = [
                    ("APPLIES", flag(applies)),
                    ("AS_ROWS", flag(as_rows)),
                    ("TILES", flag(tiles)),
                ];
                let access = [Read, Read, Write, Read, Write];
                let shader = &shaders::RESTITUTION;
                Kernel::new(device, shader, workgroup, &constants, &access)
            };
            Ok(Self([
                [of(false, false)?, of(false, true)?],
                [of(true, false)?, of(true, true)?],
            ]))
        })
    }
}

impl Restitution {
    pub(crate) fn new(
        device: &Device,
        workgroup: u32,
        layout: ManifoldLayout,
        b: &Buffers,
    ) -> Result<Self, DeviceError> {
        let kernels = RestitutionKernels::shared(device, workgroup, layout)?;
        let bind = |as_rows: bool| -> Result<[BindGroup; 2], DeviceError> {
            let of = |parity| {
                let points = [Contacts(as_rows), Impulses(as_rows)];
                let [header, control] = b.all([Header, Control(parity)]);
                let [contacts, impulses] = b.all(points);
                let numbers = b.of(Numbers(BiasPass::Relaxed, as_rows));
                let memory = [header, control, contacts, impulses, numbers];
                kernels.0[0][usize::from(as_rows)].bind(device, &memory)
            };
            Ok([of(0)?, of(1)?])
        };
        let bindings = [bind(false)?, bind(true)?];
        Ok(Self { kernels, bindings })
    }

    /// Adds up the impulses of the points, or sets the bias of those that did push.
    pub(super) fn dispatch(
        &self,
        compute: &mut ComputePass<'_>,
        applies: bool,
        parity: usize,
        points: [Workgroups; 2],
    ) {
        for (as_rows, grid) in points.into_iter().enumerate() {
            let kernel = &self.kernels.0[usize::from(applies)][as_rows];
            kernel.dispatch(compute, &self.bindings[as_rows][parity], grid);
        }
    }
}
