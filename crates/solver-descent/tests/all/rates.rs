//! Rates: closed forms on chains, the bounds of the papers on random convex problems.

use std::f64::consts::PI;

use delassus_core::{Law, Problem};
use delassus_problems::generators::{ChainProblem, Generator, Planted};
use delassus_solver_descent::apgd::{ApgdParameters, MomentumRestart};
use delassus_solver_descent::projected_cg::ProjectedCgParameters;
use delassus_solver_descent::{
    Admm, Apgd, Mprgp, PreconditionerKind, ProjectedCg, ProjectedGradient, Spg,
};
use delassus_systems::Chain;

use crate::common::{
    Dense, Numbers, after, distance_squared, iterations, objective, prepared, residual,
};

/// The anchored chain of n equal masses, one row per link.
fn chain(n: usize) -> Problem {
    let chain = ChainProblem::from(Chain {
        n,
        ..Chain::default()
    });
    chain.generate().expect("a chain").problem
}

/// κ of D⁻¹A of that chain.
fn condition(n: usize) -> f64 {
    let tangent = libm::tan(PI / (4.0 * n as f64));
    1.0 / (tangent * tangent)
}

fn exact(problem: &Problem) -> Vec<f64> {
    let mut solver = prepared::<Mprgp>(Default::default(), problem);
    let solution = after(&mut solver, problem, 5000);
    assert!(residual(problem, &solution) < 1e-11);
    solution
}

#[test]
fn a_fixed_step_contracts_the_chain_by_its_condition_number() {
    for n in [5, 10, 20] {
        let problem = chain(n);
        let solution = exact(&problem);
        let mut solver = prepared::<ProjectedGradient>(Default::default(), &problem);
        let kappa = condition(n);
        // the slowest mode is alone after so many
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a condition number of some thousands"
        )]
        let settled = (8.0 * kappa) as u32;
        let error = |x: &[f64]| distance_squared(&problem, x, &solution).sqrt();
        let first = error(&after(&mut solver, &problem, settled));
        let last = error(&after(&mut solver, &problem, 100));
        let factor = libm::pow(last / first, 0.01);
        // λ_max is estimated from below, by a few per cent at most
        let [slow, fast] = [1.05, 1.0].map(|margin| 1.0 - 1.0 / (margin * kappa));
        assert!(
            factor <= slow + 1e-9 && factor >= fast - 0.05 / kappa,
            "{n}: {factor} of {slow} to {fast}"
        );
    }
}

#[test]
fn momentum_takes_the_root_of_the_condition_number() {
    let n = 50;
    let problem = chain(n);
    let kappa = condition(n);
    let decades = libm::log(1e6);
    let plain = iterations::<ProjectedGradient>(Default::default(), &problem, 1e-6, 100_000);
    let fast = iterations::<Apgd>(Default::default(), &problem, 1e-6, 5_000);
    let spectral = iterations::<Spg>(Default::default(), &problem, 1e-6, 5_000);
    let admm = iterations::<Admm>(Default::default(), &problem, 1e-6, 5_000);
    println!(
        "chain of {n}, κ = {kappa:.0}: {plain:?} fixed, {fast:?} apgd, {spectral:?} spg, {admm:?} admm"
    );
    let (plain, fast) = (plain.expect("converges"), fast.expect("converges"));
    // the residual weighs slow modes less than the error: fewer than κ ln 10⁶
    assert!(f64::from(plain) > 0.2 * kappa * decades, "{plain}");
    assert!(f64::from(fast) < 1.5 * kappa.sqrt() * decades, "{fast}");
    assert!(30 * fast < plain, "{fast} {plain}");
    assert!(spectral.expect("converges") < plain / 20);
    assert!(admm.expect("converges") < plain / 100);
}

/// Convex problems of every law, regular or redundant.
fn convex(seed: u64) -> Problem {
    let planted = Planted {
        bodies: 8,
        equality: 2,
        bounds: 5,
        frictionless: 4,
        fixed_box: 3,
        convex_cone: 6,
        coulomb: 0,
        redundant: if seed.is_multiple_of(2) { 2 } else { 0 },
        grounded: 0.5,
        seed,
        ..Planted::default()
    };
    planted.generate().expect("valid parameters").problem
}

/// The solution that the generator planted, and f there.
fn planted(seed: u64) -> (Problem, Vec<f64>, f64) {
    let problem = convex(seed);
    let mut solver = prepared::<Admm>(Default::default(), &problem);
    let solution = after(&mut solver, &problem, 20_000);
    assert!(residual(&problem, &solution) < 1e-10, "seed {seed}");
    let least = objective(&problem, &solution);
    (problem, solution, least)
}

#[test]
fn a_fixed_step_never_raises_f() {
    for seed in 0..10 {
        let problem = convex(seed);
        let mut solver = prepared::<ProjectedGradient>(Default::default(), &problem);
        let mut last = f64::INFINITY;
        for count in 0..300 {
            let now = objective(&problem, &after(&mut solver, &problem, 1));
            // rounding of a sum of some hundred terms
            assert!(
                now <= last + 1e-13 * now.abs(),
                "{seed}, {count}: {now} after {last}"
            );
            last = now;
        }
    }
}

