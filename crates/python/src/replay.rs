//! Worlds that are recorded while they are stepped, and the page that plays them.

use delassus_dynamics::World;
use delassus_replay::page::{MOST_CELLS, PageCell, render};
use delassus_replay::{Limits, Recorder};
use delassus_runner::simulate::{frame_state, scene_geometry};
use pyo3::prelude::*;

use crate::errors::refused;
use crate::world::NativeWorld;

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

/// The page that plays recorded worlds, each with its name, side by side.
#[pyfunction]
pub(crate) fn replay_page(
    title: &str,
    worlds: Vec<(String, Bound<'_, NativeWorld>)>,
) -> PyResult<String> {
    if worlds.len() > MOST_CELLS {
        let count = worlds.len();
        return Err(refused(format!(
            "a page plays at most {MOST_CELLS} worlds, not {count}"
        )));
    }
    let mut recorded = Vec::with_capacity(worlds.len());
    for (name, world) in &worlds {
        let bytes = world.get().recorded()?.ok_or_else(|| {
            refused(format!(
                "the world {name} is not recorded: call its method record() before it is stepped"
            ))
        })?;
        recorded.push((name, bytes));
    }
    let cells: Vec<PageCell<'_>> = recorded
        .iter()
        .map(|(name, bytes)| PageCell {
            scene: title,
            method: name,
            bytes,
        })
        .collect();
    Ok(render(title, &cells, &[]))
}
