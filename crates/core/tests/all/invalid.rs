//! Problems that cannot be frozen: numbers, structure and laws, each refused by name.

use delassus_core::{
    Activity, Friction, Law, MassProperties, Operator, Patch, Problem, ProblemBuilder,
    ProblemError, ProblemParts, RollingContact, StepScale,
};
use nalgebra::Vector3;

use crate::problem::{X, chain, point};

/// The refusal of `change` applied to a valid problem.
fn refusal(change: impl FnOnce(&mut ProblemParts)) -> ProblemError {
    let mut parts = chain().build().expect("a valid problem").into_parts();
    change(&mut parts);
    Problem::new(parts).expect_err("this must be refused")
}

fn bodies(parts: &mut ProblemParts) -> &mut delassus_core::BodyRows {
    match &mut parts.operator {
        Operator::Bodies(rows) => rows,
        Operator::Matrix(_) => unreachable!("the chain has bodies"),
    }
}

#[test]
fn bad_numbers_are_refused_by_name() {
    use ProblemError as E;
    let law = |law: Law| refusal(|p| p.blocks[1].law = law);
    assert!(matches!(
        refusal(|p| p.bias[1] = f64::INFINITY),
        E::NonFinite { index: 1, .. }
    ));
    assert!(matches!(
        refusal(|p| p.compliance[0] = -1.0),
        E::NegativeCompliance { row: 0, .. }
    ));
    assert!(matches!(
        law(Law::Bounds {
            lower: 1.0,
            upper: 0.0
        }),
        E::Bounds { block: 1, .. }
    ));
    assert!(matches!(
        law(Law::Bounds {
            lower: f64::NAN,
            upper: 0.0
        }),
        E::Bounds { block: 1, .. }
    ));
    assert!(matches!(
        law(Law::Bounds {
            lower: f64::INFINITY,
            upper: f64::INFINITY
        }),
        E::Bounds { .. }
    ));
    assert!(matches!(
        law(Law::Contact(Friction::Coulomb { mu: 0.3 })),
        E::LawDimension {
            block: 1,
            dim: 1,
            ..
        }
    ));
    let step = StepScale {
        dt: 0.0,
        gravity: 9.81,
    };
    assert!(matches!(refusal(|p| p.step = Some(step)), E::Step { .. }));
    assert!(matches!(
        refusal(|p| bodies(p).mass[1].inverse_mass.x = -1.0),
        E::InverseMass { body: 1 }
    ));
    assert!(matches!(
        refusal(|p| bodies(p).mass[0].inverse_inertia[(0, 1)] = 0.1),
        E::InverseInertia { body: 0 }
    ));
    assert!(matches!(
        refusal(|p| bodies(p).mass[0].inverse_inertia[(2, 2)] = -0.1),
        E::InverseInertia { body: 0 }
    ));
    assert!(matches!(
        refusal(|p| bodies(p).jacobian.edit(|rows| rows[2][3] = f64::NAN)),
        E::NonFinite { index: 2, .. }
    ));
    assert!(matches!(
        refusal(|p| bodies(p).free_velocity[7] = f64::NAN),
        E::NonFinite { index: 7, .. }
    ));
    let overflow = refusal(|p| {
        bodies(p).jacobian.edit(|rows| rows[2][0] = 10.0);
        bodies(p).free_velocity[6] = 1.7e308;
    });
    assert!(matches!(overflow, E::NonFinite { index: 1, .. }));
    assert!(matches!(
        refusal(|p| bodies(p).mass[1].inverse_inertia[(1, 1)] = f64::NAN),
        E::InverseInertia { body: 1 }
    ));
}

