//! Numbers of the trace of a solve: changes of the active set, spreads over orders, several
//! references.

use std::path::Path;

use delassus_core::Status;
use delassus_records::record::CellRecord;
use delassus_report::analysis::measured;

use crate::support::bundle_of;

/// A stack of boxes, whose faces have redundant contacts, with these lines of `[measure]` and of
/// the problem.
fn stack(solver: &str, measure: &str) -> CellRecord {
    let text = format!(
        "title = \"T\"\nreference = \"stored\"\n[[problem]]\nuse = \"stack\"\nn = 3\nfriction = 0.5\n[[solver]]\n{solver}\n\
         [stop]\ntolerance = 1e-9\nmax_sweeps = 20000\nmetrics = [\"natural_map\"]\n[measure]\n{measure}\n"
    );
    let mut records = bundle_of(&text, 1).records;
    assert_eq!(records.len(), 1);
    records.remove(0)
}

fn of(record: &CellRecord, quantity: &str) -> f64 {
    measured(record, quantity).unwrap_or_else(|| panic!("no {quantity}"))
}

#[test]
fn the_active_set_does_not_depend_on_the_samples() {
    let metrics = "metrics = [\"natural_map\", \"state_changes\"]";
    let solver = "use = \"pgs\"";
    let fine = stack(solver, &format!("{metrics}\nsamples = \"every\""));
    assert_eq!(fine.outcome.status, Status::Solved);
    let changes = of(&fine, "active_set_changes");
    let sweep = of(&fine, "active_set_sweep");
    assert!(changes >= 1.0 && sweep >= 1.0, "{changes} {sweep}");
    // before the first sweep there is nothing that could have changed
    assert_eq!(fine.outcome.first("state_changes"), Some(0.0));
    let coarse = stack(solver, &format!("{metrics}\nsamples = {{ every = 7 }}"));
    assert_eq!(of(&coarse, "active_set_changes"), changes);
    let later = of(&coarse, "active_set_sweep");
    assert!((sweep..sweep + 7.0).contains(&later), "{sweep} {later}");
    // nobody asked: the same solve, and no column
    let bare = stack(solver, "metrics = [\"natural_map\"]\nsamples = \"every\"");
    assert_eq!(bare.outcome.column("state_changes"), None);
    assert_eq!(bare.outcome.impulse_hash, fine.outcome.impulse_hash);
    assert_eq!(measured(&bare, "active_set_changes"), None);
    assert!(of(&bare, "violations") < 20_000.0);
    assert_eq!(measured(&bare, "plateau"), None);
}

#[test]
fn redundant_impulses_spread_over_the_orders_and_velocities_do_not() {
    let metrics = "metrics = [\"natural_map\", \"impulse_spread\", \"velocity_spread\", \"velocity_error\"]\norders = 5";
    let spread = stack("use = \"pgs\"", metrics);
    assert_eq!(spread.outcome.message, None);
    let (impulses, velocities) = (
        of(&spread, "impulse_spread"),
        of(&spread, "velocity_spread"),
    );
    assert!(impulses > 1e-3, "{impulses}");
    assert!(velocities < 1e-6, "{velocities}");
    // of the end alone
    assert_eq!(spread.outcome.first("impulse_spread"), None);
    // cold, the whole velocity is missing
    assert!((of(&spread, "warm_start") - 1.0).abs() < 1e-12);
    // the shortest impulses are the same in every order
    let least = stack(
        "use = \"dense-pgs\"",
        &metrics.replace("orders = 5", "orders = 2"),
    );
    assert!(of(&least, "velocity_spread") < 1e-6);
}

#[test]
fn the_rank_of_the_rows_is_that_of_the_motions_that_they_stop() {
    let asked = "metrics = [\"natural_map\", \"rank\", \"condition\"]";
    let record = stack("use = \"pgs\"", asked);
    // four points of three rows under each of three boxes, which have six freedoms each
    assert_eq!((record.facts.rows, of(&record, "rank")), (36, 18.0));
    let condition = of(&record, "condition");
    assert!(condition > 1.0 && condition < 1e6, "{condition}");
    // of the problem, and told once
    assert_eq!(record.outcome.first("rank"), None);
    let other = stack("use = \"block-gs\"", asked);
    assert_eq!(of(&other, "condition").to_bits(), condition.to_bits());
}

