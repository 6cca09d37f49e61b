//! Non-finite and huge iterates, inactive rows, matrices without a usable diagonal, the energy
//! scale.

use delassus_core::{Activity, Friction, Law, MassProperties, Patch, Problem, ProblemBuilder};
use delassus_metrics::{EnergyOrigin, Evaluator, MetricError, TrustedSolution};
use nalgebra::Vector3;
use proptest::prelude::*;

use crate::problems::{SI, bodies, identity, laws, matrix, one_block};

fn falling(mass: f64, speed: f64) -> ProblemBuilder {
    let mut builder = ProblemBuilder::new();
    let properties = MassProperties::aligned(mass, Vector3::repeat(1.0));
    let body = builder.body(properties, [0.0, -speed, 0.0, 0.0, 0.0, 0.0]);
    let rows = [
        [[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]],
        [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]],
        [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]],
    ];
    builder.block(Law::Contact(Friction::Coulomb { mu: 0.5 }), &[body], &rows);
    builder
}

#[test]
fn non_finite_impulses_never_get_a_number() {
    let problem = falling(1.0, 1.0).build().unwrap();
    let mut evaluator = Evaluator::new(&problem).unwrap();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let expected = MetricError::NonFinite {
            what: "impulses",
            index: 1,
        };
        let impulses = [1.0, bad, 0.0];
        assert_eq!(evaluator.evaluate(&impulses), Err(expected.clone()));
        assert_eq!(evaluator.certificate(&impulses), Err(expected.clone()));
        assert_eq!(
            evaluator.velocity_error(&impulses, TrustedSolution::Impulses(&[0.0; 3])),
            Err(expected.clone())
        );
        assert_eq!(evaluator.closure(&impulses, &[0.0; 6]), Err(expected));
        assert!(evaluator.agreement(&[0.0; 3], &impulses).is_err());
        let velocities = [0.0, bad, 0.0, 0.0, 0.0, 0.0];
        assert!(evaluator.closure(&[0.0; 3], &velocities).is_err());
        let reference = TrustedSolution::Velocities(&velocities);
        assert!(evaluator.velocity_error(&[0.0; 3], reference).is_err());
    }
    // the evaluator is as good as new afterwards
    assert_eq!(
        evaluator.evaluate(&[1.0, 0.0, 0.0]).unwrap().natural_map,
        0.0
    );
}

#[test]
fn wrong_lengths_are_errors() {
    let problem = falling(1.0, 1.0).build().unwrap();
    let mut evaluator = Evaluator::new(&problem).unwrap();
    assert!(matches!(
        evaluator.evaluate(&[0.0; 2]),
        Err(MetricError::Length { expected: 3, .. })
    ));
    assert!(matches!(
        evaluator.closure(&[0.0; 3], &[0.0; 5]),
        Err(MetricError::Length { expected: 6, .. })
    ));
    assert!(evaluator.agreement(&[0.0; 3], &[0.0; 4]).is_err());
}

proptest! {
    /// Finite impulses of any size give finite residuals or an error; a huge one never looks
    /// solved.
    #[test]
    fn any_size_gives_a_finite_number_or_an_error(
        seed in any::<u64>(),
        row in 0usize..28,
        exponent in 0i32..308,
        negative in any::<bool>(),
    ) {
        let laws = laws(SI);
        let order: Vec<usize> = (0..laws.len()).collect();
        let problem = bodies(seed, &laws, SI, 0.05, &order);
        let mut evaluator = Evaluator::new(&problem).unwrap();
        let mut impulses = vec![0.0; problem.rows()];
        prop_assert!(row < impulses.len());
        impulses[row] = 10f64.powi(exponent) * if negative { -1.0 } else { 1.0 };
        match evaluator.evaluate(&impulses) {
            Ok(residuals) => {
                for (metric, value) in residuals.iter() {
                    prop_assert!(value.is_finite() && value >= 0.0, "{metric} {value}");
                }
                // λ of 1e6 in a problem of size 1: the residual grows with it
                prop_assert!(exponent < 6 || residuals.natural_map > 1e3);
            }
            Err(error) => {
                let overflow = matches!(error, MetricError::Overflow { .. });
                prop_assert!(overflow && exponent > 60, "{error}");
            }
        }
    }
}

