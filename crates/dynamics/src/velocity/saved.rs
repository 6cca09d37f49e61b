//! What a step may change of a world, kept in case that it fails.

use nalgebra::{UnitQuaternion, Vector3};

use crate::body::Body;
use crate::position::Position;
use crate::world::World;

/// Motion of the bodies, stored impulses and time.
#[derive(Debug, Clone, Default)]
pub(super) struct Saved {
    motion: Vec<Motion>,
    /// Impulses of joints and manifolds, one after the other, and how many each has.
    impulses: Vec<f64>,
    counts: Vec<usize>,
    time: f64,
    impulse_step: f64,
}

/// Pose and velocity of one body.
#[derive(Debug, Clone, Copy)]
struct Motion {
    position: Position,
    orientation: UnitQuaternion<f64>,
    velocity: Vector3<f64>,
    spin: Vector3<f64>,
}

impl From<&Body> for Motion {
    fn from(body: &Body) -> Self {
        Self {
            position: body.position,
            orientation: body.orientation,
            velocity: body.velocity,
            spin: body.spin,
        }
    }
}

impl Saved {
    /// Keeps the state of a world.
    pub(super) fn save(&mut self, world: &World) {
        self.motion.clear();
        self.motion.extend(world.bodies.iter().map(Motion::from));
        self.impulses.clear();
        self.counts.clear();
        let joints = world.joints.iter().map(|joint| &joint.impulses);
        let manifolds = world.manifolds.iter().map(|manifold| &manifold.impulses);
        for impulses in joints.chain(manifolds) {
            self.impulses.extend_from_slice(impulses);
            self.counts.push(impulses.len());
        }
        (self.time, self.impulse_step) = (world.time, world.impulse_step);
    }

    /// Gives the same world its state back.
    pub(super) fn restore(&self, world: &mut World) {
        for (body, motion) in world.bodies.iter_mut().zip(&self.motion) {
            (body.position, body.orientation) = (motion.position, motion.orientation);
            (body.velocity, body.spin) = (motion.velocity, motion.spin);
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
        (world.time, world.impulse_step) = (self.time, self.impulse_step);
    }
}
