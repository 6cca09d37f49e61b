//! What the solvers report in addition to their impulses, and the limits of their parameters.

use crate::common::{Random, matrix_problem};
use delassus_core::{
    Activity, Friction, ImpulseSolver, Law, Problem, SolveError, Solver, Start, StateCoverage,
};
use delassus_solver_dense::dantzig::{Begin, DantzigParameters};
use delassus_solver_dense::enumeration::EnumerationParameters;
use delassus_solver_dense::{Bpp, Dantzig, DenseDirect, DensePgs, Enumeration, Lemke};

fn prepared<S: Solver>(parameters: S::Parameters, problem: &Problem, start: Start<'_>) -> S {
    let mut solver = S::new(parameters).expect("valid parameters");
    solver.prepare(problem, start).expect("accepted");
    solver
}

fn read(solver: &mut dyn ImpulseSolver, problem: &Problem) -> Vec<f64> {
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("prepared");
    impulses
}

/// `blocks` pairs of contacts that push each other in: each has the solutions (1, 1), (3, 0) and
/// (0, 3).
fn pairs(blocks: usize) -> Problem {
    let rows = 2 * blocks;
    let mut a = vec![0.0; rows * rows];
    for i in 0..rows {
        a[i * rows + i] = 1.0;
        a[i * rows + (i ^ 1)] = 2.0;
    }
    matrix_problem(&a, &vec![-3.0; rows], vec![(Law::UNILATERAL, 1); rows])
}

#[test]
fn solutions_of_equal_length_stay_in_the_order_of_enumeration() {
    let problem = pairs(4);
    let mut solver: Enumeration = prepared(Default::default(), &problem, Start::Cold);
    solver.iterate(&problem, 1).expect("solvable");
    // free before lower, the last row changes first
    let single = [[1.0, 1.0], [3.0, 0.0], [0.0, 3.0]];
    let mut expected: Vec<Vec<f64>> = (0..81)
        .map(|k| {
            [k / 27, k / 9 % 3, k / 3 % 3, k % 3]
                .map(|i| single[i])
                .concat()
        })
        .collect();
    let squares = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    expected.sort_by(|a, b| squares(a).total_cmp(&squares(b)));
    let found: Vec<&[f64]> = solver
        .prepared()
        .expect("prepared")
        .solutions()
        .iter()
        .map(|s| &s.impulses[..])
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_list_of_solutions_is_complete_once_it_is_searched_and_holds_all() {
    let problem = pairs(1);
    for (max_solutions, complete) in [(1, false), (2, false), (3, true), (9, true)] {
        let parameters = EnumerationParameters { max_solutions };
        let mut solver: Enumeration = prepared(parameters, &problem, Start::Cold);
        let before = solver.facts().solutions.expect("it lists them");
        assert!(before.list.is_empty() && !before.complete);
        solver.iterate(&problem, 1).expect("solvable");
        let after = solver.facts().solutions.expect("it lists them");
        assert_eq!(after.complete, complete);
        assert_eq!(after.list.len(), max_solutions.min(3));
        for solution in after.list {
            let [x, y] = solution.impulses[..] else {
                panic!("two rows");
            };
            // complementary by hand, and apart from the others
            for (x, w) in [(x, x + 2.0 * y - 3.0), (y, 2.0 * x + y - 3.0)] {
                assert!(x >= 0.0 && w >= 0.0 && x * w == 0.0);
            }
            assert!(solution.isolated);
        }
    }
}

#[test]
fn a_held_tangent_acts_on_the_normal() {
    // 2 λ_n + λ_t = 1 with λ_t held at 1/4
    let law = Law::Contact(Friction::FixedBox { limit: 9.0 });
    let mut problem = matrix_problem(&[2.0, 1.0, 1.0, 2.0], &[-1.0, -1.0], vec![(law, 2)]);
    problem
        .set_activity(&[Activity::NormalsOnly])
        .expect("one block");
    let start = Start::Warm(&[0.0, 0.25]);
    let mut dantzig: Dantzig = prepared(Default::default(), &problem, start);
    let mut enumeration: Enumeration = prepared(Default::default(), &problem, start);
    let mut sweeps: DensePgs = prepared((), &problem, start);
    let solvers: [&mut dyn ImpulseSolver; 3] = [&mut dantzig, &mut enumeration, &mut sweeps];
    for solver in solvers {
        solver.iterate(&problem, 1).expect("solvable");
        let found = read(solver, &problem);
        assert!(
            (found[0] - 0.375).abs() < 1e-15 && found[1] == 0.25,
            "{found:?}"
        );
    }
    assert_eq!(enumeration.prepared().expect("prepared").states(), 2);
}

#[test]
fn a_weak_direction_is_looked_at_twice_before_it_is_called_a_contradiction() {
    // eigenvalues 2 − ε and ε; b = (1, −1) has the solution (−1, 1)/ε
    let solve = |epsilon: f64| {
        let a = [1.0, 1.0 - epsilon, 1.0 - epsilon, 1.0];
        let problem = matrix_problem(&a, &[1.0, -1.0], vec![(Law::Equality, 1); 2]);
        let parameters = DantzigParameters {
            pivot_tolerance: 1e-4,
            begin: Begin::Rows,
            ..Default::default()
        };
        let mut solver: Dantzig = prepared(parameters, &problem, Start::Cold);
        solver
            .iterate(&problem, 1)
            .map(|_| read(&mut solver, &problem))
    };
    // above the tolerance, between it and a hundredth of it, below both
    for epsilon in [1e-3, 1e-5, 1.1e-6] {
        let x = solve(epsilon).expect("weak, but there");
        let error = (x[0] * epsilon + 1.0)
            .abs()
            .max((x[1] * epsilon - 1.0).abs());
        assert!(error < 1e-9, "{epsilon}: {x:?}");
    }
    assert!(matches!(solve(0.9e-6), Err(SolveError::Infeasible { .. })));
}

#[test]
fn pivots_are_limited_to_so_many_per_row_and_one_row_more() {
    let mut at_the_limit = [0; 4];
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let rows = 2 + random.below(4);
        let factor: Vec<f64> = (0..rows * rows).map(|_| random.range(-1.0, 1.0)).collect();
        let mut a = vec![0.0; rows * rows];
        for i in 0..rows {
            for j in 0..rows {
                a[i * rows + j] = (0..rows)
                    .map(|k| factor[i * rows + k] * factor[j * rows + k])
                    .sum();
            }
        }
        let b: Vec<f64> = (0..rows).map(|_| random.range(-1.0, 0.2)).collect();
        let problem = matrix_problem(&a, &b, vec![(Law::UNILATERAL, 1); rows]);
        let rows_only = DantzigParameters {
            begin: Begin::Rows,
            ..Default::default()
        };
        let mut free: Dantzig = prepared(rows_only, &problem, Start::Cold);
        let progress = free.iterate(&problem, 1).expect("solvable");
        let pivots = usize::try_from(progress.row_updates).expect("small") / rows;
        let parameters = DantzigParameters {
            max_pivots_per_row: 1,
            ..rows_only
        };
        let mut limited: Dantzig = prepared(parameters, &problem, Start::Cold);
        let outcome = limited.iterate(&problem, 1);
        assert_eq!(outcome.is_ok(), pivots <= rows + 1, "{pivots} of {rows}");
        if let Some(count) = pivots
            .checked_sub(rows)
            .and_then(|k| at_the_limit.get_mut(k))
        {
            *count += 1;
        }
    }
    assert!(
        at_the_limit[1] > 0 && at_the_limit[2] > 0,
        "{at_the_limit:?}"
    );
}

