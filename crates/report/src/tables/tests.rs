mod methods;

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

#[test]
fn the_baseline_is_judged_by_its_own_residual() {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    // the second run claims success, its residual says otherwise; the third has no residual
    write!(
        file,
        "kind,problem,nc_or_n,solver,tol,cap_cpu_s,outcome,iters,cpu_s,wall_s,siconos_err,nat_rel\n\
         fc3d,CubeH8,4,NSGS,1e-4,60,ok,12,0.1,0.2,1e-5,1e-5\n\
         fc3d,Rover1039,4,NSGS,1e-4,60,ok,7,0.1,0.2,1e-5,3e-4\n\
         fc3d,Rover1039,4,PROX,1e-4,60,cpu,,,,,\n"
    )
    .expect("written");
    let run = realistic();
    let show = |file: &Path| {
        let spec = spec(Show::Baseline(Baseline {
            file: file.to_owned(),
            solvers: vec!["NSGS".to_owned(), "PROX".to_owned()],
            tolerances: vec![1e-4],
            best: false,
            problems: Vec::new(),
            own: Vec::new(),
        }));
        build(&run, &spec)
    };
    let table = show(file.path());
    assert_rectangular(&table);
    let rows = &table.sections[0].rows;
    assert_eq!(rows.len(), 3, "two known problems and the total");
    let last = table.columns.len() - 4;
    assert_eq!(rows[0][last].content, CellValue::Count(12));
    assert_eq!(rows[1][last].content, CellValue::Text("–".to_owned()));
    assert_eq!(rows[2][last].content, CellValue::Count(1));
    assert_eq!(rows[2][last + 2].content, CellValue::Count(0));

    let absent = show(Path::new("/nowhere/results.csv"));
    let text = to_csv(&absent);
    assert!(text.contains("results.csv are not there") && !text.contains("nowhere"));
}

#[test]
fn the_best_of_each_side_stand_side_by_side() {
    // 0.5^14 is within 1e-4, so that 14 of 28 sweeps of 1e-6 s count, after 2e-5 s of preparation
    let run = bundle(vec![
        cell("both", "fast", Status::Solved, 28, decay(0.5)),
        cell("both", "slow", Status::Solved, 100, decay(0.9)),
        cell("ours", "fast", Status::Solved, 28, decay(0.5)),
        cell("theirs", "fast", Status::MaxSweeps, 5, decay(0.5)),
        cell("unknown", "fast", Status::Solved, 28, decay(0.5)),
    ]);
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    write!(
        file,
        "kind,problem,nc_or_n,solver,tol,cap_cpu_s,outcome,iters,cpu_s,wall_s,siconos_err,nat_rel\n\
         fc3d,both,4,NSGS,1e-4,60,ok,12,0.1,0.2,1e-5,1e-5\n\
         fc3d,both,4,PROX,1e-4,60,ok,12,0.1,1e-5,1e-5,1e-5\n\
         fc3d,both,4,PROX,1e-8,60,ok,12,0.1,1e-9,1e-5,1e-9\n\
         fc3d,ours,4,PROX,1e-4,60,ok,12,0.1,1e-5,1e-5,3e-4\n\
         fc3d,theirs,4,PROX,1e-4,60,ok,12,0.1,1e-5,1e-5,3e-5\n"
    )
    .expect("written");
    let show = |solvers: &[&str]| {
        let kind = Show::Baseline(Baseline {
            file: file.path().to_owned(),
            solvers: solvers.iter().map(|s| (*s).to_owned()).collect(),
            tolerances: vec![1e-4],
            best: true,
            problems: Vec::new(),
            own: Vec::new(),
        });
        build(&run, &spec(kind))
    };
    let table = show(&[]);
    assert_rectangular(&table);
    let rows = &table.sections[0].rows;
    let text = |row: usize, column: usize| rows[row][column].content.clone();
    assert_eq!(rows.len(), 6, "three known problems and three totals");
    assert_eq!(text(0, 2), CellValue::Text("PROX".to_owned()));
    assert_eq!(text(0, 4), CellValue::Text("fast".to_owned()));
    let CellValue::Number(ratio) = text(0, 6) else {
        panic!("{:?}", text(0, 6));
    };
    // siconos is 0.3 of the natural map: within 1e-4 after 12 sweeps
    let exact = (2e-5 + 12e-6) / 1e-5;
    assert!((ratio - exact).abs() < 1e-12, "{ratio}, exact {exact}");
    assert_eq!(text(1, 2), CellValue::Text("–".to_owned()));
    assert_eq!(text(2, 4), CellValue::Text("–".to_owned()));
    let counts = |row: usize| [3, 5].map(|column| text(row, column));
    assert_eq!(counts(3), [CellValue::Count(2), CellValue::Count(2)]);
    assert_eq!(counts(4), [CellValue::Count(1), CellValue::Count(1)]);
    // what only this run solves; of the three that anyone solves
    assert_eq!(text(5, 5), CellValue::Count(1));
    assert_eq!(text(5, 6), CellValue::Number(1.0 / 3.0));
    // compared with one slow solver of the library this run is ahead
    let slow = &show(&["NSGS"]).sections[0].rows;
    assert_eq!(slow[5][5].content, CellValue::Count(2));
}

