//! Kinds that put many values together.

use delassus_core::{Law, Status};
use serde_json::json;

use super::super::pooled::PooledKind;
use super::super::*;
use super::drawn;
use crate::bundle::ContactImpulse;
use crate::record::{Payload, Sample, Timing};
use crate::tables::CellValue;
use crate::testing::over_time_figures;
use crate::testing::{bundle, cell, chains, decay, of_solves, of_timings, realistic, trajectories};
use crate::view::Over;

fn of(id: &str) -> FigureSpec {
    let mut all = of_solves().into_iter().chain(of_timings());
    all.find(|spec| spec.id == id).expect("a figure")
}

fn over_time(id: &str) -> FigureSpec {
    let mut all = over_time_figures().into_iter();
    all.find(|spec| spec.id == id).expect("a figure")
}

/// A cell whose sweeps were timed with this number of threads.
fn timed(threads: u64, seconds: f64) -> crate::record::CellRecord {
    let mut record = cell(
        "wall n=50",
        &format!("wide threads={threads}"),
        Status::Solved,
        9,
        |_| None,
    );
    record.solver.id = "wide".to_owned();
    if let serde_json::Value::Object(parameters) = json!({ "threads": threads }) {
        record.solver.parameters = parameters;
    }
    record.outcome.iterate_seconds = vec![10.0 * seconds, 10.5 * seconds, 10.2 * seconds];
    record.outcome.sweeps = 11;
    record.outcome.payload = Payload::Time(Timing {
        short_sweeps: 1,
        short_seconds: vec![0.0; 3],
        read_bytes: None,
        written_bytes: None,
        gathered_bytes: None,
        working_set: None,
    });
    record
}

#[test]
fn bars_of_a_signed_number_begin_with_the_smallest_magnitude() {
    let run = trajectories();
    let bars = Bars {
        y: "energy_error".to_owned(),
        over: Over::Last,
        together: true,
        log: None,
        problems: Vec::new(),
        schemes: Vec::new(),
        solvers: Vec::new(),
    };
    let methods = bars.methods(&run);
    let drift = Bars {
        y: "drift_max".to_owned(),
        ..bars
    };
    // its magnitude is that of the drift, and all of its values are negative
    let expected = drift.methods(&run);
    assert!(methods.len() > 2);
    assert_eq!(methods, expected);
}

#[test]
fn bars_are_sorted_and_count_what_has_no_value() {
    let svg = drawn(&realistic(), &of("bars"));
    // dense-direct needs one sweep, naive-impulses never ends
    let place = |name: &str| {
        let at = svg
            .rfind(&format!(">{name}"))
            .unwrap_or_else(|| panic!("{name}: {svg}"));
        let line = svg[..at].rsplit(" y=\"").next().expect("a place");
        line.split('"')
            .next()
            .and_then(|y| y.parse::<i32>().ok())
            .expect("a number")
    };
    assert!(place("dense-direct") < place("pgs"));
    assert!(place("pgs") < place("naive-impulses"));
    assert!(svg.contains("6 of 6"), "{svg}");
    let svg = drawn(&realistic(), &of("bars-time"));
    assert!(svg.contains("% interval of the median"));
}

#[test]
fn intervals_lie_over_marks_and_ranges_under_the_median() {
    let place = |svg: &str, name: &str| {
        let place = svg.find(&format!("<title>{name}</title>"));
        place.unwrap_or_else(|| panic!("{name}: {svg}"))
    };
    let (bars, boxes) = (
        drawn(&realistic(), &of("bars-time")),
        drawn(&realistic(), &of("boxes")),
    );
    let interval = bars.find("% interval</title>").expect("an interval");
    assert!(place(&bars, "pgs") < interval);
    assert!(place(&boxes, "pgs: range") < place(&boxes, "pgs"));
}

#[test]
fn distributions_mark_quantiles_and_say_what_is_missing() {
    let run = trajectories();
    let svg = drawn(&run, &over_time("shares"));
    assert!(svg.contains("marks: 50, 95, 99 and 100 %"));
    assert!(svg.contains("over 0.100 m<"), "{svg}");
    let data = data(&run, &over_time("shares"));
    assert!(data.columns.iter().any(|c| c.title.starts_with("99 % of")));
}

#[test]
fn threads_have_an_ideal_and_an_efficiency() {
    let run = bundle(vec![timed(1, 8.0), timed(2, 5.0), timed(4, 4.0)]);
    let svg = drawn(&run, &of("threads"));
    assert!(
        svg.contains(">speed-up<") && svg.contains(">efficiency<"),
        "{svg}"
    );
    assert!(svg.contains("ideal: as many times as fast"));
    let table = data(&run, &of("threads"));
    let row = &table.sections[0].rows[2];
    assert_eq!(row[5], crate::tables::Cell::number(Some(2.0)));
    assert_eq!(row[6], crate::tables::Cell::number(Some(0.5)));
}

#[test]
fn kinds_of_timed_sweeps_are_drawn_of_any_run() {
    let runs = [bundle(vec![timed(1, 8.0)]), bundle(Vec::new()), chains()];
    for run in runs {
        for spec in of_timings() {
            assert_eq!(drawn(&run, &spec), drawn(&run.clone(), &spec));
        }
    }
}

