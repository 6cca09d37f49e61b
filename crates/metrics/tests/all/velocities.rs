//! Velocity error, agreement and closure.

use delassus_core::{Activity, Friction, Law, MassProperties, Problem, ProblemBuilder};
use delassus_metrics::{Evaluator, MetricError, TrustedSolution};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

use crate::problems::{SI, bodies, identity, impulses, laws, matrix, one_block};

const UP: [f64; 6] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];

/// A mass of 2 kg that falls at 1 m/s onto `contacts` coincident frictionless contacts.
pub(crate) fn falling(contacts: usize) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
    let body = builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    for _ in 0..contacts {
        builder.block(Law::Contact(Friction::Frictionless), &[body], &[[UP]]);
    }
    builder.build().unwrap()
}

#[test]
fn velocity_error_by_hand() {
    // λ = 3, λ_ref = 2: p = 1, ‖v − v_ref‖_M = √(1/2); ‖v_ref − v_f‖_M = 2/√2. Ratio 1/2
    let problem = falling(1);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let error = evaluator
        .velocity_error(&[3.0], TrustedSolution::Impulses(&[2.0]))
        .unwrap();
    assert!((error - 0.5).abs() < 1e-15);
    // the same from velocities: the reference stands still, v_y = −1 + 3/2 = 1/2
    let error = evaluator
        .velocity_error(&[3.0], TrustedSolution::Velocities(&[0.0; 6]))
        .unwrap();
    assert!((error - 0.5).abs() < 1e-15);
    // a matrix: Δw = 4, ‖Δw‖_D = 4/√4 = 2; ‖Aλ_ref‖_D = 8/√4 = 4
    let problem = one_block(Law::UNILATERAL, &[4.0], &[-8.0]);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let error = evaluator
        .velocity_error(&[3.0], TrustedSolution::Impulses(&[2.0]))
        .unwrap();
    assert!((error - 0.5).abs() < 1e-15);
    // w_ref = 0, w = 4, b = −8
    let error = evaluator
        .velocity_error(&[3.0], TrustedSolution::Velocities(&[0.0]))
        .unwrap();
    assert!((error - 0.5).abs() < 1e-15);
}

#[test]
fn nothing_to_do_has_a_floor() {
    // λ_ref = 0: the divisor is 1e-12 √E_s with E_s = ½·1·2 = 1 J; λ = 1e-12 moves by 1e-12/√2
    let problem = falling(1);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let error = evaluator
        .velocity_error(&[1e-12], TrustedSolution::Impulses(&[0.0]))
        .unwrap();
    assert!((error - 0.5f64.sqrt()).abs() < 1e-15);
}

#[test]
fn null_vectors_are_invisible() {
    // two coincident contacts: (3, −1) and (1, 1) push alike
    let problem = falling(2);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let reference = TrustedSolution::Impulses(&[1.0, 1.0]);
    assert_eq!(
        evaluator.velocity_error(&[3.0, -1.0], reference).unwrap(),
        0.0
    );
    assert_eq!(evaluator.agreement(&[3.0, -1.0], &[1.0, 1.0]).unwrap(), 0.0);
}

#[test]
fn small_differences_are_not_lost_in_large_impulses() {
    // λ and λ_ref of 1e8 differ by 2^-20, which is exact: the error is 2^-20/1e8 to rounding. From
    // velocities the difference would carry a rounding of 1e-8 relative to it.
    let problem = falling(1);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let step = 2f64.powi(-20);
    let error = evaluator
        .velocity_error(&[1e8 + step], TrustedSolution::Impulses(&[1e8]))
        .unwrap();
    assert!((error / (step / 1e8) - 1.0).abs() < 1e-15, "{error}");
}

#[test]
fn agreement_by_hand() {
    // A = 4, λ differ by 1: Δw = 4, ‖Δw‖_D = 2. E_s = ½·25/4, √(2E_s) = 2.5
    let problem = one_block(Law::UNILATERAL, &[4.0], &[-5.0]);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    assert!((evaluator.agreement(&[3.0], &[2.0]).unwrap() - 0.8).abs() < 1e-15);
    // compliance is not motion: R = 12 changes E_s (½·25/16) but not Δw
    let problem = matrix(&[(Law::UNILATERAL, 1)], &[4.0], &[-5.0], &[12.0]);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    assert!((evaluator.agreement(&[3.0], &[2.0]).unwrap() - 2.0 / 1.25).abs() < 1e-15);
}

