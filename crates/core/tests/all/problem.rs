//! The frozen problem: operator facts, and what may change.

use delassus_core::{
    Activity, Block, BlockSparse, CoupledCompliance, CouplingFault, Friction, Law, LawKind,
    MassProperties, MatrixRows, Operator, Patch, Problem, ProblemBuilder, ProblemError,
    ProblemParts, SolveError,
};
use nalgebra::{Matrix3, Vector3};

pub(crate) const X: [f64; 6] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
pub(crate) const MINUS_X: [f64; 6] = [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0];

pub(crate) fn point(mass: f64) -> MassProperties {
    MassProperties::aligned(mass, Vector3::repeat(1.0))
}

/// Two masses on a line, the first tied to the ground and the second to the first: A = [[1, −1],
/// [−1, 1 + 1/2]].
pub(crate) fn chain() -> ProblemBuilder {
    let mut builder = ProblemBuilder::new();
    let a = builder.body(point(1.0), [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let b = builder.body(point(2.0), [5.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    builder.block(Law::Equality, &[a], &[[X]]);
    builder.block(Law::Equality, &[a, b], &[[MINUS_X, X]]);
    builder.bias(&[0.25]).compliance(&[0.5]);
    builder
}

fn matrix(values: [f64; 4]) -> ProblemParts {
    let [a, b, c, d] = values;
    let blocks = vec![
        (0, 0, vec![a]),
        (0, 1, vec![b]),
        (1, 0, vec![c]),
        (1, 1, vec![d]),
    ];
    let unilateral = |first_row| Block {
        first_row,
        dim: 1,
        law: Law::UNILATERAL,
        feature: first_row as u64,
    };
    ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus: BlockSparse::from_blocks(&[1, 1], blocks).expect("a valid matrix"),
            free_velocity: vec![1.0, -1.0],
        }),
        blocks: vec![unilateral(0), unilateral(1)],
        bias: vec![0.0; 2],
        compliance: vec![0.0; 2],
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    }
}

#[test]
fn bodies_and_matrix_give_the_same_velocities() {
    let problem = chain().build().expect("a valid problem");
    assert_eq!(problem.diagonal(), [1.0, 1.5]);
    // b = J v_f + bias: 2, (5 − 2) + 0.25
    assert_eq!(problem.b(), [2.0, 3.25]);
    let mut w = [0.0; 2];
    // A (4, 2) = (4 − 2, −4 + 3); + R λ = (0, 1); + b
    problem.shifted_velocity(&[4.0, 2.0], &mut w);
    assert_eq!(w, [4.0, 3.25]);
    let mut v = [0.0; 12];
    problem
        .body_velocities(&[4.0, 2.0], &mut v)
        .expect("it has bodies");
    assert_eq!((v[0], v[6]), (2.0 + 4.0 - 2.0, 5.0 + 1.0));

    let problem = Problem::new(matrix([1.0, -1.0, -1.0, 1.5])).expect("a valid problem");
    problem.apply_delassus(&[4.0, 2.0], &mut w);
    assert_eq!(w, [2.0, -1.0]);
    let no_bodies = problem.body_velocities(&[0.0; 2], &mut []);
    assert_eq!(no_bodies, Err(SolveError::NoBodies));
}

#[test]
fn diagonal_blocks_hold_the_coupling_of_a_contact() {
    let mut builder = ProblemBuilder::new();
    let inertia = Vector3::new(0.5, 0.25, 1.0);
    let body = builder.body(MassProperties::aligned(2.0, inertia), [0.0; 6]);
    // normal y and tangents x, z at the lever (1, −1, 0): r × n = (0, 0, 1), r × x = (0, 0, 1), r ×
    // z = (−1, −1, 0)
    let rows = [
        [[0.0, 1.0, 0.0, 0.0, 0.0, 1.0]],
        [[1.0, 0.0, 0.0, 0.0, 0.0, 1.0]],
        [[0.0, 0.0, 1.0, -1.0, -1.0, 0.0]],
    ];
    let law = Law::Contact(Friction::Coulomb { mu: 0.5 });
    let block = builder.block(law, &[body], &rows);
    let problem = builder.build().expect("a valid problem");
    let mut a = [0.0; 9];
    problem.diagonal_block(block, &mut a);
    assert_eq!(a, [1.5, 1.0, 0.0, 1.0, 1.5, 0.0, 0.0, 0.0, 6.5]);
}

#[test]
fn a_locked_axis_and_an_immovable_body_do_not_move() {
    let mut builder = ProblemBuilder::new();
    let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
    let planar = MassProperties {
        inverse_mass: Vector3::new(1.0, 1.0, 0.0),
        inverse_inertia: Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, 2.0)),
    };
    let body = builder.body(planar, [0.0; 6]);
    let entry = [1.0, 0.0, 1.0, 3.0, 0.0, 1.0];
    builder.block(Law::Equality, &[ground, body], &[[entry, entry]]);
    let problem = builder.build().expect("a valid problem");
    assert_eq!(problem.diagonal(), [3.0]);
    assert_eq!(problem.bodies().expect("bodies").movable_mass(), 1.0);
    let mut v = [0.0; 12];
    problem.body_velocities(&[1.0], &mut v).expect("bodies");
    assert_eq!(v[6..], [1.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
    assert_eq!(v[..6], [0.0; 6]);
}

#[test]
fn what_may_change_changes_b_and_nothing_else() {
    let mut problem = chain().build().expect("a valid problem");
    problem.set_bias(&[1.0, 0.0]).expect("a valid bias");
    assert_eq!(problem.b(), [3.0, 3.0]);
    let v_f = [&[0.0; 6][..], &[7.0, 0.0, 0.0, 0.0, 0.0, 0.0]].concat();
    problem.set_free_velocity(&v_f).expect("valid velocities");
    assert_eq!(problem.b(), [1.0, 7.0]);
    problem.set_compliance(&[0.1, 0.2]).expect("valid");
    assert_eq!(problem.compliance(), [0.1, 0.2]);
    problem
        .set_activity(&[Activity::Hold, Activity::Solve])
        .expect("one per block");
    assert_eq!((problem.active_dim(0), problem.active_dim(1)), (0, 1));

    let refused = problem.set_compliance(&[0.1, -0.2]);
    assert!(matches!(
        refused,
        Err(ProblemError::NegativeCompliance { row: 1, .. })
    ));
    assert_eq!(
        problem.compliance(),
        [0.1, 0.2],
        "a refusal changes nothing"
    );
    let refused = problem.set_bias(&[f64::NAN, 0.0]);
    assert!(matches!(
        refused,
        Err(ProblemError::NonFinite { index: 0, .. })
    ));
}

/// A body on three rows along its axes, and one more row: A is the identity.
fn soft_triple(matrix: &[f64; 9]) -> Result<Problem, ProblemError> {
    let mut builder = ProblemBuilder::new();
    let body = builder.body(point(1.0), [0.0; 6]);
    let axis = |axis: usize| [std::array::from_fn(|i| if i == axis { 1.0 } else { 0.0 })];
    builder.block(Law::Equality, &[body], &[axis(3)]);
    builder.compliance(&[0.5]);
    builder.block(Law::Equality, &[body], &[axis(0), axis(1), axis(2)]);
    builder.compliance_matrix(matrix);
    builder.build()
}

const SHARED: [f64; 9] = [2.0, -1.0, 0.5, -1.0, 3.0, 0.0, 0.5, 0.0, 1.0];

#[test]
fn rows_of_a_block_share_compliance() {
    let problem = soft_triple(&SHARED).expect("a valid problem");
    assert_eq!(problem.compliance(), [0.5, 2.0, 3.0, 1.0]);
    assert_eq!(problem.coupled_compliance().of(0), None);
    assert_eq!(
        problem.coupled_compliance().of(1),
        Some(&[-1.0, 0.5, 0.0][..])
    );
    // (1 + R) (1, 2, 4) = (1 + 2 − 2 + 2, 2 − 1 + 6, 4 + 0.5 + 4)
    let mut w = [0.0; 4];
    problem.shifted_velocity(&[2.0, 1.0, 2.0, 4.0], &mut w);
    assert_eq!(w, [3.0, 3.0, 7.0, 8.5]);
    let mut own = [0.0; 9];
    problem.add_compliance(1, &mut own);
    assert_eq!(own, SHARED);
    // a diagonal matrix is a diagonal compliance, and the last call counts
    let diagonal = soft_triple(&[2.0, 0.0, 0.0, 0.0, 3.0, -0.0, 0.0, 0.0, 1.0]).expect("valid");
    assert!(diagonal.coupled_compliance().is_empty());
    assert_ne!(diagonal, problem);
    assert!(problem.memory() > diagonal.memory());
}

#[test]
fn shared_compliance_is_replaced_whole_or_not_at_all() {
    let mut problem = soft_triple(&SHARED).expect("a valid problem");
    // −1 stays, and 0.9 · 1 < 1
    let refused = problem.set_compliance(&[0.5, 0.9, 1.0, 1.0]);
    let (block, fault) = (1, CouplingFault::Indefinite);
    let indefinite = ProblemError::CoupledCompliance { block, fault };
    assert_eq!(refused, Err(indefinite.clone()));
    assert_eq!(problem.compliance(), [0.5, 2.0, 3.0, 1.0]);
    problem
        .set_compliance(&[0.5, 4.0, 3.0, 1.0])
        .expect("softer");
    assert_eq!(problem.coupled_compliance().len(), 1);
    let rigid = CoupledCompliance::new();
    problem
        .set_block_compliance(&[0.0; 4], &rigid)
        .expect("rigid");
    assert!(problem.is_rigid() && problem.coupled_compliance().is_empty());
    let mut coupled = CoupledCompliance::new();
    coupled.push(1, &[0.25, 0.0, 0.0]);
    // a shared entry needs a diagonal
    let refused = problem.set_block_compliance(&[0.0; 4], &coupled);
    assert_eq!(refused, Err(indefinite));
    assert!(problem.is_rigid() && problem.coupled_compliance().is_empty());
    let diagonal = [0.0, 0.25, 0.25, 0.0];
    // singular is no fault
    problem
        .set_block_compliance(&diagonal, &coupled)
        .expect("semi-definite");
    let mut w = [0.0; 4];
    problem.shifted_velocity(&[0.0, 4.0, 0.0, 0.0], &mut w);
    assert_eq!(w, [0.0, 5.0, 1.0, 0.0]);
    let refused = problem.set_block_compliance(&[-1.0, 0.25, 0.25, 0.0], &coupled);
    assert!(matches!(
        refused,
        Err(ProblemError::NegativeCompliance { row: 0, .. })
    ));
}

#[test]
fn coupled_compliance_that_does_not_fit_is_refused_by_its_block() {
    let refused = |entries: &[(usize, &[f64])]| {
        let mut parts = soft_triple(&SHARED).expect("valid").into_parts();
        parts.coupled_compliance.clear();
        for (block, lower) in entries {
            parts.coupled_compliance.push(*block, lower);
        }
        match Problem::new(parts) {
            Err(ProblemError::CoupledCompliance { block, fault }) => (block, fault),
            other => panic!("{other:?}"),
        }
    };
    let good: &[f64] = &[-1.0, 0.5, 0.0];
    let length = |found, expected| CouplingFault::Length { found, expected };
    assert_eq!(refused(&[(2, good)]), (2, CouplingFault::Block));
    assert_eq!(refused(&[(1, good), (1, good)]), (1, CouplingFault::Block));
    assert_eq!(refused(&[(1, &[1.0])]), (1, length(1, 3)));
    assert_eq!(refused(&[(0, &[1.0])]), (0, length(1, 0)));
    let fault = CouplingFault::NonFinite { entry: 2 };
    assert_eq!(refused(&[(1, &[0.0, 0.0, f64::NAN])]), (1, fault));
    assert_eq!(
        refused(&[(1, &[2.5, 0.0, 0.0])]),
        (1, CouplingFault::Indefinite)
    );
    // each pair fits, the three together do not
    let three: &[f64] = &[-0.7 * 6f64.sqrt(), 0.7 * 2f64.sqrt(), 0.7 * 3f64.sqrt()];
    assert_eq!(refused(&[(1, three)]), (1, CouplingFault::Indefinite));
    let text = ProblemError::CoupledCompliance {
        block: 1,
        fault: length(1, 3),
    }
    .to_string();
    assert_eq!(
        text,
        "block 1: its coupled compliance has 1 entries, its strict lower triangle 3"
    );
}

#[test]
fn a_builder_keeps_nothing_of_the_problem_whose_memory_it_takes() {
    let problem = soft_triple(&SHARED).expect("valid");
    let again = ProblemBuilder::in_memory_of(problem).build();
    assert!(again.expect("empty").coupled_compliance().is_empty());
}

#[test]
fn normals_come_first_when_friction_is_held() {
    let patch = Law::Patch(Box::new(Patch {
        mu: 0.5,
        levers: vec![1.0, 1.0],
    }));
    assert_eq!(patch.normals(5), 2);
    assert_eq!(Law::Contact(Friction::Disc { mu: 1.0 }).normals(3), 1);
    assert_eq!(Law::Equality.normals(6), 6);
    assert!(LawKind::ALL.iter().all(|kind| !kind.id().is_empty()));
}
#[test]
fn matrices_are_taken_as_they_are_and_measured() {
    let symmetric = Problem::new(matrix([2.0, 1.0, 1.0, 2.0])).expect("valid");
    let Operator::Matrix(rows) = symmetric.operator() else {
        unreachable!("built from a matrix")
    };
    assert_eq!(rows.delassus.symmetry_defect(), 0.0);
    // A − Aᵀ = [[0, 1], [−1, 0]], ‖A‖² = 4 + 4 + 1 + 4 = 13
    let parts = matrix([2.0, 2.0, 1.0, 2.0]);
    let Operator::Matrix(rows) = &parts.operator else {
        unreachable!("built from a matrix")
    };
    assert!((rows.delassus.symmetry_defect() - (2.0f64 / 13.0).sqrt()).abs() < 1e-15);
    assert!(
        Problem::new(parts).is_ok(),
        "unsymmetric, and read as it is"
    );
    // a block without a mirror counts for both triangles: (1² + 1²) / 1²
    let lone = BlockSparse::from_blocks(&[1, 1], vec![(0, 1, vec![1.0])]).expect("valid");
    assert!((lone.symmetry_defect() - 2f64.sqrt()).abs() < 1e-15);
}

#[test]
fn block_sparse_matrices_check_their_blocks() {
    let build = |blocks| BlockSparse::from_blocks(&[2, 1], blocks);
    let matrix = build(vec![
        (1, 1, vec![6.0]),
        (0, 1, vec![3.0, 5.0]),
        (0, 0, vec![1.0, 2.0, 4.0, 7.0]),
    ])
    .expect("valid, in any order");
    let mut out = [0.0; 3];
    matrix.multiply(&[1.0, 10.0, 100.0], &mut out);
    assert_eq!(out, [321.0, 574.0, 600.0]);
    assert_eq!(matrix.diagonal(), [1.0, 7.0, 6.0]);
    assert_eq!(matrix.block(1, 0), None);
    assert!(matches!(
        build(vec![(0, 2, vec![1.0])]),
        Err(ProblemError::MatrixShape { .. })
    ));
    assert!(matches!(
        build(vec![(0, 1, vec![1.0])]),
        Err(ProblemError::MatrixShape { .. })
    ));
    let twice = vec![(1, 1, vec![1.0]), (1, 1, vec![1.0])];
    assert!(matches!(
        build(twice),
        Err(ProblemError::DuplicateMatrixBlock { .. })
    ));
    let nan = vec![(1, 1, vec![f64::NAN])];
    assert!(matches!(build(nan), Err(ProblemError::NonFinite { .. })));
}

#[test]
fn exchanged_vectors_change_what_set_changes_and_come_back() {
    let mut problem = chain().build().expect("a valid problem");
    let (mut bias, before) = (vec![1.0, 0.0], problem.bias().to_vec());
    problem.swap_bias(&mut bias).expect("a valid bias");
    assert_eq!((problem.b(), bias), (&[3.0, 3.0][..], before));
    let (mut compliance, before) = (vec![0.1, 0.2], problem.compliance().to_vec());
    problem.swap_compliance(&mut compliance).expect("valid");
    assert_eq!(problem.compliance(), [0.1, 0.2]);
    assert_eq!(compliance, before);

    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut refused = vec![0.0, bad];
        let error = problem.swap_bias(&mut refused);
        let expected = ProblemError::NonFinite {
            what: "bias",
            index: 1,
        };
        assert_eq!(error, Err(expected));
        assert_eq!(problem.b(), [3.0, 3.0], "a refusal exchanges nothing");
        assert!(problem.swap_compliance(&mut vec![0.0, bad]).is_err());
    }
    assert!(problem.swap_compliance(&mut vec![-1e-300, 0.0]).is_err());
    assert!(problem.swap_compliance(&mut vec![-0.0, 0.0]).is_ok());
    assert!(problem.swap_bias(&mut vec![0.0; 3]).is_err());
}

#[test]
fn finite_numbers_with_an_infinite_b_are_refused_and_nothing_is_kept() {
    let mut problem = chain().build().expect("a valid problem");
    let (b, free) = (problem.b().to_vec(), [f64::MAX; 12]);
    // row 1 is the difference of the two, row 0 the first alone: both stay finite
    let mut opposite = free;
    opposite[..6].fill(-f64::MAX);
    let refused = problem.set_free_velocity(&opposite);
    assert!(
        matches!(refused, Err(ProblemError::NonFinite { index: 1, .. })),
        "{refused:?}"
    );
    assert_eq!(problem.b(), b);
    problem.set_bias(&[0.0; 2]).expect("small again");
    assert_eq!(problem.b(), [2.0, 3.0]);
    problem.set_free_velocity(&free).expect("a finite b");
    let refused = problem.set_bias(&[f64::MAX, 0.0]);
    assert!(
        matches!(refused, Err(ProblemError::NonFinite { index: 0, .. })),
        "{refused:?}"
    );
    assert_eq!(problem.bias(), [0.0; 2]);
}
