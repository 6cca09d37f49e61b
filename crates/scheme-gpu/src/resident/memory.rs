//! What stays on the device between frames, and what is uploaded for one.

use delassus_core::DeviceError;
use delassus_dynamics::{Body, World};
use delassus_scheme_jacobi::start::{FrameStart, settings};
use delassus_scheme_jacobi::stepping::BiasPass;
use delassus_solver_gpu::buffers::GpuQuad;
use delassus_solver_gpu::control::{Control, index};
use delassus_solver_gpu::device::Device;
use delassus_solver_jacobi::pack::{BODY_FREE, Bodies};
use delassus_solver_jacobi::real::Real;
use delassus_solver_jacobi::rule::LocalSweep;
use nalgebra::Vector3;
use wgpu::BindGroup;

use super::Prepared;
use super::joints::UploadedJoints;
use crate::frame::buffers::{HISTORY, Header, Input};
use crate::frame::kernels::Bindings;
use crate::rows::bindings::RowBindings;
use crate::rows::memory::{JointRoom, RowBuffers, RowRoom};
use crate::rows::records::{Kept, RowSettings};

/// What stays on the device between frames.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) room: RowRoom,
    /// Of the search's buffers.
    pub(super) revision: u64,
    /// Which copy this frame writes, and which one has what the last frame kept that did not fail.
    pub(super) copy: usize,
    pub(super) newest: usize,
    /// False until the pairs of surfaces are there.
    pub(super) has_surfaces: bool,
    pub(super) joints: UploadedJoints,
    pub(super) buffers: RowBuffers,
    pub(super) rows: RowBindings,
    pub(super) frame: Bindings,
    /// Of the kernel that makes the start of the next frame.
    pub(super) next_frame: BindGroup,
}

impl Memory {
    /// Uploads what a frame begins with; returns the bytes.
    pub(super) fn write(
        &mut self,
        device: &Device,
        world: &World,
        frame: &Prepared<'_>,
    ) -> Result<u64, DeviceError> {
        let shared = self.write_shared(device, world, frame)?;
        Ok(shared + self.write_bodies(device, world, frame)?)
    }

    /// What all of a frame share.
    pub(super) fn write_shared(
        &mut self,
        device: &Device,
        world: &World,
        frame: &Prepared<'_>,
    ) -> Result<u64, DeviceError> {
        let (parameters, h, searched) = (frame.parameters, frame.h, frame.searched);
        // however many sweeps it will be
        let schedule = parameters.schedule(false);
        let b = &self.buffers;
        let (manifolds, points) = (searched.manifolds, searched.points);
        let joints = frame.joints.room;
        let header = Header {
            settings: settings(parameters, h),
            bodies: index(frame.bodies)?,
            contacts: index(points)?,
            row_contacts: 0,
            joints: index(joints.joints)?,
            slots: index(2 * frame.pieces())?,
        };
        let first = Control::of_manifolds(
            [manifolds, points, frame.bodies],
            schedule.acceleration,
            schedule.guarded,
            HISTORY,
        )?;
        let first = first.laid_out(self.room.layout)?;
        let first = first.with_units([joints.units, joints.units + joints.joints, joints.quads])?;
        let [even, odd] = first.of_halves();
        let of = |what| b.frame.of(what);
        b.settings.write(device, &[frame.settings()?])?;
        let mut surfaces = 0;
        if frame.surfaces.changed || !self.has_surfaces {
            b.surfaces.write(device, &frame.surfaces.pairs)?;
            surfaces = size_of_val(frame.surfaces.pairs.as_slice());
        }
        of(Input::Header).write(device, &[header])?;
        of(Input::First).write(device, &[first])?;
        of(Input::Control(0)).write(device, &[even])?;
        of(Input::Control(1)).write(device, &[odd])?;
        let remembered = remembered(world, &searched.order);
        if !remembered.is_empty() {
            b.kept[1 - self.copy].write_at(device, 0, &remembered)?;
        }
        self.has_surfaces = true;
        let constant = size_of::<Header>() + 3 * size_of::<Control>() + size_of::<RowSettings>();
        let written = constant + surfaces + size_of_val(remembered.as_slice());
        Ok(written as u64 + self.write_joints(device, world, frame)?)
    }

    /// Uploads joints that are others than those of the device, and their impulses if it has none
    /// of the frame before; returns the bytes.
    fn write_joints(
        &mut self,
        device: &Device,
        world: &World,
        frame: &Prepared<'_>,
    ) -> Result<u64, DeviceError> {
        let (joints, b) = (frame.joints, &self.buffers);
        if joints.room == JointRoom::default() {
            return Ok(0);
        }
        let mut written = 0;
        let pack = &joints.pack;
        if self.joints.packed != Some(joints.packed) {
            b.attached.write(device, &pack.joints)?;
            b.directions.write(device, &pack.rows)?;
            written += size_of_val(pack.joints.as_slice()) + size_of_val(pack.rows.as_slice());
            for (pass, rows) in BiasPass::BOTH.into_iter().zip(&pack.packs) {
                let (heads, numbers) = (&rows.units.heads, &rows.units.numbers);
                b.frame.of(Input::Heads(pass, true)).write(device, heads)?;
                b.frame
                    .of(Input::Numbers(pass, true))
                    .write(device, numbers)?;
                written += size_of_val(heads.as_slice()) + size_of_val(numbers.as_slice());
            }
            self.joints.packed = Some(joints.packed);
        }
        if !frame.goes_on || self.joints.laid_out != Some(joints.laid_out) {
            let impulses = pack.impulses(world);
            b.joint_kept[1 - self.copy].write(device, &impulses)?;
            written += size_of_val(impulses.as_slice());
            self.joints.laid_out = Some(joints.laid_out);
        }
        Ok(written as u64)
    }

