//! Frames whose contacts never leave the device: found, packed, solved and remembered there
//! (K.44–K.46).
//!
//! Poses and bodies are uploaded, and joints when they change (K.50). Motion, the sums of wrenches
//! and the impulses of joints are downloaded, and the contacts if they are read.

mod advance;
mod joints;
mod memory;
mod outcome;
mod prepared;
mod stay;
mod surfaces;
#[cfg(test)]
mod tests;
mod work;

use std::sync::Arc;

use delassus_core::{DeviceError, SolveError};
use delassus_dynamics::{StepError, StepReport, World};
use delassus_scheme_jacobi::SoftStepParameters;
use delassus_scheme_jacobi::frame_result::FrameResult;
use delassus_solver_gpu::commands::Stopwatch;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::iteration::IterationVariant;
use delassus_solver_gpu::loops;
use delassus_solver_gpu::{ManifoldLayout, threads_per_workgroup};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::law;
use delassus_solver_jacobi::rule::LocalSweep;

use crate::collision::{Collision, Places};
use crate::frame::kernels::{Kernels, bind, bind_next_frame};
use crate::rows::bindings::RowBindings;
use crate::rows::kernels::RowKernels;
use crate::rows::memory::{RowBuffers, RowRoom};
use joints::{Joints, UploadedJoints};
use memory::Memory;
use outcome::{FrameEnd, Outcome, solved};
use prepared::Prepared;
pub use stay::BodyReads;
use stay::Stay;
use surfaces::Surfaces;
pub(crate) use surfaces::check;
use work::Work;

/// Frames whose contacts stay on the device.
#[derive(Debug)]
pub(crate) struct Resident {
    device: Arc<Device>,
    workgroup: u32,
    layout: ManifoldLayout,
    collision: Collision,
    memory: Option<Memory>,
    surfaces: Surfaces,
    joints: Joints,
    stopwatch: Option<Stopwatch>,
    timed: bool,
    uploaded: u64,
    /// The bodies of a world, if they stay.
    stay: Option<Stay>,
}

