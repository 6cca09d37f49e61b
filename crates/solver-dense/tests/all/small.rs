//! Thousands of small problems against their conditions, and what the solvers say about them.

use crate::common::{Random, matrix_problem, solve};
use delassus_core::{
    Activity, ChangedNumbers, Friction, ImpulseSolver, Law, Patch, Problem, Progress, Solver,
    SolverUpdate, Start,
};
use delassus_solver_dense::{Dantzig, DenseDirect, DensePgs, Enumeration, assembly};
use nalgebra::{DMatrix, DVector};

/// The matrix of `rows` random rows with `rank` whole components each, and the rows.
fn gram(random: &mut Random, rows: usize, rank: usize) -> (DMatrix<f64>, DMatrix<f64>) {
    let whole = |random: &mut Random| (random.below(9) as f64) - 4.0;
    let mut factor = DMatrix::from_fn(rows, rank, |_, _| whole(random));
    for row in 0..rows {
        if factor.row(row).norm() == 0.0 {
            factor[(row, 0)] = 1.0;
        }
    }
    (&factor * factor.transpose(), factor)
}

fn row_major(a: &DMatrix<f64>) -> Vec<f64> {
    a.transpose().as_slice().to_vec()
}

/// Bounds of one row: equality, unilateral, a range, or a range of no width.
fn bounds(random: &mut Random) -> (f64, f64) {
    let infinite = f64::INFINITY;
    match random.below(6) {
        0 => (-infinite, infinite),
        1 => (0.0, infinite),
        2 => (-infinite, 1.0),
        3 => (-1.0, 2.0),
        4 => (0.5, 0.5),
        _ => (0.0, 0.25),
    }
}

fn law((lower, upper): (f64, f64)) -> (Law, usize) {
    (Law::Bounds { lower, upper }, 1)
}

/// The largest violation of l ≤ λ ≤ u, w ≥ 0 below u, w ≤ 0 above l.
fn violation(w: f64, x: f64, (lower, upper): (f64, f64)) -> f64 {
    assert!(lower <= x && x <= upper, "{x} outside [{lower}, {upper}]");
    let mut worst = 0.0f64;
    if x < upper {
        worst = worst.max(-w);
    }
    if x > lower {
        worst = worst.max(w);
    }
    worst
}

#[test]
fn boxes_of_every_kind_keep_their_conditions() {
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let rows = 1 + random.below(6);
        let rank = 1 + random.below(rows);
        let (a, factor) = gram(&mut random, rows, rank);
        let limits: Vec<(f64, f64)> = (0..rows).map(|_| bounds(&mut random)).collect();
        // b = −Bx: equality rows never contradict each other; whole numbers, so that many
        // velocities meet zero
        let target = DVector::from_fn(rank, |_, _| random.below(5) as f64 - 2.0);
        let b = -(&factor * target);
        let blocks = limits.iter().map(|limits| law(*limits)).collect();
        let problem = matrix_problem(&row_major(&a), b.as_slice(), blocks);
        let check = |name: &str, x: &[f64]| {
            let w = &a * DVector::from_column_slice(x) + &b;
            for i in 0..rows {
                let miss = violation(w[i], x[i], limits[i]);
                assert!(miss < 1e-11, "{name}, seed {seed}, row {i}: {miss}");
            }
        };
        check(
            "dantzig",
            &solve::<Dantzig>(&problem, 1).expect("it has a solution"),
        );
        if rows <= 4 {
            let mut enumeration = Enumeration::new(Default::default()).expect("defaults");
            enumeration.prepare(&problem, Start::Cold).expect("boxes");
            enumeration.iterate(&problem, 1).expect("it has a solution");
            for solution in enumeration.prepared().expect("prepared").solutions() {
                check("enumeration", &solution.impulses);
            }
        }
    }
}

