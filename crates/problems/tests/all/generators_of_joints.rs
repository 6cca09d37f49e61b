//! Generators of chains, joints, single bodies and planted problems.

use delassus_core::{LawKind, Operator, ScaledKind};
use delassus_problems::generators::{
    BoxProblem, Boxes, Chain, ChainProblem, ContactLaw, Ends, FallingBoxProblem, FixedBodies,
    Generator, JointGrid, JointGridProblem, LinkKind, MassOrder, MassRatioChain, OperatorForm,
    PainleveRodProblem, Planted, Stack,
};
use delassus_problems::{NamedProblem, to_matrix};
use proptest::prelude::*;

use crate::check::violation;
use crate::generators::{assert_solved, dense};

#[test]
fn axial_chains_are_tridiagonal() {
    let m = 2.0;
    let chain = |n: usize, ends: Ends| {
        let chain = ChainProblem::from(Chain {
            n,
            ends,
            mass: m,
            ..Chain::default()
        });
        dense(&chain.generate().unwrap().problem)
    };
    let expect = |matrix: &[Vec<f64>], first: f64, last: f64| {
        let end = matrix.len() - 1;
        for (i, row) in matrix.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                let expected = match (i, j) {
                    _ if i == j && i == 0 => first,
                    _ if i == j && i == end => last,
                    _ if i == j => 2.0,
                    _ if i.abs_diff(j) == 1 => -1.0,
                    _ => 0.0,
                };
                // 1/m is exact for m = 2
                assert_eq!(*value, expected / m, "({i}, {j})");
            }
        }
    };
    expect(&chain(10, Ends::Anchored), 1.0, 2.0);
    expect(&chain(10, Ends::Free), 2.0, 2.0);
    expect(&chain(10, Ends::Both), 1.0, 1.0);
}

#[test]
fn chains_are_solved_by_their_tensions() {
    for ends in [Ends::Anchored, Ends::Free, Ends::Both] {
        for kind in [LinkKind::Point, LinkKind::Rod] {
            for mass_order in [MassOrder::Geometric, MassOrder::HeavyLast] {
                let chain = ChainProblem {
                    chain: Chain {
                        n: 10,
                        ends,
                        kind,
                        mass_ratio: 20.0,
                        mass_order,
                        ..Chain::default()
                    },
                    load: 7.0,
                    ..ChainProblem::default()
                };
                assert_solved(&chain.generate().unwrap());
            }
        }
    }
    let two = MassRatioChain::default().generate().unwrap();
    assert_solved(&two);
    // T_1 = (m_1 + m_2) g h, T_2 = m_2 g h
    let tension = two.reference_impulses().unwrap();
    assert!((tension[0] - 11.0 * 9.81 / 60.0).abs() < 1e-14);
    assert!((tension[1] - 10.0 * 9.81 / 60.0).abs() < 1e-14);
}

#[test]
fn a_tilted_rod_chain_turns_its_inertia() {
    let chain = |angle: f64| {
        let chain = ChainProblem::from(Chain {
            n: 3,
            kind: LinkKind::Rod,
            angle,
            ..Chain::default()
        });
        chain.generate().unwrap()
    };
    assert!(chain(0.5).reference.is_none());
    // the whole scene turned by a quarter: A turns with it (x → y, y → −x), its trace stays
    let (vertical, level) = (chain(0.0), chain(std::f64::consts::FRAC_PI_2));
    let trace = |named: &NamedProblem| named.problem.diagonal().iter().sum::<f64>();
    assert!((trace(&vertical) - trace(&level)).abs() < 1e-12 * trace(&level));
    let (a, b) = (dense(&vertical.problem), dense(&level.problem));
    for joint in 0..3 {
        assert!((a[3 * joint][3 * joint] - b[3 * joint + 1][3 * joint + 1]).abs() < 1e-12);
    }
}

#[test]
fn joint_grids_have_the_joints_of_their_description() {
    let rows = |n: usize, fixed: FixedBodies| {
        let grid = JointGridProblem::from(JointGrid {
            n,
            fixed,
            ..JointGrid::default()
        });
        let named = grid.generate().unwrap();
        if matches!(fixed, FixedBodies::TopRow | FixedBodies::None) {
            assert_solved(&named);
        }
        named.problem.rows()
    };
    assert_eq!(rows(10, FixedBodies::None), 3 * 180);
    assert_eq!(rows(10, FixedBodies::Corners), 3 * 180);
    assert_eq!(rows(10, FixedBodies::TopRow), 3 * (180 - 9));
    assert_eq!(rows(10, FixedBodies::Middle), 3 * (180 - 6));
    assert_eq!(rows(2, FixedBodies::Middle), 3 * 3);
}

#[test]
fn a_face_of_a_cube_is_a_ring() {
    // unit cube of mass m on four points: A = circ(4, 1, −2, 1)/m
    let stack = BoxProblem::from(Stack {
        n: 1,
        boxes: Boxes {
            law: ContactLaw::Frictionless,
            ..Boxes::default()
        },
        ..Stack::default()
    });
    let named = stack.generate().unwrap();
    let matrix = dense(&named.problem);
    let ring = [4.0, 1.0, -2.0, 1.0];
    for i in 0..4 {
        for j in 0..4 {
            // the moment of inertia m/6 is rounded once
            assert!((matrix[i][j] - ring[(4 + j - i) % 4]).abs() < 1e-14);
        }
    }
    let share = 0.25 * 9.81 / 60.0;
    for impulse in named.reference_impulses().unwrap() {
        assert!((impulse - share).abs() < 1e-16);
    }
}

