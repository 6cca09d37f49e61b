//! What a spec has and no cell shows: scenes that no scheme steps; and the word for a cell that did what was asked for.

use super::{Matrix, Task};
use crate::record::{ENDED, TIMED};

impl Matrix {
    /// Names of the scenes that no scheme of the spec steps: they have no cell.
    pub fn unstepped(&self) -> Vec<String> {
        let mut stepped = vec![false; self.scenes.len()];
        for cell in &self.cells {
            if let Task::Simulate { scene, .. } = cell.task {
                stepped[scene] = true;
            }
        }
        let scenes = self.scenes.iter().zip(stepped);
        let left = scenes.filter(|(_, stepped)| !stepped);
        left.map(|(scene, _)| scene.label.name.clone()).collect()
    }

    /// The word for a cell that did what the spec asks for.
    pub fn good_ending(&self) -> &'static str {
        match (&self.spec.trajectory, &self.spec.timing) {
            (Some(_), _) => ENDED,
            (None, Some(_)) => TIMED,
            (None, None) => delassus_core::Status::Solved.id(),
        }
    }
}
