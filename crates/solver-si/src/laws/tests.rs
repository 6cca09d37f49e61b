//! Kernels of small problems.

use super::*;
use delassus_core::{FactorList, Friction, Law, MassProperties, Patch, ProblemBuilder};

/// Blocks of these laws and rows on one body.
fn problem(laws: &[(Law, usize)]) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties {
        inverse_mass: nalgebra::Vector3::repeat(0.5),
        inverse_inertia: nalgebra::Matrix3::identity() * 4.0,
    };
    let body = builder.body(mass, [0.0; 6]);
    for (law, dim) in laws {
        // unit rows: the first three linear, the others angular
        let rows: Vec<[[f64; 6]; 1]> = (0..*dim)
            .map(|row| [std::array::from_fn(|axis| f64::from(u8::from(axis == row)))])
            .collect();
        builder.block(law.clone(), &[body], &rows);
    }
    builder.build().expect("a valid problem")
}

#[test]
fn kernel_memory_counts_blocks_compliance_and_kernels() {
    let coulomb = || Law::Contact(Friction::Coulomb { mu: 0.5 });
    let patch = Law::Patch(Box::new(Patch {
        mu: 0.5,
        levers: vec![1.0, 2.0],
    }));
    let one = size_of::<LawKernel>() as u64;
    // equality blocks have no tangents, however large
    let laws = [(Law::Equality, 6), (coulomb(), 3), (coulomb(), 2)];
    assert_eq!(kernel_memory(&problem(&laws)), (9 + 11) * 8 + 3 * one);
    let laws = [(coulomb(), 3), (patch, 5), (Law::Equality, 6)];
    // the factors of the patch with a step each: two normals, tangents, twist
    let factors = FactorList::bytes_of(&laws[1].0.factors(5)) as u64 + 3 * 8;
    let expected = (25 + 14) * 8 + 3 * one + factors;
    assert_eq!(kernel_memory(&problem(&laws)), expected);
    assert_eq!(kernel_memory(&problem(&[(Law::Equality, 6)])), 6 * 8 + one);
    assert_eq!(
        RowRule::memory(&problem(&vec![(Law::Equality, 1); 4])),
        4 * (8 + one)
    );
}

#[test]
fn another_compliance_gives_the_kernels_of_a_new_build() {
    let mut laws = vec![
        (Law::Equality, 6),
        (Law::Contact(Friction::Disc { mu: 0.25 }), 3),
        (Law::Contact(Friction::ConvexCone { mu: 0.5 }), 3),
        (Law::Contact(Friction::Facets { mu: 0.4, facets: 8 }), 3),
    ];
    let patch = Patch {
        mu: 0.5,
        levers: vec![1.0, 2.0],
    };
    for others in [None, Some((Law::Patch(Box::new(patch)), 5))] {
        laws.extend(others);
        let mut problem = problem(&laws);
        let mut rule = RowRule::new(1.3);
        rule.build(&problem).expect("no limit");
        // all rows, then the first normal, then tangents
        for changed in [0..15, 6..7, 7..9, 10..11, 13..15] {
            let mut compliance = problem.compliance().to_vec();
            for (row, compliance) in compliance.iter_mut().enumerate() {
                if changed.contains(&row) {
                    *compliance += 0.01 + 0.003 * row as f64;
                }
            }
            problem.set_compliance(&compliance).expect("positive");
            rule.update_compliance(&problem).expect("no limit");
            let mut anew = RowRule::new(1.3);
            anew.build(&problem).expect("no limit");
            let all = |rule: &RowRule| format!("{:?} {:?}", rule.kernels.of, rule.kernels.steps);
            assert_eq!(all(&rule), all(&anew), "{changed:?}");
        }
    }
}

#[test]
fn some_blocks_are_counted_from_zero() {
    let laws = [
        (Law::Equality, 1),
        (Law::Contact(Friction::Disc { mu: 0.25 }), 3),
        (Law::Contact(Friction::ConvexCone { mu: 0.5 }), 3),
    ];
    let problem = problem(&laws);
    let mut rule = RowRule::new(1.5);
    // the second time replaces the first
    rule.build_some(&problem, &[1, 0, 1]);
    rule.build_some(&problem, &[2, 1]);
    // W = 0.5 I: a step of ω / 0.5
    let [
        LawKernel::Cone { mu, step },
        LawKernel::Disc {
            mu: disc,
            step: tangents,
        },
    ] = rule.kernels.of[..]
    else {
        panic!("{:?}", rule.kernels);
    };
    assert_eq!((mu, step, disc, tangents), (0.5, 3.0, 0.25, 3.0));
}
