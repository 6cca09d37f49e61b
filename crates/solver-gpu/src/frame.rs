//! A frame of time steps that stays on the device: one upload, one submission, one readback.
//!
//! The dispatches are those of `stepping/frame.rs` of the twin, in its order: forces, bias, warm start, iterations, poses,
//! relaxation, sums, substep after substep. Rows have two copies, one per pass, which share impulses and velocities, so
//! that a change of pass is another bind group (K.20–K.23).

mod buffers;
mod shaders;

use std::sync::Arc;

use delassus_core::DeviceError;
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::kernels::stepping::frame::{Frame, Outcome};
use delassus_solver_jacobi::kernels::stepping::{MOTION_QUADS, Pass, TOTAL_QUADS};
use delassus_solver_jacobi::pack::State;
use delassus_solver_jacobi::rule::Sweep;
use wgpu::{BindGroup, BufferDescriptor, BufferUsages, ComputePass, ComputePassDescriptor};

use crate::buffers::map;
use crate::device::Device;
use crate::pipelines::{Access, Grid, Kernel};
use buffers::{Buffers, Part};

use Access::{Read, Write};

type Quad = [f32; 4];

/// The compiled kernels of a frame.
#[derive(Debug)]
struct Kernels {
    motion: Kernel,
    /// Points of manifolds, then loose ones; each for the two passes.
    separations: [[Kernel; 2]; 2],
    joints: [Kernel; 2],
    poses: Kernel,
    tally: Kernel,
    settle: Kernel,
    start: Kernel,
    /// Those that compute anew what follows from λ, then those that step.
    pieces: [[Kernel; 3]; 2],
}

/// What decides the text of the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Variant {
    workgroup: u32,
    sequential: bool,
    momentum: bool,
}

impl Kernels {
    fn shared(device: &Device, variant: Variant) -> Result<Arc<Self>, DeviceError> {
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
                    build(&crate::shaders::MANIFOLDS, &constants, &piece)?,
                    build(&crate::shaders::ROWS, &constants, &piece)?,
                    build(&crate::shaders::BODIES, &constants, &body)?,
                ])
            };
            let ahead = [("MOMENTUM", flag(momentum))];
            Ok(Self {
                motion: build(&shaders::MOTION, &[], &[Read, Read, Write, Write])?,
                separations: [separations(false)?, separations(true)?],
                joints: [joints(false)?, joints(true)?],
                poses: build(&shaders::POSES, &ahead, &[Read, Write, Read])?,
                tally: build(&shaders::TALLY, &[], &[Read, Read, Read, Read, Write])?,
                settle: build(&shaders::SETTLE, &ahead, &[Read, Write, Read])?,
                start: build(&shaders::START, &[], &[Read, Write, Write])?,
                pieces: [pieces(false)?, pieces(true)?],
            })
        })
    }
}

/// Bind groups; indices as in [`Kernels`], passes before parities.
#[derive(Debug)]
struct Bindings {
    motion: BindGroup,
    separations: [[BindGroup; 2]; 2],
    joints: BindGroup,
    poses: BindGroup,
    tally: BindGroup,
    settle: BindGroup,
    start: BindGroup,
    manifolds: [[BindGroup; 2]; 2],
    rows: [[BindGroup; 2]; 2],
    bodies: [BindGroup; 2],
}

/// Workgroups of the kernels.
#[derive(Debug, Clone, Copy)]
struct Grids {
    bodies: Grid,
    points: [Grid; 2],
    joints: Grid,
    slots: Grid,
    one: Grid,
    pieces: [Grid; 3],
}

/// What stays on the device between frames: memory, bind groups.
#[derive(Debug)]
struct Resident {
    buffers: Buffers,
    bindings: Bindings,
}

/// Runs frames on a device.
#[derive(Debug)]
pub struct Stepper {
    device: Arc<Device>,
    workgroup: u32,
    resident: Option<Resident>,
    uploaded: u64,
}