#[test]
fn redundant_rows_share_by_the_shortest_impulses() {
    // three rows in a plane have one null vector n; every row is at rest for λ* + t n, and the
    // answer is the shortest of them within the bounds, lengths measured in √A_ii λ_i
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let (a, factor) = gram(&mut random, 3, 2);
        let cross =
            |i: usize, j: usize| factor[(i, 0)] * factor[(j, 1)] - factor[(i, 1)] * factor[(j, 0)];
        let null = [cross(1, 2), cross(2, 0), cross(0, 1)];
        if null.contains(&0.0) {
            continue;
        }
        let planted: Vec<f64> = (0..3)
            .map(|_| random.below(9) as f64 * 0.25 - 1.0)
            .collect();
        let wide = random.below(3);
        let limits: Vec<(f64, f64)> = planted
            .iter()
            .map(|x| match (wide, random.below(3)) {
                (0, _) | (_, 0) => (f64::NEG_INFINITY, f64::INFINITY),
                (_, 1) => (x - 0.5 * random.below(3) as f64, f64::INFINITY),
                _ => (x - 0.25 * random.below(4) as f64, x + 1.0),
            })
            .collect();
        let b = -(&a * DVector::from_column_slice(&planted));
        let blocks = limits.iter().map(|limits| law(*limits)).collect();
        let problem = matrix_problem(&row_major(&a), b.as_slice(), blocks);
        let found = solve::<Dantzig>(&problem, 1).expect("it has a solution");
        // t minimizes Σ A_ii (λ_i + t n_i)² and stays within the bounds
        let (mut slope, mut curvature) = (0.0, 0.0);
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for i in 0..3 {
            slope += a[(i, i)] * planted[i] * null[i];
            curvature += a[(i, i)] * null[i] * null[i];
            let ends = [limits[i].0 - planted[i], limits[i].1 - planted[i]].map(|e| e / null[i]);
            low = low.max(ends[0].min(ends[1]));
            high = high.min(ends[0].max(ends[1]));
        }
        let t = (-slope / curvature).max(low).min(high);
        for i in 0..3 {
            let expected = planted[i] + t * null[i];
            let miss = (found[i] - expected).abs();
            assert!(
                miss < 1e-10,
                "seed {seed}, row {i}: {} is not {expected}",
                found[i]
            );
        }
    }
}

#[test]
fn every_solution_of_a_linear_complementarity_problem_is_found_once() {
    let mut several = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let rows = 2 + random.below(3);
        let a = DMatrix::from_fn(rows, rows, |_, _| random.range(-1.0, 1.5));
        let b = DVector::from_fn(rows, |_, _| random.range(-1.5, 0.5));
        // the active sets by brute force
        let mut expected = Vec::new();
        for set in 0..1usize << rows {
            let active: Vec<usize> = (0..rows).filter(|i| set >> i & 1 == 1).collect();
            let own =
                DMatrix::from_fn(active.len(), active.len(), |i, j| a[(active[i], active[j])]);
            let right = DVector::from_fn(active.len(), |i, _| -b[active[i]]);
            let part = if active.is_empty() {
                Some(right)
            } else {
                own.lu().solve(&right)
            };
            let Some(part) = part else {
                continue;
            };
            let mut x = DVector::zeros(rows);
            for (k, i) in active.iter().enumerate() {
                x[*i] = part[k];
            }
            let w = &a * &x + &b;
            if x.min() >= 0.0 && (0..rows).all(|i| active.contains(&i) || w[i] >= 0.0) {
                expected.push(x);
            }
        }
        expected.sort_by(|x, y| x.norm().total_cmp(&y.norm()));
        let blocks = vec![(Law::UNILATERAL, 1); rows];
        let problem = matrix_problem(&row_major(&a), b.as_slice(), blocks);
        let mut enumeration = Enumeration::new(Default::default()).expect("defaults");
        assert!(enumeration.prepared().is_err());
        enumeration
            .prepare(&problem, Start::Cold)
            .expect("rows with bounds");
        let outcome = enumeration.iterate(&problem, 1);
        if expected.is_empty() {
            assert!(outcome.is_err(), "seed {seed}");
            continue;
        }
        assert_eq!(
            enumeration.prepared().expect("prepared").states(),
            1 << rows
        );
        let progress = outcome.expect("it has a solution");
        assert_eq!(progress.row_updates, (rows as u64) << rows);
        let found = enumeration.prepared().expect("prepared").solutions();
        assert_eq!(found.len(), expected.len(), "seed {seed}");
        several += usize::from(found.len() > 1);
        for (solution, expected) in found.iter().zip(&expected) {
            let error = DVector::from_column_slice(&solution.impulses) - expected;
            assert!(
                error.norm() < 1e-9 * expected.norm().max(1.0),
                "seed {seed}"
            );
            assert!(solution.isolated, "seed {seed}");
        }
    }
    assert!(several > 20, "{several} with several solutions");
}

