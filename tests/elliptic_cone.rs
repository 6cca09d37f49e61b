//! Elliptic cones over three, four and six rows on one contact, in every solver that takes them:
//! against the minimum over the cone by a multiplier, and against the conditions written out.

use delassus_core::{Law, MassProperties, Problem, ProblemBuilder};
use nalgebra::Vector3;

use crate::anisotropic::solved_by_all;

const MASS: f64 = 1.7;
const INERTIA: [f64; 3] = [0.05, 0.08, 0.11];
/// Two of sliding, torsion, two of rolling.
const COEFFICIENTS: [f64; 5] = [0.7, 0.4, 0.03, 0.015, 0.02];

/// A body above its contact point: normal y, slides x and z, spin y, rolls x and z; all rows go
/// through the centre, or the slides turn it where it has an `arm` \[m\].
fn contact(rows: usize, arm: f64, velocity: [f64; 6]) -> Problem {
    let mut builder = ProblemBuilder::new();
    let body = builder.body(MassProperties::aligned(MASS, INERTIA.into()), velocity);
    let arm = Vector3::new(0.0, -arm, 0.0);
    let linear = |axis: Vector3<f64>| {
        let turn = arm.cross(&axis);
        [[axis.x, axis.y, axis.z, turn.x, turn.y, turn.z]]
    };
    let angular = |axis: Vector3<f64>| [[0.0, 0.0, 0.0, axis.x, axis.y, axis.z]];
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let all = [
        linear(y),
        linear(x),
        linear(z),
        angular(y),
        angular(x),
        angular(z),
    ];
    let law = Law::elliptic_cone(&COEFFICIENTS[..rows - 1]);
    builder.block(law, &[body], &all[..rows]);
    builder.build().expect("a valid problem")
}

/// The minimum of ½ Σ W_i λ_i² + b·λ on the edge of the cone: λ_j = −b_j/(W_j + ν/μ_j²) and
/// λ_n = −b_n/(W_n − ν), with the ν for which Σ (λ_j/μ_j)² = λ_n², by bisection.
fn minimum(problem: &Problem) -> Vec<f64> {
    let (w, b) = (problem.diagonal(), problem.b());
    let at = |nu: f64| -> Vec<f64> {
        let mut impulses = vec![-b[0] / (w[0] - nu)];
        let rows = COEFFICIENTS.iter().zip(w.iter().zip(b).skip(1));
        impulses.extend(rows.map(|(mu, (w, b))| -b / (w + nu / (mu * mu))));
        impulses
    };
    let excess = |impulses: &[f64]| {
        let rows = impulses[1..].iter().zip(COEFFICIENTS);
        let squares: f64 = rows.map(|(x, mu)| (x / mu) * (x / mu)).sum();
        squares - impulses[0] * impulses[0]
    };
    // b_n < 0: λ_n is positive below ν = W_n
    let (mut low, mut high) = (0.0, w[0]);
    assert!(excess(&at(low)) > 0.0, "the contact sticks");
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if excess(&at(middle)) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    at(low)
}

#[test]
fn a_slide_is_the_minimum_over_the_cone() {
    for rows in [3, 4, 6] {
        let problem = contact(rows, 0.0, [1.1, -0.8, -0.6, 0.9, 2.1, -1.4]);
        let expected = minimum(&problem);
        let count = solved_by_all(&problem, |entry, impulses, tolerance| {
            for (found, expected) in impulses.iter().zip(&expected) {
                let error = (found - expected).abs();
                let id = entry.descriptor.id;
                assert!(error < 10.0 * tolerance, "{id} {impulses:?} {expected}");
            }
        });
        let least = if rows == 3 { 20 } else { 15 };
        assert!(count >= least, "{count} solvers take {rows} rows");
    }
}

/// Coupled rows: λ ∈ K, w ∈ K* and λ·w = 0, which is the solution of a convex problem.
#[test]
fn conditions_hold_where_rows_are_coupled() {
    for (rows, speed) in [(3, 1.0), (4, 1.0), (6, 1.0), (6, 0.05)] {
        let slide = [0.9_f64, -0.8, 0.7];
        let velocity = [
            speed * slide[0],
            slide[1],
            speed * slide[2],
            speed,
            speed * 0.6,
            -speed,
        ];
        let problem = contact(rows, 0.25, velocity);
        solved_by_all(&problem, |entry, impulses, tolerance| {
            let mut w = vec![0.0; rows];
            problem.shifted_velocity(impulses, &mut w);
            let sum = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
            let reach = sum(&mut impulses[1..].iter().zip(COEFFICIENTS).map(|(x, mu)| x / mu));
            let slip = sum(&mut w[1..].iter().zip(COEFFICIENTS).map(|(w, mu)| mu * w));
            let power: f64 = impulses.iter().zip(&w).map(|(x, w)| x * w).sum();
            let id = entry.descriptor.id;
            // over the smallest coefficient
            let slack = tolerance / 0.015 * 10.0;
            assert!(reach <= impulses[0] + slack, "{id} {rows} {impulses:?}");
            assert!(w[0] >= slip - 20.0 * tolerance, "{id} {rows} {w:?}");
            assert!(power.abs() < 20.0 * tolerance, "{id} {rows} {power}");
            assert!(impulses[0] > 0.5, "{id} {impulses:?}");
        });
    }
}
