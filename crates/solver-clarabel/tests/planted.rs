//! Clarabel's answers against planted solutions, closed forms and the workspace's own solvers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use delassus_core::{
    Activity, Block, BlockSparse, CoupledCompliance, Friction, ImpulseSolver, Law, MassProperties,
    MatrixRows, Operator, Problem, ProblemBuilder, ProblemParts, SolveError, Solver, Start,
    Unsupported, interrupt,
};
use delassus_metrics::Evaluator;
use delassus_problems::generators::{Generator, OperatorForm, Planted};
use delassus_solver_clarabel::{Clarabel, ClarabelParameters};
use delassus_solver_dense::Dantzig;
use delassus_solver_si::BlockGs;
use nalgebra::Vector3;

fn solve<S: Solver>(problem: &Problem, parameters: S::Parameters, sweeps: u32) -> Vec<f64> {
    let mut solver = S::new(parameters).expect("in range");
    solver.prepare(problem, Start::Cold).expect("accepted");
    solver.iterate(problem, sweeps).expect("solved");
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("finite");
    impulses
}

fn clarabel(problem: &Problem) -> Vec<f64> {
    solve::<Clarabel>(problem, ClarabelParameters::default(), 1)
}

/// Natural map, and difference in constraint velocity from other impulses.
fn judge(problem: &Problem, impulses: &[f64], other: &[f64]) -> (f64, f64) {
    let mut evaluator = Evaluator::new(problem).expect("a scale");
    let residual = evaluator.evaluate(impulses).expect("finite").natural_map;
    let distance = evaluator.agreement(impulses, other).expect("finite");
    (residual, distance)
}

/// Convex planted problems: every law that Clarabel takes, with redundant rows.
fn planted(seed: u64, mass_ratio: f64, redundant: usize) -> Planted {
    Planted {
        bodies: 8,
        equality: 2,
        gears: 1,
        bounds: 4,
        frictionless: 3,
        fixed_box: 3,
        coulomb: 0,
        convex_cone: 6,
        redundant,
        mass_ratio,
        seed,
        ..Planted::default()
    }
}

#[test]
fn planted_convex_problems_are_solved() {
    let mut worst = (0.0f64, 0.0f64);
    for seed in 0..12 {
        for (mass_ratio, redundant) in [(1.0, 0), (1.0, 4), (100.0, 0), (100.0, 4)] {
            let made = planted(seed, mass_ratio, redundant).generate().unwrap();
            let plant = made.reference_impulses().expect("a plant");
            let (residual, distance) = judge(&made.problem, &clarabel(&made.problem), plant);
            worst = (worst.0.max(residual), worst.1.max(distance));
        }
    }
    // a gap of 1e-10 in energy, whose root is an error in velocity
    assert!(worst.0 < 1e-5 && worst.1 < 1e-5, "{worst:?}");
}

#[test]
fn boxes_agree_with_pivoting_and_cones_with_sweeps() {
    for seed in 0..6 {
        let boxes = Planted {
            convex_cone: 0,
            form: OperatorForm::Matrix,
            ..planted(seed, 10.0, 2)
        };
        let problem = boxes.generate().unwrap().problem;
        let pivoted = solve::<Dantzig>(&problem, Default::default(), 1);
        let (_, distance) = judge(&problem, &clarabel(&problem), &pivoted);
        assert!(distance < 1e-6, "{seed}: {distance:e}");
        let cones = Planted {
            contact_dim: 2,
            ..planted(seed, 1.0, 0)
        };
        let problem = cones.generate().unwrap().problem;
        let swept = solve::<BlockGs>(&problem, Default::default(), 20_000);
        let (_, distance) = judge(&problem, &clarabel(&problem), &swept);
        assert!(distance < 1e-6, "{seed}: {distance:e}");
    }
}

