//! Problems with solutions known in closed form.

use crate::common::{matrix_problem, solve};
use delassus_core::{
    Friction, ImpulseSolver, Law, MassProperties, Patch, Problem, ProblemBuilder, SolveError,
    Solver, Start,
};
use delassus_solver_dense::dense_direct::{DenseDirectParameters, MinimumNorm};
use delassus_solver_dense::{Dantzig, DenseDirect, DensePgs, Enumeration, assembly};
use nalgebra::Vector3;

/// Entries that rounding of a handful of operations may leave, on numbers of order one.
const ROUNDING: f64 = 1e-13;

fn assert_close(x: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(x.len(), expected.len());
    for (i, (a, b)) in x.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "entry {i}: {a} is not {b}");
    }
}

fn assert_solves<S: Solver>(problem: &Problem, sweeps: u32, expected: &[f64]) {
    let found = solve::<S>(problem, sweeps).expect("solved");
    assert_close(&found, expected, ROUNDING);
}

fn up(sign: f64) -> [f64; 6] {
    [0.0, sign, 0.0, 0.0, 0.0, 0.0]
}

fn along(sign: f64) -> [f64; 6] {
    [sign, 0.0, 0.0, 0.0, 0.0, 0.0]
}

/// Point masses hanging below each other, one axial row per link: A = (1/m) tridiag(−1, 2, −1),
/// A_11 = 1/m.
fn chain(n: usize, mass: f64, speed: f64, law: &Law) -> Problem {
    let mut builder = ProblemBuilder::new();
    for i in 0..n {
        builder.body(
            MassProperties::aligned(mass, Vector3::repeat(1.0)),
            up(-speed).map(|v| v * 1.0),
        );
        if i == 0 {
            builder.block(law.clone(), &[0], &[[up(1.0)]]);
        } else {
            builder.block(law.clone(), &[i - 1, i], &[[up(-1.0), up(1.0)]]);
        }
    }
    builder.build().expect("a valid problem")
}

#[test]
fn chain_carries_the_weight_below_each_link() {
    // row i carries the n − i + 1 masses below it: λ_i = (n − i + 1) m g h
    let (n, mass, speed) = (10, 2.0, 0.1635);
    let expected: Vec<f64> = (0..n).map(|i| (n - i) as f64 * mass * speed).collect();
    let equality = chain(n, mass, speed, &Law::Equality);
    // condition number cot²(π/40) = 161, rounding 1e-16, impulses up to 3.3
    assert_solves::<DenseDirect>(&equality, 1, &expected);
    assert_solves::<Dantzig>(&equality, 1, &expected);
    assert_solves::<Enumeration>(&equality, 1, &expected);
    // cos²(π/20) = 0.97553 per sweep: 1.4e-16 after 1500
    assert_solves::<DensePgs>(&equality, 1500, &expected);
    // the same as a stack: unilateral rows, all pushing
    let stack = chain(n, mass, speed, &Law::UNILATERAL);
    assert_solves::<Dantzig>(&stack, 1, &expected);
    assert_solves::<Enumeration>(&stack, 1, &expected);
}

#[test]
fn falling_chain_needs_no_impulse() {
    // every mass moves away from the one above
    let mut builder = ProblemBuilder::new();
    for i in 0..4usize {
        builder.body(
            MassProperties::aligned(1.0, Vector3::repeat(1.0)),
            up(1.0 + i as f64),
        );
        if i == 0 {
            builder.block(Law::UNILATERAL, &[0], &[[up(1.0)]]);
        } else {
            builder.block(Law::UNILATERAL, &[i - 1, i], &[[up(-1.0), up(1.0)]]);
        }
    }
    let problem = builder.build().expect("a valid problem");
    assert_eq!(solve::<Dantzig>(&problem, 1).expect("solved"), [0.0; 4]);
    assert_eq!(solve::<Enumeration>(&problem, 1).expect("solved"), [0.0; 4]);
    assert_eq!(solve::<DensePgs>(&problem, 1).expect("solved"), [0.0; 4]);
}

