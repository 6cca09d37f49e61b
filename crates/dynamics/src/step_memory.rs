//! What stepping a world takes, estimated from its counts before anything is assembled.

use std::collections::BTreeSet;

use crate::world::World;

/// Bytes of a body, of a contact point and of a joint in a world and in a frame with its solver, as
/// the process's peak grew with them (`soft-step` with `pgs`: 2.7 to 3.2 kB per point on grids and
/// pyramids of 10 000 to 40 000 boxes, 4 to 4.4 kB per joint on chains and nets of 10 000 bodies)
/// \[B\].
const BODY: u64 = 1_000;
const POINT: u64 = 3_200;
const JOINT: u64 = 4_400;
/// Contact points of a moving body with a shape \[-\]: which ones touch is not known before the
/// first frame. Boxes in pyramids have 10.5.
const POINTS: u64 = 11;

impl World {
    /// Memory that this world and one of its frames take, estimated \[B\].
    pub fn step_memory(&self) -> u64 {
        let bodies = self.bodies();
        let shapes = self.colliders.list.iter().map(|collider| collider.body);
        let moving: BTreeSet<usize> = shapes.filter(|body| bodies[*body].is_dynamic()).collect();
        let known: usize = self.manifolds().iter().map(|m| m.points.len()).sum();
        let points = (known as u64).max(POINTS * moving.len() as u64);
        BODY * bodies.len() as u64 + POINT * points + JOINT * self.joints().len() as u64
    }
}