#[test]
fn more_solutions_than_asked_for_are_said() {
    // [[1, 2], [2, 1]], b = (−1, −1): (1, 0), (0, 1) and (1, 1)/3
    let blocks = vec![(Law::UNILATERAL, 1); 2];
    let problem = matrix_problem(&[1.0, 2.0, 2.0, 1.0], &[-1.0, -1.0], blocks);
    for (max_solutions, truncated) in [(2, true), (3, false)] {
        let parameters =
            delassus_solver_dense::enumeration::EnumerationParameters { max_solutions };
        let mut enumeration = Enumeration::new(parameters).expect("a valid limit");
        enumeration.prepare(&problem, Start::Cold).expect("boxes");
        enumeration.iterate(&problem, 1).expect("three solutions");
        assert_eq!(
            enumeration.prepared().expect("prepared").truncated(),
            truncated
        );
        assert_eq!(
            enumeration.prepared().expect("prepared").solutions().len(),
            max_solutions
        );
    }
}

#[test]
fn planar_friction_is_solved_to_its_law() {
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let contacts = 1 + random.below(2);
        let rows = 2 * contacts;
        let (mut a, _) = gram(&mut random, rows, rows);
        for i in 0..rows {
            a[(i, i)] += 1.0;
        }
        let mu = [0.0, 0.25, 0.75][random.below(3)];
        let b = DVector::from_fn(rows, |_, _| random.below(9) as f64 - 6.0);
        let friction = if seed % 2 == 0 {
            Friction::Coulomb { mu }
        } else {
            Friction::Pyramid { mu }
        };
        let blocks = vec![(Law::Contact(friction), 2); contacts];
        let problem = matrix_problem(&row_major(&a), b.as_slice(), blocks);
        let mut enumeration = Enumeration::new(Default::default()).expect("defaults");
        enumeration
            .prepare(&problem, Start::Cold)
            .expect("planar friction");
        if enumeration.iterate(&problem, 1).is_err() {
            continue;
        }
        for solution in enumeration.prepared().expect("prepared").solutions() {
            let x = DVector::from_column_slice(&solution.impulses);
            let w = &a * &x + &b;
            let size = a.norm() * x.norm() + b.norm();
            for contact in 0..contacts {
                let (n, t) = (2 * contact, 2 * contact + 1);
                let bound = mu * x[n];
                // both bounds hold to the last digit, the rest to rounding
                assert!(x[n] >= 0.0 && x[t].abs() <= bound, "seed {seed}");
                assert!(w[n] >= -1e-12 * size && x[n] * w[n] <= 1e-12 * size * size);
                if w[t].abs() > 1e-11 * size {
                    let slip = -bound * w[t].signum();
                    assert!((x[t] - slip).abs() <= 1e-11 * x.norm(), "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn ranks_and_conditions_are_those_of_the_scaled_matrix() {
    // rows 0 and 1 with the scaled coupling 1/4, row 2 = 3 × row 0 and row 3 = −½ × row 1:
    // eigenvalues of the scaled matrix 2(1 ± ¼), 0, 0
    let side = 0.25 * 15f64.sqrt();
    let rows = [2.0, 0.0, 0.25, side, 6.0, 0.0, -0.125, -0.5 * side];
    let factor = DMatrix::from_row_slice(4, 2, &rows);
    let a = &factor * factor.transpose();
    let blocks = vec![(Law::Equality, 1); 4];
    let b = -(&factor * DVector::from_row_slice(&[1.0, -2.0]));
    let mut problem = matrix_problem(&row_major(&a), b.as_slice(), blocks);
    let redundancy = assembly::redundancy(&problem).expect("a decomposition");
    assert_eq!((redundancy.rows, redundancy.rank), (4, 2));
    assert_eq!(redundancy.null_dimension(), 2);
    assert!((redundancy.largest - 2.5).abs() < 1e-14);
    assert!((redundancy.condition() - 5.0 / 3.0).abs() < 1e-13);
    let mut direct = DenseDirect::new(Default::default()).expect("defaults");
    let counts = |solver: &DenseDirect| {
        let spectrum = solver.prepared().expect("prepared");
        (spectrum.rank(), spectrum.null_dimension())
    };
    assert!(direct.prepared().is_err());
    direct
        .prepare(&problem, Start::Cold)
        .expect("equality rows");
    assert_eq!(counts(&direct), (2, 2));
    // of the rows that are solved for: 0, 2 and 3 are of rank two as well
    let held = [
        Activity::Solve,
        Activity::Hold,
        Activity::Solve,
        Activity::Solve,
    ];
    problem.set_activity(&held).expect("four blocks");
    let what = ChangedNumbers {
        activity: true,
        ..ChangedNumbers::default()
    };
    direct
        .update(&problem, SolverUpdate::Numbers(what))
        .expect("prepared");
    assert_eq!(counts(&direct), (2, 1));
    // compliance makes the same rows regular
    problem.set_compliance(&[0.5; 4]).expect("four rows");
    let what = ChangedNumbers {
        compliance: true,
        ..ChangedNumbers::default()
    };
    direct
        .update(&problem, SolverUpdate::Numbers(what))
        .expect("prepared");
    assert_eq!(counts(&direct), (3, 0));
    // nothing moves: no rank, and a condition that means nothing
    let zero = matrix_problem(&[0.0; 4], &[0.0; 2], vec![(Law::Equality, 1); 2]);
    let redundancy = assembly::redundancy(&zero).expect("a decomposition");
    assert_eq!((redundancy.rank, redundancy.null_dimension()), (0, 2));
    assert_eq!(redundancy.condition(), 1.0);
}

#[test]
fn a_solve_ends_once_and_says_what_it_did() {
    fn progress<S: Solver<Parameters: Default>>(problem: &Problem) -> [Progress; 3] {
        let mut solver = S::new(Default::default()).expect("defaults");
        solver
            .prepare(problem, Start::Cold)
            .expect("a valid problem");
        [0, 5, 5].map(|sweeps| solver.iterate(problem, sweeps).expect("solved"))
    }
    // three rows that do not see each other, all pulled: one pivot per row for Dantzig
    let a = row_major(&(2.0 * DMatrix::identity(3, 3)));
    let rows = |law: Law| matrix_problem(&a, &[-1.0, -2.0, -3.0], vec![(law, 1); 3]);
    let done = |row_updates: u64| {
        let finished = Progress {
            finished: true,
            ..Progress::default()
        };
        let first = Progress {
            sweeps: 1,
            row_updates,
            ..finished
        };
        [Progress::default(), first, finished]
    };
    assert_eq!(progress::<DenseDirect>(&rows(Law::Equality)), done(3));
    assert_eq!(progress::<Dantzig>(&rows(Law::UNILATERAL)), done(9));
    assert_eq!(progress::<Enumeration>(&rows(Law::UNILATERAL)), done(24));
}

/// One sweep from these impulses over one block with this matrix.
fn sweep(law: Law, a: &DMatrix<f64>, b: &[f64], start: &[f64]) -> Vec<f64> {
    let problem = matrix_problem(&row_major(a), b, vec![(law, b.len())]);
    let mut solver = DensePgs::new(()).expect("defaults");
    solver
        .prepare(&problem, Start::Warm(start))
        .expect("a valid start");
    solver.iterate(&problem, 1).expect("finite");
    let mut out = vec![0.0; b.len()];
    solver.read_impulses(&mut out).expect("prepared");
    out
}

#[test]
fn a_sweep_steps_each_group_by_its_own_scale() {
    let mut random = Random::new(5);
    for _ in 0..50 {
        let rows = 6;
        let (mut a, _) = gram(&mut random, rows, rows);
        for i in 0..rows {
            a[(i, i)] += 1.0;
        }
        let b: Vec<f64> = (0..rows).map(|_| random.below(9) as f64 - 5.0).collect();
        let start: Vec<f64> = (0..rows).map(|_| 0.25 * random.below(5) as f64).collect();
        let (mu, levers) = (0.5, vec![0.5, 2.0, 3.0]);
        let patch = Patch {
            mu,
            levers: levers.clone(),
        };
        let found = sweep(Law::Patch(Box::new(patch)), &a, &b, &start);
        let mut x = DVector::from_column_slice(&start);
        let w = |x: &DVector<f64>, i: usize| (a.row(i) * x)[0] + b[i];
        for i in 0..3 {
            x[i] = (x[i] - w(&x, i) / a[(i, i)]).max(0.0);
        }
        let eigen = a.view((3, 3), (2, 2)).into_owned().symmetric_eigenvalues();
        let step = 1.0 / eigen.max();
        let moved = [x[3] - step * w(&x, 3), x[4] - step * w(&x, 4)];
        let (load, length) = (
            mu * (x[0] + x[1] + x[2]),
            (moved[0] * moved[0] + moved[1] * moved[1]).sqrt(),
        );
        let shrink = if length > load { load / length } else { 1.0 };
        (x[3], x[4]) = (moved[0] * shrink, moved[1] * shrink);
        let moment = mu * (0..3).map(|i| levers[i] * x[i]).sum::<f64>();
        x[5] = (x[5] - w(&x, 5) / a[(5, 5)]).clamp(-moment, moment);
        for i in 0..rows {
            assert!(
                (found[i] - x[i]).abs() < 1e-13,
                "row {i}: {} {}",
                found[i],
                x[i]
            );
        }
        // one tangent has a step of its own, and a cone in the plane the largest eigenvalue of both
        // rows
        let plane = a.view((0, 0), (2, 2)).into_owned();
        let found = sweep(
            Law::Contact(Friction::Disc { mu }),
            &plane,
            &b[..2],
            &start[..2],
        );
        let n = (start[0]
            - (plane[(0, 0)] * start[0] + plane[(0, 1)] * start[1] + b[0]) / plane[(0, 0)])
            .max(0.0);
        let t = start[1] - (plane[(1, 0)] * n + plane[(1, 1)] * start[1] + b[1]) / plane[(1, 1)];
        let expected = [n, t.clamp(-mu * n, mu * n)];
        assert!((found[0] - expected[0]).abs() < 1e-13 && (found[1] - expected[1]).abs() < 1e-13);
        let found = sweep(
            Law::Contact(Friction::ConvexCone { mu }),
            &plane,
            &b[..2],
            &start[..2],
        );
        let step = 1.0 / plane.clone().symmetric_eigenvalues().max();
        let start = DVector::from_column_slice(&start[..2]);
        let moved = &start - step * (&plane * &start + DVector::from_column_slice(&b[..2]));
        let (n, t) = (moved[0], moved[1]);
        let expected = if t.abs() <= mu * n {
            [n, t]
        } else if mu * t.abs() <= -n {
            [0.0, 0.0]
        } else {
            let normal = (n + mu * t.abs()) / (1.0 + mu * mu);
            [normal, mu * normal * t.signum()]
        };
        assert!((found[0] - expected[0]).abs() < 1e-13 && (found[1] - expected[1]).abs() < 1e-13);
    }
}
