//! Hand-made bundles for the tests of figures, tables and report.

use std::collections::BTreeMap;

use delassus_core::Status;
use serde_json::{Map, Value, json};

use crate::bundle::Bundle;
use crate::figures::{Convergence, FigureSpec, Parameter, Plot, Profile, Targets, Width};
use crate::record::{
    CellRecord, Outcome, Payload, ProblemFacts, ProblemLabel, Sample, SolverLabel,
};
use crate::report::Report;
use crate::tables::{Baseline, Cells, ClosedForms, Matrix, Show, Solved, TableSpec};
use crate::view::{Over, Work};

mod known;
mod pooled;
mod trajectories;

use known::TestClosedForms;
pub(crate) use pooled::{kinds_over_time, of_solves, of_timings};
pub(crate) use trajectories::{over_time_figures, trajectories};

/// Texts that would do something where they were not escaped: each sets `hostile`.
pub(crate) const HOSTILE: [&str; 24] = [
    "<script>hostile=1</script>",
    "</script><script>hostile=1</script>",
    "<img src=x onerror=hostile=1>",
    "\"><img src=x onerror=hostile=1>",
    "'><svg onload=hostile=1>",
    "</title><script>hostile=1</script>",
    "</style><script>hostile=1</script>",
    "<!--<script>hostile=1</script>-->",
    "--><script>hostile=1</script>",
    "]]><script>hostile=1</script>",
    "<svg><script>hostile=1</script></svg>",
    "<iframe srcdoc='<script>parent.hostile=1</script>'>",
    "<object data=javascript:hostile=1>",
    "<a href=javascript:hostile=1 autofocus onfocus=hostile=1>x</a>",
    "[x](javascript:hostile=1)",
    "[x](java&#10;script:hostile=1)",
    "![x](x\"onerror=\"hostile=1)",
    "<base href=http://stranger.example/>",
    "<form action=http://stranger.example/><button>",
    "<style>@import 'http://stranger.example/x.css'</style>",
    "<meta http-equiv=refresh content=0;url=http://stranger.example/>",
    "`${hostile=1}`{{THREE}}{{SCRIPT}}",
    "\u{202e}\u{2028}\u{2029}\u{0}\u{1b}[31m\u{e000}=1+1",
    "&lt;script&gt;hostile=1&lt;/script&gt;&#60;script>hostile=1",
];

/// A strictly increasing sequence of sample points up to `last`.
pub(crate) fn sweeps(last: u64) -> Vec<u64> {
    let mut all = vec![0];
    let mut next = 1;
    while next < last {
        all.push(next);
        next = (next + next / 16).max(next + 1);
    }
    all.push(last);
    all
}

