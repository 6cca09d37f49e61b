//! Every law: planted solutions, closed forms, and the cases where a careless step gives another
//! law.

use delassus_core::{
    Block, BlockSparse, CoupledCompliance, Friction, Law, MatrixRows, Operator, Patch, Problem,
    ProblemBuilder, ProblemParts, Start,
};
use delassus_metrics::{Evaluator, Metric};
use delassus_problems::Generator;
use delassus_problems::generators::{OperatorForm, Planted};
use delassus_solver_si::Order;

use crate::support::{
    all, block_gs, convergent, largest_difference, norm, pgs, point, residual, run, velocity,
};

/// One planted problem per law, small enough to converge fast, friction low enough for F2, F3 and
/// F5 to converge.
fn planted() -> Vec<(&'static str, Planted)> {
    let base = Planted {
        bodies: 6,
        coulomb: 0,
        friction: 0.4,
        ..Planted::default()
    };
    let one = |change: fn(&mut Planted)| {
        let mut planted = base.clone();
        change(&mut planted);
        planted
    };
    vec![
        ("equality", one(|p| p.equality = 4)),
        ("gears", one(|p| (p.gears, p.equality) = (2, 2))),
        ("bounds", one(|p| p.bounds = 10)),
        ("frictionless", one(|p| p.frictionless = 8)),
        ("fixed box", one(|p| p.fixed_box = 6)),
        ("pyramid", one(|p| p.pyramid = 5)),
        ("disc", one(|p| p.disc = 5)),
        ("coulomb", one(|p| p.coulomb = 5)),
        ("convex cone", one(|p| p.convex_cone = 5)),
        ("patch", one(|p| (p.patch, p.bodies) = (3, 6))),
        ("eight facets", one(|p| p.facets = 5)),
        ("four facets", one(|p| (p.facets, p.directions) = (5, 4))),
        ("rolling", one(|p| p.rolling = 5)),
        ("rolling and spinning", one(|p| p.spinning = 5)),
        (
            "facets in the plane",
            one(|p| (p.facets, p.contact_dim) = (5, 2)),
        ),
        (
            "coulomb in the plane",
            one(|p| (p.coulomb, p.contact_dim) = (5, 2)),
        ),
        (
            "convex cone in the plane",
            one(|p| (p.convex_cone, p.contact_dim) = (5, 2)),
        ),
        (
            "pyramid in the plane",
            one(|p| (p.pyramid, p.contact_dim) = (5, 2)),
        ),
        (
            "everything, softly",
            one(|p| {
                (p.equality, p.gears, p.bounds, p.frictionless) = (1, 1, 2, 1);
                (p.fixed_box, p.pyramid, p.disc, p.coulomb) = (1, 1, 1, 1);
                (p.convex_cone, p.patch, p.compliance) = (1, 1, 0.05);
                (p.facets, p.rolling, p.spinning) = (1, 1, 1);
            }),
        ),
    ]
}

#[test]
fn planted_solutions_of_every_law_are_found() {
    for (name, planted) in planted() {
        for (form, seed) in [
            (OperatorForm::Bodies, 1),
            (OperatorForm::Bodies, 2),
            (OperatorForm::Matrix, 1),
        ] {
            let planted = Planted {
                form,
                seed,
                ..planted.clone()
            };
            let named = planted.generate().expect("valid parameters");
            let problem = &named.problem;
            let reference = named.reference_impulses().expect("planted");
            for mut solver in convergent(Order::Natural) {
                let found = run(solver.as_mut(), problem, Start::Cold, 20_000);
                let id = solver.descriptor().id;
                // converged linearly to rounding: measured below 1e-14, except where a gear chain
                // is slow
                let left = residual(problem, &found);
                assert!(left < 1e-11, "{name}, {id}, {form:?}, {seed}: {left:e}");
                // and a start at the solution stays there
                let kept = run(solver.as_mut(), problem, Start::Warm(reference), 1);
                let left = residual(problem, &kept);
                assert!(left < 1e-12, "{name}, {id} from the solution: {left:e}");
            }
        }
    }
}

