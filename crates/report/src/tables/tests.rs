mod baseline;
mod methods;
mod motion;

use super::*;
use crate::record::Sample;
use crate::testing::{bundle, cell, chains, decay, matrix, realistic, tables, trajectories};
use crate::view::Over;
use delassus_core::Status;
use std::io::Write as _;

fn spec(show: Show) -> TableSpec {
    TableSpec {
        id: "t".to_owned(),
        caption: String::new(),
        show,
    }
}

fn cells_spec() -> TableSpec {
    spec(Show::Cells(Cells {
        metrics: vec!["natural_map".to_owned()],
        over: Over::Last,
    }))
}

fn matrix_spec() -> TableSpec {
    spec(Show::Matrix(matrix()))
}

/// Every row has as many cells as there are columns.
fn assert_rectangular(table: &Table) {
    for row in table.sections.iter().flat_map(|s| &s.rows) {
        assert_eq!(row.len(), table.columns.len());
    }
}

#[test]
fn cells_have_a_row_each_and_bold_for_the_least_work() {
    let run = realistic();
    let table = build(&run, &cells_spec());
    assert_rectangular(&table);
    let rows = &table.sections[0].rows;
    assert_eq!(rows.len(), run.records.len());
    // on the first problem the direct solver needs one sweep
    let bold: Vec<usize> = (0..5).filter(|i| rows[*i][5].best).collect();
    assert_eq!(bold, [4]);
    // a cell that did not run has no counts, and says why
    let refused = rows
        .iter()
        .find(|r| r[4].content == CellValue::Ending(Status::Unsupported.id().to_owned()));
    let refused = refused.expect("a refusal");
    assert_eq!(refused[5].content, CellValue::Empty);
    assert!(matches!(&refused[10].content, CellValue::Text(t) if t.contains("not symmetric")));
}

#[test]
fn claims_are_counted_by_the_residual() {
    use crate::record::{Payload, PeerReport, Solve};
    use delassus_core::{Claim, PeerAnswer, PeerClock};
    let claiming = |problem: &str, solver: &str, claimed: Claim, residual: f64| {
        let mut record = cell(problem, solver, Status::Stagnated, 5, |_| Some(residual));
        record.outcome.payload = Payload::Solve(Solve {
            peer: Some(PeerReport {
                restarted: true,
                answer: PeerAnswer {
                    claimed,
                    iterations: 5,
                    residuals: std::collections::BTreeMap::new(),
                    seconds: 0.1,
                    clock: PeerClock::Own,
                    message: None,
                },
            }),
            ..Solve::default()
        });
        record
    };
    let run = bundle(vec![
        claiming("p", "a", Claim::Converged, 1e-9),
        claiming("q", "a", Claim::Converged, 3e-3),
        claiming("r", "a", Claim::Converged, 7e-4),
        claiming("s", "a", Claim::Limit, 2e-9),
        claiming("p", "b", Claim::Failed, 0.5),
        cell("p", "ours", Status::Solved, 3, decay(0.1)),
    ]);
    let table = build(
        &run,
        &spec(Show::Claims(Claims {
            metric: "natural_map".to_owned(),
            tolerance: Some(1e-8),
            problems: Vec::new(),
            solvers: Vec::new(),
        })),
    );
    assert_rectangular(&table);
    let rows = &table.sections[0].rows;
    let shown: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(Cell::shown).collect())
        .collect();
    assert_eq!(shown.len(), 2);
    assert_eq!(shown[0][2..6], ["4", "3", "1", "2"]);
    assert_eq!(rows[0][6].content, CellValue::Number(3e-3));
    assert_eq!(shown[0][8], "1");
    assert_eq!(shown[1][2..6], ["1", "0", "0", "0"]);
}

#[test]
fn the_matrix_counts_what_was_reached() {
    let run = bundle(vec![
        cell("p", "fast", Status::Solved, 30, decay(0.5)),
        cell("p", "slow", Status::MaxSweeps, 100, decay(0.9)),
        cell("q", "fast", Status::Diverged, 3, |k| Some(1.0 + k)),
    ]);
    let table = build(&run, &matrix_spec());
    assert_rectangular(&table);
    let loose = &table.sections[0].rows;
    // 0.5^14 = 6.1e-5; 0.9^88 = 9.4e-5, and the samples step by five there
    assert_eq!(loose[0][2].content, CellValue::Count(14));
    assert!(loose[0][2].best && !loose[0][3].best);
    assert!(matches!(loose[0][3].content, CellValue::Count(88..=93)));
    assert_eq!(
        loose[1][2].content,
        CellValue::Ending(Status::Diverged.id().to_owned())
    );
    assert_eq!(loose[1][3].content, CellValue::Empty);
    let reached: Vec<_> = loose[2][2..].iter().map(|c| c.content.clone()).collect();
    assert_eq!(reached, [CellValue::Count(1), CellValue::Count(1)]);
    assert_eq!(
        table.sections[1].rows[0][3].content,
        CellValue::Ending(Status::MaxSweeps.id().to_owned())
    );
}