impl Stepper {
    /// A stepper with workgroups of `workgroup` threads \[-\], a multiple of 32 up to 256.
    pub fn new(device: Arc<Device>, workgroup: u32) -> Self {
        Self {
            device,
            workgroup,
            resident: None,
            uploaded: 0,
        }
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Bytes that the last frame uploaded \[B\].
    pub fn uploaded(&self) -> u64 {
        self.uploaded
    }

    /// Runs a frame.
    ///
    /// # Errors
    /// Buffers or grids beyond the limits of the device, or what the driver says.
    pub fn run(&mut self, frame: &Frame<f32>) -> Result<Outcome<f32>, DeviceError> {
        let rule = frame.packs[0].rule();
        let variant = Variant {
            workgroup: self.workgroup,
            sequential: rule.sweep == Sweep::Block,
            momentum: frame.schedule.acceleration != Acceleration::None,
        };
        let kernels = Kernels::shared(&self.device, variant)?;
        let grids = grids(&self.device, &kernels, frame, self.workgroup)?;
        let parts = buffers::parts(frame)?;
        self.uploaded = parts.iter().map(Part::bytes).sum();
        let same = |resident: &Resident| resident.buffers.fits(&parts, variant.momentum);
        match &self.resident {
            Some(resident) if same(resident) => resident.buffers.write(&self.device, &parts)?,
            _ => {
                self.resident = None;
                let buffers = Buffers::new(&self.device, &parts, variant.momentum)?;
                let bindings = bind(&self.device, &kernels, &buffers)?;
                self.resident = Some(Resident { buffers, bindings });
            }
        }
        let Some(resident) = &self.resident else {
            let reason = "the buffers of a frame are gone".into();
            return Err(DeviceError::Validation { reason });
        };
        let plan = Plan {
            kernels: &kernels,
            bindings: &resident.bindings,
            grids,
            frame,
        };
        submit(&self.device, &resident.buffers, &plan)
    }
}

fn grids(
    device: &Device,
    kernels: &Kernels,
    frame: &Frame<f32>,
    workgroup: u32,
) -> Result<Grids, DeviceError> {
    let pack = &frame.packs[0];
    let stepping = &frame.stepping;
    let grid = |threads| kernels.motion.grid(device, threads);
    let most = device.limits().max_compute_workgroups_per_dimension;
    // and one workgroup for the sums
    let bodies = pack.bodies.len().div_ceil(workgroup as usize) + 1;
    Ok(Grids {
        bodies: grid(pack.bodies.len())?,
        points: [
            grid(stepping.contacts.heads.len())?,
            grid(stepping.loose.heads.len())?,
        ],
        joints: grid(stepping.joints.heads.len() / 2)?,
        slots: grid(pack.slots.body.len())?,
        one: Grid::of(1, most)?,
        pieces: [
            grid(pack.manifolds.len())?,
            grid(pack.units.len())?,
            Grid::of(bodies, most)?,
        ],
    })
}

/// What is recorded.
struct Plan<'a> {
    kernels: &'a Kernels,
    bindings: &'a Bindings,
    grids: Grids,
    frame: &'a Frame<f32>,
}

