//! Scales that are not one: where a factor of L, of a compliance or of √m could be lost, and the
//! edges of guards.

use delassus_core::{Friction, Law, MassProperties, Patch, Problem, ProblemBuilder};
use delassus_metrics::{EnergyOrigin, Evaluator, Residuals, TrustedSolution};
use nalgebra::{Matrix3, Vector3};

use crate::problems::{identity, matrix, one_block};

fn evaluate(problem: &Problem, impulses: &[f64]) -> Residuals {
    Evaluator::new(problem).unwrap().evaluate(impulses).unwrap()
}

#[track_caller]
fn close(found: f64, expected: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= 4e-15 * expected.abs(),
        "{found}, by hand {expected}"
    );
}

#[test]
fn fischer_burmeister_of_a_heavy_contact() {
    // A = 4I, μ = 1/2, λ = (2, 0, 0), w = (1.5, 0, 0): x_n = μλ√L = 2, y_n = w/(μ√L) = 1.5, φ = 3.5
    // − 2.5 = 1
    for friction in [Friction::Coulomb { mu: 0.5 }, Friction::Disc { mu: 0.5 }] {
        let b = [-6.5, 0.0, 0.0];
        let problem = one_block(Law::Contact(friction), &identity(3, 4.0), &b);
        close(
            evaluate(&problem, &[2.0, 0.0, 0.0])
                .fischer_burmeister
                .unwrap(),
            1.0,
        );
    }
    // tangents: λ_t = (1, 0), w_t = (0, 0.75), μ = 1, L = 4. x = (4, 2, 0), y = (0.75, 0, 0.375)
    // with w_n = 1.5 of F6: x² + y² = (20.703125, (16, 0.5625)), spectral values 20.703125 ±
    // √(256 + 0.31640625)
    let law = Law::Contact(Friction::ConvexCone { mu: 1.0 });
    let problem = one_block(law, &identity(3, 4.0), &[-6.5, -4.0, 0.75]);
    let length = (256.0 + 0.31640625f64).sqrt();
    let (large, small) = ((20.703125 + length).sqrt(), (20.703125 - length).sqrt());
    let half = 0.5 * (large - small) / length;
    let phi = [
        4.75 - 0.5 * (large + small),
        2.0 - half * 16.0,
        0.375 - half * 0.5625,
    ];
    let expected = phi.iter().map(|p| p * p).sum::<f64>().sqrt();
    let found = evaluate(&problem, &[2.0, 1.0, 0.0])
        .fischer_burmeister
        .unwrap();
    assert!((found - expected).abs() < 1e-14, "{found} {expected}");
}

#[test]
fn fischer_burmeister_adds_the_rows_of_a_box() {
    // A = diag(4, 1, 1), limit 1, λ = (2, 0, 0), w = (6, −0.75, 0). Normal: φ(4, 3) = 2. Tangent
    // below its upper bound: −φ(1, 0.75) = −0.5, then φ(1, −0.5) = 0.5 − √1.25. The other tangent
    // is solved.
    let mut a = identity(3, 1.0);
    a[0] = 4.0;
    let law = Law::Contact(Friction::FixedBox { limit: 1.0 });
    let problem = one_block(law, &a, &[-2.0, -0.75, 0.0]);
    let tangent = 0.5 - 1.25f64.sqrt();
    let found = evaluate(&problem, &[2.0, 0.0, 0.0])
        .fischer_burmeister
        .unwrap();
    close(found, (4.0 + tangent * tangent).sqrt());
}

#[test]
fn a_large_impulse_does_not_hide_a_small_velocity() {
    // A = 0 and L = 1 by the guard: φ(1e8, −1e-8) = −1e-8 to all digits, although 1e8 − 1e-8 − 1e8
    // is 0
    let problem = one_block(Law::UNILATERAL, &[0.0], &[-1e-8]);
    close(evaluate(&problem, &[1e8]).fischer_burmeister.unwrap(), 1e-8);
}

#[test]
fn the_scale_of_a_contact_includes_its_compliance() {
    // A = diag(1, 2, 3), R = (7, 1, 0.5): L = max(8, 3, 3.5) = 8. λ = 0, b = (−4, 0, 0): r = b/8 =
    // −0.5, √L r = √2, E_s = ½·16/8 = 1
    let mut a = identity(3, 1.0);
    (a[4], a[8]) = (2.0, 3.0);
    let law = Law::Contact(Friction::Disc { mu: 0.5 });
    let problem = matrix(&[(law, 3)], &a, &[-4.0, 0.0, 0.0], &[7.0, 1.0, 0.5]);
    let residuals = evaluate(&problem, &[0.0; 3]);
    close(residuals.natural_map_impulse, 0.5);
    close(residuals.natural_map, 1.0);
}

#[test]
fn a_weak_diagonal_is_still_a_diagonal() {
    // rows (1, 2) and (2, 8): the diagonal is the scale although an entry off it is larger
    let laws = [(Law::UNILATERAL, 1), (Law::UNILATERAL, 1)];
    let problem = matrix(&laws, &[1.0, 2.0, 2.0, 8.0], &[-3.0, 0.0], &[0.0; 2]);
    close(evaluate(&problem, &[0.0; 2]).natural_map_impulse, 3.0);
    // within a block of two rows the entry that stands in for a zero is that of its own row
    let a = [5.0, 2.0, 2.0, 0.0];
    let problem = one_block(Law::Equality, &a, &[0.0, -3.0]);
    close(evaluate(&problem, &[0.0; 2]).natural_map_impulse, 1.5);
}

