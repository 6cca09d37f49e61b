//! Asymptotic rates on chains against their closed forms, and other exact linear facts.

use std::f64::consts::PI;

use delassus_core::{Friction, Law, MassProperties, Problem, ProblemBuilder, Start};
use delassus_solver_si::Order;
use nalgebra::Vector3;
use proptest::prelude::*;

use crate::support::{
    all, block_gs, chain, convergent, largest_difference, norm, pgs, psor, rate, residual, run,
    velocity,
};

/// A rate measured over the last hundred sweeps is the largest eigenvalue up to the share of the
/// second one, below 1e-6 for the chains here.
const RATE: f64 = 1e-6;

#[test]
fn gauss_seidel_on_the_anchored_chain() {
    // (G.17): cos²(π / 2n)
    for n in [2u32, 5, 10, 20] {
        let problem = chain(&vec![1.0; n as usize], true);
        let expected = libm::pow(libm::cos(PI / (2.0 * f64::from(n))), 2.0);
        // late enough for the second eigenvalue to be gone, early enough that w stays far above
        // rounding
        let (from, over) = if n < 5 { (8, 8) } else { (20 * n, 100) };
        for solver in [
            &mut pgs(Order::Natural) as &mut dyn delassus_core::ImpulseSolver,
            &mut block_gs(1.0, Order::Natural),
        ] {
            let measured = rate(solver, &problem, from, over);
            assert!(
                (measured - expected).abs() < RATE,
                "n = {n}: {measured} {expected}"
            );
        }
        let measured = rate(&mut pgs(Order::Reversed), &problem, from, over);
        assert!(
            (measured - expected).abs() < RATE,
            "backwards, n = {n}: {measured} {expected}"
        );
    }
    // the tabulated value for n = 10
    assert!((libm::pow(libm::cos(PI / 20.0), 2.0) - 0.9755283).abs() < 5e-8);
}

#[test]
fn simultaneous_sweeps_on_the_anchored_chain_are_jacobi() {
    // (G.17): cos(π / 2n); the eigenvalues come in pairs ±ρ, an even number of sweeps sees neither
    // sign
    for n in [2u32, 5, 10] {
        let problem = chain(&vec![1.0; n as usize], true);
        let expected = libm::cos(PI / (2.0 * f64::from(n)));
        let (from, over) = if n < 5 { (8, 16) } else { (40 * n, 200) };
        let measured = rate(&mut pgs(Order::Simultaneous), &problem, from, over);
        assert!(
            (measured - expected).abs() < RATE,
            "n = {n}: {measured} {expected}"
        );
    }
}

#[test]
fn gauss_seidel_on_the_free_chain() {
    // (G.17): cos²(π / (n + 1)) with n links, n + 1 masses
    let problem = chain(&[1.0; 11], false);
    let expected = libm::pow(libm::cos(PI / 11.0), 2.0);
    assert!((expected - 0.920627).abs() < 5e-7);
    let measured = rate(&mut pgs(Order::Natural), &problem, 150, 100);
    assert!((measured - expected).abs() < RATE, "{measured} {expected}");
}

#[test]
fn two_links_with_a_mass_ratio() {
    // (G.19): r / (1 + r); one non-zero eigenvalue, so every pair of sweeps shows it to rounding of
    // w
    for ratio in [0.01, 1.0, 10.0, 100.0, 1000.0] {
        let problem = chain(&[1.0, ratio], true);
        let expected = ratio / (1.0 + ratio);
        let measured = rate(&mut pgs(Order::Natural), &problem, 1, 2);
        assert!((measured - expected).abs() < 1e-9, "{ratio}: {measured}");
    }
}

#[test]
fn relaxation_follows_the_relation_of_young() {
    // (G.18): √λ = (ωρ + √(ω²ρ² − 4(ω − 1))) / 2 below the optimum
    let n = 10;
    let problem = chain(&vec![1.0; n], true);
    let jacobi = libm::cos(PI / 20.0);
    for omega in [0.7, 1.0, 1.3, 1.5, 1.7] {
        let product = omega * jacobi;
        let root = 0.5 * (product + (product * product - 4.0 * (omega - 1.0)).sqrt());
        let expected = root * root;
        let measured = rate(&mut psor(omega, Order::Natural), &problem, 90, 40);
        // at 0.7 the second eigenvalue is close: its share is (0.86/0.983)⁹⁰ of the norm
        let tolerance = if omega < 1.0 { 1e-4 } else { 1e-5 };
        assert!(
            (measured - expected).abs() < tolerance,
            "{omega}: {measured} {expected}"
        );
    }
    // at the optimum the eigenvalue is ω* − 1, and defective: k λ^(k−1) in place of λ^k
    let optimum = 2.0 / (1.0 + libm::sin(PI / 20.0));
    assert!((optimum - 1.729454).abs() < 5e-7);
    let (from, over) = (40, 40);
    let measured = rate(&mut psor(optimum, Order::Natural), &problem, from, over);
    let defect = libm::pow(2.0, 1.0 / f64::from(over));
    assert!(
        (measured / defect - (optimum - 1.0)).abs() < 5e-3,
        "{measured}"
    );
}

