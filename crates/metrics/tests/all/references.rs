//! Metrics against one reference or several: objective, wrench, impulses, units in the last place.

use delassus_core::{Friction, Law, MassProperties, Problem, ProblemBuilder};
use delassus_metrics::{Evaluator, Metric, MetricError, MetricInput, Residuals, TrustedSolution};
use nalgebra::Vector3;
use proptest::prelude::*;

use crate::certificate::{convex_laws, half_distance, objective, project};
use crate::problems::{Numbers, SI, Units, bodies, dense, impulses, laws, matrix, one_block};
use crate::velocities::falling;

fn value(problem: &Problem, metric: Metric, x: &[f64], references: &[&[f64]]) -> Option<f64> {
    let known: Vec<TrustedSolution<'_>> = references
        .iter()
        .map(|r| TrustedSolution::Impulses(r))
        .collect();
    let answer = MetricInput {
        reference: known.first().copied(),
        others: known.get(1..).unwrap_or_default(),
        ..MetricInput::new(x)
    };
    let mut evaluator = Evaluator::new(problem).unwrap();
    evaluator
        .value(metric, &Residuals::default(), &answer)
        .unwrap()
}

#[track_caller]
fn near(found: Option<f64>, expected: f64) {
    let found = found.expect("a value");
    let error = (found - expected).abs();
    assert!(
        error <= 1e-15 * expected.abs().max(1.0),
        "{found}, by hand {expected}"
    );
}

#[test]
fn several_references_the_nearest_counts() {
    // 2 kg falling at 1 m/s: ‖v − v_ref‖_M = |λ − λ_ref|/√2. From 2.2, the reference 1 is 1.2 away
    // and 4 is 1.8, although 1.8 is the smaller share of its own 4
    let problem = falling(1);
    let known: [&[f64]; 2] = [&[4.0], &[1.0]];
    near(value(&problem, Metric::VelocityError, &[2.2], &known), 1.2);
    near(
        value(&problem, Metric::VelocityError, &[2.6], &known),
        1.4 / 4.0,
    );
    near(
        value(&problem, Metric::VelocityError, &[2.6], &known[1..]),
        1.6,
    );
    // the other errors are against the same one: E_s = 1 J, d = 1/2
    near(value(&problem, Metric::ImpulseError, &[2.2], &known), 0.6);
    near(
        value(&problem, Metric::WrenchErrorLinear, &[2.2], &known),
        1.2,
    );
    // Δw = 3/2, L = 1/2: ‖Δw‖_D = 3/√2, over √2
    near(
        value(&problem, Metric::ReferenceDistance, &[2.2], &known),
        1.5,
    );
    let three: [&[f64]; 3] = [&[4.0], &[1.0], &[3.5]];
    near(
        value(&problem, Metric::ReferenceDistance, &[2.2], &three),
        0.25,
    );
    assert_eq!(
        value(&problem, Metric::ReferenceDistance, &[2.2], &known[1..]),
        None
    );
    for metric in Metric::ALL {
        if metric.doc().needs == delassus_metrics::Needs::Reference {
            assert_eq!(value(&problem, metric, &[2.2], &[]), None, "{metric}");
        }
    }
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let nearest = evaluator.nearest(&MetricInput::new(&[1.0])).unwrap();
    assert_eq!(nearest, None);
    // known by velocities alone: an error of velocities and no other
    let still = MetricInput {
        reference: Some(TrustedSolution::Velocities(&[0.0; 6])),
        ..MetricInput::new(&[3.0])
    };
    let mut of = |metric| {
        evaluator
            .value(metric, &Residuals::default(), &still)
            .unwrap()
    };
    near(of(Metric::VelocityError), 0.5);
    assert_eq!(of(Metric::ImpulseError), None);
    assert_eq!(of(Metric::WrenchError), None);
}

#[test]
fn wrenches_by_hand() {
    // 2 kg and I = 4 kg m² on a contact at x = 3 m: JᵀΔλ = (0, 1, 0; 0, 0, 3) for Δλ = 1
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::repeat(4.0));
    let body = builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    let row = [0.0, 1.0, 0.0, 0.0, 0.0, 3.0];
    builder.block(Law::Contact(Friction::Frictionless), &[body], &[[row]]);
    let problem = builder.build().unwrap();
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let found = evaluator.wrench_error(&[2.0], &[1.0]).unwrap();
    assert_eq!((found.linear, found.angular), (1.0, 3.0));
    // A = 1/2 + 9/4, E_s = ½/A; pᵀM⁻¹p = A: √(A/(1/A)) = A
    assert!((found.scaled - 2.75).abs() < 1e-15);
    // of one body it is the velocity error times what that is relative to
    let velocity = evaluator
        .velocity_error(&[2.0], TrustedSolution::Impulses(&[1.0]))
        .unwrap();
    assert!((found.scaled - velocity * 2.75).abs() < 1e-15);
    let matrix = one_block(Law::UNILATERAL, &[1.0], &[-1.0]);
    let none = Evaluator::new(&matrix)
        .unwrap()
        .wrench_error(&[1.0], &[1.0]);
    assert_eq!(none, Err(MetricError::NoBodies));
    assert_eq!(value(&matrix, Metric::WrenchError, &[1.0], &[&[1.0]]), None);
}

