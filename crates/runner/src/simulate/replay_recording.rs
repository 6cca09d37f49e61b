//! A replay of the traced pass, with what the last solve of every frame left.

mod stage;
mod state;

pub use stage::scene_geometry;
pub use state::frame_state;

use delassus_dynamics::World;
use delassus_metrics::Evaluator;
use delassus_replay::{Limits, Recorder};

use crate::motion::{LastSolve, Watch};

/// Records the frames whose turn has come.
pub(super) struct ReplayRecording {
    recorder: Recorder,
}

impl ReplayRecording {
    /// Begins with the state of a world at the start of a run.
    pub(super) fn new(world: &World, limits: Limits) -> Self {
        let (stage, start) = (scene_geometry(world), frame_state(world, Vec::new()));
        Self {
            recorder: Recorder::new(stage, start, limits),
        }
    }

    /// The bytes of the replay; `None` where it cannot be packed.
    pub(super) fn finish(self) -> Option<Vec<u8>> {
        self.recorder.finish().ok().map(|(_, bytes)| bytes)
    }
}

impl Watch for ReplayRecording {
    fn wants_solve(&self, frame: u64) -> bool {
        self.recorder.keeps(frame)
    }

    fn frame(&mut self, frame: u64, world: &World, solve: Option<LastSolve<'_>>) {
        if self.recorder.keeps(frame) {
            let residuals = solve.and_then(residuals).unwrap_or_default();
            self.recorder.keep(frame_state(world, residuals));
        }
    }
}

/// Per body: the largest relative natural map of a block that touches it (M.5) \[-\]; `None` where
/// the numbers are out of range.
fn residuals(solve: LastSolve<'_>) -> Option<Vec<f64>> {
    let bodies = solve.problem.bodies()?;
    let mut evaluator = Evaluator::new(solve.problem).ok()?;
    let blocks = evaluator.natural_map_of_blocks(solve.impulses).ok()?;
    let mut residuals: Vec<f64> = vec![0.0; bodies.len()];
    for (block, residual) in blocks.into_iter().enumerate() {
        for body in bodies.bodies_of(block) {
            let own = &mut residuals[*body as usize];
            *own = own.max(residual);
        }
    }
    Some(residuals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_core::{Friction, Law, MassProperties, ProblemBuilder};
    use nalgebra::Vector3;

    #[test]
    fn a_body_has_the_residual_of_its_own_contact() {
        // two masses of 2 kg that fall at 1 m/s; the impulse of the first is right, that of the
        // second missing
        let mut builder = ProblemBuilder::new();
        let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
        let up = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        for _ in 0..2 {
            let body = builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
            builder.block(Law::Contact(Friction::Frictionless), &[body], &[[up]]);
        }
        let problem = builder.build().unwrap();
        let found = residuals(LastSolve {
            problem: &problem,
            impulses: &[2.0, 0.0],
        });
        // half of the energy is missing, all of it at the second
        assert_eq!(found, Some(vec![0.0, 0.5_f64.sqrt()]));
    }
}
