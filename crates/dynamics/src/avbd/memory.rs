//! State of the method that persists between substeps.

use nalgebra::Vector3;

use crate::handles::Moment;
use crate::joint::Joint;
use crate::slips::Slips;
use crate::world::World;

/// What the scheme keeps from substep to substep, besides the impulses in the world.
#[derive(Debug, Default)]
pub(super) struct SubstepMemory {
    /// The moment of the world that it belongs to.
    pub(super) moment: Option<Moment>,
    /// Penalty per row.
    pub(super) penalties: Vec<f64>,
    /// Of the contact points that stick (V.11).
    pub(super) slips: Slips,
    /// Velocity of every body before the last substep \[m/s\].
    pub(super) velocities: Vec<Vector3<f64>>,
    /// Memory: penalties of the points of before. It is no part of the state.
    earlier: Vec<f64>,
}

impl Clone for SubstepMemory {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    /// In its own memory.
    fn clone_from(&mut self, other: &Self) {
        self.moment = other.moment;
        self.penalties.clone_from(&other.penalties);
        self.slips.clone_from(&other.slips);
        self.velocities.clone_from(&other.velocities);
    }
}

impl SubstepMemory {
    /// Forgets what belongs to another world.
    pub(super) fn fit(&mut self, world: &World) {
        let same = self.moment == Some(world.moment());
        if !same || self.velocities.len() != world.bodies.len() {
            *self = Self::default();
            self.velocities = world.bodies.iter().map(|body| body.velocity).collect();
        }
    }

    /// Brings penalties and slips into the order of the contacts of a new frame; those of new
    /// points start anew.
    pub(super) fn follow(&mut self, world: &World, smallest: f64) {
        let found = world.manifolds[world.colliders.given..].iter();
        let origins = found.filter_map(|manifold| manifold.origin.as_ref());
        let given = world.manifolds[..world.colliders.given].iter();
        let units = |joint: &Joint| joint.constraint.descriptor().units.len();
        let points = given.map(|manifold| manifold.points.len()).sum::<usize>();
        let fixed = world.joints.iter().map(units).sum::<usize>() + 3 * points;
        self.slips.follow(world);
        if self.penalties.len() < fixed {
            return;
        }
        let earlier = &mut self.earlier;
        earlier.clear();
        earlier.extend(self.penalties.drain(fixed..));
        for point in origins.flat_map(|origin| origin.previous.iter()) {
            let rows = point.and_then(|point| earlier.get(3 * point..3 * point + 3));
            self.penalties.extend(rows.unwrap_or(&[smallest; 3]));
        }
    }
}
