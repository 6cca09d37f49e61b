//! The direction of friction on a disc: opposite to the slip (V.13).

use delassus_core::ContactLaw;

use super::parameters::FrictionDirection;
use super::rows::{Group, Pull, length};
use crate::constraint::Rows;
use crate::motion::Motion;
use crate::world::World;

impl Group {
    /// True for a contact point whose friction is bounded by a disc.
    fn has_disc(&self) -> bool {
        matches!(self.friction, Some((_, law)) if law != ContactLaw::Pyramid)
    }

    /// Turns the friction that a sliding contact brings along towards the slip of the guess (V.13).
    pub(super) fn turn_friction(
        &mut self,
        world: &World,
        motion: &Motion,
        h: f64,
        rows: &mut Rows,
    ) {
        let carried = [1, 2].map(|row| self.rows.get(row).map_or(0.0, |row| row.force));
        let size = length(carried);
        if !self.has_disc() || size == 0.0 || self.linear.start[1..] != [0.0; 2] {
            return;
        }
        self.evaluate(world, motion, rows);
        let sides = self.bodies.len();
        let entries = rows.jacobian.chunks_exact(sides).skip(1);
        let diagonals = entries.map(|entries| world.row_diagonal(&self.bodies, entries));
        let diagonal = diagonals.fold(0.0, f64::max);
        if diagonal <= 0.0 {
            return;
        }
        let stops = 1.0 / (h * h * diagonal);
        let trial = [0, 1].map(|axis| carried[axis] - stops * rows.error[1 + axis]);
        let factor = size / length(trial).max(size);
        for (row, force) in self.rows[1..].iter_mut().zip(trial) {
            row.force = factor * force;
        }
    }

    /// The length of the slip, by which the penalties of both tangents grow, where they have one
    /// \[m\].
    pub(super) fn shared_slip(&self, pulls: &[Pull], direction: FrictionDirection) -> Option<f64> {
        match (direction, pulls) {
            (FrictionDirection::Slip, [_, a, b]) if self.has_disc() => {
                Some(length([a.error, b.error]))
            }
            _ => None,
        }
    }
}