#[test]
fn null_vectors_count_in_the_impulses_and_not_in_their_range() {
    // two coincident contacts, d = 1/2, E_s = 2 J: (3, −1) against (1, 1) is √(½·8)/2
    let problem = falling(2);
    near(
        value(&problem, Metric::ImpulseError, &[3.0, -1.0], &[&[1.0, 1.0]]),
        1.0,
    );
    near(
        value(&problem, Metric::RangeError, &[3.0, -1.0], &[&[1.0, 1.0]]),
        0.0,
    );
    // (2, 0): √(½·4)/2, and half of its square along (1, 1)
    near(
        value(&problem, Metric::ImpulseError, &[3.0, 1.0], &[&[1.0, 1.0]]),
        0.5f64.sqrt(),
    );
    near(
        value(&problem, Metric::RangeError, &[3.0, 1.0], &[&[1.0, 1.0]]),
        0.5,
    );
    // A = uuᵀ with u = (1, 2, −1): what is orthogonal to u moves nothing. b = u: E_s = 3/2
    let u = [1.0, 2.0, -1.0];
    let a: Vec<f64> = u.iter().flat_map(|x| u.map(|y| x * y)).collect();
    let problem = matrix(&[(Law::Equality, 3)], &a, &u, &[0.0; 3]);
    near(
        value(
            &problem,
            Metric::RangeError,
            &[2.0, -1.0, 0.0],
            &[&[0.0; 3]],
        ),
        0.0,
    );
    near(
        value(&problem, Metric::RangeError, &[1.0, 1.0, 3.0], &[&[0.0; 3]]),
        0.0,
    );
    // λ = (3, 0, 0): D½λ = (3, 0, 0) along (1, 1, −1)/√3 is √3, over √3
    near(
        value(&problem, Metric::RangeError, &[3.0, 0.0, 0.0], &[&[0.0; 3]]),
        1.0,
    );
    // an unsymmetric matrix has no such range, and one that is not semi-definite neither
    let laws = [(Law::Equality, 2)];
    let skew = matrix(&laws, &[1.0, 0.5, 0.0, 1.0], &[1.0; 2], &[0.0; 2]);
    assert_eq!(
        value(&skew, Metric::RangeError, &[1.0; 2], &[&[0.0; 2]]),
        None
    );
    let saddle = matrix(&laws, &[1.0, 2.0, 2.0, 1.0], &[1.0; 2], &[0.0; 2]);
    assert_eq!(
        value(&saddle, Metric::RangeError, &[1.0; 2], &[&[0.0; 2]]),
        None
    );
    let large = falling(1001);
    assert_eq!(
        value(&large, Metric::RangeError, &[1.0; 1001], &[&[0.0; 1001]]),
        None
    );
}

#[test]
fn units_in_the_last_place() {
    let problem = falling(2);
    let x = [1.0, 1.0f64.next_up().next_up()];
    near(
        value(&problem, Metric::UlpDistance, &x, &[&[1.0, 1.0]]),
        2.0,
    );
    near(
        value(&problem, Metric::UlpDistanceSingle, &x, &[&[1.0, 1.0]]),
        0.0,
    );
    let x = [1.0, 1.0 + 2f64.powi(-22)];
    near(
        value(&problem, Metric::UlpDistanceSingle, &x, &[&[1.0, 1.0]]),
        2.0,
    );
    near(
        value(&problem, Metric::UlpDistance, &x, &[&[1.0, 1.0]]),
        2f64.powi(30),
    );
}

