//! What a step may change of a world, kept in case that it fails.

use nalgebra::Vector3;

use crate::body::{Body, Pose};
use crate::constraint::Track;
use crate::error::StepError;
use crate::scheme::StepReport;
use crate::world::World;

/// Motion of the bodies, stored impulses, turns and time.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorldBackup {
    poses: Vec<Pose>,
    /// Velocity \[m/s\] and angular velocity \[rad/s\].
    velocities: Vec<[Vector3<f64>; 2]>,
    /// Impulses of joints and manifolds, one after the other, and how many each has.
    impulses: Vec<f64>,
    counts: Vec<usize>,
    /// Of every joint, to count turns.
    tracks: Vec<Track>,
    /// Per manifold: the tangents of its impulses.
    tangents: Vec<[Vector3<f64>; 2]>,
    time: f64,
    impulse_step: f64,
}

impl WorldBackup {
    /// Finds the contacts and runs a frame; the world is as before if it fails.
    pub(crate) fn guard(
        &mut self,
        world: &mut World,
        frame: impl FnOnce(&mut World) -> Result<StepReport, StepError>,
    ) -> Result<StepReport, StepError> {
        world.with_contacts(|world| self.unless_failed(world, frame))
    }

    /// Runs `count` substeps of `h` \[s\], each with the contacts of its own poses; the world is as
    /// before if one of them fails.
    pub(crate) fn guard_substeps(
        &mut self,
        world: &mut World,
        count: u32,
        h: f64,
        mut substep: impl FnMut(&mut World, u32, &mut StepReport) -> Result<(), StepError>,
    ) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let frame = |world: &mut World| {
            for index in 0..count {
                // poses that are not finite have no contacts
                world.check_finite()?;
                world.look_again(h);
                substep(world, index, &mut report)?;
            }
            Ok(report)
        };
        world.looking_again(|world| self.unless_failed(world, frame))
    }

    /// Runs a frame, or a part of one, on the contacts that the world has; the world is as before
    /// if it fails.
    pub(crate) fn unless_failed(
        &mut self,
        world: &mut World,
        frame: impl FnOnce(&mut World) -> Result<StepReport, StepError>,
    ) -> Result<StepReport, StepError> {
        self.save(world);
        let outcome = frame(world).and_then(|report| world.check_finite().map(|()| report));
        if outcome.is_err() {
            self.restore(world);
        }
        outcome
    }

    /// Keeps the state of a world.
    fn save(&mut self, world: &World) {
        self.poses.clear();
        self.poses.extend(world.bodies.iter().map(Body::pose));
        self.velocities.clear();
        let velocities = world.bodies.iter().map(|body| [body.velocity, body.spin]);
        self.velocities.extend(velocities);
        self.impulses.clear();
        self.counts.clear();
        let joints = world.joints.iter().map(|joint| &joint.impulses);
        let manifolds = world.manifolds.iter().map(|manifold| &manifold.impulses);
        for impulses in joints.chain(manifolds) {
            self.impulses.extend_from_slice(impulses);
            self.counts.push(impulses.len());
        }
        self.tracks.clear();
        let tracks = world.joints.iter().map(|joint| joint.track.clone());
        self.tracks.extend(tracks);
        self.tangents.clear();
        let tangents = world.manifolds.iter().map(|m| m.impulse_tangents);
        self.tangents.extend(tangents);
        (self.time, self.impulse_step) = (world.time, world.impulse_step);
    }

    /// Gives the same world its state back.
    fn restore(&self, world: &mut World) {
        let motion = self.poses.iter().zip(&self.velocities);
        for (body, (pose, velocities)) in world.bodies.iter_mut().zip(motion) {
            (body.position, body.orientation) = (pose.position, pose.orientation);
            [body.velocity, body.spin] = *velocities;
        }
        let joints = world.joints.iter_mut().map(|joint| &mut joint.impulses);
        let manifolds = world.manifolds.iter_mut();
        let stored = joints.chain(manifolds.map(|manifold| &mut manifold.impulses));
        let mut rest = self.impulses.as_slice();
        for (impulses, count) in stored.zip(&self.counts) {
            let (own, others) = rest.split_at(*count);
            impulses.clear();
            impulses.extend_from_slice(own);
            rest = others;
        }
        for (joint, track) in world.joints.iter_mut().zip(&self.tracks) {
            joint.track.clone_from(track);
        }
        for (manifold, tangents) in world.manifolds.iter_mut().zip(&self.tangents) {
            manifold.impulse_tangents = *tangents;
        }
        (world.time, world.impulse_step) = (self.time, self.impulse_step);
    }
}