#[test]
fn overflow_inside_a_metric_is_an_error_too() {
    // M Δv and Jᵀλ both overflow: their difference is not a number, and must not be taken for zero
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties {
        inverse_mass: Vector3::repeat(1e-200),
        ..MassProperties::immovable()
    };
    let body = builder.body(mass, [0.0; 6]);
    builder.block(
        Law::Equality,
        &[body],
        &[[[1e200, 0.0, 0.0, 0.0, 0.0, 0.0]]],
    );
    let problem = builder.build().unwrap();
    let velocities = [1e140, 0.0, 0.0, 0.0, 0.0, 0.0];
    let closure = Evaluator::new(&problem)
        .unwrap()
        .closure(&[1e140], &velocities);
    assert!(
        matches!(closure, Err(MetricError::Overflow { .. })),
        "{closure:?}"
    );
}

#[test]
fn held_blocks_do_not_count() {
    // two unilateral rows that both penetrate, coupled by ½. Holding the second leaves E_s = ½·4/1
    // and the first row: λ = (0, 3) gives w_1 = −2 + 1.5 = −0.5, natural map 0.5/2 = 1/4
    let unilateral = vec![(Law::UNILATERAL, 1), (Law::UNILATERAL, 1)];
    let a = [1.0, 0.5, 0.5, 1.0];
    let mut problem = matrix(&unilateral, &a, &[-2.0, -100.0], &[0.0; 2]);
    problem
        .set_activity(&[Activity::Solve, Activity::Hold])
        .unwrap();
    let residuals = Evaluator::new(&problem)
        .unwrap()
        .evaluate(&[0.0, 3.0])
        .unwrap();
    assert_eq!(residuals.natural_map, 0.25);
    // min(λ, w) = −0.5 over ‖q‖ = 2 of the row that is solved for
    assert_eq!(residuals.siconos, 0.25);
    // λ_1 = 0.5 solves it for the held λ_2 = 3
    let residuals = Evaluator::new(&problem)
        .unwrap()
        .evaluate(&[0.5, 3.0])
        .unwrap();
    assert_eq!(residuals.natural_map, 0.0);
    // nothing solved for: nothing to judge
    problem.set_activity(&[Activity::Hold; 2]).unwrap();
    let residuals = Evaluator::new(&problem)
        .unwrap()
        .evaluate(&[9.0, 3.0])
        .unwrap();
    assert_eq!(residuals.natural_map, 0.0);
    assert_eq!(residuals.worst_block, None);
}

#[test]
fn normals_only_is_frictionless() {
    // λ_t is far outside the cone and w_t far from zero, but only the normal is solved for, and
    // w_n = 0
    let law = Law::Contact(Friction::Coulomb { mu: 0.5 });
    let mut problem = one_block(law, &identity(3, 2.0), &[-2.0, 5.0, 5.0]);
    problem.set_activity(&[Activity::NormalsOnly]).unwrap();
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let residuals = evaluator.evaluate(&[1.0, 7.0, 0.0]).unwrap();
    for (metric, value) in residuals.iter() {
        assert_eq!(value, 0.0, "{metric}");
    }
    assert_eq!(residuals.dissipation, None);
    // E_s = ½·4/2
    assert_eq!(evaluator.energy_scale().joules, 1.0);
    // the normals of a patch likewise
    let law = Law::Patch(Box::new(Patch {
        mu: 0.5,
        levers: vec![1.0],
    }));
    let mut problem = one_block(law, &identity(4, 2.0), &[-2.0, 5.0, 5.0, 5.0]);
    problem.set_activity(&[Activity::NormalsOnly]).unwrap();
    let residuals = Evaluator::new(&problem)
        .unwrap()
        .evaluate(&[1.0, 7.0, 0.0, 9.0])
        .unwrap();
    assert_eq!(residuals.natural_map, 0.0);
    assert_eq!(residuals.fischer_burmeister, Some(0.0));
}

