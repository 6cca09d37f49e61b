//! Orders of normals and friction: one sweep against the same visits on the dense matrix, and the
//! same fixed point.

use delassus_core::{
    Friction, ImpulseSolver, Law, MassProperties, Problem, ProblemBuilder, Solver, Start,
};
use delassus_solver_si::pgs::PgsParameters;
use delassus_solver_si::{Order, Pgs, RowOrder, SweepOrder};
use nalgebra::{Matrix3, Vector3};

const MU: f64 = 0.5;

/// Row of the velocity of a point of B relative to A along an axis.
fn row(axis: Vector3<f64>, arms: [Vector3<f64>; 2]) -> [[f64; 6]; 2] {
    let entry = |sign: f64, arm: Vector3<f64>| {
        let (l, a) = (sign * axis, sign * arm.cross(&axis));
        [l.x, l.y, l.z, a.x, a.y, a.z]
    };
    [entry(-1.0, arms[0]), entry(1.0, arms[1])]
}

/// A beam on the ground with two points, and a block on its end with two more; one tangent each.
fn stack() -> Problem {
    let mut builder = ProblemBuilder::new();
    let fixed = MassProperties {
        inverse_mass: Vector3::zeros(),
        inverse_inertia: Matrix3::zeros(),
    };
    builder.body(fixed, [0.0; 6]);
    for (inverse_mass, speed) in [(1.0, 0.7), (0.5, -0.4)] {
        let mass = MassProperties {
            inverse_mass: Vector3::repeat(inverse_mass),
            inverse_inertia: Matrix3::from_diagonal(&Vector3::new(3.0, 2.0, 5.0)) * inverse_mass,
        };
        builder.body(mass, [speed, -1.0, 0.0, 0.0, 0.0, 0.3]);
    }
    let law = Law::Contact(Friction::Pyramid { mu: MU });
    for (bodies, height) in [([0, 1], 0.0), ([1, 2], 1.0)] {
        for x in [-0.4, 0.9] {
            let point = Vector3::new(x, height, 0.0);
            let centres = [-0.5, 0.5, 1.25].map(|y| Vector3::new(0.0, y, 0.0));
            let arms = bodies.map(|body: usize| point - centres[body]);
            let rows = [row(Vector3::y(), arms), row(Vector3::x(), arms)];
            builder.block(law.clone(), &bodies, &rows);
        }
    }
    builder.build().unwrap()
}

fn solver(rows: RowOrder) -> Pgs {
    let parameters = PgsParameters {
        rows,
        ..PgsParameters::default()
    };
    Pgs::new(parameters).unwrap()
}

fn run(rows: RowOrder, sweeps: u32, start: &[f64]) -> Vec<f64> {
    let problem = stack();
    let mut solver = solver(rows);
    solver.prepare(&problem, Start::Warm(start)).unwrap();
    solver.iterate(&problem, sweeps).unwrap();
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).unwrap();
    impulses
}

/// Sweeps over rows in a given order, on A and b.
fn by_hand(visits: &[usize], sweeps: u32, start: &[f64]) -> Vec<f64> {
    let problem = stack();
    let n = problem.rows();
    let zero = problem.b().to_vec();
    let columns: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut unit = vec![0.0; n];
            unit[i] = 1.0;
            let mut column = vec![0.0; n];
            problem.apply_delassus(&unit, &mut column);
            column
        })
        .collect();
    let mut impulses = start.to_vec();
    for _ in 0..sweeps {
        for row in visits {
            let sum: f64 = (0..n).map(|j| columns[j][*row] * impulses[j]).sum();
            let w = sum + zero[*row];
            let moved = impulses[*row] - w / columns[*row][*row];
            impulses[*row] = if row % 2 == 0 {
                moved.max(0.0)
            } else {
                let bound = MU * impulses[row - 1];
                moved.clamp(-bound, bound)
            };
        }
    }
    impulses
}

#[test]
fn a_sweep_visits_normals_and_friction_in_the_order_asked_for() {
    let start = [0.3, -0.1, 0.2, 0.05, 0.4, 0.1, 0.1, 0.0];
    for (rows, visits) in [
        (RowOrder::PointByPoint, [0, 1, 2, 3, 4, 5, 6, 7]),
        (RowOrder::NormalsFirst, [0, 2, 1, 3, 4, 6, 5, 7]),
        (RowOrder::FrictionFirst, [1, 3, 0, 2, 5, 7, 4, 6]),
    ] {
        for sweeps in [1, 3] {
            let (found, expected) = (run(rows, sweeps, &start), by_hand(&visits, sweeps, &start));
            for (x, y) in found.iter().zip(&expected) {
                assert!((x - y).abs() < 1e-14, "{rows:?} {found:?} {expected:?}");
            }
        }
    }
    let one = |rows| run(rows, 1, &start);
    assert_ne!(one(RowOrder::PointByPoint), one(RowOrder::NormalsFirst));
    assert_ne!(one(RowOrder::NormalsFirst), one(RowOrder::FrictionFirst));
}

#[test]
fn all_orders_end_at_the_same_velocities() {
    let problem = stack();
    let velocities = |rows| {
        let impulses = run(rows, 4000, &[0.0; 8]);
        let mut out = vec![0.0; 18];
        problem.body_velocities(&impulses, &mut out).unwrap();
        out
    };
    let expected = velocities(RowOrder::PointByPoint);
    for rows in [RowOrder::NormalsFirst, RowOrder::FrictionFirst] {
        for (x, y) in velocities(rows).iter().zip(&expected) {
            assert!((x - y).abs() < 1e-12, "{rows:?}");
        }
    }
}

#[test]
fn manifolds_are_not_taken_apart_by_another_order_of_blocks() {
    let outcome = |rows, order| {
        Pgs::new(PgsParameters {
            sweep: SweepOrder { order, seed: 0 },
            rows,
        })
    };
    assert!(outcome(RowOrder::PointByPoint, Order::Random).is_ok());
    let error = outcome(RowOrder::FrictionFirst, Order::Reversed).unwrap_err();
    assert_eq!((error.parameter, &*error.value), ("rows", "friction-first"));
}
