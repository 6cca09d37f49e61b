//! Scaled laws in round rows (P.20), and what of a scaled law is refused.

use delassus_core::{
    Activity, BlockSparse, CoupledCompliance, Law, LawKind, MassProperties, MatrixRows, Operator,
    Problem, ProblemBuilder, ProblemError, RoundRows, Start,
};
use nalgebra::Vector3;

/// Numbers in \[−1, 1) that are the same in every run.
fn numbers(count: usize, seed: u32) -> Vec<f64> {
    let mut state = u64::from(seed) + 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 33).unwrap_or(0)) / f64::from(1_u32 << 30) - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Two bodies with blocks of every scaled law, compliance of every kind and a bias.
fn bodies() -> Problem {
    let mut builder = ProblemBuilder::new();
    let bodies = [2.0, 0.7].map(|mass| {
        let velocity = numbers(6, 3);
        let inertia = Vector3::new(0.3, 0.4, 0.5) * mass;
        let velocity = std::array::from_fn(|i| velocity[i]);
        builder.body(MassProperties::aligned(mass, inertia), velocity)
    });
    let laws = [
        (Law::anisotropic([0.3, 0.8], 0.6), 3),
        (Law::coulomb(0.5), 3),
        (Law::elliptic_cone(&[0.5, 0.25, 0.03, 0.01, 0.02]), 6),
        (Law::torsional(0.04), 2),
        (Law::anisotropic([0.9, 0.2], -1.1), 3),
    ];
    for (index, (law, dim)) in (0_u32..).zip(laws) {
        let entries = numbers(12 * dim, 17 + index);
        let rows: Vec<[[f64; 6]; 2]> = (0..dim)
            .map(|row| [0, 1].map(|side| std::array::from_fn(|i| entries[12 * row + 6 * side + i])))
            .collect();
        builder.block(law, &bodies, &rows);
    }
    let rows = 17;
    let mut problem = builder.build().expect("valid");
    problem.set_bias(&numbers(rows, 5)).expect("finite");
    let compliance: Vec<f64> = numbers(rows, 7).iter().map(|x| 1.5 + x).collect();
    let mut coupled = CoupledCompliance::new();
    coupled.push(0, &[0.1, 0.05, -0.1]);
    coupled.push(3, &[0.05]);
    problem
        .set_block_compliance(&compliance, &coupled)
        .expect("positive");
    problem
}

fn as_matrix(problem: &Problem) -> Problem {
    let dims: Vec<usize> = problem.blocks().iter().map(|block| block.dim).collect();
    let rows = problem.rows();
    let mut columns = Vec::new();
    for column in 0..rows {
        let mut unit = vec![0.0; rows];
        unit[column] = 1.0;
        let mut image = vec![0.0; rows];
        problem.apply_delassus(&unit, &mut image);
        columns.push(image);
    }
    let mut entries = Vec::new();
    for (i, a) in problem.blocks().iter().enumerate() {
        for (j, b) in problem.blocks().iter().enumerate() {
            let values = a
                .rows()
                .flat_map(|row| b.rows().map(move |column| (row, column)));
            let values = values.map(|(row, column)| columns[column][row]);
            entries.push((i, j, values.collect()));
        }
    }
    let free = problem
        .b()
        .iter()
        .zip(problem.bias())
        .map(|(b, bias)| b - bias);
    let free_velocity = free.collect();
    let mut parts = problem.clone().into_parts();
    let delassus = BlockSparse::from_blocks(&dims, entries).expect("a matrix");
    parts.operator = Operator::Matrix(MatrixRows {
        delassus,
        free_velocity,
    });
    Problem::new(parts).expect("valid")
}

fn close(a: &[f64], b: &[f64], what: &str) {
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-12, "{what}: {a} {b}");
    }
}

/// λ·w and the velocities of the bodies do not depend on the rows, and the sets are the same: what
/// a law admits in its rows, the round law admits in round rows.
#[test]
fn round_rows_describe_the_same_problem() {
    for problem in [bodies(), as_matrix(&bodies())] {
        let round = problem.round();
        assert!(std::ptr::eq(round, round.round()), "round twice");
        for seed in 0..50 {
            let mut impulses = numbers(problem.rows(), seed);
            for block in problem.blocks() {
                let own = &mut impulses[block.rows()];
                own[0] = own[0].abs() + 0.5;
                // half of them inside of their sets
                if seed % 2 == 0 {
                    block
                        .law
                        .factors(block.dim)
                        .iter()
                        .for_each(|factor| factor.project(own));
                }
            }
            let mut rows = RoundRows::of(&problem);
            let Start::Warm(mapped) = rows.start(Start::Warm(&impulses), impulses.len()).unwrap()
            else {
                panic!("a warm start stays one");
            };
            let mapped = mapped.to_vec();
            for (given, own) in problem.blocks().iter().zip(round.blocks()) {
                let admits = |law: &Law, x: &[f64], slack: f64| {
                    law.factors(x.len())
                        .iter()
                        .all(|factor| factor.contains(x, slack))
                };
                let x = [&impulses[given.rows()], &mapped[own.rows()]];
                let inside = admits(&given.law, x[0], 0.0);
                // 1e-12: rounding over the smallest coefficient
                assert!(!inside || admits(&own.law, x[1], 1e-12), "{given:?} {x:?}");
                assert!(inside || !admits(&own.law, x[1], -1e-12), "{given:?} {x:?}");
            }
            let mut w = [vec![0.0; problem.rows()], vec![0.0; problem.rows()]];
            problem.shifted_velocity(&impulses, &mut w[0]);
            round.shifted_velocity(&mapped, &mut w[1]);
            for block in problem.blocks() {
                let power =
                    |x: &[f64], w: &[f64]| -> f64 { block.rows().map(|row| x[row] * w[row]).sum() };
                close(
                    &[power(&impulses, &w[0])],
                    &[power(&mapped, &w[1])],
                    "power",
                );
            }
            if problem.bodies().is_some() {
                let mut v = [[0.0; 12]; 2];
                problem.body_velocities(&impulses, &mut v[0]).unwrap();
                round.body_velocities(&mapped, &mut v[1]).unwrap();
                close(&v[0], &v[1], "velocities");
            }
            // rows that were not moved have their bits, others come back to rounding
            let mut back = mapped.clone();
            rows.give(&mut back);
            assert_eq!(back, impulses);
            let mut moved = mapped.clone();
            moved
                .iter_mut()
                .for_each(|x| *x = f64::from_bits(x.to_bits() ^ 1));
            rows.give(&mut moved);
            close(&moved, &impulses, "back");
        }
    }
}

