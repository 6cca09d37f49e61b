//! The Fenchel certificate against its definition (M.24), with the conjugate of every convex set in
//! closed form.

use delassus_core::{Friction, Law, Problem};
use delassus_metrics::{Evaluator, MetricError};

use crate::problems::{Numbers, identity, matrix};

/// h*(−w) = max over [lower, upper] of −wx − ½Rx²: the parabola's top, or the end that is nearer to
/// it.
fn conjugate_interval(w: f64, r: f64, lower: f64, upper: f64) -> f64 {
    let value = |x: f64| -w * x - 0.5 * r * x * x;
    let top = -w / r;
    if top < lower {
        value(lower)
    } else if top > upper {
        value(upper)
    } else {
        0.5 * w * w / r
    }
}

/// h*(−w) over the cone |x_t| ≤ μ x_n with compliance (normal, tangent, tangent).
///
/// The top of the parabola if it lies in the cone; else a point of the boundary ray s (1, −μ
/// w_t/|w_t|), along which the value is s g − ½ s² (R_n + μ² R_t) with g = μ|w_t| − w_n; else the
/// apex.
fn conjugate_cone(w: &[f64], (normal, tangent): (f64, f64), mu: f64) -> f64 {
    let slip = w[1..].iter().map(|w| w * w).sum::<f64>().sqrt();
    if w[0] <= 0.0 && slip / tangent <= -mu * w[0] / normal {
        return 0.5 * (w[0] * w[0] / normal + slip * slip / tangent);
    }
    let gain = (mu * slip - w[0]).max(0.0);
    0.5 * gain * gain / (normal + mu * mu * tangent)
}

/// h*(−w) of the rows of one block.
fn conjugate(law: &Law, w: &[f64], r: &[f64]) -> f64 {
    let rows = |from: usize, lower: f64, upper: f64| -> f64 {
        let each = w[from..].iter().zip(&r[from..]);
        each.map(|(w, r)| conjugate_interval(*w, *r, lower, upper))
            .sum()
    };
    let normal = || conjugate_interval(w[0], r[0], 0.0, f64::INFINITY);
    match law {
        Law::Equality => rows(0, f64::NEG_INFINITY, f64::INFINITY),
        Law::Bounds { lower, upper } => rows(0, *lower, *upper),
        Law::Contact(Friction::Frictionless) => normal(),
        Law::Contact(Friction::FixedBox { limit }) => normal() + rows(1, -limit, *limit),
        Law::Contact(Friction::ConvexCone { mu }) => conjugate_cone(w, (r[0], r[1]), *mu),
        other => panic!("{other:?} is not convex"),
    }
}

/// Σ h + h*(−w) + λ·w with w = Aλ + b, and the sum of the magnitudes of its terms.
fn by_definition(problem: &Problem, impulses: &[f64]) -> (f64, f64) {
    let mut w = vec![0.0; impulses.len()];
    problem.apply_delassus(impulses, &mut w);
    let (mut gap, mut size) = (0.0, 0.0);
    for block in problem.blocks() {
        let at = block.rows();
        let (x, r) = (&impulses[at.clone()], &problem.compliance()[at.clone()]);
        let w: Vec<f64> = at.map(|i| w[i] + problem.b()[i]).collect();
        let energy: f64 = x.iter().zip(r).map(|(x, r)| 0.5 * r * x * x).sum();
        let power: f64 = x.iter().zip(&w).map(|(x, w)| x * w).sum();
        let dual = conjugate(&block.law, &w, r);
        gap += energy + dual + power;
        size += energy + dual.abs() + power.abs();
    }
    (gap, size)
}

/// A point of K of this law: what `x` becomes by moving its components inwards.
fn inside(law: &Law, x: &mut [f64]) {
    match law {
        Law::Bounds { lower, upper } => {
            x.iter_mut().for_each(|x| *x = x.clamp(*lower, *upper));
        }
        Law::Contact(Friction::Frictionless) => {
            x[0] = x[0].abs();
            x[1..].fill(0.0);
        }
        Law::Contact(Friction::FixedBox { limit }) => {
            x[0] = x[0].abs();
            x[1..].iter_mut().for_each(|t| *t = t.clamp(-limit, *limit));
        }
        Law::Contact(Friction::ConvexCone { mu }) => {
            // tangents of length at most √2 before, μ x_n after
            x[0] = x[0].abs();
            let shrink = mu * x[0] / 2f64.sqrt();
            x[1..].iter_mut().for_each(|t| *t *= shrink);
        }
        _ => {}
    }
}

fn convex_laws() -> Vec<(Law, usize)> {
    let contact = |friction| Law::Contact(friction);
    vec![
        (Law::Equality, 2),
        (Law::UNILATERAL, 1),
        (
            Law::Bounds {
                lower: -0.2,
                upper: 0.3,
            },
            1,
        ),
        (contact(Friction::FixedBox { limit: 0.15 }), 3),
        (contact(Friction::ConvexCone { mu: 0.7 }), 3),
        (contact(Friction::ConvexCone { mu: 0.3 }), 3),
        // a contact in the plane: one tangent
        (contact(Friction::ConvexCone { mu: 0.5 }), 2),
    ]
}