#[test]
fn matrices_without_a_diagonal_still_have_scales() {
    // [[0, 2], [−2, 0]] (a bimatrix game): every L is the largest entry of its row, 2. λ = (0.5,
    // 0), b = (1, −1): w = (1, −2). r = (min(0.5, 0.5), min(0, −1)) = (0.5, −1), E_s = ½(1/2 +
    // 1/2): Σ L r² = 2·0.25 + 2·1 = 2.5, natural map √2.5
    let unilateral = vec![(Law::UNILATERAL, 1), (Law::UNILATERAL, 1)];
    let problem = matrix(&unilateral, &[0.0, 2.0, -2.0, 0.0], &[1.0, -1.0], &[0.0; 2]);
    let residuals = Evaluator::new(&problem)
        .unwrap()
        .evaluate(&[0.5, 0.0])
        .unwrap();
    assert!((residuals.natural_map - 2.5f64.sqrt()).abs() < 1e-15);
    // a diagonal that is noise counts as zero; a row of zeros gets 1
    for noise in [1e-14, -1e-14] {
        let a = [noise, 2.0, -2.0, 0.0];
        let noisy = matrix(&unilateral, &a, &[1.0, -1.0], &[0.0; 2]);
        let other = Evaluator::new(&noisy)
            .unwrap()
            .evaluate(&[0.5, 0.0])
            .unwrap();
        assert!((other.natural_map - residuals.natural_map).abs() < 1e-13);
    }
    let zeros = matrix(&unilateral, &[0.0; 4], &[1.0, -1.0], &[0.0; 2]);
    let mut evaluator = Evaluator::new(&zeros).unwrap();
    assert_eq!(evaluator.energy_scale().joules, 1.0);
    assert_eq!(
        evaluator.evaluate(&[0.0, 0.0]).unwrap().natural_map_impulse,
        1.0
    );
}

#[test]
fn energy_scale_says_where_it_comes_from() {
    // 2 kg at 3 m/s: ½·9·2 = 9 J
    let problem = falling(2.0, 3.0).build().unwrap();
    let scale = Evaluator::new(&problem).unwrap().energy_scale();
    assert!((scale.joules - 9.0).abs() < 1e-14 && scale.origin == EnergyOrigin::Velocity);
    // at rest, with g h = 0.5 m/s: ½·2·0.25 = 0.25 J
    let mut builder = falling(2.0, 0.0);
    builder.step(0.05, 10.0);
    let problem = builder.build().unwrap();
    let scale = Evaluator::new(&problem).unwrap().energy_scale();
    assert!((scale.joules - 0.25).abs() < 1e-16 && scale.origin == EnergyOrigin::Gravity);
    // nothing known
    let problem = falling(2.0, 0.0).build().unwrap();
    let scale = Evaluator::new(&problem).unwrap().energy_scale();
    assert_eq!((scale.joules, scale.origin), (1.0, EnergyOrigin::Unit));
    // ½·(1e200)² overflows: every residual would be zero
    let problem = falling(2.0, 1e200).build().unwrap();
    let result = Evaluator::new(&problem);
    assert!(matches!(result, Err(MetricError::EnergyScale)));
    // 2e150 m/s of 1e-9 kg: the energy is finite, and zero impulses would count as diverged
    let problem = falling(1e-9, 2e150).build().unwrap();
    let result = Evaluator::new(&problem);
    assert!(matches!(result, Err(MetricError::EnergyScale)));
}

#[test]
fn a_problem_without_rows_is_solved() {
    let problem: Problem = ProblemBuilder::new().build().unwrap();
    let residuals = Evaluator::new(&problem).unwrap().evaluate(&[]).unwrap();
    assert_eq!(residuals.natural_map, 0.0);
    assert_eq!(residuals.siconos, 0.0);
}
