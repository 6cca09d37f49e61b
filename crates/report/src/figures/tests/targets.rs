//! Shares of (problem, target) pairs, and levels that no method passes.

use super::*;
use crate::figures::chart::CurveEnd;
use crate::tables::to_csv;

/// Three unrelated methods that stop at 1e-7 on the first of two problems, and one that goes on.
fn walled() -> Bundle {
    let stops = |k: f64| Some(libm::pow(0.9, k) + 1e-7);
    let names = ["pgs", "apgd", "ipm"];
    let mut cells: Vec<_> = names
        .map(|name| cell("first", name, Status::MaxSweeps, 400, stops))
        .to_vec();
    cells.push(cell("second", "pgs", Status::Solved, 300, decay(0.9)));
    bundle(cells)
}

#[test]
fn curves_end_where_no_target_is_reached_any_more() {
    let run = bundle(vec![
        cell("p", "good", Status::Solved, 60, decay(0.6)),
        cell("p", "bad", Status::MaxSweeps, 10, decay(0.6)),
    ]);
    let spec = targets(Work::Sweeps);
    let chart = chart(&run, &spec);
    let curves = &chart.panels[0].curves;
    // 0.6^60 = 4.9e-14 is below every target, 0.6^10 = 6.0e-3 below the first six of 56
    assert_eq!(curves[0].end, CurveEnd::Filled);
    assert_eq!(curves[0].points.last().map(|p| p.1), Some(1.0));
    assert_eq!(curves[1].end, CurveEnd::Hollow);
    assert_eq!(curves[1].points.last().map(|p| p.1), Some(7.0 / 56.0));
    assert_eq!(chart.legend[1].text, "bad (49 of 56 not reached)");
    // shares only grow, and the best of them is nowhere below one of them
    for curve in curves {
        let grows = |pair: &[(f64, f64)]| pair[1].1 >= pair[0].1 && pair[1].0 >= pair[0].0;
        assert!(curve.points.windows(2).all(grows), "{}", curve.name);
    }
    assert!(chart.panels[0].walls.is_empty());
    let svg = drawn(&run, &spec);
    for text in [
        "1 × 56 pairs",
        "10⁻¹ to 10⁻¹²",
        "best of them: 0 not reached",
        // notes are broken into lines
        "tolerance is 10⁻⁸",
        "sweeps<",
    ] {
        assert!(svg.contains(text), "{text}\n{svg}");
    }
    let csv = to_csv(&data(&run, &spec));
    let bad = csv.lines().find(|line| line.starts_with("bad,")).unwrap();
    // pairs, reached, not reached, their share; no budget for a quarter; all within 100 sweeps
    assert_eq!(bad, "bad,56,7,49,0.125,–,–,–,0.125");
    let good = csv.lines().find(|line| line.starts_with("good,")).unwrap();
    // the 14th target, 10^(-1-13/5), takes ⌈8.29/0.5108⌉ = 17 sweeps
    assert!(good.starts_with("good,56,56,0,1.0,17,"), "{good}");
}

#[test]
fn targets_behind_a_wall_are_nobodys() {
    let run = walled();
    let chart = chart(&run, &targets(Work::RowUpdates));
    // 10^(-1-30/5) = 1e-7 is not above the wall; 26 of 56 targets of the first problem lie below it
    let walls = &chart.panels[0].walls;
    assert_eq!(walls.as_slice(), [(112.0 - 26.0) / 112.0]);
    let svg = drawn(&run, &targets(Work::RowUpdates));
    assert!(
        svg.contains("26 pairs above this line are below the floor of rounding"),
        "{svg}"
    );
    assert!(svg.contains("stroke-dasharray=\"80 20\""));
    // everybody who reaches the rest of the first problem is done there
    assert!(svg.contains("apgd (56 of 86 not reached)"), "{svg}");
}

#[test]
fn a_residual_that_unrelated_methods_stop_at_has_a_line() {
    let run = walled();
    let spec = convergence("a", Work::Sweeps, false);
    let chart = chart(&run, &spec);
    let walls: Vec<usize> = chart.panels.iter().map(|panel| panel.walls.len()).collect();
    assert_eq!(walls, [1, 0]);
    let svg = drawn(&run, &spec);
    assert!(
        svg.contains("floor of rounding: unrelated solvers stop there"),
        "{svg}"
    );
    assert!(!drawn(&realistic(), &spec).contains("stroke-dasharray=\"80 20\""));
    // a profile at tolerances on both sides of it says so of the problem
    let svg = drawn(&run, &profile());
    assert!(
        svg.contains("10⁻⁸ is below the floor of rounding of 1 of 2 problems (first)"),
        "{svg}"
    );
}

#[test]
fn targets_that_cannot_be_meant_are_refused() {
    let measured = ["natural_map".to_owned()];
    let columns = crate::columns::Columns {
        kind: crate::view::Kind::Solves,
        measured: &measured,
        known: |_| true,
        problems: Vec::new(),
        schemes: Vec::new(),
        solvers: Vec::new(),
        has_budget: false,
        has_worlds: false,
    };
    type Change = fn(&mut Targets);
    let changes: [(Change, &str); 5] = [
        (|t| t.between = [1e-3, 1e-1], "a smaller last one"),
        (|t| t.between = [1.0, 0.0], "both > 0"),
        (|t| t.per_decade = 0, "per_decade must be > 0"),
        (|t| t.per_decade = 1000, "1000 targets at most"),
        (|t| t.budgets = vec![-1.0], "found -1"),
    ];
    for (change, part) in changes {
        let mut spec = targets(Work::Sweeps);
        let Plot::Targets(own) = &mut spec.plot else {
            panic!("targets");
        };
        change(own);
        let message = spec.plot.check(&columns).unwrap_err().message;
        assert!(message.contains(part), "{message}");
    }
}
