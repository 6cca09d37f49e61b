//! Every metric that needs λ alone, against calculations by hand.

use delassus_core::{
    Friction, Law, MassProperties, Patch, Problem, ProblemBuilder, RollingContact,
};
use delassus_metrics::{Evaluator, Metric, Residuals};

use nalgebra::Vector3;

use crate::problems::{identity, matrix, one_block};

/// A few rounding errors of numbers of size 10.
const ROUNDING: f64 = 1e-14;

fn evaluate(problem: &Problem, impulses: &[f64]) -> Residuals {
    Evaluator::new(problem).unwrap().evaluate(impulses).unwrap()
}

#[track_caller]
fn assert_value(residuals: &Residuals, metric: Metric, expected: f64) {
    let found = residuals.get(metric).unwrap();
    let error = (found - expected).abs();
    assert!(
        error <= ROUNDING * expected.abs().max(1.0),
        "{metric}: {found}, by hand {expected}"
    );
}

#[test]
fn coulomb_contact_that_should_slide() {
    // A = 4 I, so L = 4 and ρ = 1/4. λ = (2, 0, 0), w = 4λ + b = (0, 3, 0), μ = 1/2: ŵ = (1.5, 3,
    // 0). λ − ŵ/4 = (1.625, −0.75, 0) lies in the cone (0.75 ≤ 0.8125), so r = ŵ/4 = (0.375, 0.75,
    // 0), ‖r‖² = 45/64. E_s = ½ (64 + 9)/4 = 9.125. ‖q‖² = 73.
    let law = Law::Contact(Friction::Coulomb { mu: 0.5 });
    let problem = one_block(law, &identity(3, 4.0), &[-8.0, 3.0, 0.0]);
    let residuals = evaluate(&problem, &[2.0, 0.0, 0.0]);
    let natural = (4.0 * 45.0 / 64.0 / (2.0 * 9.125f64)).sqrt();
    assert_value(&residuals, Metric::NaturalMap, natural);
    assert_value(&residuals, Metric::NaturalMapMax, natural);
    // L‖r‖ = 3 √5/2 over ‖b‖ = √73
    let own = 1.5 * (5.0f64 / 73.0).sqrt();
    assert_value(&residuals, Metric::NaturalMapBlock, own);
    assert_eq!(residuals.worst_own_block, Some(0));
    assert_value(
        &residuals,
        Metric::NaturalMapImpulse,
        (45.0 / 64.0f64).sqrt(),
    );
    assert_value(
        &residuals,
        Metric::ScaledQ,
        (16.0 * 45.0 / 64.0 / 73.0f64).sqrt(),
    );
    // ρ = 1: λ − ŵ = (0.5, −3, 0) projects on n' = (0.5 + 1.5)/1.25 = 1.6, t' = −0.8; F = (0.4,
    // 0.8, 0). The largest of ‖q‖ = √73, ‖λ‖ = 2, ‖w‖ = 3 is the first.
    assert_value(&residuals, Metric::Siconos, (0.8 / 73.0f64).sqrt());
    assert_value(&residuals, Metric::NatQ, (0.8 / 73.0f64).sqrt());
    // λ·ŵ = 3, all of it missing friction power; λ_n w_n = 0; λ ∈ K; ŵ on the boundary of K*
    assert_value(&residuals, Metric::Complementarity, 3.0);
    assert_value(&residuals, Metric::Signorini, 0.0);
    assert_value(&residuals, Metric::Dissipation, 3.0);
    assert_value(&residuals, Metric::Primal, 0.0);
    assert_value(&residuals, Metric::Dual, 0.0);
    assert_eq!(residuals.worst_block, Some(0));
}