#[test]
fn solved_counts_by_solver_and_names_what_nobody_solves() {
    let run = bundle(vec![
        cell("easy", "fast", Status::Solved, 60, decay(0.5)),
        cell("easy", "slow", Status::MaxSweeps, 100, decay(0.9)),
        cell("hard", "fast", Status::MaxSweeps, 5, decay(0.5)),
        cell("hard", "slow", Status::MaxSweeps, 100, decay(0.9)),
        cell("odd", "fast", Status::Unsupported, 0, |_| None),
        cell("odd", "slow", Status::Unsupported, 0, |_| None),
    ]);
    let wanted = Solved {
        metric: "natural_map".to_owned(),
        tolerances: vec![1e-4, 1e-8],
        at_end: false,
        problems: Vec::new(),
        solvers: Vec::new(),
    };
    // what passes by a tolerance is not there at the end
    let passing = |k: f64| Some(if k < 20.0 { 1e-9 } else { 1.0 });
    let passed = bundle(vec![cell("p", "s", Status::MaxSweeps, 60, passing)]);
    let any = |at_end| {
        let table = build(
            &passed,
            &spec(Show::Solved(Solved {
                at_end,
                ..wanted.clone()
            })),
        );
        table.sections[0].rows[0][3].content.clone()
    };
    assert_eq!([any(false), any(true)], [1, 0].map(CellValue::Count));
    let table = build(&run, &spec(Show::Solved(wanted.clone())));
    assert_rectangular(&table);
    let counts = |section: usize, row: usize| -> Vec<CellValue> {
        let row = &table.sections[section].rows[row];
        row[1..4].iter().map(|cell| cell.content.clone()).collect()
    };
    let count = |values: [u64; 3]| values.map(CellValue::Count).to_vec();
    assert_eq!(counts(0, 0), count([2, 1, 1]));
    assert_eq!(counts(0, 1), count([2, 2, 0]));
    assert_eq!(counts(0, 2), count([3, 2, 1]));
    assert_eq!(table.sections[1].rows.len(), 2);
    assert_eq!(counts(1, 0), count([2, 1, 0]));
    assert_eq!(counts(1, 1), count([0, 0, 0]));
    let closest = &table.sections[1].rows[0];
    assert_eq!(closest[5].content, CellValue::Text("slow".to_owned()));
    // a part of the run
    let part = Solved {
        problems: vec!["easy".to_owned()],
        solvers: vec!["fast".to_owned()],
        ..wanted
    };
    let table = build(&run, &spec(Show::Solved(part)));
    let none = &table.sections[1].rows[0][0].content;
    assert_eq!(*none, CellValue::Text("none".to_owned()));
    assert_eq!(table.sections[0].rows.len(), 2);
}

#[test]
fn a_baseline_of_another_form_is_named() {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    write!(file, "a,b\n1,2\n").expect("written");
    let run = realistic();
    let table = build(
        &run,
        &spec(Show::Baseline(Baseline {
            file: file.path().to_owned(),
            solvers: Vec::new(),
            tolerances: vec![1e-4],
            best: false,
            problems: Vec::new(),
            own: Vec::new(),
        })),
    );
    assert!(to_csv(&table).contains("not in the expected form"));
}

