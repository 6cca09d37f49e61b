//! The solvers of this crate agree with each other and with planted solutions, in velocity, to
//! 1e-10.

use crate::common::{
    Planted, Recipe, body_difference, box_residual, cases, planted, solve, velocity_difference,
};
use delassus_solver_dense::{Dantzig, DenseDirect, DensePgs, Enumeration, assembly};
use proptest::prelude::*;

/// The accuracy that the crate promises between its solvers, relative to the problem's velocity
/// scale.
const PROMISED: f64 = 1e-10;

fn assert_planted(planted: &Planted, x: &[f64]) -> Result<(), TestCaseError> {
    let problem = &planted.problem;
    let (rows, bodies) = (
        velocity_difference(problem, &planted.impulses, x),
        body_difference(problem, &planted.impulses, x),
    );
    prop_assert!(rows < PROMISED, "constraint velocities differ by {rows:e}");
    prop_assert!(bodies < PROMISED, "body velocities differ by {bodies:e}");
    let residual = box_residual(problem, x);
    prop_assert!(residual < PROMISED, "residual {residual:e}");
    Ok(())
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn dantzig_finds_the_planted_velocities(recipe in Recipe::any(5, 12, 24)) {
        let planted = planted(recipe);
        let x = solve::<Dantzig>(&planted.problem, 1)
            .map_err(|e| TestCaseError::fail(format!("{e}")))?;
        assert_planted(&planted, &x)?;
    }

    #[test]
    fn dantzig_survives_many_redundant_rows(seed in any::<u64>(), blocks in 20..60usize) {
        // at most 12 degrees of freedom under up to 100 rows, half of them degenerate
        let planted = planted(Recipe {
            seed, bodies: 2, blocks, max_rows: 100, mass_decades: 1.0, repeat: 0.3, soft: 0.0, degenerate: 0.5,
            equality_only: false,
        });
        let x = solve::<Dantzig>(&planted.problem, 1)
            .map_err(|e| TestCaseError::fail(format!("{e}")))?;
        assert_planted(&planted, &x)?;
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn enumeration_finds_the_planted_velocities(recipe in Recipe::any(5, 12, 24)) {
        let planted = planted(Recipe { max_rows: 9, ..recipe });
        let x = solve::<Enumeration>(&planted.problem, 1)
            .map_err(|e| TestCaseError::fail(format!("{e}")))?;
        assert_planted(&planted, &x)?;
        let other = solve::<Dantzig>(&planted.problem, 1)
            .map_err(|e| TestCaseError::fail(format!("{e}")))?;
        prop_assert!(velocity_difference(&planted.problem, &x, &other) < PROMISED);
    }

    #[test]
    fn dense_direct_solves_consistent_equalities(recipe in Recipe::any(5, 12, 24)) {
        let planted = planted(Recipe { equality_only: true, ..recipe });
        let x = solve::<DenseDirect>(&planted.problem, 1)
            .map_err(|e| TestCaseError::fail(format!("{e}")))?;
        assert_planted(&planted, &x)?;
        let other = solve::<Dantzig>(&planted.problem, 1)
            .map_err(|e| TestCaseError::fail(format!("{e}")))?;
        prop_assert!(body_difference(&planted.problem, &x, &other) < PROMISED);
        // the shortest of all solutions, the planted one among them; eigenvalues down to 1e-13
        // count, so rounding leaves weak directions of λ uncertain by 1e-3
        let squares = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>();
        prop_assert!(squares(&x) <= squares(&planted.impulses) * (1.0 + 1e-2));
        prop_assert!(squares(&x) <= squares(&other) * (1.0 + 1e-2));
    }

    #[test]
    fn rank_is_bounded_by_the_degrees_of_freedom(recipe in Recipe::any(5, 12, 24)) {
        let planted = planted(recipe);
        let facts = assembly::redundancy(&planted.problem)
            .map_err(|e| TestCaseError::fail(format!("{e}")))?;
        prop_assert!(facts.rank <= (6 * recipe.bodies).min(planted.problem.rows()));
        prop_assert_eq!(facts.rank + facts.null_dimension(), planted.problem.rows());
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn long_sweeps_reach_the_same_velocities(recipe in Recipe::any(5, 12, 24)) {
        // compliance bounds the condition number, so that the linear rate reaches rounding in the
        // sweeps given
        let planted = planted(Recipe { soft: 1.0, mass_decades: recipe.mass_decades / 4.0, ..recipe });
        let x = solve::<DensePgs>(&planted.problem, 100_000)
            .map_err(|e| TestCaseError::fail(format!("{e}")))?;
        assert_planted(&planted, &x)?;
        let other = solve::<Dantzig>(&planted.problem, 1)
            .map_err(|e| TestCaseError::fail(format!("{e}")))?;
        prop_assert!(velocity_difference(&planted.problem, &x, &other) < PROMISED);
        // with compliance on every row the impulses are unique too
        let worst = x.iter().zip(&other).fold(0.0, |max: f64, (a, b)| max.max((a - b).abs()));
        let size = x.iter().fold(0.0, |max: f64, a| max.max(a.abs()));
        // 1e-8: compliances go down to 1e-2 of the diagonal, so λ is up to 1e2 times less certain
        // than w
        prop_assert!(worst <= 1e-8 * size, "{worst:e} of {size:e}");
    }
}
