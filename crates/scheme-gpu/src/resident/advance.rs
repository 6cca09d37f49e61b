//! Bodies that stay on the device for many frames (K.48).
//!
//! The first frame takes a world up. After each frame a kernel moves the poses that the next search
//! reads, rotates inertias and clears the sums of the frame. The next frame then uploads a few
//! hundred bytes of counts and settings, and downloads four counts and a status. Poses, and
//! velocities if they are read, are downloaded once at the end. What the host has changed meanwhile
//! is uploaded before the next frames, body by body. Impulses of joints are downloaded with
//! velocities.

use delassus_core::{DeviceError, Progress, SolveError};
use delassus_dynamics::{Body, BodyUpdate, SchemeError, StepError, StepReport, World};
use delassus_scheme_jacobi::SoftStepParameters;
use delassus_scheme_jacobi::frame_result::progress;
use delassus_scheme_jacobi::start::{FrameStart, body_constants};
use delassus_scheme_jacobi::stepping::next_frame::FARTHEST;
use delassus_scheme_jacobi::stepping::{BodyConstants, BodyMotion};
use delassus_solver_jacobi::pack::law;
use delassus_solver_jacobi::real::Real;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::Resident;
use super::outcome::FrameEnd;
use super::prepared::Prepared;
use super::stay::{BodyReads, Stay, check_bodies, check_joints, inputs};
use crate::collision::Places;
use crate::frame::buffers::Input;

impl Resident {
    /// `frames` frames of `dt` \[s\] with bodies that stay on the device; at the end the world
    /// takes over what `reads` says. Its contacts stay on the device. The world is as before if it
    /// fails.
    pub(crate) fn advance(
        &mut self,
        world: &mut World,
        dt: f64,
        frames: u32,
        parameters: &SoftStepParameters,
        scheme: &'static str,
        reads: BodyReads,
    ) -> Result<StepReport, StepError> {
        (self.timed, self.uploaded) = (false, 0);
        check_bodies(world, scheme)?;
        check_joints(world, scheme)?;
        self.check_stay(world, scheme)?;
        let h = dt / f64::from(parameters.substeps);
        let report = self.run_frames(world, dt, frames, parameters);
        let report = report.and_then(|report| {
            let substeps = frames.saturating_mul(parameters.substeps);
            self.read_bodies(world, h, substeps, reads)?;
            Ok(report)
        });
        if report.is_err() {
            // what the device has is of no world
            self.stay = None;
        }
        report
    }

    /// Writes the newer state of the device to the world; bodies do not stay any longer.
    pub(super) fn finish_stay(
        &mut self,
        world: &mut World,
        scheme: &'static str,
    ) -> Result<(), StepError> {
        self.check_stay(world, scheme)?;
        if self.stay.as_ref().is_some_and(|stay| stay.pending) {
            self.read_bodies(world, 0.0, 0, BodyReads::All)?;
        }
        self.stay = None;
        Ok(())
    }

    /// Forgets bodies of another world, or of this one before an edit.
    fn check_stay(&mut self, world: &World, scheme: &'static str) -> Result<(), StepError> {
        let other = |stay: &&Stay| stay.version != world.contact_version();
        let Some(stay) = self.stay.as_ref().filter(other) else {
            return Ok(());
        };
        if stay.pending {
            let reason = "was edited, or is another one, while velocities of a world are on the device only: read them before (all bodies, zero frames), or make a new scheme";
            return Err(StepError::Scheme(SchemeError::Unsupported {
                scheme,
                what: "the world".to_owned(),
                reason,
            }));
        }
        self.stay = None;
        Ok(())
    }

