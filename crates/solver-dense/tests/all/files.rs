//! Complementarity problems from files: every solution, checked by substitution and against known
//! lists.
//!
//! The files lie beside the repository; without them the test prints so and checks nothing.

use std::path::Path;

use delassus_core::{ImpulseSolver, Problem, Solver, Start};
use delassus_metrics::Evaluator;
use delassus_problems::read_file;
use delassus_skips::skip;
use delassus_solver_dense::{Dantzig, DensePgs, Enumeration};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/problems/lcp");

/// z ≥ 0, w ≥ 0, zᵀw = 0 by substitution.
fn assert_complementary(problem: &Problem, z: &[f64]) {
    let mut w = vec![0.0; z.len()];
    problem.shifted_velocity(z, &mut w);
    for (z, w) in z.iter().zip(&w) {
        // printed numbers of order 1 to 100 and rounding: 1e-11
        assert!(z.min(*w).abs() < 1e-11, "z = {z}, w = {w}");
    }
}

/// All solutions of each small file, found by an independent enumeration with another program and
/// other factors.
fn expected(name: &str) -> Option<Vec<Vec<f64>>> {
    let harmonic = (1..10).map(|i| 1.0 / f64::from(i)).collect();
    Some(match name {
        "lcp_CPS_1" => vec![vec![0.5, 0.5], vec![1.0, 0.0], vec![0.0, 1.0]],
        "lcp_CPS_2" => vec![vec![0.0, 1.0, 3.0]],
        "lcp_CPS_4" => vec![vec![2.0, 2.0, 2.0, 92.0]],
        "lcp_CPS_4bis" => vec![vec![3.0, 3.0, 0.0, 83.0]],
        "lcp_CPS_5" => vec![vec![0.0, 1.0]],
        "lcp_Pang_isolated_sol" => vec![vec![1.0, 0.0, 0.0]],
        "lcp_Pang_isolated_sol_perturbed" => vec![],
        "lcp_deudeu" | "lcp_deudeu_block" => vec![vec![4.0 / 3.0, 7.0 / 3.0]],
        "lcp_exp_murty" => vec![vec![0.0, 0.0, 0.0, 0.0, 0.0, 1.0]],
        "lcp_inf_sol_perturbed" => vec![vec![1.0, 0.0, 1e-4]],
        "lcp_trivial" | "lcp_trivial_block" => vec![harmonic],
        _ => return None,
    })
}

#[test]
fn enumeration_lists_every_solution_of_the_files() {
    let Ok(folder) = Path::new(FOLDER).read_dir() else {
        skip(
            "enumeration_lists_every_solution_of_the_files",
            format!("{FOLDER} is not there"),
        );
        return;
    };
    let mut checked = 0;
    for entry in folder {
        let path = entry.expect("a readable folder").path();
        let Ok(named) = read_file(&path) else {
            continue;
        };
        let problem = &named.problem;
        let mut solver = Enumeration::new(Default::default()).expect("valid");
        if solver.prepare(problem, Start::Cold).is_err() {
            assert!(problem.rows() > 12);
            continue;
        }
        let outcome = solver.iterate(problem, 1);
        for solution in solver.prepared().expect("prepared").solutions() {
            assert_complementary(problem, &solution.impulses);
        }
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("");
        let Some(expected) = expected(stem) else {
            continue;
        };
        checked += 1;
        assert_eq!(outcome.is_ok(), !expected.is_empty(), "{stem}");
        assert_eq!(
            solver.prepared().expect("prepared").solutions().len(),
            expected.len(),
            "{stem}"
        );
        for (found, expected) in solver
            .prepared()
            .expect("prepared")
            .solutions()
            .iter()
            .zip(&expected)
        {
            for (a, b) in found.impulses.iter().zip(expected) {
                assert!((a - b).abs() < 1e-11, "{stem}: {a} is not {b}");
            }
        }
    }
    assert_eq!(checked, 13, "every small file with a known list");
}

#[test]
fn dantzig_and_sweeps_agree_on_a_file() {
    let path = Path::new(FOLDER).join("lcp_mmc.dat");
    if !path.exists() {
        skip(
            "dantzig_and_sweeps_agree_on_a_file",
            format!("{} is not there", path.display()),
        );
        return;
    }
    // 26 rows, symmetric, condition number 1.2e3
    let named = read_file(&path).expect("readable");
    let problem = &named.problem;
    let mut dantzig = Dantzig::new(Default::default()).expect("valid");
    dantzig.prepare(problem, Start::Cold).expect("symmetric");
    dantzig.iterate(problem, 1).expect("positive definite");
    let mut x = vec![0.0; problem.rows()];
    dantzig.read_impulses(&mut x).expect("prepared");
    let mut sweeps = DensePgs::new(()).expect("valid");
    sweeps.prepare(problem, Start::Cold).expect("accepted");
    sweeps.iterate(problem, 20_000).expect("convergent");
    let mut y = vec![0.0; problem.rows()];
    sweeps.read_impulses(&mut y).expect("prepared");
    let mut evaluator = Evaluator::new(problem).expect("in range");
    assert!(evaluator.agreement(&x, &y).expect("finite") < 1e-10);
    let residuals = evaluator.evaluate(&x).expect("finite");
    assert!(residuals.natural_map < 1e-12, "{:e}", residuals.natural_map);
}