/// A matrix problem of one block.
pub(crate) fn one_block(law: Law, a: &[f64], b: &[f64]) -> Problem {
    let dim = b.len();
    let delassus = BlockSparse::from_blocks(&[dim], vec![(0, 0, a.to_vec())]);
    Problem::new(ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus: delassus.expect("a valid matrix"),
            free_velocity: b.to_vec(),
        }),
        blocks: vec![Block {
            first_row: 0,
            dim,
            law,
            feature: 0,
        }],
        bias: vec![0.0; dim],
        compliance: vec![0.0; dim],
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    })
    .expect("a valid problem")
}

#[test]
fn an_anisotropic_contact_slides_against_its_velocity() {
    // K_tt = diag(1, 4): with the full 2 × 2 mass and radial scaling, λ_t would be off by up to 31
    // degrees
    let a = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 4.0];
    for friction in [Friction::Disc { mu: 0.5 }, Friction::Coulomb { mu: 0.5 }] {
        let problem = one_block(Law::Contact(friction), &a, &[-0.1, 1.0, 1.0]);
        for mut solver in convergent(Order::Natural) {
            let r = run(solver.as_mut(), &problem, Start::Cold, 1000);
            let w = velocity(&problem, &r);
            let sine = (r[1] * w[2] - r[2] * w[1]) / (norm(&r[1..]) * norm(&w[1..]));
            assert!(sine.abs() < 1e-14, "{sine:e}");
            assert!(r[1] * w[1] + r[2] * w[2] < 0.0);
            assert!((norm(&r[1..]) - 0.5 * r[0]).abs() < 1e-16);
            assert!((r[0] - 0.1).abs() < 1e-15);
        }
    }
}

#[test]
fn the_convex_cone_lifts_a_sliding_contact() {
    // v_t⁺ = (v_t − μ g h) / (1 + μ²) and w_n = μ ‖w_t‖
    let (mu, gh, mass) = (0.5, 0.0981, 2.0);
    let mut builder = ProblemBuilder::new();
    let body = builder.body(point(mass), [1.0, -gh, 0.0, 0.0, 0.0, 0.0]);
    let row = |axis: usize| {
        let mut row = [0.0; 6];
        row[axis] = 1.0;
        [row]
    };
    let rows = [row(1), row(0), row(2)];
    builder.block(Law::Contact(Friction::ConvexCone { mu }), &[body], &rows);
    let problem = builder.build().expect("a valid problem");
    let expected = (1.0 - mu * gh) / (1.0 + mu * mu);
    assert!((expected - 0.76076).abs() < 5e-6);
    for mut solver in convergent(Order::Natural) {
        let r = run(solver.as_mut(), &problem, Start::Cold, 200);
        let w = velocity(&problem, &r);
        assert!((w[1] - expected).abs() < 1e-15, "{w:?}");
        assert!((w[0] - mu * expected).abs() < 1e-15, "{w:?}");
    }
}

#[test]
fn square_friction_turns_a_slide_aside() {
    // F2 bounds each tangent alone: both saturate, so the impulse points along the diagonal
    // whatever w_t is
    let a = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let law = Law::Contact(Friction::Pyramid { mu: 0.5 });
    let problem = one_block(law, &a, &[-0.1, 1.0, 0.5]);
    for mut solver in convergent(Order::Natural) {
        let r = run(solver.as_mut(), &problem, Start::Cold, 200);
        assert!(largest_difference(&r, &[0.1, -0.05, -0.05]) < 1e-15);
    }
}

#[test]
fn patch_friction_is_bounded_by_the_load() {
    // decoupled rows: normals carry 1 and 2, tangents slide on a disc of 0.3 · 3, the twist within
    // 0.3 (0.5 + 2 · 0.25)
    let law = Law::Patch(Box::new(Patch {
        mu: 0.3,
        levers: vec![0.5, 0.25],
    }));
    let mut a = vec![0.0; 25];
    (0..5).for_each(|i| a[6 * i] = 1.0);
    let problem = one_block(law, &a, &[-1.0, -2.0, 3.0, -4.0, 9.0]);
    for mut solver in convergent(Order::Natural) {
        let r = run(solver.as_mut(), &problem, Start::Cold, 200);
        let expected = [1.0, 2.0, -0.54, 0.72, -0.3];
        assert!(largest_difference(&r, &expected) < 1e-15, "{r:?}");
    }
}