#[test]
fn trajectories_are_compared_by_scene_and_method() {
    let run = trajectories();
    let wanted = |quantity: &str, solvers: &[&str]| Trajectories {
        quantity: quantity.to_owned(),
        over: Over::Max,
        scenes: vec!["tip".to_owned()],
        schemes: Vec::new(),
        solvers: solvers.iter().map(|s| (*s).to_owned()).collect(),
    };
    let show =
        |quantity, solvers| build(&run, &spec(Show::Trajectories(wanted(quantity, solvers))));
    let table = show("drift_max", &[]);
    assert_rectangular(&table);
    let heads: Vec<&str> = table.columns.iter().map(|c| c.title.as_str()).collect();
    let expected = [
        "scene",
        "Soft Step substeps=1, pgs",
        "Soft Step substeps=1, dense-direct",
        "Soft Step substeps=4, pgs",
        "Soft Step substeps=4, dense-direct",
        "xpbd",
    ];
    assert_eq!(heads, expected);
    let rows = &table.sections[0].rows;
    assert_eq!(rows.len(), 3);
    // a run that blew up has a status in place of its largest drift
    assert_eq!(
        rows[2][1].content,
        CellValue::Ending(Status::Diverged.id().to_owned())
    );
    assert_eq!(
        rows[1][5].content,
        CellValue::Ending(Status::Unsupported.id().to_owned())
    );
    let best: Vec<usize> = (1..6).filter(|i| rows[0][*i].best).collect();
    assert_eq!(best, [5]);
    let CellValue::Number(drift) = rows[2][4].content else {
        panic!("{:?}", rows[2][4]);
    };
    let exact = 1e-3 * 100.0 * 0.01 / 4.0 * (1.0 - libm::exp(-1.0));
    assert!((drift - exact).abs() < 1e-15, "{drift}, exact {exact}");
    // a scheme that solves by itself has no solver to leave out
    assert_eq!(show("step_seconds", &["pgs"]).columns.len(), 4);
    // what happens between two samples is in no maximum, and the table says so
    let says = |table: &Table| table.notes.iter().any(|n| n.contains("frames apart"));
    assert!(!says(&table));
    let mut sparse = trajectories();
    for record in &mut sparse.records {
        if let crate::record::Payload::Simulate(run) = &mut record.outcome.payload {
            run.moments.iter_mut().for_each(|moment| moment.frame *= 7);
        }
    }
    let of = |quantity| spec(Show::Trajectories(wanted(quantity, &[])));
    let notes = build(&sparse, &of("drift_max")).notes;
    assert!(
        notes.iter().any(|n| n.contains("7 frames apart")),
        "{notes:?}"
    );
    assert!(!says(&build(&sparse, &of("step_seconds"))));
    assert_rectangular(&build(&run, &cells_spec()));
}