/// A unit cube on a plane: four corner contacts in ring order, A = circ(4, 1, −2, 1) for unit mass.
fn cube_face(law: &Law) -> Problem {
    let mut builder = ProblemBuilder::new();
    let body = builder.body(
        MassProperties::aligned(1.0, Vector3::repeat(1.0 / 6.0)),
        up(-1.0),
    );
    for (x, z) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
        // r × n for n = (0, 1, 0)
        let row = [0.0, 1.0, 0.0, -z, 0.0, x];
        builder.block(law.clone(), &[body], &[[row]]);
    }
    builder.build().expect("a valid problem")
}

#[test]
fn cube_face_has_one_null_direction() {
    let problem = cube_face(&Law::Equality);
    let matrix = assembly::DenseDelassus::assemble(&problem).expect("assembled");
    for i in 0..4 {
        for j in 0..4 {
            let expected = [4.0, 1.0, -2.0, 1.0][(4 + j - i) % 4];
            assert!((matrix.row(i)[j] - expected).abs() < ROUNDING);
        }
    }
    let facts = matrix.redundancy().expect("singular values");
    assert_eq!((facts.rank, facts.null_dimension()), (3, 1));
    // eigenvalues {4, 6, 0, 6}, scaled by the diagonal 4
    assert!((facts.largest - 1.5).abs() < ROUNDING && (facts.smallest - 1.0).abs() < ROUNDING);
    assert!((facts.condition() - 1.5).abs() < ROUNDING);
}

#[test]
fn cube_face_shares_its_weight() {
    let even = [0.25; 4];
    assert_solves::<DenseDirect>(&cube_face(&Law::Equality), 1, &even);
    let problem = cube_face(&Law::UNILATERAL);
    // shortest first
    let mut solver = Enumeration::new(Default::default()).expect("valid");
    solver.prepare(&problem, Start::Cold).expect("prepared");
    solver.iterate(&problem, 1).expect("solved");
    assert_close(
        &solver.prepared().expect("prepared").solutions()[0].impulses,
        &even,
        ROUNDING,
    );
    assert!(
        solver
            .prepared()
            .expect("prepared")
            .solutions()
            .iter()
            .all(|s| !s.isolated),
        "all belong to one family"
    );
    // the end points of the family rest on one diagonal
    for diagonal in [[0.5, 0.0, 0.5, 0.0], [0.0, 0.5, 0.0, 0.5]] {
        let found = solver
            .prepared()
            .expect("prepared")
            .solutions()
            .iter()
            .any(|s| {
                let pairs = s.impulses.iter().zip(&diagonal);
                pairs.clone().all(|(a, b)| (a - b).abs() < ROUNDING)
            });
        assert!(found, "{diagonal:?} is a solution");
    }
    // the dependent row slides back to the shortest impulses
    assert_solves::<Dantzig>(&problem, 1, &even);
    // Gauss–Seidel from zero in ring order ends elsewhere on the same velocities; its rate is below
    // 1/2
    assert_solves::<DensePgs>(&problem, 100, &[0.3125, 0.1875, 0.3125, 0.1875]);
}

/// n unit masses in a row, the first at speed 1; restitution e as a bias on unilateral rows.
fn cradle(n: usize, restitution: f64) -> Problem {
    let mut builder = ProblemBuilder::new();
    for i in 0..n {
        let speed = if i == 0 { 1.0 } else { 0.0 };
        builder.body(
            MassProperties::aligned(1.0, Vector3::repeat(1.0)),
            along(speed),
        );
    }
    for i in 1..n {
        builder.block(Law::UNILATERAL, &[i - 1, i], &[[along(-1.0), along(1.0)]]);
        let approach = if i == 1 { -1.0 } else { 0.0 };
        builder.bias(&[restitution * approach]);
    }
    builder.build().expect("a valid problem")
}

