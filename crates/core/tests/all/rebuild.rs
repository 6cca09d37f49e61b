//! Another problem in the memory of the last one.

use delassus_core::{
    Activity, Block, BlockSparse, CoupledCompliance, Law, MassProperties, MatrixRows, Operator,
    Problem, ProblemBuilder, ProblemError, ProblemParts,
};
use nalgebra::Vector3;

/// Single rows that push, given by a matrix with `diagonal` and −1 next to it.
fn matrix(rows: usize, diagonal: f64) -> Problem {
    let beside = |i: usize| {
        [i.wrapping_sub(1), i + 1]
            .into_iter()
            .filter(|j| *j < rows.max(1))
    };
    let blocks = (0..rows).flat_map(|i| {
        let others = beside(i).map(move |j| (i, j, vec![-1.0]));
        others.chain([(i, i, vec![diagonal])])
    });
    let delassus = BlockSparse::from_blocks(&vec![1; rows], blocks.collect()).expect("valid");
    Problem::new(ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus,
            free_velocity: (0..rows).map(|row| 0.5 - row as f64).collect(),
        }),
        blocks: (0..rows).map(pushing).collect(),
        bias: vec![0.25; rows],
        compliance: vec![0.0; rows],
        coupled_compliance: CoupledCompliance::new(),
        activity: vec![Activity::Solve; rows],
        step: None,
    })
    .expect("valid")
}

fn pushing(row: usize) -> Block {
    Block {
        first_row: row,
        dim: 1,
        law: Law::Bounds {
            lower: 0.0,
            upper: f64::INFINITY,
        },
        feature: row as u64,
    }
}

/// A bob on a rail.
fn bodies() -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::new(0.3, 0.4, 0.5));
    let body = builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    builder.block(Law::Equality, &[body], &[[[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]]);
    builder.build().expect("valid")
}

#[test]
fn a_problem_in_the_memory_of_another_is_the_new_one() {
    let all = [
        matrix(5, 3.0),
        matrix(2, 4.0),
        bodies(),
        matrix(0, 1.0),
        matrix(7, 2.5),
    ];
    let mut made = all[0].clone();
    for problem in all.iter().chain(all.iter().rev()) {
        // what was asked for must be forgotten
        assert_eq!(made.b().len(), made.rows());
        let parts = problem.clone().into_parts();
        made = made
            .rebuild(|memory| {
                *memory = parts;
                Ok(())
            })
            .expect("valid");
        assert_eq!(made, *problem);
        assert_eq!(made.diagonal(), problem.diagonal());
        assert_eq!(made.b(), problem.b());
        assert!(made.laws().eq(problem.laws()));
        assert_eq!(made.all_active(), problem.all_active());
    }
}

#[test]
fn a_matrix_in_the_memory_of_another_is_the_new_one() {
    let delassus = |problem: &Problem| match problem.operator() {
        Operator::Matrix(matrix) => matrix.delassus.clone(),
        Operator::Bodies(_) => unreachable!("given by a matrix"),
    };
    let mut made = BlockSparse::default();
    for rows in [5, 2, 0, 6] {
        let expected = delassus(&matrix(rows, 3.0));
        let all = (0..rows).flat_map(|i| expected.row(i).map(move |(j, values)| (i, j, values)));
        let blocks = all.map(|(i, j, values)| (i, j, values.iter().copied()));
        made.renew(vec![1; rows], blocks).expect("valid");
        assert_eq!(made, expected);
    }
    let late = [(1, 0, [1.0]), (0, 0, [1.0])];
    let refused = made.renew([1, 1], late);
    assert!(matches!(
        refused,
        Err(ProblemError::MatrixOrder { row: 0, column: 0 })
    ));
    assert_eq!(made, BlockSparse::default());
    let twice = [(1, 0, [1.0]), (1, 0, [1.0])];
    let refused = made.renew([1, 1], twice);
    assert!(matches!(
        refused,
        Err(ProblemError::DuplicateMatrixBlock { .. })
    ));
}

#[test]
fn what_is_written_is_validated() {
    let refused = matrix(3, 2.0).rebuild(|parts| {
        parts.bias[1] = f64::NAN;
        Ok(())
    });
    assert!(matches!(refused, Err(ProblemError::NonFinite { .. })));
}