/// One cell whose residual is `residual(k)` and whose solver stops at `last` sweeps.
pub(crate) fn cell(
    problem: &str,
    solver: &str,
    status: Status,
    last: u64,
    residual: impl Fn(f64) -> Option<f64>,
) -> CellRecord {
    let rows = 30 + 3 * problem.len();
    let samples = sweeps(last).into_iter().map(|k| {
        let value = residual(crate::analysis::count(k));
        Sample {
            sweeps: k,
            row_updates: k * rows as u64,
            values: vec![value, value.map(|v| 0.3 * v)],
        }
    });
    CellRecord {
        key: format!("{problem}/{solver}"),
        problem: ProblemLabel {
            name: problem.to_owned(),
            source: "sample".to_owned(),
            parameters: object(json!({ "n": problem.len() })),
        },
        solver: SolverLabel {
            label: solver.to_owned(),
            id: solver.split(' ').next().unwrap_or(solver).to_owned(),
            parameters: Map::new(),
            device: None,
            peer: None,
        },
        facts: ProblemFacts {
            rows,
            blocks: rows / 3,
            contacts: rows / 3,
            bodies: Some(10),
            asymmetry: None,
            energy_scale: 1.0,
        },
        outcome: Outcome {
            status,
            message: (status != Status::Solved).then(|| format!("stopped: {status}")),
            approximations: Vec::new(),
            metrics: vec!["natural_map".to_owned(), "siconos".to_owned()],
            samples: samples.collect(),
            sweeps: last,
            row_updates: last * rows as u64,
            factorizations: None,
            prepare_seconds: vec![2e-5, 2.2e-5, 1.9e-5],
            iterate_seconds: vec![1e-6 * crate::analysis::count(last); 3],
            impulse_hash: String::new(),
            limit: None,
            payload: Payload::default(),
        },
        origin: None,
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// A bundle around records.
pub(crate) fn bundle(records: Vec<CellRecord>) -> Bundle {
    Bundle {
        id: "99-example".to_owned(),
        title: "Gauss-Seidel on frozen contact problems".to_owned(),
        question: "Which ordering and relaxation reach a tolerance in the least work?".to_owned(),
        readme: Some(
            "# Question\n\nWhich is best?\n\n## Method\n\nRun *all* of them on each problem.\n\n\
             ## Finding\n\nIn table \"cells\" pgs takes 254<!-- table cells; problem = Capsules*; solver = pgs; sweeps [-] --> \
             sweeps, at 0.93<!-- figure rates; problem = Capsules*; solver = pgs; asymptotic factor per sweep [-] --> of \
             the residual per sweep, and psor 190<!-- table cells; problem = Capsules*; solver = psor omega=1.3; sweeps [-] -->.\n\n\
             | solver | solved |\n|---|---|\n| pgs | 5 |\n"
                .to_owned(),
        ),
        spec: "title = \"Gauss-Seidel\"\n\n[[problem]]\nuse = \"chain\"\nn = [2, 5, 10]\n"
            .to_owned(),
        command: "cargo run --release -- run experiments/99-example".to_owned(),
        tolerance: 1e-8,
        criteria: vec!["natural_map".to_owned(), "siconos".to_owned()],
        manifest: json!({ "commit": "0123abc", "cpu": "a CPU", "threads": 1, "versions": { "core": "0.1.0" } }),
        records,
        missing: 0,
        unstepped: Vec::new(),
        parts: known::generator_docs(),
        closed_forms: &TestClosedForms,
        contacts: BTreeMap::new(),
    }
}

/// The report of a run with a figure and a table of every kind for its experiment.
pub(crate) fn report(bundle: Bundle) -> Report {
    let over_time = bundle.is_over_time();
    Report {
        figures: figures(&bundle),
        tables: if over_time { Vec::new() } else { tables() },
        strips: Vec::new(),
        replays: BTreeMap::new(),
        references: String::new(),
        widths: Vec::new(),
        bundle,
    }
}

/// Figures of every kind for the experiment of a run.
pub(crate) fn figures(bundle: &Bundle) -> Vec<FigureSpec> {
    if bundle.is_over_time() {
        return over_time_figures();
    }
    vec![
        convergence("residual-sweeps", Work::Sweeps, true),
        convergence("residual-time", Work::Seconds, false),
        profile(),
        targets(Work::RowUpdates),
        parameter(),
    ]
}

pub(crate) fn convergence(id: &str, x: Work, log_x: bool) -> FigureSpec {
    FigureSpec {
        id: id.to_owned(),
        caption: "Residual against work.".to_owned(),
        width: Width::Page,
        plot: Plot::Convergence(Convergence {
            x,
            y: "natural_map".to_owned(),
            problems: Vec::new(),
            solvers: Vec::new(),
            log_x,
            across: Vec::new(),
            band: None,
            shade: None,
        }),
    }
}

pub(crate) fn profile() -> FigureSpec {
    FigureSpec {
        id: "profile".to_owned(),
        caption: "Performance profile.".to_owned(),
        width: Width::Page,
        plot: Plot::Profile(Profile {
            cost: Work::RowUpdates,
            metric: "natural_map".to_owned(),
            tolerances: vec![1e-4, 1e-8],
            problems: Vec::new(),
            solvers: Vec::new(),
        }),
    }
}

pub(crate) fn targets(cost: Work) -> FigureSpec {
    FigureSpec {
        id: "targets".to_owned(),
        caption: "Targets within a budget.".to_owned(),
        width: Width::Page,
        plot: Plot::Targets(Targets {
            cost,
            metric: "natural_map".to_owned(),
            between: [1e-1, 1e-12],
            per_decade: 5,
            budgets: vec![100.0],
            problems: Vec::new(),
            solvers: Vec::new(),
        }),
    }
}

pub(crate) fn parameter() -> FigureSpec {
    FigureSpec {
        id: "rates".to_owned(),
        caption: "Asymptotic rate against size.".to_owned(),
        width: Width::Page,
        plot: Plot::Parameter(Parameter {
            x: "n".to_owned(),
            y: "rate".to_owned(),
            over: Over::Last,
            generators: Vec::new(),
            problems: Vec::new(),
            schemes: Vec::new(),
            solvers: Vec::new(),
            log_x: false,
            log_y: false,
            floor: None,
        }),
    }
}

pub(crate) fn tables() -> Vec<TableSpec> {
    let table = |id: &str, show| TableSpec {
        id: id.to_owned(),
        caption: format!("The {id} table."),
        show,
    };
    vec![
        table(
            "cells",
            Show::Cells(Cells {
                metrics: vec!["natural_map".to_owned(), "siconos".to_owned()],
                over: Over::Last,
            }),
        ),
        table(
            "closed",
            Show::ClosedForms(ClosedForms {
                quantity: "rate".to_owned(),
                problems: Vec::new(),
            }),
        ),
        table("matrix", Show::Matrix(matrix())),
        table(
            "solved",
            Show::Solved(Solved {
                metric: "natural_map".to_owned(),
                tolerances: vec![1e-4, 1e-8],
                at_end: false,
                problems: Vec::new(),
                solvers: Vec::new(),
            }),
        ),
        table(
            "baseline",
            Show::Baseline(Baseline {
                file: "nowhere/baseline.csv".into(),
                solvers: vec!["NSGS-HYB".to_owned()],
                tolerances: vec![1e-4],
                best: false,
                problems: Vec::new(),
                own: Vec::new(),
            }),
        ),
    ]
}

/// Sweeps to two tolerances, for all cells.
pub(crate) fn matrix() -> Matrix {
    Matrix {
        metric: "natural_map".to_owned(),
        tolerances: vec![1e-4, 1e-8],
        of_start: false,
        problems: Vec::new(),
        solvers: Vec::new(),
    }
}

/// Geometric decay.
pub(crate) fn decay(rho: f64) -> impl Fn(f64) -> Option<f64> {
    move |k| Some(libm::pow(rho, k))
}

/// Sweeps after which `rho` to their power is below `tolerance`.
fn sweeps_to(tolerance: f64, rho: f64) -> u64 {
    let mut sweeps = 1;
    while libm::pow(rho, crate::analysis::count(sweeps)) > tolerance {
        sweeps += 1;
    }
    sweeps
}

/// Problems of different difficulty with solvers that behave like real ones: decay, plateau,
/// oscillation, divergence, an exact zero, a refusal.
pub(crate) fn realistic() -> Bundle {
    let problems = [
        ("Capsules-i125-1213", 0.93),
        ("BoxesStack1-i100000-32", 0.985),
        ("LMGC_100_PR_PerioBox-i00361-60-03000", 0.997),
        ("spheres-in-a-box-98-i10000-256-10", 0.9),
        ("CubeH8", 0.8),
        ("Rover1039", 0.6),
    ];
    let mut records = Vec::new();
    for (i, (name, rho)) in problems.into_iter().enumerate() {
        let stop = |r: f64| sweeps_to(1e-8, r);
        records.push(cell(name, "pgs", Status::Solved, stop(rho), decay(rho)));
        let oscillating = move |k: f64| {
            Some(libm::pow(rho * 0.96, k) * (1.2 + libm::sin(0.9 * k)) * (1.0 + 0.05 * k))
        };
        records.push(cell(
            name,
            "psor omega=1.3",
            Status::Solved,
            stop(rho * 0.96) + 20,
            oscillating,
        ));
        let plateau = |k: f64| Some(1.0 / (1.0 + 0.4 * k * k.sqrt()) + 2e-5);
        let (status, last) = if i < 4 {
            (Status::MaxSweeps, 10_000)
        } else {
            (Status::Stagnated, 900)
        };
        records.push(cell(name, "naive-impulses", status, last, plateau));
        let mut block = cell(
            name,
            "block-gs",
            Status::Solved,
            stop(rho * 0.9),
            decay(rho * 0.9),
        );
        if i == 2 {
            block.outcome =
                Outcome::without_samples(Status::Unsupported, "the matrix is not symmetric: 0.27");
        }
        if i == 1 {
            block = cell(name, "block-gs", Status::Diverged, 80, |k| {
                Some(libm::pow(1.6, k))
            });
        }
        records.push(block);
        let exact = |k: f64| Some(if k < 1.0 { 1.0 } else { 0.0 });
        records.push(cell(name, "dense-direct", Status::Solved, 1, exact));
    }
    bundle(records)
}

/// Rates of relaxation on chains, with the parameters of the real generator and solvers.
pub(crate) fn chains() -> Bundle {
    let mut records = Vec::new();
    for n in [2u64, 3, 5, 7, 10, 15, 20, 30, 50] {
        let half = core::f64::consts::PI / (2.0 * crate::analysis::count(n));
        let mu2 = libm::cos(half) * libm::cos(half);
        let optimal = 2.0 / (1.0 + libm::sin(half));
        for (label, id, parameters, rate) in [
            ("pgs", "pgs", json!({}), mu2),
            (
                "psor omega=optimal",
                "psor",
                json!({ "omega": optimal }),
                optimal - 1.0,
            ),
            (
                "pgs order=simultaneous",
                "pgs",
                json!({ "order": "simultaneous" }),
                mu2.sqrt(),
            ),
        ] {
            let last = sweeps_to(1e-140, rate);
            let mut record = cell(
                &format!("chain n={n}"),
                label,
                Status::Solved,
                last,
                decay(rate),
            );
            record.problem.parameters.insert("n".to_owned(), json!(n));
            record.problem.source = "chain".to_owned();
            record.solver.id = id.to_owned();
            record.solver.parameters = object(parameters);
            records.push(record);
        }
    }
    let mut bundle = bundle(records);
    bundle.tolerance = 1e-140;
    bundle
}

/// Panics unless `text` is XML with balanced tags, quoted attributes and known entities.
pub(crate) fn assert_well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        assert!(
            !rest[..start].contains('>'),
            "stray > before {:.60}",
            &rest[start..]
        );
        assert_entities(&rest[..start]);
        let end = start + tag_end(&rest[start..]);
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.trim()), "wrong closing tag");
        } else {
            assert!(!tag.contains('<'), "< inside a tag: {tag}");
            assert_eq!(tag.matches('"').count() % 2, 0, "odd quotes: {tag}");
            if !tag.ends_with('/') {
                open.push(tag.split_whitespace().next().unwrap_or_default());
            }
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    assert!(!text.contains("NaN") && !text.contains("inf,") && !text.contains(",inf"));
    let control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    assert!(!text.contains(control), "control characters");
}

/// End of a tag, past quoted attributes.
fn tag_end(text: &str) -> usize {
    let mut quoted = false;
    let ends = text.char_indices().find(|(_, c)| {
        if *c == '"' {
            quoted = !quoted;
        }
        *c == '>' && !quoted
    });
    ends.expect("a tag is not closed").0
}

fn assert_entities(text: &str) {
    for piece in text.split('&').skip(1) {
        let name = piece.split(';').next().unwrap_or_default();
        let known = ["lt", "gt", "amp", "quot", "apos", "#39"];
        assert!(known.contains(&name), "unknown entity {name:.20}");
    }
}