#[test]
fn coulomb_impulse_outside_its_cone() {
    // A = I, λ = (5, 4, 0), b = (−1, 0, 0): w = (4, 4, 0), ŵ = (6, 4, 0). λ − ŵ = (−1, 0, 0)
    // projects on 0, so r = F = λ, ‖λ‖ = √41. E_s = ½. Siconos divides by the largest of 1, √41,
    // √32: residual 1.
    let law = Law::Contact(Friction::Coulomb { mu: 0.5 });
    let problem = one_block(law, &identity(3, 1.0), &[-1.0, 0.0, 0.0]);
    let residuals = evaluate(&problem, &[5.0, 4.0, 0.0]);
    assert_value(&residuals, Metric::NaturalMap, 41f64.sqrt());
    assert_value(&residuals, Metric::Siconos, 1.0);
    assert_value(&residuals, Metric::NatQ, 41f64.sqrt());
    // λ·ŵ = 30 + 16; λ_n w_n = 20; μ λ_n ‖w_t‖ + λ_t·w_t = 10 + 16
    assert_value(&residuals, Metric::Complementarity, 46.0);
    assert_value(&residuals, Metric::Signorini, 20.0);
    assert_value(&residuals, Metric::Dissipation, 26.0);
    // Π(λ): n' = (5 + 2)/1.25 = 5.6, t' = 2.8; the difference is (0.6, −1.2)
    assert_value(&residuals, Metric::Primal, 1.8f64.sqrt());
}

#[test]
fn convex_cone_without_impulse() {
    // A = I, λ = 0. w = b = (−2, 1, 0), μ = 1/2: −w = (2, −1, 0) lies in K, so the whole of w is
    // infeasible, and r = −Π(−w) = (−2, 1, 0). E_s = 5/2: natural map 1. Second case w = (0, 1, 0):
    // −w projects on (0.4, −0.2, 0).
    let law = || Law::Contact(Friction::ConvexCone { mu: 0.5 });
    let problem = one_block(law(), &identity(3, 1.0), &[-2.0, 1.0, 0.0]);
    let residuals = evaluate(&problem, &[0.0; 3]);
    assert_value(&residuals, Metric::NaturalMap, 1.0);
    assert_value(&residuals, Metric::Dual, 5f64.sqrt());
    assert_value(&residuals, Metric::Complementarity, 0.0);
    let problem = one_block(law(), &identity(3, 1.0), &[0.0, 1.0, 0.0]);
    let residuals = evaluate(&problem, &[0.0; 3]);
    assert_value(&residuals, Metric::Dual, 0.2f64.sqrt());
    assert_value(&residuals, Metric::NaturalMap, 0.2f64.sqrt());
    // F5 opens there: w_n = 0 and λ = 0 is a solution
    let coulomb = Law::Contact(Friction::Coulomb { mu: 0.5 });
    let problem = one_block(coulomb, &identity(3, 1.0), &[0.0, 1.0, 0.0]);
    assert_value(&evaluate(&problem, &[0.0; 3]), Metric::NaturalMap, 0.0);
}