#[test]
fn an_objective_by_hand_and_where_there_is_none() {
    // A = 1, b = −2, unilateral: λ* = 2, f(λ) − f* = ½(λ − 2)², E_s = 2
    let problem = one_block(Law::UNILATERAL, &[1.0], &[-2.0]);
    near(
        value(&problem, Metric::ObjectiveGap, &[5.0], &[&[2.0]]),
        2.25,
    );
    near(
        value(&problem, Metric::ObjectiveGap, &[2.0], &[&[2.0]]),
        0.0,
    );
    // b = +2: λ* = 0, f = ½λ² + 2λ; λ = −1 is outside K and better than the best
    let problem = one_block(Law::UNILATERAL, &[1.0], &[2.0]);
    near(
        value(&problem, Metric::ObjectiveGap, &[-1.0], &[&[0.0]]),
        -0.75,
    );
    // compliance belongs to f: (A + R)/2 = 3/2, b = −3, λ* = 1: E_s = ½·9/3
    let soft = matrix(&[(Law::Equality, 1)], &[1.0], &[-3.0], &[2.0]);
    near(value(&soft, Metric::ObjectiveGap, &[3.0], &[&[1.0]]), 4.0);
    let a = crate::problems::identity(3, 1.0);
    for friction in [Friction::Coulomb { mu: 0.5 }, Friction::Disc { mu: 0.5 }] {
        let law = Law::Contact(friction);
        let problem = one_block(law, &a, &[-1.0, 0.0, 0.0]);
        assert_eq!(
            value(&problem, Metric::ObjectiveGap, &[1.0; 3], &[&[0.0; 3]]),
            None
        );
    }
    let skew = matrix(
        &[(Law::Equality, 2)],
        &[1.0, 0.5, 0.0, 1.0],
        &[1.0; 2],
        &[0.0; 2],
    );
    assert_eq!(
        value(&skew, Metric::ObjectiveGap, &[1.0; 2], &[&[0.0; 2]]),
        None
    );
}

/// A convex problem whose solution is known: λ* = Π_K(z), and the bias makes w* = λ* − z, which is
/// complementary to it.
fn planted(seed: u64) -> (Problem, Vec<f64>) {
    let laws = convex_laws();
    let order: Vec<usize> = (0..laws.len()).collect();
    let mut problem = bodies(seed, &laws, SI, 0.0, &order);
    let mut numbers = Numbers(seed.rotate_left(23));
    let z = numbers.vector(problem.rows());
    let mut solution = z.clone();
    for block in problem.blocks() {
        project(&block.law, &mut solution[block.rows()]);
    }
    let mut w = vec![0.0; problem.rows()];
    problem.shifted_velocity(&solution, &mut w);
    let rows = 0..problem.rows();
    let bias = rows.map(|i| problem.bias()[i] + (solution[i] - z[i]) - w[i]);
    let bias: Vec<f64> = bias.collect();
    problem.set_bias(&bias).unwrap();
    (problem, solution)
}

proptest! {
    #[test]
    fn the_objective_gap_is_at_least_half_the_squared_velocity_error(seed in any::<u64>(), spread in 0.0f64..3.0) {
        let (problem, solution) = planted(seed);
        let a = dense(&problem);
        let mut evaluator = Evaluator::new(&problem).unwrap();
        prop_assert!(evaluator.evaluate(&solution).unwrap().natural_map < 1e-14);
        let mut numbers = Numbers(seed.rotate_left(31));
        let mut x: Vec<f64> = solution.iter().map(|x| x + spread * numbers.next()).collect();
        for block in problem.blocks() {
            project(&block.law, &mut x[block.rows()]);
        }
        let gap = evaluator.objective_gap(&x, &solution).unwrap().unwrap();
        let gap = gap * evaluator.energy_scale().joules;
        let distance = half_distance(&problem, &x, &solution);
        // rounding of numbers of size 100
        prop_assert!(gap >= distance - 1e-12, "{gap} {distance}");
        let apart = objective(&problem, &a, &x) - objective(&problem, &a, &solution);
        prop_assert!((gap - apart).abs() < 1e-11, "{gap} {apart}");
        // ½‖v − v*‖²_M by way of the velocities
        let error = evaluator.wrench_error(&x, &solution).unwrap();
        prop_assert!(error.scaled * error.scaled <= distance / evaluator.energy_scale().joules + 1e-12);
    }

    #[test]
    fn errors_do_not_depend_on_units(seed in any::<u64>(), mass in 0.01f64..100.0, length in 0.01f64..100.0) {
        let other = Units { mass, length };
        let order: Vec<usize> = (0..laws(SI).len()).collect();
        let of = |units: Units, metric: Metric| {
            let laws = laws(units);
            let problem = bodies(seed, &laws, units, 0.0, &order);
            let x = impulses(seed, &laws, units, &order);
            let y = impulses(seed.wrapping_add(1), &laws, units, &order);
            value(&problem, metric, &x, &[&y]).unwrap()
        };
        for metric in [Metric::WrenchError, Metric::ImpulseError, Metric::RangeError] {
            let (a, b) = (of(SI, metric), of(other, metric));
            prop_assert!((a - b).abs() <= 1e-9 * a.abs(), "{metric}: {a} {b}");
        }
        let (range, all) = (of(SI, Metric::RangeError), of(SI, Metric::ImpulseError));
        // 39 rows on 24 coordinates: some of every random vector is null
        prop_assert!(range < all && range > 0.0, "{range} {all}");
    }
}
