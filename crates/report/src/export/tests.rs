use super::*;
use crate::record::{Outcome, ProblemFacts, ProblemLabel, Sample, SolverLabel};
use delassus_core::Status;
use serde_json::Map;

fn record(metrics: &[&str], values: &[Option<f64>]) -> CellRecord {
    let mut outcome = Outcome::without_samples(Status::MaxSweeps, "a \"quoted\", message");
    outcome.metrics = metrics.iter().map(|m| (*m).to_owned()).collect();
    outcome.samples.push(&Sample {
        sweeps: 3,
        row_updates: 9,
        values: values.to_vec(),
    });
    outcome.sweeps = 3;
    outcome.prepare_seconds = vec![1.0];
    outcome.iterate_seconds = vec![0.5, 0.25, 0.75];
    CellRecord {
        key: "k".to_owned(),
        problem: ProblemLabel {
            name: "chain n=2".to_owned(),
            source: "chain".to_owned(),
            parameters: Map::from_iter([("n".to_owned(), 2.into())]),
        },
        solver: SolverLabel {
            label: "psor ω=1.3".to_owned(),
            id: "psor".to_owned(),
            parameters: Map::new(),
            device: None,
            peer: None,
        },
        facts: ProblemFacts::default(),
        outcome,
        origin: None,
    }
}

fn csv_of(table: ExportTable, records: &[CellRecord]) -> Vec<u8> {
    write_csv(table, "e", &TableShape::of(records), records, Vec::new()).unwrap()
}

#[test]
fn metrics_of_different_cells_share_columns_and_numbers_keep_their_bits() {
    let value = 0.1 + 0.2;
    let records = [
        record(&["a", "b"], &[Some(value), None]),
        record(&["b"], &[Some(1e-140)]),
    ];
    let csv = String::from_utf8(csv_of(ExportTable::Records, &records)).unwrap();
    let expected = "experiment,problem,rows,solver,sweeps,row_updates,a,b,seconds\n\
                    e,chain n=2,0,psor ω=1.3,3,9,0.30000000000000004,,1.5\n\
                    e,chain n=2,0,psor ω=1.3,3,9,,1e-140,1.5\n";
    assert_eq!(csv, expected);
    assert_eq!(
        "0.30000000000000004".parse::<f64>().unwrap().to_bits(),
        value.to_bits()
    );
}

#[test]
fn an_observable_of_the_name_of_a_count_has_a_column_of_its_own() {
    let records = [record(&["rows", "row_updates"], &[Some(30.0), Some(9.5)])];
    let csv = String::from_utf8(csv_of(ExportTable::Records, &records)).unwrap();
    let expected = "experiment,problem,rows,solver,sweeps,row_updates,observed_rows,\
                    observed_row_updates,seconds\n\
                    e,chain n=2,0,psor ω=1.3,3,9,30.0,9.5,1.5\n";
    assert_eq!(csv, expected);
}

#[test]
fn the_summary_has_one_row_per_cell_and_ends_with_the_clock() {
    let records = [record(&["a"], &[Some(0.5)])];
    let bytes = csv_of(ExportTable::Summary, &records);
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let header = reader.headers().unwrap().clone();
    assert_eq!(&header[header.len() - 5], "prepare_seconds");
    let row = reader.records().next().unwrap().unwrap();
    let at = |name: &str| &row[header.iter().position(|h| h == name).unwrap()];
    assert_eq!(at("status"), "max_sweeps");
    assert_eq!(at("message"), "a \"quoted\", message");
    assert_eq!(at("problem_parameters"), "{\"n\":2}");
    assert_eq!(at("best_a"), "0.5");
    assert_eq!(at("iterate_seconds"), "0.5");
    assert_eq!(at("timing_samples"), "3");
    assert_eq!(at("iterate_min_seconds"), "0.25");
    assert_eq!(at("iterate_max_seconds"), "0.75");
    assert_eq!(at("iterate_iqr_seconds"), "0.25");
}
