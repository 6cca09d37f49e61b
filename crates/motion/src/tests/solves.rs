//! How the solves of a run ended.

use super::*;

const COLUMNS: [&str; 6] = [
    "solve_sweeps",
    "solve_residual",
    "stopped_by_tolerance",
    "stopped_by_limit",
    "stopped_by_solver",
    "stopped_by_count",
];

fn last(run: &ObservedRun) -> Vec<Option<f64>> {
    run.samples.last().unwrap().values.clone()
}

fn simulated(scheme: &str, parameters: Value, every: u32) -> ObservedRun {
    let world = block(ContactLaw::Coulomb).build().unwrap();
    let simulation = Simulation {
        world: &world,
        scheme: &|| Ok(make(scheme, parameters.clone(), "block-gs")),
        legs: &[Leg { dt: DT, frames: 20 }],
        every,
        observables: &observables(&COLUMNS),
        repetitions: 1,
        max_seconds: None,
    };
    simulate(&simulation, &AtomicBool::new(false))
}

#[test]
fn solves_to_a_tolerance_have_their_sweeps_and_residuals_in_columns() {
    let parameters = json!({ "tolerance": 1e-6, "max_sweeps": 500 });
    let fine = simulated("tgs-soft", parameters.clone(), 1);
    assert_eq!(fine.samples[0].values, [None; 6]);
    let mut most = [0.0_f64; 2];
    for column in [0, 1] {
        let values = fine.samples[1..].iter().map(|s| s.values[column].unwrap());
        most[column] = values.fold(0.0, f64::max);
    }
    assert!(most[0] >= 1.0 && most[0] <= 500.0 && most[1] <= 1e-6);
    // two solves in each of four substeps
    assert_eq!(
        last(&fine)[2..],
        [Some(160.0), Some(0.0), Some(0.0), Some(0.0)]
    );
    // a coarse record keeps the largest of the frames between its samples
    let coarse = simulated("tgs-soft", parameters, 20);
    assert_eq!(last(&coarse)[..2], most.map(Some));
    assert_eq!(last(&coarse)[2..], last(&fine)[2..]);
    assert_eq!(
        (coarse.sweeps, &coarse.state_hash),
        (fine.sweeps, &fine.state_hash)
    );
}

#[test]
fn a_limit_shows_and_a_count_is_judged_where_somebody_asks() {
    let limited = last(&simulated(
        "tgs-soft",
        json!({ "tolerance": 1e-14, "max_sweeps": 2 }),
        1,
    ));
    assert_eq!(limited[0], Some(2.0));
    assert!(limited[1].unwrap() > 1e-14);
    assert!(limited[3].unwrap() > 0.0);
    assert_eq!(limited[2].unwrap() + limited[3].unwrap(), 160.0);
    let counted = simulated("tgs-soft", json!({}), 1);
    assert_eq!(last(&counted)[0], Some(1.0));
    assert_eq!(
        last(&counted)[2..],
        [Some(0.0), Some(0.0), Some(0.0), Some(160.0)]
    );
    // the last solves of the frame are among those that were judged
    let world = block(ContactLaw::Coulomb).build().unwrap();
    let scheme = || Ok(make("tgs-soft", json!({}), "block-gs"));
    let names = ["solve_residual", "natural_map", "relaxed_natural_map"];
    let judged = run(&world, &scheme, &names, 20);
    assert_eq!(judged.state_hash, counted.state_hash);
    for (sample, same) in judged.samples[1..].iter().zip(&counted.samples[1..]) {
        let [worst, biased, relaxed] = [0, 1, 2].map(|k| sample.values[k].unwrap());
        assert!(worst >= biased.max(relaxed));
        assert_eq!(same.values[1], Some(worst));
    }
}

#[test]
fn schemes_without_frozen_problems_say_that_they_have_no_such_column() {
    let world = pendulum().build().unwrap();
    let scheme = || {
        let entry = delassus_dynamics::scheme("xpbd").unwrap();
        Ok(entry.build_with(&Map::new(), None).unwrap())
    };
    let asked = run(
        &world,
        &scheme,
        &["solve_sweeps", "kinetic", "stopped_by_limit"],
        3,
    );
    assert_eq!(asked.status, Status::Solved);
    let lacks = "xpbd solves no frozen problems and has no solve_sweeps, stopped_by_limit; ask for them where a scheme is \
                 given a solver";
    assert_eq!(asked.message.as_deref(), Some(lacks));
    let values = last(&asked);
    assert!(values[0].is_none() && values[1].is_some() && values[2].is_none());
    assert_eq!(run(&world, &scheme, &["kinetic"], 3).message, None);
}

#[test]
fn unsolved_solves_and_repeated_steps_have_columns_and_a_refusal_is_a_status() {
    let world = block(ContactLaw::Coulomb).build().unwrap();
    let starved = |policy: &str, sweeps: u32, tolerance: f64| {
        let parameters = json!({
            "tolerance": tolerance,
            "max_sweeps": sweeps,
            "on_unsolved": policy,
            "max_halvings": 1,
        });
        let scheme = || Ok(make("pgs-baumgarte", parameters.clone(), "block-gs"));
        let names = ["unsolved_solves", "repeated_steps", "stopped_by_limit"];
        run(&world, &scheme, &names, 4)
    };
    // no solve is good enough: each frame is given up once, and both halves apply what they have
    let halved = starved("halve", 1, 1e-15);
    assert_eq!(halved.status, Status::Solved);
    assert_eq!(last(&halved), [12.0, 4.0, 8.0].map(Some));
    assert_eq!(last(&starved("hold", 1, 1e-15)), [4.0, 0.0, 4.0].map(Some));
    let refused = starved("refuse", 1, 1e-15);
    assert_eq!(refused.status, Status::MaxSweeps);
    let message = refused.message.unwrap();
    assert!(message.starts_with("frame 0, "), "{message}");
    assert!(message.contains("on_unsolved"), "{message}");
    assert_eq!(starved("refuse", 500, 1e-3).status, Status::Solved);
}
