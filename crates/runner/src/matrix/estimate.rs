//! What an experiment will take, from counts alone: memory, and time at most.

use delassus_core::Bytes;
use serde::Serialize;

use super::{CellMatrix, Experiment, MatrixCell, PlanLine};
use crate::registry::Registry;

/// An estimate, not a promise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// Memory at the peak of the cells to do, with one at a time \[B\].
    pub memory_bytes: u64,
    /// What there may be \[B\].
    pub max_memory_bytes: u64,
    /// Time of the cells to do if none ends before its sweep limit or time limit \[s\]; `None` over
    /// time.
    pub seconds_at_most: Option<f64>,
}

impl CellMatrix {
    /// Estimates what the cells that `lines` calls "to do" take.
    pub fn estimate(&self, lines: &[PlanLine], registry: &Registry) -> Estimate {
        let max_memory_bytes = self.spec.memory().bytes();
        let known = !matches!(self.experiment, Experiment::Simulate(_));
        let held = self.held();
        let (mut peak, mut seconds) = (0, 0.0);
        let cells = self.cells.iter().zip(lines);
        for (cell, _) in cells.filter(|(_, line)| line.state == "to do") {
            let (memory, time) = self.cell_estimate(cell, registry);
            peak = memory.max(peak);
            seconds += time;
        }
        Estimate {
            memory_bytes: held.saturating_add(peak),
            max_memory_bytes,
            seconds_at_most: known.then_some(seconds),
        }
    }

    /// Bytes of the problems that are held while cells run \[B\].
    pub(crate) fn held(&self) -> u64 {
        match &self.experiment {
            Experiment::Solve(solves) => solves.held(),
            Experiment::Time(_) | Experiment::Simulate(_) => 0,
        }
    }

    /// Memory in addition to the problems that are held, and time at most.
    pub(crate) fn cell_estimate(&self, cell: &MatrixCell, registry: &Registry) -> (u64, f64) {
        match &self.experiment {
            Experiment::Solve(solves) => {
                solves.estimate(cell, &self.solvers[cell.method], registry)
            }
            Experiment::Time(timings) => timings.estimate(cell),
            Experiment::Simulate(over) => (over.scenes[cell.subject].world.step_memory(), 0.0),
        }
    }
}

impl Estimate {
    /// One line.
    pub fn text(&self) -> String {
        let memory = format!(
            "estimate: {} of memory ({} allowed)",
            Bytes(self.memory_bytes),
            Bytes(self.max_memory_bytes)
        );
        match self.seconds_at_most {
            Some(seconds) => format!(
                "{memory}, at most {} on one core; cells that end before their limits take less\n",
                duration(seconds)
            ),
            None => format!("{memory}; the time of scenes is not known before they run\n"),
        }
    }
}

/// A time as a person reads it.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "a second".to_owned(),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}
