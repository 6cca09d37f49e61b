//! What is made of records: figures, tables and CSV files of every kind that fits them.

use std::collections::{BTreeMap, BTreeSet};

use delassus_records::record::CellRecord;
use delassus_report::bundle::Bundle;
use delassus_report::figures::{self, FigureSpec};
use delassus_report::tables::{self, OnPage, Table, TableSpec};
use delassus_report::{export, report};
use delassus_runner::closed_forms::KnownClosedForms;
use serde_json::{Value, json};

use super::names::assert_well_formed;

/// A run of these records.
pub(crate) fn bundle(records: Vec<CellRecord>) -> Bundle {
    Bundle {
        id: "fuzz".to_owned(),
        title: "Fuzz".to_owned(),
        question: String::new(),
        readme: None,
        spec: String::new(),
        command: String::new(),
        tolerance: 1e-8,
        criteria: vec!["natural_map".to_owned()],
        manifest: json!({}),
        records,
        contacts: BTreeMap::new(),
        missing: 0,
        unstepped: Vec::new(),
        parts: Vec::new(),
        closed_forms: &KnownClosedForms,
    }
}

/// Figures of solves, over time, and of timed sweeps.
fn plots() -> [Vec<Value>; 3] {
    let solves = vec![
        json!({ "convergence": { "x": "sweeps", "y": "natural_map", "log_x": true } }),
        json!({ "profile": { "cost": "row_updates", "metric": "natural_map", "tolerances": [1e-4] } }),
        json!({ "work-precision": { "x": "row_updates", "y": "natural_map" } }),
    ];
    let motion = vec![json!({ "trajectory": { "y": "energy" } })];
    let timed = vec![json!({ "scaling": { "x": "contacts", "y": "seconds", "along": "n" } })];
    [solves, motion, timed]
}

fn shows() -> [Vec<Value>; 3] {
    let cells = json!({ "cells": { "metrics": ["natural_map"] } });
    let matrix = json!({ "matrix": { "metric": "natural_map", "tolerances": [1e-4] } });
    [
        vec![cells.clone(), matrix],
        vec![cells.clone()],
        vec![cells],
    ]
}

/// Makes everything, and looks whether texts from the records do anything.
pub(crate) fn everything(records: Vec<CellRecord>) {
    let bundle = bundle(records);
    let kind = match (bundle.is_over_time(), bundle.is_timed()) {
        (true, _) => 1,
        (false, true) => 2,
        (false, false) => 0,
    };
    let all = bundle.records.as_slice();
    let shape = export::TableShape::of(all);
    let tables = [
        export::ExportTable::Records,
        export::ExportTable::Summary,
        export::ExportTable::Solutions,
        export::ExportTable::Worlds,
    ];
    for one in tables {
        let bytes = export::write_csv(one, "fuzz", &shape, all, Vec::new()).expect("memory");
        assert!(std::str::from_utf8(&bytes).is_ok(), "not UTF-8");
    }
    let figures: Vec<FigureSpec> = plots()[kind].iter().filter_map(figure).collect();
    for spec in &figures {
        let svg = figures::draw(&bundle, &figures, spec).expect("a figure");
        assert_well_formed(&svg);
    }
    for spec in shows()[kind].iter().filter_map(view) {
        table(&tables::build(&bundle, &spec));
    }
    let _ = report::file_name(&bundle.records[0].problem.name);
}

fn figure(plot: &Value) -> Option<FigureSpec> {
    serde_json::from_value(json!({ "id": "f", "caption": "", "plot": plot })).ok()
}

fn view(show: &Value) -> Option<TableSpec> {
    serde_json::from_value(json!({ "id": "t", "caption": "", "show": show })).ok()
}

/// A table in every form.
pub(crate) fn table(table: &Table) {
    let csv = tables::to_csv(table);
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.flexible(true).from_reader(csv.as_bytes());
    assert!(
        reader.records().all(|row| row.is_ok()),
        "a line that is none"
    );
    let page = OnPage {
        most: 50,
        name: "Table 1",
        file: "tables/t.csv",
        anchor: "table-t",
        linked: &BTreeSet::new(),
    };
    assert_well_formed(&tables::to_html(table, page));
    let _ = tables::to_latex(table, "t", "");
    let _ = tables::to_text(table);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_is_one() {
        for plot in plots().iter().flatten() {
            assert!(figure(plot).is_some(), "{plot}");
        }
        for show in shows().iter().flatten() {
            assert!(view(show).is_some(), "{show}");
        }
    }
}
