//! Hard data through every kind of figure: the bytes of SVG and PDF are those of `goldens.txt`,
//! every coordinate is finite and on the canvas.
//! `UPDATE_GOLDEN=1 cargo test -p delassus-report goldens` writes the file anew; look at what has
//! changed.

use std::fmt::Write as _;

use super::*;
use crate::key;
use crate::record::{CellRecord, Payload, Sample};

const GOLDENS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/figures/tests/goldens.txt");

/// No figure is larger, whatever it is made of \[B\].
const MOST_BYTES: usize = 400_000;

/// What the values of samples become; `k` counts them.
type Change = fn(usize, f64) -> Option<f64>;

/// Hard values by name.
const CHANGES: [(&str, Change); 4] = [
    ("as-they-are", |_, value| Some(value)),
    ("zeros", |k, value| Some(if k < 3 { value } else { 0.0 })),
    ("negative", |_, value| Some(-value)),
    ("not-finite", |k, value| match k % 4 {
        0 => None,
        1 => Some(f64::NAN),
        2 => Some(f64::INFINITY),
        _ => Some(value),
    }),
];

/// Frozen problems, solves and runs over time, each with the figures of its kind.
fn runs() -> [(Bundle, Vec<FigureSpec>); 2] {
    [
        (realistic(), every_kind()),
        (trajectories(), over_time_figures()),
    ]
}

/// The run with other values.
fn changed(run: &Bundle, change: Change) -> Bundle {
    let mut run = run.clone();
    for record in &mut run.records {
        let rows = record.outcome.samples.iter().enumerate();
        let samples = rows.map(|(k, row)| Sample {
            values: row.values().map(|value| change(k, value?)).collect(),
            ..row.into()
        });
        record.outcome.samples = samples.collect();
    }
    run
}

/// The run with so many samples in every record.
fn sampled(run: &Bundle, count: usize) -> Bundle {
    let mut run = run.clone();
    for record in &mut run.records {
        stretch(record, count);
    }
    run
}

/// Repeats or leaves out samples until there are `count`; sweeps and times go on.
fn stretch(record: &mut CellRecord, count: usize) {
    let outcome = &mut record.outcome;
    let first: Vec<Sample> = outcome.samples.iter().map(Sample::from).collect();
    if first.is_empty() {
        return;
    }
    let sample = |k: usize| Sample {
        sweeps: k as u64,
        row_updates: 30 * k as u64,
        ..first[k % first.len()].clone()
    };
    outcome.samples = (0..count).map(sample).collect();
    outcome.sweeps = count as u64;
    if let Payload::Simulate(run) = &mut outcome.payload {
        let moments = run.moments.clone();
        let moment = |k: usize| {
            let mut moment = moments[k % moments.len()];
            moment.frame = k as u64;
            moment.time = crate::analysis::count(k as u64) / 60.0;
            moment
        };
        run.moments = (0..count).map(moment).collect();
    }
}

/// The first record under a hundred names.
fn crowd(run: &Bundle) -> Bundle {
    let mut run = run.clone();
    let first = run.records[0].clone();
    run.records = (0..100)
        .map(|i| {
            let mut record = first.clone();
            record.key = format!("key {i}");
            record.solver.label = format!("solver {i}");
            record.solver.id.clone_from(&record.solver.label);
            if let Payload::Simulate(run) = &mut record.outcome.payload {
                run.scheme.method = format!("method {i}");
                run.scheme.label.clone_from(&run.scheme.method);
            }
            record
        })
        .collect();
    run
}

/// Every case of a run by name; the million samples are those of its first record alone.
fn cases(run: &Bundle) -> Vec<(&'static str, Bundle)> {
    let mut cases: Vec<(&str, Bundle)> = CHANGES
        .iter()
        .map(|(name, change)| (*name, changed(run, *change)))
        .collect();
    let mut empty = run.clone();
    empty.records.clear();
    let mut million = run.clone();
    million.records.truncate(1);
    cases.push(("empty", empty));
    cases.push(("one-point", sampled(run, 1)));
    cases.push(("million", sampled(&million, 1_000_000)));
    cases.push(("hundred-series", crowd(run)));
    cases
}

