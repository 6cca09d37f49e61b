//! Relatives of Gauss–Seidel on chains: rates against closed forms and eigenvalues, row updates,
//! feasibility.

use std::f64::consts::PI;

use delassus_core::{
    Friction, ImpulseSolver, Law, Parameters, Problem, ProblemBuilder, Solver, Start,
};
use delassus_problems::generate;
use delassus_solver_si::chebyshev_pgs::{ChebyshevPgsParameters, Sweep};
use delassus_solver_si::greedy_pgs::GreedyPgsParameters;
use delassus_solver_si::nncg::NncgParameters;
use delassus_solver_si::random_pgs::{RandomPgsParameters, Sampling};
use delassus_solver_si::staggered::StaggeredParameters;
use delassus_solver_si::symmetric_pgs::SymmetricPgsParameters;
use delassus_solver_si::{
    ChebyshevPgs, GreedyPgs, Nncg, Order, RandomPgs, Staggered, SymmetricPgs,
};
use nalgebra::{DMatrix, DVector};

use crate::support::{
    chain, continue_sweeps, largest_difference, norm, pgs, point, rate, residual, run, velocity,
};

pub(crate) fn made<S: Solver>(parameters: S::Parameters) -> S {
    S::new(parameters).expect("valid parameters")
}

fn chebyshev(sweep: Sweep, rho: f64, delay: u64) -> ChebyshevPgs {
    made(ChebyshevPgsParameters { sweep, rho, delay })
}

fn random(sampling: Sampling, seed: u64) -> RandomPgs {
    made(RandomPgsParameters { sampling, seed })
}

fn nncg() -> Nncg {
    made(NncgParameters::default())
}

/// A of a problem.
fn matrix(problem: &Problem) -> DMatrix<f64> {
    let n = problem.rows();
    let mut a = DMatrix::zeros(n, n);
    for j in 0..n {
        let (mut unit, mut column) = (vec![0.0; n], vec![0.0; n]);
        unit[j] = 1.0;
        problem.apply_delassus(&unit, &mut column);
        a.set_column(j, &DVector::from_vec(column));
    }
    a
}

/// Sweeps until the natural map is below `goal`.
pub(crate) fn sweeps_to(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    goal: f64,
    most: u32,
) -> u32 {
    let mut impulses = run(solver, problem, Start::Cold, 1);
    let mut sweeps = 1;
    while residual(problem, &impulses) > goal && sweeps < most {
        impulses = continue_sweeps(solver, problem, 1);
        sweeps += 1;
    }
    sweeps
}

#[test]
fn a_symmetric_sweep_contracts_less_than_two_forward_ones() {
    let problem = chain(&[1.0; 10], true);
    let measured = rate(
        &mut made::<SymmetricPgs>(SymmetricPgsParameters {}),
        &problem,
        150,
        60,
    );
    // the spectral radius of (D + U)⁻¹ L (D + L)⁻¹ U, by the eigenvalues of the dense matrix
    let a = matrix(&problem);
    let (lower, upper) = (a.lower_triangle(), a.upper_triangle());
    let strictly_lower = &a - &upper;
    let strictly_upper = &a - &lower;
    let forwards = lower.try_inverse().expect("regular") * strictly_upper;
    let backwards = upper.try_inverse().expect("regular") * strictly_lower;
    let eigenvalues = (backwards * forwards).complex_eigenvalues();
    let expected = eigenvalues
        .iter()
        .fold(0.0f64, |most, z| most.max(z.norm()));
    assert!((measured - expected).abs() < 1e-6, "{measured} {expected}");
    assert!((measured - 0.95706).abs() < 5e-6, "{measured}");
    // two sweeps of pgs: cos⁴(π / 2n)
    let two = libm::pow(libm::cos(PI / 20.0), 4.0);
    assert!((two - 0.95166).abs() < 5e-6 && two < measured);
}

#[test]
fn a_symmetric_sweep_is_a_pass_there_and_a_pass_back() {
    let problem = chain(&[1.0, 3.0, 0.2, 5.0], true);
    let mut solver = made::<SymmetricPgs>(SymmetricPgsParameters {});
    let both = run(&mut solver, &problem, Start::Cold, 3);
    let passes = run(&mut pgs(Order::Symmetric), &problem, Start::Cold, 6);
    assert_eq!(both, passes);
    let progress = solver.iterate(&problem, 5).expect("prepared");
    assert_eq!(progress.row_updates, 5 * 2 * 4);
}

