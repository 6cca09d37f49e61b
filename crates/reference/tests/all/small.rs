//! Problems whose verdict is known beforehand.

use std::sync::atomic::AtomicBool;

use delassus_core::{Law, LawKind, MassProperties, Problem, ProblemBuilder};
use delassus_metrics::Evaluator;
use delassus_problems::generators::{OperatorForm, Planted, ScaledPlanted};
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

#[test]
fn two_families_agree_on_cones_of_four_and_six_rows() {
    for (rows, form, seed) in [
        (4, OperatorForm::Bodies, 3),
        (6, OperatorForm::Bodies, 4),
        (6, OperatorForm::Matrix, 5),
        (4, OperatorForm::Matrix, 6),
    ] {
        let planted = Planted {
            bodies: 5,
            equality: 1,
            coulomb: 0,
            grounded: 0.5,
            friction: 0.4,
            seed,
            form,
            ..Planted::default()
        };
        let made = ScaledPlanted {
            planted,
            law: LawKind::EllipticCone,
            rows,
            blocks: 4,
            shared: 0.0,
        };
        let made = made.build().expect("the law has so many rows");
        let found = verdict(&made.problem, ReferenceOptions::default());
        let found = found.reference.expect("a reference");
        assert_eq!(found.uniqueness, Uniqueness::Convex);
        let [only] = found.solutions.as_slice() else {
            panic!("{} solutions", found.solutions.len());
        };
        assert_eq!(only.basis, Basis::TwoFamilies, "{rows} rows, {form:?}");
        // neither family has seen the solution that was planted
        let plant = made.reference.expect("a plant").impulses;
        let mut evaluator = Evaluator::new(&made.problem).expect("a scale");
        let distance = evaluator.agreement(&only.impulses, &plant).expect("finite");
        assert!(distance < 1e-8, "{rows} rows, {form:?}: {distance:e}");
    }
}

/// One body of 1.6 kg that slides and spins on a cone of six rows through its centre.
#[test]
fn a_cone_of_six_rows_slides_by_the_closed_form() {
    let coefficients = [0.3, 0.45, 0.06, 0.02, 0.035];
    let (mass, inverse_inertia) = (1.6, Vector3::new(2.0, 3.5, 5.0));
    let velocity = [0.8, -1.3, -0.9, 1.1, 0.7, -2.1];
    let mut builder = ProblemBuilder::new();
    let properties = MassProperties {
        inverse_inertia: nalgebra::Matrix3::from_diagonal(&inverse_inertia),
        ..MassProperties::aligned(mass, Vector3::repeat(1.0))
    };
    let body = builder.body(properties, velocity);
    // normal y, tangents x and z, spin about y, rolling about x and z
    let axes = [1, 0, 2, 4, 3, 5];
    let unit = |axis: usize| [std::array::from_fn(|i| f64::from(u8::from(i == axis)))];
    let law = Law::elliptic_cone(&coefficients);
    builder.block(law, &[body], &axes.map(unit));
    let problem = builder.build().expect("valid");
    let found = verdict(&problem, ReferenceOptions::default()).reference;
    let found = found.expect("a reference");
    // A is diagonal. On the edge of the cone w_n = σ λ_n and w_j = −σ λ_j/μ_j², with one σ for all:
    // λ_j = −b_j/(a_j + σ/μ_j²), λ_n = −b_n/(a_n − σ)
    let b = axes.map(|axis| velocity[axis]);
    let linear = 1.0 / mass;
    let a = [
        linear,
        linear,
        linear,
        inverse_inertia[1],
        inverse_inertia[0],
        inverse_inertia[2],
    ];
    let impulses = |sigma: f64| {
        let mut all = [0.0; 6];
        all[0] = -b[0] / (a[0] - sigma);
        for j in 1..6 {
            all[j] = -b[j] / (a[j] + sigma / coefficients[j - 1].powi(2));
        }
        all
    };
    // outside of the cone (negative) at σ = 0, inside as σ → a_n
    let margin = |sigma: f64| {
        let all = impulses(sigma);
        let pairs = all[1..].iter().zip(&coefficients);
        let reach: f64 = pairs.map(|(x, mu)| (x / mu).powi(2)).sum();
        all[0] - reach.sqrt()
    };
    let (mut low, mut high) = (0.0, a[0] * (1.0 - 1e-12));
    assert!(margin(low) < 0.0 && margin(high) > 0.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if margin(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let expected = impulses(0.5 * (low + high));
    let found = &found.solutions[0].impulses;
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}
