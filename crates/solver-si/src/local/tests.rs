//! Local solvers against the natural map of their law, on random and planted problems.

use delassus_core::projection;
use proptest::prelude::*;

use super::boxes::BoxContact;
use super::convex::ConvexContact;
use super::coulomb::CoulombContact;
use super::{LocalSolver, OwnMatrix};
use crate::small::largest_eigenvalue;

/// Natural map relative to the impulses at hand; an exact solution leaves rounding times the
/// condition number of the matrices below, at most about 1e3: measured 3e-14.
const TOLERANCE: f64 = 1e-12;

fn velocity(own: &OwnMatrix, r: [f64; 3], q: [f64; 3]) -> [f64; 3] {
    let mut w = q;
    for i in 0..3 {
        w[i] += own.w[i][0] * r[0] + own.w[i][1] * r[1] + own.w[i][2] * r[2];
    }
    w
}

/// ρ = 1 / λ_max of the leading `dim` rows and columns.
fn step(own: &OwnMatrix) -> f64 {
    let dim = own.dim;
    let part: Vec<f64> = (0..dim).flat_map(|i| own.w[i][..dim].to_vec()).collect();
    1.0 / largest_eigenvalue(&part)
}

fn relative(own: &OwnMatrix, q: [f64; 3], r: [f64; 3], projected: [f64; 3]) -> f64 {
    let norm = |x: [f64; 3]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
    let difference = [
        r[0] - projected[0],
        r[1] - projected[1],
        r[2] - projected[2],
    ];
    norm(difference) / (norm(r) + step(own) * norm(q))
}

/// ‖r − Π_K(r − ρ ŵ)‖, ŵ with the De Saxcé term if `coulomb`.
fn cone_residual(own: &OwnMatrix, mu: f64, q: [f64; 3], r: [f64; 3], coulomb: bool) -> f64 {
    let w = velocity(own, r, q);
    let mut x = [0.0; 3];
    for i in 0..own.dim {
        x[i] = r[i] - step(own) * w[i];
    }
    if coulomb {
        x[0] -= step(own) * mu * (w[1] * w[1] + w[2] * w[2]).sqrt();
    }
    projection::cone(mu, &mut x);
    relative(own, q, r, x)
}

fn box_residual(own: &OwnMatrix, limit: f64, mu: f64, q: [f64; 3], r: [f64; 3]) -> f64 {
    let w = velocity(own, r, q);
    let mut x = [0.0; 3];
    for i in 0..own.dim {
        x[i] = r[i] - step(own) * w[i];
    }
    x[0] = x[0].max(0.0);
    projection::square(limit + mu * r[0], &mut x[1..]);
    relative(own, q, r, x)
}

/// B Bᵀ + shift: symmetric positive definite, entries of order one.
fn matrix(b: [f64; 9], shift: f64, dim: usize) -> OwnMatrix {
    let mut own = vec![0.0; dim * dim];
    for i in 0..dim {
        for j in 0..dim {
            own[i * dim + j] = (0..3).map(|k| b[3 * i + k] * b[3 * j + k]).sum();
        }
        own[i * dim + i] += shift;
    }
    OwnMatrix::new(&own, dim)
}

