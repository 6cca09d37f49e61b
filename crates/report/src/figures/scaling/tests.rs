use super::*;
use crate::figures::{FigureSpec, Width};

#[test]
fn a_cache_is_passed_on_the_line_between_two_cells() {
    let mark = |x: f64, y: f64, bytes: Option<f64>| Mark {
        x,
        y,
        working_set: bytes,
    };
    let marks = [
        mark(1.0, 10.0, Some(100.0)),
        mark(100.0, 1000.0, Some(10_000.0)),
    ];
    let (x, y) = passes(&marks, 1000.0).expect("a crossing");
    // rounding of two logarithms and an exponential
    assert!(
        (x - 10.0).abs() < 1e-12 && (y - 100.0).abs() < 1e-11,
        "{x} {y}"
    );
    assert_eq!(passes(&marks, 99.0), None);
    assert_eq!(passes(&marks, 10_000.0), None);
    let unknown = [marks[0], mark(2.0, 2.0, None)];
    assert_eq!(passes(&unknown, 1000.0), None);
}

/// Three sizes of one problem with one solver, 10 ns per row in the smallest and twice as much in
/// each of the others.
fn run() -> Bundle {
    let records = [1_usize, 30, 900].map(|size| {
        let name = format!("wall base={size}");
        let mut record = crate::testing::cell(&name, "pgs", Status::Solved, 2, |_| None);
        record.problem.parameters = serde_json::Map::from_iter([("base".to_owned(), size.into())]);
        record.facts.rows = 1000 * size;
        let seconds = 1e-5 * count(size as u64) * if size > 1 { 2.0 } else { 1.0 };
        record.outcome.iterate_seconds = vec![2.0 * seconds];
        record.outcome.payload = crate::record::Payload::Time(crate::record::Timing {
            short_sweeps: 1,
            short_seconds: vec![seconds],
            read_bytes: Some(100_000 * size as u64),
            written_bytes: Some(0),
            gathered_bytes: Some(0),
            working_set: Some(100_000 * size as u64),
        });
        record
    });
    let mut bundle = crate::testing::bundle(records.to_vec());
    bundle.manifest["caches"] = serde_json::json!({ "L2": 1 << 20, "L3": 32 << 20 });
    bundle
}

fn figure(x: Cost) -> (FigureSpec, Scaling) {
    let plot = Scaling {
        x,
        y: Cost::NsPerRow,
        along: "base".to_owned(),
        problems: Vec::new(),
        schemes: Vec::new(),
        solvers: Vec::new(),
    };
    let spec = FigureSpec {
        id: "s".to_owned(),
        caption: String::new(),
        width: Width::Page,
        plot: crate::figures::Plot::Scaling(plot.clone()),
    };
    (spec, plot)
}

#[test]
fn caches_are_strokes_on_curves_or_lines_on_the_axis_of_the_working_set() {
    let bundle = run();
    let (spec, plot) = figure(Cost::Rows);
    let drawn = plot.chart(&bundle, &crate::figures::styles(&bundle, &[], &spec));
    assert_eq!((drawn.panels.len(), drawn.legend.len()), (1, 1));
    let plain = |chart: &Chart| -> Vec<f64> {
        let curves = chart.panels[0].curves.iter();
        let plain = curves.filter(|c| c.form == CurveForm::Stroke);
        plain.map(|c| c.points[0].0).collect()
    };
    // 100 bytes per row
    let rows = plain(&drawn);
    assert_eq!(rows.len(), 2);
    for (at, cache) in rows.iter().zip([1_u64 << 20, 32 << 20]) {
        let expected = count(cache) / 100.0;
        // rounding of two logarithms and an exponential
        assert!((at - expected).abs() < 1e-12 * expected, "{at} {expected}");
    }
    let note = "strokes: the working set passes L2 of 1 MiB (short), L3 of 32 MiB (long)";
    assert!(drawn.notes.iter().any(|n| n.text == note));
    let (spec, plot) = figure(Cost::WorkingSet);
    let drawn = plot.chart(&bundle, &crate::figures::styles(&bundle, &[], &spec));
    assert_eq!(plain(&drawn), [count(1 << 20), count(32 << 20)]);
    let svg = crate::figures::draw(&bundle, &[], &spec).expect("a figure");
    assert!(svg.contains("end of L2") && svg.contains("end of L3"));
    // a machine that does not say has no marks
    let mut silent = bundle;
    silent.manifest["caches"] = serde_json::json!({});
    let drawn = plot.chart(&silent, &crate::figures::styles(&silent, &[], &spec));
    assert!(plain(&drawn).is_empty() && drawn.notes.is_empty());
}

#[test]
fn what_a_device_refuses_is_counted_in_the_legend() {
    let mut bundle = run();
    bundle.records[2].outcome.status = Status::Unsupported;
    let (spec, plot) = figure(Cost::Rows);
    let drawn = plot.chart(&bundle, &crate::figures::styles(&bundle, &[], &spec));
    assert_eq!(drawn.legend[0].text, "pgs (1 of 3 unsupported)");
    // 3 MB are the largest that is left: no line passes the third cache, one passes the second
    let strokes = drawn.panels[0].curves.iter();
    assert_eq!(strokes.filter(|c| c.form == CurveForm::Stroke).count(), 1);
    bundle.records[1].outcome.status = Status::Unsupported;
    let drawn = plot.chart(&bundle, &crate::figures::styles(&bundle, &[], &spec));
    assert!(
        drawn.notes.is_empty(),
        "no stroke, no note: {:?}",
        drawn.notes
    );
}

#[test]
fn sizes_of_caches_are_short() {
    assert_eq!(
        [49_152, 1 << 20, 32 << 20].map(bytes),
        ["48 KiB", "1 MiB", "32 MiB"]
    );
}
