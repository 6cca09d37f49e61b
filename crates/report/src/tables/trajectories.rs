//! Scene × method: what an observable comes to over the run, or how the run ended.

use crate::analysis::achieved;
use crate::bundle::Bundle;
use crate::figures::quantities::summarised;
use crate::record::CellRecord;
use crate::view::Trajectories;

use super::{COSTS, Cell, Column, Content, Section, Table, mark_best, nothing};

pub(super) fn table(bundle: &Bundle, wanted: &Trajectories) -> Table {
    let shown: Vec<&CellRecord> = bundle
        .records
        .iter()
        .filter(|r| wanted.selection().shows(r))
        .collect();
    if shown.is_empty() {
        return nothing("no cell has finished");
    }
    let holds = |name: &str, of: fn(&CellRecord) -> &str| shown.iter().any(|r| of(r) == name);
    let mut scenes = bundle.problems();
    scenes.retain(|name| holds(name, |r| &r.problem.name));
    let mut methods = bundle.solvers();
    methods.retain(|name| holds(name, CellRecord::method));
    let mut columns = vec![Column::text("scene")];
    columns.extend(methods.iter().map(|m| Column::numeric(*m)));
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for scene in &scenes {
        let mut row = vec![Cell::text(*scene)];
        let cells = methods.iter().map(|method| {
            let record = bundle.cell(scene, method);
            let record = record.filter(|r| wanted.selection().shows(r));
            record.map_or_else(|| Content::Empty.into(), |record| cell(record, wanted))
        });
        row.extend(cells);
        rows.push(row);
    }
    for row in 0..rows.len() {
        let candidates: Vec<(usize, usize)> = (1..=methods.len()).map(|c| (row, c)).collect();
        mark_best(&mut rows, &candidates);
    }
    Table {
        columns,
        sections: vec![Section {
            title: String::new(),
            rows,
        }],
        notes: vec![format!(
            "{}. Bold: smallest magnitude of a scene. Where a run did not come to its end, how it ended.",
            heading(wanted)
        )],
    }
}

/// What the table shows, with its unit.
fn heading(wanted: &Trajectories) -> String {
    match COSTS.iter().position(|cost| *cost == wanted.quantity) {
        Some(0) => "Median time per frame [s]".to_owned(),
        Some(_) => "Row updates of the run [-]".to_owned(),
        None => {
            let text = summarised(&wanted.quantity, wanted.over);
            let mut letters = text.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string());
            first.unwrap_or_default() + letters.as_str()
        }
    }
}

fn cell(record: &CellRecord, wanted: &Trajectories) -> Cell {
    let outcome = &record.outcome;
    let finished = outcome.status == delassus_core::Status::Solved;
    let value = match COSTS.iter().position(|cost| *cost == wanted.quantity) {
        _ if !finished => None,
        Some(0) => outcome.step_seconds(),
        Some(_) => return Content::Count(outcome.row_updates).into(),
        None => achieved(record, &wanted.quantity, wanted.over),
    };
    match value {
        Some(value) => Cell::number(Some(value)),
        None if finished => Cell::text("–"),
        None => Cell::status(record),
    }
}