#[test]
fn problems_of_too_many_rows_have_no_rank() {
    let text = "title = \"T\"\n[[problem]]\nuse = \"chain\"\nn = 1001\n[[solver]]\nuse = \"pgs\"\n\
                [stop]\ntolerance = 1e-1\nmax_sweeps = 2\n[measure]\nmetrics = [\"natural_map\", \"rank\"]\n";
    let record = bundle_of(text, 1).records.remove(0);
    let message = record.outcome.message.clone().unwrap_or_default();
    assert!(
        message.contains("no rank: 1001 rows are more than the 1000"),
        "{message}"
    );
    assert_eq!(measured(&record, "rank"), None);
}

#[test]
fn an_order_that_is_not_solved_leaves_no_spread() {
    // so few sweeps that only the problem's own order, bottom up, ends in time
    let own = stack("use = \"pgs\"", "metrics = [\"natural_map\"]");
    let text = format!(
        "title = \"T\"\n[[problem]]\nuse = \"stack\"\nn = 3\nfriction = 0.5\n[[solver]]\nuse = \"pgs\"\n\
         [stop]\ntolerance = 1e-9\nmax_sweeps = {}\nmetrics = [\"natural_map\"]\n[measure]\nmetrics = [\"impulse_spread\"]\n",
        own.outcome.sweeps
    );
    let records = bundle_of(&text, 1).records;
    let outcome = &records[0].outcome;
    assert_eq!(outcome.status, Status::Solved);
    let message = outcome.message.as_deref().unwrap_or_default();
    let (none, said) = (
        measured(&records[0], "impulse_spread"),
        message.contains("no spread: order"),
    );
    assert_eq!((none, said), (None, true), "{message}");
}

#[test]
fn every_solution_of_a_reference_counts() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/painleve-three.dls");
    let text = format!(
        "title = \"T\"\n[[problem]]\nfiles = [\"{}\"]\nname = \"three\"\n[[solver]]\nuse = \"block-gs\"\n[[solver]]\nuse = \"enumeration\"\n\
         [stop]\ntolerance = 1e-10\nmax_sweeps = 10000\nmetrics = [\"natural_map\"]\n\
         [measure]\nmetrics = [\"velocity_error\", \"reference_distance\", \"impulse_error\", \"range_error\", \"wrench_error\", \"ulp_distance\"]\n\
         [reference]\nsolver = \"enumeration\"\n",
        data.display()
    );
    let records = bundle_of(&text, 1).records;
    for record in &records {
        let source = record.outcome.reference().unwrap_or_default();
        assert!(source.contains("; 3 solutions, at least "), "{source}");
        let apart = of(record, "reference_distance");
        assert!(apart > 1e-3, "{apart}");
        // whichever of the three a method finds, it is a solution
        if record.outcome.status == Status::Solved {
            assert!(
                of(record, "velocity_error") < 1e-6,
                "{}",
                record.solver.label
            );
            assert!(of(record, "range_error") <= of(record, "impulse_error"));
        }
    }
    let exact = records
        .iter()
        .find(|r| r.solver.id == "enumeration")
        .expect("a record");
    assert_eq!(
        (of(exact, "ulp_distance"), of(exact, "velocity_error")),
        (0.0, 0.0)
    );
}

/// A block that slides on level ground from contact, in one step: Coulomb's law leaves u = v − μgh
/// of its speed, the convex cone u/(1 + μ²) and lifts it by μ times that. Over the change of
/// velocity by Coulomb's law, gh √(1 + μ²), the two are u μ / (gh (1 + μ²)) apart.
#[test]
fn an_exact_answer_of_another_law_is_off_by_the_error_of_the_model() {
    let text = "title = \"T\"\n[[problem]]\nuse = \"stack\"\nn = 1\nfriction = 0.5\nspeed = 1.0\ndt = 0.01\n\
                law = [\"coulomb\", \"convex-cone\"]\nreference_law = \"coulomb\"\n[[solver]]\nuse = \"block-gs\"\n\
                [stop]\ntolerance = 1e-12\nmax_sweeps = 100000\nmetrics = [\"natural_map\"]\n\
                [measure]\nmetrics = [\"velocity_error\"]\n[reference]\nsolver = \"alart-curnier\"\n";
    let records = bundle_of(text, 1).records;
    let (mu, gh) = (0.5, 9.81 * 0.01);
    let model = (1.0 - mu * gh) * mu / (gh * (1.0 + mu * mu));
    for (record, expected) in records.iter().zip([0.0, model]) {
        assert_eq!(record.outcome.status, Status::Solved);
        let error = of(record, "velocity_error");
        assert!(
            (error - expected).abs() < 1e-9,
            "{}: {error}, exact {expected}",
            record.problem.name
        );
    }
}
