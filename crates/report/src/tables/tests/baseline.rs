//! Tables that compare with a reference library, or with the best of all methods.

use super::*;

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
