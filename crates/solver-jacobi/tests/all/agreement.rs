//! The same solutions as projected Gauss–Seidel, in f64 and f32, for every law; and repeatable
//! bits.

use delassus_core::{ImpulseSolver, Problem, Solver, Start};
use delassus_metrics::Evaluator;
use delassus_problems::generators::{
    BoxProblem, Boxes, Chain, ChainProblem, ContactLaw, JointGrid, JointGridProblem, Pyramid, Stack,
};
use delassus_solver_jacobi::async_jacobi::AsyncJacobiParameters;
use delassus_solver_jacobi::parameters::StepParameters;
use delassus_solver_jacobi::rule::{FactorRule, LocalSweep, Splitting};
use delassus_solver_jacobi::{Acceleration, AsyncJacobi, Jacobi, JacobiF32, JacobiParameters};

use crate::common::{problem, residual};

const LAWS: [ContactLaw; 7] = [
    ContactLaw::Frictionless,
    ContactLaw::FixedBox,
    ContactLaw::Pyramid,
    ContactLaw::Disc,
    ContactLaw::Coulomb,
    ContactLaw::ConvexCone,
    ContactLaw::Patch,
];

fn solve<S: Solver>(parameters: S::Parameters, problem: &Problem, sweeps: u32) -> Vec<f64> {
    let mut solver = S::new(parameters).expect("valid parameters");
    solver
        .prepare(problem, Start::Cold)
        .expect("a problem with bodies");
    solver.iterate(problem, sweeps).expect("finite impulses");
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("impulses");
    impulses
}

fn residual_of(problem: &Problem, impulses: &[f64]) -> f64 {
    let mut evaluator = Evaluator::new(problem).expect("a scale");
    residual(&mut evaluator, impulses)
}

/// A box that slides, and a small pyramid, for every law; f32 ends where its rounding does.
#[test]
fn every_law_is_solved() {
    for law in LAWS {
        let sliding = BoxProblem::from(Stack {
            n: 2,
            boxes: Boxes {
                law,
                speed: 1.0,
                friction: 0.3,
                ..Boxes::default()
            },
            ..Stack::default()
        });
        let pyramid = BoxProblem::from(Pyramid {
            base: 2,
            boxes: Boxes {
                law,
                ..Boxes::default()
            },
        });
        for problem in [problem(&sliding), problem(&pyramid)] {
            let impulses = solve::<Jacobi>(JacobiParameters::default(), &problem, 4000);
            let found = residual_of(&problem, &impulses);
            assert!(found < 1e-9, "{law:?}: {found:e}");
            let impulses = solve::<JacobiF32>(JacobiParameters::default(), &problem, 4000);
            let found = residual_of(&problem, &impulses);
            // the relative floor of f32 is 3e-6 for equal masses
            assert!(found < 3e-5, "{law:?} in f32: {found:e}");
        }
    }
}

#[test]
fn joints_are_solved() {
    let chain = problem(&ChainProblem::from(Chain {
        n: 8,
        ..Chain::default()
    }));
    let grid = problem(&JointGridProblem::from(JointGrid {
        n: 4,
        ..JointGrid::default()
    }));
    for problem in [chain, grid] {
        let impulses = solve::<Jacobi>(JacobiParameters::default(), &problem, 2000);
        let found = residual_of(&problem, &impulses);
        assert!(found < 1e-9, "{found:e}");
    }
}

/// Every safe rule, sweep and acceleration has the fixed points of the default.
#[test]
fn every_rule_stays_at_the_solution() {
    let problem = problem(&BoxProblem::from(Pyramid {
        base: 2,
        boxes: Boxes {
            law: ContactLaw::Coulomb,
            ..Boxes::default()
        },
    }));
    let solution = solve::<Jacobi>(JacobiParameters::default(), &problem, 6000);
    let before = residual_of(&problem, &solution);
    for rule in [
        FactorRule::Diagonal,
        FactorRule::Count,
        FactorRule::MaxCount,
        FactorRule::MassSplit,
    ] {
        for splitting in [Splitting::Rows, Splitting::Blocks] {
            for sweep in [LocalSweep::Points, LocalSweep::Block] {
                for acceleration in [
                    Acceleration::None,
                    Acceleration::Chebyshev,
                    Acceleration::Nesterov,
                ] {
                    let parameters = JacobiParameters {
                        acceleration,
                        step: StepParameters {
                            rule,
                            splitting,
                            sweep,
                            ..StepParameters::default()
                        },
                        ..JacobiParameters::default()
                    };
                    let mut solver = Jacobi::new(parameters).expect("valid parameters");
                    solver
                        .prepare(&problem, Start::Warm(&solution))
                        .expect("a warm start");
                    solver.iterate(&problem, 3).expect("finite impulses");
                    let mut impulses = solution.clone();
                    solver.read_impulses(&mut impulses).expect("impulses");
                    let after = residual_of(&problem, &impulses);
                    // an unsafe step multiplies what is left of the error by less than 13 each time
                    // (experiment 19)
                    assert!(
                        after <= 2200.0 * before + 1e-12,
                        "{parameters:?}: {before:e} -> {after:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn bits_repeat_and_the_scheduler_changes_them() {
    let problem = problem(&BoxProblem::from(Pyramid {
        base: 3,
        ..Pyramid::default()
    }));
    let twice = [0; 2].map(|_| solve::<JacobiF32>(JacobiParameters::default(), &problem, 50));
    assert_eq!(twice[0], twice[1]);
    let run = |seed: u64, in_flight: usize| {
        solve::<AsyncJacobi>(AsyncJacobiParameters { in_flight, seed }, &problem, 50)
    };
    assert_eq!(run(1, 32), run(1, 32));
    assert_ne!(run(1, 32), run(2, 32));
    assert_ne!(run(1, 32), run(1, 64));
}

/// A patch counts its points (J.9): counted once its four normals would overshoot, and the solve
/// would not end.
#[test]
fn the_asynchronous_kernel_converges_on_patches() {
    let law = ContactLaw::Patch;
    let boxes = Boxes {
        law,
        ..Boxes::default()
    };
    let stack = Stack {
        n: 4,
        boxes,
        ..Stack::default()
    };
    let pushed = Pyramid {
        base: 2,
        boxes: Boxes {
            speed: 1.0,
            ..boxes
        },
    };
    let piles = [
        problem(&BoxProblem::from(stack)),
        problem(&BoxProblem::from(pushed)),
    ];
    for (pile, in_flight) in piles.iter().flat_map(|pile| [(pile, 1), (pile, 64)]) {
        let parameters = AsyncJacobiParameters { in_flight, seed: 3 };
        let before = residual_of(pile, &vec![0.0; pile.rows()]);
        let impulses = solve::<AsyncJacobi>(parameters, pile, 4000);
        let after = residual_of(pile, &impulses);
        assert!(
            after < 1e-6 * before,
            "{in_flight}: {before:e} -> {after:e}"
        );
    }
}
