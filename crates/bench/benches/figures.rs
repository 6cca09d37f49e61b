//! What a figure takes: records of a hundred thousand samples drawn as SVG and as PDF, in one line
//! and in twenty-one.
//!
//! `cargo bench -p delassus-bench --bench figures`

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::Criterion;
use delassus_records::record::CellRecord;
use delassus_report::bundle::Bundle;
use delassus_report::figures::{FigureSpec, draw};
use serde_json::{Value, json};

/// Samples of a figure \[-\].
const SAMPLES: [u64; 2] = [100_000, 1_000_000];
/// As many lines as a figure has at most \[-\].
const LINES: u64 = 21;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let plots = [
        (
            "convergence",
            json!({ "convergence": { "x": "seconds", "log_x": true } }),
        ),
        (
            "distribution",
            json!({ "distribution": { "x": "natural_map", "log_x": true } }),
        ),
    ];
    for samples in SAMPLES {
        for lines in [1, LINES] {
            let bundle = bundle(lines, samples / lines);
            for (name, plot) in &plots {
                let figure = figure(plot);
                let id = format!("draw/{name}/{samples} points/{lines} lines");
                criterion.bench_function(&id, |bencher| {
                    bencher.iter(|| {
                        let all = std::slice::from_ref(&figure);
                        let svg = draw(&bundle, all, &figure).expect("a figure");
                        let pdf = delassus_pdf::from_svg(&svg, figure.width.millimetres());
                        black_box(pdf.expect("a page"))
                    });
                });
            }
        }
    }
    criterion.final_summary();
}

fn figure(plot: &Value) -> FigureSpec {
    let spec = json!({ "id": "figure", "caption": "", "plot": plot });
    serde_json::from_value(spec).expect("a figure")
}

/// Solves of one problem whose residuals fall with a ripple.
fn bundle(solvers: u64, samples: u64) -> Bundle {
    Bundle {
        id: "figures".to_owned(),
        title: String::new(),
        question: String::new(),
        readme: None,
        spec: String::new(),
        command: String::new(),
        tolerance: 1e-8,
        criteria: vec!["natural_map".to_owned()],
        manifest: json!({}),
        records: (0..solvers).map(|solver| record(solver, samples)).collect(),
        missing: 0,
        unstepped: Vec::new(),
        parts: Vec::new(),
        closed_forms: &(),
        contacts: BTreeMap::new(),
    }
}

fn record(solver: u64, samples: u64) -> CellRecord {
    #[expect(clippy::cast_precision_loss, reason = "at most a million")]
    let value = |k: u64| {
        let share = k as f64 / samples as f64;
        libm::exp(-12.0 * share) * (1.0 + 0.3 * libm::sin((k * (solver + 3)) as f64))
    };
    let sample = |k: u64| json!({ "sweeps": k, "row_updates": 30 * k, "values": [value(k)] });
    let name = format!("solver {solver}");
    let record = json!({
        "key": name,
        "problem": { "name": "problem", "source": "chain", "parameters": {} },
        "solver": { "label": name, "id": name, "parameters": {} },
        "facts": { "rows": 30, "blocks": 10, "contacts": 10, "bodies": 10, "asymmetry": null, "energy_scale": 1.0 },
        "outcome": {
            "status": "max_sweeps", "message": null, "approximations": [], "metrics": ["natural_map"],
            "samples": (0..samples).map(sample).collect::<Vec<Value>>(),
            "sweeps": samples, "row_updates": 30 * samples,
            "prepare_seconds": [1e-5, 1.1e-5, 1.2e-5], "iterate_seconds": [0.5, 0.6, 0.7],
            "impulse_hash": "", "reference": null,
        },
    });
    serde_json::from_value(record).expect("a record")
}
