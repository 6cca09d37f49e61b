//! Worlds that are recorded while they are stepped.

use delassus_dynamics::World;
use delassus_replay::{Limits, Recorder};
use delassus_runner::simulate::{frame_state, scene_geometry};
use pyo3::prelude::*;

use crate::errors::refused;

/// Frames of a world that are kept.
pub(crate) struct Recording {
    recorder: Recorder,
    /// Frames since the recording began \[-\].
    frame: u64,
}

impl Recording {
    /// Begins with the state of a world.
    pub(crate) fn begin(world: &World, every: u32) -> Self {
        let limits = Limits::every(every.into());
        let start = frame_state(world, Vec::new());
        Self {
            recorder: Recorder::new(scene_geometry(world), start, limits),
            frame: 0,
        }
    }

    /// Keeps the state after a frame, if its turn has come.
    pub(crate) fn keep(&mut self, world: &World) {
        self.frame += 1;
        if self.recorder.keeps(self.frame) {
            self.recorder.keep(frame_state(world, Vec::new()));
        }
    }

    /// The replay so far; the recording goes on.
    pub(crate) fn bytes(&self) -> PyResult<Vec<u8>> {
        let packed = self.recorder.clone().finish().map_err(refused)?;
        Ok(packed.1)
    }
}
