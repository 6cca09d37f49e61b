//! Solver × problem: sweeps to a tolerance, or how the solve ended.

use delassus_core::Status;

use crate::analysis::work_to;
use crate::bundle::Bundle;
use crate::numbers::power;
use crate::view::Work;

use super::{Cell, Column, Content, Section, Table, mark_best, nothing};

pub(super) fn table(bundle: &Bundle, metric: &str, tolerances: &[f64]) -> Table {
    let (problems, solvers) = (bundle.problems(), bundle.solvers());
    if problems.is_empty() {
        return nothing("no cell has finished");
    }
    let mut columns = vec![Column::text("problem"), Column::numeric("rows [-]")];
    columns.extend(solvers.iter().map(|s| Column::numeric(*s)));
    let sections = tolerances
        .iter()
        .map(|tolerance| section(bundle, metric, *tolerance, &problems, &solvers));
    Table {
        columns,
        sections: sections.collect(),
        notes: vec![format!(
            "Sweeps until {metric} is within the tolerance at a sample. Bold: fewest. Where it never is, how the solve ended."
        )],
    }
}

fn section(
    bundle: &Bundle,
    metric: &str,
    tolerance: f64,
    problems: &[&str],
    solvers: &[&str],
) -> Section {
    let mut rows = Vec::new();
    let mut reached = vec![0u64; solvers.len()];
    for problem in problems {
        let of_problem = bundle.records.iter().find(|r| r.problem.name == *problem);
        let size = of_problem.map_or(0, |r| r.facts.rows);
        let mut row = vec![Cell::text(*problem), Cell::size(size)];
        for (solver, reached) in solvers.iter().zip(&mut reached) {
            let record = bundle.cell(problem, solver);
            let sweeps = record.and_then(|r| work_to(&r.outcome, metric, tolerance, Work::Sweeps));
            if sweeps.is_some() {
                *reached += 1;
            }
            row.push(match (sweeps, record) {
                (Some(sweeps), _) => Cell::work(Some(sweeps), Work::Sweeps),
                (None, Some(record)) => missed(record.outcome.status),
                (None, None) => Content::Empty.into(),
            });
        }
        rows.push(row);
    }
    let columns = 2..2 + solvers.len();
    for row in 0..rows.len() {
        let candidates: Vec<(usize, usize)> = columns.clone().map(|c| (row, c)).collect();
        mark_best(&mut rows, &candidates);
    }
    let mut total = vec![
        Cell::text("reached"),
        Cell::text(format!("of {}", problems.len())),
    ];
    total.extend(reached.into_iter().map(|n| Cell::from(Content::Count(n))));
    rows.push(total);
    Section {
        title: format!("{metric} ≤ {}", power(tolerance)),
        rows,
    }
}

/// A run that stopped as solved at a looser tolerance has not tried for this one.
fn missed(status: Status) -> Cell {
    match status {
        Status::Solved => Cell::text("not tried"),
        other => Content::Status(other).into(),
    }
}
