//! The same problem with its blocks in another order.

use delassus_core::{
    Activity, BlockSparse, CoupledCompliance, Friction, Law, MassProperties, MatrixRows, Operator,
    Problem, ProblemBuilder, ProblemError,
};
use nalgebra::Vector3;

/// Three blocks of 1, 3 and 2 rows between two bodies; the last shares compliance, the first is
/// held.
fn problem() -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = |m: f64| MassProperties::aligned(m, Vector3::new(1.0, 2.0, 3.0));
    let a = builder.body(mass(2.0), [0.5, -1.0, 0.0, 0.25, 0.0, 1.0]);
    let b = builder.body(mass(4.0), [0.0, 0.5, 1.0, 0.0, -2.0, 0.0]);
    let row = |seed: f64| -> [f64; 6] { std::array::from_fn(|i| seed + (i as f64) * 0.5) };
    builder.block(Law::UNILATERAL, &[a], &[[row(1.0)]]);
    builder.bias(&[0.5]);
    let contact = Law::Contact(Friction::Coulomb { mu: 0.5 });
    builder.block(
        contact,
        &[a, b],
        &[
            [row(-1.0), row(2.0)],
            [row(0.0), row(3.0)],
            [row(4.0), row(-2.0)],
        ],
    );
    builder.bias(&[1.0, 2.0, 3.0]);
    builder.block(Law::Equality, &[b], &[[row(5.0)], [row(-3.5)]]);
    builder.compliance(&[2.0, 3.0]);
    builder.step(0.01, 9.81);
    let mut parts = builder.build().unwrap().into_parts();
    parts.coupled_compliance = CoupledCompliance::new();
    parts.coupled_compliance.push(2, &[1.0]);
    parts.activity = vec![Activity::Hold, Activity::Solve, Activity::Solve];
    Problem::new(parts).unwrap()
}

/// The same given by its matrix.
fn matrix() -> Problem {
    let bodies = problem();
    let dims = [1, 3, 2];
    let (mut unit, mut column) = (vec![0.0; 6], vec![0.0; 6]);
    let mut a = vec![[0.0; 6]; 6];
    for j in 0..6 {
        unit[j] = 1.0;
        bodies.apply_delassus(&unit, &mut column);
        unit[j] = 0.0;
        for i in 0..6 {
            a[i][j] = column[i];
        }
    }
    let mut stored = Vec::new();
    for (i, rows) in bodies.blocks().iter().enumerate() {
        for (j, columns) in bodies.blocks().iter().enumerate() {
            let values = rows.rows().flat_map(|row| a[row][columns.rows()].to_vec());
            stored.push((i, j, values.collect()));
        }
    }
    let free: Vec<f64> = bodies
        .b()
        .iter()
        .zip(bodies.bias())
        .map(|(b, bias)| b - bias)
        .collect();
    let mut parts = bodies.into_parts();
    parts.operator = Operator::Matrix(MatrixRows {
        delassus: BlockSparse::from_blocks(&dims, stored).unwrap(),
        free_velocity: free,
    });
    Problem::new(parts).unwrap()
}

#[test]
fn velocities_are_the_same_in_other_places() {
    for problem in [problem(), matrix()] {
        for order in [[2, 0, 1], [1, 2, 0], [0, 1, 2]] {
            let other = problem.reordered(&order).unwrap();
            let rows = problem.rows_in(&order);
            let impulses = [1.0, -0.5, 2.0, 0.25, 3.0, -1.5];
            let moved: Vec<f64> = rows.iter().map(|row| impulses[*row]).collect();
            let (mut w, mut w_moved) = (vec![0.0; 6], vec![0.0; 6]);
            problem.shifted_velocity(&impulses, &mut w);
            other.shifted_velocity(&moved, &mut w_moved);
            for (new, old) in rows.iter().enumerate() {
                // the sums of a body run in another order
                assert!((w_moved[new] - w[*old]).abs() < 1e-13 * w[*old].abs().max(10.0));
            }
            for (place, block) in order.iter().enumerate() {
                let (old, new) = (&problem.blocks()[*block], &other.blocks()[place]);
                assert_eq!(
                    (&old.law, old.dim, old.feature),
                    (&new.law, new.dim, new.feature)
                );
                assert_eq!(other.activity()[place], problem.activity()[*block]);
                let coupled =
                    |p: &Problem, b: usize| p.coupled_compliance().of(b).map(<[f64]>::to_vec);
                assert_eq!(coupled(&other, place), coupled(&problem, *block));
            }
        }
        assert_eq!(problem.reordered(&[0, 1, 2]).unwrap(), problem);
        // back again, bit for bit
        let there = problem.reordered(&[2, 0, 1]).unwrap();
        assert_eq!(there.reordered(&[1, 2, 0]).unwrap(), problem);
    }
}

#[test]
fn lists_that_are_no_order_are_refused() {
    let problem = problem();
    assert!(matches!(
        problem.reordered(&[0, 1]),
        Err(ProblemError::Length { .. })
    ));
    for (order, at) in [([0, 0, 1], 1), ([0, 1, 3], 2)] {
        match problem.reordered(&order) {
            Err(ProblemError::Order { place, .. }) => assert_eq!(place, at),
            other => panic!("{other:?}"),
        }
    }
}
