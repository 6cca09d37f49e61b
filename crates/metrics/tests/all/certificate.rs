//! The Fenchel certificate bounds the distance to a solution found by another method.

use delassus_core::{Activity, Friction, Law, Problem, projection};
use delassus_metrics::Evaluator;
use proptest::prelude::*;

use crate::problems::{Numbers, SI, bodies, dense, matrix};

/// The convex laws, with blocks of up to three rows.
pub(crate) fn convex_laws() -> Vec<(Law, usize)> {
    let contact = |friction| (Law::Contact(friction), 3);
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
        contact(Friction::Frictionless),
        contact(Friction::FixedBox { limit: 0.1 }),
        contact(Friction::ConvexCone { mu: 0.7 }),
        contact(Friction::ConvexCone { mu: 0.3 }),
    ]
}

pub(crate) fn project(law: &Law, x: &mut [f64]) {
    match law {
        Law::Bounds { lower, upper } => {
            x.iter_mut().for_each(|x| *x = x.max(*lower).min(*upper));
        }
        Law::Contact(Friction::FixedBox { limit }) => {
            x[0] = x[0].max(0.0);
            projection::square(*limit, &mut x[1..]);
        }
        Law::Contact(Friction::Frictionless) => {
            x[0] = x[0].max(0.0);
            x[1..].fill(0.0);
        }
        Law::Contact(Friction::ConvexCone { mu }) => projection::cone(*mu, x),
        _ => {}
    }
}

/// (A + R)λ + b.
fn shifted(problem: &Problem, a: &[f64], x: &[f64], row: usize) -> f64 {
    let rows = problem.rows();
    let product: f64 = (0..rows).map(|j| a[row * rows + j] * x[j]).sum();
    product + problem.compliance()[row] * x[row] + problem.b()[row]
}

/// Projected block Gauss–Seidel, one gradient step of length 1/trace per block, until nothing
/// moves.
fn solve(problem: &Problem) -> Vec<f64> {
    let (rows, a) = (problem.rows(), dense(problem));
    let mut x = vec![0.0; rows];
    for _ in 0..200_000 {
        let mut largest = 0.0f64;
        for block in problem.blocks() {
            let trace: f64 = block
                .rows()
                .map(|i| a[i * rows + i] + problem.compliance()[i])
                .sum();
            let mut moved: Vec<f64> = block
                .rows()
                .map(|i| x[i] - shifted(problem, &a, &x, i) / trace)
                .collect();
            project(&block.law, &mut moved);
            for (i, moved) in block.rows().zip(moved) {
                largest = largest.max((x[i] - moved).abs());
                x[i] = moved;
            }
        }
        if largest < 1e-16 {
            break;
        }
    }
    x
}

/// f(λ) = ½ λᵀ(A + R)λ + bᵀλ.
pub(crate) fn objective(problem: &Problem, a: &[f64], x: &[f64]) -> f64 {
    (0..problem.rows())
        .map(|i| 0.5 * (shifted(problem, a, x, i) + problem.b()[i]) * x[i])
        .sum()
}

/// ½ ‖v − v*‖²_M = ½ (λ − λ*)ᵀA(λ − λ*).
pub(crate) fn half_distance(problem: &Problem, x: &[f64], y: &[f64]) -> f64 {
    let difference: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    let mut out = vec![0.0; x.len()];
    problem.apply_delassus(&difference, &mut out);
    0.5 * out.iter().zip(&difference).map(|(w, x)| w * x).sum::<f64>()
}

#[test]
fn by_hand() {
    // A = R = 1, b = −2, unilateral: λ* = 1, f* = −1. At λ = 0: w = −2, x̂ = 2, gap = ½·4 + (2 −
    // 2)·(−2) = 2, f − f* = 1, ½‖v − v*‖² = ½
    let problem = matrix(&[(Law::UNILATERAL, 1)], &[1.0], &[-2.0], &[1.0]);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    assert_eq!(evaluator.certificate(&[0.0]).unwrap(), Some(2.0));
    assert_eq!(evaluator.certificate(&[1.0]).unwrap(), Some(0.0));
    // λ = −5 is projected on 0 first
    assert_eq!(evaluator.certificate(&[-5.0]).unwrap(), Some(2.0));
    // F6, R = 1 on each row, A = I, b = (0, 3, 4), μ = 1, λ = 0: Π(−w) of (0, −3, −4): n' = 5/2,
    // t' = −5/2 (3, 4)/5, and ‖Π‖²/2R = 2·(5/2)²/2 = 6.25
    let law = Law::Contact(Friction::ConvexCone { mu: 1.0 });
    let a = crate::problems::identity(3, 1.0);
    let problem = matrix(&[(law, 3)], &a, &[0.0, 3.0, 4.0], &[1.0; 3]);
    let gap = Evaluator::new(&problem)
        .unwrap()
        .certificate(&[0.0; 3])
        .unwrap();
    assert!((gap.unwrap() - 6.25).abs() < 1e-14);
}

/// A = 1, b = (−1, 2), R = ((2, 1), (1, 3)) of one block.
fn shared(law: Law, lower: f64) -> Problem {
    let a = crate::problems::identity(2, 1.0);
    let mut parts = matrix(&[(law, 2)], &a, &[-1.0, 2.0], &[2.0, 3.0]).into_parts();
    parts.coupled_compliance.push(0, &[lower]);
    Problem::new(parts).unwrap()
}

