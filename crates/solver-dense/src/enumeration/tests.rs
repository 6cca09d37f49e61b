//! Solutions on their bounds, near each other and too large.

use delassus_core::{Friction, Law, MassProperties, ProblemBuilder};

use super::*;

/// Blocks along the axes of one body: A = 1/mass on the diagonal, so d = √mass.
fn prepared(mass: f64, blocks: &[(Law, usize)]) -> Search {
    let mut builder = ProblemBuilder::new();
    let inertia = nalgebra::Vector3::repeat(mass);
    let body = builder.body(MassProperties::aligned(mass, inertia), [0.0; 6]);
    let axis = |k: usize| [std::array::from_fn(|i| f64::from(u8::from(i == k)))];
    let mut first = 0;
    for (law, dim) in blocks {
        let rows: Vec<[[f64; 6]; 1]> = (first..first + dim).map(axis).collect();
        builder.block(law.clone(), &[body], &rows);
        first += dim;
    }
    let problem = builder.build().expect("valid");
    let mut method = EnumerationParameters::new(Default::default()).expect("defaults");
    let start = vec![0.0; problem.rows()];
    method.prepare(&problem, start).expect("accepted")
}

fn array(values: &[f64]) -> [f64; MAX] {
    let mut all = [0.0; MAX];
    all[..values.len()].copy_from_slice(values);
    all
}

#[test]
fn limits_grow_with_the_numbers_and_overflow_is_no_solution() {
    let mut prepared = prepared(1.0, &[(Law::Equality, 2)]);
    prepared.matrix[0][..2].copy_from_slice(&[4.0, 0.5]);
    prepared.matrix[1][..2].copy_from_slice(&[0.5, 1.0]);
    prepared.c[..2].copy_from_slice(&[-0.5, 0.25]);
    let (w, limits) = prepared
        .row_velocities(&array(&[3.0, 4.0]))
        .expect("finite");
    assert_eq!(w[..2], [13.5, 5.75]);
    // |y| = 5, the largest entry 4
    assert!((limits.impulse / 5e-10 - 1.0).abs() < 1e-15);
    assert!((limits.velocity / 2e-9 - 1.0).abs() < 1e-15);
    let (w, limits) = prepared.row_velocities(&[0.0; MAX]).expect("finite");
    assert_eq!(w[..2], [-0.5, 0.25]);
    assert!(limits.impulse == 0.0 && (limits.velocity / 5e-11 - 1.0).abs() < 1e-15);
    // |y|² overflows, Sy does not
    assert!(prepared.row_velocities(&array(&[1e200, 0.0])).is_none());
    assert!(prepared.row_velocities(&array(&[1e308, 1e308])).is_none());
}

#[test]
fn solutions_are_the_same_within_1e_8_of_their_size() {
    for mass in [1e-6, 1.0, 1e6] {
        for (second, kept) in [
            ([1.0, 2.0], 1),
            ([1.0, 2.0 + 1.9e-8], 1),
            ([1.0, 2.0 + 2.1e-8], 2),
            ([1.001, 2.0], 2),
            ([-1.0, -2.0], 2),
            ([2.0, 1.0], 2),
        ] {
            let mut prepared = prepared(mass, &[(Law::Equality, 2)]);
            prepared.keep(&array(&[1.0, 2.0]), 0);
            prepared.keep(&array(&second), 1);
            assert_eq!(prepared.kept, kept, "{mass} {second:?}");
        }
    }
}

#[test]
fn a_bound_is_returned_as_it_was_given() {
    // √3 has no finite binary fraction: scaling and unscaling leave another number now and then
    let mut changed = 0;
    for k in 1..100 {
        let (lower, upper) = (f64::from(k) / 10.0, f64::from(k) / 7.0 + 5.0);
        let prepared = prepared(3.0, &[(Law::Bounds { lower, upper }, 1)]);
        let Unit::Row {
            lower: low,
            upper: high,
            ..
        } = prepared.units[0]
        else {
            panic!("a row");
        };
        for (y, expected) in [(low, lower), (high, upper)] {
            let mut impulses = array(&[y * prepared.d[0]]);
            changed += u32::from(impulses[0] != expected);
            prepared.restore_bounds(&array(&[y]), &mut impulses);
            assert_eq!(impulses[0], expected);
        }
    }
    assert!(changed > 0);
}

#[test]
fn rounding_leaves_contacts_open_and_friction_within_its_limit() {
    let mu = 0.5;
    let pyramid = Law::Contact(Friction::Pyramid { mu });
    let cone = Law::Contact(Friction::ConvexCone { mu });
    // an equality row comes first
    for (law, dim) in [(pyramid, 3), (cone, 2)] {
        let prepared = prepared(1.0, &[(Law::Equality, 1), (law, dim)]);
        for (found, expected) in [
            ([9.0, -1e-17, 1e-18, -1e-18], [9.0, 0.0, 0.0, 0.0]),
            ([9.0, 0.0, 1e-18, -1e-18], [9.0, 0.0, 0.0, 0.0]),
            ([9.0, 2.0, 1.0 + 1e-12, 0.9], [9.0, 2.0, 1.0, 0.9]),
            ([9.0, 2.0, -1.0 - 1e-12, -1.1], [9.0, 2.0, -1.0, -1.0]),
            ([9.0, 2.0, 0.9, -0.9], [9.0, 2.0, 0.9, -0.9]),
        ] {
            let rows = 1 + dim;
            let mut impulses = array(&found[..rows]);
            prepared.restore_bounds(&array(&found[..rows]), &mut impulses);
            assert_eq!(impulses[..rows], expected[..rows]);
        }
    }
}