prop_compose! {
    fn problem()(
        b in prop::array::uniform9(-1.0..1.0f64),
        shift in 0.02..0.5f64,
        dim in 2usize..4,
        q in prop::array::uniform3(-1.0..1.0f64),
        mu in prop_oneof![Just(0.0), 0.01..2.0f64],
    ) -> (OwnMatrix, [f64; 3], f64) {
        let q = if dim == 2 { [q[0], q[1], 0.0] } else { q };
        (matrix(b, shift, dim), q, mu)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn coulomb_solutions_satisfy_the_law(
        (own, q, mu) in problem(),
        old in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let contact = CoulombContact::new(&own, mu);
        let r = contact.solve(q, [0.0; 3]).expect("a positive definite W has a solution");
        let residual = cone_residual(&own, mu, q, r, true);
        prop_assert!(residual <= TOLERANCE, "{residual:e}");
        // another guess, another path of the root finder
        let r = contact.solve(q, old).expect("a positive definite W has a solution");
        let residual = cone_residual(&own, mu, q, r, true);
        prop_assert!(residual <= TOLERANCE, "{residual:e}");
    }

    #[test]
    fn convex_solutions_satisfy_the_law(
        (own, q, mu) in problem(),
        old in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let contact = ConvexContact::new(&own, mu);
        let r = contact.solve(q, [0.0; 3]).expect("a positive definite W has a solution");
        let residual = cone_residual(&own, mu, q, r, false);
        prop_assert!(residual <= TOLERANCE, "{residual:e}");
        let again = contact.solve(q, old).expect("a positive definite W has a solution");
        let residual = cone_residual(&own, mu, q, again, false);
        prop_assert!(residual <= TOLERANCE, "{residual:e}");
    }

    #[test]
    fn box_solutions_satisfy_the_law(
        (own, q, mu) in problem(),
        limit in prop_oneof![Just(0.0), 0.0..1.0f64],
    ) {
        for (limit, mu) in [(limit, 0.0), (0.0, mu)] {
            let contact = BoxContact::new(&own, limit, mu);
            let r = contact.solve(q, [0.0; 3]).expect("a positive definite W is never singular");
            let residual = box_residual(&own, limit, mu, q, r);
            prop_assert!(residual <= TOLERANCE, "{residual:e} {r:?}");
        }
    }

    /// A planted r and w give q = w − W r; the solution comes back, or another one where there are
    /// several.
    #[test]
    fn planted_states_are_found(
        (own, _, _) in problem(),
        mu in 0.1..1.0f64,
        normal in 0.1..2.0f64,
        part in 0.0..0.95f64,
        speed in 0.1..2.0f64,
        direction in prop::array::uniform2(-1.0..1.0f64),
    ) {
        let direction = if own.dim == 2 { [1.0, 0.0] } else { direction };
        let length = projection::norm(&direction).max(1e-3);
        let d = direction.map(|x| x / length);
        let stick = ([normal, part * mu * normal * d[0], part * mu * normal * d[1]], [0.0; 3]);
        let slip = (
            [normal, mu * normal * d[0], mu * normal * d[1]],
            [0.0, -speed * d[0], -speed * d[1]],
        );
        let open = ([0.0; 3], [speed, d[0], d[1]]);
        let contact = CoulombContact::new(&own, mu);
        for (r, w) in [stick, slip, open] {
            let free = velocity(&own, r, [0.0; 3]);
            let q = [w[0] - free[0], w[1] - free[1], w[2] - free[2]];
            let found = contact.solve(q, [0.0; 3]).expect("a solution is planted");
            let residual = cone_residual(&own, mu, q, found, true);
            prop_assert!(residual <= TOLERANCE, "{residual:e}");
            if q[0] < 0.0 && w == [0.0; 3] {
                // stick is preferred to slip, so it comes back
                let miss = (0..3).map(|i| (found[i] - r[i]).abs()).fold(0.0, f64::max);
                prop_assert!(miss <= 1e-11 * normal, "{found:?} {r:?}");
            }
        }
    }

    /// Slightly unsymmetric matrices, as files have them.
    #[test]
    fn unsymmetric_matrices_are_solved_too(
        (own, q, mu) in problem(),
        skew in prop::array::uniform3(-1e-3..1e-3f64),
    ) {
        let mut own = own;
        for (k, (i, j)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            if j < own.dim {
                own.w[i][j] += skew[k];
                own.w[j][i] -= skew[k];
            }
        }
        let r = CoulombContact::new(&own, mu).solve(q, [0.0; 3]).expect("W is still definite");
        prop_assert!(cone_residual(&own, mu, q, r, true) <= TOLERANCE);
        if own.dim == 3 {
            let r = ConvexContact::new(&own, mu).solve(q, [0.0; 3]).expect("W is still definite");
            prop_assert!(cone_residual(&own, mu, q, r, false) <= TOLERANCE);
        }
    }
}

#[test]
fn all_three_solutions_of_a_painleve_contact_are_ordered() {
    // O20: open, stick and slide all exist; the order of preference picks open, then stick
    let own = OwnMatrix::new(&[1.6, 1.2, 1.2, 3.4], 2);
    let contact = CoulombContact::new(&own, 1.6);
    assert_eq!(contact.solve([0.05, 1.0, 0.0], [0.0; 3]), Some([0.0; 3]));
    let stick = contact.solve([-0.05, 1.0, 0.0], [0.0; 3]).unwrap();
    assert!((stick[0] - 0.3425).abs() < 1e-15 && (stick[1] + 0.415).abs() < 1e-15);
    // slide: λ_n = 0.05 / (1.6 − 1.2 μ) at μ = 1
    let slide = CoulombContact::new(&own, 1.0)
        .solve([-0.05, 5.0, 0.0], [0.0; 3])
        .unwrap();
    assert!((slide[0] - 0.125).abs() < 1e-15 && (slide[1] + 0.125).abs() < 1e-15);
}

#[test]
fn no_local_solution_is_said_and_not_invented() {
    // W_nn > 0 but indefinite: with μ = 1, W_nn − μ W_nt < 0 and no stick in the cone
    let own = OwnMatrix::new(&[1.0, 2.0, 2.0, 1.0], 2);
    assert_eq!(
        CoulombContact::new(&own, 1.0).solve([-1.0, 5.0, 0.0], [0.0; 3]),
        None
    );
}

#[test]
fn on_the_edge_between_stick_and_slip_the_impulse_is_found() {
    // planted stick with |t| = μ n to rounding: whichever side rounding takes, there is an answer
    // and it is this one
    let mut state = 1u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1u32 << 23) - 1.0
    };
    for _ in 0..3000 {
        let b = std::array::from_fn(|_| next());
        let own = matrix(b, 0.1, 3);
        let scale = 1.5 + next();
        let r = [2.0 * scale, 0.6 * scale, -0.8 * scale];
        let q = velocity(&own, r, [0.0; 3]).map(|w| -w);
        if q[0] >= 0.0 {
            continue;
        }
        let found = CoulombContact::new(&own, 0.5).solve(q, [0.0; 3]);
        let found = found.expect("a solution is planted");
        let miss = (0..3).map(|i| (found[i] - r[i]).abs()).fold(0.0, f64::max);
        assert!(miss <= 1e-11 * scale, "{found:?} {r:?}");
    }
}

