//! Friction rows that no impulse moves: they stay in the problem, at zero.

use delassus_core::{
    BlockSparse, Friction, Law, MassProperties, MatrixRows, Operator, Patch, Problem,
    ProblemBuilder, ProblemError, ProblemParts, RollingContact,
};
use nalgebra::{Matrix3, Vector3};

const N: [f64; 6] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.3];
const X: [f64; 6] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.7];
const Z: [f64; 6] = [0.0, 0.0, 1.0, -0.7, 0.3, 0.0];
const ABOUT: [[f64; 6]; 3] = [
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
];

/// A body in the x-y plane that drifts along z, which is locked.
fn planar(law: Law, rows: &[[f64; 6]]) -> Result<Problem, ProblemError> {
    let mass = MassProperties {
        inverse_mass: Vector3::new(0.5, 0.5, 0.0),
        inverse_inertia: Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, 4.0)),
    };
    let mut builder = ProblemBuilder::new();
    let body = builder.body(mass, [1.0, -2.0, 3.0, 5.0, 6.0, 7.0]);
    let rows: Vec<[[f64; 6]; 1]> = rows.iter().map(|row| [*row]).collect();
    builder.block(law, &[body], &rows);
    builder.build()
}

fn disc() -> Problem {
    let law = Law::Contact(Friction::Disc { mu: 0.5 });
    planar(law, &[N, X, Z]).expect("friction that nothing moves is carried")
}

#[test]
fn immobile_friction_is_carried_with_the_compliance_of_its_disc() {
    let problem = disc();
    assert_eq!(problem.diagonal()[2], 0.0);
    let tangent = 0.5 + 0.7 * 0.7 * 4.0;
    assert!((problem.compliance()[2] - tangent).abs() < 1e-15);
    assert_eq!(problem.compliance()[..2], [0.0; 2]);
    assert_eq!(problem.b()[2], 0.0, "b is that of no velocity");
    // an impulse on it changes no body
    let mut velocities = [0.0; 6];
    problem
        .body_velocities(&[0.0, 0.0, 9.0], &mut velocities)
        .expect("bodies");
    assert_eq!(velocities, [1.0, -2.0, 3.0, 5.0, 6.0, 7.0]);
    let mut again = Problem::new(problem.clone().into_parts()).expect("valid");
    assert_eq!(again, problem);
    for problem in [&problem, &again] {
        assert!(problem.is_immobile(2) && !problem.is_immobile(1));
        assert_eq!(problem.soft_rows(), 0);
    }
    again.set_compliance(&[0.0; 3]).expect("not negative");
    assert_eq!(again, problem);
}

#[test]
fn immobile_friction_stays_at_rest_when_numbers_are_replaced() {
    let mut problem = disc();
    let kept = problem.compliance()[2];
    problem.set_bias(&[0.1, 0.2, 0.3]).expect("finite");
    problem
        .set_compliance(&[0.5, 0.0, 0.0])
        .expect("not negative");
    problem.set_free_velocity(&[9.0; 6]).expect("finite");
    assert_eq!(problem.b()[2], 0.0);
    assert_eq!(problem.bias()[..2], [0.1, 0.2]);
    assert_eq!(problem.compliance(), [0.5, 0.0, kept]);
    let mut bias = vec![1.0; 3];
    problem.swap_bias(&mut bias).expect("finite");
    problem
        .swap_compliance(&mut vec![0.0; 3])
        .expect("not negative");
    assert_eq!((problem.bias()[2], problem.compliance()[2]), (0.0, kept));
    assert!(!problem.is_rigid());
}

#[test]
fn patches_and_rolling_carry_what_a_plane_locks() {
    let patch = Law::Patch(Box::new(Patch {
        mu: 0.5,
        levers: vec![0.3],
    }));
    let problem = planar(patch, &[N, X, Z, ABOUT[2]]).expect("carried");
    let [normal, tangent]: [f64; 2] = [0.5 + 0.09 * 4.0, 0.5 + 0.49 * 4.0];
    let expected = [0.0, 0.0, tangent, tangent.max(normal)];
    for (found, expected) in problem.compliance().iter().zip(expected) {
        assert!((found - expected).abs() < 1e-15, "{found} {expected}");
    }
    let rolling = Law::Rolling(Box::new(RollingContact {
        mu: 0.5,
        rolling: 0.1,
        spinning: Some(0.1),
    }));
    let rows = [N, X, Z, ABOUT[0], ABOUT[1], ABOUT[2]];
    let problem = planar(rolling, &rows).expect("carried");
    assert_eq!(problem.diagonal()[3..], [0.0, 4.0, 0.0]);
    assert_eq!(problem.compliance()[3..5], [4.0, 0.0]);
}

#[test]
fn normals_and_joints_that_nothing_moves_are_refused() {
    let law = Law::Contact(Friction::Coulomb { mu: 0.5 });
    let normal = planar(law, &[Z, X, N]);
    assert_eq!(normal.err(), Some(ProblemError::ImmovableRow { row: 0 }));
    let joint = planar(Law::Equality, &[X, Z]);
    assert_eq!(joint.err(), Some(ProblemError::ImmovableRow { row: 1 }));
}

#[test]
fn rows_that_are_nearly_immobile_by_rounding_are_carried() {
    let mut skew = Z;
    (skew[0], skew[5]) = (1e-9, 1e-9);
    let law = Law::Contact(Friction::Coulomb { mu: 0.5 });
    let problem = planar(law, &[N, X, skew]).expect("carried");
    assert_eq!(problem.diagonal()[2], 0.0);
    assert_eq!(problem.b()[2], 0.0);
}

/// A contact given by its matrix, whose second tangent couples to nothing, or is coupled to one
/// side.
fn matrix(coupling: f64) -> Problem {
    let values = vec![2.0, 0.1, 0.0, 0.1, 3.0, coupling, 0.0, 0.0, 0.0];
    let delassus = BlockSparse::from_blocks(&[3], vec![(0, 0, values)]).expect("fits");
    let mut builder = ProblemBuilder::new();
    let body = builder.body(MassProperties::aligned(1.0, Vector3::repeat(1.0)), [0.0; 6]);
    let law = Law::Contact(Friction::Disc { mu: 0.5 });
    builder.block(law, &[body], &[[N], [X], [Z]]);
    let parts = builder.build().expect("valid").into_parts();
    Problem::new(ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus,
            free_velocity: vec![-1.0, 0.5, 0.25],
        }),
        ..parts
    })
    .expect("valid")
}

#[test]
fn empty_rows_of_a_matrix_are_carried_and_others_stay() {
    let problem = matrix(0.0);
    assert_eq!(problem.compliance(), [0.0, 0.0, 3.0]);
    assert_eq!(problem.b(), [-1.0, 0.5, 0.0]);
    let coupled = matrix(0.2);
    assert!(coupled.is_rigid());
    assert_eq!(coupled.b()[2], 0.25);
}
