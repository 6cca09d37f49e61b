//! The experiments of the project: their specs are valid, and their measured numbers are those of
//! the closed forms.

use std::path::{Path, PathBuf};

use delassus_records::record::CellRecord;
use delassus_registry::Registry;
use delassus_report::analysis::{RATE, measured};
use delassus_report::bundle::Bundle;
use delassus_report::figures::draw;
use delassus_report::report::Report;
use delassus_runner::matrix::{self, MatrixCell};
use delassus_runner::spec::{self, Plan};

use crate::support::results_of;

/// Runs a spec into a temporary folder and reads the results back.
fn run_of(spec: &Path) -> Report {
    let out = tempfile::tempdir().expect("a temporary folder");
    results_of(spec, out.path(), 2)
}

/// The closed form of a quantity of a cell.
fn closed_form(bundle: &Bundle, record: &CellRecord, quantity: &str) -> Option<f64> {
    let known = bundle.closed_forms;
    known.of_quantity(&record.problem, &record.solver, quantity)
}

fn experiments() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments")
}

#[test]
fn every_experiment_can_be_planned_and_is_explained() {
    let mut count = 0;
    for entry in std::fs::read_dir(experiments()).expect("the experiments") {
        let folder = entry.expect("an entry").path();
        let registry = Registry::standard().with_commands();
        let spec = spec::read(&folder, &registry).and_then(|s| matrix::expand(s, &registry));
        let planned = spec.unwrap_or_else(|error| panic!("{error}"));
        assert!(!planned.cells.is_empty());
        let readme = std::fs::read_to_string(folder.join("README.md")).expect("a README");
        for part in ["## Question", "## Method", "## Finding"] {
            assert!(readme.contains(part), "{}: {part}", folder.display());
        }
        count += 1;
    }
    assert!(count >= 3, "{count} experiments");
}