impl Resident {
    pub(crate) fn new(
        device: Arc<Device>,
        workgroup: u32,
        layout: ManifoldLayout,
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            collision: Collision::new(Arc::clone(&device), workgroup)?,
            stopwatch: Stopwatch::new(&device)?,
            device,
            workgroup,
            layout,
            memory: None,
            surfaces: Surfaces::default(),
            joints: Joints::default(),
            timed: false,
            uploaded: 0,
            stay: None,
        })
    }

    /// The search.
    pub(crate) fn collision(&self) -> &Collision {
        &self.collision
    }

    /// Bytes that the last frame uploaded, without those of the search \[B\].
    pub(crate) fn uploaded(&self) -> u64 {
        self.uploaded
    }

    /// Time that the last frame took on the device, without the search and the copies, and without
    /// packing where surfaces may bounce: it is a submission of its own then \[s\].
    pub(crate) fn seconds(&self) -> Result<Option<f64>, DeviceError> {
        let watch = self.stopwatch.as_ref().filter(|_| self.timed);
        watch.map(|watch| watch.seconds(&self.device)).transpose()
    }

    /// One frame of `dt` \[s\] for a scheme of this name; with `reads` the world has its contacts
    /// afterwards, otherwise none. The contacts are those of before if it fails.
    pub(crate) fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        parameters: &SoftStepParameters,
        scheme: &'static str,
        reads: bool,
    ) -> Result<StepReport, StepError> {
        (self.timed, self.uploaded) = (false, 0);
        self.finish_stay(world, scheme)?;
        let h = dt / f64::from(parameters.substeps);
        let updated = self.surfaces.update(world, &self.device);
        updated.map_err(SolveError::Device)?;
        self.joints.update(world, parameters, h)?;
        let surfaces = std::mem::take(&mut self.surfaces);
        let joints = std::mem::take(&mut self.joints);
        let places = Places::of(world);
        let searched = self.collision.search(world, &places, &surfaces.marks);
        let report = searched.and_then(|searched| {
            let frame = Prepared {
                parameters,
                h,
                impulse_step: world.impulse_step(),
                surfaces: &surfaces,
                joints: &joints,
                places: &places,
                searched: &searched,
                bodies: world.bodies().len() + 1,
                law: law::of(&world.contact_settings().law.of_point(0.0)),
                goes_on: self.collision.goes_on(),
            };
            let report = self.frame(world, &frame, reads);
            if report.is_err() {
                self.collision.undo();
            }
            report
        });
        (self.surfaces, self.joints) = (surfaces, joints);
        report
    }

    fn frame(
        &mut self,
        world: &mut World,
        frame: &Prepared<'_>,
        reads: bool,
    ) -> Result<StepReport, StepError> {
        let end = FrameEnd::Read { contacts: reads };
        let outcome = self.run(world, frame, end).map_err(SolveError::Device)?;
        let (rows, active) = frame.rows(outcome.points);
        let ending = FrameResult {
            motion: &outcome.motion,
            slots: (&outcome.slots, &outcome.totals),
            schedule: outcome.schedule,
            rows,
            active,
            h: frame.h,
        };
        let (updates, report) = ending.updates(world);
        let solved = solved(world, frame, &outcome);
        let impulses = frame.joints.pack.unpacked(world, &outcome.joints)?;
        let substeps = frame.parameters.substeps;
        world.write_solved(&updates, &solved, Some(&impulses), frame.h, substeps)?;
        self.collision.found_for(world);
        if let Some(memory) = &mut self.memory {
            memory.newest = memory.copy;
        }
        Ok(report)
    }

    /// Packs and solves what was found; bodies that stay are on the device.
    fn run(
        &mut self,
        world: &World,
        frame: &Prepared<'_>,
        end: FrameEnd,
    ) -> Result<Outcome, DeviceError> {
        let parameters = frame.parameters;
        let points = frame.searched.points;
        let workgroup = threads_per_workgroup(self.workgroup, &self.device, points);
        let variant = IterationVariant {
            workgroup,
            sequential: parameters.sweep == LocalSweep::Block,
            momentum: parameters.acceleration != Acceleration::None,
            layout: self.layout,
            isotropic: false,
        };
        loops::check_units(&self.device, &frame.joints.pack.packs[0], workgroup)?;
        let kernels = Kernels::shared(&self.device, variant)?;
        let row_kernels = RowKernels::shared(&self.device, workgroup, self.layout)?;
        self.make_room(frame, &kernels, &row_kernels, variant)?;
        let (Some(memory), Some(found)) = (&mut self.memory, self.collision.on_device()) else {
            let reason = "the buffers of a frame are gone".into();
            return Err(DeviceError::Validation { reason });
        };
        self.uploaded += match &self.stay {
            Some(_) => memory.write_shared(&self.device, world, frame)?,
            None => memory.write(&self.device, world, frame)?,
        };
        let counts = [frame.searched.manifolds, frame.bodies];
        let grids = row_kernels.grids(&self.device, counts, frame.joints.room)?;
        let work = Work {
            device: &self.device,
            watch: self.stopwatch.as_ref(),
            memory,
            found: &found.copies[found.copy],
            kernels: (&kernels, workgroup),
            rows: &row_kernels,
            grids,
        };
        let outcome = if frame.surfaces.may_bounce() {
            // how long the frame is depends on whether anything hits
            let schedule = parameters.schedule(work.pack()? > 0);
            work.solve(frame, schedule, false, end)?
        } else {
            work.solve(frame, parameters.schedule(false), true, end)?
        };
        self.timed = true;
        Ok(outcome)
    }

    /// Makes buffers of the right sizes; the state of the last frame is copied.
    fn make_room(
        &mut self,
        frame: &Prepared<'_>,
        kernels: &Kernels,
        row_kernels: &RowKernels,
        variant: IterationVariant,
    ) -> Result<(), DeviceError> {
        let Some(left) = self.collision.on_device() else {
            self.memory = None;
            return Ok(());
        };
        let points = frame.searched.points;
        let mut room = RowRoom {
            bodies: frame.bodies,
            manifolds: self.collision.room().manifolds,
            points: (points + points / 4).max(64),
            surfaces: frame.surfaces.pairs.len(),
            joints: frame.joints.room,
            momentum: variant.momentum,
            layout: variant.layout,
        };
        if let Some(memory) = &mut self.memory {
            if memory.room.points >= points {
                room.points = memory.room.points;
            }
            if memory.room == room && memory.revision == left.revision {
                memory.copy = left.copy;
                return Ok(());
            }
        }
        let old = self.memory.take();
        let device = &self.device;
        let buffers = RowBuffers::new(device, &room)?;
        let rows = RowBindings::new(device, row_kernels, variant.workgroup, &buffers, &left)?;
        let bindings = bind(device, kernels, &buffers.frame)?;
        let bound = [left.bodies, &buffers.status];
        let next_frame = bind_next_frame(device, kernels, &buffers.frame, bound)?;
        let mut memory = Memory {
            room,
            revision: left.revision,
            copy: left.copy,
            newest: 1 - left.copy,
            has_surfaces: false,
            joints: UploadedJoints::default(),
            buffers,
            rows,
            frame: bindings,
            next_frame,
        };
        let fits = |old: &Memory| old.room.manifolds <= room.manifolds;
        if let Some(old) = old.filter(fits) {
            memory.take_impulses(device, &old)?;
            if self.stay.is_some() {
                memory.take_bodies(device, &old)?;
            }
        }
        self.memory = Some(memory);
        Ok(())
    }
}
