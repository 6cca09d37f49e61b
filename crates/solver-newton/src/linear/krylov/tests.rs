//! Preconditioners against what they must be, and conjugate gradients against factors.

use delassus_core::Problem;
use serde_json::{Value, json};

use super::*;
use crate::primal::Primal;

fn problems() -> Vec<Problem> {
    let made = [
        ("joint-grid", json!({ "n": 6 })),
        ("wall", json!({ "base": 5, "law": "convex-cone" })),
        ("stack", json!({ "n": 12 })),
        ("chain", json!({ "n": 20, "kind": "rod" })),
        (
            "planted",
            json!({ "bodies": 20, "coulomb": 0, "convex_cone": 40, "equality": 5, "compliance": 0.05 }),
        ),
    ];
    let generated = made.into_iter().map(|(name, parameters): (_, Value)| {
        let map = parameters.as_object().cloned().unwrap_or_default();
        let made = delassus_problems::generate(name, &map);
        made.expect("parameters in range").problem
    });
    generated.collect()
}

fn all_settings() -> impl Iterator<Item = LinearSettings> {
    let kinds = [
        (Preconditioner::BlockJacobi, Smoother::GaussSeidel),
        (Preconditioner::Multigrid, Smoother::GaussSeidel),
        (Preconditioner::Multigrid, Smoother::IncompleteCholesky),
    ];
    kinds
        .into_iter()
        .map(|(preconditioner, smoother)| LinearSettings {
            linear: Linear::Cg,
            preconditioner,
            smoother,
            tolerance: 1e-14,
        })
}

/// The first system of the convex start.
fn first(problem: &Problem, settings: LinearSettings, sigma: f64) -> Primal {
    let bodies = problem.bodies().expect("bodies");
    let impulses = vec![0.0; problem.rows()];
    let mut primal = Primal::new(problem, bodies, &impulses, settings, false);
    primal.sets.convex = true;
    primal.regularize(sigma);
    primal.evaluate();
    primal
}

fn random(count: usize, seed: u64) -> Vec<[f64; 6]> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    };
    (0..count).map(|_| [0; 6].map(|_| next())).collect()
}

#[test]
fn preconditioners_are_symmetric_and_positive() {
    for (index, problem) in problems().iter().enumerate() {
        for settings in all_settings() {
            let mut primal = first(problem, settings, 1e-3);
            let krylov = primal.krylov.as_mut().expect("wanted");
            assert!(krylov.factorize(&primal.rows, &primal.sets, &primal.slopes));
            for seed in 0..5 {
                let count = primal.z.len();
                let (x, y) = (random(count, 2 * seed), random(count, 2 * seed + 1));
                let (mut bx, mut by) = (x.clone(), y.clone());
                krylov.inverse.apply(&mut bx);
                krylov.inverse.apply(&mut by);
                let (xx, yy) = (dot(&x, &bx), dot(&y, &by));
                assert!(xx > 0.0 && yy > 0.0, "{index}: {xx:e}, {yy:e}");
                let apart = (dot(&x, &by) - dot(&y, &bx)).abs();
                assert!(apart <= 1e-11 * (xx * yy).sqrt(), "{index}: {apart:e}");
            }
        }
    }
}

#[test]
fn cycles_overshoot_nowhere() {
    // λ(BH) ≤ 1: Rayleigh quotients of H and of HBH
    for (index, problem) in problems().iter().enumerate() {
        for settings in all_settings().skip(1) {
            let mut primal = first(problem, settings, 1e-3);
            let krylov = primal.krylov.as_mut().expect("wanted");
            assert!(krylov.factorize(&primal.rows, &primal.sets, &primal.slopes));
            let mut x = random(primal.z.len(), 7);
            let mut largest = 0.0;
            for _ in 0..30 {
                let mut hx = vec![[0.0; 6]; x.len()];
                krylov.elements.subtract(&x, &mut hx);
                hx.iter_mut().flatten().for_each(|x| *x = -*x);
                let mut bhx = hx.clone();
                krylov.inverse.apply(&mut bhx);
                largest = dot(&hx, &bhx) / dot(&x, &hx);
                let scale = 1.0 / norm(&bhx);
                x = bhx.iter().map(|x| x.map(|x| scale * x)).collect();
            }
            assert!(largest <= 1.0 + 1e-9, "{index}: {largest}");
        }
    }
}

#[test]
fn gradients_agree_with_factors() {
    for (index, problem) in problems().iter().enumerate() {
        for settings in all_settings() {
            let mut primal = first(problem, settings, 1e-3);
            assert!(primal.direction());
            let step = primal.step.clone();
            assert!(primal.krylov.take().is_some());
            assert!(primal.direction());
            let mut apart = step.clone();
            add_scaled(-1.0, &primal.step, &mut apart);
            let relative = norm(&apart) / norm(&primal.step);
            assert!(relative <= 1e-9, "{index}: {relative:e}");
        }
    }
}
