//! A frame of time steps that stays on the device: one upload, one submission, one readback.
//!
//! The dispatches are those of `stepping/frame.rs` of the twin, in its order: forces, bias, warm
//! start, iterations, poses, relaxation, sums, substep after substep, and a bounce at the end. Rows
//! have two copies, one per pass, which share impulses and velocities, so that a change of pass is
//! another bind group (K.20–K.24).

pub(crate) mod buffers;
pub(crate) mod kernels;
pub(crate) mod plan;
pub(crate) mod shaders;
pub(crate) mod submission;

use std::sync::Arc;

use buffers::{BufferPart, Buffers, Input};
use bytemuck::pod_collect_to_vec;
use delassus_core::DeviceError;
use delassus_scheme_jacobi::stepping::frame::{FrameOutcome, PackedFrame};
use delassus_scheme_jacobi::stepping::{BodyMotion, Total};
use delassus_solver_gpu::buffers::GpuQuad;
use delassus_solver_gpu::commands::Stopwatch;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::hubs;
use delassus_solver_gpu::iteration::IterationVariant;
use delassus_solver_gpu::loops;
use delassus_solver_gpu::{ManifoldLayout, threads_per_workgroup};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::{Iterate, Pack};
use delassus_solver_jacobi::rule::LocalSweep;
use kernels::{Bindings, Kernels, Restitution, bind};
use plan::{Counts, FramePlan};
use submission::{Submission, Taken};

/// What stays on the device between frames: memory, bind groups.
#[derive(Debug)]
struct Resident {
    buffers: Buffers,
    bindings: Bindings,
}

/// Runs frames on a device.
#[derive(Debug)]
pub(crate) struct Stepper {
    device: Arc<Device>,
    workgroup: u32,
    resident: Option<Resident>,
    uploaded: u64,
    /// `None` before the first frame, and on devices without time stamps.
    stopwatch: Option<Stopwatch>,
}

impl Stepper {
    /// A stepper with workgroups of `workgroup` threads \[-\], a multiple of 32 up to 256, or 0 for
    /// the fastest.
    pub(crate) fn new(device: Arc<Device>, workgroup: u32) -> Self {
        Self {
            device,
            workgroup,
            resident: None,
            uploaded: 0,
            stopwatch: None,
        }
    }

    /// The device.
    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Bytes that the last frame uploaded \[B\].
    pub(crate) fn uploaded(&self) -> u64 {
        self.uploaded
    }

    /// Time that the last frame took on the device, without the copies \[s\]; `None` without a
    /// frame or time stamps.
    pub(crate) fn seconds(&self) -> Result<Option<f64>, DeviceError> {
        let watch = self.stopwatch.as_ref();
        watch.map(|watch| watch.seconds(&self.device)).transpose()
    }

    /// Runs a frame.
    pub(crate) fn run(
        &mut self,
        frame: &PackedFrame<f32>,
    ) -> Result<FrameOutcome<f32>, DeviceError> {
        let rule = frame.packs[0].rule();
        let points = frame.packs[0].manifolds.points();
        let workgroup = threads_per_workgroup(self.workgroup, &self.device, points);
        let variant = IterationVariant {
            workgroup,
            sequential: rule.sweep == LocalSweep::Block,
            momentum: frame.schedule.acceleration != Acceleration::None,
            layout: ManifoldLayout::Manifolds,
            isotropic: false,
        };
        let kernels = Kernels::shared(&self.device, variant)?;
        let hubs = hubs::of(&self.device, &frame.packs[0])?;
        loops::check_units(&self.device, &frame.packs[0], workgroup)?;
        let grids = Counts::of(frame, hubs.len()).grids(&self.device, &kernels, workgroup)?;
        let parts = buffers::parts(frame, &hubs)?;
        self.uploaded = parts.values().map(BufferPart::bytes).sum();
        let same = |resident: &Resident| resident.buffers.fits(&parts, variant.momentum);
        match &self.resident {
            Some(resident) if same(resident) => resident.buffers.write(&self.device, &parts)?,
            _ => {
                self.resident = None;
                let buffers = Buffers::new(&self.device, frame, &parts, variant.momentum)?;
                let bindings = bind(&self.device, &kernels, &buffers)?;
                self.resident = Some(Resident { buffers, bindings });
            }
        }
        let Some(resident) = &self.resident else {
            let reason = "the buffers of a frame are gone".into();
            return Err(DeviceError::Validation { reason });
        };
        if self.stopwatch.is_none() {
            self.stopwatch = Stopwatch::new(&self.device)?;
        }
        let may_bounce = frame.schedule.restitution_sweeps > 0;
        let restitution =
            || Restitution::new(&self.device, workgroup, variant.layout, &resident.buffers);
        let plan = FramePlan {
            kernels: &kernels,
            bindings: &resident.bindings,
            restitution: may_bounce.then(restitution).transpose()?,
            grids,
            schedule: frame.schedule,
            tallies: true,
        };
        let watch = self.stopwatch.as_ref();
        submit(
            &self.device,
            watch,
            &resident.buffers,
            &plan,
            &frame.packs[0],
        )
    }
}

/// One submission with the readback in it.
fn submit(
    device: &Device,
    watch: Option<&Stopwatch>,
    buffers: &Buffers,
    plan: &FramePlan<'_>,
    pack: &Pack<f32>,
) -> Result<FrameOutcome<f32>, DeviceError> {
    let motion = size_of::<BodyMotion<f32>>() * pack.bodies.len();
    let totals = size_of::<Total<f32>>() * pack.slots.body.len();
    let points = size_of::<GpuQuad>() * pack.manifolds.points();
    let rows = size_of::<GpuQuad>() * pack.units.impulse_quads();
    let submission = Submission {
        device,
        watch,
        cleared: &[&buffers.totals],
        bytes: motion + totals + points + rows,
    };
    let read = submission.run(|compute| {
        let current = plan.record(compute);
        vec![
            Taken::first(buffers.of(Input::Motion), motion),
            Taken::first(&buffers.totals, totals),
            Taken {
                from: buffers.of(Input::Impulses(false)),
                first: current * points,
                bytes: points,
            },
            Taken {
                from: buffers.of(Input::Impulses(true)),
                first: current * rows,
                bytes: rows,
            },
        ]
    })?;
    let mut rest = read.as_slice();
    let mut next = |bytes: usize| rest.split_off(..bytes).unwrap_or_default();
    Ok(FrameOutcome {
        motion: pod_collect_to_vec(next(motion)),
        totals: pod_collect_to_vec(next(totals)),
        state: Iterate {
            points: pod_collect_to_vec(next(points)),
            rows: pod_collect_to_vec(next(rows)),
            ..Iterate::default()
        },
    })
}