#[test]
fn linear_complementarity_uses_the_library_formula() {
    // A = diag(4, 1), λ = (2, 0), b = (−5, −1): w = (3, −1), min(λ, w) = (2, −1), ‖q‖² = 26.
    // E_s = ½(25/4 + 1) = 29/8. r = (min(2, 3/4), min(0, −1)): Σ L r² = 4·9/16 + 1 = 13/4.
    let laws = [(Law::UNILATERAL, 1), (Law::UNILATERAL, 1)];
    let problem = matrix(&laws, &[4.0, 0.0, 0.0, 1.0], &[-5.0, -1.0], &[0.0; 2]);
    let residuals = evaluate(&problem, &[2.0, 0.0]);
    assert_value(&residuals, Metric::Siconos, (5.0 / 26.0f64).sqrt());
    assert_value(&residuals, Metric::NaturalMap, (3.25 / 7.25f64).sqrt());
    assert_value(&residuals, Metric::NaturalMapMax, (2.25 / 7.25f64).sqrt());
    // x = (√4·2, 0), y = (3/√4, −1): φ = (5.5 − √18.25, −1 − 1)
    let phi = 5.5 - 18.25f64.sqrt();
    assert_value(
        &residuals,
        Metric::FischerBurmeister,
        (phi * phi + 4.0).sqrt(),
    );
    assert_value(&residuals, Metric::Complementarity, 6.0);
    assert_value(&residuals, Metric::Signorini, 6.0);
    assert_value(&residuals, Metric::Dual, 1.0);
    assert_eq!(residuals.dissipation, None);
    // the same with one bilateral row is not an LCP: the divisor becomes max(√26, 2, √10), the
    // numerator min(2, 3) and w_2 = −1
    let laws = [(Law::UNILATERAL, 1), (Law::Equality, 1)];
    let problem = matrix(&laws, &[4.0, 0.0, 0.0, 1.0], &[-5.0, -1.0], &[0.0; 2]);
    let residuals = evaluate(&problem, &[2.0, 0.0]);
    assert_value(&residuals, Metric::Siconos, (5.0 / 26.0f64).sqrt());
    // an iterate large enough to be divided by: λ = (20, 0), w = (75, −1), F = (20, −1); LCP over
    // √26, else over ‖w‖
    let residuals = evaluate(&problem, &[20.0, 0.0]);
    assert_value(&residuals, Metric::Siconos, (401.0 / 5626.0f64).sqrt());
}

#[test]
fn guards_leave_a_zero_divisor_out() {
    // b = 0: ‖q‖ = 0, so nat_q and the LCP residual are the numerators; E_s = 1 J. λ = 3, A = 1:
    // w = 3
    let problem = one_block(Law::UNILATERAL, &[1.0], &[0.0]);
    let residuals = evaluate(&problem, &[3.0]);
    assert_value(&residuals, Metric::Siconos, 3.0);
    assert_value(&residuals, Metric::NatQ, 3.0);
    assert_value(&residuals, Metric::NaturalMap, 3.0 / 2f64.sqrt());
}

#[test]
fn bounded_row() {
    // [−1, 2], A = 1. λ = 0.5 and w = 4: complementarity (λ − l) w = 6; r = min(4, λ − l) = 1.5;
    // dual 0 (bounded). φ: x = 0.5, y = 4: inner φ(1.5, −4) = −2.5 − √18.25, so φ(1.5, 2.5 +
    // √18.25).
    let law = Law::Bounds {
        lower: -1.0,
        upper: 2.0,
    };
    let problem = one_block(law, &[1.0], &[3.5]);
    let residuals = evaluate(&problem, &[0.5]);
    assert_value(&residuals, Metric::Complementarity, 6.0);
    assert_value(&residuals, Metric::NaturalMapImpulse, 1.5);
    assert_value(&residuals, Metric::Dual, 0.0);
    assert_eq!(residuals.signorini, None);
    let inner = 2.5 + 18.25f64.sqrt();
    let phi = 1.5 + inner - (1.5 * 1.5 + inner * inner).sqrt();
    assert_value(&residuals, Metric::FischerBurmeister, phi);
    // λ = 3 is outside by 1; w = 6.5; (λ − l) w = 26
    let residuals = evaluate(&problem, &[3.0]);
    assert_value(&residuals, Metric::Primal, 1.0);
    assert_value(&residuals, Metric::Complementarity, 26.0);
}

#[test]
fn one_sided_rows_have_one_sided_duals() {
    // λ ≤ 0 needs w ≤ 0; w = 3 is infeasible by 3, and (u − λ) plays no part: |λ w| = 6
    let law = Law::Bounds {
        lower: f64::NEG_INFINITY,
        upper: 0.0,
    };
    let problem = one_block(law, &[1.0], &[5.0]);
    let residuals = evaluate(&problem, &[-2.0]);
    assert_value(&residuals, Metric::Dual, 3.0);
    assert_value(&residuals, Metric::Complementarity, 6.0);
    // λ ≥ 0 with w = −3: dual 3
    let problem = one_block(Law::UNILATERAL, &[1.0], &[-3.0]);
    assert_value(&evaluate(&problem, &[0.0]), Metric::Dual, 3.0);
    // equality with w = −3
    let problem = one_block(Law::Equality, &[1.0], &[-3.0]);
    assert_value(&evaluate(&problem, &[0.0]), Metric::Dual, 3.0);
}