#[test]
fn cradle_by_simultaneous_impulses() {
    // Newton's law on all contacts at once: v_1 = 2/n − 1, the others 2/n; not the (0, …, 0, 1) of
    // sequential pairs
    for n in 2..8usize {
        let problem = cradle(n, 1.0);
        let share = 2.0 / n as f64;
        for x in [
            solve::<Dantzig>(&problem, 1).expect("solved"),
            solve::<Enumeration>(&problem, 1).expect("solved"),
        ] {
            let mut v = vec![0.0; 6 * n];
            problem.body_velocities(&x, &mut v).expect("bodies");
            for i in 0..n {
                let expected = if i == 0 { share - 1.0 } else { share };
                assert!((v[6 * i] - expected).abs() < ROUNDING);
            }
        }
    }
}

/// The sliding rod at tan θ = 2, unit mass and half-length: A = [[1.6, 1.2], [1.2, 3.4]].
fn rod(friction: Friction, b: [f64; 2]) -> Problem {
    matrix_problem(&[1.6, 1.2, 1.2, 3.4], &b, vec![(Law::Contact(friction), 2)])
}

fn solutions(problem: &Problem) -> (Vec<Vec<f64>>, Vec<bool>) {
    let mut solver = Enumeration::new(Default::default()).expect("valid");
    solver.prepare(problem, Start::Cold).expect("prepared");
    solver.iterate(problem, 1).expect("solved");
    let list = solver.prepared().expect("prepared").solutions();
    (
        list.iter().map(|s| s.impulses.clone()).collect(),
        list.iter().map(|s| s.isolated).collect(),
    )
}

#[test]
fn painleve_rod_has_three_solutions() {
    for friction in [
        Friction::Coulomb { mu: 1.6 },
        Friction::Disc { mu: 1.6 },
        Friction::Pyramid { mu: 1.6 },
    ] {
        let (list, isolated) = solutions(&rod(friction, [0.05, 1.0]));
        assert_eq!(list.len(), 3);
        assert_eq!(isolated, [true; 3]);
        // shortest first: open, slide, stick
        assert_close(&list[0], &[0.0, 0.0], 0.0);
        assert_close(&list[1], &[0.15625, -0.25], ROUNDING);
        assert_close(&list[2], &[0.2575, -0.385], ROUNDING);
        // beyond the threshold the approaching rod sticks
        let (list, _) = solutions(&rod(friction, [-0.05, 1.0]));
        assert_eq!(list.len(), 1);
        assert_close(&list[0], &[0.3425, -0.415], ROUNDING);
    }
    // μ = 1 < 4/3: one sliding solution, λ_n = 0.05 / (1.6 − 1.2)
    let (list, isolated) = solutions(&rod(Friction::Coulomb { mu: 1.0 }, [-0.05, 5.0]));
    assert_eq!((list.len(), isolated[0]), (1, true));
    assert_close(&list[0], &[0.125, -0.125], ROUNDING);
    // sliding the other way stabilizes: λ_n = 0.05 / (1.6 + 1.2)
    let (list, _) = solutions(&rod(Friction::Coulomb { mu: 1.0 }, [-0.05, -5.0]));
    assert_eq!(list.len(), 1);
    assert_close(&list[0], &[0.05 / 2.8, 0.05 / 2.8], ROUNDING);
}

#[test]
fn convex_cone_has_one_solution_where_coulomb_has_three() {
    // a convex problem with a positive definite matrix has one solution; with μ = 1.6 the stick
    // impulse is admissible
    let (list, isolated) = solutions(&rod(Friction::ConvexCone { mu: 1.6 }, [0.05, 1.0]));
    assert_eq!((list.len(), isolated[0]), (1, true));
    assert_close(&list[0], &[0.2575, -0.385], ROUNDING);
    // sliding fast with μ = 1: on the edge λ = λ_n (1, −1), w_n = w_t, so λ_n = (0.05 + 5)/(1.6 −
    // 2.4 + 3.4)
    let slide = rod(Friction::ConvexCone { mu: 1.0 }, [-0.05, 5.0]);
    let (list, isolated) = solutions(&slide);
    assert_eq!((list.len(), isolated[0]), (1, true));
    assert_close(&list[0], &[5.05 / 2.6, -5.05 / 2.6], ROUNDING);
    assert_solves::<DensePgs>(&slide, 2000, &list[0]);
    // opening: w = (2, 1) lies in the dual cone without any impulse
    let (list, _) = solutions(&rod(Friction::ConvexCone { mu: 1.0 }, [2.0, 1.0]));
    assert_eq!(list, [[0.0, 0.0]]);
}

