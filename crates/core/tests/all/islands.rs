//! Problems side by side, and the islands of a problem apart.

use delassus_core::{
    Activity, CoupledCompliance, Friction, Law, MassProperties, Problem, ProblemBuilder,
};
use nalgebra::Vector3;

fn mass(m: f64) -> MassProperties {
    MassProperties::aligned(m, Vector3::new(1.0, 2.0, 3.0))
}

fn row(seed: f64) -> [f64; 6] {
    std::array::from_fn(|i| seed + (i as f64) * 0.5)
}

/// Two bodies on one ground, whose blocks alternate; the second pair shares compliance, one block
/// is held. A third body is free, and a soft block lies on the ground alone.
fn interleaved() -> Problem {
    let mut builder = ProblemBuilder::new();
    let a = builder.body(mass(2.0), [0.5, -1.0, 0.0, 0.25, 0.0, 1.0]);
    let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
    let free = builder.body(mass(7.0), [1.0; 6]);
    let b = builder.body(mass(4.0), [0.0, 0.5, 1.0, 0.0, -2.0, 0.0]);
    assert_eq!(free, 2);
    let contact = Law::Contact(Friction::Coulomb { mu: 0.5 });
    builder.block(Law::UNILATERAL, &[a, ground], &[[row(1.0), row(-1.0)]]);
    builder.bias(&[0.5]);
    builder.block(Law::Equality, &[b], &[[row(5.0)], [row(-3.5)]]);
    builder.compliance(&[2.0, 3.0]);
    builder.block(
        contact,
        &[ground, a],
        &[
            [row(-1.0), row(2.0)],
            [row(0.0), row(3.0)],
            [row(4.0), row(-2.0)],
        ],
    );
    builder.block(Law::UNILATERAL, &[ground], &[[row(2.0)]]);
    builder.compliance(&[1.5]);
    builder.block(Law::UNILATERAL, &[ground, b], &[[row(2.0), row(0.5)]]);
    builder.step(0.01, 9.81);
    let mut parts = builder.build().unwrap().into_parts();
    parts.coupled_compliance = CoupledCompliance::new();
    parts.coupled_compliance.push(1, &[1.0]);
    parts.activity[4] = Activity::Hold;
    Problem::new(parts).unwrap()
}

/// w = (A + R)λ + b.
fn velocity(problem: &Problem, impulses: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; problem.rows()];
    problem.apply_delassus(impulses, &mut out);
    problem.add_coupled(impulses, &mut out);
    for (row, w) in out.iter_mut().enumerate() {
        *w += problem.compliance()[row] * impulses[row] + problem.b()[row];
    }
    out
}

#[test]
fn islands_are_what_movable_bodies_connect() {
    let problem = interleaved();
    let islands = problem.islands().unwrap();
    let rows: Vec<usize> = islands.iter().map(|w| w.problem.rows()).collect();
    // blocks 0 and 2, 1 and 4, 3
    assert_eq!(rows, [4, 3, 1]);
    let features: Vec<Vec<u64>> = islands
        .iter()
        .map(|w| w.problem.blocks().iter().map(|b| b.feature).collect())
        .collect();
    assert_eq!(features, [vec![0, 2], vec![1, 4], vec![3]]);
    assert_eq!(islands[0].problem.bodies().unwrap().len(), 2);
    assert_eq!(islands[1].problem.activity()[1], Activity::Hold);
    assert_eq!(
        islands[1].problem.coupled_compliance().of(0),
        Some(&[1.0][..])
    );
    assert!(islands.iter().all(|w| w.problem.step() == problem.step()));
    assert_eq!([0, 1, 3].map(|row| islands[0].row(row)), [0, 3, 5]);
    assert_eq!([0, 2].map(|row| islands[1].row(row)), [1, 7]);
}

#[test]
fn constraint_velocities_of_the_islands_are_those_of_the_whole() {
    let problem = interleaved();
    let impulses: Vec<f64> = (0..problem.rows()).map(|row| 0.5 + row as f64).collect();
    let whole = velocity(&problem, &impulses);
    let mut found = vec![f64::NAN; problem.rows()];
    let mut bodies = vec![0.0; 24];
    bodies[12..18].copy_from_slice(&[1.0; 6]);
    let mut own = Vec::new();
    for island in problem.islands().unwrap() {
        island.gather(&impulses, &mut own);
        island.scatter(&velocity(&island.problem, &own), &mut found);
        let mut velocities = vec![0.0; 6 * island.problem.bodies().unwrap().len()];
        let read = island.problem.body_velocities(&own, &mut velocities);
        read.unwrap();
        island.scatter_velocities(&velocities, &mut bodies);
    }
    assert_eq!(found, whole);
    let mut expected = vec![0.0; 24];
    problem.body_velocities(&impulses, &mut expected).unwrap();
    assert_eq!(bodies, expected);
}

#[test]
fn concatenated_problems_split_again() {
    let islands: Vec<Problem> = interleaved()
        .islands()
        .unwrap()
        .into_iter()
        .map(|island| island.problem)
        .collect();
    let joined = Problem::concatenate(islands.clone()).unwrap();
    assert_eq!((joined.rows(), joined.blocks().len()), (8, 5));
    assert_eq!(joined.bodies().unwrap().len(), 5);
    let again = joined.islands().unwrap().into_iter();
    let again: Vec<Problem> = again.map(|island| island.problem).collect();
    assert_eq!(again, islands);
    // two steps that differ leave none
    let mut parts = islands[0].clone().into_parts();
    parts.step = None;
    let other = Problem::new(parts).unwrap();
    let joined = Problem::concatenate([islands[0].clone(), other]).unwrap();
    assert_eq!(joined.step(), None);
    let none = Problem::concatenate([]).unwrap();
    assert_eq!((none.rows(), none.islands().unwrap().len()), (0, 0));
}

#[test]
fn a_matrix_is_one_world_and_stands_beside_nothing() {
    let bodies = interleaved();
    let matrix = delassus_core::MatrixRows {
        delassus: delassus_core::BlockSparse::from_blocks(&[1], vec![(0, 0, vec![2.0])]).unwrap(),
        free_velocity: vec![1.0],
    };
    let mut parts = bodies.islands().unwrap()[2].problem.clone().into_parts();
    parts.operator = delassus_core::Operator::Matrix(matrix);
    let matrix = Problem::new(parts).unwrap();
    let islands = matrix.islands().unwrap();
    assert_eq!((islands.len(), &islands[0].problem), (1, &matrix));
    assert!(Problem::concatenate([matrix]).is_err());
}