/// The error of impulses along the eigenvector of D⁻¹A with the least eigenvalue, in units of
/// energy.
fn slowest_part(problem: &Problem, impulses: &[f64]) -> f64 {
    let a = matrix(problem);
    let roots = DVector::from_iterator(problem.rows(), problem.diagonal().iter().map(|d| d.sqrt()));
    let scaled = DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] / roots[i] / roots[j]);
    let eigen = scaled.symmetric_eigen();
    let least = eigen.eigenvalues.imin();
    // D^½ e = D^½ A⁻¹ w
    let w = DVector::from_vec(velocity(problem, impulses));
    let error = a.lu().solve(&w).expect("regular").component_mul(&roots);
    eigen.eigenvectors.column(least).dot(&error).abs()
}

#[test]
fn chebyshev_over_jacobi_contracts_as_its_polynomials_do() {
    let problem = chain(&[1.0; 10], true);
    let rho = libm::cos(PI / 20.0);
    let start = slowest_part(&problem, &[0.0; 10]);
    for sweeps in [2u32, 5, 20, 60] {
        let mut solver = chebyshev(Sweep::Simultaneous, rho, 1);
        let impulses = run(&mut solver, &problem, Start::Cold, sweeps);
        let degree = f64::from(sweeps - 1);
        // the returned impulses are one sweep behind the extrapolation: ρ / T_{k−1}(1/ρ)
        let expected = rho / libm::cosh(degree * libm::acosh(1.0 / rho));
        let measured = slowest_part(&problem, &impulses) / start;
        assert!(
            (measured / expected - 1.0).abs() < 1e-9,
            "{sweeps}: {measured} {expected}"
        );
    }
    // the tabulated factor, ρ / (1 + √(1 − ρ²))
    let factor = rho / (1.0 + (1.0 - rho * rho).sqrt());
    assert!((factor - 0.854081).abs() < 5e-7);
    let measured = rate(
        &mut chebyshev(Sweep::Simultaneous, rho, 1),
        &problem,
        30,
        80,
    );
    assert!((measured - factor).abs() < 0.01, "{measured}");
}

#[test]
fn chebyshev_over_symmetric_sweeps_reaches_its_rate_and_finds_its_bound() {
    let problem = chain(&[1.0; 10], true);
    let rho: f64 = 0.95706;
    let centred = rho / (2.0 - rho);
    let factor = centred / (1.0 + (1.0 - centred * centred).sqrt());
    let measured = rate(&mut chebyshev(Sweep::Symmetric, rho, 1), &problem, 8, 30);
    assert!((measured - factor).abs() < 0.02, "{measured} {factor}");
    // found while it runs: within twice the sweeps of the known bound
    let known = sweeps_to(
        &mut chebyshev(Sweep::Symmetric, rho, 1),
        &problem,
        1e-10,
        10_000,
    );
    let found = sweeps_to(
        &mut chebyshev(Sweep::Symmetric, 0.0, 10),
        &problem,
        1e-10,
        10_000,
    );
    let plain = sweeps_to(
        &mut made::<SymmetricPgs>(SymmetricPgsParameters {}),
        &problem,
        1e-10,
        10_000,
    );
    println!("known {known} found {found} plain {plain}");
    assert!(
        found < 2 * known + 10 && 4 * found < plain,
        "{known} {found} {plain}"
    );
}

#[test]
fn conjugate_directions_shorten_a_chain() {
    for (n, least) in [(10usize, 4), (50, 12)] {
        let problem = chain(&vec![1.0; n], true);
        let plain = sweeps_to(&mut pgs(Order::Natural), &problem, 1e-8, 200_000);
        let found = sweeps_to(&mut nncg(), &problem, 1e-8, 200_000);
        println!("n = {n}: {plain} {found}");
        assert!(least * found < plain, "n = {n}: {plain} {found}");
    }
}