#[test]
fn on_the_edge_of_a_planar_cone_the_impulse_is_found_in_every_unit() {
    let mut state = 2u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1u32 << 23) - 1.0
    };
    for k in 0..3000 {
        let b = std::array::from_fn(|_| next());
        let unit = [1e-8, 1.0, 1e8][k % 3];
        let mut own = matrix(b, 0.1, 2);
        own.w = own.w.map(|row| row.map(|x| unit * x));
        let scale = 1.5 + next();
        let r = [2.0 * scale, if k % 2 == 0 { scale } else { -scale }, 0.0];
        let q = velocity(&own, r, [0.0; 3]).map(|w| -w);
        if q[0] >= 0.0 {
            continue;
        }
        let found = CoulombContact::new(&own, 0.5).solve(q, [0.0; 3]);
        let found = found.expect("a solution is planted");
        let miss = (0..2).map(|i| (found[i] - r[i]).abs()).fold(0.0, f64::max);
        assert!(miss <= 1e-11 * scale, "{found:?} {r:?}");
    }
}

#[test]
fn projections_are_those_of_the_cone() {
    let own = matrix([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], 0.5, 3);
    for x in [
        [1.0, 0.1, 0.2],
        [1.0, 3.0, -4.0],
        [-1.0, 0.5, 0.0],
        [-1.0, 9.0, 2.0],
    ] {
        let mut expected = x;
        projection::cone(0.5, &mut expected);
        assert_eq!(CoulombContact::new(&own, 0.5).project(x), expected);
        assert_eq!(ConvexContact::new(&own, 0.5).project(x), expected);
        let boxed = BoxContact::new(&own, 0.25, 0.5).project(x);
        let n = x[0].max(0.0);
        let limit = 0.25 + 0.5 * n;
        let sides = [x[1], x[2]].map(|t| t.clamp(-limit, limit));
        assert_eq!(boxed, [n, sides[0], sides[1]]);
    }
}

#[test]
fn what_a_planar_contact_finds_obeys_its_law() {
    // also for indefinite matrices, where there may be nothing to find (Painlevé)
    let mut state = 5u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1u32 << 23) - 1.0
    };
    let (mut none, mut some) = (0, 0);
    for _ in 0..4000 {
        let (a, b, c) = (1.2 + next(), 2.0 * next(), 1.2 + next());
        let (q, mu) = (
            [-0.1 - 0.5 * (1.0 + next()), 2.0 * next(), 0.0],
            1.5 + next(),
        );
        let own = OwnMatrix::new(&[a, b, b, c], 2);
        let found = CoulombContact::new(&own, mu).solve(q, [0.0; 3]);
        assert!(found.is_some() || a * c <= b * b, "{own:?} {q:?} {mu}");
        let Some([n, t, _]) = found else {
            none += 1;
            continue;
        };
        some += 1;
        let w = [a * n + b * t + q[0], b * n + c * t + q[1]];
        let size = 1e-11 * (1.0 + n);
        assert!(n > 0.0 && w[0].abs() < size && t.abs() <= mu * n * (1.0 + 1e-15));
        let slips = (t.abs() - mu * n).abs() < size && w[1] * t <= size * n;
        assert!(w[1].abs() < size || slips, "{w:?} {n} {t}");
    }
    assert!(none > 100 && some > 1000, "{none} {some}");
}