#[test]
fn gauss_seidel_on_the_rod() {
    // the rate is μ A_nt / A_nn = 0.75 for μ = 1: below rounding after 200 sweeps
    let slide = rod(Friction::Coulomb { mu: 1.0 }, [-0.05, 5.0]);
    assert_solves::<DensePgs>(&slide, 200, &[0.125, -0.125]);
    // 1.6 · 0.75 > 1: the sliding solution repels; from a guess above it the sweep goes to stick
    let three = rod(Friction::Coulomb { mu: 1.6 }, [0.05, 1.0]);
    let mut solver = DensePgs::new(()).expect("valid");
    solver
        .prepare(&three, Start::Warm(&[0.16, -0.256]))
        .expect("prepared");
    solver.iterate(&three, 2000).expect("finite");
    let mut x = [0.0; 2];
    solver.read_impulses(&mut x).expect("prepared");
    assert_close(&x, &[0.2575, -0.385], ROUNDING);
}

#[test]
fn equal_rows_share_and_unequal_rows_follow_the_norm() {
    // one body, the same row twice, the second of double length: λ_1 + 2 λ_2 = p
    let mut builder = ProblemBuilder::new();
    let body = builder.body(MassProperties::aligned(2.0, Vector3::repeat(1.0)), up(-3.0));
    builder.block(Law::Equality, &[body], &[[up(1.0)], [up(2.0)]]);
    let problem = builder.build().expect("a valid problem");
    let x = solve::<DenseDirect>(&problem, 1).expect("solved");
    // p = 6: the shortest is p (1, 2)/5
    assert_close(&x, &[1.2, 2.4], ROUNDING);
    let mut energy = DenseDirect::new(DenseDirectParameters {
        norm: MinimumNorm::Energy,
        ..Default::default()
    })
    .expect("valid");
    energy.prepare(&problem, Start::Cold).expect("prepared");
    energy.iterate(&problem, 1).expect("solved");
    let spectrum = energy.prepared().expect("prepared");
    assert_eq!((spectrum.rank(), spectrum.null_dimension()), (1, 1));
    let mut x = [0.0; 2];
    energy.read_impulses(&mut x).expect("prepared");
    // A_ii = (1/2, 2): minimize λ_1² + 4 λ_2² on the line, so λ_1 = 2 λ_2
    assert_close(&x, &[3.0, 1.5], ROUNDING);
}

#[test]
fn contradictory_rows() {
    // one mass is asked for two speeds at once
    let mut builder = ProblemBuilder::new();
    let body = builder.body(MassProperties::aligned(1.0, Vector3::repeat(1.0)), [0.0; 6]);
    for target in [-1.0, -3.0] {
        builder.block(Law::Equality, &[body], &[[up(1.0)]]);
        builder.bias(&[target]);
    }
    let problem = builder.build().expect("a valid problem");
    // least squares: speed 2, shared by both rows
    let x = solve::<DenseDirect>(&problem, 1).expect("least squares");
    assert_close(&x, &[1.0, 1.0], ROUNDING);
    assert!(matches!(
        solve::<Dantzig>(&problem, 1),
        Err(SolveError::Infeasible { .. })
    ));
    assert!(matches!(
        solve::<Enumeration>(&problem, 1),
        Err(SolveError::Infeasible { .. })
    ));
    // two unilateral rows that pull one mass apart: -w_1 = w_2 − 1
    let mut builder = ProblemBuilder::new();
    let body = builder.body(MassProperties::aligned(1.0, Vector3::repeat(1.0)), [0.0; 6]);
    for direction in [1.0, -1.0] {
        builder.block(Law::UNILATERAL, &[body], &[[up(direction)]]);
        builder.bias(&[-1.0]);
    }
    let problem = builder.build().expect("a valid problem");
    assert!(matches!(
        solve::<Dantzig>(&problem, 1),
        Err(SolveError::Infeasible { .. })
    ));
    assert!(matches!(
        solve::<Enumeration>(&problem, 1),
        Err(SolveError::Infeasible { .. })
    ));
}

