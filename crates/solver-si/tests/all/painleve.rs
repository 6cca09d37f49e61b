//! The Painlevé rod: several solutions, and the rate μ A_nt / A_nn of a sliding contact.

use delassus_core::{
    Block, BlockSparse, CoupledCompliance, Friction, Law, MatrixRows, Operator, Problem,
    ProblemParts, Start,
};
use delassus_solver_si::Order;

use crate::support::{block_gs, continue_sweeps, largest_difference, pgs, residual, run};

/// One planar contact with A = [[1.6, 1.2], [1.2, 3.4]]: m = l = 1, tan θ = 2.
fn rod(mu: f64, b: [f64; 2]) -> Problem {
    let delassus = BlockSparse::from_blocks(&[2], vec![(0, 0, vec![1.6, 1.2, 1.2, 3.4])]);
    Problem::new(ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus: delassus.expect("a valid matrix"),
            free_velocity: b.to_vec(),
        }),
        blocks: vec![Block {
            first_row: 0,
            dim: 2,
            law: Law::Contact(Friction::Coulomb { mu }),
            feature: 0,
        }],
        bias: vec![0.0; 2],
        compliance: vec![0.0; 2],
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    })
    .expect("a valid problem")
}

#[test]
fn three_solutions_beyond_the_threshold() {
    // μ = 1.6 > 4/3: open, stick and slide all satisfy the law
    let problem = rod(1.6, [0.05, 1.0]);
    for solution in [[0.0, 0.0], [0.2575, -0.385], [0.15625, -0.25]] {
        // exact decimal solutions: rounding of two products
        assert!(residual(&problem, &solution) < 1e-14, "{solution:?}");
    }
    // both solvers start at zero and stay there: b_n > 0
    for solver in [
        &mut pgs(Order::Natural) as &mut dyn delassus_core::ImpulseSolver,
        &mut block_gs(1.0, Order::Natural),
    ] {
        assert_eq!(run(solver, &problem, Start::Cold, 10), [0.0, 0.0]);
    }
    // pgs leaves the slide, which repels by 1.2 per sweep, for its stick side
    let beside = [0.15625 + 1e-6, -0.25 - 1.6e-6];
    let end = run(
        &mut pgs(Order::Natural),
        &problem,
        Start::Warm(&beside),
        2000,
    );
    assert!(
        largest_difference(&end, &[0.2575, -0.385]) < 1e-12,
        "{end:?}"
    );
}

#[test]
fn impact_without_collision() {
    // b_n < 0 and w_t > 0: only stick remains, with λ_n far beyond what stops w_n alone
    let problem = rod(1.6, [-0.05, 1.0]);
    let expected = [0.3425, -0.415];
    let rows = run(&mut pgs(Order::Natural), &problem, Start::Cold, 2000);
    assert!(largest_difference(&rows, &expected) < 1e-12, "{rows:?}");
    let block = run(&mut block_gs(1.0, Order::Natural), &problem, Start::Cold, 1);
    assert!(largest_difference(&block, &expected) < 1e-15, "{block:?}");
}

#[test]
fn rate_of_a_sliding_contact() {
    // (G.20): λ_n' = −(b_n − μ A_nt λ_n)/A_nn contracts by μ A_nt/A_nn, in every sweep
    for (mu, rate) in [(0.5, 0.375), (1.0, 0.75), (1.3, 0.975)] {
        let problem = rod(mu, [-0.05, 5.0]);
        let normal = 0.05 / (1.6 - 1.2 * mu);
        let mut solver = pgs(Order::Natural);
        let mut error = run(&mut solver, &problem, Start::Cold, 3)[0] - normal;
        for _ in 0..5 {
            let next = continue_sweeps(&mut solver, &problem, 1)[0] - normal;
            assert!(
                (next / error - rate).abs() < 1e-12,
                "{mu}: {}",
                next / error
            );
            error = next;
        }
        let block = run(&mut block_gs(1.0, Order::Natural), &problem, Start::Cold, 1);
        assert!(largest_difference(&block, &[normal, -mu * normal]) < 1e-14 * normal);
    }
}
