//! Conjugate gradients in the place of factors.

use delassus_core::{ImpulseSolver, Problem, Start};
use delassus_solver_newton::prox_newton::PreparedProxNewton;
use delassus_solver_newton::{ProxNewton, Sap};
use serde_json::{Value, json};

use crate::common::{difference, made, residual, solve, solver};

const KINDS: [(&str, &str); 3] = [
    ("block-jacobi", "gauss-seidel"),
    ("multigrid", "gauss-seidel"),
    ("multigrid", "incomplete-cholesky"),
];

fn parameters((preconditioner, smoother): (&str, &str)) -> Value {
    json!({ "linear": "cg", "preconditioner": preconditioner, "smoother": smoother })
}

/// Iterations of the first system, to 1e-10.
fn count(problem: &Problem, kind: (&str, &str)) -> u32 {
    let mut solver: ProxNewton = solver(parameters(kind));
    solver.prepare(problem, Start::Cold).expect("accepted");
    solver.iterate(problem, 1).expect("runs");
    match solver.prepared().expect("prepared") {
        PreparedProxNewton::Bodies(bodies) => bodies.linear_iterations().expect("gradients"),
        PreparedProxNewton::Matrix(_) => panic!("a problem of bodies"),
    }
}

#[test]
fn sap_finds_the_same_minimum() {
    for seed in 0..3 {
        let problem = made(
            "planted",
            json!({ "bodies": 20, "coulomb": 0, "convex_cone": 30, "equality": 3, "compliance": 0.05, "seed": seed }),
        );
        let expected = solve::<Sap>(&problem, 100);
        for kind in KINDS {
            let mut sap: Sap = solver(parameters(kind));
            sap.prepare(&problem, Start::Cold).expect("accepted");
            sap.iterate(&problem, 100).expect("runs");
            let mut impulses = vec![0.0; problem.rows()];
            sap.read_impulses(&mut impulses).expect("prepared");
            let apart = difference(&problem, &expected, &impulses);
            assert!(apart < 1e-9, "{kind:?}, seed {seed}: {apart:e}");
            assert!(sap.prepared().expect("prepared").linear_iterations() > Some(0));
        }
    }
}

#[test]
fn proximal_newton_solves_piles_and_nets() {
    let problems = [
        made("joint-grid", json!({ "n": 8 })),
        made("stack", json!({ "n": 20 })),
        made("wall", json!({ "base": 5 })),
    ];
    for (index, problem) in problems.iter().enumerate() {
        for kind in KINDS {
            let mut newton: ProxNewton = solver(parameters(kind));
            newton.prepare(problem, Start::Cold).expect("accepted");
            newton.iterate(problem, 60).expect("runs");
            let mut impulses = vec![0.0; problem.rows()];
            newton.read_impulses(&mut impulses).expect("prepared");
            let residual = residual(problem, &impulses);
            assert!(residual < 1e-9, "{index}, {kind:?}: {residual:e}");
        }
    }
}

#[test]
fn chains_and_stacks_take_as_many_iterations_at_any_length() {
    for name in ["chain", "stack"] {
        let [short, long] = [50, 800].map(|n| {
            let problem = made(name, json!({ "n": n }));
            count(&problem, ("multigrid", "incomplete-cholesky"))
        });
        assert!(long < short + 2, "{name}: {short}, {long}");
    }
    // by the levels alone, of point masses
    let [short, long] = [50, 800].map(|n| {
        let problem = made("chain", json!({ "n": n }));
        count(&problem, ("multigrid", "gauss-seidel"))
    });
    assert!(long < short + 2, "{short}, {long}");
}

#[test]
fn nets_and_walls_take_fewer_iterations_than_blocks_alone() {
    let problems = [
        (made("joint-grid", json!({ "n": 16 })), 3),
        (made("wall", json!({ "base": 20 })), 3),
    ];
    for (index, (problem, factor)) in problems.iter().enumerate() {
        let blocks = count(problem, KINDS[0]);
        for kind in &KINDS[1..] {
            let levels = count(problem, *kind);
            assert!(
                factor * levels < blocks,
                "{index}, {kind:?}: {levels}, {blocks}"
            );
        }
    }
}