#[test]
fn boxes_and_discs_differ_in_dissipation() {
    // A = I, λ = (2, −1, 0), w = (0, 3, 4), μ = 1/2, so every friction bound is 1.
    // disc: 1·5 − 3 = 2. pyramid: (1·3 − 3) + (1·4 + 0) = 4. fixed box of 2: (6 − 3) + 8 = 11.
    let b = [-2.0, 4.0, 4.0];
    let cases = [
        (Friction::Disc { mu: 0.5 }, 2.0),
        (Friction::Coulomb { mu: 0.5 }, 2.0),
        (Friction::ConvexCone { mu: 0.5 }, 2.0),
        (Friction::Pyramid { mu: 0.5 }, 4.0),
        (Friction::FixedBox { limit: 2.0 }, 11.0),
    ];
    for (friction, defect) in cases {
        let problem = one_block(Law::Contact(friction), &identity(3, 1.0), &b);
        let residuals = evaluate(&problem, &[2.0, -1.0, 0.0]);
        assert_value(&residuals, Metric::Dissipation, defect);
        // λ_n w_n = 0: all of the complementarity is friction, except for F6, whose ŵ = w: λ·w = −3
        let expected = match friction {
            Friction::ConvexCone { .. } => 3.0,
            _ => defect,
        };
        assert_value(&residuals, Metric::Complementarity, expected);
    }
}

#[test]
fn disc_is_judged_by_fischer_burmeister_as_a_cone() {
    // λ = 0 and w = (3, 4, 0), μ = 1, A = I: ŵ = (7, 4, 0), x = 0, y = (7, 4, 0) in the Lorentz
    // cone: φ = 0. λ = (1, 0, 0), w = (3, 0, 0): the scalar function on the axis, 1 + 3 − √10.
    for friction in [Friction::Disc { mu: 1.0 }, Friction::Coulomb { mu: 1.0 }] {
        let problem = one_block(Law::Contact(friction), &identity(3, 1.0), &[3.0, 4.0, 0.0]);
        assert_value(
            &evaluate(&problem, &[0.0; 3]),
            Metric::FischerBurmeister,
            0.0,
        );
        let problem = one_block(Law::Contact(friction), &identity(3, 1.0), &[2.0, 0.0, 0.0]);
        let expected = 4.0 - 10f64.sqrt();
        assert_value(
            &evaluate(&problem, &[1.0, 0.0, 0.0]),
            Metric::FischerBurmeister,
            expected,
        );
    }
}

#[test]
fn frictionless_tangents_must_carry_nothing() {
    // A = I, λ = (1, 2, 0), b = (−1, −2, 7): w = (0, 0, 7). Only λ_t = 2 is wrong: r = (0, 2, 0),
    // primal 2
    let law = Law::Contact(Friction::Frictionless);
    let problem = one_block(law, &identity(3, 1.0), &[-1.0, -2.0, 7.0]);
    let residuals = evaluate(&problem, &[1.0, 2.0, 0.0]);
    assert_value(&residuals, Metric::NaturalMapImpulse, 2.0);
    assert_value(&residuals, Metric::Primal, 2.0);
    assert_eq!(residuals.dissipation, None);
    assert_value(&residuals, Metric::Dual, 0.0);
}