#[test]
fn departures_are_largest_distances_from_a_reference_at_common_times() {
    let mut run = trajectories();
    let from = "Soft Step substeps=4, dense-direct";
    // a run with half of the frames shares every second time
    for record in &mut run.records {
        if record.method() == "xpbd"
            && let crate::record::Payload::Simulate(simulated) = &mut record.outcome.payload
        {
            let half = |index: &usize| index.is_multiple_of(2);
            let kept: Vec<usize> = (0..simulated.moments.len()).filter(half).collect();
            simulated.moments = kept.iter().map(|k| simulated.moments[*k]).collect();
            let samples = &record.outcome.samples;
            let half = kept
                .iter()
                .filter_map(|k| samples.get(*k))
                .map(Sample::from);
            record.outcome.samples = half.collect();
        }
    }
    let wanted = Departures {
        observables: vec!["drift_max".to_owned(), "energy_error".to_owned()],
        from: from.to_owned(),
        scenes: vec!["tip".to_owned()],
        schemes: Vec::new(),
        solvers: Vec::new(),
    };
    let table = build(&run, &spec(Show::Departures(wanted.clone())));
    assert_rectangular(&table);
    let rows = &table.sections[0].rows;
    let end = 1.0 - libm::exp(-1.0);
    let number = |row: usize, column: usize| match rows[row][column].content {
        CellValue::Number(value) => value,
        ref other => panic!("{other:?}"),
    };
    // energy_error mirrors drift_max: the distance is √2 times its difference
    let exact = 2.0_f64.sqrt() * (1e-3 / 4.0 - 1e-5 / 4.0) * end;
    assert!((number(0, 3) - exact).abs() < 1e-15, "{}", number(0, 3));
    assert_eq!(number(0, 4), 0.0);
    let own = 2.0_f64.sqrt() * (1e-5 / 4.0 * end - 1e-9);
    assert!((number(0, 5) - own).abs() < 1e-12, "{} {own}", number(0, 5));
    // what did not come to its end says so
    let blown = CellValue::Ending(Status::Diverged.id().to_owned());
    assert_eq!(rows[2][1].content, blown);
    let unknown = Departures {
        from: "nobody".to_owned(),
        ..wanted.clone()
    };
    let table = build(&run, &spec(Show::Departures(unknown)));
    assert!(to_csv(&table).contains("no method is called nobody"));
    let refused = Departures {
        from: "xpbd".to_owned(),
        ..wanted
    };
    let table = build(&run, &spec(Show::Departures(refused)));
    assert_eq!(
        table.sections[0].rows[1][1].content,
        CellValue::Text("–".to_owned())
    );
}

#[test]
fn runs_of_another_scene_are_not_ranked() {
    let mut run = trajectories();
    let wanted = Show::Trajectories(Trajectories {
        quantity: "drift_max".to_owned(),
        over: Over::Last,
        scenes: vec!["tip mass_ratio=1".to_owned()],
        schemes: Vec::new(),
        solvers: Vec::new(),
    });
    let best = |run: &Bundle| {
        let table = build(run, &spec(wanted.clone()));
        let row = table.sections[0].rows[0].clone();
        let bold: Vec<usize> = (0..row.len()).filter(|at| row[*at].best).collect();
        let columns = bold.iter().map(|at| table.columns[*at].title.clone());
        (columns.collect::<Vec<_>>(), table.notes.join(" "))
    };
    let (first, notes) = best(&run);
    assert_eq!(first, ["xpbd"]);
    assert!(!notes.contains("Never bold"), "{notes}");
    for record in run.records.iter_mut().filter(|r| r.method() == "xpbd") {
        let other = format!("{}no restitution", delassus_core::OTHER_SCENE);
        record.outcome.approximations = vec!["contacts are its own".to_owned(), other];
    }
    let (second, notes) = best(&run);
    assert_eq!(second, ["Soft Step substeps=4, dense-direct"]);
    let remark =
        "Never bold, because they step another scene: xpbd, tip mass_ratio=1: no restitution.";
    assert!(notes.contains(remark), "{notes}");
}

/// A solver that ends with one long step: three quarters of its row updates are in the last of its
/// ten sweeps.
#[test]
fn a_sample_has_the_share_of_the_time_that_its_row_updates_have() {
    let mut record = cell("p", "mixed", Status::Solved, 10, decay(0.1));
    let outcome = &mut record.outcome;
    (outcome.row_updates, outcome.prepare_seconds) = (36, vec![1.0]);
    outcome.iterate_seconds = vec![36.0];
    let samples = outcome.samples.iter().map(|row| Sample {
        row_updates: if row.sweeps < 10 { row.sweeps } else { 36 },
        ..row.into()
    });
    outcome.samples = samples.collect();
    let at = |sweeps: u64, outcome: &crate::record::Outcome| {
        let place = outcome.samples.iter().position(|s| s.sweeps == sweeps);
        outcome.seconds_at(place.expect("a sample"))
    };
    assert_eq!(at(9, outcome), Some(10.0));
    assert_eq!(at(10, outcome), Some(37.0));
    // what counts no row updates has sweeps of equal length
    outcome.row_updates = 0;
    assert_eq!(at(5, outcome), Some(19.0));
}
