//! Lemke's method and block pivoting: small problems with known outcome, agreement, friction,
//! files.

use std::path::Path;
use std::sync::Arc;

use allocation_counter::measure;
use delassus_core::interrupt::{Left, within};
use delassus_core::{
    Friction, ImpulseSolver, Law, MassProperties, Problem, ProblemBuilder, SolveError, Solver,
    Start,
};
use delassus_metrics::Evaluator;
use delassus_problems::{generate, read_file};
use delassus_skips::skip;
use delassus_solver_dense::dantzig::{Begin, DantzigParameters};
use delassus_solver_dense::{Bpp, Dantzig, DensePgs, Enumeration, Lemke};
use nalgebra::Vector3;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::{
    Random, Recipe, body_difference, box_residual, cases, lcp, matrix_problem, planted, solve,
    velocity_difference,
};

/// min(z, w) of every row, relative to numbers of order one.
fn assert_complementary(problem: &Problem, z: &[f64]) {
    let mut w = vec![0.0; z.len()];
    problem.shifted_velocity(z, &mut w);
    for (i, (z, w)) in z.iter().zip(&w).enumerate() {
        assert!(z.min(*w).abs() < 1e-12, "row {i}: z = {z}, w = {w}");
    }
}

/// M of Murty's example: 1 on the diagonal, 2 below it; Murty's and Lemke's pivots may be
/// exponentially many.
fn murty(n: usize) -> Problem {
    let mut m = vec![0.0; n * n];
    for i in 0..n {
        m[i * n + i] = 1.0;
        m[i * n..i * n + i].fill(2.0);
    }
    lcp(&m, &vec![-1.0; n])
}

#[test]
fn murtys_exponential_example_is_solved() {
    // w_1 = z_1 − 1 binds, the others then have 2 − 1 > 0
    for n in [1, 2, 6, 12] {
        let problem = murty(n);
        let x = solve::<Lemke>(&problem, 1).expect("a P-matrix");
        let mut expected = vec![0.0; n];
        expected[0] = 1.0;
        assert_eq!(x, expected);
        assert_eq!(
            solve::<Dantzig>(&problem, 1).is_err(),
            n > 1,
            "not symmetric"
        );
    }
}

#[test]
fn a_problem_without_a_solution_ends_in_a_certificate() {
    // z_2 − 1 ≥ 0 and −z_1 − 1 ≥ 0 for z ≥ 0: skew, so copositive-plus, and infeasible
    let skew = lcp(&[0.0, 1.0, -1.0, 0.0], &[-1.0, -1.0]);
    // the same contact from both sides
    let wedge = lcp(&[1.0, -1.0, -1.0, 1.0], &[-1.0, -2.0]);
    // two equal equations with different constants
    let equal = matrix_problem(&[1.0; 4], &[-1.0, -2.0], vec![(Law::Equality, 1); 2]);
    for problem in [skew, wedge, equal] {
        let Err(SolveError::Ray(ray)) = solve::<Lemke>(&problem, 1) else {
            panic!("a ray");
        };
        assert!(ray.is_proof(), "{ray}");
        // Farkas by substitution, with d of any length: no row of Aᵀd rises, b does negative work
        let mut velocity = vec![0.0; 2];
        problem.apply_delassus(&ray.direction, &mut velocity);
        let work: f64 = problem
            .b()
            .iter()
            .zip(&ray.direction)
            .map(|(b, d)| b * d)
            .sum();
        assert!(work < -0.1, "{work}");
        if problem.blocks()[0].law == Law::Equality || problem.diagonal()[0] == 1.0 {
            assert!(velocity.iter().all(|v| v.abs() < 1e-12), "{velocity:?}");
            assert!(solve::<Bpp>(&problem, 1).is_err());
        }
        assert!(ray.to_string().starts_with("no solution: "));
    }
}