#[test]
fn patch_bounds_come_from_all_its_normals() {
    // two normals λ_n = (2, −1) (the pull counts as 0), μ = 1/2, levers (3, 5): disc radius 1,
    // twist bound 3. A = I, b = 0 except where w is set: w = λ + b. tangents λ_t = (3, 4): outside
    // the disc by 4. twist λ = −5: outside by 2. normal −1: outside by 1.
    let law = Law::Patch(Box::new(Patch {
        mu: 0.5,
        levers: vec![3.0, 5.0],
    }));
    let impulses = [2.0, -1.0, 3.0, 4.0, -5.0];
    // w = (0, 0, 0, 2, 1)
    let b = [-2.0, 1.0, -3.0, -2.0, 6.0];
    let problem = one_block(law, &identity(5, 1.0), &b);
    let residuals = evaluate(&problem, &impulses);
    assert_value(&residuals, Metric::Primal, 4.0);
    // disc: 1·2 + 4·2 = 10; twist: 3·1 − 5·1 = −2
    assert_value(&residuals, Metric::Dissipation, 10.0);
    assert_value(&residuals, Metric::Complementarity, 10.0);
    assert_eq!(residuals.fischer_burmeister, None);
    // normals: 0 and −1 − 0 = −1. tangents: (3, 2)/√13 is the projection of λ_t − w_t = (3, 2).
    // twist: −5 − 1 = −6 projects on −3: −2.
    let (x, y) = (3.0 - 3.0 / 13f64.sqrt(), 4.0 - 2.0 / 13f64.sqrt());
    let energy = 0.5 * b.iter().map(|b| b * b).sum::<f64>();
    let expected = ((1.0 + x * x + y * y + 4.0) / (2.0 * energy)).sqrt();
    assert_value(&residuals, Metric::NaturalMap, expected);
}

#[test]
fn four_facets_off_their_solution() {
    // λ_n = 2, μ = 1/2: |λ_t1| + |λ_t2| ≤ 1. A = I, w = λ + b = (0, −2, −1).
    // λ_t = (1, 1/2) is beyond the edge by 1/2, so 1/4 off each: ‖(1/4, 1/4)‖.
    // λ_t − w_t = (3, 3/2) projects on the corner (1, 0): r = (0, 0, 1/2).
    let law = Law::Contact(Friction::Facets { mu: 0.5, facets: 4 });
    let impulses = [2.0, 1.0, 0.5];
    let b = [-2.0, -3.0, -1.5];
    let problem = one_block(law, &identity(3, 1.0), &b);
    let residuals = evaluate(&problem, &impulses);
    assert_value(&residuals, Metric::Primal, 0.125f64.sqrt());
    // the best corner gives 1 · 2; λ_t·w_t = −2.5
    assert_value(&residuals, Metric::Dissipation, 0.5);
    assert_value(&residuals, Metric::Complementarity, 0.5);
    assert_value(&residuals, Metric::Signorini, 0.0);
    assert_eq!(residuals.fischer_burmeister, None);
    let energy = 0.5 * (4.0 + 9.0 + 2.25f64);
    let expected = (0.25 / (2.0 * energy)).sqrt();
    assert_value(&residuals, Metric::NaturalMap, expected);
    // with one tangent the corners bound an interval
    let law = Law::Contact(Friction::Facets { mu: 0.5, facets: 8 });
    let problem = one_block(law, &identity(2, 1.0), &[-2.0, -3.0]);
    assert_value(&evaluate(&problem, &[2.0, 1.5]), Metric::Primal, 0.5);
}

#[test]
fn a_rolling_contact_off_its_solution() {
    // λ_n = 2, μ = 1/2, ρ_r = 1/4, ρ_s = 2: radii 1 and 1/2, bound 4. A = I, w = λ + b = (0, 0, 1,
    // 0, −1, −2). tangents (3, 4) are outside by 4; rolling rows (0, 1/2) and the spin 4 are on
    // their bounds.
    let law = Law::Rolling(Box::new(RollingContact {
        mu: 0.5,
        rolling: 0.25,
        spinning: Some(2.0),
    }));
    let impulses = [2.0, 3.0, 4.0, 0.0, 0.5, 4.0];
    let w = [0.0, 0.0, 1.0, 0.0, -1.0, -2.0];
    let b: Vec<f64> = w.iter().zip(&impulses).map(|(w, x)| w - x).collect();
    let problem = one_block(law, &identity(6, 1.0), &b);
    let residuals = evaluate(&problem, &impulses);
    assert_value(&residuals, Metric::Primal, 4.0);
    // 1·1 + 4·1 of the tangents; the others dissipate all they can
    assert_value(&residuals, Metric::Dissipation, 5.0);
    assert_value(&residuals, Metric::Complementarity, 5.0);
    assert_value(&residuals, Metric::Signorini, 0.0);
    assert_eq!(residuals.fischer_burmeister, None);
    // λ_t − w_t = (3, 3) projects on (1, 1)/√2
    let share = 0.5f64.sqrt();
    let (x, y) = (3.0 - share, 4.0 - share);
    let energy = 0.5 * b.iter().map(|b| b * b).sum::<f64>();
    let expected = ((x * x + y * y) / (2.0 * energy)).sqrt();
    assert_value(&residuals, Metric::NaturalMap, expected);
}

