//! What decides: residuals in disc form, which large friction coefficients and weak normals do not
//! hide, and tiny velocities.

use delassus_core::{Friction, Law, Patch, Problem, RollingContact};
use delassus_metrics::{EnergyOrigin, Evaluator, Metric, MetricInput};

use crate::problems::one_block;

/// A matrix with this diagonal.
fn diagonal(entries: &[f64]) -> Vec<f64> {
    let dim = entries.len();
    let mut out = vec![0.0; dim * dim];
    for (i, entry) in entries.iter().enumerate() {
        out[i * dim + i] = *entry;
    }
    out
}

fn decides(problem: &Problem, metric: Metric, impulses: &[f64]) -> f64 {
    let mut evaluator = Evaluator::new(problem).unwrap();
    let forms = evaluator.evaluate_forms(impulses).unwrap();
    let answer = MetricInput::new(impulses);
    evaluator
        .deciding(metric, &forms, &answer)
        .unwrap()
        .unwrap()
}

fn contact(friction: Friction) -> Law {
    Law::Contact(friction)
}

#[test]
fn zero_impulses_are_no_solution_however_large_the_friction_is() {
    // closing at 0.9 m/s, sliding at 0.5 m/s: 2E_s = 0.81/0.8 + 0.25/2.5, of which the normal lacks
    // 0.81/0.8
    let coulomb = contact(Friction::Coulomb { mu: 5e8 });
    let problem = one_block(coulomb, &diagonal(&[0.8, 2.5, 2.5]), &[-0.9, 0.4, 0.3]);
    let missing = (1.0125f64 / 1.1125).sqrt();
    let zero = [0.0; 3];
    let published = Evaluator::new(&problem).unwrap().evaluate(&zero).unwrap();
    assert!(published.natural_map < 1e-8 && published.siconos < 1e-8);
    for (metric, by_hand) in [
        (Metric::NaturalMap, missing),
        (Metric::NaturalMapDisc, missing),
        (Metric::NaturalMapMax, missing),
        (Metric::NaturalMapWorld, missing),
        (Metric::NaturalMapWorldMedian, missing),
        // L‖r‖ over ‖b‖
        (Metric::NaturalMapBlock, 0.9 / 1.06f64.sqrt()),
        (Metric::ScaledQ, 0.9 / 1.06f64.sqrt()),
        // 0.9/0.8 N·s
        (Metric::NaturalMapImpulse, 1.125),
        // ρ = 1: 0.9 over ‖q‖
        (Metric::Siconos, 0.9 / 1.06f64.sqrt()),
        (Metric::NatQ, 0.9 / 1.06f64.sqrt()),
        (Metric::FischerBurmeister, 1.0125f64.sqrt()),
        // λ = 0 may not push: w_n = −0.9
        (Metric::Dual, 0.9),
    ] {
        let found = decides(&problem, metric, &zero);
        assert!(
            (found - by_hand).abs() < 1e-14,
            "{metric}: {found}, {by_hand}"
        );
    }
    // it sticks: λ = −b/d
    let stuck = [0.9 / 0.8, -0.4 / 2.5, -0.3 / 2.5];
    assert!(decides(&problem, Metric::NaturalMap, &stuck) < 1e-7);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let map = evaluator.deciding_natural_map(&zero).unwrap();
    assert_eq!(map, decides(&problem, Metric::NaturalMap, &zero));
}

#[test]
fn small_coefficients_decide_as_they_are_published() {
    // sliding: λ_n = 1.5/2, w_t = b_t (1 − 0.2·1.5/1.3)
    let problem = one_block(
        contact(Friction::Coulomb { mu: 0.2 }),
        &diagonal(&[2.0; 3]),
        &[-1.5, 0.5, -1.2],
    );
    let slide = [0.75, -0.15 * 0.5 / 1.3, 0.15 * 1.2 / 1.3];
    assert!(decides(&problem, Metric::NaturalMap, &slide) < 1e-15);
    // half of the friction: the disc lacks the other half, 0.075 N·s, and 2E_s = (2.25 + 1.69)/2
    let half = [0.75, 0.5 * slide[1], 0.5 * slide[2]];
    let map = decides(&problem, Metric::NaturalMapDisc, &half);
    assert!(
        (map - 0.075 * 2f64.sqrt() / 1.97f64.sqrt()).abs() < 1e-14,
        "{map}"
    );
}