/// The cells of the first spec below a heading of docs/spec.md.
fn cells_below(heading: &str) -> Vec<MatrixCell> {
    let page = experiments().join("../docs/spec.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let (_, below) = page.split_once(heading).expect("the heading");
    let (_, block) = below.split_once("```toml\n").expect("a block");
    let (text, _) = block.split_once("```").expect("its end");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("experiment.toml");
    std::fs::write(&path, text).expect("a spec");
    let registry = Registry::standard();
    let planned = spec::read(&path, &registry).and_then(|s| matrix::expand(s, &registry));
    planned.unwrap_or_else(|error| panic!("{error}")).cells
}

#[test]
fn the_documented_specs_over_time_are_valid() {
    let cells = cells_below("## Example: stepping scenes");
    // three ratios with: 3 × 2 configurations and 3 solvers, the control with one, xpbd with none
    assert_eq!(cells.len(), 3 * (6 * 3 + 1 + 1));
    assert!(cells.iter().all(|cell| cell.skip.is_none()));
    let cells = cells_below("### `budget`");
    assert_eq!(cells.len(), 2 * 3);
    assert!(cells.iter().all(|cell| cell.skip.is_none()));
}

/// Asserts that every measured rate agrees with its closed form to three digits; returns how many
/// there were.
///
/// Half a unit of the third digit is 5e-4 relative at worst. The fits are much better, except where
/// the largest eigenvalues are complex and the residual oscillates about its envelope: 1.0e-4 was
/// the largest difference.
fn assert_rates(bundle: &Bundle, wanted: impl Fn(&str) -> bool) -> usize {
    let mut count = 0;
    for record in bundle.records.iter().filter(|r| wanted(&r.problem.name)) {
        let cell = format!("{}, {}", record.problem.name, record.solver.label);
        let exact = closed_form(bundle, record, RATE);
        let exact = exact.unwrap_or_else(|| panic!("{cell}: no closed form"));
        let rate = measured(record, RATE).unwrap_or_else(|| panic!("{cell}: no rate"));
        assert!(
            (rate - exact).abs() <= 5e-4 * exact,
            "{cell}: {rate}, exact {exact}"
        );
        count += 1;
    }
    count
}

#[test]
fn chain_rates_agree_with_the_closed_forms_to_three_digits() {
    let bundle = run_of(&experiments().join("01-chain-rates")).bundle;
    let rates = assert_rates(&bundle, |name| !name.starts_with("hanging"));
    // 6 lengths and 10 mass ratios with 5 solvers
    assert_eq!(rates, 80);
}

#[test]
fn rates_against_the_relaxation_are_drawn_with_their_closed_form() {
    let Report {
        bundle, figures, ..
    } = run_of(&experiments().join("01-chain-rates/omega.toml"));
    // 3 lengths and 17 values of ω
    assert_eq!(assert_rates(&bundle, |_| true), 51);
    let svg = draw(&bundle, &figures, &figures[0]).expect("a figure");
    // one series with a panel per length, and a label that says what ω is
    for text in [
        ">psor<",
        ">chain, n = 5<",
        ">chain, n = 20<",
        ">closed form<",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(svg.contains(">omega: relaxation factor<"));
    assert_eq!(svg.matches("<title>psor: closed form</title>").count(), 3);
}

#[test]
fn the_optimal_relaxation_of_every_length_has_its_closed_form_too() {
    // at ω* the iteration matrix is defective: the residual falls like k ρᵏ
    for n in [2u32, 5, 10, 50] {
        let sine = libm::sin(std::f64::consts::PI / (2.0 * f64::from(n)));
        let omega = 2.0 / (1.0 + sine);
        let text = format!(
            "title = \"ω*\"\n[[problem]]\nuse = \"chain\"\nn = {n}\ngravity = 0.0\nas_matrix = true\n\
             start = \"ones\"\n[[solver]]\nuse = \"psor\"\nomega = {omega}\n[stop]\ntolerance = 1e-140\n\
             metrics = [\"natural_map\"]\nmax_sweeps = 1000000\n[measure]\nsamples = {{ geometric = 1.002 }}\n"
        );
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("spec.toml");
        std::fs::write(&path, text).expect("a spec");
        let bundle = run_of(&path).bundle;
        assert_eq!(assert_rates(&bundle, |_| true), 1);
        let exact = closed_form(&bundle, &bundle.records[0], RATE).expect("a closed form");
        // (G.18): ω* − 1, up to the square root of the rounding of ω
        assert!((exact - (omega - 1.0)).abs() < 1e-6, "n = {n}: {exact}");
    }
}

#[test]
fn the_falling_box_keeps_the_velocity_of_its_closed_form() {
    let bundle = run_of(&experiments().join("00-falling-box")).bundle;
    let mut bounced = 0;
    for record in &bundle.records {
        let exact = closed_form(&bundle, record, "v[1].y").expect("a closed form");
        let velocity = measured(record, "v[1].y").expect("a velocity");
        // accumulated clamping stops at a residual of 1e-12, incremental clamping at the exact
        // answer
        assert!(
            (velocity - exact).abs() < 2e-12,
            "{}: {velocity}, exact {exact}",
            record.problem.name
        );
        bounced += usize::from(exact > 0.01);
    }
    // 1.5 to 3 in steps of a quarter are taller than √2
    assert_eq!(bounced, 7);
}

#[test]
fn the_documented_spec_is_valid() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/spec.md")).expect("the page");
    let block = |index: usize| {
        let block = page.split("```toml\n").nth(index).expect("a block");
        block.split("```").next().expect("its end")
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = root.join("data/chain-10.dls");
    std::fs::copy(data, folder.path().join("chain-10.dls")).expect("a copy");
    let path = folder.path().join("experiment.toml");
    let other = block(1).replace("reference = \"stored\"", "# no reference here") + block(2);
    let registry = Registry::standard();
    for text in [block(1).to_owned(), other] {
        assert!(text.contains("reference"));
        std::fs::write(&path, text).expect("a spec");
        let spec = spec::read(&path, &registry).unwrap_or_else(|error| panic!("{error}"));
        let refers = matches!(&spec.plan, Plan::Solve(plan) if plan.reference.is_some());
        assert!(refers);
        let planned = matrix::expand(spec, &registry).unwrap_or_else(|error| panic!("{error}"));
        // four piles and one file, with three solvers
        assert_eq!(planned.cells.len(), 15);
        assert_eq!(planned.experiment.names()[1], "pile n=2 friction=0.6");
    }
}