#[test]
fn a_triangle_stands_for_an_order() {
    let mut spec = over_time("steps");
    if let Plot::SelfConvergence(plot) = &mut spec.plot {
        plot.x = "scene.mass_ratio".to_owned();
    }
    let svg = drawn(&trajectories(), &spec);
    assert!(
        svg.contains("<title>order 1</title>") && svg.contains("<title>order 2</title>"),
        "{svg}"
    );
    assert!(svg.contains("against the run of the smallest mass ratio"));
}

#[test]
fn ranks_are_those_of_a_cell_that_has_measured_them() {
    let mut run = bundle(vec![
        cell("p 1", "refused", Status::Unsupported, 0, decay(0.5)),
        cell("p 1", "pgs", Status::Solved, 9, decay(0.5)),
        cell("p 2", "pgs", Status::Solved, 9, decay(0.5)),
    ]);
    for (record, rank) in run.records.iter_mut().zip([None, Some(30.0), Some(39.0)]) {
        record.outcome.metrics[1] = "rank".to_owned();
        let samples = record.outcome.samples.iter().map(|row| Sample {
            values: vec![row.value(0), None],
            ..row.into()
        });
        record.outcome.samples = samples.collect();
        let last = rank.unwrap_or(f64::NAN);
        record.outcome.set_last(Some(1), last);
    }
    let spec: FigureSpec = serde_json::from_value(serde_json::json!({
        "id": "set", "plot": { "problem-set": { "x": "redundant_rows" } }
    }))
    .expect("a figure");
    // 30 rows and 3 for each letter of the name
    let table = data(&run, &spec);
    let rows = table.sections[0].rows.iter();
    let numbers: Vec<&CellValue> = rows.map(|row| &row[2].content).collect();
    assert_eq!(numbers, [&CellValue::Number(9.0), &CellValue::Number(0.0)]);
    assert!(drawn(&run, &spec).contains("redundant rows<"));
}

#[test]
fn cones_tell_sticking_from_slipping() {
    let mut run = bundle(vec![cell("p", "pgs", Status::Solved, 9, decay(0.5))]);
    let contact = |law: Law, impulses: &[f64]| ContactImpulse::of(&law, impulses).expect("one");
    let contacts = vec![
        contact(Law::disc(0.5), &[2.0, 1.0, 0.0]),
        contact(Law::facets(0.5, 6), &[2.0, 0.1, 0.2]),
        contact(Law::disc(0.5), &[0.0; 3]),
        contact(Law::pyramid(0.5), &[1.0, 3.0, 0.0]),
        contact(Law::frictionless(), &[1.0, 0.0, 0.0]),
        contact(Law::disc(0.5), &[f64::NAN, f64::NAN, 0.0]),
    ];
    run.contacts.insert(run.records[0].key.clone(), contacts);
    let svg = drawn(&run, &of("cone"));
    assert!(
        svg.contains("hollow: 1 inside their cone") && svg.contains("filled: 2 at its limit"),
        "{svg}"
    );
    assert!(svg.contains("2 open contacts, 1 without friction") && svg.contains("1 lie outside"));
    assert_eq!(svg.matches("<title>friction cone</title>").count(), 3);
    // impulses that are not at hand leave an empty panel
    run.contacts.clear();
    assert!(drawn(&run, &of("cone")).contains("no impulses of contact points"));
}

#[test]
fn a_million_values_stay_small() {
    let mut run = trajectories();
    let record = &mut run.records[0];
    let sample = Sample::from(record.outcome.samples.first().expect("a sample"));
    let Payload::Simulate(simulated) = &mut record.outcome.payload else {
        panic!("a trajectory");
    };
    simulated.moments = (0..1_000_000)
        .map(|frame| crate::record::Moment {
            frame,
            time: crate::analysis::count(frame) / 60.0,
        })
        .collect();
    record.outcome.samples = (0..1_000_000)
        .map(|k| {
            let mut sample = sample.clone();
            sample.values[0] = Some(1.0 + libm::sin(crate::analysis::count(k)));
            sample
        })
        .collect();
    run.records.truncate(1);
    let svg = drawn(&run, &over_time("shares"));
    assert!(svg.len() < 60_000, "{}", svg.len());
    run.records[0].outcome.samples.truncate(50_000);
    for id in ["violin", "bins", "bars", "bands", "zero"] {
        let svg = drawn(&run, &over_time(id));
        assert!(svg.len() < 60_000, "{id}: {}", svg.len());
    }
}

#[test]
fn a_wider_perturbation_is_compared_with_none() {
    let mut run = trajectories();
    for record in &mut run.records {
        let ratio = record.problem.parameters["mass_ratio"].as_f64();
        if ratio == Some(1.0) {
            record.problem.name = "tip mass_ratio=0".to_owned();
            record
                .problem
                .parameters
                .insert("mass_ratio".to_owned(), json!(0));
        }
    }
    let svg = drawn(&run, &over_time("apart"));
    assert!(
        svg.contains("distance at the end [m]") && svg.contains("with mass ratio = 0"),
        "{svg}"
    );
    let rows = data(&run, &over_time("apart")).sections.remove(0).rows;
    let known = rows
        .iter()
        .filter(|row| row[5] != crate::tables::Cell::number(None));
    assert!(known.count() > 4);
}

#[test]
fn what_is_better_lies_at_the_top() {
    let svg = drawn(&trajectories(), &over_time("speed"));
    assert!(svg.contains("better: up, smaller errors; right, faster"));
    assert!(svg.contains("real-time factor"));
}