    /// The bodies of a world, and the world after them.
    fn write_bodies(
        &self,
        device: &Device,
        world: &World,
        frame: &Prepared<'_>,
    ) -> Result<u64, DeviceError> {
        let start = FrameStart::<f32>::of(world, frame.parameters, frame.h);
        let masses: Vec<_> = world.bodies().iter().map(|b| b.mass_properties()).collect();
        let numbers = |body: &Body| [body.velocity, body.spin];
        let free = world.bodies().iter().flat_map(numbers);
        let free: Vec<f64> = free.flat_map(|v| [v.x, v.y, v.z]).collect();
        let bodies = Bodies::<f32>::of(&masses, &free);
        let of = |what| self.buffers.frame.of(what);
        of(Input::Inertia).write(device, &start.inertia)?;
        of(Input::Motion).write(device, &start.motion)?;
        of(Input::Bodies).write_both(device, &bodies.mass, &bodies.free)?;
        let written = size_of_val(start.inertia.as_slice())
            + size_of_val(start.motion.as_slice())
            + size_of_val(bodies.mass.as_slice())
            + size_of_val(bodies.free.as_slice());
        Ok(written as u64)
    }

    /// Velocities of `bodies` bodies, and the impulses of the joints, at the end of the last frame.
    pub(super) fn read_motion(
        &self,
        device: &Device,
        bodies: usize,
    ) -> Result<(Vec<[GpuQuad; BODY_FREE]>, Vec<GpuQuad>), DeviceError> {
        let kept = &self.buffers.joint_kept[self.newest];
        Ok((
            self.buffers.frame.read_velocities(device, bodies)?,
            kept.read(device, 0..self.room.joints.quads)?,
        ))
    }

    /// The impulses of the last frame, from memory of other sizes; those of joints that lie
    /// elsewhere come from the world.
    pub(super) fn take_impulses(&mut self, device: &Device, old: &Self) -> Result<(), DeviceError> {
        let [to, from] = [&self.buffers, &old.buffers];
        let before = 1 - self.copy;
        to.kept[before].copy(device, &from.kept[old.newest])?;
        if self.room.joints == old.room.joints {
            to.joint_kept[before].copy(device, &from.joint_kept[old.newest])?;
            self.joints = old.joints.impulses_of();
        }
        Ok(())
    }

    /// What frames have left of bodies that stay, from memory that has become too small.
    pub(super) fn take_bodies(&self, device: &Device, old: &Self) -> Result<(), DeviceError> {
        for what in [Input::Inertia, Input::Motion, Input::Bodies] {
            let from = old.buffers.frame.of(what);
            self.buffers.frame.of(what).copy(device, from)?;
        }
        Ok(())
    }
}

impl Prepared<'_> {
    fn settings(&self) -> Result<RowSettings, DeviceError> {
        let (parameters, h) = (self.parameters, self.h);
        // compliances are those of a diagonal of one
        let [free, fixed] = [false, true].map(|fixed| {
            let soft = parameters.contact_spring(fixed, h).row(1.0, h);
            soft.map_or([0.0; 2], |soft| [soft.bias_rate, soft.compliance])
        });
        let step = self.impulse_step;
        let rule = parameters.step_rule();
        Ok(RowSettings {
            manifolds: index(self.searched.manifolds)?,
            bodies: index(self.bodies)?,
            kinds: index(self.surfaces.len())?,
            law: self.law,
            rule: rule.rule as u32,
            splitting: rule.splitting as u32,
            sequential: (rule.sweep == LocalSweep::Block).into(),
            factor: f32::of(if step > 0.0 { h / step } else { 1.0 }),
            margin: f32::of(parameters.speculative_margin),
            inverse_omega: f32::of(1.0 / parameters.omega),
            rate: f32::of(free[0]),
            soft: f32::of(free[1]),
            fixed_rate: f32::of(fixed[0]),
            fixed_soft: f32::of(fixed[1]),
            threshold: f32::of(parameters.restitution_threshold),
            units: index(self.joints.room.units)?,
            joints: index(self.joints.room.joints)?,
        })
    }
}

/// Tangents and impulses of the contacts of a world, in the order that their manifolds have on the
/// device.
fn remembered(world: &World, order: &[usize]) -> Vec<Kept> {
    let quad = |v: Vector3<f64>| [v.x, v.y, v.z, 0.0].map(f32::of);
    let of = |index: &usize| {
        let manifold = &world.manifolds()[*index];
        let poses = manifold.bodies.map(|body| world.bodies()[body].pose());
        let [tangent, _] = manifold.frame(poses).tangents;
        let [first, second] = manifold.impulse_tangents().map(quad);
        let mut impulses = [[0.0; 4]; 4];
        let (own, _) = manifold.impulses().as_chunks::<3>();
        for (to, [n, t, s]) in impulses.iter_mut().zip(own) {
            *to = [*n, *t, *s, 0.0].map(f32::of);
        }
        Kept {
            tangent: quad(poses[0].unrotate(&tangent)),
            first,
            second,
            impulses,
        }
    };
    order.iter().map(of).collect()
}
