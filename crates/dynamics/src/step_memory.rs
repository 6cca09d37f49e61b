//! What stepping a world takes, estimated from its counts before anything is assembled.

use std::collections::BTreeSet;

use crate::world::World;

/// Bytes of a body, of a contact point and of a joint in a world and in a frame with its solver
/// \[B\].
///
/// The process's peak grew with them by less: with `tgs-soft` and `block-gs` by 3.6 kB per point on
/// pyramids and grids, and by 2.8 to 4 kB per joint on chains and nets (`docs/reliability.md`). The
/// rest is for vectors that have just doubled, and for a solver that holds more.
const BODY: u64 = 1_000;
const POINT: u64 = 4_800;
const JOINT: u64 = 6_000;
/// Bytes of a contact point and of a joint in a frozen problem that is kept, and in the bytes of
/// its file \[B\]: 1 kB per point on pyramids.
const FROZEN_POINT: u64 = 1_200;
const FROZEN_JOINT: u64 = 2_400;
/// Contact points of a moving body with a shape \[-\]: which ones touch is not known before the
/// first frame. Boxes in pyramids have 10.5.
const POINTS: u64 = 11;

impl World {
    /// Memory that this world and one of its frames take, estimated \[B\].
    pub fn step_memory(&self) -> u64 {
        let joints = self.joints().len() as u64;
        BODY * self.bodies().len() as u64 + POINT * self.points() + JOINT * joints
    }

    /// Memory that the problem of a frame takes in addition to that frame, with the bytes of its
    /// file, estimated \[B\].
    pub fn frozen_memory(&self) -> u64 {
        FROZEN_POINT * self.points() + FROZEN_JOINT * self.joints().len() as u64
    }

    /// Contact points, estimated before the first frame \[-\].
    fn points(&self) -> u64 {
        let bodies = self.bodies();
        let shapes = self.colliders.list.iter().map(|collider| collider.body);
        let moving: BTreeSet<usize> = shapes.filter(|body| bodies[*body].is_dynamic()).collect();
        let known: usize = self.manifolds().iter().map(|m| m.points.len()).sum();
        (known as u64).max(POINTS * moving.len() as u64)
    }
}
