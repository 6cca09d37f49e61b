//! Figures of solves and timings over parameters.

use super::*;
use crate::view::{Over, Work};

/// Chains with relaxation: lengths × ω, of which one cell was not solved.
fn relaxed() -> Bundle {
    let mut records = Vec::new();
    for n in [2u64, 5, 10] {
        for omega in [1.0, 1.5] {
            let label = format!("psor ω={omega}");
            let rho = 1.0 - omega / (10.0 * crate::analysis::count(n));
            let last = 40 * n;
            let name = format!("chain n={n}");
            let mut record = cell(&name, &label, Status::Solved, last, decay(rho));
            record.problem.source = "chain".to_owned();
            record.problem.parameters.insert("n".to_owned(), n.into());
            let omega = ("omega".to_owned(), omega.into());
            record.solver.parameters = [omega].into_iter().collect();
            records.push(record);
        }
    }
    records[5].outcome.status = Status::MaxSweeps;
    bundle(records)
}

fn figure(plot: Plot) -> FigureSpec {
    FigureSpec {
        id: "f".to_owned(),
        caption: String::new(),
        width: Width::Page,
        plot,
    }
}

fn map(value: &str) -> Heat {
    Heat {
        x: "n".to_owned(),
        y: "solver.omega".to_owned(),
        value: value.to_owned(),
        over: Over::Last,
        scenes: Vec::new(),
        schemes: Vec::new(),
        solvers: Vec::new(),
        log_x: false,
        log_y: false,
        log_value: false,
    }
}

#[test]
fn a_map_of_solves_shows_rates_residuals_and_work_over_lengths_and_relaxation() {
    let run = relaxed();
    for (value, label) in [
        ("rate", "asymptotic factor per sweep"),
        ("natural_map", "natural map"),
        ("sweeps", "sweeps to the tolerance"),
        ("seconds", "time to the tolerance [s]"),
    ] {
        let spec = figure(Plot::Heat(map(value)));
        let drawing = drawn(&run, &spec);
        // all cells are of one problem and one solver, but for the parameters of the axes: one
        // panel
        assert_eq!(drawing.matches("<title>n = ").count(), 6, "{value}");
        assert!(drawing.contains(label), "{value}: {drawing}");
        assert_eq!(chart(&run, &spec).panels.len(), 1, "{value}");
        assert_eq!(spec.plot.shows_times(), value == "seconds");
        // what was not solved has a residual and a rate, and no work to the tolerance
        let open = chart(&run, &spec).panels[0].tiles[5].color.is_none();
        assert_eq!(open, ["sweeps", "seconds"].contains(&value), "{value}");
        assert_eq!(drawing.contains(">not solved<"), open);
    }
    let table = data(&run, &figure(Plot::Heat(map("sweeps"))));
    let heads: Vec<&str> = table.columns.iter().map(|c| c.title.as_str()).collect();
    let work = "sweeps to the tolerance [-]";
    let expected = ["problem", "solver", "status", "n", "solver.omega", work];
    assert_eq!(
        (heads, table.sections[0].rows.len()),
        (expected.to_vec(), 6)
    );
}

#[test]
fn a_map_of_timings_shows_what_a_sweep_costs() {
    let mut run = relaxed();
    for record in &mut run.records {
        record.outcome.payload = crate::record::Payload::Time(crate::record::Timing {
            short_sweeps: 1,
            short_seconds: vec![1e-6; 3],
            read_bytes: None,
            written_bytes: None,
            gathered_bytes: None,
            working_set: None,
        });
    }
    let spec = figure(Plot::Heat(map("ns_per_row")));
    let drawing = drawn(&run, &spec);
    assert!(
        drawing.contains("time per row and sweep [ns]") && drawing.contains(">without a value<")
    );
    assert!(spec.plot.shows_times());
}

#[test]
fn work_and_precision_of_solves_are_joined_along_a_parameter_of_solvers_or_problems() {
    let run = relaxed();
    let plot = |along: &[&str]| {
        figure(Plot::WorkPrecision(WorkPrecision {
            x: Work::Sweeps,
            y: "natural_map".to_owned(),
            over: Over::Last,
            along: along.iter().map(|name| (*name).to_owned()).collect(),
            scenes: Vec::new(),
            schemes: Vec::new(),
            solvers: Vec::new(),
            floor: None,
        }))
    };
    let sizes = |along: &[&str]| {
        let chart = chart(&run, &plot(along));
        (chart.panels.len(), chart.panels[0].curves.len())
    };
    assert_eq!(sizes(&[]), (3, 2));
    assert_eq!(sizes(&["solver.omega"]), (3, 1));
    assert_eq!(sizes(&["n"]), (1, 2));
    assert_eq!(sizes(&["n", "solver.omega"]), (1, 1));
    let svg = drawn(&run, &plot(&["solver.omega"]));
    assert!(svg.contains(">sweeps<") && svg.contains("lines join runs along omega"));
    assert!(
        svg.contains(">chain, n = 10<") && svg.contains(">psor<"),
        "{svg}"
    );
}

#[test]
fn work_to_the_tolerance_stands_against_a_parameter() {
    let mut spec = parameter();
    if let Plot::Parameter(plot) = &mut spec.plot {
        plot.y = "row_updates".to_owned();
    }
    let svg = drawn(&relaxed(), &spec);
    assert!(svg.contains(">row updates to the tolerance<"));
    assert!(
        svg.contains(">psor, ω = 1.5 (1 of 3 without a value)<"),
        "{svg}"
    );
}