#[test]
fn agreement_counts_every_row_without_compliance() {
    // a held contact, A = 4 I, R = 12: Δλ_t = 1 gives Δw = 4 in a block with L = 4 although A + R
    // has 16; nothing is solved for, so E_s = 1 J
    let law = Law::Contact(Friction::Coulomb { mu: 0.5 });
    let a = identity(3, 4.0);
    let mut problem = matrix(&[(law, 3)], &a, &[-5.0, 0.0, 0.0], &[12.0; 3]);
    problem.set_activity(&[Activity::Hold]).unwrap();
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let found = evaluator
        .agreement(&[1.0, 1.0, 0.0], &[1.0, 0.0, 0.0])
        .unwrap();
    assert!((found - 2.0 / 2f64.sqrt()).abs() < 1e-15);
}

#[test]
fn other_metrics_leave_the_evaluated_velocities_alone() {
    // w = (4 + 1)·3 − 8
    let problem = matrix(&[(Law::UNILATERAL, 1)], &[4.0], &[-8.0], &[1.0]);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    assert_eq!(evaluator.constraint_velocities(), [0.0]);
    evaluator.evaluate(&[3.0]).unwrap();
    for reference in [
        TrustedSolution::Impulses(&[2.0]),
        TrustedSolution::Velocities(&[0.0]),
    ] {
        evaluator.velocity_error(&[5.0], reference).unwrap();
    }
    evaluator.agreement(&[5.0], &[6.0]).unwrap();
    assert!(evaluator.certificate(&[7.0]).unwrap() > Some(0.0));
    assert_eq!(evaluator.constraint_velocities(), [7.0]);
}

#[test]
fn closure_is_relative_to_what_was_summed() {
    // two coincident contacts push with 1e6 and pull with 1e6 − 2: the same 2 N·s, missed by 0.5 as
    // below
    let problem = falling(2);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let velocities = [0.0, 0.25, 0.0, 0.0, 0.0, 0.0];
    let closure = evaluator.closure(&[1e6, 2.0 - 1e6], &velocities).unwrap();
    assert!((closure.absolute - 0.5).abs() < 1e-15);
    assert!((closure.relative * (2e6 - 2.0) - 0.5).abs() < 1e-15);
}

#[test]
fn closure_by_hand() {
    // λ = 2 brings v_y from −1 to 0. A solver that reports 0.25: MΔv = 2.5 against Jᵀλ = 2,
    // relative to 2.5
    let problem = falling(1);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let closed = evaluator.closure(&[2.0], &[0.0; 6]).unwrap();
    assert_eq!(
        (closed.absolute, closed.relative, closed.immovable),
        (0.0, 0.0, 0.0)
    );
    let velocities = [0.0, 0.25, 0.0, 0.0, 0.0, 0.0];
    let open = evaluator.closure(&[2.0], &velocities).unwrap();
    assert!((open.absolute - 0.5).abs() < 1e-15);
    assert!((open.relative - 0.2).abs() < 1e-15);
    let problem = one_block(Law::UNILATERAL, &[4.0], &[-5.0]);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    assert_eq!(
        evaluator.closure(&[0.0], &[0.0]),
        Err(MetricError::NoBodies)
    );
}