#[test]
fn a_ray_that_proves_nothing_says_so() {
    // −z ≥ 0 ⊥ z with q < 0: no solution either, but the matrix is not copositive, and no
    // combination is a proof
    let problem = lcp(
        &[0.0, 1.0, -1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0],
        &[-1e-4, -1.0, 1.0],
    );
    match solve::<Lemke>(&problem, 1) {
        Ok(z) => assert_complementary(&problem, &z),
        Err(SolveError::Ray(ray)) => assert!(!ray.to_string().is_empty()),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn bounds_that_are_not_active_do_not_matter() {
    // λ_2 = −b_2/a_22 beside the bound of λ_1, whatever its own bounds are: a_21·1.5 − 0.7 + 1.3
    // λ_2 = 0
    let matrix = [1.8, 0.3, 0.3, 1.3];
    let bounds = |lower, upper| Law::Bounds { lower, upper };
    let exact = [1.5, 0.25 / 1.3];
    for far in [1e2, 1e6, 1e11, 1e16, 1e100, f64::INFINITY] {
        for other in [
            bounds(-far, far),
            bounds(-far, f64::INFINITY),
            bounds(-0.5, far),
        ] {
            let blocks = vec![(bounds(-1.5, 1.5), 1), (other.clone(), 1)];
            let problem = matrix_problem(&matrix, &[-4.0, -0.7], blocks);
            let x = solve::<Lemke>(&problem, 1).expect("a box");
            for (x, exact) in x.iter().zip(exact) {
                assert!((x - exact).abs() < 1e-13, "{far:e} {other:?}: {x}");
            }
        }
    }
    // a bound that is far and active: λ_2 at −1e7, λ_1 = (4 + 0.3e7)/1.8 above its own
    let blocks = vec![(bounds(-1.5, 1e5), 1), (bounds(-1e7, 1e9), 1)];
    let problem = matrix_problem(&[1.8, 0.3, 0.3, 1e-6], &[-4.0, 30.0], blocks);
    let x = solve::<Lemke>(&problem, 1).expect("a box");
    assert!(
        (x[0] - 1e5).abs() < 1e-7 && (x[1] + 1e7).abs() < 1e-5,
        "{x:?}"
    );
    // a row that only its far bounds hold: b_2 drives an impulse that changes no velocity
    let blocks = vec![(bounds(-1.0, 1.0), 1), (bounds(-1e9, 1e9), 1)];
    let problem = matrix_problem(&[2.0, 0.0, 0.0, 0.0], &[-1.0, 0.5], blocks);
    let x = solve::<Lemke>(&problem, 1).expect("a box");
    assert!((x[0] - 0.5).abs() < 1e-7 && x[1] == -1e9, "{x:?}");
}

#[test]
fn many_solutions_one_of_them_is_found() {
    // z_1 + z_2 = 1 and every z on that segment
    let problem = lcp(&[1.0; 4], &[-1.0, -1.0]);
    for x in [
        solve::<Lemke>(&problem, 1),
        solve::<Bpp>(&problem, 1),
        solve::<Dantzig>(&problem, 1),
    ] {
        let x = x.expect("solvable");
        assert!((x[0] + x[1] - 1.0).abs() < 1e-14, "{x:?}");
        assert_complementary(&problem, &x);
    }
}

#[test]
fn ties_do_not_make_the_pivots_cycle() {
    // Kostreva's example, on which pivots with arbitrary ties go around, and problems in which
    // every ratio is a tie
    let kostreva = lcp(
        &[1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0],
        &[-1.0, -1.0, -1.0],
    );
    let x = solve::<Lemke>(&kostreva, 1).expect("a P-matrix");
    assert_complementary(&kostreva, &x);
    let n = 16;
    let mut circulant = vec![0.0; n * n];
    for i in 0..n {
        circulant[i * n + i] = 4.0;
        circulant[i * n + (i + 1) % n] = 1.0;
        circulant[i * n + (i + 2) % n] = -2.0;
        circulant[i * n + (i + n - 1) % n] = 1.0;
    }
    let mut q = vec![0.0; n];
    q[..2].fill(-1.0);
    let tied = lcp(&circulant, &q);
    let x = solve::<Lemke>(&tied, 1).expect("diagonally dominant");
    assert_complementary(&tied, &x);
}

#[test]
fn free_rows_without_a_pivot_become_pairs() {
    // w_1 = z_2 − 1 = 0, w_2 = 2 − z_1 ≥ 0: the block of the free row is zero
    let problem = matrix_problem(
        &[0.0, 1.0, -1.0, 0.0],
        &[-1.0, 2.0],
        vec![(Law::Equality, 1), (Law::UNILATERAL, 1)],
    );
    let x = solve::<Lemke>(&problem, 1).expect("solvable");
    assert!(
        (x[0] - 2.0).abs() < 1e-14 && (x[1] - 1.0).abs() < 1e-14,
        "{x:?}"
    );
}

#[test]
fn a_cube_face_shares_its_weight() {
    // O14: A = circ(4, 1, −2, 1); unit weight: the sum is 1, the shortest impulses are a quarter
    // each
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(1.0, Vector3::repeat(1.0 / 6.0));
    let body = builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    for (x, z) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
        builder.block(Law::UNILATERAL, &[body], &[[[0.0, 1.0, 0.0, -z, 0.0, x]]]);
    }
    let problem = builder.build().expect("valid");
    let lemke = solve::<Lemke>(&problem, 1).expect("solvable");
    assert!((lemke.iter().sum::<f64>() - 1.0).abs() < 1e-14);
    let bpp = solve::<Bpp>(&problem, 1).expect("solvable");
    // rounding over the shift of 1e-9
    assert!(bpp.iter().all(|x| (x - 0.25).abs() < 1e-6), "{bpp:?}");
    assert!(velocity_difference(&problem, &lemke, &bpp) < 1e-14);
}

#[test]
fn a_box_on_which_jacobi_diverges_is_solved() {
    // O15: half-extents (1, 2.3, 1), s = 3/(1 + 2.3²); four normals carry a quarter of the weight
    // each
    let inertia = Vector3::new(1.0 + 2.3 * 2.3, 2.0, 1.0 + 2.3 * 2.3) / 3.0;
    let mut builder = ProblemBuilder::new();
    let body = builder.body(
        MassProperties::aligned(1.0, inertia),
        [0.0, -1.0, 0.0, 0.0, 0.0, 0.0],
    );
    for (x, z) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        builder.block(Law::UNILATERAL, &[body], &[[[0.0, 1.0, 0.0, -z, 0.0, x]]]);
    }
    let problem = builder.build().expect("valid");
    for x in [solve::<Lemke>(&problem, 1), solve::<Bpp>(&problem, 1)] {
        let x = x.expect("solvable");
        assert!((x.iter().sum::<f64>() - 1.0).abs() < 1e-13);
        assert!(box_residual(&problem, &x) < 1e-13);
    }
}

