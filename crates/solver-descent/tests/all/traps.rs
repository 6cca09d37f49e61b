//! Mistakes that other codes make, compared with what this crate does.

use delassus_core::{Friction, Law, Problem, projection};
use delassus_solver_descent::spg::SpgParameters;
use delassus_solver_descent::{Admm, Apgd, ProjectedGradient, Spg};

use crate::common::{Dense, Numbers, after, objective, prepared, residual};

/// A random singular LCP of rank n/2 with a planted solution: half of the rows push, half separate.
fn singular(seed: u64) -> (Dense, Vec<f64>, Problem) {
    let mut numbers = Numbers::new(seed);
    let size = 30;
    let matrix = Dense::gram(size, size / 2, &mut numbers);
    let planted: Vec<f64> = (0..size)
        .map(|i| {
            if i % 2 == 0 {
                0.5 + numbers.next().abs()
            } else {
                0.0
            }
        })
        .collect();
    let product = matrix.times(&planted);
    let b: Vec<f64> = (0..size)
        .map(|i| if i % 2 == 0 { 0.0 } else { 0.2 + numbers.next().abs() } - product[i])
        .collect();
    let problem = matrix.problem(&vec![(Law::UNILATERAL, 1); size], b.clone());
    (matrix, b, problem)
}

/// Accelerated projected gradients whose backtracking, majorant and restart use g = Ay, as if b
/// were zero; so does the step, unless it is `stepping` with the right gradient.
fn without_b(matrix: &Dense, b: &[f64], stepping: bool, iterations: usize) -> Vec<f64> {
    let dot = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>();
    let value = |x: &[f64]| 0.5 * dot(x, &matrix.times(x)) + dot(b, x);
    let size = b.len();
    let (mut x, mut y, mut weight) = (vec![0.0; size], vec![1.0; size], 1.0_f64);
    let image = matrix.times(&y);
    let mut lipschitz = (dot(&image, &image) / dot(&y, &y)).sqrt();
    for _ in 0..iterations {
        let gradient = matrix.times(&y);
        let next = loop {
            let next: Vec<f64> = y
                .iter()
                .zip(gradient.iter().zip(b))
                .map(|(y, (g, b))| {
                    let b = if stepping { *b } else { 0.0 };
                    (y - (g + b) / lipschitz).max(0.0)
                })
                .collect();
            let step: Vec<f64> = next.iter().zip(&y).map(|(n, y)| n - y).collect();
            let model = value(&y) + dot(&gradient, &step) + 0.5 * lipschitz * dot(&step, &step);
            if value(&next) <= model || lipschitz > 1e12 {
                break next;
            }
            lipschitz *= 2.0;
        };
        let grown = 0.5 * (1.0 + (1.0 + 4.0 * weight * weight).sqrt());
        let mut beta = (weight - 1.0) / grown;
        weight = grown;
        let moved: Vec<f64> = next.iter().zip(&x).map(|(n, x)| n - x).collect();
        if dot(&gradient, &moved) > 0.0 {
            (beta, weight) = (0.0, 1.0);
        }
        y = next.iter().zip(&moved).map(|(n, m)| n + beta * m).collect();
        x = next;
        lipschitz *= 0.9;
    }
    x
}

#[test]
fn momentum_whose_gradient_drops_b_stalls() {
    for seed in 1..=4 {
        let (matrix, b, problem) = singular(seed);
        let wrong = [false, true]
            .map(|stepping| residual(&problem, &without_b(&matrix, &b, stepping, 2000)));
        let mut solver = prepared::<Apgd>(Default::default(), &problem);
        let right = residual(&problem, &after(&mut solver, &problem, 2000));
        println!("seed {seed}: {wrong:?} without b, {right:.1e} with it");
        let [all, search_only] = wrong;
        assert!(all > 0.1 && search_only > 1e-6, "{seed}: {wrong:?}");
        assert!(right < 1e-8, "{seed}: {right}");
    }
}

