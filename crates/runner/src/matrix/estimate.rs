//! What an experiment will take, from counts alone: memory, and time at most.

use delassus_core::{Bytes, SolverDescriptor, WorkUnit};
use delassus_problems::generators::generators;
use serde::Serialize;

use super::{Cell, Line, Matrix, Task};
use crate::memory;
use crate::registry::Registry;

/// An estimate, not a promise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// Memory at the peak, with one cell at a time \[B\]; `None` over time.
    pub memory_bytes: Option<u64>,
    /// What there may be \[B\].
    pub max_memory_bytes: u64,
    /// Time of the cells to do if none ends before its sweep limit or time limit \[s\]; `None` over time.
    pub seconds_at_most: Option<f64>,
}

/// Time of a row in a sweep, of a product in a dense sweep and in a direct method \[s\]: a core of 2020 and one problem that
/// does not fit its cache.
const ROW: f64 = 20e-9;
const DENSE: f64 = 1e-9;

impl Matrix {
    /// Estimates what the cells that `lines` calls "to do" take.
    pub fn estimate(&self, lines: &[Line], registry: &Registry) -> Estimate {
        let max_memory_bytes = self.spec.memory().bytes();
        let held: u64 = self.problems.iter().map(|p| p.memory()).sum();
        let (mut peak, mut seconds) = (0, 0.0);
        for (cell, line) in self.cells.iter().zip(lines) {
            let (memory, time) = self.cell_estimate(cell, registry);
            peak = memory.max(peak);
            if line.state == "to do" {
                seconds += time;
            }
        }
        let known = self.spec.trajectory.is_none();
        Estimate {
            memory_bytes: known.then_some(held.saturating_add(peak)),
            max_memory_bytes,
            seconds_at_most: known.then_some(seconds),
        }
    }

    /// Memory beside the problems that are held, and time at most.
    fn cell_estimate(&self, cell: &Cell, registry: &Registry) -> (u64, f64) {
        match cell.task {
            Task::Solve { problem, solver } => {
                let label = &self.solvers[solver];
                let built = registry
                    .find(&label.id)
                    .and_then(|e| e.build(&label.parameters));
                let problem = &self.problems[problem];
                let (Ok(content), Ok(built)) = (&problem.content, built) else {
                    return (0, 0.0);
                };
                let (content, stop) = (&content.problem, &problem.options.stop);
                let memory = memory::of_metrics(content) + built.memory(content);
                let limit = stop.max_seconds.unwrap_or(f64::INFINITY);
                let each = sweep_seconds(built.descriptor(), content.rows());
                let runs = 1.0 + f64::from(problem.options.repetitions);
                (memory, runs * (each * stop.max_sweeps as f64).min(limit))
            }
            Task::Time { problem, .. } => {
                let label = &self.timed[problem].label;
                let known = generators();
                let generator = known.iter().find(|g| g.descriptor.id == label.source);
                let recipe = generator.and_then(|g| g.build(&label.parameters).ok());
                let size = recipe.map(|recipe| recipe.counts());
                let (bytes, rows) =
                    size.map_or((0, 0), |size| (timed_memory(size.bytes()), size.rows));
                let Some(plan) = &self.spec.timing else {
                    return (bytes, 0.0);
                };
                let work = rows.max(plan.row_updates) as f64 * (1.0 + f64::from(plan.repetitions));
                (bytes, ROW * work)
            }
            Task::Simulate { .. } => (0, 0.0),
        }
    }
}

/// Memory of a timed cell whose problem takes `problem` bytes to make: half of it stays, and the solver takes as much again.
pub(super) fn timed_memory(problem: u64) -> u64 {
    problem.saturating_add(problem / 2)
}

/// Time of one work unit \[s\].
fn sweep_seconds(descriptor: &SolverDescriptor, rows: usize) -> f64 {
    let rows = rows as f64;
    match descriptor.work_unit {
        WorkUnit::Solve => DENSE * rows * rows * rows,
        // dense solvers have a limit of rows
        WorkUnit::Sweep if descriptor.max_rows < usize::MAX => DENSE * rows * rows,
        WorkUnit::Sweep => ROW * rows,
    }
}

impl Estimate {
    /// One line.
    pub fn text(&self) -> String {
        let (Some(bytes), Some(seconds)) = (self.memory_bytes, self.seconds_at_most) else {
            return "estimate: memory and time over time are not known before they run\n"
                .to_owned();
        };
        format!(
            "estimate: {} of memory ({} allowed), at most {} on one core; cells that end before their limits take less\n",
            Bytes(bytes),
            Bytes(self.max_memory_bytes),
            duration(seconds)
        )
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
