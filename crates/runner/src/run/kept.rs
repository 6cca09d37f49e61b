//! Kept cells whose times come from elsewhere.

use std::fmt;

use delassus_records::machine::MachineInfo;

use crate::origin::Conditions;
use crate::store::CellSummary;

/// Cells whose times come from other conditions than those of now.
#[derive(Debug, Default)]
pub(super) struct ForeignTimes {
    cells: usize,
    /// The different conditions, in the order of first appearance.
    conditions: Vec<Conditions>,
}

impl ForeignTimes {
    pub(super) fn add(&mut self, conditions: Conditions) {
        self.cells += 1;
        if !self.conditions.contains(&conditions) {
            self.conditions.push(conditions);
        }
    }

    /// Adds a kept cell if it has times that one of `jobs` cells at a time on the machine `here`
    /// would not have.
    pub(super) fn look(&mut self, summary: &CellSummary, here: &MachineInfo, jobs: usize) {
        if let (true, Some(origin)) = (summary.timed, &summary.origin)
            && !(origin.machine.times_as(here) && origin.jobs == jobs)
        {
            self.add(origin.conditions());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells == 0
    }
}

impl fmt::Display for ForeignTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.cells == 1 { "cell" } else { "cells" };
        let shown: Vec<String> = self.conditions.iter().map(ToString::to_string).collect();
        write!(f, "{} kept {noun} ({})", self.cells, shown.join("; "))
    }
}