#[test]
fn the_falling_box_has_its_matrix() {
    let falling = FallingBoxProblem {
        half_width: 0.5,
        half_height: 1.0,
        mass: 2.0,
        speed: 3.0,
    };
    let named = falling.generate().unwrap();
    assert_solved(&named);
    let matrix = dense(&named.problem);
    // s = 3 a²/(a² + b²) = 0.6; A = [[1 + s, 1 − s], [1 − s, 1 + s]]/m
    let expected = [[0.8, 0.2], [0.2, 0.8]];
    for i in 0..2 {
        for j in 0..2 {
            assert!((matrix[i][j] - expected[i][j]).abs() < 1e-15);
        }
    }
    assert_eq!(named.problem.b(), [-3.0, -3.0]);
}

#[test]
fn the_painleve_rod_has_its_matrix_and_three_solutions() {
    let named = PainleveRodProblem::default().generate().unwrap();
    let matrix = dense(&named.problem);
    let expected = [[1.6, 1.2], [1.2, 3.4]];
    for i in 0..2 {
        for j in 0..2 {
            assert!((matrix[i][j] - expected[i][j]).abs() < 1e-15);
        }
    }
    for solution in [[0.0, 0.0], [0.2575, -0.385], [0.15625, -0.25]] {
        assert!(violation(&named.problem, &solution) < 1e-14);
    }
    assert!(violation(&named.problem, &[0.2, -0.3]) > 1e-3);
}

#[test]
fn planted_problems_cover_every_law_in_both_forms() {
    let mut planted = every_law(3);
    planted.redundant = 8;
    for form in [OperatorForm::Bodies, OperatorForm::Matrix] {
        planted.form = form;
        let named = planted.generate().unwrap();
        assert_solved(&named);
        let kinds: Vec<LawKind> = named.facts().laws.iter().map(|(kind, _)| *kind).collect();
        // a problem with one of the others comes from `ScaledPlanted`
        let unscaled = LawKind::ALL
            .iter()
            .filter(|kind| ScaledKind::of(**kind).is_none());
        assert!(kinds.iter().eq(unscaled), "{kinds:?}");
        let is_matrix = matches!(named.problem.operator(), Operator::Matrix(_));
        assert_eq!(is_matrix, form == OperatorForm::Matrix);
    }
}

fn every_law(count: usize) -> Planted {
    Planted {
        equality: count,
        gears: count,
        bounds: count,
        frictionless: count,
        fixed_box: count,
        pyramid: count,
        disc: count,
        coulomb: count,
        convex_cone: count,
        patch: count,
        facets: count,
        rolling: count,
        spinning: count,
        ..Planted::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn planted_problems_are_solved_by_their_plants(
        seed in any::<u64>(),
        bodies in 2usize..12,
        redundant in 0usize..6,
        decades in 0u8..7,
        degenerate in prop_oneof![Just(0.0), Just(0.5), Just(1.0)],
        compliance in prop_oneof![Just(0.0), Just(0.1)],
        contact_dim in 2usize..4,
        directions in 2usize..10,
        stick in 0.0..1.0,
        slide in 0.0..1.0,
    ) {
        let planted = Planted {
            bodies,
            redundant,
            mass_ratio: libm::pow(10.0, f64::from(decades)),
            degenerate,
            compliance,
            contact_dim,
            directions: 2 * directions,
            stick,
            slide,
            seed,
            ..every_law(2)
        };
        let named = planted.generate().unwrap();
        // λ of a heavy pair on a light body: the rounding of A λ grows with the mass ratio
        let rounding = 1e-13 * libm::pow(10.0, f64::from(decades)).max(10.0);
        let reference = named.reference_impulses().unwrap();
        let violation = violation(&named.problem, reference);
        prop_assert!(violation < rounding, "{violation:e}");
        prop_assert_eq!(&named, &planted.generate().unwrap());
    }
}

#[test]
fn states_follow_their_weights() {
    let count = |stick: f64, slide: f64, open: f64| {
        let planted = Planted {
            coulomb: 300,
            stick,
            slide,
            open,
            ..Planted::default()
        };
        let named = planted.generate().unwrap();
        let mut w = vec![0.0; named.problem.rows()];
        let impulses = named.reference_impulses().unwrap();
        named.problem.shifted_velocity(impulses, &mut w);
        let mut states = [0; 3];
        for block in named.problem.blocks() {
            let rows = block.rows();
            let slip = w[rows.start + 1].abs() + w[rows.start + 2].abs();
            let state = match (impulses[rows.start] > 0.0, slip > 1e-9) {
                (true, false) => 0,
                (true, true) => 1,
                (false, _) => 2,
            };
            states[state] += 1;
        }
        states
    };
    assert_eq!(count(1.0, 0.0, 0.0), [300, 0, 0]);
    assert_eq!(count(0.0, 2.0, 0.0), [0, 300, 0]);
    assert_eq!(count(0.0, 0.0, 0.5), [0, 0, 300]);
    let mixed = count(1.0, 1.0, 1.0);
    // binomial: 100 ± 8
    assert!(mixed.iter().all(|n| (60..140).contains(n)), "{mixed:?}");
}

#[test]
fn redundant_blocks_lower_the_rank() {
    let planted = Planted {
        bodies: 30,
        coulomb: 10,
        redundant: 4,
        mass_ratio: 1.0,
        ..Planted::default()
    };
    let problem = planted.generate().unwrap().problem;
    let rows = problem.rows();
    let matrix = dense(&to_matrix(&problem).unwrap());
    let flat: Vec<f64> = matrix.concat();
    let eigenvalues = nalgebra::DMatrix::from_row_slice(rows, rows, &flat).symmetric_eigenvalues();
    let limit = 1e-10 * eigenvalues.max();
    let null = eigenvalues.iter().filter(|e| **e < limit).count();
    assert_eq!((rows, null), (42, 12));
}
