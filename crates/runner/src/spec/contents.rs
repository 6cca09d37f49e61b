//! What a spec holds once it is read and checked.

use std::ops::Range;
use std::path::PathBuf;

use delassus_core::MemoryLimit;

use crate::columns::Columns;
use crate::document::axes::{GridAxis, family};
use crate::document::text::{Document, SpecError};
use crate::driver::StopRule;
use crate::figures::FigureSpec;
use crate::gate::GateSpec;
use crate::isolate::LimitChoice;
use crate::memory;
use crate::simulate::plan as simulate;
use crate::solve::measure::Stop;
use crate::solve::plan as solve;
use crate::strips::StripSpec;
use crate::tables::TableSpec;
use crate::time::plan as time;
use crate::view::Selection;

/// Name of the spec in an experiment's folder.
pub const FILE_NAME: &str = "experiment.toml";

/// A spec, read and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// Identifier: the name of the experiment's folder, or the file's name without its ending.
    pub id: String,
    /// The file, as messages name it.
    pub file: String,
    /// The folder that paths in the spec are relative to.
    pub folder: PathBuf,
    /// The file's text.
    pub text: String,
    /// Title.
    pub title: String,
    /// The question that the experiment answers.
    pub question: String,
    /// What is done, to what.
    pub plan: Plan,
    /// The solvers, in order.
    pub solvers: Vec<SolverFamily>,
    /// Memory that one problem may take with its solver; `None` leaves it to the machine.
    pub max_memory: Option<MemoryLimit>,
    /// What the process of a cell may take.
    pub limits: LimitChoice,
    /// The figures.
    pub figures: Vec<FigureSpec>,
    /// The tables.
    pub tables: Vec<TableSpec>,
    /// The strips of stills.
    pub strips: Vec<StripSpec>,
    /// What `delassus gate` asserts.
    pub gates: Vec<GateSpec>,
}

/// What an experiment does with its cells, as the spec has it.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// Solve frozen problems.
    Solve(solve::SolvePlan),
    /// Time sweeps over frozen problems.
    Time(time::TimingPlan),
    /// Step scenes.
    Simulate(simulate::SimulationPlan),
}

impl Plan {
    /// The cells whose motion is recorded, as far as the spec chooses them by name.
    pub(crate) fn recorded(&self) -> Option<Selection<'_>> {
        match self {
            Self::Simulate(plan) => plan.replay.as_ref().map(|replay| replay.selection()),
            Self::Solve(_) | Self::Time(_) => None,
        }
    }

    /// What figures and tables can ask for.
    pub(super) fn columns<'p>(&'p self, solvers: &'p [SolverFamily]) -> Columns<'p> {
        let columns = match self {
            Self::Solve(plan) => plan.columns(),
            Self::Time(plan) => plan.columns(),
            Self::Simulate(plan) => plan.columns(),
        };
        let solvers = solvers.iter().map(|solver| {
            let label = solver.label.as_ref().unwrap_or(&solver.id);
            family(label, &solver.axes)
        });
        Columns {
            solvers: solvers.collect(),
            ..columns
        }
    }
}

/// One `[[solver]]`: a family of configured solvers.
#[derive(Debug, Clone, PartialEq)]
pub struct SolverFamily {
    /// Registry identifier.
    pub id: String,
    /// Label given by the author.
    pub label: Option<String>,
    /// The parameters that the spec sets.
    pub axes: Vec<GridAxis>,
    /// The entry in the text.
    pub span: Range<usize>,
}

impl Spec {
    /// Memory that one problem may take with its solver.
    pub fn memory(&self) -> MemoryLimit {
        self.max_memory.unwrap_or_else(memory::limit)
    }

    /// When a solve ends; without criteria where nothing is solved to a tolerance.
    pub fn stop(&self) -> Stop {
        match &self.plan {
            Plan::Solve(plan) => plan.stop.clone(),
            Plan::Time(_) | Plan::Simulate(_) => Stop {
                rule: StopRule::default(),
                criteria: Vec::new(),
            },
        }
    }

    /// An error at a place of this spec.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>) -> SpecError {
        let document = Document {
            file: &self.file,
            text: &self.text,
        };
        document.error(span, message)
    }
}