#[test]
fn bad_structure_is_refused_by_name() {
    use ProblemError as E;
    assert!(matches!(
        refusal(|p| p.blocks[1].first_row = 0),
        E::BlockRows { block: 1 }
    ));
    assert!(matches!(
        refusal(|p| p.blocks[1].dim = 2),
        E::BlockRows { block: 1 }
    ));
    assert!(matches!(
        refusal(|p| p.blocks[0].dim = usize::MAX),
        E::BlockRows { block: 0 }
    ));
    assert!(matches!(
        refusal(|p| p.blocks[0].dim = 0),
        E::BlockRows { block: 0 }
    ));
    assert!(matches!(
        refusal(|p| p.blocks.truncate(1)),
        E::Length { .. }
    ));
    assert!(matches!(
        refusal(|p| p.compliance.truncate(1)),
        E::Length { .. }
    ));
    assert!(matches!(
        refusal(|p| p.activity = vec![Activity::Solve]),
        E::Length {
            found: 1,
            expected: 2,
            ..
        }
    ));
    assert!(matches!(
        refusal(|p| bodies(p).block_bodies[2] = 9),
        E::BlockBodies { block: 1 }
    ));
    assert!(matches!(
        refusal(|p| bodies(p).block_bodies[2] = 0),
        E::BlockBodies { block: 1 }
    ));
    assert!(matches!(
        refusal(|p| bodies(p).first_body[1] = 99),
        E::BlockBodies { .. }
    ));
    assert!(matches!(
        refusal(|p| bodies(p).first_entry[2] = 99),
        E::BlockBodies { .. } | E::Length { .. }
    ));
    assert!(matches!(
        refusal(|p| bodies(p).jacobian.edit(|rows| rows.truncate(2))),
        E::Length { .. }
    ));
    let immovable = refusal(|p| bodies(p).mass[0] = MassProperties::immovable());
    assert_eq!(immovable, E::ImmovableRow { row: 0 });
    assert!(immovable.to_string().contains("leave the row out"));
}

#[test]
fn patches_need_one_lever_per_normal() {
    let block = |dim: usize, levers: Vec<f64>| {
        let mut builder = ProblemBuilder::new();
        let body = builder.body(point(1.0), [0.0; 6]);
        let law = Law::Patch(Box::new(Patch { mu: 0.5, levers }));
        builder.block(law, &[body], &vec![[X]; dim]);
        builder.build()
    };
    assert!(block(5, vec![0.1, 0.1]).is_ok());
    assert!(matches!(
        block(4, vec![0.1, 0.1]),
        Err(ProblemError::LawDimension { .. })
    ));
    assert!(matches!(
        block(3, vec![]),
        Err(ProblemError::LawDimension { .. })
    ));
    assert!(matches!(
        block(4, vec![-0.1]),
        Err(ProblemError::FrictionCoefficient { .. })
    ));
}

#[test]
fn facets_are_even_and_at_least_four() {
    let block = |facets: u32, dim: usize, mu: f64| {
        let mut builder = ProblemBuilder::new();
        let body = builder.body(point(1.0), [0.0; 6]);
        let law = Law::Contact(Friction::Facets { mu, facets });
        builder.block(law, &[body], &vec![[X]; dim]);
        builder.build().err()
    };
    assert_eq!(block(4, 3, 0.5), None);
    assert_eq!(block(6, 2, 0.5), None);
    for facets in [0, 2, 3, 5, 1026, u32::MAX] {
        let error = block(facets, 3, 0.5);
        assert_eq!(error, Some(ProblemError::Facets { block: 0, facets }));
        let text = error.unwrap().to_string();
        assert!(text.contains("even number from 4 to 1024"), "{text}");
    }
    let one_row = block(8, 1, 0.5);
    assert!(matches!(one_row, Some(ProblemError::LawDimension { .. })));
    let pulls = block(8, 3, -0.5);
    assert!(matches!(
        pulls,
        Some(ProblemError::FrictionCoefficient { .. })
    ));
}