#[test]
fn rows_without_bounds_may_share_compliance() {
    let problem = shared(Law::Equality, 1.0);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    // at λ = 0: ½ bᵀR⁻¹b, R⁻¹ = ((3, −1), (−1, 2))/5: ½ (3 + 4 + 8)/5 = 1.5
    let gap = evaluator.certificate(&[0.0; 2]).unwrap().unwrap();
    assert!((gap - 1.5).abs() < 1e-15, "{gap}");
    // (1 + R) λ = −b: ((3, 1), (1, 4)) λ = (1, −2), λ = (6, −7)/11
    let solution = [6.0 / 11.0, -7.0 / 11.0];
    let gap = evaluator.certificate(&solution).unwrap().unwrap();
    assert!(gap < 1e-30, "{gap}");
    assert!(evaluator.evaluate(&solution).unwrap().natural_map < 1e-15);
    // f(0) − f* = ½ bᵀ(A + R)⁻¹b = ½ (4 + 4 + 12)/11 is below the bound
    let zero = evaluator.certificate(&[0.0; 2]).unwrap().unwrap();
    assert!(zero > 10.0 / 11.0);
    // bounded rows that share it have no formula, and a singular block has no conjugate
    let none = |problem: &Problem| {
        let mut evaluator = Evaluator::new(problem).unwrap();
        evaluator.certificate(&[0.0; 2]).unwrap().is_none()
    };
    let push = Law::UNILATERAL;
    assert!(none(&shared(push.clone(), 1.0)));
    assert!(!none(&shared(push, 0.0)));
    assert!(none(&shared(Law::Equality, 6f64.sqrt())));
}

#[test]
fn it_exists_only_where_it_holds() {
    let none = |law: Law, compliance: &[f64], a: &[f64]| {
        let dim = compliance.len();
        let problem = matrix(&[(law, dim)], a, &vec![-1.0; dim], compliance);
        let mut evaluator = Evaluator::new(&problem).unwrap();
        evaluator.certificate(&vec![0.0; dim]).unwrap().is_none()
    };
    let a = crate::problems::identity(3, 1.0);
    for friction in [
        Friction::Coulomb { mu: 0.5 },
        Friction::Disc { mu: 0.5 },
        Friction::Pyramid { mu: 0.5 },
    ] {
        assert!(none(Law::Contact(friction), &[1.0; 3], &a));
    }
    let cone = || Law::Contact(Friction::ConvexCone { mu: 0.5 });
    assert!(!none(cone(), &[1.0; 3], &a));
    // no compliance on one row, unequal tangents, an unsymmetric matrix
    assert!(none(cone(), &[1.0, 0.0, 0.0], &a));
    assert!(none(cone(), &[1.0, 2.0, 3.0], &a));
    let mut skew = a.clone();
    skew[1] = 0.1;
    assert!(none(cone(), &[1.0; 3], &skew));
    // of a held block neither the law nor the compliance matters
    let laws = [(Law::UNILATERAL, 1), (Law::UNILATERAL, 1)];
    let a = [1.0, 0.5, 0.5, 1.0];
    let mut problem = matrix(&laws, &a, &[-2.0, 0.0], &[1.0, 0.0]);
    problem
        .set_activity(&[Activity::Solve, Activity::Hold])
        .unwrap();
    let mut evaluator = Evaluator::new(&problem).unwrap();
    // the held λ_2 = 2 gives w_1 = −2 + 1 + 2λ_1, zero at λ_1 = 1/2
    assert_eq!(evaluator.certificate(&[0.5, 2.0]).unwrap(), Some(0.0));
}

proptest! {
    #[test]
    fn it_bounds_objective_and_velocity(seed in any::<u64>(), spread in 0.0f64..3.0) {
        let laws = convex_laws();
        let order: Vec<usize> = (0..laws.len()).collect();
        let mut problem = bodies(seed, &laws, SI, 1.0, &order);
        // compliance 0.2 to 1.8 per row, equal on the tangents of each contact
        let mut numbers = Numbers(seed.rotate_left(17));
        let mut compliance: Vec<f64> = (0..problem.rows()).map(|_| 1.0 + 0.8 * numbers.next()).collect();
        for block in problem.blocks() {
            if block.dim == 3 {
                compliance[block.first_row + 2] = compliance[block.first_row + 1];
            }
        }
        problem.set_compliance(&compliance).unwrap();
        let (exact, a) = (solve(&problem), dense(&problem));
        let mut evaluator = Evaluator::new(&problem).unwrap();
        let natural = evaluator.evaluate(&exact).unwrap().natural_map;
        prop_assert!(natural < 1e-13, "the test's own solver: {natural}");
        let mut x: Vec<f64> = exact.iter().map(|x| x + spread * numbers.next()).collect();
        for block in problem.blocks() {
            project(&block.law, &mut x[block.rows()]);
        }
        let bound = evaluator.certificate(&x).unwrap().unwrap();
        let gap = objective(&problem, &a, &x) - objective(&problem, &a, &exact);
        let distance = half_distance(&problem, &x, &exact);
        // rounding of objectives of size 100
        prop_assert!(distance <= gap + 1e-12, "{distance} {gap}");
        prop_assert!(gap <= bound + 1e-12, "{gap} {bound}");
        // and it is tight at the solution: on the boundary of a cone it is linear in the rounding
        // of λ and w
        let at_solution = evaluator.certificate(&exact).unwrap().unwrap();
        prop_assert!(at_solution < 1e-14, "{at_solution}");
    }
}