/// Boxes on boxes with Coulomb friction.
fn wall() -> Problem {
    let parameters = serde_json::json!({ "base": 3, "law": "coulomb" });
    let map = parameters.as_object().expect("an object").clone();
    match generate("wall", &map) {
        Ok(generated) => generated.problem,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn what_extrapolating_solvers_hand_out_is_admissible_after_every_sweep() {
    // a version that returns the extrapolated impulses lets contacts pull
    let problem = wall();
    let solvers: [Box<dyn ImpulseSolver>; 3] = [
        Box::new(nncg()),
        Box::new(made::<ChebyshevPgs>(ChebyshevPgsParameters::default())),
        Box::new(chebyshev(Sweep::Forwards, 0.9, 1)),
    ];
    for mut solver in solvers {
        solver.prepare(&problem, Start::Cold).expect("supported");
        let id = solver.descriptor().id;
        for sweep in 1..=120 {
            let impulses = continue_sweeps(solver.as_mut(), &problem, 1);
            for block in problem.blocks() {
                let Law::Contact(friction) = block.law else {
                    continue;
                };
                let contact = &impulses[block.rows()];
                assert!(contact[0] >= 0.0, "{id}, sweep {sweep}: {contact:?}");
                let tangent = norm(&contact[1..]);
                let bound = friction.mu() * contact[0] * (1.0 + 1e-14);
                assert!(tangent <= bound, "{id}, sweep {sweep}: {contact:?}");
            }
        }
    }
}

/// ½ eᵀ A e of the error, by the solution of the dense system.
fn energy(problem: &Problem, impulses: &[f64]) -> f64 {
    let w = DVector::from_vec(velocity(problem, impulses));
    let error = matrix(problem).lu().solve(&w).expect("regular");
    0.5 * error.dot(&w)
}

#[test]
fn weighted_draws_contract_in_expectation_as_the_bound_says() {
    // (G.32) per update: 1 − λ_min / tr A
    let problem = chain(&[1.0, 4.0, 0.5, 2.0, 1.0, 3.0], true);
    let a = matrix(&problem);
    let least = a.clone().symmetric_eigen().eigenvalues.min();
    let bound = 1.0 - least / a.trace();
    let (sweeps, seeds) = (20u32, 200u64);
    let start = energy(&problem, &[0.0; 6]);
    let ends: Vec<f64> = (0..seeds)
        .map(|seed| {
            let mut solver = random(Sampling::Weighted, seed);
            energy(&problem, &run(&mut solver, &problem, Start::Cold, sweeps)) / start
        })
        .collect();
    let mean = ends.iter().sum::<f64>() / seeds as f64;
    let variance = ends.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (seeds - 1) as f64;
    let deviation = (variance / seeds as f64).sqrt();
    let expected = libm::pow(bound, f64::from(sweeps * 6));
    println!("mean {mean} ± {deviation}, bound {expected}");
    assert!(mean < expected + 3.0 * deviation, "{mean} {expected}");
    // the bound is not empty: no seed ends at rounding
    assert!(mean > 1e-3 * expected);
}

#[test]
fn draws_update_as_many_rows_as_there_are_and_shuffles_each_once() {
    let problem = chain(&[1.0; 12], true);
    for sampling in [Sampling::Uniform, Sampling::Weighted, Sampling::Shuffled] {
        let mut solver = random(sampling, 3);
        solver.prepare(&problem, Start::Cold).expect("supported");
        let progress = solver.iterate(&problem, 7).expect("prepared");
        assert_eq!(progress.row_updates, 7 * 12);
        let end = continue_sweeps(&mut solver, &problem, 3000);
        let left = residual(&problem, &end);
        // the roundings of thousands of additions stay in the velocities
        assert!(left < 1e-11, "{sampling:?}: {left:e}");
    }
    let seeds = [1, 2].map(|seed| {
        run(
            &mut random(Sampling::Uniform, seed),
            &problem,
            Start::Cold,
            2,
        )
    });
    assert_ne!(seeds[0], seeds[1]);
}

#[test]
fn the_greedy_choice_goes_where_the_trouble_is() {
    // a long row of links at rest, but for one of them
    let n = 200;
    let mut builder = ProblemBuilder::new();
    let (up, down) = (
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, -1.0, 0.0, 0.0, 0.0, 0.0],
    );
    let mut last = builder.body(point(1e3), [0.0; 6]);
    for link in 0..n {
        let speed = if link == n / 2 { 1.0 } else { 0.0 };
        let mass = if link % 2 == 0 { 1.0 } else { 1e3 };
        let body = builder.body(point(mass), [0.0, speed, 0.0, 0.0, 0.0, 0.0]);
        builder.block(Law::Equality, &[last, body], &[[down, up]]);
        last = body;
    }
    let problem = builder.build().expect("a valid problem");
    let updates = |solver: &mut dyn ImpulseSolver| {
        solver.prepare(&problem, Start::Cold).expect("supported");
        let (mut rows, mut impulses) = (0, vec![0.0; problem.rows()]);
        while residual(&problem, &impulses) > 1e-4 {
            rows += solver.iterate(&problem, 1).expect("prepared").row_updates;
            solver.read_impulses(&mut impulses).expect("finite");
        }
        rows
    };
    let plain = updates(&mut pgs(Order::Natural));
    let greedy = updates(&mut made::<GreedyPgs>(GreedyPgsParameters {}));
    println!("pgs {plain}, greedy {greedy}");
    assert!(2 * greedy <= plain, "{plain} {greedy}");
}

#[test]
fn the_greedy_choice_rests_at_the_solution_and_prefers_the_first_of_equals() {
    let problem = chain(&[1.0; 2], true);
    let solution = [0.2, 0.1];
    let mut solver = made::<GreedyPgs>(GreedyPgsParameters {});
    solver
        .prepare(&problem, Start::Warm(&solution))
        .expect("supported");
    solver.iterate(&problem, 50).expect("prepared");
    let end = continue_sweeps(&mut solver, &problem, 1);
    assert!(largest_difference(&end, &solution) < 1e-15);
    // two equal masses hanging apart: equal scores, and one update per sweep would be half of both
    let mut builder = ProblemBuilder::new();
    let ground = builder.body(delassus_core::MassProperties::immovable(), [0.0; 6]);
    let (up, down) = (
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, -1.0, 0.0, 0.0, 0.0, 0.0],
    );
    for _ in 0..2 {
        let body = builder.body(point(2.0), [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
        builder.block(
            Law::Contact(Friction::Frictionless),
            &[ground, body],
            &[[down, up]],
        );
    }
    let apart = builder.build().expect("a valid problem");
    let mut solver = made::<GreedyPgs>(GreedyPgsParameters {});
    assert_eq!(run(&mut solver, &apart, Start::Cold, 1), [2.0, 2.0]);
    // at rest nothing is updated
    assert_eq!(solver.iterate(&apart, 3).expect("prepared").row_updates, 0);
}

#[test]
fn staggered_stages_are_sweeps_where_there_is_no_friction() {
    let problem = chain(&[1.0, 2.0, 0.5], true);
    let mut solver = made::<Staggered>(StaggeredParameters { inner: 3 });
    let staged = run(&mut solver, &problem, Start::Cold, 2);
    assert_eq!(
        staged,
        run(&mut pgs(Order::Natural), &problem, Start::Cold, 12)
    );
    let progress = solver.iterate(&problem, 1).expect("prepared");
    assert_eq!(progress.row_updates, 2 * 3 * 3);
}

#[test]
fn staggered_friction_is_bounded_by_normals_that_are_done() {
    let problem = wall();
    let mut solver = made::<Staggered>(StaggeredParameters::default());
    let impulses = run(&mut solver, &problem, Start::Cold, 3000);
    assert!(
        residual(&problem, &impulses) < 1e-10,
        "{}",
        residual(&problem, &impulses)
    );
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    let refused = |rho: f64, delay: u64| {
        let parameters = ChebyshevPgsParameters {
            rho,
            delay,
            ..ChebyshevPgsParameters::default()
        };
        ChebyshevPgs::new(parameters)
            .err()
            .map(|error| error.parameter)
    };
    assert_eq!(refused(1.0, 10), Some("rho"));
    assert_eq!(refused(f64::NAN, 10), Some("rho"));
    assert_eq!(refused(0.5, 0), Some("delay"));
    assert_eq!(refused(0.5, 1), None);
    assert!(StaggeredParameters { inner: 0 }.validate().is_err());
}