proptest! {
    #![proptest_config(cases(200))]

    // O35: any rank, mass ratios to 1e4, degenerate pairs; three independent methods and the
    // planted solution
    #[test]
    fn planted_velocities_are_found_by_every_pivoting_method(recipe in Recipe::any(4, 40, 70)) {
        let planted = planted(recipe);
        let problem = &planted.problem;
        for (name, x) in [
            ("lemke", solve::<Lemke>(problem, 1)),
            ("bpp", solve::<Bpp>(problem, 1)),
            ("dantzig", solve::<Dantzig>(problem, 1)),
        ] {
            let x = x.map_err(|e| TestCaseError::fail(format!("{name}: {e}")))?;
            let rows = velocity_difference(problem, &planted.impulses, &x);
            let bodies = body_difference(problem, &planted.impulses, &x);
            prop_assert!(rows.max(bodies) < 1e-10, "{name}: {rows:e} {bodies:e}");
            prop_assert!(box_residual(problem, &x) < 1e-10, "{name}");
        }
    }

    #[test]
    fn small_problems_agree_with_enumeration(recipe in Recipe::any(4, 40, 70)) {
        let planted = planted(Recipe { max_rows: 9, ..recipe });
        let problem = &planted.problem;
        let all = solve::<Enumeration>(problem, 1).map_err(|e| TestCaseError::fail(format!("{e}")))?;
        for x in [solve::<Lemke>(problem, 1), solve::<Bpp>(problem, 1)] {
            let x = x.map_err(|e| TestCaseError::fail(format!("{e}")))?;
            prop_assert!(velocity_difference(problem, &all, &x) < 1e-10);
        }
    }
}

/// Contacts of a law on one box that slides and spins on the ground, and one beside it that touches
/// in one point.
fn sliding(friction: Friction) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(1.0, Vector3::repeat(1.0 / 6.0));
    let body = builder.body(mass, [0.4, -1.0, 0.25, 0.0, 0.3, 0.0]);
    let points: [[f64; 2]; 3] = [[-0.5, -0.4], [0.5, -0.3], [0.1, 0.5]];
    for [x, z] in points {
        let rows = [
            [[0.0, 1.0, 0.0, -z, 0.0, x]],
            [[1.0, 0.0, 0.0, 0.0, z, 0.5]],
            [[0.0, 0.0, 1.0, -0.5, -x, 0.0]],
        ];
        builder.block(Law::Contact(friction), &[body], &rows);
    }
    builder.build().expect("valid")
}

