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
fn kernels_take_the_largest_block_with_tangents_and_themselves() {
    let coulomb = || Law::Contact(Friction::Coulomb { mu: 0.5 });
    let patch = Law::Patch(Box::new(Patch {
        mu: 0.5,
        levers: vec![1.0, 2.0],
    }));
    let one = size_of::<LawKernel>() as u64;
    // equality blocks have no tangents, however large
    let laws = [(Law::Equality, 6), (coulomb(), 3), (coulomb(), 2)];
    assert_eq!(kernel_memory(&problem(&laws)), 9 * 8 + 3 * one);
    let laws = [(coulomb(), 3), (patch, 5), (Law::Equality, 6)];
    // the factors of the patch with a step each: two normals, tangents, twist
    let factors = FactorList::bytes_of(&laws[1].0.factors(5)) as u64 + 3 * 8;
    assert_eq!(kernel_memory(&problem(&laws)), 25 * 8 + 3 * one + factors);
    assert_eq!(kernel_memory(&problem(&[(Law::Equality, 6)])), one);
    assert_eq!(
        RowRule::memory(&problem(&vec![(Law::Equality, 1); 4])),
        4 * one
    );
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
