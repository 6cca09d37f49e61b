//! Exact solutions of every law have residual zero; perturbed ones have not.

use delassus_core::{Friction, Law, Patch, RollingContact};
use delassus_metrics::{Evaluator, Metric};

use crate::problems::{Numbers, matrix};

/// A law with complementary impulses and velocities (P.4–P.8), and what they are.
type Solution = (&'static str, Law, Vec<f64>, Vec<f64>);

fn contact(friction: Friction) -> Law {
    Law::Contact(friction)
}

fn patch() -> Law {
    Law::Patch(Box::new(Patch {
        mu: 0.5,
        levers: vec![1.0, 3.0],
    }))
}

/// Facets at a corner, on an edge and inside; rolling contacts that stick, slip and spin.
fn facets_and_rolling() -> Vec<Solution> {
    let facets = || contact(Friction::Facets { mu: 0.5, facets: 4 });
    let rolling = |spinning| {
        Law::Rolling(Box::new(RollingContact {
            mu: 0.5,
            rolling: 0.25,
            spinning,
        }))
    };
    let (corner, edge) = (vec![0.0, -3.0, 1.0], vec![0.0, -2.0, -2.0]);
    let rolls = vec![0.0, 0.0, 0.0, -3.0, -4.0];
    vec![
        ("facets, corner", facets(), vec![2.0, 1.0, 0.0], corner),
        ("facets, edge", facets(), vec![2.0, 0.25, 0.75], edge),
        (
            "facets, stick",
            facets(),
            vec![2.0, -0.5, 0.25],
            vec![0.0; 3],
        ),
        ("facets, open", facets(), vec![0.0; 3], vec![0.5, 1.0, -2.0]),
        (
            "rolls without slipping",
            rolling(None),
            vec![2.0, 0.1, -0.2, 0.3, 0.4],
            rolls,
        ),
        (
            "slips and spins without rolling",
            rolling(Some(0.125)),
            vec![2.0, 0.6, 0.8, 0.25, 0.25, -0.25],
            vec![0.0, -3.0, -4.0, 0.0, 0.0, 1.0],
        ),
        (
            "rolling contact, open",
            rolling(Some(0.125)),
            vec![0.0; 6],
            vec![0.5, 1.0, -2.0, 0.5, 0.25, 3.0],
        ),
    ]
}

/// Open, stick and slide for every law. The Pythagorean slip direction (3, 4)/5 keeps the numbers
/// short.
fn solutions() -> Vec<Solution> {
    let motor = || Law::Bounds {
        lower: -2.0,
        upper: 3.0,
    };
    let mut out: Vec<Solution> = vec![
        ("joint", Law::Equality, vec![1.5, -2.0], vec![0.0, 0.0]),
        ("limit open", Law::UNILATERAL, vec![0.0], vec![0.7]),
        ("limit closed", Law::UNILATERAL, vec![0.7], vec![0.0]),
        ("motor low", motor(), vec![-2.0], vec![1.0]),
        ("motor high", motor(), vec![3.0], vec![-1.0]),
        ("motor inside", motor(), vec![1.0], vec![0.0]),
        (
            "frictionless",
            contact(Friction::Frictionless),
            vec![2.0, 0.0, 0.0],
            vec![0.0, 3.0, -1.0],
        ),
        (
            "fixed box, one axis slides",
            contact(Friction::FixedBox { limit: 0.5 }),
            vec![2.0, -0.5, 0.25],
            vec![0.0, 3.0, 0.0],
        ),
        (
            "fixed box on an open contact",
            contact(Friction::FixedBox { limit: 0.5 }),
            vec![0.0, -0.5, 0.5],
            vec![1.0, 3.0, -4.0],
        ),
        (
            "pyramid slides",
            contact(Friction::Pyramid { mu: 0.5 }),
            vec![2.0, -1.0, 1.0],
            vec![0.0, 3.0, -4.0],
        ),
        (
            "convex cone slides",
            contact(Friction::ConvexCone { mu: 0.5 }),
            vec![2.0, -0.6, -0.8],
            vec![2.5, 3.0, 4.0],
        ),
        (
            "patch slides and spins",
            patch(),
            // radius ½(2 + 1), twist bound ½(2 + 3)
            vec![2.0, 1.0, -0.9, -1.2, 2.5],
            vec![0.0, 0.0, 3.0, 4.0, -2.0],
        ),
        (
            "patch sticks on one point",
            patch(),
            vec![2.0, 0.0, 0.5, 0.5, 0.25],
            vec![0.0, 1.0, 0.0, 0.0, 0.0],
        ),
        (
            "patch open",
            patch(),
            vec![0.0; 5],
            vec![1.0, 0.0, 3.0, 4.0, 5.0],
        ),
    ];
    out.extend(facets_and_rolling());
    for friction in [Friction::Disc { mu: 0.5 }, Friction::Coulomb { mu: 0.5 }] {
        out.push((
            "slide",
            contact(friction),
            vec![2.0, -0.6, -0.8],
            vec![0.0, 3.0, 4.0],
        ));
    }
    for friction in [
        Friction::Pyramid { mu: 0.5 },
        Friction::Disc { mu: 0.5 },
        Friction::Coulomb { mu: 0.5 },
        Friction::ConvexCone { mu: 0.5 },
    ] {
        out.push((
            "stick",
            contact(friction),
            vec![2.0, 0.5, -0.5],
            vec![0.0; 3],
        ));
        out.push(("open", contact(friction), vec![0.0; 3], vec![2.5, 3.0, 4.0]));
    }
    for friction in [
        Friction::Coulomb { mu: 0.0 },
        Friction::Disc { mu: 0.0 },
        Friction::ConvexCone { mu: 0.0 },
        Friction::Pyramid { mu: 0.0 },
    ] {
        out.push((
            "no friction",
            contact(friction),
            vec![2.0, 0.0, 0.0],
            vec![0.0, 3.0, -4.0],
        ));
        out.push((
            "no friction, open",
            contact(friction),
            vec![0.0; 3],
            vec![1.0, 3.0, -4.0],
        ));
    }
    out
}

/// Plants λ and w in a random symmetric positive definite problem with compliance: b = w − (A +
/// R)λ.
fn plant(seed: u64, planted: &[Solution]) -> (delassus_core::Problem, Vec<f64>) {
    let mut numbers = Numbers(seed);
    let impulses: Vec<f64> = planted.iter().flat_map(|s| s.2.clone()).collect();
    let velocities: Vec<f64> = planted.iter().flat_map(|s| s.3.clone()).collect();
    let rows = impulses.len();
    let factor = numbers.vector(rows * rows);
    let mut a = vec![0.0; rows * rows];
    for i in 0..rows {
        for j in 0..rows {
            a[i * rows + j] = (0..rows)
                .map(|k| factor[i * rows + k] * factor[j * rows + k])
                .sum();
        }
    }
    let compliance: Vec<f64> = (0..rows).map(|_| 1.0 + numbers.next()).collect();
    let b: Vec<f64> = (0..rows)
        .map(|i| {
            let a_lambda: f64 = (0..rows).map(|j| a[i * rows + j] * impulses[j]).sum();
            velocities[i] - a_lambda - compliance[i] * impulses[i]
        })
        .collect();
    let laws: Vec<(Law, usize)> = planted.iter().map(|s| (s.1.clone(), s.2.len())).collect();
    (matrix(&laws, &a, &b, &compliance), impulses)
}

/// Rounding of w: sums of 40 terms of size up to 10, b of size 100.
const ROUNDING: f64 = 1e-12;

#[test]
fn residuals_vanish_at_each_solution() {
    for (index, solution) in solutions().into_iter().enumerate() {
        let (name, law) = (solution.0, solution.1.clone());
        let convex_slide = name == "convex cone slides";
        let (problem, impulses) = plant(index as u64, &[solution]);
        let residuals = Evaluator::new(&problem)
            .unwrap()
            .evaluate(&impulses)
            .unwrap();
        for (metric, value) in residuals.iter() {
            if metric == Metric::Signorini && convex_slide {
                // F6 separates while it slides: λ_n w_n = 2·2.5
                assert!((value - 5.0).abs() < ROUNDING, "{value}");
            } else {
                assert!(value < ROUNDING, "{name} {law:?} {metric}: {value}");
            }
        }
    }
}

#[test]
fn residuals_vanish_on_all_of_them_together() {
    let (problem, impulses) = plant(7, &solutions());
    let residuals = Evaluator::new(&problem)
        .unwrap()
        .evaluate(&impulses)
        .unwrap();
    assert!(residuals.natural_map < ROUNDING);
    assert!(residuals.siconos < ROUNDING);
    assert_eq!(residuals.fischer_burmeister, None, "there are patches");
}

#[test]
fn the_headline_sees_every_perturbation() {
    // λ moved by δ = 1e-3 in any single component, w with it through A: no law has another solution
    // that close, as A + R is positive definite
    for (index, solution) in solutions().into_iter().enumerate() {
        let name = solution.0;
        let (problem, impulses) = plant(index as u64, &[solution]);
        let mut evaluator = Evaluator::new(&problem).unwrap();
        for row in 0..impulses.len() {
            for sign in [1.0, -1.0] {
                let mut moved = impulses.clone();
                moved[row] += sign * 1e-3;
                let residuals = evaluator.evaluate(&moved).unwrap();
                // the factor 1e-3 below δ covers the conditioning and scale of these matrices
                let seen = residuals.natural_map_impulse;
                assert!(seen > 1e-6, "{name} row {row} sign {sign}: {seen}");
                assert!(residuals.natural_map > 0.0 && residuals.worst_block == Some(0));
            }
        }
    }
}

#[test]
fn wrong_pairs_are_not_solutions() {
    // each line breaks one condition of its law, with A = I scaled: (law, λ, w)
    let coulomb = || contact(Friction::Coulomb { mu: 0.5 });
    let wrong: Vec<Solution> = vec![
        ("penetrates", Law::UNILATERAL, vec![0.0], vec![-0.1]),
        ("pulls", Law::UNILATERAL, vec![-0.1], vec![0.0]),
        ("pushes while open", Law::UNILATERAL, vec![0.1], vec![0.1]),
        ("joint moves", Law::Equality, vec![3.0], vec![0.1]),
        (
            "friction too small",
            coulomb(),
            vec![2.0, -0.5, 0.0],
            vec![0.0, 1.0, 0.0],
        ),
        (
            "friction along the slip",
            coulomb(),
            vec![2.0, 1.0, 0.0],
            vec![0.0, 1.0, 0.0],
        ),
        (
            "friction across the slip",
            coulomb(),
            vec![2.0, 0.0, 1.0],
            vec![0.0, 1.0, 0.0],
        ),
        (
            "friction too large",
            coulomb(),
            vec![2.0, 1.5, 0.0],
            vec![0.0; 3],
        ),
        (
            "separates while it slides",
            coulomb(),
            vec![2.0, -1.0, 0.0],
            vec![0.5, 1.0, 0.0],
        ),
    ];
    for solution in wrong {
        let name = solution.0;
        let (problem, impulses) = plant(3, &[solution]);
        let residuals = Evaluator::new(&problem)
            .unwrap()
            .evaluate(&impulses)
            .unwrap();
        for metric in [
            Metric::NaturalMap,
            Metric::NaturalMapMax,
            Metric::NaturalMapImpulse,
            Metric::Siconos,
            Metric::NatQ,
            Metric::ScaledQ,
            Metric::FischerBurmeister,
        ] {
            assert!(residuals.get(metric) > Some(1e-4), "{name} {metric}");
        }
    }
}
