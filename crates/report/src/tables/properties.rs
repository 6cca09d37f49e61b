//! Solver by solver: what it declares of itself, and what the run shows of it.

use delassus_core::{Determinism, Precision, SolverDescriptor, Status, WorkUnit};

use crate::analysis::measured;
use crate::bundle::{Bundle, PartDoc, distinct};
use crate::columns::{Columns, Refusal, View};
use crate::numbers::power_in_column;
use crate::record::CellRecord;
use crate::settings::settings;
use crate::view::{CellComponent, CellFilter};

use super::{Cell, Column, Table, TableKind, nothing};

/// Parameters that say how many do the work.
const PARALLEL: [&str; 2] = ["threads", "workgroup"];
/// Answers with the rows in several orders are one if they are no farther apart \[-\].
const ONE: f64 = 1e-12;

settings! {
    /// A row per solver: order, threads, bits, start, cost of a sweep.
    pub struct Properties {
        /// Solvers to show, by label or by what their labels begin with; all if left out.
        solvers,
    }
}

impl View for Properties {
    fn check(&mut self, _: &Columns<'_>) -> Result<(), Refusal> {
        Ok(())
    }
}

impl TableKind for Properties {
    fn table(&self, bundle: &Bundle) -> Table {
        let shown = bundle.records.iter();
        let shown: Vec<&CellRecord> = shown
            .filter(|r| self.selection().shows(r) && !r.solver.id.is_empty())
            .collect();
        if shown.is_empty() {
            return nothing("no cell with a solver has finished");
        }
        let texts = [
            "solver",
            "answer free of the order of rows",
            "parallel",
            "repeats bit by bit",
            "uses a warm start",
            "row updates of a unit of work, m rows",
            "a unit of work is",
            "arithmetic",
        ];
        let ids = distinct(shown.iter().map(|r| r.solver.id.as_str()));
        let rows = ids.into_iter().map(|id| {
            let own: Vec<&CellRecord> = shown
                .iter()
                .copied()
                .filter(|r| r.solver.id == id)
                .collect();
            let mut docs = bundle.parts.iter();
            let doc = docs.find(|m| m.part == CellComponent::Solver && m.id == id);
            row(id, &own, doc)
        });
        Table::plain(texts.map(Column::text).to_vec(), rows.collect(), [
            "Declared by the solvers, but for the order of rows, which is measured where impulse_spread is among the metrics, and for \
             repetition, which every timed pass of this run has put to the test."
                .to_owned(),
        ])
    }
}

fn row(id: &str, cells: &[&CellRecord], doc: Option<&PartDoc>) -> Vec<Cell> {
    let solver = doc.and_then(|doc| doc.solver.as_ref());
    let declared = |of: &dyn Fn(&SolverDescriptor) -> String| {
        Cell::text(solver.map_or_else(|| "not known".to_owned(), of))
    };
    let counts = |name: &&str| {
        let mut parameters = doc.into_iter().flat_map(|doc| &doc.parameters);
        parameters.any(|parameter| parameter.name == *name)
    };
    let device = cells.iter().any(|r| r.solver.device.is_some());
    let parallel = match PARALLEL.iter().find(|name| counts(name)) {
        Some(name) => format!("yes: {name}"),
        None if device => "yes: on a device".to_owned(),
        None => "no".to_owned(),
    };
    vec![
        Cell::text(id),
        Cell::text(order(cells)),
        Cell::text(parallel),
        declared(&|own| repeats(own, cells)),
        declared(&|own| match own.work_unit {
            WorkUnit::Solve => "no: it solves as a whole".to_owned(),
            WorkUnit::Sweep | WorkUnit::Stage => "yes".to_owned(),
        }),
        declared(&|own| own.cost.to_owned()),
        declared(&|own| {
            match own.work_unit {
                WorkUnit::Sweep => "a sweep",
                WorkUnit::Solve => "a solve",
                WorkUnit::Stage => "a stage",
            }
            .to_owned()
        }),
        declared(&|own| {
            match own.precision {
                Precision::F64 => "f64",
                Precision::F32 => "f32",
            }
            .to_owned()
        }),
    ]
}

/// Whether the answers with the rows in several orders are one, where that was measured.
fn order(cells: &[&CellRecord]) -> String {
    let spread = cells.iter().filter_map(|r| measured(r, "impulse_spread"));
    match spread.reduce(f64::max) {
        None => "not measured".to_owned(),
        Some(spread) if spread <= ONE => "yes".to_owned(),
        Some(spread) => {
            let spread = power_in_column(spread);
            format!("no: impulses differ by {spread}")
        }
    }
}

fn repeats(own: &SolverDescriptor, cells: &[&CellRecord]) -> String {
    let declared = match own.determinism {
        Determinism::Bitwise => "yes",
        Determinism::Processor => "on one processor",
        Determinism::None => "no",
    };
    let broken = cells
        .iter()
        .filter(|r| r.outcome.status == Status::Broken)
        .count();
    match broken {
        0 => declared.to_owned(),
        _ => format!("{declared}; {broken} of {} cells did not", cells.len()),
    }
}