/// Asserts that every place outside of a clip is on the canvas.
fn assert_on_canvas(svg: &str, what: &str) {
    let size: Vec<f64> = attribute(svg, "viewBox").expect("a size");
    let mut clipped = false;
    for line in svg.lines() {
        if line.starts_with("<g") {
            clipped = line.contains("clip-path");
        }
        let mut places = attribute(line, "points").unwrap_or_default();
        if line.starts_with("<text") {
            places = [attribute(line, "x"), attribute(line, "y")]
                .into_iter()
                .flatten()
                .flatten()
                .collect();
        }
        for place in places.chunks_exact(2) {
            let on = |value: f64, end: f64| value.is_finite() && (0.0..=end).contains(&value);
            let fits = clipped || (on(place[0], size[2]) && on(place[1], size[3]));
            assert!(fits, "{what}: {line:.200}");
        }
    }
}

/// The numbers of an attribute.
fn attribute(line: &str, name: &str) -> Option<Vec<f64>> {
    let start = line.find(&format!(" {name}=\""))? + name.len() + 3;
    let text = line[start..].split('"').next()?;
    let words = text.split([' ', ',']);
    words.map(|word| word.parse().ok()).collect()
}

/// One line per drawing of a figure: of ordinary data at both widths and as PDF, of hard data as
/// SVG at the width of a page.
fn lines(bundle: &Bundle, (case, figure): (&str, &FigureSpec), all: &[FigureSpec]) -> String {
    let ordinary = case == CHANGES[0].0;
    let widths: &[Width] = if ordinary {
        &Width::ALL
    } else {
        &[Width::Page]
    };
    let mut text = String::new();
    for width in widths {
        let spec = FigureSpec {
            width: *width,
            ..figure.clone()
        };
        let svg = draw(bundle, all, &spec).expect("drawing");
        let what = format!("{} {:.0}mm {case}", spec.id, width.millimetres());
        assert_well_formed(&svg);
        assert_on_canvas(&svg, &what);
        assert!(svg.len() < MOST_BYTES, "{what}: {} B", svg.len());
        let _ = write!(text, "{what} {}", &key::of_bytes(svg.as_bytes())[..16]);
        if ordinary {
            let pdf = delassus_pdf::from_svg(&svg, width.millimetres());
            let pdf = pdf.unwrap_or_else(|error| panic!("{what}: {error}"));
            let _ = write!(text, " {}", &key::of_bytes(&pdf)[..16]);
        }
        text.push('\n');
    }
    text
}

/// The lines of a run, in the order of its cases and figures.
fn found(run: &Bundle, figures: &[FigureSpec]) -> String {
    let cases = cases(run);
    let pairs = cases.iter().flat_map(|(case, bundle)| {
        let lines = move |figure| lines(bundle, (case, figure), figures);
        figures.iter().map(lines)
    });
    pairs.collect()
}

#[test]
fn goldens_of_hard_data() {
    // the two runs side by side: they are half of the test each
    let texts = std::thread::scope(|scope| {
        let runs = runs().map(|(run, figures)| scope.spawn(move || found(&run, &figures)));
        runs.map(|run| run.join().expect("drawings"))
    });
    let head = "# kind, width, case: first 16 digits of the SHA-256 of SVG and PDF\n";
    let found = head.to_owned() + &texts.concat();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(GOLDENS, &found).expect("written");
    }
    let golden = std::fs::read_to_string(GOLDENS).expect("goldens.txt");
    let differ = golden.lines().zip(found.lines()).find(|(a, b)| a != b);
    assert_eq!(differ, None, "UPDATE_GOLDEN=1 if this is meant");
    let [known, drawn] = [&golden, &found].map(|text| text.lines().count());
    assert_eq!(known, drawn, "UPDATE_GOLDEN=1 if this is meant");
}
