//! The slide angle error, against angles by hand.

use std::f64::consts::{FRAC_PI_6, PI};

use delassus_core::{Friction, Law, Problem, RollingContact};
use delassus_metrics::{Evaluator, MetricError};

use crate::problems::{identity, one_block};

const COULOMB: Law = Law::Contact(Friction::Coulomb { mu: 0.5 });

fn angle(problem: &Problem, impulses: &[f64]) -> Option<f64> {
    Evaluator::new(problem)
        .unwrap()
        .slide_angle(impulses)
        .unwrap()
}

/// A contact with these diagonal entries of A whose velocity at λ is w.
fn sliding(law: Law, diagonal: [f64; 3], impulses: [f64; 3], w: [f64; 3]) -> Problem {
    let mut a = identity(3, 0.0);
    let mut b = [0.0; 3];
    for i in 0..3 {
        a[4 * i] = diagonal[i];
        b[i] = w[i] - diagonal[i] * impulses[i];
    }
    one_block(law, &a, &b)
}

#[test]
fn a_clamped_newton_step_slides_30_96_degrees_off() {
    // K_tt = diag(1, 4), radius μ λ_n = 1. At the fixed point λ_t = −s (1, 1/4) of length 1, K
    // λ_t = −s (1, 1), and b_t = (1 + s)(1, 1) leaves w_t = (1, 1)
    let s = 4.0 / 17f64.sqrt();
    let expected = [2.0, -s, -0.25 * s];
    let law = Law::Contact(Friction::Disc { mu: 0.5 });
    let problem = sliding(law, [2.0, 1.0, 4.0], expected, [0.0, 1.0, 1.0]);
    // the method: the full tangential block inverted, then clamped to the disc
    let mut x = [2.0, 0.0, 0.0];
    for _ in 0..3 {
        let mut w = [0.0; 3];
        problem.shifted_velocity(&x, &mut w);
        let step = [x[1] - w[1], x[2] - w[2] / 4.0];
        let length = (step[0] * step[0] + step[1] * step[1]).sqrt().max(1.0);
        x = [2.0, step[0] / length, step[1] / length];
    }
    for (x, expected) in x.iter().zip(expected) {
        assert!((x - expected).abs() < 1e-15, "{x} {expected}");
    }
    let found = angle(&problem, &x).unwrap();
    assert!((found - libm::atan(0.6)).abs() < 1e-15, "{found}");
    assert!((found.to_degrees() - 30.96).abs() < 4e-3);
}

#[test]
fn coulomb_s_own_solution_has_no_angle() {
    for direction in [[1.0, 0.0], [0.6, 0.8], [-0.28, 0.96]] {
        let impulses = [2.0, -direction[0], -direction[1]];
        let w = [0.0, 3.0 * direction[0], 3.0 * direction[1]];
        let problem = sliding(COULOMB, [2.0, 1.0, 4.0], impulses, w);
        // rounding of w alone: an arc cosine would leave 1e-8
        assert!(angle(&problem, &impulses).unwrap() < 1e-15);
    }
}

#[test]
fn boxes_and_wrong_signs_have_the_angle_that_they_have() {
    // sliding at 15° to the diagonal, the box puts friction on its corner
    let w = [0.0, libm::cos(FRAC_PI_6), libm::sin(FRAC_PI_6)];
    let corner = [2.0, -1.0, -1.0];
    let law = Law::Contact(Friction::Pyramid { mu: 0.5 });
    let problem = sliding(law, [1.0; 3], corner, w);
    let found = angle(&problem, &corner).unwrap();
    assert!((found - 0.5 * FRAC_PI_6).abs() < 1e-15, "{found}");
    // one tangent: with the motion, or against it
    let problem = one_block(COULOMB, &identity(2, 1.0), &[-2.0, 3.0]);
    assert_eq!(angle(&problem, &[2.0, 0.5]), Some(PI));
    assert_eq!(angle(&problem, &[2.0, -0.5]), Some(0.0));
    // spin: one row too, w = 1 + 1
    let rolling = RollingContact {
        mu: 0.5,
        rolling: 0.25,
        spinning: Some(1.0),
    };
    let law = Law::Rolling(Box::new(rolling));
    let b = [-2.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let problem = one_block(law, &identity(6, 1.0), &b);
    let spun = [2.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    assert_eq!(angle(&problem, &spun), Some(PI));
}

#[test]
fn what_does_not_slide_or_has_no_friction_has_none() {
    let frictionless = Law::Contact(Friction::Frictionless);
    let problem = one_block(frictionless, &identity(3, 1.0), &[-2.0, 3.0, 0.0]);
    assert_eq!(angle(&problem, &[2.0, 1.0, 0.0]), None);
    // A = I, b = (−4, 3, 0): u_g = 5. Friction of 3 + ε pushes along the slip of −ε that it makes:
    // seen from 5e-6 on
    let problem = one_block(COULOMB, &identity(3, 1.0), &[-4.0, 3.0, 0.0]);
    assert_eq!(angle(&problem, &[4.0, -3.0 - 4e-6, 0.0]), Some(0.0));
    assert_eq!(angle(&problem, &[4.0, -3.0 - 6e-6, 0.0]), Some(PI));
    assert_eq!(angle(&problem, &[4.0, -3.0 + 6e-6, 0.0]), Some(0.0));
    // no friction to turn, and an open contact
    let problem = one_block(COULOMB, &identity(3, 1.0), &[-2.0, 3.0, 0.0]);
    assert_eq!(angle(&problem, &[2.0, 0.0, 0.0]), Some(0.0));
    assert_eq!(angle(&problem, &[0.0, 1.0, 0.0]), Some(0.0));
}

#[test]
fn bad_impulses_are_refused() {
    let problem = one_block(COULOMB, &identity(3, 1.0), &[-2.0, 3.0, 0.0]);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let short = evaluator.slide_angle(&[1.0]);
    assert!(matches!(short, Err(MetricError::Length { .. })));
    let nan = evaluator.slide_angle(&[1.0, f64::NAN, 0.0]);
    assert!(matches!(nan, Err(MetricError::NonFinite { .. })));
}
