//! What a run would do with each cell.

use std::path::Path;

use serde::Serialize;

use super::{CellMatrix, CellReuse, standing};
use crate::machine;
use crate::outputs;

/// One line of `--dry-run`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanLine {
    /// Name of the problem or the scene.
    pub problem: String,
    /// Its rows \[-\]; `None` for a problem that is made when its cells run.
    pub rows: Option<usize>,
    /// Label of the solver, or of scheme and solver.
    pub solver: String,
    /// Key of the cell.
    pub key: String,
    /// "done", "to do" or "unsupported".
    pub state: &'static str,
    /// Why it is skipped, or why a kept file does not count.
    pub reason: Option<String>,
}

impl CellMatrix {
    /// What a run into `dir` would do with each cell.
    pub fn lines(&self, dir: &Path) -> Vec<PlanLine> {
        let here = machine::machine();
        let kind = self.experiment.kind();
        let left = outputs::listed(dir).unwrap_or_default().cells;
        let lines = self.cells.iter().map(|cell| {
            let (state, reason) = match &cell.skip {
                Some(reason) => ("unsupported", Some(reason.clone())),
                None => match standing(dir, cell, &here, &self.limits, kind, left.get(&cell.key)) {
                    CellReuse::Kept(_) => ("done", None),
                    CellReuse::New => ("to do", None),
                    CellReuse::Damaged(reason) => ("to do", Some(reason)),
                    CellReuse::Timed(elsewhere) => {
                        ("to do", Some(format!("timed elsewhere: {elsewhere}")))
                    }
                },
            };
            PlanLine {
                problem: self.experiment.subject(cell).name.clone(),
                rows: self.experiment.facts(cell).map(|facts| facts.rows),
                solver: self.method(cell).to_owned(),
                key: cell.key.clone(),
                state,
                reason,
            }
        });
        lines.collect()
    }
}