#[test]
fn compliance_enters_velocity_and_scale() {
    // A = 1, R = 3, b = −8: λ = 2 is exact. At λ = 1: w = −4, L = 4, r = −1, E_s = 8: √4·1/√16 =
    // 1/2
    let problem = matrix(&[(Law::Equality, 1)], &[1.0], &[-8.0], &[3.0]);
    assert_value(&evaluate(&problem, &[2.0]), Metric::NaturalMap, 0.0);
    assert_value(&evaluate(&problem, &[1.0]), Metric::NaturalMap, 0.5);
}

#[test]
fn planar_contact() {
    // two rows, A = I, μ = 1, F5: λ = (1, 0), w = (0, 2): ŵ = (2, 2). ρ = 1: λ − ŵ = (−1, −2): n' =
    // (−1 + 2)/2 = 1/2, t' = −1/2; r = (1/2, 1/2). b = (−1, 2): E_s = 5/2, ‖q‖ = √5 ≥ ‖λ‖, ‖w‖.
    let law = Law::Contact(Friction::Coulomb { mu: 1.0 });
    let problem = one_block(law, &identity(2, 1.0), &[-1.0, 2.0]);
    let residuals = evaluate(&problem, &[1.0, 0.0]);
    assert_value(&residuals, Metric::NaturalMap, (0.5 / 5.0f64).sqrt());
    assert_value(&residuals, Metric::Siconos, (0.5 / 5.0f64).sqrt());
}

#[test]
fn step_uses_the_largest_eigenvalue_of_the_symmetric_part() {
    // [[2, 2], [0, 2]] has the symmetric part [[2, 1], [1, 2]] with eigenvalues 1 and 3.
    // λ = 0, b = (−3, 0), F1 with a wide box: r = b/3 → (−1, 0); e² = 3·1; E_s = ½·9/2
    let law = Law::Contact(Friction::FixedBox { limit: 100.0 });
    let problem = one_block(law, &[2.0, 2.0, 0.0, 2.0], &[-3.0, 0.0]);
    let residuals = evaluate(&problem, &[0.0, 0.0]);
    assert_value(&residuals, Metric::NaturalMap, (3.0 / 4.5f64).sqrt());
    assert_value(&residuals, Metric::NaturalMapImpulse, 1.0);
}

#[test]
fn a_heavy_neighbour_hides_a_light_contact_from_the_energy_norm_only() {
    // two independent contacts at −10 m/s, effective masses 1e8 kg and 1 kg; the heavy one is
    // solved, λ = 1e9 N·s, the light one untouched: e = √1·10 over √(2E_s) = √(100 (1e8 + 1))
    let rows = vec![(Law::UNILATERAL, 1), (Law::UNILATERAL, 1)];
    let a = [1e-8, 0.0, 0.0, 1.0];
    let problem = matrix(&rows, &a, &[-10.0, -10.0], &[0.0; 2]);
    let residuals = evaluate(&problem, &[1e9, 0.0]);
    assert_value(
        &residuals,
        Metric::NaturalMap,
        (1.0 / (1e8 + 1.0f64)).sqrt(),
    );
    assert_value(&residuals, Metric::NaturalMapBlock, 1.0);
    assert_eq!(residuals.worst_own_block, Some(1));
    // half of its velocity is left: ½
    let half = evaluate(&problem, &[1e9, 5.0]);
    assert_value(&half, Metric::NaturalMapBlock, 0.5);
    let solved = evaluate(&problem, &[1e9, 10.0]);
    assert_value(&solved, Metric::NaturalMapBlock, 0.0);
    assert_eq!(solved.worst_own_block, None);
}