#[test]
fn a_patch_of_three_points_has_its_friction_after_them() {
    // A = I, μ = 1/2, levers 1, 2, 4, normals 2, 4, 6: tangents in a disc of radius 6, twist up to
    // ½(2 + 8 + 24) = 17. w_t = (3, 4): defect of dissipation 6·5 + λ_t·w_t; of the twist 17|w| +
    // λw
    let law = || {
        Law::Patch(Box::new(Patch {
            mu: 0.5,
            levers: vec![1.0, 2.0, 4.0],
        }))
    };
    let x = [2.0, 4.0, 6.0, 0.5, 0.25, 3.0];
    let with = |w: [f64; 6]| {
        let b: Vec<f64> = w.iter().zip(&x).map(|(w, x)| w - x).collect();
        let problem = one_block(law(), &identity(6, 1.0), &b);
        evaluate(&problem, &x)
    };
    let sliding = with([0.0, 0.0, 0.0, 3.0, 4.0, 0.0]);
    close(sliding.dissipation.unwrap(), 30.0 + 1.5 + 1.0);
    // (0.5, 0.25) − (3, 4) stays within the disc: r = w
    close(sliding.natural_map_impulse, 5.0);
    let twisting = with([0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    close(twisting.dissipation.unwrap(), 17.0 - 3.0);
    close(twisting.natural_map_impulse, 1.0);
    // beyond the disc of radius 6: (3.6, 4.8) is what is left of (0.5 + 5.5, 0.25 + 7.75)
    let fast = with([0.0, 0.0, 0.0, -5.5, -7.75, 0.0]);
    close(
        fast.natural_map_impulse,
        ((3.6f64 - 0.5).powi(2) + (4.8f64 - 0.25).powi(2)).sqrt(),
    );
}

#[test]
fn the_first_of_equal_blocks_is_the_worst_and_a_solved_problem_has_none() {
    let laws = [(Law::UNILATERAL, 1), (Law::UNILATERAL, 1)];
    let problem = matrix(&laws, &identity(2, 1.0), &[-1.0, -1.0], &[0.0; 2]);
    assert_eq!(evaluate(&problem, &[0.0; 2]).worst_block, Some(0));
    assert_eq!(evaluate(&problem, &[1.0; 2]).worst_block, None);
}

#[test]
fn norms_up_to_the_guard_are_not_divided_by() {
    let value = |b: f64| evaluate(&one_block(Law::UNILATERAL, &[1.0], &[-b]), &[0.0]).nat_q;
    assert_eq!(value(f64::EPSILON), f64::EPSILON);
    assert_eq!(value(2.0 * f64::EPSILON), 1.0);
}

#[test]
fn one_row_is_measured_beyond_the_range_of_squares() {
    let problem = one_block(Law::UNILATERAL, &[1.0], &[-1e-170]);
    assert_eq!(evaluate(&problem, &[-1e-170]).primal, 1e-170);
}

#[test]
fn the_smallest_normal_energy_is_an_energy() {
    // E_s = ½ (2^-511)²/½ = 2^-1022, below which numbers lose digits
    let b = f64::powi(2.0, -511);
    let scale = |b: f64| {
        let problem = one_block(Law::UNILATERAL, &[0.5], &[b]);
        Evaluator::new(&problem).unwrap().energy_scale()
    };
    assert_eq!(scale(b).joules, f64::MIN_POSITIVE);
    assert_eq!(scale(b).origin, EnergyOrigin::Velocity);
    // its root has digits far below that
    for smaller in [0.5 * b, f64::powi(2.0, -1000)] {
        assert_eq!(scale(smaller).joules, f64::MIN_POSITIVE);
        assert_eq!(scale(smaller).origin, EnergyOrigin::Velocity);
    }
    assert_eq!(scale(0.0).origin, EnergyOrigin::Unit);
}

/// One body with rows about x, y and y + z.
fn spinning(inverse_inertia: Vector3<f64>) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties {
        inverse_mass: Vector3::repeat(0.5),
        inverse_inertia: Matrix3::from_diagonal(&inverse_inertia),
    };
    let body = builder.body(mass, [0.0; 6]);
    for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0]] {
        let row = [0.0, 0.0, 0.0, axis[0], axis[1], axis[2]];
        builder.block(Law::Equality, &[body], &[[row]]);
    }
    builder.build().unwrap()
}

#[test]
fn nothing_moved_is_closed() {
    let problem = spinning(Vector3::new(1.0, 2.0, 3.0));
    let closure = Evaluator::new(&problem)
        .unwrap()
        .closure(&[0.0; 3], &[0.0; 6])
        .unwrap();
    assert_eq!((closure.absolute, closure.relative), (0.0, 0.0));
}

#[test]
fn a_negative_rounding_of_an_inertia_is_no_distance() {
    // a bar whose inverse inertia about its own axis is −1e-12 of the others after a rotation in
    // floating point
    let problem = spinning(Vector3::new(1.0, 1.0, -1e-12));
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let reference = TrustedSolution::Impulses(&[1.0, 0.0, 0.0]);
    // they differ about z alone
    let error = evaluator.velocity_error(&[1.0, -1e-3, 1e-3], reference);
    assert_eq!(error, Ok(0.0));
}