    fn run_frames(
        &mut self,
        world: &World,
        dt: f64,
        frames: u32,
        parameters: &SoftStepParameters,
    ) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        if frames == 0 {
            return Ok(report);
        }
        let h = dt / f64::from(parameters.substeps);
        if self.stay.is_some() {
            self.uploaded += self.upload_changes(world, h, parameters)?;
        } else {
            let device = &self.device;
            let updated = self.surfaces.update(world, device);
            updated.map_err(SolveError::Device)?;
        }
        self.joints.update(world, parameters, h)?;
        let places = Places::of(world);
        for frame in 0..frames {
            let step = if frame == 0 { world.impulse_step() } else { h };
            let done = self.run_frame(world, &places, h, step, parameters)?;
            report.rows = done.rows;
            report.progress = added(report.progress, done.progress);
        }
        Ok(report)
    }

    /// One frame; `step` is the substep of the impulses before it \[s\].
    fn run_frame(
        &mut self,
        world: &World,
        places: &Places,
        h: f64,
        step: f64,
        parameters: &SoftStepParameters,
    ) -> Result<StepReport, StepError> {
        let (searched, goes_on) = match self.stay {
            Some(_) => (self.collision.search_again(world)?, true),
            None => {
                let marks = &self.surfaces.marks;
                let searched = self.collision.search(world, places, marks)?;
                (searched, self.collision.goes_on())
            }
        };
        let mut surfaces = std::mem::take(&mut self.surfaces);
        let joints = std::mem::take(&mut self.joints);
        let frame = Prepared {
            parameters,
            h,
            impulse_step: step,
            surfaces: &surfaces,
            joints: &joints,
            places,
            searched: &searched,
            bodies: world.bodies().len() + 1,
            law: law::of(&world.contact_settings().law.of_point(0.0)),
            goes_on,
        };
        let outcome = self.run(world, &frame, FrameEnd::Stay);
        let ended = outcome.map(|outcome| (frame.rows(outcome.points), outcome));
        surfaces.changed = false;
        (self.surfaces, self.joints) = (surfaces, joints);
        let ((rows, active), outcome) = ended.map_err(SolveError::Device)?;
        if outcome.lost > 0 {
            let reason = format!(
                "{} bodies are farther than {FARTHEST} m from the origin, or faster than that per second: step frame by frame",
                outcome.lost
            );
            return Err(SolveError::Device(DeviceError::Validation { reason }).into());
        }
        self.stay
            .get_or_insert_with(|| Stay::new(world, h, parameters))
            .pending = true;
        if let Some(memory) = &mut self.memory {
            memory.newest = memory.copy;
        }
        Ok(StepReport {
            rows,
            progress: progress(&outcome.schedule, active),
            ..StepReport::default()
        })
    }

    /// Uploads what the host has changed since the last frames; returns the bytes.
    fn upload_changes(
        &mut self,
        world: &World,
        h: f64,
        parameters: &SoftStepParameters,
    ) -> Result<u64, StepError> {
        let (Some(stay), Some(memory)) = (&mut self.stay, &self.memory) else {
            return Ok(0);
        };
        let device = &self.device;
        let of = |what| memory.buffers.frame.of(what);
        let now = inputs(world);
        let mut written = 0;
        let all = stay.h != h || stay.gravity != world.gravity() || stay.parameters != *parameters;
        if all {
            let start = FrameStart::<f32>::of(world, parameters, h);
            let constants = start.inertia.as_slice();
            of(Input::Inertia)
                .write(device, constants)
                .map_err(SolveError::Device)?;
            written += size_of_val(constants);
        }
        for (index, (now, then)) in now.iter().zip(&stay.inputs).enumerate() {
            if now.wrench != then.wrench && !all {
                let body = &world.bodies()[index];
                let constants = body_constants::<f32>(world, body, parameters, h);
                let size = size_of::<BodyConstants<f32>>();
                let first = (index * size) as u64;
                let wrote = of(Input::Inertia).write_at(device, first, &[constants]);
                wrote.map_err(SolveError::Device)?;
                written += size;
            }
            if now.motion != then.motion {
                let quads = now.motion.map(|v| [v.x, v.y, v.z, 0.0].map(f32::of));
                let first = (index * size_of::<BodyMotion<f32>>()) as u64;
                let wrote = of(Input::Motion).write_at(device, first, &quads);
                wrote.map_err(SolveError::Device)?;
                written += size_of_val(&quads);
            }
        }
        (stay.h, stay.gravity, stay.parameters) = (h, world.gravity(), *parameters);
        stay.inputs = now;
        Ok(written as u64)
    }

    /// The world takes over what `reads` says, `substeps` substeps of `h` \[s\] later.
    fn read_bodies(
        &mut self,
        world: &mut World,
        h: f64,
        substeps: u32,
        reads: BodyReads,
    ) -> Result<(), StepError> {
        let (Some(stay), Some(memory), Some(left)) =
            (&mut self.stay, &self.memory, self.collision.on_device())
        else {
            return Ok(());
        };
        let device = &self.device;
        let bodies = world.bodies().len();
        let poses = left.read_poses(device).map_err(SolveError::Device)?;
        let (mut velocities, mut impulses) = (Vec::new(), None);
        if reads == BodyReads::All && stay.pending {
            let read = memory.read_motion(device, bodies + 1);
            let (of_bodies, of_joints) = read.map_err(SolveError::Device)?;
            velocities = of_bodies;
            impulses = Some(self.joints.pack.unpacked(world, &of_joints)?);
        }
        let known: Vec<bool> = inputs(world)
            .iter()
            .zip(&stay.inputs)
            .map(|(now, then)| now.motion == then.motion)
            .collect();
        let update = |(index, body): (usize, &Body)| {
            let pose = &poses[index];
            let turn: Quaternion<f64> =
                pose.orientation.into_inner() * body.orientation.inverse().into_inner();
            // what the host has changed since the last frame is newer than what the device has
            let read = velocities.get(index).filter(|_| known[index]);
            let vector = |quad: &[f32; 4]| Vector3::new(quad[0], quad[1], quad[2]).map(f64::from);
            let [velocity, spin] =
                read.map_or([body.velocity, body.spin], |[v, w]| [vector(v), vector(w)]);
            BodyUpdate {
                displacement: pose.position - body.position.to_vector(),
                turn: UnitQuaternion::new_normalize(turn),
                velocity,
                spin,
            }
        };
        let updates: Vec<BodyUpdate> = world.bodies().iter().enumerate().map(update).collect();
        let step = if substeps > 0 {
            h
        } else {
            world.impulse_step()
        };
        world.write_solved(&updates, &[], impulses.as_deref(), step, substeps)?;
        self.collision.found_for(world);
        stay.version = world.contact_version();
        stay.pending &= reads == BodyReads::Poses;
        let landed = stay.inputs.iter_mut().zip(inputs(world)).zip(known);
        for ((input, now), _) in landed.filter(|(_, known)| *known) {
            input.motion = now.motion;
        }
        Ok(())
    }
}

fn added(one: Progress, other: Progress) -> Progress {
    Progress {
        sweeps: one.sweeps.saturating_add(other.sweeps),
        row_updates: one.row_updates.saturating_add(other.row_updates),
        finished: other.finished,
    }
}