#[test]
fn momentum_keeps_the_bound_of_its_paper() {
    let unaided = ApgdParameters {
        restart: MomentumRestart::None,
        shrink: 1.0,
    };
    for seed in 0..6 {
        let (problem, solution, least) = planted(seed);
        let start = vec![0.0; problem.rows()];
        // in the metric of the space, which gives cones one scale per block
        let mut solver = prepared::<Apgd>(unaided, &problem);
        let metric: Vec<f64> = solver
            .prepared()
            .expect("prepared")
            .space()
            .metric()
            .to_vec();
        let distance: f64 = solution.iter().zip(&metric).map(|(x, d)| d * x * x).sum();
        let rounding = 1e-12 * objective(&problem, &start).abs().max(least.abs());
        for k in 1..400_u32 {
            after(&mut solver, &problem, 1);
            let lipschitz = solver.prepared().expect("prepared").iteration().lipschitz();
            let bound = 2.0 * lipschitz * distance / f64::from((k + 1) * (k + 1));
            let gap = solver
                .prepared()
                .expect("prepared")
                .iteration()
                .iterate()
                .to_vec();
            let gap = objective(&problem, &gap) - least;
            assert!(gap <= bound + rounding, "{seed}, {k}: {gap} > {bound}");
        }
    }
}

#[test]
fn proportioning_contracts_f_in_every_iteration() {
    for seed in 0..8 {
        let mut numbers = Numbers::new(seed);
        let size = 24;
        let mut matrix = Dense::gram(size, size, &mut numbers);
        (0..size).for_each(|i| matrix.values[i * size + i] += 0.3);
        let laws: Vec<(Law, usize)> = (0..size)
            .map(|i| match i % 3 {
                0 => (Law::UNILATERAL, 1),
                1 => (
                    Law::Bounds {
                        lower: -0.2,
                        upper: 0.3,
                    },
                    1,
                ),
                _ => (Law::Equality, 1),
            })
            .collect();
        let b = (0..size).map(|_| numbers.next()).collect();
        let problem = matrix.problem(&laws, b);
        let least = objective(&problem, &exact(&problem));
        let scaled = nalgebra::DMatrix::from_fn(size, size, |i, j| {
            let root = |k: usize| matrix.values[k * size + k].sqrt();
            matrix.values[i * size + j] / root(i) / root(j)
        });
        let eigenvalues = scaled.symmetric_eigenvalues();
        // the step is that of the estimate; (I.20) with the eigenvalues themselves and a step that
        // is 5 % shorter
        let eta = 1.0 - eigenvalues.min() / (1.05 * eigenvalues.max()) / 4.0;
        let mut solver = prepared::<Mprgp>(Default::default(), &problem);
        let mut last = objective(&problem, &vec![0.0; size]) - least;
        for count in 0..60 {
            after(&mut solver, &problem, 1);
            let x = solver
                .prepared()
                .expect("prepared")
                .iteration()
                .iterate()
                .to_vec();
            let now = objective(&problem, &x) - least;
            assert!(
                now <= eta * last + 1e-13,
                "{seed}, {count}: {now} after {last}"
            );
            last = now.max(0.0);
        }
    }
}

#[test]
fn conjugate_directions_end_after_as_many_iterations_as_there_are_eigenvalues() {
    // the chain has ten
    let problem = chain(10);
    let diagonal = ProjectedCgParameters {
        preconditioner: PreconditionerKind::None,
    };
    let found = iterations::<ProjectedCg>(diagonal, &problem, 1e-10, 12);
    assert!(found.is_some_and(|found| found <= 10), "{found:?}");
    let found = iterations::<Mprgp>(Default::default(), &problem, 1e-10, 12);
    assert!(found.is_some_and(|found| found <= 10), "{found:?}");
    // twenty rows with the eigenvalues 1 ± 0.9 and 1 ± 0.5
    let pairs = Dense::new(20, |i, j| match (i == j, i / 2 == j / 2) {
        (true, _) => 1.0,
        (_, true) if i < 10 => 0.9,
        (_, true) => 0.5,
        _ => 0.0,
    });
    let mut numbers = Numbers::new(3);
    let b = (0..20).map(|_| numbers.next()).collect();
    let problem = pairs.problem(&vec![(Law::Equality, 1); 20], b);
    let found = iterations::<ProjectedCg>(diagonal, &problem, 1e-12, 8);
    assert_eq!(found, Some(4));
    assert_eq!(
        iterations::<Mprgp>(Default::default(), &problem, 1e-12, 8),
        Some(4)
    );
}

#[test]
fn blocks_and_sweeps_save_iterations() {
    let problem = chain(50);
    let count = |preconditioner| {
        let parameters = ProjectedCgParameters { preconditioner };
        iterations::<ProjectedCg>(parameters, &problem, 1e-8, 200).expect("converges")
    };
    let none = count(PreconditionerKind::None);
    let sweep = count(PreconditionerKind::Ssor);
    println!("chain of 50: {none} iterations with the diagonal, {sweep} with a sweep");
    assert!(sweep < none);
    // one block per link: the same as the diagonal
    assert_eq!(count(PreconditionerKind::BlockJacobi), none);
}