#[test]
fn rolling_contacts_have_a_row_more_with_spinning() {
    let block = |dim: usize, rolling: f64, spinning: Option<f64>| {
        let mut builder = ProblemBuilder::new();
        let body = builder.body(point(1.0), [0.0; 6]);
        let law = Law::Rolling(Box::new(RollingContact {
            mu: 0.5,
            rolling,
            spinning,
        }));
        builder.block(law, &[body], &vec![[X]; dim]);
        builder.build().err()
    };
    assert_eq!(block(5, 0.1, None), None);
    assert_eq!(block(6, 0.0, Some(0.0)), None);
    for (dim, spinning) in [(6, None), (5, Some(0.1)), (3, None), (1, None)] {
        let error = block(dim, 0.1, spinning);
        assert!(matches!(error, Some(ProblemError::LawDimension { .. })));
    }
    for (rolling, spinning) in [(-0.1, 0.1), (0.1, -0.1), (0.1, f64::NAN)] {
        let error = block(6, rolling, Some(spinning));
        assert!(matches!(
            error,
            Some(ProblemError::FrictionCoefficient { .. })
        ));
    }
}

#[test]
fn coefficients_of_friction_are_zero_or_in_a_range() {
    let block = |law: Law, dim: usize| {
        let mut builder = ProblemBuilder::new();
        let mass = MassProperties::aligned(1.5, Vector3::repeat(0.8));
        let body = builder.body(mass, [0.0; 6]);
        let rows: Vec<[[f64; 6]; 1]> = (0..dim)
            .map(|axis| [std::array::from_fn(|i| f64::from(u8::from(i == axis)))])
            .collect();
        builder.block(law, &[body], &rows);
        builder.build().err()
    };
    let laws = |mu: f64| {
        [
            (Law::pyramid(mu), 3),
            (Law::disc(mu), 2),
            (Law::coulomb(mu), 3),
            (Law::convex_cone(mu), 3),
            (Law::facets(mu, 6), 3),
            (Law::patch(mu, vec![0.2]), 4),
            (Law::rolling(mu, 0.0, None), 5),
            (Law::rolling(0.4, mu, None), 5),
            (Law::rolling(0.4, 0.1, Some(mu)), 6),
        ]
    };
    for mu in [0.0, -0.0, 1e-70, 3e-20, 0.9, 4e33, 1e70] {
        for (law, dim) in laws(mu) {
            assert_eq!(block(law.clone(), dim), None, "{law:?}");
        }
    }
    for mu in [5e-324, 1e-300, 0.99e-70, 1.01e70, 1e300, f64::MAX] {
        for (law, dim) in laws(mu) {
            let error = block(law.clone(), dim);
            let expected = ProblemError::CoefficientRange {
                block: 0,
                value: mu,
            };
            assert_eq!(error, Some(expected), "{law:?}");
        }
    }
    for mu in [f64::NAN, f64::INFINITY, -1e-300, f64::NEG_INFINITY] {
        for (law, dim) in laws(mu) {
            let error = block(law.clone(), dim);
            let refused = matches!(error, Some(ProblemError::FrictionCoefficient { .. }));
            assert!(refused, "{law:?}: {error:?}");
        }
    }
    let text = block(Law::coulomb(1e300), 3).expect("refused").to_string();
    assert!(
        text.contains("the friction coefficient 1e300 is out of range"),
        "{text}"
    );
    assert!(text.contains("from 1e-70 to 1e70"), "{text}");
    // coefficients of a law with one per row
    for wrong in [1e-300, 1e-71, 1e71, 1e300] {
        let laws = [
            (Law::anisotropic([0.5, wrong], 0.3), 3),
            (Law::elliptic_cone(&[wrong, 0.5]), 3),
            (Law::torsional(wrong), 2),
        ];
        for (law, dim) in laws {
            let error = block(law.clone(), dim);
            let refused =
                matches!(error, Some(ProblemError::LawNumber { value, .. }) if value == wrong);
            assert!(refused, "{law:?}: {error:?}");
        }
    }
    // a limit in N·s is no coefficient
    assert_eq!(block(Law::fixed_box(1e-300), 3), None);
}
