//! What a solver declares against what a problem holds, and the ranges of parameters.

use delassus_core::{
    Activity, BlockSparse, CoupledCompliance, Fidelity, Friction, Law, LawForm, LawKind,
    MassProperties, MatrixRows, Operator, Parameters, Problem, ProblemBuilder, ProblemParts,
    SolverDescriptor, Support, Unsupported,
};
use nalgebra::Vector3;

const BASE: SolverDescriptor = SolverDescriptor {
    id: "test",
    forms: &[
        (LawForm::Free, Support::Exact),
        (LawForm::Interval, Support::Approximate("one")),
        (LawForm::Normal, Support::Approximate("one")),
        (LawForm::Ball, Support::Approximate("two")),
    ],
    ..SolverDescriptor::BASE
};

fn laws(laws: &[(Law, usize)]) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(1.0, Vector3::repeat(1.0));
    let body = builder.body(mass, [0.0; 6]);
    for (law, dim) in laws {
        let rows: Vec<[[f64; 6]; 1]> = (0..*dim)
            .map(|axis| [std::array::from_fn(|i| if i == axis { 1.0 } else { 0.0 })])
            .collect();
        builder.block(law.clone(), &[body], &rows);
    }
    builder.build().expect("a valid problem")
}

fn matrix(a: [f64; 4], compliance: [f64; 2]) -> Problem {
    let delassus = BlockSparse::from_blocks(&[2], vec![(0, 0, a.to_vec())]).expect("a matrix");
    Problem::new(ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus,
            free_velocity: vec![1.0; 2],
        }),
        blocks: vec![delassus_core::Block {
            first_row: 0,
            dim: 2,
            law: Law::Equality,
            feature: 0,
        }],
        bias: vec![0.0; 2],
        compliance: compliance.to_vec(),
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    })
    .expect("a valid problem")
}

#[test]
fn support_is_that_of_the_laws_at_hand() {
    assert_eq!(BASE.support(LawKind::Equality), Some(Support::Exact));
    assert_eq!(
        BASE.support(LawKind::Disc),
        Some(Support::Approximate("two"))
    );
    assert_eq!(BASE.support(LawKind::Patch), None);
    let (equality, bounds) = ((Law::Equality, 2), (Law::UNILATERAL, 1));
    let disc = (Law::Contact(Friction::Disc { mu: 0.5 }), 3);
    let smooth = (Law::Contact(Friction::Frictionless), 1);
    let cone = (Law::Contact(Friction::ConvexCone { mu: 0.5 }), 3);
    let check = |problem: &[(Law, usize)]| BASE.check(&laws(problem));
    assert_eq!(check(std::slice::from_ref(&equality)), Ok(Fidelity::Exact));
    let one = Ok(Fidelity::Approximate(vec!["one"]));
    assert_eq!(check(&[bounds.clone(), bounds.clone()]), one);
    // each reason once, in the order of the blocks
    let mixed = [bounds, equality.clone(), smooth, disc];
    assert_eq!(check(&mixed), Ok(Fidelity::Approximate(vec!["one", "two"])));
    let refused = check(&[equality, cone]);
    let law = LawKind::ConvexCone;
    let (solver, block) = ("test", 1);
    assert_eq!(refused, Err(Unsupported::Law { solver, block, law }));
}

#[test]
fn shared_compliance_needs_a_solver_that_knows_it() {
    let mut parts = laws(&[(Law::Equality, 1), (Law::Equality, 2)]).into_parts();
    parts.compliance.fill(1.0);
    parts.coupled_compliance.push(1, &[0.5]);
    let problem = Problem::new(parts).expect("a valid problem");
    let (solver, block) = ("test", 1);
    let refused = BASE.check(&problem);
    assert_eq!(
        refused,
        Err(Unsupported::CoupledCompliance { solver, block })
    );
    let knowing = SolverDescriptor {
        coupled_compliance: true,
        ..BASE
    };
    assert_eq!(knowing.check(&problem), Ok(Fidelity::Exact));
}

#[test]
fn held_rows_need_a_solver_that_holds() {
    let mut problem = laws(&[(Law::Equality, 2), (Law::Equality, 1), (Law::Equality, 3)]);
    problem
        .set_activity(&[Activity::Solve, Activity::Hold, Activity::Solve])
        .expect("one per block");
    let (solver, block) = ("test", 1);
    assert_eq!(
        BASE.check(&problem),
        Err(Unsupported::Activity { solver, block })
    );
    let holding = SolverDescriptor {
        supports_inactive_rows: true,
        ..BASE
    };
    assert_eq!(holding.check(&problem), Ok(Fidelity::Exact));
    // an approximate law next to a block that is held
    let mut problem = laws(&[(Law::UNILATERAL, 1), (Law::Equality, 1)]);
    problem.set_all_activity(Activity::Hold);
    let one = Ok(Fidelity::Approximate(vec!["one"]));
    assert_eq!(holding.check(&problem), one);
    // all rows of an equality are normal: nothing of it is held
    problem.set_all_activity(Activity::NormalsOnly);
    assert_eq!(BASE.check(&problem), one);
}