/// A mass of 1 kg that slides at 1 m/s on a plane and falls by gravity's impulse of one step.
fn slider(mu: f64, fall: f64) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties {
        inverse_inertia: nalgebra::Matrix3::zeros(),
        ..MassProperties::aligned(1.0, Vector3::repeat(1.0))
    };
    let body = builder.body(mass, [1.0, -fall, 0.0, 0.0, 0.0, 0.0]);
    let axis = |k: usize| std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 });
    let rows = [[axis(1)], [axis(0)], [axis(2)]];
    builder.block(Law::Contact(Friction::ConvexCone { mu }), &[body], &rows);
    builder.build().expect("valid")
}

#[test]
fn a_sliding_block_separates_by_the_relaxed_law() {
    let (mu, fall) = (0.5, 0.0981);
    let problem = slider(mu, fall);
    let impulses = clarabel(&problem);
    // w_n = μ w_t with λ_t = −μ λ_n: the velocity that is left is (v − μ g h)/(1 + μ²)
    let left = 1.0 + impulses[1];
    assert!((left - (1.0 - mu * fall) / (1.0 + mu * mu)).abs() < 1e-7);
    assert!((left - 0.76076).abs() < 1e-5);
    let frictionless = clarabel(&slider(0.0, fall));
    assert!((frictionless[0] - fall).abs() < 1e-7 && frictionless[1].abs() < 1e-12);
}

#[test]
fn contradictory_rows_are_a_certificate_and_no_noise() {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
    let body = builder.body(mass, [0.0; 6]);
    let along = [[[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]];
    builder.block(Law::Equality, &[body], &along);
    builder.block(Law::Equality, &[body], &along);
    let mut problem = builder.build().unwrap();
    problem.set_bias(&[0.0, 1.0]).unwrap();
    let mut solver = Clarabel::new(ClarabelParameters::default()).unwrap();
    solver.prepare(&problem, Start::Cold).unwrap();
    let error = solver.iterate(&problem, 1).unwrap_err();
    assert!(matches!(error, SolveError::Infeasible { .. }), "{error}");
}

#[test]
fn what_it_does_not_solve_is_refused() {
    let coulomb = Planted::default().generate().unwrap().problem;
    let solver = Clarabel::new(ClarabelParameters::default()).unwrap();
    let refused = solver.check(&coulomb).unwrap_err().to_string();
    assert!(
        refused.contains("does not support the law coulomb"),
        "{refused}"
    );
}

#[test]
fn equal_problems_give_equal_bits() {
    let problem = planted(3, 10.0, 2).generate().unwrap().problem;
    let bits = || {
        clarabel(&problem)
            .iter()
            .map(|x| x.to_bits())
            .collect::<Vec<_>>()
    };
    assert_eq!(bits(), bits());
}

/// Unilateral rows with a symmetric matrix, w = A λ + b.
fn unilateral(matrix: &[Vec<f64>], b: &[f64]) -> Problem {
    let rows = b.len();
    let entries = (0..rows).flat_map(|i| (0..rows).map(move |j| (i, j)));
    let stored = entries.map(|(i, j)| (i, j, vec![matrix[i][j]])).collect();
    let blocks = (0..rows).map(|row| Block {
        first_row: row,
        dim: 1,
        law: Law::UNILATERAL,
        feature: row as u64,
    });
    let made = Problem::new(ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus: BlockSparse::from_blocks(&vec![1; rows], stored).expect("square"),
            free_velocity: b.to_vec(),
        }),
        blocks: blocks.collect(),
        bias: vec![0.0; rows],
        compliance: vec![0.0; rows],
        coupled_compliance: CoupledCompliance::new(),
        activity: vec![Activity::Solve; rows],
        step: None,
    });
    made.expect("valid")
}

/// Numbers in (−1, 1) that repeat.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = 0.618_033_988_749_895 * (seed + 1) as f64;
    move || {
        state = (997.0 * state + 0.137_5) % 1.0;
        2.0 * state - 1.0
    }
}

