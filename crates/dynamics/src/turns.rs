//! Turns of joints: their angles go on beyond half a turn, since every substep says where they were
//! (L.16).

use delassus_core::numbers::significant;
use nalgebra::Vector3;

use crate::error::{FieldError, SchemeError};
use crate::world::World;

impl World {
    /// Starts to count the turns of all joints at the present poses.
    pub(crate) fn start_tracks(&mut self) {
        for index in 0..self.joints.len() {
            let constraint = &self.joints[index].constraint;
            let track = constraint.start(&self.poses_of(constraint.bodies()), self.time);
            self.joints[index].track = track;
        }
    }

    /// Counts the turns of a motion that brought the bodies to their present poses, by turning each
    /// by the rotation vector `turn` \[rad\].
    pub(crate) fn follow_turns(&mut self, turn: impl Fn(&Self, usize) -> Vector3<f64>) {
        for index in 0..self.joints.len() {
            let joint = &self.joints[index];
            let [a, b] = *joint.constraint.bodies() else {
                continue;
            };
            if joint.track.is_empty() {
                continue;
            }
            let turns = [turn(self, a), turn(self, b)];
            let mut track = joint.track.clone();
            let poses = self.pair([a, b]);
            joint
                .constraint
                .follow(&poses, turns, self.time, &mut track);
            self.joints[index].track = track;
        }
    }

    /// The same after a substep of `h` \[s\] with the velocities that the bodies have.
    pub(crate) fn follow_spins(&mut self, h: f64) {
        self.follow_turns(|world, body| h * world.bodies[body].spin);
    }

    /// Refuses joints that count turns and turn by π or more in a substep with the velocities
    /// `free`, 6 per body: schemes that evaluate them where the bodies go would take that for
    /// another turn.
    pub(crate) fn check_turns(&self, free: &[f64], h: f64) -> Result<(), SchemeError> {
        let spin = |body: usize| Vector3::from_column_slice(&free[6 * body + 3..6 * body + 6]);
        for (index, joint) in self.joints.iter().enumerate() {
            let [a, b] = *joint.constraint.bodies() else {
                continue;
            };
            let speed = (spin(b) - spin(a)).norm();
            if !joint.track.is_empty() && speed * h >= std::f64::consts::PI {
                let expected = format!(
                    "the bodies must turn against each other at less than {} rad/s, half a turn in a substep of {} s; take shorter steps",
                    significant(std::f64::consts::PI / h, 4),
                    significant(h, 3)
                );
                let path = format!("joints[{index}].constraint.bodies");
                return Err(FieldError::new(path, speed, &expected).into());
            }
        }
        Ok(())
    }
}