fn natural_map(problem: &Problem, x: &[f64]) -> f64 {
    let mut evaluator = Evaluator::new(problem).expect("in range");
    evaluator.evaluate(x).expect("finite").natural_map
}

#[test]
fn facets_and_pyramids_are_solved_to_their_law() {
    for mu in [0.0, 0.1, 0.3, 0.8] {
        let facets = [4, 6, 8, 16].map(|facets| Friction::Facets { mu, facets });
        for friction in facets.into_iter().chain([Friction::Pyramid { mu }]) {
            let problem = sliding(friction);
            let x = solve::<Lemke>(&problem, 1).expect("solvable");
            let residual = natural_map(&problem, &x);
            assert!(residual < 1e-13, "{friction:?}: {residual:e}");
            let sweeps = solve::<DensePgs>(&problem, 20_000).expect("finite");
            assert!(natural_map(&problem, &sweeps) < 1e-10, "{friction:?}");
            let apart = velocity_difference(&problem, &x, &sweeps);
            assert!(apart < 1e-8, "{friction:?}: {apart:e}");
        }
    }
}

#[test]
fn bounds_that_follow_the_normals_end_in_a_solution_of_the_pyramid() {
    for mu in [0.0, 0.1, 0.3, 0.8] {
        let problem = sliding(Friction::Pyramid { mu });
        for begin in [Begin::Sets, Begin::Rows] {
            let parameters = DantzigParameters {
                begin,
                ..Default::default()
            };
            let mut solver = Dantzig::new(parameters).expect("valid");
            solver.prepare(&problem, Start::Cold).expect("accepted");
            solver.iterate(&problem, 1).expect("settles");
            let mut x = vec![0.0; problem.rows()];
            solver.read_impulses(&mut x).expect("prepared");
            let residual = natural_map(&problem, &x);
            // bounds repeat to 1e-11
            assert!(residual < 1e-10, "{mu} {begin:?}: {residual:e}");
            let lemke = solve::<Lemke>(&problem, 1).expect("solvable");
            assert!(velocity_difference(&problem, &x, &lemke) < 1e-9);
        }
    }
}

#[test]
fn friction_that_pulls_itself_in_is_refused_or_solved() {
    // the rod of Painlevé: with μ = 1.6 > 4/3 following the normals leaves the slide
    let matrix = [1.6, 1.2, 1.2, 3.4];
    let law = Law::Contact(Friction::Pyramid { mu: 1.6 });
    for b in [[0.05, 1.0], [-0.05, 1.0]] {
        let problem = matrix_problem(&matrix, &b, vec![(law.clone(), 2)]);
        match solve::<Dantzig>(&problem, 1) {
            Ok(x) => assert!(natural_map(&problem, &x) < 1e-10, "{x:?}"),
            Err(error) => assert!(matches!(error, SolveError::Unreached { .. }), "{error}"),
        }
        let x = solve::<Lemke>(&problem, 1).expect("a solution exists");
        assert!(natural_map(&problem, &x) < 1e-13, "{x:?}");
    }
}

fn pile(generator: &str, parameters: Value) -> Problem {
    let parameters = parameters.as_object().cloned().unwrap_or_default();
    generate(generator, &parameters).expect("in range").problem
}

#[test]
fn piles_are_solved_by_every_method_and_iterating_allocates_nothing() {
    fn run<S: Solver<Parameters: Default>>(problem: &Problem) -> Vec<f64> {
        let mut solver = S::new(S::Parameters::default()).expect("valid");
        solver.prepare(problem, Start::Cold).expect("accepted");
        let counted = measure(|| {
            solver.iterate(problem, 1).expect("solvable");
        });
        assert_eq!(counted.count_total, 0, "{}", S::DESCRIPTOR.id);
        let mut x = vec![0.0; problem.rows()];
        solver.read_impulses(&mut x).expect("prepared");
        let residual = natural_map(problem, &x);
        assert!(residual < 1e-10, "{}: {residual:e}", S::DESCRIPTOR.id);
        x
    }
    for problem in [
        pile("stack", json!({ "n": 40, "law": "frictionless" })),
        pile("wall", json!({ "base": 6, "law": "frictionless" })),
    ] {
        let x = run::<Dantzig>(&problem);
        for other in [run::<Bpp>(&problem), run::<Lemke>(&problem)] {
            assert!(velocity_difference(&problem, &x, &other) < 1e-10);
        }
    }
    let wall = pile("wall", json!({ "base": 3, "law": "pyramid" }));
    run::<Dantzig>(&wall);
    run::<Lemke>(&wall);
}