#[test]
fn an_indefinite_matrix_is_unsupported_and_no_certificate_is_believed() {
    let mut refused = 0;
    for (seed, rows) in (0..40).zip((2..11).cycle()) {
        let mut next = numbers(seed);
        let mut matrix = vec![vec![0.0; rows]; rows];
        for i in 0..rows {
            for j in 0..i {
                let value = 2.0 * next();
                (matrix[i][j], matrix[j][i]) = (value, value);
            }
            matrix[i][i] = 0.3 + 0.2 * next();
        }
        // a solution: half of the rows press, the others are open
        let pressed = |i: usize| i.is_multiple_of(2);
        let impulses: Vec<f64> = (0..rows)
            .map(|i| if pressed(i) { 0.5 + next().abs() } else { 0.0 })
            .collect();
        let b: Vec<f64> = (0..rows)
            .map(|i| {
                let w = if pressed(i) { 0.0 } else { 0.2 + next().abs() };
                let product: f64 = matrix[i].iter().zip(&impulses).map(|(a, x)| a * x).sum();
                w - product
            })
            .collect();
        let problem = unilateral(&matrix, &b);
        let mut evaluator = Evaluator::new(&problem).expect("a scale");
        let residual = evaluator.evaluate(&impulses).expect("finite").natural_map;
        assert!(residual < 1e-12, "{residual:e}: a solution was planted");
        let mut solver = Clarabel::new(ClarabelParameters::default()).unwrap();
        solver.prepare(&problem, Start::Cold).unwrap();
        match solver.iterate(&problem, 1) {
            // an indefinite program may be solved all the same; the residual judges
            Ok(_) => {}
            Err(SolveError::Unsupported(Unsupported::Indefinite { solver, .. })) => {
                assert_eq!(solver, "clarabel");
                refused += 1;
            }
            Err(error) => panic!("{seed}: {error}"),
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn a_semidefinite_matrix_without_solution_stays_infeasible() {
    // w = λ₁ − λ₂ + b₁ and its negative: the rows ask for w₁ ≥ 0 and w₂ ≥ 0 with b₁ + b₂ < 0
    for (size, b) in [(1.0, [-1.0, 0.5]), (2.5, [0.3, -1.3])] {
        let problem = unilateral(&[vec![size, -size], vec![-size, size]], &b);
        let mut solver = Clarabel::new(ClarabelParameters::default()).unwrap();
        solver.prepare(&problem, Start::Cold).unwrap();
        let error = solver.iterate(&problem, 1).unwrap_err();
        assert!(matches!(error, SolveError::Infeasible { .. }), "{error}");
    }
}

/// A limit that falls by one at every look.
fn looks(count: u32) -> interrupt::Left {
    let seen = AtomicU32::new(0);
    Arc::new(move || f64::from(count) - f64::from(seen.fetch_add(1, Ordering::Relaxed)))
}

#[test]
fn a_limit_stops_the_library_between_two_iterations() {
    let problem = planted(5, 10.0, 2).generate().unwrap().problem;
    let with = |looks_until_the_end: u32| {
        let mut solver = Clarabel::new(ClarabelParameters::default()).unwrap();
        interrupt::within(looks(1000), || solver.prepare(&problem, Start::Cold)).unwrap();
        let done = interrupt::within(looks(looks_until_the_end), || solver.iterate(&problem, 1));
        let mut impulses = vec![0.0; problem.rows()];
        solver.read_impulses(&mut impulses).unwrap();
        (done, impulses)
    };
    let cold = vec![0.0; problem.rows()];
    for count in [0, 1, 4, 7] {
        let (done, impulses) = with(count);
        assert_eq!(done.unwrap_err(), SolveError::Interrupted, "{count}");
        // what was not finished leaves the start
        assert_eq!(impulses, cold);
    }
    let (done, impulses) = with(1000);
    assert_eq!(done.unwrap().sweeps, 1);
    assert_eq!(impulses, clarabel(&problem));
}
