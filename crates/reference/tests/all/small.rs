//! Problems whose verdict is known beforehand.

use std::sync::atomic::AtomicBool;

use delassus_core::{Law, MassProperties, Problem, ProblemBuilder};
use delassus_reference::{
    Basis, NoReference, ReferenceOptions, ReferenceSearch, Uniqueness, certify,
};
use delassus_registry::Registry;
use nalgebra::Vector3;

fn verdict(problem: &Problem, options: ReferenceOptions) -> ReferenceSearch {
    let cancel = AtomicBool::new(false);
    certify(problem, &Registry::standard(), options, &cancel)
}

/// A mass of 2 kg at 1 m/s, with one row along its motion per given law and target velocity.
fn rows(laws: &[(Law, f64)]) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
    let body = builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    let along = [[[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]];
    let first: Vec<usize> = laws
        .iter()
        .map(|(law, _)| builder.block(law.clone(), &[body], &along))
        .collect();
    let mut problem = builder.build().expect("valid");
    assert_eq!(first.len(), problem.rows());
    let bias: Vec<f64> = laws.iter().map(|(_, bias)| *bias).collect();
    problem.set_bias(&bias).expect("finite");
    problem
}

#[test]
fn two_families_agree_on_a_stop() {
    let problem = rows(&[(Law::UNILATERAL, 0.0), (Law::UNILATERAL, 0.0)]);
    let found = verdict(&problem, ReferenceOptions::default())
        .reference
        .unwrap();
    assert_eq!(found.uniqueness, Uniqueness::Convex);
    let [only] = found.solutions.as_slice() else {
        panic!("{} solutions", found.solutions.len());
    };
    assert_eq!(only.basis, Basis::TwoFamilies);
    assert!(only.methods.len() >= 2);
    // the impulses of the two rows are open, their sum and the velocity are not
    assert!((only.impulses.iter().sum::<f64>() - 2.0).abs() < 1e-14);
    assert!(only.velocities.iter().all(|v| v.abs() < 1e-14));
}

#[test]
fn contradictory_rows_have_no_reference() {
    let problem = rows(&[(Law::Equality, 0.0), (Law::Equality, 1.0)]);
    let verdict = verdict(&problem, ReferenceOptions::default());
    let reason = verdict.reference.unwrap_err();
    assert!(matches!(reason, NoReference::Infeasible { .. }), "{reason}");
}

#[test]
fn large_problems_are_refused_before_anything_runs() {
    let problem = rows(&[(Law::UNILATERAL, 0.0), (Law::UNILATERAL, 0.0)]);
    let options = ReferenceOptions {
        max_rows: 1,
        ..ReferenceOptions::default()
    };
    let verdict = verdict(&problem, options);
    assert!(verdict.attempts.is_empty());
    let text = verdict.reference.unwrap_err().to_string();
    assert_eq!(
        text,
        "2 rows are more than the 1 that references are computed for"
    );
}

#[test]
fn a_search_that_is_stopped_says_so() {
    let problem = rows(&[(Law::UNILATERAL, 0.0)]);
    let cancel = AtomicBool::new(true);
    let options = ReferenceOptions::default();
    let verdict = certify(&problem, &Registry::standard(), options, &cancel);
    assert_eq!(verdict.reference, Err(NoReference::Interrupted));
}

#[test]
fn the_same_problem_gives_the_same_bits() {
    let problem = delassus_problems::generate("planted", &serde_json::Map::new())
        .unwrap()
        .problem;
    let bits = || {
        let found = verdict(&problem, ReferenceOptions::default()).reference;
        let found = found.expect("a planted problem has a reference");
        let impulses = found.solutions[0].impulses.iter();
        impulses.map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(bits(), bits());
}

#[test]
fn polygons_stand_in_where_pivoting_does_not_treat_discs() {
    let parameters = serde_json::json!({ "n": 3 });
    let parameters = parameters.as_object().unwrap();
    let problem = delassus_problems::generate("stack", parameters)
        .unwrap()
        .problem;
    let verdict = verdict(&problem, ReferenceOptions::default());
    let found = verdict.reference.unwrap();
    assert!(found.solutions[0].methods.contains(&"lemke"));
    let lemke = verdict.attempts.iter().find(|one| one.method == "lemke");
    let answers = lemke.unwrap().outcome.as_ref().unwrap();
    assert!(answers[0].residual <= 1e-10, "{:e}", answers[0].residual);
}