#[test]
fn locked_axes_take_no_part() {
    // x is locked; rotation only about the direction (3, 4, 0)/5 with inertia 2: M⁻¹ = ½ d dᵀ
    let d = Vector3::new(0.6, 0.8, 0.0);
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties {
        inverse_mass: Vector3::new(0.0, 0.5, 0.5),
        inverse_inertia: d * d.transpose() * 0.5,
    };
    let body = builder.body(mass, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
    let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
    let row = [1.0, 1.0, 0.0, 5.0, 0.0, 1.0];
    builder.block(Law::Equality, &[body, ground], &[[row, row.map(|x| -x)]]);
    let problem = builder.build().unwrap();
    let mut evaluator = Evaluator::new(&problem).unwrap();
    // λ = 2: Δv_y = 1; angular momentum (10, 0, 2) along d is 6, angular velocity 3 d
    let mut velocities = [0.0; 12];
    velocities[..6].copy_from_slice(&[1.0, 3.0, 3.0, 1.8, 2.4, 0.0]);
    let closure = evaluator.closure(&[2.0], &velocities).unwrap();
    // rounding of numbers of size 10, twice through the eigenvectors
    assert!(
        closure.absolute < 1e-14 && closure.immovable < 1e-14,
        "{closure:?}"
    );
    // moving along a locked axis, or moving the ground, is reported apart
    velocities[0] = 1.5;
    velocities[7] = -0.25;
    let closure = evaluator.closure(&[2.0], &velocities).unwrap();
    assert!(closure.absolute < 1e-14);
    assert!((closure.immovable - 0.5).abs() < 1e-14);
}

proptest! {
    /// Velocities that belong to λ close, and both forms of the velocity error agree.
    #[test]
    fn own_velocities_close(seed in any::<u64>()) {
        let laws = laws(SI);
        let order: Vec<usize> = (0..laws.len()).collect();
        let problem = bodies(seed, &laws, SI, 0.0, &order);
        let mut evaluator = Evaluator::new(&problem).unwrap();
        let (a, b) = (impulses(seed, &laws, SI, &order), impulses(!seed, &laws, SI, &order));
        let mut velocities = vec![0.0; 24];
        problem.body_velocities(&b, &mut velocities).unwrap();
        let closure = evaluator.closure(&b, &velocities).unwrap();
        // sums of 28 terms, then M of M⁻¹: a few dozen rounding errors
        prop_assert!(closure.relative < 1e-14, "{closure:?}");
        prop_assert!(closure.immovable == 0.0);
        let from_impulses = evaluator.velocity_error(&a, TrustedSolution::Impulses(&b)).unwrap();
        let from_velocities = evaluator.velocity_error(&a, TrustedSolution::Velocities(&velocities)).unwrap();
        prop_assert!((from_impulses - from_velocities).abs() < 1e-12 * from_impulses);
        // ‖v_a − v_b‖_M² = (λ_a − λ_b)·A(λ_a − λ_b)
        let difference: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
        let norm = |x: &[f64]| {
            let mut out = vec![0.0; x.len()];
            problem.apply_delassus(x, &mut out);
            out.iter().zip(x).map(|(w, x)| w * x).sum::<f64>().sqrt()
        };
        let expected = norm(&difference) / norm(&b);
        prop_assert!((from_impulses - expected).abs() < 1e-12 * expected);
    }

    /// A full inertia tensor goes through the eigenvectors and back.
    #[test]
    fn full_inertia_closes(seed in any::<u64>()) {
        let mut numbers = crate::problems::Numbers(seed);
        let factor = Matrix3::from_fn(|_, _| numbers.next());
        let inverse_inertia = factor * factor.transpose() + Matrix3::identity() * 0.01;
        let inverse_inertia = (inverse_inertia + inverse_inertia.transpose()) * 0.5;
        let mut builder = ProblemBuilder::new();
        let mass = MassProperties { inverse_mass: Vector3::repeat(0.5), inverse_inertia };
        let body = builder.body(mass, [0.0; 6]);
        let row: [f64; 6] = std::array::from_fn(|_| numbers.next());
        builder.block(Law::Equality, &[body], &[[row]]);
        let problem = builder.build().unwrap();
        let mut velocities = vec![0.0; 6];
        problem.body_velocities(&[3.0], &mut velocities).unwrap();
        let closure = Evaluator::new(&problem).unwrap().closure(&[3.0], &velocities).unwrap();
        // the condition number of the inertia is below 3/0.01, each rounding is amplified by it
        prop_assert!(closure.relative < 300.0 * 1e-14, "{closure:?}");
    }
}