#[test]
fn the_state_of_a_sweep_is_its_impulses() {
    let a = [2.0, 1.0, 1.0, 2.0];
    let problem = matrix_problem(&a, &[-1.0, -3.0], vec![(Law::UNILATERAL, 1); 2]);
    let mut solver: DensePgs = prepared((), &problem, Start::Cold);
    solver.iterate(&problem, 1).expect("finite");
    let mut state = vec![7];
    assert_eq!(
        solver.fingerprint(&mut state),
        Ok(Some(StateCoverage::Complete))
    );
    let impulses = read(&mut solver, &problem);
    assert_eq!(impulses, [0.5, 1.25]);
    assert_eq!(state, [7, impulses[0].to_bits(), impulses[1].to_bits()]);
    // what the state holds is all: a new solver from it goes on the same way
    let mut resumed: DensePgs = prepared((), &problem, Start::Warm(&impulses));
    solver.iterate(&problem, 3).expect("finite");
    resumed.iterate(&problem, 3).expect("finite");
    assert_eq!(read(&mut solver, &problem), read(&mut resumed, &problem));
}

#[test]
fn memory_is_estimated_from_above_and_not_by_far() {
    fn peak<S: Solver<Parameters: Default>>(problem: &Problem) -> [u64; 2] {
        let mut solver = S::new(Default::default()).expect("defaults");
        let estimate = solver.footprint(problem);
        let counted = allocation_counter::measure(|| {
            solver.prepare(problem, Start::Cold).expect("accepted");
            solver.iterate(problem, 1).expect("solvable");
        });
        [counted.bytes_max, estimate]
    }
    let problem = |rows: usize, law: Law| {
        let mut a = vec![1.0; rows * rows];
        (0..rows).for_each(|i| a[i * rows + i] = 2.0);
        matrix_problem(&a, &vec![-1.0; rows], vec![(law, 1); rows])
    };
    // the kernels of faer keep one buffer per thread, whatever the problem: made before anything is
    // counted
    prepared::<Dantzig>(
        Default::default(),
        &problem(300, Law::UNILATERAL),
        Start::Cold,
    );
    for rows in [8, 30, 100] {
        for [peak, estimate] in [
            peak::<Dantzig>(&problem(rows, Law::UNILATERAL)),
            peak::<Bpp>(&problem(rows, Law::UNILATERAL)),
            peak::<Lemke>(&problem(rows, Law::UNILATERAL)),
            peak::<DensePgs>(&problem(rows, Law::UNILATERAL)),
        ] {
            assert!(
                peak <= estimate && estimate < 3 * peak,
                "{rows}: {peak} {estimate}"
            );
        }
    }
    // the decomposition works in buffers of its own, some megabytes whatever the size
    let [peak, estimate] = peak::<DenseDirect>(&problem(400, Law::Equality));
    assert!(
        peak < 4 * estimate && estimate < 3 * peak,
        "{peak} {estimate}"
    );
}