/// Every law with a normal, with coefficients of this size.
fn laws(mu: f64) -> Vec<(Law, usize)> {
    vec![
        (contact(Friction::Coulomb { mu }), 3),
        (contact(Friction::Coulomb { mu }), 2),
        (contact(Friction::Disc { mu }), 3),
        (contact(Friction::ConvexCone { mu }), 3),
        (contact(Friction::Pyramid { mu }), 3),
        (contact(Friction::Facets { mu, facets: 6 }), 3),
        (contact(Friction::FixedBox { limit: mu }), 3),
        (
            Law::Patch(Box::new(Patch {
                mu,
                levers: vec![0.7],
            })),
            4,
        ),
        (
            Law::Rolling(Box::new(RollingContact {
                mu,
                rolling: mu,
                spinning: Some(mu),
            })),
            6,
        ),
    ]
}

#[test]
fn every_law_sees_a_normal_that_closes() {
    for mu in [0.3, 1.0, 1e6, 1e12, 1e69] {
        for (law, dim) in laws(mu) {
            let mut b = vec![0.6; dim];
            b[0] = -0.8;
            let problem = one_block(law.clone(), &diagonal(&vec![1.7; dim]), &b);
            // a share of the energy; of the convex cone the rest may be what friction takes
            let map = decides(&problem, Metric::NaturalMap, &vec![0.0; dim]);
            assert!(map > 0.3, "{law:?}: {map}");
        }
    }
}

#[test]
fn a_normal_that_moves_little_counts_as_much_as_its_tangents() {
    // 2E_s is 1/d_n but for 1e-15 of it
    for (law, dim) in laws(0.4) {
        let mut entries = vec![1.0; dim];
        entries[0] = 1e-18;
        let mut b = vec![1e-3; dim];
        b[0] = -1.0;
        let problem = one_block(law.clone(), &diagonal(&entries), &b);
        let map = decides(&problem, Metric::NaturalMap, &vec![0.0; dim]);
        assert!((map - 1.0).abs() < 1e-9, "{law:?}: {map}");
    }
}

#[test]
fn tiny_velocities_are_judged_like_others() {
    for exponent in [-400, -538, -1000] {
        let unit = f64::powi(2.0, exponent);
        for (law, dim) in laws(0.4) {
            let mut b: Vec<f64> = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8][..dim].to_vec();
            b[0] = -0.8;
            let a = diagonal(&vec![1.7; dim]);
            // bounds are impulses, and shrink with them
            let small = match law {
                Law::Contact(Friction::FixedBox { limit }) => contact(Friction::FixedBox {
                    limit: limit * unit,
                }),
                ref law => law.clone(),
            };
            let scaled: Vec<f64> = b.iter().map(|b| b * unit).collect();
            let problems = [
                one_block(law.clone(), &a, &b),
                one_block(small.clone(), &a, &scaled),
            ];
            let mut impulses = vec![0.05; dim];
            impulses[0] = 0.2;
            let shrunk: Vec<f64> = impulses.iter().map(|x| x * unit).collect();
            for metric in [
                Metric::NaturalMap,
                Metric::NaturalMapMax,
                Metric::NaturalMapBlock,
                Metric::Siconos,
                Metric::NatQ,
                Metric::ScaledQ,
            ] {
                let [plain, tiny] = [
                    decides(&problems[0], metric, &impulses),
                    decides(&problems[1], metric, &shrunk),
                ];
                assert!(
                    (plain - tiny).abs() < 1e-13 * plain,
                    "{law:?} 2^{exponent} {metric}: {plain} {tiny}"
                );
            }
            let mut evaluator = Evaluator::new(&problems[1]).unwrap();
            assert_eq!(evaluator.energy_scale().origin, EnergyOrigin::Velocity);
            let zero = vec![0.0; dim];
            let [one, all] = [0.5, 1.0].map(|share| {
                let part: Vec<f64> = shrunk.iter().map(|x| share * x).collect();
                evaluator.agreement(&part, &zero).unwrap()
            });
            assert!(
                all > 0.0 && (2.0 * one - all).abs() < 1e-13 * all,
                "{one} {all}"
            );
        }
    }
}