/// Problem `seed` of the search for misses: up to 80 rows on one to four bodies.
fn searched(seed: u64) -> Recipe {
    let mut random = Random::new(seed ^ 0x5eed);
    Recipe {
        seed,
        bodies: 1 + random.below(4),
        blocks: 12 + random.below(40),
        max_rows: 24 + random.below(57),
        mass_decades: random.range(0.0, 4.0),
        repeat: [0.0, 0.5][random.below(2)],
        soft: [0.0, 0.3][random.below(2)],
        degenerate: [0.0, 0.5][random.below(2)],
        equality_only: false,
    }
}

#[test]
fn rare_misses_of_the_pivots_are_caught() {
    let miss = |seed: u64, begin: Begin| {
        let planted = planted(searched(seed));
        let parameters = DantzigParameters {
            begin,
            ..Default::default()
        };
        let mut solver = Dantzig::new(parameters).expect("valid");
        solver
            .prepare(&planted.problem, Start::Cold)
            .expect("accepted");
        solver.iterate(&planted.problem, 1).expect("solvable");
        let mut x = vec![0.0; planted.problem.rows()];
        solver.read_impulses(&mut x).expect("prepared");
        velocity_difference(&planted.problem, &planted.impulses, &x).max(body_difference(
            &planted.problem,
            &planted.impulses,
            &x,
        ))
    };
    // of 360 000: an active set with an eigenvalue near 1e-12 of the largest, which one threshold
    // calls redundant
    for seed in [270_825, 292_500, 328_587] {
        assert!(miss(seed, Begin::Rows) > 1e-10, "{seed}");
        assert!(miss(seed, Begin::Sets) < 1e-10, "{seed}");
    }
    // rounding of A itself moves the weakest direction of this one: every method here misses it, by
    // so much
    let last = miss(259_814, Begin::Sets);
    assert!(last > 1e-10 && last < 1e-6, "{last:e}");
}

#[test]
fn every_complementarity_file_is_solved_or_shown_to_have_no_solution() {
    let root = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/problems"
    ));
    for folder in ["lcp", "mlcp"] {
        let Ok(entries) = root.join(folder).read_dir() else {
            skip(
                "every_complementarity_file_is_solved_or_shown_to_have_no_solution",
                format!("{folder} is not there"),
            );
            continue;
        };
        let mut paths: Vec<_> = entries.map(|e| e.expect("readable").path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_stem().and_then(|s| s.to_str()).unwrap_or("");
            let problem = match read_file(&path) {
                Ok(named) => named.problem,
                Err(error) => {
                    println!("{name}: not read: {error}");
                    continue;
                }
            };
            match solve::<Lemke>(&problem, 1) {
                Ok(x) => {
                    let residual = natural_map(&problem, &x);
                    println!("{name}: solved, natural map {residual:.1e}");
                    assert!(residual < 1e-12, "{name}: {residual:e}");
                }
                Err(SolveError::Ray(ray)) => {
                    println!("{name}: {ray}");
                    // the one file of the collection that has no solution; all modes are tried
                    assert!(
                        ray.is_proof() || solve::<Enumeration>(&problem, 1).is_err(),
                        "{name}"
                    );
                }
                Err(error) => panic!("{name}: {error}"),
            }
        }
    }
}

#[test]
fn a_factor_that_takes_too_long_does_not_make_a_matrix_indefinite() {
    let rows = 400;
    let mut matrix = vec![0.0; rows * rows];
    matrix.iter_mut().step_by(rows + 1).for_each(|a| *a = 1.0);
    let problem = lcp(&matrix, &vec![-1.0; rows]);
    // enough for the matrix, and not for a factor
    let left: Left = Arc::new(|| 2e-3);
    let outcome = within(left, || solve::<Bpp>(&problem, 1));
    assert_eq!(outcome, Err(SolveError::Interrupted));
    assert!(solve::<Bpp>(&problem, 1).is_ok());
}