#[test]
fn a_block_without_a_velocity_of_its_own_is_judged_by_what_its_neighbours_do() {
    // two links that fall together, b = (−1, 0): the heavy upper one has stopped at λ₁ = 1e8, the
    // light lower one falls on, w₂ = A₂₁ λ₁ = −1 m/s. A = [[1e-8, −1e-8], [−1e-8, 1 + 1e-8]]
    let rows = vec![(Law::Equality, 1), (Law::Equality, 1)];
    let (m, l) = (1e-8, 1.0 + 1e-8);
    let problem = matrix(&rows, &[m, -m, -m, l], &[-1.0, 0.0], &[0.0; 2]);
    let residuals = evaluate(&problem, &[1e8, 0.0]);
    assert!(residuals.natural_map < 1.1e-4, "{residuals:?}");
    assert_value(&residuals, Metric::NaturalMapBlock, 1.0);
    assert_eq!(residuals.worst_own_block, Some(1));
    // b = 0 and no impulses: nothing moves and nothing should; what moves then counts in m/s: w₁ =
    // 1e-8 · 1e4
    let rest = matrix(&rows, &[m, -m, -m, l], &[0.0; 2], &[0.0; 2]);
    assert_value(&evaluate(&rest, &[0.0; 2]), Metric::NaturalMapBlock, 0.0);
    assert_value(&evaluate(&rest, &[1e4, 0.0]), Metric::NaturalMapBlock, 1e-4);
    // a block that rounding alone moves is not judged by it: 1e-12 m/s compared with 1 m/s, and a
    // matrix has one scale
    let apart = matrix(&rows, &identity(2, 1.0), &[-1.0, 1e-12], &[0.0; 2]);
    assert_value(
        &evaluate(&apart, &[1.0, 0.0]),
        Metric::NaturalMapBlock,
        1e-12,
    );
}

#[test]
fn bodies_that_fall_side_by_side_give_a_joint_its_scale() {
    // 1 kg hangs from 2 kg, both at −3 m/s, a third body rests: b = 0 in the joint, J v_f = ∓3 of
    // its bodies
    let mut builder = ProblemBuilder::new();
    let body = |builder: &mut ProblemBuilder, mass: f64, speed: f64| {
        let mass = MassProperties::aligned(mass, Vector3::repeat(1.0));
        builder.body(mass, [0.0, speed, 0.0, 0.0, 0.0, 0.0])
    };
    let bodies = [body(&mut builder, 2.0, -3.0), body(&mut builder, 1.0, -3.0)];
    let rest = body(&mut builder, 1.0, 0.0);
    let up = |sign: f64| [0.0, sign, 0.0, 0.0, 0.0, 0.0];
    builder.block(Law::Equality, &bodies, &[[up(1.0), up(-1.0)]]);
    builder.block(Law::Equality, &[rest], &[[up(1.0)]]);
    let problem = builder.build().unwrap();
    // A = ½ + 1: λ = 1 gives w = 1.5 m/s, half of 3 m/s; the body at rest is judged on 3e-3 m/s
    let residuals = evaluate(&problem, &[1.0, 0.0]);
    assert_value(&residuals, Metric::NaturalMapBlock, 0.5);
    let residuals = evaluate(&problem, &[0.0, 3e-6]);
    assert_value(&residuals, Metric::NaturalMapBlock, 1e-3);
    assert_eq!(residuals.worst_own_block, Some(1));
}