#[test]
fn the_limit_of_rows_is_the_last_number_that_fits() {
    let check = |max_rows: usize| {
        let small = SolverDescriptor { max_rows, ..BASE };
        small.check(&laws(&[(Law::Equality, 3)]))
    };
    assert_eq!(check(3), Ok(Fidelity::Exact));
    assert_eq!(check(4), Ok(Fidelity::Exact));
    let (solver, rows, limit) = ("test", 3, 2);
    let many = Unsupported::TooManyRows {
        solver,
        rows,
        limit,
    };
    assert_eq!(check(2), Err(many));
}

#[test]
fn a_diagonal_is_needed_with_its_compliance() {
    let zero = [2.0, 1.0, 1.0, 0.0];
    let careless = SolverDescriptor {
        needs_positive_diagonal: false,
        ..BASE
    };
    assert_eq!(careless.check(&matrix(zero, [0.0; 2])), Ok(Fidelity::Exact));
    let refused = |value: f64| {
        let (solver, row) = ("test", 1);
        Err(Unsupported::Diagonal { solver, row, value })
    };
    assert_eq!(BASE.check(&matrix(zero, [0.0; 2])), refused(0.0));
    assert_eq!(BASE.check(&matrix(zero, [0.0, 0.5])), Ok(Fidelity::Exact));
    let negative = [2.0, 1.0, 1.0, -1.0];
    assert_eq!(BASE.check(&matrix(negative, [0.0, 0.25])), refused(-0.75));
    assert_eq!(
        BASE.check(&matrix(negative, [0.0, 1.5])),
        Ok(Fidelity::Exact)
    );
}

#[test]
fn the_limit_of_asymmetry_is_the_last_that_passes() {
    let problem = matrix([2.0, 0.5, 0.75, 2.0], [0.0; 2]);
    let check = |max_asymmetry: f64| {
        let strict = SolverDescriptor {
            max_asymmetry,
            ..BASE
        };
        strict.check(&problem)
    };
    // ‖A − Aᵀ‖ = ¼√2, ‖A‖ = √(8 + 13/16)
    let defect = (0.125f64 / 8.8125).sqrt();
    assert_eq!(check(defect), Ok(Fidelity::Exact));
    assert_eq!(check(1.0), Ok(Fidelity::Exact));
    let solver = "test";
    assert_eq!(check(0.0), Err(Unsupported::Unsymmetric { solver, defect }));
}

#[derive(Debug, Clone, PartialEq, Parameters)]
struct Ranges {
    /// Above zero.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    positive: f64,
    /// Not below zero.
    #[parameter(unit = "-", range = ">= 0")]
    non_negative: f64,
    /// A share.
    #[parameter(unit = "-", range = "[0, 1]")]
    fraction: f64,
    /// Anything.
    #[parameter(unit = "-")]
    finite: f64,
    /// A count.
    #[parameter(default = 2, unit = "-", range = ">= 2")]
    count: usize,
}

#[test]
fn parameters_have_the_ranges_that_they_declare() {
    let check = |change: &dyn Fn(&mut Ranges)| {
        let mut ranges = Ranges::default();
        change(&mut ranges);
        ranges.validate()
    };
    let tiny = f64::MIN_POSITIVE;
    for value in [f64::NAN, f64::INFINITY, -tiny] {
        assert!(check(&|r| r.positive = value).is_err());
        assert!(check(&|r| r.non_negative = value).is_err());
        assert!(check(&|r| r.fraction = value).is_err());
    }
    assert!(check(&|r| r.positive = 0.0).is_err());
    assert!(check(&|r| (r.positive, r.non_negative) = (tiny, 0.0)).is_ok());
    assert!(check(&|r| r.fraction = 1.0).is_ok());
    assert!(check(&|r| r.fraction = 1.0 + f64::EPSILON).is_err());
    assert!(check(&|r| r.finite = -1e300).is_ok());
    assert!(check(&|r| r.finite = f64::NEG_INFINITY).is_err());
    let refused = check(&|r| r.count = 1).expect_err("too few");
    assert_eq!((refused.parameter, refused.value.as_str()), ("count", "1"));
}