#[test]
fn replaced_numbers_reach_the_round_rows() {
    let mut problem = bodies();
    let rows = problem.rows();
    let anew = |problem: &Problem| {
        let parts = problem.clone().into_parts();
        Problem::new(parts).expect("valid").round().clone()
    };
    problem.set_bias(&numbers(rows, 31)).expect("finite");
    assert_eq!(*problem.round(), anew(&problem));
    let mut bias = numbers(rows, 32);
    problem.swap_bias(&mut bias).expect("finite");
    assert_eq!(bias, numbers(rows, 31));
    assert_eq!(*problem.round(), anew(&problem));
    let mut compliance = vec![3.0; rows];
    problem.swap_compliance(&mut compliance).expect("positive");
    assert_eq!(*problem.round(), anew(&problem));
    problem.set_compliance(&vec![2.0; rows]).expect("positive");
    assert_eq!(*problem.round(), anew(&problem));
    problem.set_free_velocity(&numbers(12, 33)).expect("finite");
    assert_eq!(*problem.round(), anew(&problem));
    problem.set_all_activity(Activity::NormalsOnly);
    assert_eq!(*problem.round(), anew(&problem));
    let activity = [
        Activity::Hold,
        Activity::Solve,
        Activity::Hold,
        Activity::Solve,
        Activity::Hold,
    ];
    problem.set_activity(&activity).expect("one per block");
    assert_eq!(*problem.round(), anew(&problem));
    // what is refused changes nothing
    let before = problem.clone();
    assert!(problem.set_bias(&[f64::NAN; 17]).is_err());
    assert!(problem.set_bias(&[1.7e308; 17]).is_err());
    assert_eq!((&problem, problem.round()), (&before, before.round()));
}

/// A turned ellipse with equal springs along both tangents has no shared compliance in round rows.
#[test]
fn equal_springs_stay_springs_of_single_rows() {
    let mut problem = bodies();
    let none = CoupledCompliance::new();
    problem
        .set_block_compliance(&[0.3; 17], &none)
        .expect("positive");
    assert!(problem.round().coupled_compliance().is_empty());
    // R' = r (μ_i/μ_1)²
    let ratio = 0.8 / 0.3;
    close(
        &problem.round().compliance()[..3],
        &[0.3, 0.3, 0.3 * ratio * ratio],
        "compliance",
    );
}

#[test]
fn numbers_and_rows_of_scaled_laws_are_checked() {
    let with = |law: Law, dim: usize| {
        let mut builder = ProblemBuilder::new();
        let mass = MassProperties::aligned(1.0, Vector3::repeat(1.0));
        let body = builder.body(mass, [0.0; 6]);
        let rows: Vec<[[f64; 6]; 1]> = (0..dim)
            .map(|axis| [std::array::from_fn(|i| if i == axis { 1.0 } else { 0.0 })])
            .collect();
        builder.block(law, &[body], &rows);
        builder.build()
    };
    let number = |law: Law, dim: usize| match with(law, dim) {
        Err(ProblemError::LawNumber { value, .. }) => value,
        other => panic!("{other:?}"),
    };
    assert_eq!(number(Law::anisotropic([0.5, 0.0], 0.0), 3), 0.0);
    assert_eq!(number(Law::anisotropic([-0.5, 0.1], 0.0), 3), -0.5);
    assert!(number(Law::anisotropic([0.5, 0.1], f64::NAN), 3).is_nan());
    assert_eq!(number(Law::torsional(f64::INFINITY), 2), f64::INFINITY);
    assert_eq!(number(Law::elliptic_cone(&[0.5, 0.5, 0.0]), 4), 0.0);
    for (law, dim) in [
        (Law::anisotropic([0.5, 0.1], 0.0), 2),
        (Law::torsional(0.1), 3),
        (Law::elliptic_cone(&[0.5, 0.5]), 4),
        (Law::elliptic_cone(&[0.5; 4]), 5),
        (
            Law::scaled(LawKind::EllipticCone, 6, &[0.5, 0.1]).expect("a scaled law"),
            6,
        ),
    ] {
        let refused = with(law, dim);
        assert!(
            matches!(refused, Err(ProblemError::LawDimension { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(Law::scaled(LawKind::Coulomb, 3, &[0.5]), None);
    // a negative angle and one beyond a turn are angles
    assert!(with(Law::anisotropic([0.5, 0.1], -7.0), 3).is_ok());
}