#[test]
fn frictionless_tangents_end_at_zero() {
    let a = [2.0, 0.3, 0.1, 0.3, 1.0, 0.0, 0.1, 0.0, 1.0];
    let problem = one_block(Law::Contact(Friction::Frictionless), &a, &[-1.0, 1.0, 1.0]);
    for mut solver in all(Order::Natural) {
        let r = run(
            solver.as_mut(),
            &problem,
            Start::Warm(&[0.0, 5.0, -5.0]),
            40,
        );
        assert_eq!(r[1..], [0.0, 0.0]);
    }
}

#[test]
fn contacts_that_separate_stay_open_in_one_sweep() {
    let planted = Planted {
        coulomb: 12,
        stick: 0.0,
        slide: 0.0,
        open: 1.0,
        ..Planted::default()
    };
    let problem = planted.generate().expect("valid parameters").problem;
    assert!(
        problem
            .blocks()
            .iter()
            .all(|block| problem.b()[block.first_row] >= 0.0)
    );
    for order in [Order::Natural, Order::Random] {
        let r = run(&mut block_gs(1.0, order), &problem, Start::Cold, 1);
        assert!(r.iter().all(|x| *x == 0.0));
    }
}

#[test]
fn a_soft_row_yields_by_its_compliance() {
    // λ = −b / (A + R)
    let mut builder = ProblemBuilder::new();
    let body = builder.body(point(2.0), [0.0, -3.0, 0.0, 0.0, 0.0, 0.0]);
    builder.block(
        Law::UNILATERAL,
        &[body],
        &[[[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]],
    );
    builder.compliance(&[0.25]);
    let problem = builder.build().expect("a valid problem");
    for mut solver in convergent(Order::Natural) {
        let r = run(solver.as_mut(), &problem, Start::Cold, 100);
        assert!((r[0] - 4.0).abs() < 1e-15, "{r:?}");
    }
}

#[test]
fn relaxed_iterates_stay_admissible() {
    // past the local solution and back into the cone, also from a start outside of it
    let planted = Planted {
        coulomb: 6,
        convex_cone: 6,
        pyramid: 6,
        fixed_box: 3,
        ..Planted::default()
    };
    let problem = planted.generate().expect("valid parameters").problem;
    let start: Vec<f64> = (0..problem.rows())
        .map(|i| 0.3 * (i % 4) as f64 - 0.4)
        .collect();
    let mut evaluator = Evaluator::new(&problem).expect("a scale");
    for omega in [0.5, 1.5, 1.9] {
        let mut solver = block_gs(omega, Order::Natural);
        for sweeps in 1..12 {
            let r = run(&mut solver, &problem, Start::Warm(&start), sweeps);
            let residuals = evaluator.evaluate(&r).expect("finite");
            let outside = residuals.get(Metric::Primal).expect("always there");
            // rounding of impulses of order one
            assert!(outside < 1e-14, "ω = {omega}, {sweeps} sweeps: {outside:e}");
        }
    }
}

#[test]
fn redundant_equality_rows_fall_back_on_row_updates() {
    // the same row twice in one block: W is singular, the sum of the impulses is what counts
    let problem = one_block(Law::Equality, &[1.0, 1.0, 1.0, 1.0], &[-2.0, -2.0]);
    for mut solver in convergent(Order::Natural) {
        let r = run(solver.as_mut(), &problem, Start::Cold, 200);
        assert!((r[0] + r[1] - 2.0).abs() < 1e-14, "{r:?}");
    }
    // a regular block is solved at once
    let problem = one_block(Law::Equality, &[2.0, 1.0, 1.0, 3.0], &[-1.0, 2.0]);
    let r = run(&mut block_gs(1.0, Order::Natural), &problem, Start::Cold, 1);
    assert!(largest_difference(&r, &[1.0, -1.0]) < 1e-15, "{r:?}");
}

#[test]
fn a_contact_without_local_solution_makes_the_step_of_pgs() {
    // indefinite: W_nn − μ W_nt < 0, so no slip against w_t > 0, and no stick inside the cone
    let law = Law::Contact(Friction::Coulomb { mu: 1.0 });
    let problem = one_block(law, &[1.0, 2.0, 2.0, 1.0], &[-1.0, 5.0]);
    for sweeps in 1..4 {
        let rows = run(&mut pgs(Order::Natural), &problem, Start::Cold, sweeps);
        let block = run(
            &mut block_gs(1.0, Order::Natural),
            &problem,
            Start::Cold,
            sweeps,
        );
        assert_eq!(rows, block);
    }
}
