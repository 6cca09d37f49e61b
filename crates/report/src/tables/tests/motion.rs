//! Tables of runs over time.

use super::*;
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