/// A random problem with these laws: A = BBᵀ/rows, compliance 0.1 to 6 and equal on the tangents of
/// a cone.
fn random(seed: u64, laws: &[(Law, usize)]) -> Problem {
    let mut numbers = Numbers(seed);
    let rows: usize = laws.iter().map(|(_, dim)| dim).sum();
    let factor = numbers.vector(rows * rows);
    let mut a = vec![0.0; rows * rows];
    for i in 0..rows {
        for j in 0..rows {
            let products = (0..rows).map(|k| factor[i * rows + k] * factor[j * rows + k]);
            a[i * rows + j] = products.sum::<f64>() / 8.0;
        }
    }
    let b: Vec<f64> = numbers.vector(rows).iter().map(|b| 2.0 * b).collect();
    let mut compliance: Vec<f64> = (0..rows)
        .map(|_| if numbers.next() > 0.0 { 0.1 } else { 4.0 } * (1.2 + 0.3 * numbers.next()))
        .collect();
    let mut first = 0;
    for (law, dim) in laws {
        if matches!(law, Law::Contact(Friction::ConvexCone { .. })) && *dim == 3 {
            compliance[first + 2] = compliance[first + 1];
        }
        first += dim;
    }
    matrix(laws, &a, &b, &compliance)
}

#[test]
fn the_certificate_is_its_definition() {
    let laws = convex_laws();
    for seed in 1..200 {
        let problem = random(seed, &laws);
        let mut evaluator = Evaluator::new(&problem).unwrap();
        let mut impulses = Numbers(seed + 7000).vector(problem.rows());
        for block in problem.blocks() {
            inside(&block.law, &mut impulses[block.rows()]);
        }
        let (expected, size) = by_definition(&problem, &impulses);
        let found = evaluator.certificate(&impulses).unwrap().unwrap();
        // the definition cancels: a few roundings of its largest terms
        assert!(
            (found - expected).abs() <= 1e-14 * size,
            "{seed}: {found}, by definition {expected}"
        );
        // a second look at the same impulses: the first left nothing behind
        assert_eq!(evaluator.certificate(&impulses).unwrap(), Some(found));
    }
}

#[test]
fn each_law_alone_is_its_definition() {
    for law in convex_laws() {
        for seed in 1..40 {
            let problem = random(seed, std::slice::from_ref(&law));
            let mut impulses = Numbers(seed + 9000).vector(problem.rows());
            inside(&law.0, &mut impulses);
            let (expected, size) = by_definition(&problem, &impulses);
            let found = Evaluator::new(&problem)
                .unwrap()
                .certificate(&impulses)
                .unwrap();
            let error = (found.unwrap() - expected).abs();
            assert!(error <= 1e-14 * size, "{law:?}, {seed}: {error}");
        }
    }
}

#[test]
fn a_soft_row_by_hand() {
    // A = 3, R = 2, b = −10, equality. λ* = 2, f* = −10. At λ = 1: w = 3 − 10 = −7, h = 1, h*(7) =
    // 49/4, λw = −7: 6.25; f(1) = ½·5 − 10 = −7.5, so f − f* = 2.5, ½ A (λ − λ*)² = 1.5
    let problem = matrix(&[(Law::Equality, 1)], &[3.0], &[-10.0], &[2.0]);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    assert_eq!(evaluator.certificate(&[1.0]).unwrap(), Some(6.25));
    assert_eq!(evaluator.certificate(&[2.0]).unwrap(), Some(0.0));
}

#[test]
fn impulses_outside_are_projected_on_the_set() {
    // μ = 1/2, λ = (1, 2, 0): n' = (1 + 1)/1.25 = 1.6, t' = 0.8, exactly the certificate of (1.6,
    // 0.8, 0)
    let law = Law::Contact(Friction::ConvexCone { mu: 0.5 });
    let a = identity(3, 3.0);
    let problem = matrix(&[(law, 3)], &a, &[-1.0, 0.5, 0.25], &[2.0, 0.5, 0.5]);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let outside = evaluator.certificate(&[1.0, 2.0, 0.0]).unwrap().unwrap();
    let (expected, size) = by_definition(&problem, &[1.6, 0.8, 0.0]);
    assert!((outside - expected).abs() <= 1e-14 * size);
}

#[test]
fn only_the_tangents_of_a_cone_must_agree() {
    let certificate = |law: Law, compliance: &[f64; 3]| {
        let problem = matrix(
            &[(Law::Contact(Friction::Frictionless), 3), (law, 3)],
            &identity(6, 1.0),
            &[-1.0; 6],
            &[[1.0; 3], *compliance].concat(),
        );
        let mut evaluator = Evaluator::new(&problem).unwrap();
        evaluator.certificate(&[0.0; 6]).unwrap()
    };
    let cone = || Law::Contact(Friction::ConvexCone { mu: 0.5 });
    let fixed = Law::Contact(Friction::FixedBox { limit: 0.5 });
    assert!(certificate(cone(), &[3.0, 2.0, 2.0]).is_some());
    assert!(certificate(cone(), &[2.0, 2.0, 3.0]).is_none());
    assert!(certificate(fixed, &[2.0, 2.0, 3.0]).is_some());
}

#[test]
fn symmetry_is_asked_for_up_to_rounding() {
    let laws = [(Law::UNILATERAL, 1), (Law::UNILATERAL, 1)];
    let exists = |skew: f64| {
        let a = [1.0, 0.5 + skew, 0.5, 1.0];
        let problem = matrix(&laws, &a, &[-1.0; 2], &[1.0; 2]);
        let mut evaluator = Evaluator::new(&problem).unwrap();
        evaluator.certificate(&[0.0; 2]).unwrap().is_some()
    };
    assert!(exists(0.0) && exists(1e-13));
    assert!(!exists(1e-11) && !exists(-1e-11));
}

#[test]
fn velocities_beyond_the_range_are_an_error() {
    // w = 1e120·1e40 cannot be squared
    let problem = matrix(&[(Law::UNILATERAL, 1)], &[1e120], &[-1.0], &[1.0]);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let result = evaluator.certificate(&[1e40]);
    assert!(
        matches!(result, Err(MetricError::Overflow { .. })),
        "{result:?}"
    );
    // and the next call is as good as new
    assert!(evaluator.certificate(&[0.0]).unwrap().is_some());
}