#[test]
fn fixed_box_and_frictionless_block_on_a_slope() {
    // a unit point mass slides at (1, 2) and falls at 3: λ_n = 3; F1 removes at most its limit per
    // axis
    let contact = |friction| {
        let mut builder = ProblemBuilder::new();
        let body = builder.body(
            MassProperties::aligned(1.0, Vector3::repeat(1.0)),
            [1.0, -3.0, 2.0, 0.0, 0.0, 0.0],
        );
        let across = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        builder.block(
            Law::Contact(friction),
            &[body],
            &[[up(1.0)], [along(1.0)], [across]],
        );
        builder.build().expect("a valid problem")
    };
    for (friction, expected) in [
        (Friction::Frictionless, [3.0, 0.0, 0.0]),
        (Friction::FixedBox { limit: 1.5 }, [3.0, -1.0, -1.5]),
        (Friction::Pyramid { mu: 0.5 }, [3.0, -1.0, -1.5]),
    ] {
        let problem = contact(friction);
        assert_solves::<Enumeration>(&problem, 1, &expected);
        assert_solves::<DensePgs>(&problem, 60, &expected);
        if !matches!(friction, Friction::Pyramid { .. }) {
            let x = solve::<Dantzig>(&problem, 1).expect("solved");
            assert_close(&x, &expected, ROUNDING);
        }
    }
    // a disc of radius 1.5 against (1, 2): sliding, along the velocity
    let length = 5.0f64.sqrt();
    let slide = [3.0, -1.5 / length, -3.0 / length];
    for friction in [Friction::Disc { mu: 0.5 }, Friction::Coulomb { mu: 0.5 }] {
        let x = solve::<DensePgs>(&contact(friction), 60).expect("solved");
        assert_close(&x, &slide, ROUNDING);
    }
    // F6: w lies in the dual cone on its boundary, so the mass leaves: λ_n = (3 + 0.5·√5)/(1 +
    // 0.25), ‖λ_t‖ = λ_n/2
    let x = solve::<DensePgs>(&contact(Friction::ConvexCone { mu: 0.5 }), 60).expect("solved");
    let normal = (3.0 + 0.5 * length) / 1.25;
    assert_close(
        &x,
        &[normal, -0.5 * normal / length, -normal / length],
        ROUNDING,
    );
}

#[test]
fn patch_slides_and_spins() {
    // a unit mass with inertia 1 on two points, sliding along x at 4, spinning at 2: both bounds
    // are met
    let mut builder = ProblemBuilder::new();
    let body = builder.body(
        MassProperties::aligned(1.0, Vector3::repeat(1.0)),
        [4.0, -2.0, 0.0, 0.0, 2.0, 0.0],
    );
    let point = |x: f64| [0.0, 1.0, 0.0, 0.0, 0.0, x];
    let law = Law::Patch(Box::new(Patch {
        mu: 0.5,
        levers: vec![0.25, 0.25],
    }));
    let rows = [
        [point(-0.25)],
        [point(0.25)],
        [along(1.0)],
        [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]],
        [[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]],
    ];
    builder.block(law, &[body], &rows);
    let problem = builder.build().expect("a valid problem");
    // normals 1 each; disc 0.5·2, twist 0.5·0.25·2
    let x = solve::<DensePgs>(&problem, 200).expect("solved");
    assert_close(&x, &[1.0, 1.0, -1.0, 0.0, -0.25], ROUNDING);
}
