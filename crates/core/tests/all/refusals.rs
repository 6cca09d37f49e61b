//! Edges of what a problem may hold.

use delassus_core::{
    Block, BodyRows, CoupledCompliance, Friction, Law, MassProperties, Operator, Problem,
    ProblemError, ProblemParts, StepScale,
};
use nalgebra::{Matrix3, Vector3};

/// One body with a block of the same rows for each law, whether it fits or not.
fn parts(laws: &[(Law, usize)]) -> ProblemParts {
    let (mut blocks, mut first_row) = (Vec::new(), 0);
    let mut first_entry = vec![0];
    for (index, (law, dim)) in laws.iter().enumerate() {
        blocks.push(Block {
            first_row,
            dim: *dim,
            law: law.clone(),
            feature: index as u64,
        });
        first_row += dim;
        first_entry.push(first_row);
    }
    ProblemParts {
        operator: Operator::Bodies(BodyRows {
            mass: vec![MassProperties::aligned(1.0, Vector3::repeat(1.0))],
            free_velocity: vec![0.0; 6],
            first_body: (0..=laws.len()).collect(),
            block_bodies: vec![0; laws.len()],
            first_entry,
            jacobian: vec![[1.0, 1.0, 0.0, 0.0, 0.0, 0.0]; first_row].into(),
        }),
        blocks,
        bias: vec![0.0; first_row],
        compliance: vec![0.0; first_row],
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    }
}

fn rows(parts: &mut ProblemParts) -> &mut BodyRows {
    match &mut parts.operator {
        Operator::Bodies(rows) => rows,
        Operator::Matrix(_) => unreachable!("it has bodies"),
    }
}

/// What becomes of two equality rows after a change.
fn after(change: impl FnOnce(&mut ProblemParts)) -> Result<Problem, ProblemError> {
    let mut parts = parts(&[(Law::Equality, 1), (Law::Equality, 1)]);
    change(&mut parts);
    Problem::new(parts)
}

#[test]
fn steps_have_a_length_and_a_direction() {
    let step = |dt: f64, gravity: f64| after(|p| p.step = Some(StepScale { dt, gravity }));
    assert!(step(0.01, 9.81).is_ok() && step(f64::MIN_POSITIVE, 0.0).is_ok());
    for (dt, gravity) in [
        (0.0, 9.81),
        (-0.01, 9.81),
        (f64::NAN, 9.81),
        (f64::INFINITY, 9.81),
        (0.01, -1.0),
        (0.01, f64::NAN),
        (0.01, f64::INFINITY),
    ] {
        let refused = step(dt, gravity);
        assert!(
            matches!(refused, Err(ProblemError::Step { .. })),
            "{dt} {gravity}"
        );
    }
}

#[test]
fn numbers_that_are_all_infinite_are_found_too() {
    for bad in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let refused = after(|p| p.bias = vec![bad; 2]);
        assert!(matches!(
            refused,
            Err(ProblemError::NonFinite { index: 0, .. })
        ));
        let refused = after(|p| rows(p).free_velocity = vec![bad; 6]);
        assert!(matches!(
            refused,
            Err(ProblemError::NonFinite { index: 0, .. })
        ));
        let refused = after(|p| rows(p).jacobian = vec![[bad; 6]; 2].into());
        assert!(matches!(
            refused,
            Err(ProblemError::NonFinite { index: 0, .. })
        ));
        assert!(after(|p| p.compliance = vec![bad; 2]).is_err());
    }
    // the largest number is one
    assert!(after(|p| p.bias = vec![f64::MAX, -f64::MAX]).is_ok());
}

#[test]
fn laws_have_the_rows_and_the_numbers_that_they_need() {
    let fits = |law: Law, dim: usize| match Problem::new(parts(&[(law, dim)])) {
        Ok(_) => true,
        Err(ProblemError::LawDimension { .. }) => false,
        Err(other) => panic!("{other}"),
    };
    let smooth = Law::Contact(Friction::Frictionless);
    let rough = Law::Contact(Friction::Coulomb { mu: 0.0 });
    assert_eq!(
        [1, 2, 3, 4].map(|dim| fits(smooth.clone(), dim)),
        [true, true, true, false]
    );
    assert_eq!(
        [1, 2, 3, 4].map(|dim| fits(rough.clone(), dim)),
        [false, true, true, false]
    );
    let bounds = |lower: f64, upper: f64| {
        let law = Law::Bounds { lower, upper };
        Problem::new(parts(&[(law, 1)])).is_ok()
    };
    let infinite = f64::INFINITY;
    assert!(bounds(-infinite, infinite) && bounds(2.0, 2.0));
    assert!(!bounds(-infinite, -infinite) && !bounds(infinite, infinite) && !bounds(1.0, 0.0));
}

