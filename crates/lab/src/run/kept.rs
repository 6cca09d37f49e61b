//! Which finished cells a run keeps.

use std::fmt;
use std::path::Path;

use crate::manifest::Machine;
use crate::matrix::{Cell, Task};
use crate::origin::Conditions;
use crate::store::{self, Glance, Kept};

/// What a run makes of the file of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Standing {
    /// It is kept.
    Kept(Box<Glance>),
    /// There is none.
    New,
    /// It is no whole cell, for this reason.
    Damaged(String),
    /// Nothing but its times counts, and they come from elsewhere.
    Timed(Conditions),
}

/// Looks at the file of a cell on the machine `here`.
///
/// Counts and residuals are the same everywhere, so their cells are kept wherever they ran. A cell whose only result is a
/// time is kept where a time of `here` would be the same measurement.
pub(crate) fn standing(dir: &Path, cell: &Cell, here: &Machine) -> Standing {
    let glance = match store::glance(dir, &cell.key) {
        Kept::Cell(glance) => glance,
        Kept::Nothing => return Standing::New,
        Kept::Corrupt(reason) => return Standing::Damaged(format!("kept file: {reason}")),
    };
    match (&glance.origin, cell.task) {
        (Some(origin), Task::Time { .. }) if glance.timed && !origin.machine.times_as(here) => {
            Standing::Timed(origin.conditions())
        }
        _ => Standing::Kept(glance),
    }
}

/// Cells whose times come from other conditions than those of now.
#[derive(Debug, Default)]
pub(super) struct Elsewhere {
    cells: usize,
    /// The different conditions, in the order of first appearance.
    conditions: Vec<Conditions>,
}

impl Elsewhere {
    pub(super) fn add(&mut self, conditions: Conditions) {
        self.cells += 1;
        if !self.conditions.contains(&conditions) {
            self.conditions.push(conditions);
        }
    }

    /// Adds a kept cell if it has times that one of `jobs` cells at a time on the machine `here` would not have.
    pub(super) fn look(&mut self, glance: &Glance, here: &Machine, jobs: usize) {
        if let (true, Some(origin)) = (glance.timed, &glance.origin)
            && !(origin.machine.times_as(here) && origin.jobs == jobs)
        {
            self.add(origin.conditions());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cells == 0
    }
}

impl fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.cells == 1 { "cell" } else { "cells" };
        let shown: Vec<String> = self.conditions.iter().map(ToString::to_string).collect();
        write!(f, "{} kept {noun} ({})", self.cells, shown.join("; "))
    }
}