#[test]
fn the_matrix_can_count_from_the_start_and_show_a_part() {
    let far = |k: f64| decay(0.5)(k).map(|value| 100.0 * value);
    let run = bundle(vec![
        cell("p n=1", "fast", Status::Solved, 40, far),
        cell("p n=1", "slow", Status::MaxSweeps, 100, decay(0.9)),
        cell("q", "fast", Status::Solved, 40, far),
    ]);
    let wanted = Matrix {
        of_start: true,
        problems: vec!["p".to_owned()],
        solvers: vec!["fast".to_owned()],
        ..matrix()
    };
    let table = build(&run, &spec(Show::Matrix(wanted.clone())));
    assert_rectangular(&table);
    let Section { title, rows } = &table.sections[0];
    assert_eq!(title, "natural_map ≤ 10⁻⁴ of the start");
    assert_eq!((rows.len(), table.columns.len()), (2, 3));
    // 0.5^14 = 6.1e-5, whatever it starts from; of itself, 100 · 0.5^20 = 9.5e-5
    assert_eq!(rows[0][2].content, CellValue::Count(14));
    let absolute = Matrix {
        of_start: false,
        ..wanted
    };
    let table = build(&run, &spec(Show::Matrix(absolute)));
    assert_eq!(table.sections[0].rows[0][2].content, CellValue::Count(20));
}

#[test]
fn csv_has_every_digit_and_no_formula() {
    let mut run = realistic();
    run.records[0].problem.name = "=cmd()|'a, \"b\"".to_owned();
    let csv = to_csv(&build(&run, &cells_spec()));
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(|r| r.expect("a row")).collect();
    assert_eq!(rows.len(), run.records.len());
    assert_eq!(&rows[0][0], "'=cmd()|'a, \"b\"");
    run.records[0].problem.name = "a\u{1b}[31m\u{9b}\u{202e}\r\nb\t".to_owned();
    let csv = to_csv(&build(&run, &cells_spec()));
    let first = csv::Reader::from_reader(csv.as_bytes()).records().next();
    let first = first.expect("a row").expect("a row");
    assert_eq!(&first[0], "a\\u{1b}[31m\\u{9b}\\u{202e}\\r\nb\t");
    let value: f64 = rows[0][9].parse().expect("a number");
    assert_eq!(Some(value), run.records[0].outcome.last("natural_map"));
}

#[test]
fn html_rounds_and_escapes() {
    let mut run = realistic();
    run.records[0].problem.name = "<b>&".to_owned();
    let table = build(&run, &cells_spec());
    let page = OnPage {
        most: 3,
        name: "Table <1>",
        file: "tables/x.csv",
        anchor: "table-x",
        linked: &[(1, 2), (5, 0)].into(),
    };
    let html = to_html(&table, page);
    assert_eq!(html.matches(" id=").count(), 1);
    assert!(html.contains(" id=\"table-x-r2-c3\">"));
    assert!(html.contains("&lt;b&gt;&amp;") && !html.contains("<b>&"));
    assert!(html.contains("The first 3 of 30 rows"));
    crate::testing::assert_well_formed(&html);
}

#[test]
fn columns_of_nothing_are_in_the_files_alone() {
    use crate::analysis::interval::HEADING;
    let page = |remark: &str| {
        let columns = vec![
            Column::text("problem"),
            Column::numeric("time [s]"),
            Column::numeric(HEADING),
            Column::text("remark"),
        ];
        let row = vec![
            Cell::text("stack"),
            Cell::number(None),
            Cell::interval(None),
            Cell::text(remark),
        ];
        let table = Table::plain(columns, vec![row], []);
        assert!(to_csv(&table).contains(HEADING));
        let page = OnPage {
            most: 3,
            name: "Table 1",
            file: "tables/x.csv",
            anchor: "table-x",
            linked: &[(0, 3)].into(),
        };
        to_html(&table, page)
    };
    let (empty, full) = (page(""), page("slow"));
    assert_eq!(
        (empty.matches("<th").count(), empty.matches("<td").count()),
        (3, 2)
    );
    assert!(
        empty.contains("time [s]") && !empty.contains("remark"),
        "{empty}"
    );
    // identifiers count all columns
    assert!(
        full.contains("<td id=\"table-x-r1-c4\">slow</td>"),
        "{full}"
    );
    assert!(!full.contains("interval"), "{full}");
}

#[test]
fn closed_forms_stand_beside_measurements() {
    let table = build(
        &chains(),
        &spec(Show::ClosedForms(ClosedForms {
            quantity: "rate".to_owned(),
            problems: Vec::new(),
        })),
    );
    assert_rectangular(&table);
}

#[test]
fn an_empty_run_gives_tables_that_say_so() {
    let run = bundle(Vec::new());
    for spec in &tables() {
        let table = build(&run, spec);
        assert_rectangular(&table);
        assert_eq!(table.sections[0].rows.len(), 1, "{}", spec.id);
    }
}