impl Plan<'_> {
    /// All substeps; returns the half of the impulses that holds the last ones.
    fn record(&self, compute: &mut ComputePass<'_>) -> usize {
        let (kernels, bindings, grids) = (self.kernels, self.bindings, &self.grids);
        let schedule = self.frame.schedule;
        let mut current = 0;
        for _ in 0..schedule.substeps {
            kernels
                .motion
                .dispatch(compute, &bindings.motion, grids.bodies);
            self.follow(compute, Pass::Biased);
            current = self.solve(compute, Pass::Biased, schedule.sweeps, current);
            kernels
                .poses
                .dispatch(compute, &bindings.poses, grids.bodies);
            self.follow(compute, Pass::Relaxed);
            current = self.solve(compute, Pass::Relaxed, schedule.relax_sweeps, current);
            kernels
                .tally
                .dispatch(compute, &bindings.tally, grids.slots);
            kernels
                .settle
                .dispatch(compute, &bindings.settle, grids.bodies);
        }
        current
    }

    fn follow(&self, compute: &mut ComputePass<'_>, pass: Pass) {
        let pass = pass as usize;
        for loose in 0..2 {
            let kernel = &self.kernels.separations[loose][pass];
            let bindings = &self.bindings.separations[loose][pass];
            kernel.dispatch(compute, bindings, self.grids.points[loose]);
        }
        let joints = &self.kernels.joints[pass];
        joints.dispatch(compute, &self.bindings.joints, self.grids.joints);
    }

    fn solve(
        &self,
        compute: &mut ComputePass<'_>,
        pass: Pass,
        sweeps: u32,
        mut current: usize,
    ) -> usize {
        let start = &self.kernels.start;
        start.dispatch(compute, &self.bindings.start, self.grids.one);
        self.iteration(compute, pass, false, current);
        for _ in 0..sweeps {
            self.iteration(compute, pass, true, current);
            current = 1 - current;
        }
        current
    }

    /// Manifolds, units, bodies.
    fn iteration(&self, compute: &mut ComputePass<'_>, pass: Pass, steps: bool, parity: usize) {
        let kernels = &self.kernels.pieces[usize::from(steps)];
        let bindings = [
            &self.bindings.manifolds[pass as usize][parity],
            &self.bindings.rows[pass as usize][parity],
            &self.bindings.bodies[parity],
        ];
        for ((kernel, bindings), grid) in kernels.iter().zip(bindings).zip(self.grids.pieces) {
            kernel.dispatch(compute, bindings, grid);
        }
    }
}

/// One submission with the readback in it.
fn submit(
    device: &Device,
    buffers: &Buffers,
    plan: &Plan<'_>,
) -> Result<Outcome<f32>, DeviceError> {
    let pack = &plan.frame.packs[0];
    let bytes = |quads: usize| (quads * size_of::<Quad>()) as u64;
    let motion = MOTION_QUADS * pack.bodies.len();
    let totals = TOTAL_QUADS * pack.slots.body.len();
    let (points, rows) = (pack.manifolds.points(), pack.units.impulse_quads());
    let size = bytes(motion + totals + points + rows);
    let staging = device.checked("the frame", size, || {
        let raw = device.raw();
        let staging = raw.create_buffer(&BufferDescriptor {
            label: Some("the frame"),
            size,
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = raw.create_command_encoder(&Default::default());
        encoder.clear_buffer(buffers.totals().raw(), 0, None);
        let mut compute = encoder.begin_compute_pass(&ComputePassDescriptor {
            label: Some("the frame"),
            timestamp_writes: None,
        });
        let current = plan.record(&mut compute);
        drop(compute);
        let mut to = 0;
        let copies = [
            (buffers.motion(), 0, motion),
            (buffers.totals(), 0, totals),
            (buffers.points(), current * points, points),
            (buffers.rows(), current * rows, rows),
        ];
        for (from, first, quads) in copies {
            if quads > 0 {
                let raw = from.raw();
                encoder.copy_buffer_to_buffer(raw, bytes(first), &staging, to, bytes(quads));
                to += bytes(quads);
            }
        }
        device.queue().submit([encoder.finish()]);
        staging
    })?;
    let mut all = vec![[0.0_f32; 4]; motion + totals + points + rows];
    map(device, &staging, |content| {
        bytemuck::cast_slice_mut(&mut all).copy_from_slice(content);
    })?;
    let rows = all.split_off(motion + totals + points);
    let points = all.split_off(motion + totals);
    let totals = all.split_off(motion);
    Ok(Outcome {
        motion: all,
        totals,
        state: State {
            points,
            rows,
            ..State::default()
        },
    })
}

fn bind(device: &Device, kernels: &Kernels, b: &Buffers) -> Result<Bindings, DeviceError> {
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
        settle: kernels.settle.bind(device, &b.of_settle())?,
        start: kernels.start.bind(device, &b.of_start())?,
        manifolds: [pieces(0, 0)?, pieces(0, 1)?],
        rows: [pieces(1, 0)?, pieces(1, 1)?],
        bodies: [bodies(0)?, bodies(1)?],
    })
}
