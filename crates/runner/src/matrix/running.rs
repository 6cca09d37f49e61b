//! A cell from its first pass to its last.

use delassus_core::Status;
use delassus_records::guard::caught;

use super::cell::{CellRun, Turns, Workbench};
use super::{Experiment, MatrixCell};
use crate::record::ProblemFacts;

impl Experiment {
    /// Runs a cell that is not skipped, all passes one after the other. A solver of the user may
    /// panic: its cell has failed, the others have not.
    pub(crate) fn run_guarded(&self, cell: &MatrixCell, workbench: &Workbench<'_>) -> CellRun {
        caught(|| self.begin(cell, workbench).complete())
            .unwrap_or_else(|text| self.panicked(cell, &text))
    }

    /// Runs a cell that is not skipped up to its timed passes; one whose solver panics is over.
    pub(crate) fn begin_guarded<'e>(
        &'e self,
        cell: &MatrixCell,
        workbench: &Workbench<'e>,
    ) -> Begun<'e> {
        caught(|| self.begin(cell, workbench))
            .unwrap_or_else(|text| self.panicked(cell, &text).into())
    }

    /// What a cell comes to after its last pass.
    pub(crate) fn finish_guarded(&self, cell: &MatrixCell, begun: Begun<'_>) -> CellRun {
        match begun {
            Begun::Over(run) => *run,
            Begun::Open { turns, facts, .. } => match caught(|| turns.finish()) {
                Ok(finish) => finish.with(facts),
                Err(text) => self.panicked(cell, &text),
            },
        }
    }

    /// What a cell comes to whose solver panicked.
    pub(crate) fn panicked(&self, cell: &MatrixCell, text: &str) -> CellRun {
        self.without_run(cell, Status::Failed, format!("panicked: {text}"))
    }

    /// What there is of a cell that did not come to anything.
    pub(crate) fn without_run(
        &self,
        cell: &MatrixCell,
        status: Status,
        message: String,
    ) -> CellRun {
        let facts = self.facts(cell).cloned().unwrap_or_default();
        CellRun::of(self.unstarted(cell, status, message), facts)
    }

    /// True if a cell is timed several times, so that its passes can take turns with those of other
    /// cells.
    pub(crate) fn takes_turns(&self, cell: &MatrixCell) -> bool {
        match self {
            Self::Solve(solves) => solves.rounds(cell) > 1,
            Self::Time(_) => true,
            // a scene is stepped from its start to its end, pass after pass
            Self::Simulate(_) => false,
        }
    }

    /// True if a cell of this experiment is timed several times.
    pub(crate) fn repeats(&self, cell: &MatrixCell) -> bool {
        match self {
            Self::Simulate(over) => over.repetitions() > 1,
            Self::Solve(_) | Self::Time(_) => self.takes_turns(cell),
        }
    }

    /// Runs a cell that is not skipped up to its timed passes; a solver that panics does so here.
    pub(crate) fn begin<'e>(&'e self, cell: &MatrixCell, workbench: &Workbench<'e>) -> Begun<'e> {
        let facts = || self.facts(cell).cloned().unwrap_or_default();
        let (begun, facts, rounds) = match self {
            Self::Solve(solves) => (solves.begin(cell, workbench), facts(), solves.rounds(cell)),
            Self::Time(timings) => {
                let (facts, begun) = timings.begin(cell, workbench);
                let rounds = timings.rounds(&facts);
                (begun, facts, rounds)
            }
            Self::Simulate(over) => {
                let (outcome, replay) = over.run(cell, workbench);
                return Begun::from(CellRun {
                    replay,
                    ..CellRun::of(outcome, facts())
                });
            }
        };
        match begun {
            Ok(turns) => Begun::Open {
                turns,
                rounds,
                facts,
            },
            Err(outcome) => Begun::from(CellRun::of(*outcome, facts)),
        }
    }
}

/// A cell whose first pass is over.
pub(crate) enum Begun<'e> {
    /// There is nothing to time.
    Over(Box<CellRun>),
    /// There are timed passes to make.
    Open {
        turns: Box<dyn Turns + 'e>,
        /// How many \[-\].
        rounds: u64,
        facts: ProblemFacts,
    },
}

impl From<CellRun> for Begun<'_> {
    fn from(run: CellRun) -> Self {
        Self::Over(Box::new(run))
    }
}

impl Begun<'_> {
    /// Timed passes to make \[-\].
    pub(crate) fn rounds(&self) -> u64 {
        match self {
            Self::Over(_) => 0,
            Self::Open { rounds, .. } => *rounds,
        }
    }

    /// One timed pass, if there are any.
    pub(crate) fn pass(&mut self) {
        if let Self::Open { turns, .. } = self {
            turns.pass();
        }
    }

    /// All passes one after the other; a solver that panics does so here.
    pub(crate) fn complete(self) -> CellRun {
        match self {
            Self::Over(run) => *run,
            Self::Open {
                mut turns,
                rounds,
                facts,
            } => {
                (0..rounds).for_each(|_| turns.pass());
                turns.finish().with(facts)
            }
        }
    }
}