/// A cube of half width a at rest on the four corners of its face, ring order; m g h = 1.
fn cube_on_a_plane() -> Problem {
    let (mass, a) = (2.0, 0.5);
    let inertia = Vector3::repeat(mass * 2.0 * a * a / 3.0);
    let mut builder = ProblemBuilder::new();
    let body = builder.body(
        MassProperties::aligned(mass, inertia),
        [0.0, -0.5, 0.0, 0.0, 0.0, 0.0],
    );
    for (x, z) in [(a, a), (-a, a), (-a, -a), (a, -a)] {
        // r × n with n = y
        let row = [0.0, 1.0, 0.0, -z, 0.0, x];
        builder.block(Law::Contact(Friction::Frictionless), &[body], &[[row]]);
    }
    builder.build().expect("a valid problem")
}

#[test]
fn four_corners_share_a_load_by_the_order_of_visits() {
    // A = circ(4, 1, −2, 1)/m is singular: λ is not unique, its sum and v are
    let problem = cube_on_a_plane();
    let expected = [0.3125, 0.1875, 0.3125, 0.1875];
    let impulses = run(&mut pgs(Order::Natural), &problem, Start::Cold, 200);
    let difference = largest_difference(&impulses, &expected);
    assert!(difference < 1e-14, "{impulses:?}");
    for mut solver in convergent(Order::Natural) {
        let impulses = run(solver.as_mut(), &problem, Start::Cold, 400);
        assert!((impulses.iter().sum::<f64>() - 1.0).abs() < 1e-13);
        assert!(norm(&velocity(&problem, &impulses)) < 1e-13);
    }
    let jacobi = run(&mut pgs(Order::Simultaneous), &problem, Start::Cold, 200);
    assert!(
        largest_difference(&jacobi, &[0.25; 4]) < 1e-14,
        "{jacobi:?}"
    );
}

#[test]
fn statics_of_a_hanging_chain() {
    // λ_i = (n − i + 1) m g h, and a warm start there stays to rounding
    let n = 8;
    let problem = chain(&vec![2.0; n], true);
    let expected: Vec<f64> = (1..=n).rev().map(|links| 0.2 * links as f64).collect();
    for mut solver in all(Order::Natural) {
        let kept = run(solver.as_mut(), &problem, Start::Warm(&expected), 1);
        assert!(largest_difference(&kept, &expected) < 1e-14);
        let found = run(solver.as_mut(), &problem, Start::Cold, 4000);
        assert!(largest_difference(&found, &expected) < 1e-12, "{found:?}");
        assert!(residual(&problem, &found) < 1e-13);
    }
}

fn objective(problem: &Problem, impulses: &[f64]) -> f64 {
    let w = velocity(problem, impulses);
    (0..impulses.len())
        .map(|i| 0.5 * impulses[i] * (w[i] + problem.b()[i]))
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Fixed convex sets and symmetric A: f = ½λᵀ(A + R)λ + bᵀλ never rises (G.21).
    #[test]
    fn the_objective_never_rises_under_fixed_bounds(
        speeds in prop::collection::vec(-1.0..1.0f64, 8),
        masses in prop::collection::vec(0.1..10.0f64, 8),
        bounds in prop::collection::vec((-0.5..0.0f64, 0.0..0.5f64), 12),
        pairs in prop::collection::vec((0usize..8, 0usize..8), 12),
        omega in 0.1..1.9f64,
        compliance in 0.0..0.2f64,
    ) {
        let mut builder = ProblemBuilder::new();
        for (mass, speed) in masses.iter().zip(&speeds) {
            builder.body(crate::support::point(*mass), [0.0, *speed, 0.0, 0.0, 0.0, 0.0]);
        }
        let (up, down) = ([0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
        for ((a, b), (lower, upper)) in pairs.iter().zip(&bounds) {
            let law = Law::Bounds { lower: *lower, upper: *upper };
            if a == b {
                builder.block(law, &[*a], &[[up]]);
            } else {
                builder.block(law, &[*a, *b], &[[up, down]]);
            }
            builder.compliance(&[compliance]);
        }
        let problem = builder.build().expect("a valid problem");
        for mut solver in [
            Box::new(psor(omega, Order::Natural)) as Box<dyn delassus_core::ImpulseSolver>,
            Box::new(block_gs(omega, Order::Random)),
        ] {
            solver.prepare(&problem, Start::Cold).expect("supported");
            let mut before = 0.0;
            for _ in 0..30 {
                let impulses = crate::support::continue_sweeps(solver.as_mut(), &problem, 1);
                let after = objective(&problem, &impulses);
                // rounding of a sum of twelve terms below one
                prop_assert!(after <= before + 1e-14, "{before} {after}");
                before = after;
            }
        }
    }
}
