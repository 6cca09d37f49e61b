//! The falling box: accumulated against incremental clamping, exact numbers.

use delassus_core::{Friction, Law, MassProperties, Problem, ProblemBuilder, Start};
use delassus_solver_si::Order;
use nalgebra::Vector3;

use crate::support::{block_gs, continue_sweeps, largest_difference, naive, pgs, run};

const MASS: f64 = 3.0;
const SPEED: f64 = 2.0;

/// A box of half width 1 and half height `b` that falls flat onto two corners.
fn falling_box(b: f64) -> Problem {
    let about_z = MASS * (1.0 + b * b) / 3.0;
    let mut builder = ProblemBuilder::new();
    let inertia = Vector3::new(about_z, about_z, about_z);
    let body = builder.body(
        MassProperties::aligned(MASS, inertia),
        [0.0, -SPEED, 0.0, 0.0, 0.0, 0.0],
    );
    for x in [-1.0, 1.0] {
        // the moment of n = y at (x, −b) about z is x
        let row = [0.0, 1.0, 0.0, 0.0, 0.0, x];
        builder.block(Law::Contact(Friction::Frictionless), &[body], &[[row]]);
    }
    builder.build().expect("a valid problem")
}

/// s = 3a² / (a² + b²).
fn slenderness(b: f64) -> f64 {
    3.0 / (1.0 + b * b)
}

fn lift(problem: &Problem, impulses: &[f64]) -> f64 {
    let mut v = [0.0; 6];
    problem.body_velocities(impulses, &mut v).expect("bodies");
    v[1]
}

/// Exact to rounding of a handful of operations on numbers of order one.
const ROUNDING: f64 = 1e-14;

#[test]
fn first_sweep_and_rate_of_accumulated_clamping() {
    for b in [0.5, 1.0, 1.5, 2.0, 3.0, 6.0] {
        let (problem, s) = (falling_box(b), slenderness(b));
        let mut solver = pgs(Order::Natural);
        let momentum = MASS * SPEED;
        let first = run(&mut solver, &problem, Start::Cold, 1);
        let expected = [
            momentum / (1.0 + s),
            2.0 * s * momentum / ((1.0 + s) * (1.0 + s)),
        ];
        assert!(
            largest_difference(&first, &expected) < ROUNDING * momentum,
            "{b}: {first:?}"
        );
        // the second error contracts by ((1 − s)/(1 + s))² per sweep, exactly
        let rate = (1.0 - s) * (1.0 - s) / ((1.0 + s) * (1.0 + s));
        let second = continue_sweeps(&mut solver, &problem, 1);
        let half = 0.5 * momentum;
        let contraction = (second[1] - half) - rate * (first[1] - half);
        assert!(
            contraction.abs() < ROUNDING * momentum,
            "{b}: {contraction:e}"
        );
        // and the box ends at rest with half the momentum on each corner
        let last = continue_sweeps(&mut solver, &problem, 200);
        assert!(
            largest_difference(&last, &[half; 2]) < ROUNDING * momentum,
            "{b}: {last:?}"
        );
        assert!(lift(&problem, &last).abs() < ROUNDING);
    }
}

#[test]
fn incremental_clamping_freezes_with_a_bounce() {
    for b in [0.5, 1.0, 1.4, 1.5, 2.0, 3.0, 6.0] {
        let (problem, s) = (falling_box(b), slenderness(b));
        let frozen = run(&mut naive(Order::Natural), &problem, Start::Cold, 1000);
        // (G.22): taller than √2 : 1 bounces, the others do not
        let bounce = if s < 1.0 {
            s * (1.0 - s) / ((1.0 + s) * (1.0 + s)) * SPEED
        } else {
            0.0
        };
        let found = lift(&problem, &frozen);
        assert!((found - bounce).abs() < ROUNDING, "{b}: {found} {bounce}");
        if s < 1.0 {
            let momentum = MASS * SPEED;
            let first = [
                momentum / (1.0 + s),
                2.0 * s * momentum / ((1.0 + s) * (1.0 + s)),
            ];
            assert!(
                largest_difference(&frozen, &first) < ROUNDING * momentum,
                "{b}: {frozen:?}"
            );
        }
    }
}

#[test]
fn tabulated_values() {
    // b = 2a: impulses (0.625, 0.46875) m v, bounce 0.09375 v; b = 3a: 0.12426 v
    let problem = falling_box(2.0);
    let frozen = run(&mut naive(Order::Natural), &problem, Start::Cold, 50);
    assert!(largest_difference(&frozen, &[0.625 * 6.0, 0.46875 * 6.0]) < ROUNDING * 6.0);
    assert!((lift(&problem, &frozen) - 0.09375 * SPEED).abs() < ROUNDING);
    let problem = falling_box(3.0);
    let frozen = run(&mut naive(Order::Natural), &problem, Start::Cold, 50);
    assert!((lift(&problem, &frozen) / SPEED - 0.12426).abs() < 5e-6);
}

#[test]
fn blocks_of_one_row_are_rows() {
    // frictionless contacts of one row: block-gs has nothing to couple
    let problem = falling_box(2.0);
    for sweeps in [1, 2, 7] {
        let rows = run(&mut pgs(Order::Natural), &problem, Start::Cold, sweeps);
        let blocks = run(
            &mut block_gs(1.0, Order::Natural),
            &problem,
            Start::Cold,
            sweeps,
        );
        assert_eq!(rows, blocks);
    }
}

/// The start of a square box: (0.4, 0.48), then (0.496, 0.4992) m v, and no bounce.
#[test]
fn a_square_box_needs_no_negative_increment() {
    let problem = falling_box(1.0);
    for (sweeps, expected) in [(1, [0.4, 0.48]), (2, [0.496, 0.4992])] {
        let momentum = MASS * SPEED;
        let expected = expected.map(|share| share * momentum);
        let totals = run(&mut pgs(Order::Natural), &problem, Start::Cold, sweeps);
        let increments = run(&mut naive(Order::Natural), &problem, Start::Cold, sweeps);
        for found in [totals, increments] {
            assert!(largest_difference(&found, &expected) < ROUNDING * momentum);
        }
    }
}

/// A cube on the four corners of a face, in ring order: m A = circ(4, 1, −2, 1) (E.16). Exact
/// arithmetic of two sweeps with clamped increments ends at (325/1024, 771/4096, 21/64, 51/256) m
/// v.
#[test]
fn a_cube_on_four_points_bounces_with_clamped_increments() {
    let mut builder = ProblemBuilder::new();
    let inertia = Vector3::repeat(MASS * 2.0 / 3.0);
    let body = builder.body(
        MassProperties::aligned(MASS, inertia),
        [0.0, -SPEED, 0.0, 0.0, 0.0, 0.0],
    );
    for [x, z] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
        let row = [0.0, 1.0, 0.0, -z, 0.0, x];
        builder.block(Law::Contact(Friction::Frictionless), &[body], &[[row]]);
    }
    let problem = builder.build().expect("a valid problem");
    let momentum = MASS * SPEED;
    let expected = [325.0 / 1024.0, 771.0 / 4096.0, 21.0 / 64.0, 51.0 / 256.0];
    let frozen = run(&mut naive(Order::Natural), &problem, Start::Cold, 100);
    let expected = expected.map(|share| share * momentum);
    assert!(largest_difference(&frozen, &expected) < ROUNDING * momentum);
    assert!((lift(&problem, &frozen) - 135.0 / 4096.0 * SPEED).abs() < ROUNDING);
    let rest = run(&mut pgs(Order::Natural), &problem, Start::Cold, 100);
    assert!(lift(&problem, &rest).abs() < ROUNDING);
}