#[test]
fn offsets_of_bodies_are_in_order_and_in_range() {
    let refused = |change: &dyn Fn(&mut BodyRows)| after(|p| change(rows(p)));
    let block = |result: Result<Problem, ProblemError>| match result {
        Err(ProblemError::BlockBodies { block }) => block,
        other => panic!("{other:?}"),
    };
    assert_eq!(block(refused(&|r| r.first_body = vec![0, 1, 3])), 1);
    assert_eq!(block(refused(&|r| r.first_body = vec![0, 1, 0])), 1);
    assert_eq!(block(refused(&|r| r.first_body = vec![0, 3, 1])), 0);
    assert_eq!(block(refused(&|r| r.first_body = vec![1, 1, 2])), 0);
    assert_eq!(block(refused(&|r| r.first_body = vec![0, 0, 1])), 0);
    assert_eq!(block(refused(&|r| r.first_entry = vec![0, 2, 2])), 1);
}

#[test]
fn compliance_makes_a_row_regular_and_its_sign_does_not_hide() {
    // an immovable body: only compliance is left on the diagonal
    let immovable = |compliance: [f64; 2]| {
        after(|p| {
            rows(p).mass[0] = MassProperties::immovable();
            p.compliance = compliance.to_vec();
        })
    };
    assert!(matches!(
        immovable([1.0, 0.0]),
        Err(ProblemError::ImmovableRow { row: 1 })
    ));
    let mut problem = immovable([1.0, 2.0]).expect("soft rows");
    // a change that would leave a row without a diagonal is refused, and what was there stays
    let before = problem.clone();
    let refused = problem.set_compliance(&[0.0, 3.0]);
    assert_eq!(refused, Err(ProblemError::ImmovableRow { row: 0 }));
    let mut given = vec![3.0, 0.0];
    assert!(problem.swap_compliance(&mut given).is_err());
    assert_eq!((given, &problem), (vec![3.0, 0.0], &before));
    // a row that moves and is softer than it is heavy
    assert!(after(|p| p.compliance = vec![5.0, 0.0]).is_ok());
}

#[test]
fn inertia_is_positive_up_to_rounding() {
    let accepted = |inverse: Matrix3<f64>| {
        let result = after(|p| rows(p).mass[0].inverse_inertia = inverse);
        match result {
            Ok(_) => true,
            Err(ProblemError::InverseInertia { body: 0 }) => false,
            Err(other) => panic!("{other}"),
        }
    };
    // indefinite by one weak diagonal entry, whichever it is: ½·1 − 1 < 0
    for (weak, strong) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
        let mut m = Matrix3::identity();
        m[(weak, weak)] = 0.5;
        (m[(weak, strong)], m[(strong, weak)]) = (1.0, 1.0);
        for scale in [1.0, 1e-6, 1e6] {
            assert!(!accepted(m * scale), "{weak} {strong} {scale}");
        }
        m[(weak, weak)] = 1.0;
        assert!(accepted(m), "{weak} {strong}");
    }
    // positive definite without a dominant row: eigenvalues 0.1, 0.1, 2.8
    let close = Matrix3::repeat(0.9) + Matrix3::identity() * 0.1;
    assert!(accepted(close) && accepted(close * 1e9) && accepted(close * 1e-9));
    // a rod along (1, 2, 2)/3 has no inertia about itself
    let axis = Vector3::new(1.0, 2.0, 2.0) / 3.0;
    let rod = Matrix3::identity() - axis * axis.transpose();
    assert!(accepted(rod) && accepted(Matrix3::zeros()));
    // asymmetry is relative: 1e-10 of 1e-3 is more than rounding, 1e-10 of 1 is not
    let skew = |scale: f64| {
        let mut m = Matrix3::identity() * scale;
        m[(0, 1)] = 1e-10;
        accepted(m)
    };
    assert!(skew(1.0) && !skew(1e-3));
}