/// The largest f of ten iterations, before which it may not rise: 1e30 in the code that never
/// searches.
#[test]
fn the_search_begins_where_learned_lengths_raise_f() {
    let mut searched = 0;
    for seed in 1..=8 {
        let (_, _, problem) = singular(seed);
        let mut monotone = prepared::<Spg>(SpgParameters { window: 1 }, &problem);
        let mut last = f64::INFINITY;
        for _ in 0..200 {
            after(&mut monotone, &problem, 1);
            let spectral = monotone.prepared().expect("prepared").iteration();
            let now = objective(&problem, spectral.iterate());
            assert!(
                now <= last + 1e-12 * now.abs(),
                "{seed}: {now} after {last}"
            );
            last = now;
        }
        let mut solver = prepared::<Spg>(Default::default(), &problem);
        let mut values = [0.0; 10];
        for count in 0..400 {
            after(&mut solver, &problem, 1);
            let spectral = solver.prepared().expect("prepared").iteration();
            let now = objective(&problem, spectral.iterate());
            let ceiling = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert!(
                now <= ceiling + 1e-12 * now.abs(),
                "{seed}, {count}: {now} over {ceiling}"
            );
            values[count % 10] = now;
        }
        searched += solver.prepared().expect("prepared").iteration().searches();
    }
    println!("{searched} searches on eight problems");
    assert!(searched > 0, "no problem of this test needs the search");
}

/// One contact with the block K = I + k uuᵀ, u = (1, 1, 1)/√3.
fn slender(k: f64) -> (Dense, Problem) {
    let matrix = Dense::new(3, |i, j| f64::from(u8::from(i == j)) + k / 3.0);
    let law = Law::Contact(Friction::ConvexCone { mu: 0.8 });
    let problem = matrix.problem(&[(law, 3)], vec![-1.0, 0.1, -0.3]);
    (matrix, problem)
}

#[test]
fn the_mean_of_the_diagonals_is_no_safe_step() {
    let (matrix, problem) = slender(12.0);
    let mean = 1.0 + 12.0 / 3.0;
    let mut x = vec![0.0; 3];
    let mut raised = 0;
    for _ in 0..200 {
        let before = objective(&problem, &x);
        let product = matrix.times(&x);
        for (x, (product, b)) in x.iter_mut().zip(product.iter().zip(problem.b())) {
            *x -= (product + b) / mean;
        }
        projection::cone(0.8, &mut x);
        raised += u32::from(objective(&problem, &x) > before + 1e-12);
    }
    assert!(raised > 50 && residual(&problem, &x) > 1e-2, "{raised}");
    let mut solver = prepared::<ProjectedGradient>(Default::default(), &problem);
    assert!(residual(&problem, &after(&mut solver, &problem, 2000)) < 1e-12);
}

#[test]
fn steps_of_different_lengths_break_the_cone() {
    // diagonals 1, 4 and 9: each row with its own step
    let matrix = Dense::new(3, |i, j| match (i, j) {
        (0, 0) => 1.0,
        (1, 1) => 4.0,
        (2, 2) => 9.0,
        _ => 0.3,
    });
    for law in [
        Friction::ConvexCone { mu: 0.5 },
        Friction::Coulomb { mu: 0.5 },
    ] {
        let problem = matrix.problem(&[(Law::Contact(law), 3)], vec![-1.0, 2.0, 3.0]);
        let shifted = matches!(law, Friction::Coulomb { .. });
        let mut x = vec![0.0; 3];
        for _ in 0..5000 {
            let mut w = vec![0.0; 3];
            problem.shifted_velocity(&x, &mut w);
            if shifted {
                w[0] += 0.5 * libm::hypot(w[1], w[2]);
            }
            for (row, (x, w)) in x.iter_mut().zip(&w).enumerate() {
                *x -= 0.3 * w / problem.diagonal()[row];
            }
            projection::cone(0.5, &mut x);
        }
        let wrong = residual(&problem, &x);
        assert!(wrong > 1e-2, "{law:?}: {wrong}");
        let mut solver = prepared::<ProjectedGradient>(Default::default(), &problem);
        assert!(residual(&problem, &after(&mut solver, &problem, 3000)) < 1e-11);
        let mut solver = prepared::<Admm>(Default::default(), &problem);
        assert!(residual(&problem, &after(&mut solver, &problem, 3000)) < 1e-11);
    }
}
